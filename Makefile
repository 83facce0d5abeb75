# The only build file. `make help` lists the targets.
#
#   make                     build/bin/nb*, with CUDA where nvcc is found
#   make CUDA=0              without CUDA (into build/cpu)
#   make check               all tests but the long ones; those that need a GPU say that they were skipped
#   make packages            installs, as root on Debian or Ubuntu, what any target needs

.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# nproc would take OMP_NUM_THREADS for the number of cores.
CORES := $(shell env -u OMP_NUM_THREADS nproc)

# As many jobs as there are cores, unless -j says otherwise: make takes a -j of the command before the one here. A make
# below another shares its jobs.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(findstring -j,$(shell echo "$$MAKEFLAGS")),0)
MAKEFLAGS += -j$(CORES)
endif
# For what is not make's own, when the flags are final: in a recipe.
JOBS = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(CORES))
# What is removed is not built at the same time.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
CUDA ?= $(if $(NVCC),1,0)
BUILD ?= build$(if $(filter 0,$(CUDA)),/cpu)
PREFIX ?= /usr/local

TOOLS := nbgen nbsim nbrender nbstat nbconv

ifeq ($(origin CC),default)
CC := gcc
endif
AR := $(shell $(CC) -print-prog-name=ar 2>/dev/null || echo ar)
OPT ?= -O3 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
WARN += $(if $(CLANG),-Wno-pass-failed) # of a loop that it leaves scalar
CFLAGS += -std=gnu11 $(OPT) $(WARN) $(WERROR) -fopenmp -fno-math-errno -ffp-contract=off -D_GNU_SOURCE -Ilib -Itools -Ibench \
	-MMD -MP $(SANITIZE)
LDFLAGS += $(SANITIZE)
LDLIBS += $(OPENMP_LIBS) -lxxhash -lm -lpthread -ldl

# GNU's OpenMP reads its variables in a constructor; only one linked statically runs after ours (tools/tool.c).
# clang's libomp reads them when it is first used and is linked as usual; for what is reduced in quadruple precision its
# code calls gcc's libatomic.
LIBGOMP = $(if $(CLANG),,$(filter /%,$(shell $(CC) -print-file-name=libgomp.a)))
OPENMP_LIBS = $(if $(LIBGOMP),$(LIBGOMP) -ldl,-fopenmp $(if $(CLANG),-latomic))

LIB_SRC := $(filter-out %_simd.c,$(shell find lib -name '*.c' | sort))
ifeq ($(CUDA),1)
CUDA_HOME := $(patsubst %/bin/nvcc,%,$(NVCC))
LIB_CU := $(shell find lib -name '*.cu' | sort)
# Machine code for Hopper and PTX that any newer or (from compute 7.5 on) older card's driver compiles.
NVCC_ARCH ?= -gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=compute_75
NVCCFLAGS += -std=c++20 -O3 -lineinfo $(NVCC_ARCH) -Ilib --expt-relaxed-constexpr -Xcompiler -Wall,-Wextra
CFLAGS += -DNB_HAVE_CUDA
LDLIBS += -L$(CUDA_HOME)/lib64 -lcudart_static -lstdc++ -lrt -ldl -lpthread
endif

# Kernels (*_simd.c) that are compiled once for each instruction set and chosen at run time; as in lib/simd/simd.h.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
SIMD_SETS := baseline $(if $(filter x86_64-%,$(MACHINE)),avx2 avx512)
SIMD_baseline :=
CFLAGS += $(if $(filter-out baseline,$(SIMD_SETS)),,-DNB_SIMD_BASELINE)
SIMD_avx2 := -mavx2 -mfma
SIMD_avx512 := -mavx512f -mavx512vl -mavx512dq -mfma -mprefer-vector-width=512
SIMD_OBJ := $(foreach set,$(SIMD_SETS),$(patsubst %.c,$(BUILD)/%.$(set).o,$(shell find lib -name '*_simd.c' | sort)))

