# Packages, and the version that the programs report: see packaging/README.md.

# ---- the object that contains commit, CUDA version and notices; only this object depends on the commit ----

FACTS := $(BUILD)/facts/facts.h
VERSION_OBJ := $(BUILD)/tools/common/tool_version.o

.PHONY: facts
$(FACTS): facts | $(READY)
	@mkdir -p $(@D); packaging/facts.sh '$(LIBGOMP)' '$(HOST_TOOLS)' $(if $(filter 1,$(CUDA)),'$(NVCC_PATH)') >$@.new && \
		{ cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
$(VERSION_OBJ): OWN_CPPFLAGS += -I$(dir $(FACTS)) $(filter -DNB_HAVE_%,$(TEXT_CFLAGS) $(JPEG_CFLAGS) $(WEBP_CFLAGS) $(GSL_CFLAGS) $(HDF5_CFLAGS))
$(VERSION_OBJ): $(FACTS) $(TEXT_FLAGS) $(JPEG_FLAGS) $(WEBP_FLAGS) $(GSL_FLAGS) $(HDF5_FLAGS)

# ---- the source as a tarball; tarballs of the same commit are identical ----

DIST := build/nbtools-$(VERSION).tar.gz

.PHONY: dist deb wheel wheels publish check-packages
dist: ## write the committed source to build/nbtools-VERSION.tar.gz
	@mkdir -p build
	@git rev-parse --verify -q HEAD >/dev/null || { echo 'dist: made from a clone, by git' >&2; exit 1; }
	@git diff --quiet HEAD -- || echo 'dist: note: what is not committed is not in it' >&2
	@git -c tar.umask=0022 archive --prefix=nbtools-$(VERSION)/ HEAD | gzip -9n >$(DIST).new && mv $(DIST).new $(DIST)
	@echo $(DIST)

# ---- packages, built from the tarball, not in the tree. SUITE: if root builds, the Debian release of a minimal root ----

SUITE := # set it on the command line only
in_root = CUDA=$(CUDA) JOBS=$(JOBS) packaging/in-root.sh $(1) '$(subst $(empty) $(empty),$(comma),$(strip $(2)))' $(DIST) $(3) '$(4)'

deb: dist ## build a package for Debian or Ubuntu in build/deb; CUDA=0: without CUDA; SUITE=trixie: for this Debian release, in build/deb-trixie
	@packaging/packages.sh install $(if $(SUITE),root,deb)
	@rm -rf build/deb$(SUITE:%=-%); mkdir -p build/deb$(SUITE:%=-%)
ifneq ($(SUITE),)
	$(call in_root,$(SUITE),$(DEB_NEEDS),build/deb-$(SUITE),$(BUILD_DEB); mv ../*nbtools*_$(VERSION)_* out)
else
	tar -C build/deb -xzf $(DIST)
	cd build/deb/nbtools-$(VERSION) && env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES CUDA=$(CUDA) $(BUILD_DEB)
endif
	@ls build/deb$(SUITE:%=-%)/*nbtools*_*.deb

DEB_NEEDS = build-essential debhelper $(shell sed -nE 's/^(Build-Depends:| {14}) ([a-z0-9-]+),?$$/\2/p' debian/control)
BUILD_DEB = DEB_BUILD_OPTIONS="parallel=$(JOBS) $(DEB_BUILD_OPTIONS)" dpkg-buildpackage -b -us -uc

# ---- a Python wheel with the programs; these need no shared library except the C library ----

# glibc 2.31, so that the wheel runs on many systems. With SUITE=, or without root or git, the wheel is built with the
# libraries of this machine.
WHEEL_SUITE = $(if $(filter command,$(firstword $(origin SUITE))),$(SUITE),$(if $(filter 0,$(shell id -u)),$(if $(wildcard .git),bullseye)))
WHEEL = build/wheel$(ARCH:%=-%)
ARCH := # set it on the command line only; arm64 is cross-compiled with gcc
ifneq ($(filter-out arm64,$(ARCH)),)
$(error ARCH is arm64 or nothing, not $(ARCH))
endif
WHEEL_LIBS := zlib1g-dev libxxhash-dev libgsl-dev libfreetype-dev libfontconfig-dev libhdf5-dev libjpeg-dev libwebp-dev
WHEEL_NEEDS = gcc g++ make pkg-config libc6-dev librandom123-dev zlib1g-dev $(if $(ARCH),gcc-aarch64-linux-gnu libc6-dev-arm64-cross) \
	$(WHEEL_LIBS:%=%$(ARCH:%=:%))
WHEEL_ENV = $(if $(ARCH),export CUDA=0 CC=aarch64-linux-gnu-gcc PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig;)
# The programs are stripped, and kernels have no line information. Otherwise they would be more than twice as large.
BUILD_PROGRAMS = NVCCFLAGS=-O3 PKG_CONFIG="$$PWD/packaging/wheel/static-pkg-config" LDFLAGS=-s all docs
# nbgen contains the GNU Scientific Library, so the GPL applies to the entire program.
WHEEL_LICENCE := MIT AND GPL-3.0-or-later

wheel: $(if $(WHEEL_SUITE),dist) ## build a Python wheel (module and programs) and the module's source in build/wheel; ARCH=arm64: for Arm, in build/wheel-arm64
	@packaging/packages.sh install wheel $(if $(WHEEL_SUITE),root)
ifneq ($(WHEEL_SUITE),)
	@$(call in_root,$(WHEEL_SUITE),$(WHEEL_NEEDS),$(WHEEL)/programs,$(WHEEL_ENV) make -j$(JOBS) BUILD=build $(BUILD_PROGRAMS); \
		packaging/wheel/notices.sh build; cp -r build/bin build/man build/notices out; mkdir out/library; \
		cp build/library/$(LIBRARY_SONAME) "$$($${CC:-gcc} -print-file-name=libgomp.so.1)" out/library) || \
		{ echo "wheel: not built in a root of Debian; SUITE= builds with the libraries of this machine" >&2; false; }
else
	@$(if $(ARCH),$(error ARCH=$(ARCH) is built in a root of Debian: as root, in a clone))$(MAKE) --no-print-directory BUILD=$(WHEEL)/programs CUDA=$(CUDA) $(BUILD_PROGRAMS)
	@packaging/wheel/notices.sh $(WHEEL)/programs
endif
	@packaging/wheel/build.sh $(WHEEL) $(WHEEL)/programs '$(WHEEL_LICENCE)'

wheels: ## build the files of nbstream for the Python index in build/pypi: wheels for x86-64 and Arm, and the module's source
	@rm -rf build/pypi; mkdir -p build/pypi
	@$(MAKE) --no-print-directory wheel
	@$(MAKE) --no-print-directory wheel ARCH=arm64
	@cp build/wheel/nbstream-* build/wheel-arm64/*.whl build/pypi
	@$(TWINE) check --strict build/pypi/*

publish: wheels ## upload the files of build/pypi to the Python index with twine, which takes your credentials from ~/.pypirc or TWINE_USERNAME ..., or asks for them
	$(TWINE) upload build/pypi/*

TWINE := build/pypi-tools/bin/twine

check-packages: wheels ## build the packages and install them in clean roots (as root; tests/packages; takes long)
	@packaging/packages.sh install check-packages
	@$(MAKE) --no-print-directory deb
	@$(MAKE) --no-print-directory deb SUITE=bookworm
	@$(MAKE) --no-print-directory deb SUITE=trixie
	PACKAGES='$(abspath build)' NB_TEST_LIMIT=$${NB_TEST_LIMIT:-14400} prove --failures --comments --timer -e tests/run.sh tests/packages/*.bats
