# `make help' lists the targets.
#
#   make                     builds build/bin/nb*, with CUDA if nvcc is found
#   make CUDA=0              builds without CUDA, into build/cpu
#   make MPI=1               builds nbsim with MPI, for several hosts
#   make check               runs all tests except the long ones; tests that need a GPU are skipped if there is no GPU
#   make packages            installs the packages that all targets need (as root on Debian or Ubuntu)
#
# Compilers, flags and libraries are in mk/flags.mk, tests in mk/tests.mk, libnbtools in mk/library.mk, installation in
# mk/install.mk, packages in mk/packages.mk.

.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# nproc reports OMP_NUM_THREADS, if it is set, instead of the number of cores.
CORES := $(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)

# The one-letter options (n, q ...). make puts them together into the first word of MAKEFLAGS.
LETTERS := $(if $(findstring =,$(firstword $(MAKEFLAGS))),,$(filter-out -%,$(firstword $(MAKEFLAGS))))

# The default number of jobs is the number of cores. A -j on the command line overrides it. A recursive make shares the
# jobs of the make that started it.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(findstring -j,$(shell echo "$$MAKEFLAGS")),0)
MAKEFLAGS += -j$(CORES)
endif
# Number of jobs for programs that recipes start. Use it in recipes only: MAKEFLAGS is final there.
JOBS = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(CORES))
# clean must not run in parallel with the targets that build.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

TOOLS := nbgen nbsim nbrender nbstat nbconv nbedit nbbench
VERSION := $(shell sed -n 's/^\#define TOOL_VERSION "\(.*\)".*/\1/p' tools/common/tool_syntax.h)

include mk/flags.mk