LIB_CL := $(shell find lib -name '*.cl' | sort)
LIB_OBJ := $(SIMD_OBJ) $(LIB_SRC:%.c=$(BUILD)/%.o) $(LIB_CL:%=$(BUILD)/%.o) $(LIB_CU:%.cu=$(BUILD)/%.cu.o)
LIB := $(BUILD)/lib/libnb.a
TOOL_COMMON := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/*.c))
TOOL_BIN := $(TOOLS:%=$(BUILD)/bin/%)
FAULT_BIN := $(TOOLS:%=$(BUILD)/faults/bin/%)
TEST_BIN := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
FAULT_SHIM := $(BUILD)/tests/faults/fail.so
BENCH_BIN := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/*.c))
BENCH_COMMON := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/common/*.c))

# Text needs FreeType and fontconfig, of the machine that is compiled for; without them (or with TEXT=0) nbrender says so
# where it is asked for text. The file holds the compiler's flags and the linker's, found when all packages are there.
TEXT_FLAGS := $(BUILD)/text.flags
TEXT_LIBS = $(shell sed -n 2p $(TEXT_FLAGS))
TEXT_OBJ := $(patsubst %,$(BUILD)/tools/nbrender/overlay/%.o,text text_none font utf8 draw)
text_flags = [ '$(TEXT)' != 0 ] && flags=$$(pkg-config --cflags freetype2 fontconfig) && \
	printf '\043include <%s>\n' ft2build.h fontconfig/fontconfig.h | $(CC) $$flags -E -x c - >/dev/null && \
	echo "-DNB_HAVE_TEXT $$flags" && pkg-config --libs freetype2 fontconfig

# Galaxies, king and isothermal need GSL, in nbgen alone; without it (or with GSL=0) they say so. A binary with it is under the GPL.
GSL_FLAGS := $(BUILD)/gsl.flags
GSL_LIBS = $(shell sed -n 2p $(GSL_FLAGS))
GSL_OBJ := $(patsubst %,$(BUILD)/tools/nbgen/%.o,numeric numeric_none)
GSL_TESTS := $(BUILD)/tests/test_sphere.o $(BUILD)/tests/test_orbits.o
gsl_flags = [ '$(GSL)' != 0 ] && flags=$$(pkg-config --cflags gsl) && \
	printf '\043include <%s>\n' gsl/gsl_odeiv2.h | $(CC) $$flags -E -x c - >/dev/null && \
	echo "-DNB_HAVE_GSL $$flags" && pkg-config --libs gsl

SOURCES = $(shell git ls-files '*.c' '*.h' '*.cu' '*.cuh')

.PHONY: all demo check check-long faults faults-cuda kills soak asan tsan memcheck objects arm bench lint format docs packages install clean help
.SECONDARY:

all: $(TOOL_BIN) ## build the tools

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile packaging/packaging.mk | sed -E 's/:.*## /\t/' | expand -t 14

# ---- what has to be there: looked for once a build directory and kind of goals, before anything is built ----

# The goals that install what they lack when root runs them; all others, `make' and `make install' too, only name it.
PACKAGE_GOALS := $(subst format,lint,$(filter demo check check-long bench lint format,$(MAKECMDGOALS)))
PACKAGE_LISTS := $(sort $(PACKAGE_GOALS)) build
empty :=
comma := ,
READY := $(BUILD)/packages-$(subst $(empty) $(empty),-,$(strip $(PACKAGE_LISTS)))

$(READY): packages.sh
	@mkdir -p $(@D)
	@CC='$(CC)' CUDA='$(CUDA)' ./packages.sh $(if $(PACKAGE_GOALS),install,name) $(PACKAGE_LISTS)
	@touch $@

packages: ## install, as root on Debian or Ubuntu, what any target needs
	@CC='$(CC)' CUDA='$(CUDA)' ./packages.sh install all

$(BUILD)/%.o: %.c | $(READY)
	@mkdir -p $(@D)
	@echo '  CC  ' $@; $(CC) $(CFLAGS) -c -o $@ $<

.PHONY: text
$(TEXT_FLAGS): text | $(READY)
	@mkdir -p $(@D); { $(text_flags); } >$@.new 2>/dev/null; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(TEXT_OBJ): CFLAGS += $(shell sed -n 1p $(TEXT_FLAGS))
$(TEXT_OBJ): $(TEXT_FLAGS)

.PHONY: gsl
$(GSL_FLAGS): gsl | $(READY)
	@mkdir -p $(@D); { $(gsl_flags); } >$@.new 2>/dev/null; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(GSL_OBJ) $(GSL_TESTS): CFLAGS += $(shell sed -n 1p $(GSL_FLAGS))
$(GSL_OBJ) $(GSL_TESTS): $(GSL_FLAGS)

define simd_rule
$(BUILD)/%_simd.$(1).o: %_simd.c | $(READY)
	@mkdir -p $$(@D)
	$(CC) $(CFLAGS) -ffp-contract=$$(or $$(CONTRACT),fast) $(SIMD_$(1)) -c -o $$@ $$<
endef
$(foreach set,$(SIMD_SETS),$(eval $(call simd_rule,$(set))))
# Equal bits for every set.
$(BUILD)/lib/simd/elementary_simd.%.o $(BUILD)/lib/simd/columns_simd.%.o: CONTRACT := off

# A sum of forces takes its terms from different places of the code in equal bits.
$(BUILD)/lib/force/contact/cuda/%.cu.o: NVCCFLAGS += -fmad=false

# Kernels in OpenCL C are strings in the library, compiled where they run.
$(BUILD)/%.cl.c: %.cl lib/device/opencl/embed.awk lib/device/time_scale.h lib/force/opencl/field.clh | $(READY)
	@mkdir -p $(@D)
	@awk -f lib/device/opencl/embed.awk $< > $@

$(BUILD)/%.cl.o: $(BUILD)/%.cl.c
	@echo '  CC  ' $@; $(CC) $(CFLAGS) -c -o $@ $<

$(BUILD)/%.cu.o: %.cu | $(READY)
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(LIB_OBJ)
	rm -f $@
	@$(AR) rcs $@ $^

define tool_rule
$(BUILD)/bin/$(1): $(patsubst %.c,$(BUILD)/%.o,$(shell find tools/$(1) -name "*.c")) $(TOOL_COMMON) $(LIB)
	@mkdir -p $$(@D)
	@echo '  LD  ' $$@; $(CC) $$(LDFLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach tool,$(TOOLS),$(eval $(call tool_rule,$(tool))))
$(BUILD)/bin/nbrender $(BUILD)/faults/bin/nbrender: LDLIBS += -lz $(TEXT_LIBS)
$(BUILD)/bin/nbgen $(BUILD)/faults/bin/nbgen: LDLIBS += $(GSL_LIBS)
$(TOOL_BIN) $(FAULT_BIN): LDFLAGS += $(if $(LIBGOMP),-Wl$(comma)--wrap=gomp_fatal) # its errors are told as ours: tools/tool_threads.c

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(LIB)
	@echo '  LD  ' $@; $(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(TEST_LIBS) $(LDLIBS)

$(BUILD)/tests/test_render_output: LDLIBS += -lz
$(BUILD)/tests/test_render_overlay: $(patsubst %,$(BUILD)/tools/nbrender/%.o,overlay/draw segment)
$(BUILD)/tests/test_render_text: $(TEXT_OBJ) $(BUILD)/tools/nbrender/segment.o
$(BUILD)/tests/test_render_text: LDLIBS += $(TEXT_LIBS)
$(BUILD)/tests/test_sphere: $(patsubst %,$(BUILD)/tools/nbgen/%.o,$(addprefix sphere/,sphere draw eddington profile emden soften) \
	spheres step) $(GSL_OBJ) $(TOOL_COMMON)
$(BUILD)/tests/test_sphere: TEST_LIBS = $(LIB) $(GSL_LIBS) # again, for what the tools' objects want of it
$(BUILD)/tests/test_layer: $(BUILD)/tools/nbgen/galaxy/layer.o $(TOOL_COMMON)
$(BUILD)/tests/test_layer: TEST_LIBS = $(LIB)
$(BUILD)/tests/test_orbits: $(patsubst %,$(BUILD)/tools/nbgen/galaxy/%.o,layer orbits orbits_across orbits_carry orbits_draw) \
	$(BUILD)/tools/nbgen/even.o $(GSL_OBJ) $(TOOL_COMMON)
$(BUILD)/tests/test_orbits: TEST_LIBS = $(LIB) $(GSL_LIBS)

# ---- fuzz targets: what reads from outside, given any bytes; `make check' gives them their corpora, by replay.c ----

FUZZ := stream text rosetta force options pack select scene outline
FUZZ_BIN := $(FUZZ:%=$(BUILD)/tests/fuzz/fuzz_%)
# With libFuzzer: its flag, and what only it wants.
FUZZ_ENGINE ?= $(BUILD)/tests/fuzz/replay.o
# What the targets take from the tools: an archive gives only what is wanted. The sandbox catches what ends a program.
FUZZ_TOOLS := $(BUILD)/tests/fuzz/tools.a
FUZZ_WRAP := $(foreach name,exit fclose malloc calloc realloc reallocarray aligned_alloc strdup free omp_set_num_threads,-Wl,--wrap=$(name))

# OpenMP's own memory is none of the sandbox's: its library is linked as usual.
FUZZ_LIBS = $(patsubst $(LIBGOMP),-fopenmp,$(LDLIBS))

$(FUZZ_TOOLS): $(patsubst %.c,$(BUILD)/%.o,$(filter-out tools/tool_parse.c %/main.c,$(shell find tools -name '*.c')))
	@mkdir -p $(@D); rm -f $@
	@$(AR) rcs $@ $^

$(BUILD)/tests/fuzz/fuzz_stream: $(if $(filter -%,$(FUZZ_ENGINE)),$(patsubst %,$(BUILD)/tests/fuzz/stream_%.o,mend mutator))
$(BUILD)/tests/fuzz/fuzz_text $(BUILD)/tests/fuzz/fuzz_rosetta: $(BUILD)/tests/fuzz/fuzz_import.o $(BUILD)/tests/fuzz/sandbox.o \
	$(BUILD)/tools/tool_parse.o $(FUZZ_TOOLS)
$(BUILD)/tests/fuzz/fuzz_options: $(BUILD)/tests/fuzz/sandbox.o $(FUZZ_TOOLS)
$(BUILD)/tests/fuzz/fuzz_outline: $(BUILD)/tests/fuzz/sandbox.o $(BUILD)/tools/tool_parse.o $(FUZZ_TOOLS)
$(patsubst %,$(BUILD)/tests/fuzz/fuzz_%,text rosetta options outline): LDFLAGS += $(FUZZ_WRAP)
$(FUZZ_BIN): $(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(filter %.o,$(FUZZ_ENGINE)) $(LIB)
	@echo '  LD  ' $@; $(CC) $(LDFLAGS) $(filter -%,$(FUZZ_ENGINE)) -o $@ $(filter-out %.a,$^) $(filter $(FUZZ_TOOLS),$^) $(LIB) -lz $(TEXT_LIBS) $(GSL_LIBS) $(FUZZ_LIBS)

# The files that take longest begin first, so that no core waits for one of them at the end.
LONG_FIRST := $(patsubst %,tests/%.bats,tree nbgen_step nbgen_disk nbrender_input nbsim_integrators nbstat) $(BUILD)/tests/test_tree \
	$(BUILD)/tests/test_force $(BUILD)/tests/test_force_targets tests/nbconv.bats $(BUILD)/tests/test_direct_mutual
CHECKS := $(wildcard tests/*.bats) $(TEST_BIN)
run_tests = CMOCKA_MESSAGE_OUTPUT=TAP NB_BUILD='$(abspath $(BUILD))' TMPDIR='$(abspath $(BUILD))/tmp' \
	prove -j$(JOBS) --directives --failures --comments --timer -e tests/run.sh

check: all $(TEST_BIN) $(FAULT_SHIM) $(FUZZ_BIN) ## run all tests but the long ones; those that need a GPU are skipped where there is none
	@mkdir -p $(BUILD)/tmp
	$(run_tests) $(filter $(CHECKS),$(LONG_FIRST)) $(filter-out $(LONG_FIRST),$(CHECKS))

check-long: all ## run the tests that take too long for check: tests/long
	@mkdir -p $(BUILD)/tmp
	$(run_tests) $(wildcard tests/long/*.bats)

# ---- faults: calls that fail while a tool runs (tests/faults) ----

FAULT_SRC := $(addprefix tests/faults/,fault.c fail_malloc.c fail_calls.c)
$(FAULT_SHIM): $(FAULT_SRC) tests/faults/fault.h | $(READY)
	@mkdir -p $(@D)
	@echo '  LD  ' $@; $(CC) -std=gnu11 -O2 -g $(WARN) -fPIC -shared -o $@ $(FAULT_SRC) -ldl

# CUDA's runtime is linked statically, so that its calls fail in tools of their own.
cuda_wraps = $(shell sed -nE 's/^WRAP.(\w+),.*/\1/p; s/^extern .C. cudaError_t __wrap_(\w+).*/\1/p' tests/faults/fail_cuda.cu)
$(FAULT_BIN): $(BUILD)/faults/bin/%: $(BUILD)/bin/% $(BUILD)/tests/faults/fail_cuda.cu.o $(BUILD)/tests/faults/fault.o
	@mkdir -p $(@D)
	@echo '  LD  ' $@; $(CC) $(LDFLAGS) $(cuda_wraps:%=-Wl,--wrap=%) -o $@ $(patsubst %.c,$(BUILD)/%.o,$(shell find tools/$* -name '*.c')) \
		$(TOOL_COMMON) $(filter %.o,$^) $(LIB) $(LDLIBS)

