# Compilers, their flags, libraries. Users set these variables on the command line or in the environment: CC CXX AR NVCC
# BUILD_CC, CPPFLAGS CFLAGS LDFLAGS LDLIBS NVCCFLAGS, PKG_CONFIG. They are never changed, and the user's flags come
# last, after the flags of the project in OWN_*.

empty :=
comma := ,

ifeq ($(origin CC),default)
CC := $(if $(shell command -v gcc),gcc,cc)
endif
ifeq ($(origin AR),default)
AR := $(or $(shell $(CC) -print-prog-name=ar 2>/dev/null),ar)
endif
CFLAGS ?= -O3 -g
NVCCFLAGS ?= -O3 -lineinfo
# The compiler for this machine. A cross build uses it for the programs that run during the build.
BUILD_CC ?= cc

MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
processor = $(firstword $(subst -, ,$(1)))-$(findstring linux,$(1))$(findstring darwin,$(1))
ifeq ($(origin CROSS),undefined)
CROSS := $(if $(filter $(call processor,$(MACHINE)),$(call processor,$(shell $(BUILD_CC) -dumpmachine 2>/dev/null))),,1)
endif
COMPILER := $(shell $(CC) --version 2>/dev/null | head -n 1)
CLANG := $(findstring clang,$(COMPILER))

ifeq ($(origin NVCC),undefined)
NVCC := $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
endif
ifeq ($(origin CUDA),undefined)
CUDA := $(if $(CROSS),0,$(if $(NVCC),1,0))
endif
NVCC_PATH := $(if $(filter 1,$(CUDA)),$(shell command -v '$(lastword $(NVCC))' 2>/dev/null))
ifeq ($(CUDA):$(NVCC_PATH),1:)
$(error $(if $(NVCC),NVCC is $(NVCC) and cannot be run,CUDA=1, but no nvcc is in PATH or /usr/local/cuda; NVCC=... names one))
endif

# Set BUILD on the command line only. A variable BUILD in the environment is ignored: it may belong to another program.
BUILD := build$(if $(filter 0,$(CUDA)),/cpu)
ifneq ($(words $(BUILD)),1)
$(error BUILD is to be one path without blanks, not "$(BUILD)")
endif

# Missing initialisers are allowed: C sets these members to zero, and the tables rely on it.
WARN := -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
# clang warns about each loop that it does not vectorise as the pragma requests.
WARN += $(if $(CLANG),-Wno-pass-failed)
OWN_CPPFLAGS = -D_GNU_SOURCE -Ilib -Itools -Ibench -MMD -MP
# Objects do not depend on the folder of the tree, except CUDA objects (nvcc puts a hash of the folder into names).
# Debuggers find the sources if they are started in the folder of the Makefile.
SAME_ANYWHERE := '-ffile-prefix-map=$(CURDIR)=.' '-ffile-prefix-map=$(BUILD)=build'
# All objects can be linked into the shared library. Hidden symbols prevent that a program's symbols replace the
# library's.
OWN_CFLAGS = -std=gnu11 $(SAME_ANYWHERE) $(WARN) $(WERROR) -fPIC -fvisibility=hidden -fno-math-errno -ffp-contract=off $(SANITIZE)
# musl gives a thread 128 KiB of stack by default, which is too small.
OWN_LDFLAGS = $(SANITIZE) $(if $(findstring linux,$(MACHINE)),-Wl$(comma)-z$(comma)stack-size=8388608)
OWN_LDLIBS = $(OPENMP_LIBS) -lm -lpthread -ldl

# libgomp reads its environment variables in a constructor. Only the constructor of a static libgomp runs after the one
# in tools/common/tool.c. clang's libomp reads the variables at its first use, and is linked dynamically. Reductions in
# quadruple precision call libatomic if clang compiles them.
OPENMP_CFLAGS ?= -fopenmp
LIBGOMP := $(if $(CLANG),,$(filter /%,$(shell $(CC) -print-file-name=libgomp.a 2>/dev/null)))
OPENMP_LIBS ?= $(if $(LIBGOMP),$(LIBGOMP) -ldl,-fopenmp $(if $(CLANG),-latomic))
OWN_CFLAGS += $(OPENMP_CFLAGS)

compile = $(CC) $(OWN_CPPFLAGS) $(CPPFLAGS) $(OWN_CFLAGS) $(CFLAGS)
link = $(CC) $(CFLAGS) $(OWN_LDFLAGS) $(LDFLAGS)
link_libs = $(OWN_LDLIBS) $(LDLIBS)

ifeq ($(CUDA),1)
CUDA_HOME := $(patsubst %/bin/nvcc,%,$(NVCC_PATH))
# Machine code for Hopper (compute capability 9.0), and PTX for all other cards from compute capability 7.5 on. The
# driver compiles the PTX.
NVCC_ARCH ?= -gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=compute_75
# g++ marks some C++ symbols as unique in the process. objcopy cannot make such symbols local (mk/library.mk).
NO_UNIQUE := $(if $(findstring clang,$(CXX)),,-fno-gnu-unique$(comma))
OWN_NVCCFLAGS = -std=c++20 $(NVCC_ARCH) -Ilib --expt-relaxed-constexpr -Xcompiler -fPIC,$(NO_UNIQUE)-Wall,-Wextra,-Wno-missing-field-initializers \
	$(if $(filter default,$(origin CXX)),,-ccbin '$(CXX)') -MMD -MP
compile_cuda = $(NVCC) $(OWN_NVCCFLAGS) $(NVCCFLAGS)
OWN_CPPFLAGS += -DNB_HAVE_CUDA
CUDA_LIBS = -L$(CUDA_HOME)/lib64 -lcudart_static -lstdc++ -lrt -ldl -lpthread
OWN_LDLIBS += $(CUDA_LIBS)
endif

