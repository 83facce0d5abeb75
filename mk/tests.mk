# Tests: unit tests, fuzz targets, fault injection, sanitizers, other compilers, and checks of the sources.

$(BUILD)/tests/%.o: OWN_CPPFLAGS += -Itests
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(LIB)
	@echo '  LD  ' $@; $(link) -o $@ $^ $(CMOCKA_LIBS) $(TEST_LIBS) $(link_libs)

$(patsubst %.c,$(BUILD)/%,$(wildcard tests/library/test_*.c)): $(LIBRARY_STATIC)
$(BUILD)/tests/render/test_render_output: OWN_LDLIBS += $(ZLIB_LIBS)
$(BUILD)/tests/render/test_render_overlay: $(patsubst %,$(BUILD)/tools/nbrender/%.o,overlay/draw overlay/segment)
$(patsubst %,$(BUILD)/tests/render/test_render_%,plane shade): $(BUILD)/tools/common/tool_words.o
$(BUILD)/tests/render/test_render_view: $(patsubst %,$(BUILD)/tools/nbrender/%.o,view/framing basis/numbers)
$(BUILD)/tests/render/test_render_text: $(TEXT_OBJ) $(BUILD)/tools/common/tool_utf8.o $(BUILD)/tools/nbrender/overlay/segment.o
$(BUILD)/tests/render/test_render_text: OWN_LDLIBS += $(TEXT_LIBS)
$(BUILD)/tests/engine/test_contact_boxes: $(if $(filter 1,$(CUDA)),$(BUILD)/tests/engine/contact_cuda_boxes.cu.o)
$(BUILD)/tests/engine/test_curve: $(if $(filter 1,$(CUDA)),$(BUILD)/tests/engine/curve_cuda.cu.o)
$(BUILD)/tests/engine/test_contact_boxes $(BUILD)/tests/engine/test_curve: TEST_LIBS = $(LIB) # again, after the objects that refer to it
$(BUILD)/tests/gen/test_sphere: $(patsubst %,$(BUILD)/tools/nbgen/%.o,$(addprefix sphere/,sphere draw eddington profile emden soften spheres) step memory) $(GSL_OBJ) $(TOOL_COMMON)
$(BUILD)/tests/gen/test_sphere: TEST_LIBS = $(LIB) $(GSL_LIBS) # again, after the tools' objects that refer to it
$(BUILD)/tests/cli/test_words: $(BUILD)/tools/common/tool_words.o
$(BUILD)/tests/sim/test_threads: $(BUILD)/tools/nbsim/threads.o
$(BUILD)/tests/gen/test_layer: $(patsubst %,$(BUILD)/tools/nbgen/%.o,galaxy/layer memory) $(TOOL_COMMON)
$(BUILD)/tests/gen/test_layer: TEST_LIBS = $(LIB)
$(BUILD)/tests/gen/test_orbits: $(patsubst %,$(BUILD)/tools/nbgen/galaxy/%.o,layer orbits orbits_across orbits_carry orbits_draw) \
	$(patsubst %,$(BUILD)/tools/nbgen/%.o,even memory) $(GSL_OBJ) $(TOOL_COMMON)
$(BUILD)/tests/gen/test_orbits: TEST_LIBS = $(LIB) $(GSL_LIBS)

# ---- fuzz targets: the parsers of external input; `make check' runs them on their corpora with replay.c ----

FUZZ := stream text rosetta tipsy nemo gadget2 force field options pack select scene outline
FUZZ_BIN := $(FUZZ:%=$(BUILD)/tests/fuzz/fuzz_%)
# The program that calls the target: replay.c, or libFuzzer, which is given as a compiler flag.
FUZZ_ENGINE ?= $(BUILD)/tests/fuzz/replay.o
# The tools' objects as an archive: the linker takes only the objects that a target refers to. With the wrapped
# functions the sandbox returns from exit, and frees memory and closes files that a call of a tool leaves.
FUZZ_TOOLS := $(BUILD)/tests/fuzz/tools.a
FUZZ_WRAP := $(foreach name,exit fclose malloc calloc realloc reallocarray strdup free omp_set_num_threads,-Wl,--wrap=$(name))

# OpenMP is linked dynamically, so that the sandbox does not see the memory that OpenMP allocates.
FUZZ_LIBS = $(patsubst $(LIBGOMP),-fopenmp,$(link_libs))

