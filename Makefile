# The only build file. `make help` lists the targets.
#
#   make                     build/bin/nb*, with CUDA where nvcc is found
#   make CUDA=0              without CUDA (into build/cpu)
#   make check               all tests; those that need a GPU say that they were skipped

.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
CUDA ?= $(if $(NVCC),1,0)
BUILD ?= build$(if $(filter 0,$(CUDA)),/cpu)
PREFIX ?= /usr/local

TOOLS := nbgen nbsim nbrender nbstat nbconv
PACKAGES := libpng zlib libxxhash

CC ?= gcc
OPT ?= -O3 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
CFLAGS += -std=gnu11 $(OPT) $(WARN) $(WERROR) -fopenmp -fno-math-errno -ffp-contract=off -D_GNU_SOURCE -Ilib -Itools \
	-MMD -MP $(SANITIZE)
LDFLAGS += $(SANITIZE)
LDLIBS += -fopenmp -lxxhash -lm

LIB_SRC := $(wildcard lib/*.c)
ifeq ($(CUDA),1)
CUDA_HOME := $(patsubst %/bin/nvcc,%,$(NVCC))
LIB_CU := $(wildcard lib/*.cu)
# Machine code for Hopper and PTX that any newer or (from compute 7.5 on) older card's driver compiles.
NVCC_ARCH ?= -gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=compute_75
NVCCFLAGS += -std=c++17 -O3 -lineinfo $(NVCC_ARCH) -Ilib --expt-relaxed-constexpr -Xcompiler -Wall,-Wextra
CFLAGS += -DNB_HAVE_CUDA
LDLIBS += -L$(CUDA_HOME)/lib64 -lcudart_static -lstdc++ -lrt -ldl -lpthread
endif

# Kernels that are compiled once for each instruction set and chosen at run time.
SIMD_SETS := baseline avx2 avx512
SIMD_baseline :=
SIMD_avx2 := -mavx2 -mfma
SIMD_avx512 := -mavx512f -mavx512vl -mavx512dq -mfma -mprefer-vector-width=512
SIMD_OBJ := $(foreach set,$(SIMD_SETS),$(patsubst %.c,$(BUILD)/%.$(set).o,$(wildcard lib/simd/*.c)))

LIB_OBJ := $(SIMD_OBJ) $(LIB_SRC:%.c=$(BUILD)/%.o) $(LIB_CU:%.cu=$(BUILD)/%.cu.o)
LIB := $(BUILD)/lib/libnb.a
TOOL_COMMON := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/*.c))
TOOL_BIN := $(TOOLS:%=$(BUILD)/bin/%)
TEST_BIN := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
BENCH_BIN := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/*.c))

.PHONY: all demo check check-long bench lint format docs install clean help asan deps

all: $(TOOL_BIN) ## build the tools

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

define simd_rule
$(BUILD)/lib/simd/%.$(1).o: lib/simd/%.c
	@mkdir -p $$(@D)
	$(CC) $(CFLAGS) -ffp-contract=fast $(SIMD_$(1)) -c -o $$@ $$<
endef
$(foreach set,$(SIMD_SETS),$(eval $(call simd_rule,$(set))))

$(BUILD)/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(LIB_OBJ)
	rm -f $@
	ar rcs $@ $^

define tool_rule
$(BUILD)/bin/$(1): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/$(1)/*.c)) $(TOOL_COMMON) $(LIB)
	@mkdir -p $$(@D)
	$(CC) $(LDFLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach tool,$(TOOLS),$(eval $(call tool_rule,$(tool))))
$(BUILD)/bin/nbrender: LDLIBS += -lpng -lz

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

clean: ## remove what was built
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