faults: all $(FAULT_SHIM) ## let each call of every tool fail, one after the other; then the same for leaks
	@tests/faults/faults.py $(BUILD)
	@$(MAKE) --no-print-directory BUILD=build/asan CUDA=0 $(ASAN) all build/asan/tests/faults/fail.so
	@tests/faults/faults.py --leaks build/asan
ifeq ($(CUDA),1)
	@$(MAKE) --no-print-directory faults-cuda
else
	@echo 'faults: those of CUDA skipped, there is no nvcc'
endif

kills: all $(FAULT_SHIM) $(BUILD)/tests/test_snap_exchange ## kill runs at their calls and at random, and resume them; two writers; exchanged parts
	@tests/faults/kills.py $(BUILD)
	@tests/faults/kills_resume.py $(BUILD)
ifneq ($(and $(filter 1,$(CUDA)),$(shell nvidia-smi -L 2>/dev/null)),)
	@tests/faults/kills_resume.py --device cuda --kills 200 $(BUILD)
else
	@echo 'kills: those on a GPU skipped, there is none'
endif
	@NB_BUILD=$(BUILD) tests/faults/exchanges.sh

soak: all ## disturb pipelines for SECONDS (3600): signals, stops, slow readers, a limit of memory
	@tests/faults/soak.py --seconds $(or $(SECONDS),3600) $(BUILD)