$(FUZZ_TOOLS): $(patsubst %.c,$(BUILD)/%.o,$(filter-out tools/common/tool_parse.c %/main.c,$(shell find tools -name '*.c')))
	@mkdir -p $(@D); rm -f $@
	@$(archive)

$(BUILD)/tests/fuzz/fuzz_stream: $(if $(filter -%,$(FUZZ_ENGINE)),$(patsubst %,$(BUILD)/tests/fuzz/stream_%.o,mend mutator))
$(patsubst %,$(BUILD)/tests/fuzz/fuzz_%,text rosetta tipsy nemo gadget2): $(BUILD)/tests/fuzz/fuzz_import.o $(BUILD)/tools/common/tool_parse.o \
	$(FUZZ_TOOLS)
$(BUILD)/tests/fuzz/fuzz_options: $(BUILD)/tests/fuzz/sandbox.o $(FUZZ_TOOLS)
$(BUILD)/tests/fuzz/fuzz_outline: $(BUILD)/tests/fuzz/sandbox.o $(BUILD)/tools/common/tool_parse.o $(FUZZ_TOOLS)
$(patsubst %,$(BUILD)/tests/fuzz/fuzz_%,options outline): OWN_LDFLAGS += $(FUZZ_WRAP)
$(FUZZ_BIN): $(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(filter %.o,$(FUZZ_ENGINE)) $(LIB)
	@echo '  LD  ' $@; $(link) $(filter -%,$(FUZZ_ENGINE)) -o $@ $(filter-out %.a,$^) $(filter $(FUZZ_TOOLS),$^) $(LIB) $(ZLIB_LIBS) $(TEXT_LIBS) $(JPEG_LIBS) $(WEBP_LIBS) $(GSL_LIBS) $(HDF5_LIBS) $(FUZZ_LIBS)

# The longest test files start first, so that no core is idle while a long file runs at the end.
LONG_FIRST := $(patsubst %,tests/%.bats,sim/tree gen/step gen/disk render/input sim/integrators stat/nbstat) $(BUILD)/tests/engine/test_tree \
	$(BUILD)/tests/engine/test_force $(BUILD)/tests/engine/test_force_targets tests/conv/nbconv.bats $(BUILD)/tests/engine/test_direct_mutual
CHECKS := $(filter-out tests/long/% tests/packages/%,$(wildcard tests/*/*.bats)) $(TEST_BIN)
# 1.5 times as many jobs as cores, because many tests wait for a start of a program, for a signal or for one thread.
run_tests = CMOCKA_MESSAGE_OUTPUT=TAP NB_BUILD='$(abspath $(BUILD))' TMPDIR='$(abspath $(BUILD))/tmp' \
	prove -j$(shell echo $$(($(JOBS) + ($(JOBS) + 1) / 2))) --directives --failures --comments --timer -e tests/run.sh

check: all $(TEST_BIN) $(FAULT_SHIM) $(FAULT_DEVICE) $(FUZZ_BIN) $(if $(MPI_PACKAGE),$(BUILD)/mpi/bin/nbsim) ## run all tests except the long ones; tests that need a GPU are skipped if there is no GPU
	@mkdir -p $(BUILD)/tmp
	$(run_tests) $(filter $(CHECKS),$(LONG_FIRST)) $(filter-out $(LONG_FIRST),$(CHECKS))

check-long: all $(TEST_BIN) $(FAULT_SHIM) ## run the long tests: the folder tests/long and the tests with the tag long
	@mkdir -p $(BUILD)/tmp
	@status=0; \
		NB_TESTS=all $(run_tests) $(wildcard tests/long/*.bats) || status=1; \
		NB_TESTS=long $(run_tests) $(shell grep -l 'test_tags=long' tests/*/*.bats) || status=1; \
		exit $$status

.PHONY: mutants
mutants: all $(TEST_BIN) $(FAULT_SHIM) $(FAULT_DEVICE) $(if $(MPI_PACKAGE),$(BUILD)/mpi/bin/nbsim) ## change the code at about 200 places, one at a time, and check that a test fails (tests/mutants)
	@tests/mutants/mutants.py --jobs $(JOBS) $(BUILD)

# ---- faults: fault injection into system calls, allocations and device calls (tests/faults) ----

FAULT_SRC := $(addprefix tests/faults/,fault.c fail_malloc.c fail_calls.c)
$(FAULT_SHIM): $(FAULT_SRC) tests/faults/fault.h $(BUILD_FLAGS) | $(READY)
	@mkdir -p $(@D)
	@echo '  LD  ' $@; $(CC) -std=gnu11 -O2 -g $(WARN) -fPIC -shared -o $@ $(FAULT_SRC) -ldl

# The CUDA runtime is linked statically, and a preloaded library cannot replace its functions. Separate tools are linked
# with --wrap for these faults.
cuda_wraps = $(shell sed -nE 's/^WRAP.(\w+),.*/\1/p; s/^WRAP_BY.error_on.device, .counter., (\w+),.*/\1/p; s/^extern .C. cudaError_t __wrap_(\w+).*/\1/p' tests/faults/fail_cuda.cu)
$(FAULT_BIN): $(BUILD)/faults/bin/%: $(BUILD)/bin/% $(BUILD)/tests/faults/fail_cuda.cu.o $(BUILD)/tests/faults/fault.o
	@mkdir -p $(@D)
	@echo '  LD  ' $@; $(link) $(cuda_wraps:%=-Wl,--wrap=%) -o $@ $(patsubst %.c,$(BUILD)/%.o,$(shell find tools/$* -name '*.c')) \
		$(TOOL_COMMON) $(filter %.o,$^) $(LIB) $(link_libs)

# The CPU as a device that fails: a separate nbsim, in which --wrap replaces the tables of the CPU and of its forces.
device_wraps = $(shell sed -n '/^extern/s/;//p' tests/faults/fail_device.c | grep -oE '__real_\w+' | sed 's/__real_//')
$(FAULT_DEVICE): $(BUILD)/faults/device/%: $(BUILD)/bin/% $(BUILD)/tests/faults/fail_device.o $(BUILD)/tests/faults/fault.o
	@mkdir -p $(@D)
	@echo '  LD  ' $@; $(link) $(device_wraps:%=-Wl,--wrap=%) -o $@ $(patsubst %.c,$(BUILD)/%.o,$(shell find tools/$* -name '*.c')) \
		$(TOOL_COMMON) $(filter %.o,$^) $(LIB) $(link_libs)

faults: all $(FAULT_SHIM) $(FAULT_DEVICE) ## inject a fault into each call of every tool, one call a run; then again, to look for memory leaks
	@tests/faults/faults.py $(BUILD)
	@tests/faults/lost.py --sample 4000 $(BUILD)
	@tests/faults/lost.py --device cpu $(BUILD)
	@$(MAKE) --no-print-directory BUILD=build/asan CUDA=0 $(ASAN) all build/asan/tests/faults/fail.so
	@tests/faults/faults.py --leaks build/asan
ifeq ($(CUDA),1)
	@$(MAKE) --no-print-directory faults-cuda
else
	@echo 'faults: those of CUDA skipped, there is no nvcc'
endif

kills: all $(FAULT_SHIM) $(BUILD)/tests/stream/test_snap_exchange ## kill simulations at each call and at random times, and resume them; two writers; streams with exchanged parts
	@tests/faults/kills.py $(BUILD)
	@tests/faults/kills_resume.py $(BUILD)
ifneq ($(and $(filter 1,$(CUDA)),$(shell nvidia-smi -L 2>/dev/null)),)
	@tests/faults/kills_resume.py --device cuda --kills 200 $(BUILD)
else
	@echo 'kills: those on a GPU skipped, there is none'
endif
	@NB_BUILD=$(BUILD) tests/faults/exchanges.sh

.PHONY: interop
interop: all ## exchange files with other programs: yt, pynbody ... from the Python index in a virtual environment, and Debian packages
	@tests/interop/run.sh '$(abspath $(BUILD))'

soak: all ## disturb pipelines for SECONDS (3600) with signals, stops, slow readers and a memory limit
	@tests/faults/soak.py --seconds $(or $(SECONDS),3600) $(BUILD)

$(BUILD)/tests/faults/fill_gpu: $(BUILD)/tests/faults/fill_gpu.cu.o
	@echo '  LD  ' $@; $(link) -o $@ $^ $(link_libs)

faults-cuda: all $(FAULT_BIN) $(BUILD)/tests/faults/fill_gpu ## inject a fault into each CUDA call; skipped if there is no GPU
	@tests/faults/faults.py --cuda --sample 1000 $(BUILD)/faults
	@tests/faults/lost.py --device cuda --sample 500 $(BUILD)
	@tests/faults/lost.py --device cuda:0-1 --sample 500 $(BUILD)
	@tests/faults/full.sh $(BUILD) cuda
	@tests/faults/full.sh $(BUILD) cuda:0-1

ASAN = CFLAGS='-O1 -g' SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
asan: ## run the tests of check, built with address and undefined-behaviour sanitizers
	ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1 \
		LSAN_OPTIONS=print_suppressions=0:suppressions='$(abspath tests/lsan.supp)' \
		NB_SANITIZER=address $(MAKE) BUILD=build/asan CUDA=0 $(ASAN) check

.PHONY: fuzz fuzz-targets
fuzz: ## fuzz the parsers of external input with libFuzzer and clang's sanitizers, SECONDS (60) in total
	@CC=clang packaging/packages.sh install fuzz
	$(MAKE) CC=clang BUILD=build/fuzz CUDA=0 CFLAGS='-O1 -g' FUZZ_ENGINE=-fsanitize=fuzzer \
		SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' fuzz-targets
	@tests/fuzz/run.sh build/fuzz $(or $(SECONDS),60)

fuzz-targets: $(FUZZ_BIN)

# clang's OpenMP reports its synchronisation to the thread sanitizer (Archer). gcc's OpenMP does not, and correct loops
# look like races. The sanitizer does not see loads and stores of more than 16 bytes: only the baseline kernels are
# built. A tool that exits on an error does not join its threads, so reports of leaked threads are off.
TSAN = CC=clang BUILD=build/tsan CUDA=0 CFLAGS='-O1 -g' SANITIZE=-fsanitize=thread SIMD_SETS=baseline
tsan: ## run the tests of check, built with clang's thread sanitizer
	@CC=clang packaging/packages.sh install tsan
	NB_SANITIZER=thread TSAN_OPTIONS='allocator_may_return_null=1 report_thread_leaks=0 ignore_noninstrumented_modules=1 suppressions=$(abspath tests/tsan.supp)' \
		$(MAKE) $(TSAN) check

SANITIZER := $(or $(shell command -v compute-sanitizer 2>/dev/null),$(wildcard $(CUDA_HOME)/bin/compute-sanitizer))
# The unit tests that call kernels. compute-sanitizer fails for a program that does not use CUDA.
MEMCHECK_TESTS := $(addprefix $(BUILD)/tests/engine/test_,combine contact contact_boxes contact_inlet contact_radius contact_runs \
    direct direct_together force force_targets group group_force jerk kdtree_field methods octree time_scale tree tree_domains tree_memory) \
    $(addprefix $(BUILD)/tests/render/test_,light_devices light_limits)
memcheck: ## run the unit tests of the CUDA kernels with compute-sanitizer; skipped if there is no compute-sanitizer or no GPU
ifeq ($(and $(SANITIZER),$(shell nvidia-smi -L 2>/dev/null)),)
	@echo 'memcheck: skipped, there is no compute-sanitizer or no GPU'
else
	$(MAKE) --no-print-directory $(MEMCHECK_TESTS)
	for test in $(MEMCHECK_TESTS); do NB_SANITIZER=cuda $(SANITIZER) --error-exitcode 9 $$test || exit 1; done
endif

objects: $(LIB_OBJ) $(LIBRARY_OBJ) $(TEST_BIN:%=%.o)

arm: ## build lib and its unit tests for 64-bit Arm with warnings as errors, and run them if qemu-user is installed
	+@tests/project/compilers.sh all

ports: ## build the tools with clang, with musl and for 64-bit Arm, and run a few tests of each (Arm with qemu-user)
	+@tests/project/compilers.sh ports

lint: all ## check includes, names of symbols and formatting; compile with clang, and with gcc for Arm
	@tests/project/lint.sh $(BUILD)
	+@tests/project/compilers.sh quick

format: | $(READY) ## format the sources in place
	clang-format -i $(SOURCES)

