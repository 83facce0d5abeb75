# The worker, for the AMUSE whose amusifier is on the path.
AMUSE_DIR ?= $(shell amusifier --get-amuse-dir)
-include $(AMUSE_DIR)/config.mk
MPICC ?= mpicc
MPICXX ?= mpicxx
NBTOOLS_LIBS := $(shell pkg-config --libs nbtools) -Wl,-rpath,$(shell pkg-config --variable=libdir nbtools)

nbtools_worker: worker_code.cc interface.o
	$(MPICXX) $(CXXFLAGS) -o $@ $^ $(LDFLAGS) $(NBTOOLS_LIBS)

interface.o: interface.c worker_code.h
	$(MPICC) -Wall -Wextra $(CFLAGS) $(shell pkg-config --cflags nbtools) -c -o $@ interface.c

worker_code.cc worker_code.h: interface.py
	amusifier --type=$(if $(filter %.h,$@),h,c) interface.py NbtoolsInterface -o $@

clean:
	rm -rf nbtools_worker interface.o worker_code.cc worker_code.h __pycache__

.PHONY: clean