faults-cuda: $(FAULT_BIN) ## let each call of CUDA fail: skipped where there is no GPU
	@tests/faults/faults.py --cuda --sample 1000 $(BUILD)/faults

ASAN = OPT='-O1 -g' SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
asan: ## the same tests, built with address and undefined-behaviour sanitizers
	ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1 \
		LSAN_OPTIONS=print_suppressions=0:suppressions='$(abspath tests/lsan.supp)' \
		NB_SANITIZER=address $(MAKE) BUILD=build/asan CUDA=0 $(ASAN) check

.PHONY: fuzz fuzz-targets
fuzz: ## libFuzzer and clang's sanitizers on all that reads from outside, SECONDS (60) in all
	@CC=clang ./packages.sh install fuzz
	$(MAKE) CC=clang BUILD=build/fuzz CUDA=0 OPT='-O1 -g' FUZZ_ENGINE=-fsanitize=fuzzer \
		SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' fuzz-targets
	@tests/fuzz/run.sh build/fuzz $(or $(SECONDS),60)

fuzz-targets: $(FUZZ_BIN)

demo: all ## two galaxies collide: out/merger.mp4 and out/merger.png
	@BIN='$(BUILD)/bin' examples/merger.sh out

# clang's OpenMP tells the thread sanitizer what waits for what (Archer); gcc's does not, and correct loops look like races.
# It sees no loads and stores of more than 16 bytes: the kernels are those of the baseline.
TSAN = CC=clang BUILD=build/tsan CUDA=0 OPT='-O1 -g' SANITIZE=-fsanitize=thread SIMD_SETS=baseline
tsan: ## the same tests, built with clang's thread sanitizer
	@CC=clang ./packages.sh install tsan
	NB_SANITIZER=thread TSAN_OPTIONS='ignore_noninstrumented_modules=1 suppressions=$(abspath tests/tsan.supp)' \
		$(MAKE) $(TSAN) check