# Kernels (*_simd.c) are compiled once for each instruction set. The program chooses one at run time (lib/simd/simd.h).
# The flags of a set exclude instructions of larger sets, even if CFLAGS contains -march=native.
SIMD_SETS := baseline $(if $(filter x86_64-%,$(MACHINE)),avx2 avx512)
OWN_CPPFLAGS += $(if $(filter-out baseline,$(SIMD_SETS)),,-DNB_SIMD_BASELINE)
SIMD_baseline := $(if $(filter x86_64-%,$(MACHINE)),-mno-avx)
SIMD_avx2 := -mno-avx512f -mavx2 -mfma
SIMD_avx512 := -mavx512f -mavx512vl -mavx512dq -mfma -mprefer-vector-width=512

# ---- libraries, found with the pkg-config of the target machine ----

ifeq ($(origin PKG_CONFIG),undefined)
PKG_CONFIG := $(if $(CROSS),$(or $(shell command -v $(MACHINE)-pkg-config),$(if $(PKG_CONFIG_LIBDIR)$(PKG_CONFIG_SYSROOT_DIR),,env \
	PKG_CONFIG_LIBDIR=/usr/lib/$(MACHINE)/pkgconfig:/usr/$(MACHINE)/lib/pkgconfig:/usr/$(MACHINE)/share/pkgconfig) pkg-config),pkg-config)
endif
pkg_libs = $(or $(shell $(PKG_CONFIG) --libs $(1) 2>/dev/null),$(2))
NEEDED_CFLAGS := $(sort $(foreach package,libxxhash zlib,$(shell $(PKG_CONFIG) --cflags $(package) 2>/dev/null)))
OWN_CPPFLAGS += $(NEEDED_CFLAGS)
ZLIB_LIBS = $(call pkg_libs,zlib,-lz)
CMOCKA_LIBS = $(call pkg_libs,cmocka,-lcmocka)

# optional NAME,PACKAGES,HEADERS: optional libraries. If all are installed, NB_HAVE_NAME is defined; NAME=0 disables
# them. $(BUILD)/NAME.flags contains the flags of the compiler and the linker, and is empty if a library is missing.
# Objects that depend on this file are compiled with $(NAME_CFLAGS), programs are linked with $(NAME_LIBS).
define optional
$(1)_FLAGS := $(BUILD)/$(1).flags
$(1)_CFLAGS = $$(shell sed -n 1p $$($(1)_FLAGS) 2>/dev/null)
$(1)_LIBS = $$(shell sed -n 2p $$($(1)_FLAGS) 2>/dev/null)
.PHONY: look-for-$(1)
$(BUILD)/$(1).flags: look-for-$(1)
	@mkdir -p $$(@D); { [ '$$($(1))' != 0 ] && flags=$$$$($$(PKG_CONFIG) --cflags $(2)) && \
		printf '\043include <%s>\n' $(3) | $$(CC) $$(CPPFLAGS) $$$$flags -E -x c - >/dev/null && \
		echo "-DNB_HAVE_$(1) $$$$flags" && $$(PKG_CONFIG) --libs $(2); } >$$@.new 2>/dev/null; \
		cmp -s $$@.new $$@ && rm $$@.new || mv $$@.new $$@
endef
# Text in pictures, for nbrender only.
$(eval $(call optional,TEXT,freetype2 fontconfig,ft2build.h fontconfig/fontconfig.h))
# JPEG and WebP pictures, for nbrender only.
$(eval $(call optional,JPEG,libjpeg,stdio.h jpeglib.h))
$(eval $(call optional,WEBP,libwebp,webp/encode.h))
# Galaxies and the models king and isothermal, for nbgen only. A program that contains GSL is under the GPL.
$(eval $(call optional,GSL,gsl,gsl/gsl_odeiv2.h))
# GADGET snapshots in HDF5, for nbconv only. The package has one of two names in pkg-config on Debian.
HDF5_PACKAGE = $(if $(filter 0,$(HDF5)),,$(shell $(PKG_CONFIG) --exists hdf5 2>/dev/null && echo hdf5 || echo hdf5-serial))
$(eval $(call optional,HDF5,$$(HDF5_PACKAGE),hdf5.h))
# MPI, for nbsim only. The tests build a separate nbsim with MPI if MPI is installed. build/bin/nbsim has MPI only with
# MPI=1; $(BUILD)/MPI-asked.flags records this setting.
MPI_PACKAGE := $(if $(filter 0,$(MPI)),,$(firstword $(foreach name,ompi-c mpi-c,$(shell $(PKG_CONFIG) --exists $(name) 2>/dev/null && echo $(name)))))
$(eval $(call optional,MPI,$$(MPI_PACKAGE),mpi.h))
.PHONY: look-for-asked
$(BUILD)/MPI-asked.flags: look-for-asked
	@mkdir -p $(@D); echo '$(filter 1,$(MPI))' >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# ---- the compiler and all flags: objects are compiled again if these change ----

BUILD_FLAGS := $(BUILD)/build.flags
# Expanded here, without the flags that single targets add. The folder of the tree is removed: objects do not depend on
# it.
with_flags := $(subst $(CURDIR),.,$(COMPILER) $(MACHINE) $(SIMD_SETS) $(compile) $(link) $(link_libs) $(compile_cuda)\
	$(foreach set,$(SIMD_SETS),; $(set): $(SIMD_$(set))))
.PHONY: look-at-flags
$(BUILD_FLAGS): look-at-flags
	@mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(with_flags))' >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