MPI_SRC := lib/device/ranks/transport_mpi.c
LIB_SRC := $(filter-out %_simd.c $(MPI_SRC),$(sort $(shell find lib -name '*.c')))
LIB_CU := $(if $(filter 1,$(CUDA)),$(sort $(shell find lib -name '*.cu')))
SIMD_OBJ := $(foreach set,$(SIMD_SETS),$(patsubst %.c,$(BUILD)/%.$(set).o,$(sort $(shell find lib -name '*_simd.c'))))
# The objects of the library that use MPI. Only nbsim is linked with them.
MPI_OBJ := $(BUILD)/lib/backends_mpi.o $(MPI_SRC:%.c=$(BUILD)/%.o)
LIB_CL := $(sort $(shell find lib -name '*.cl'))
LIB_OBJ := $(SIMD_OBJ) $(LIB_SRC:%.c=$(BUILD)/%.o) $(LIB_CL:%=$(BUILD)/%.o) $(LIB_CU:%.cu=$(BUILD)/%.cu.o)
LIB := $(BUILD)/lib/libnb.a
TOOL_COMMON := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tools/common/*.c)))
TOOL_BIN := $(TOOLS:%=$(BUILD)/bin/%)
FAULT_BIN := $(TOOLS:%=$(BUILD)/faults/bin/%)
TEST_BIN := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/*/test_*.c)))
FAULT_SHIM := $(BUILD)/tests/faults/fail.so
FAULT_DEVICE := $(BUILD)/faults/device/nbsim
BENCH_BIN := $(patsubst bench/%.c,$(BUILD)/bench/%,$(sort $(wildcard bench/*.c)))
BENCH_COMMON := $(BUILD)/bench/common/bench.o $(SIMD_SETS:%=$(BUILD)/bench/common/peak_simd.%.o)

TEXT_OBJ := $(patsubst %,$(BUILD)/tools/nbrender/overlay/%.o,text font font_match draw)
JPEG_OBJ := $(patsubst %,$(BUILD)/tools/nbrender/output/%.o,output jpeg)
WEBP_OBJ := $(patsubst %,$(BUILD)/tools/nbrender/output/%.o,output webp)
GSL_OBJ := $(patsubst %,$(BUILD)/tools/nbgen/%.o,numeric numeric_none)
HDF5_OBJ := $(patsubst %.c,$(BUILD)/%.o,tools/nbconv/formats.c $(wildcard tools/nbconv/gadget/*.c))
GSL_TESTS := $(patsubst %,$(BUILD)/tests/gen/test_%.o,sphere orbits)

include mk/library.mk

SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cu' '*.cuh')

.PHONY: all demo check check-long faults faults-cuda kills soak asan tsan memcheck objects arm ports bench lint format docs site packages install uninstall clean help
.SECONDARY:

all: $(TOOL_BIN) $(LIBRARY) ## build the tools and libnbtools

help: ## print this list
	@grep -hE '^[a-z-]+:.*##' Makefile */*.mk | sed -E 's/:.*## /\t/' | expand -t 14

# ---- packages: checked once for each build directory and set of goals, before calls of compiler and pkg-config ----

# These goals install missing packages if root runs them. All other goals, also `make' and `make install', only name
# them.
PACKAGE_GOALS := $(subst format,lint,$(filter demo check check-long bench site lint format,$(MAKECMDGOALS)))
PACKAGE_LISTS := $(sort $(PACKAGE_GOALS)) build $(if $(filter 1,$(MPI)),mpi)
READY := $(BUILD)/packages-$(subst $(empty) $(empty),-,$(strip $(PACKAGE_LISTS)))

$(READY): packaging/packages.sh
	@mkdir -p $(@D)
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' CUDA='$(CUDA)' packaging/packages.sh $(if $(PACKAGE_GOALS),install,name) $(PACKAGE_LISTS)
	@touch $@

# $(READY) is an empty makefile. After make has remade an included makefile, make restarts. It then calls the compiler
# and pkg-config again, when the packages are installed. The goals in UNPREPARED compile nothing in this make, and need
# no packages here. With -n, -q and -t no package is installed.
UNPREPARED := help clean packages uninstall dist deb wheel wheels publish check-packages asan fuzz tsan arm ports
ifneq ($(filter-out $(UNPREPARED),$(or $(MAKECMDGOALS),all)),)
ifeq ($(strip $(foreach letter,n q t,$(findstring $(letter),$(LETTERS)))),)
include $(READY)
endif
endif

packages: ## install the packages that all targets need (as root on Debian or Ubuntu)
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' CUDA='$(CUDA)' packaging/packages.sh install all

$(BUILD)/%.o: %.c $(BUILD_FLAGS) | $(READY)
	@mkdir -p $(@D)
	@echo '  CC  ' $@; $(compile) -c -o $@ $<

$(TEXT_OBJ): OWN_CPPFLAGS += $(TEXT_CFLAGS)
$(TEXT_OBJ): $(TEXT_FLAGS)
$(JPEG_OBJ): OWN_CPPFLAGS += $(JPEG_CFLAGS)
$(JPEG_OBJ): $(JPEG_FLAGS)
$(WEBP_OBJ): OWN_CPPFLAGS += $(WEBP_CFLAGS)
$(WEBP_OBJ): $(WEBP_FLAGS)
$(GSL_OBJ) $(GSL_TESTS): OWN_CPPFLAGS += $(GSL_CFLAGS)
$(GSL_OBJ) $(GSL_TESTS): $(GSL_FLAGS)
$(HDF5_OBJ): OWN_CPPFLAGS += $(HDF5_CFLAGS)
$(HDF5_OBJ): $(HDF5_FLAGS)

define simd_rule
$(BUILD)/%_simd.$(1).o: %_simd.c $(BUILD_FLAGS) | $(READY)
	@mkdir -p $$(@D)
	$$(compile) -ffp-contract=$$(or $$(CONTRACT),fast) $(SIMD_$(1)) -c -o $$@ $$<
endef
$(foreach set,$(SIMD_SETS),$(eval $(call simd_rule,$(set))))
# The results of these kernels are bitwise identical for all instruction sets: no contraction to FMA.
$(BUILD)/lib/simd/elementary_simd.%.o $(BUILD)/lib/simd/columns_simd.%.o: CONTRACT := off
$(BUILD)/lib/device/cpu/device_vectors_simd.%.o: CONTRACT := off

# Several functions compute the same contact force, and their results must be bitwise identical: no contraction to FMA.
$(BUILD)/lib/force/contact/cuda/%.cu.o $(BUILD)/lib/reference/contact_bvh/cuda/%.cu.o: OWN_NVCCFLAGS += -fmad=false

# Kernels in OpenCL C are strings in the library. The OpenCL driver compiles them at run time.
$(BUILD)/%.cl.c: %.cl lib/reference/opencl/embed.awk lib/device/time_scale.h lib/reference/opencl/field.clh | $(READY)
	@mkdir -p $(@D)
	@awk -f lib/reference/opencl/embed.awk $< > $@

$(BUILD)/%.cl.o: $(BUILD)/%.cl.c $(BUILD_FLAGS)
	@echo '  CC  ' $@; $(compile) -c -o $@ $<

$(BUILD)/%.cu.o: %.cu $(BUILD_FLAGS) | $(READY)
	@mkdir -p $(@D)
	$(compile_cuda) -c -o $@ $<

# These tools need no device. With CUDA they would be four times as large, and the licences of GSL and of NVIDIA's
# runtime do not allow distribution of an nbgen that contains both. The object stands before the archive on the command
# line, so the linker takes it instead of the archive's backends.o.
HOST_TOOLS := $(if $(filter 1,$(CUDA)),nbgen nbconv nbedit)
HOST_BACKENDS := $(BUILD)/lib/backends_host.o
$(HOST_BACKENDS): lib/backends.c $(BUILD_FLAGS) | $(READY)
	@mkdir -p $(@D)
	@echo '  CC  ' $@; $(compile) -UNB_HAVE_CUDA -c -o $@ $<
$(HOST_TOOLS:%=$(BUILD)/bin/%): CUDA_LIBS :=

# Option D of ar writes no dates and owners. An ar without this option is called without it.
archive = rm -f $@; $(AR) rcsD $@ $^ 2>/dev/null || $(AR) rcs $@ $^

$(LIB): $(LIB_OBJ)
	@$(archive)

# The table of backends for nbsim with MPI. `make MPI=1' builds this nbsim, and the tests build it if MPI is installed.
$(BUILD)/lib/backends_mpi.o: lib/backends.c $(BUILD_FLAGS) | $(READY)
	@mkdir -p $(@D)
	@echo '  CC  ' $@; $(compile) -DNB_HAVE_MPI -c -o $@ $<
$(MPI_SRC:%.c=$(BUILD)/%.o): OWN_CPPFLAGS += $(MPI_CFLAGS)
$(MPI_SRC:%.c=$(BUILD)/%.o): $(MPI_FLAGS)
NBSIM_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(sort $(shell find tools/nbsim -name '*.c'))) $(TOOL_COMMON)
$(BUILD)/mpi/bin/nbsim: $(NBSIM_OBJ) $(MPI_OBJ) $(LIB)
	@mkdir -p $(@D)
	@echo '  LD  ' $@; $(link) -o $@ $^ $(MPI_LIBS) $(link_libs)

$(BUILD)/bin/nbsim: $(BUILD)/MPI-asked.flags
ifeq ($(MPI),1)
WITH_MPI := $(MPI_OBJ)
$(BUILD)/bin/nbsim: OWN_LDLIBS += $(or $(MPI_LIBS),$(error MPI=1, but pkg-config finds no MPI (Debian: libopenmpi-dev)))
endif

define tool_rule
$(BUILD)/bin/$(1): $(patsubst %.c,$(BUILD)/%.o,$(sort $(shell find tools/$(1) -name '*.c'))) $(TOOL_COMMON) $(if $(filter $(1),$(HOST_TOOLS)),$(HOST_BACKENDS)) $(if $(filter nbsim,$(1)),$(WITH_MPI)) $(LIB)
	@mkdir -p $$(@D)
	@echo '  LD  ' $$@; $$(link) -o $$@ $$(filter-out %.flags,$$^) $$(link_libs)
endef
$(foreach tool,$(TOOLS),$(eval $(call tool_rule,$(tool))))
$(BUILD)/bin/nbrender $(BUILD)/faults/bin/nbrender: OWN_LDLIBS += $(ZLIB_LIBS) $(TEXT_LIBS) $(JPEG_LIBS) $(WEBP_LIBS)
$(BUILD)/bin/nbgen $(BUILD)/faults/bin/nbgen: OWN_LDLIBS += $(GSL_LIBS)
$(BUILD)/bin/nbconv $(BUILD)/faults/bin/nbconv: OWN_LDLIBS += $(HDF5_LIBS)
$(TOOL_BIN) $(FAULT_BIN) $(FAULT_DEVICE) $(BUILD)/mpi/bin/nbsim: OWN_LDFLAGS += $(if $(LIBGOMP),-Wl$(comma)--wrap=gomp_fatal) # tools/common/tool_threads.c reports its errors

$(BENCH_BIN): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(BENCH_COMMON) $(LIB)
	@echo '  LD  ' $@; $(link) -o $@ $^ $(link_libs)

demo: all ## run an example, a collision of two galaxies: writes out/merger.mp4 (without ffmpeg merger.apng) and out/merger.png
	@BIN='$(BUILD)/bin' examples/merger.sh out

bench: $(BENCH_BIN) ## measure speed and errors: writes tables and pictures into bench/results
	@bench/run.sh $(BUILD)

include mk/tests.mk
include mk/install.mk
include mk/packages.mk

clean: ## remove the folders build and out
	rm -rf build out

# Dependency files. The roots and source trees in which packages are built are not searched.
-include $(shell find $(BUILD) \( -name 'root-*' -o -name 'nbtools-*' \) -prune -o -type f -name '*.d' -print 2>/dev/null)