SANITIZER := $(or $(shell command -v compute-sanitizer 2>/dev/null),$(wildcard $(CUDA_HOME)/bin/compute-sanitizer))
MEMCHECK_TESTS := $(addprefix $(BUILD)/tests/test_,combine contact_boxes contact_runs force_choose jerk direct kdtree_field methods tree light_devices light_limits)
memcheck: ## the tests of the device's kernels under compute-sanitizer; skipped where there is none, or no GPU
ifeq ($(and $(SANITIZER),$(shell nvidia-smi -L 2>/dev/null)),)
	@echo 'memcheck: skipped, there is no compute-sanitizer or no GPU'
else
	$(MAKE) --no-print-directory $(MEMCHECK_TESTS)
	for test in $(MEMCHECK_TESTS); do NB_SANITIZER=cuda $(SANITIZER) --error-exitcode 9 $$test || exit 1; done
endif

objects: $(LIB_OBJ) $(TEST_BIN:%=%.o)

arm: ## lib and its unit tests for 64-bit Arm, warnings being errors; all of them run under qemu-user where it is
	+@tests/compilers.sh all

lint: all ## who may include whom, names of symbols, formatting; clang, and gcc for Arm
	@tests/lint.sh $(BUILD)
	+@tests/compilers.sh quick

format: | $(READY) ## format the sources in place
	clang-format -i $(SOURCES)

# ---- documents: a manual page takes its options from the tool's own table ----

MAN := $(TOOLS:%=$(BUILD)/man/%.1) $(BUILD)/man/nbs.5

docs: $(MAN) $(TOOLS:%=$(BUILD)/completion/%) ## manual pages and shell completion

$(BUILD)/man/%.1: man/%.1.in $(wildcard man/*.in) $(BUILD)/bin/%
	@mkdir -p $(@D)
	awk -v bin='$(BUILD)/bin/' '/^@OPTIONS / { sub(/^@OPTIONS /, ""); \
		command = bin $$0 " --print-options=man"; \
		while ((command | getline line) > 0) print line; close(command); next } \
		/^@INCLUDE / { while ((getline line < $$2) > 0) print line; close($$2); next } { print }' $< > $@

$(BUILD)/man/nbs.5: man/nbs.5 | $(READY)
	@mkdir -p $(@D)
	cp $< $@

# nbgen's first word is a model, and the options of all serve for each.
model_words = $< --help | sed -n 's/^  \([a-z][a-z0-9-]*\)  .*/\1/p'
completion_words = $(if $(filter nbgen,$*),$(model_words); for m in $$($(model_words)); do $< $$m --print-options=bash; done | sort -u,$< --print-options=bash)

$(BUILD)/completion/%: $(BUILD)/bin/%
	@mkdir -p $(@D)
	echo "complete -o default -W '$$({ $(completion_words); } | tr '\n' ' ')' $*" > $@

install: all docs ## into PREFIX (default /usr/local), with DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/doc/nbtools
	install -m 755 $(TOOL_BIN) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(filter %.1,$(MAN)) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(filter %.5,$(MAN)) $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 $(TOOLS:%=$(BUILD)/completion/%) $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 644 LICENSE NOTICES $(DESTDIR)$(PREFIX)/share/doc/nbtools

$(BENCH_COMMON): CFLAGS += -ffp-contract=fast # the FMA peak is to be made of FMA
$(BENCH_BIN): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(BENCH_COMMON) $(LIB)
	@echo '  LD  ' $@; $(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

bench: $(BENCH_BIN) ## speed and error: tables and pictures in bench/results
	@bench/run.sh $(BUILD)

include packaging/packaging.mk

clean: ## remove what was built
	rm -rf build out

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
