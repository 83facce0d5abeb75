# Packages, and the version that the programs tell: see packaging/README.md.

# ---- the object that knows commit, CUDA and notices; it alone is compiled again for another commit ----

FACTS := $(BUILD)/facts/facts.h
VERSION_OBJ := $(BUILD)/tools/common/tool_version.o

.PHONY: facts
$(FACTS): facts | $(READY)
	@mkdir -p $(@D); packaging/facts.sh '$(LIBGOMP)' '$(HOST_TOOLS)' $(if $(filter 1,$(CUDA)),'$(NVCC_PATH)') >$@.new && \
		{ cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
$(VERSION_OBJ): OWN_CPPFLAGS += -I$(dir $(FACTS)) $(filter -DNB_HAVE_%,$(TEXT_CFLAGS) $(JPEG_CFLAGS) $(WEBP_CFLAGS) $(GSL_CFLAGS) $(HDF5_CFLAGS))
$(VERSION_OBJ): $(FACTS) $(TEXT_FLAGS) $(JPEG_FLAGS) $(WEBP_FLAGS) $(GSL_FLAGS) $(HDF5_FLAGS)

# ---- the source as a tarball, the same bytes for the same commit ----

VERSION := $(shell sed -n 's/^\#define TOOL_VERSION "\(.*\)".*/\1/p' tools/common/tool_syntax.h)
DIST := build/nbtools-$(VERSION).tar.gz

.PHONY: dist deb wheel check-packages
dist: ## the committed source as build/nbtools-VERSION.tar.gz
	@mkdir -p build
	@git rev-parse --verify -q HEAD >/dev/null || { echo 'dist: made from a clone, by git' >&2; exit 1; }
	@git diff --quiet HEAD -- || echo 'dist: note: what is not committed is not in it' >&2
	@git -c tar.umask=0022 archive --prefix=nbtools-$(VERSION)/ HEAD | gzip -9n >$(DIST).new && mv $(DIST).new $(DIST)
	@echo $(DIST)

# ---- Debian's package, of the tarball: the tree stays as it is ----

deb: dist ## a package for Debian or Ubuntu, in build/deb; CUDA=0 without CUDA
	@packaging/packages.sh install deb
	@rm -rf build/deb; mkdir -p build/deb; tar -C build/deb -xzf $(DIST)
	cd build/deb/nbtools-$(VERSION) && env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES CUDA=$(CUDA) DEB_BUILD_OPTIONS='parallel=$(JOBS) $(DEB_BUILD_OPTIONS)' \
		dpkg-buildpackage -b -us -uc
	@ls build/deb/nbtools_*.deb

# ---- a Python wheel with the programs, which need nothing but the C library ----

WHEEL := build/wheel
WHEEL_FLAGS = CUDA=$(CUDA) PKG_CONFIG=$(CURDIR)/packaging/wheel/static-pkg-config
WHEEL_LICENCE = MIT; the program nbgen, with the GNU Scientific Library in it, as a whole GPL-3.0-or-later

wheel: ## a Python wheel with module and programs, in build/wheel; WHEEL_SUITE=bullseye builds them in such a root, for older systems
	@packaging/packages.sh install wheel
ifdef WHEEL_SUITE
	@$(MAKE) --no-print-directory dist
	@CUDA=$(CUDA) JOBS=$(JOBS) packaging/wheel/in-root.sh '$(WHEEL_SUITE)' $(DIST) $(WHEEL)/programs
else
	@$(MAKE) --no-print-directory BUILD=$(WHEEL)/programs $(WHEEL_FLAGS) all docs
	@packaging/wheel/notices.sh $(WHEEL)/programs
endif
	@packaging/wheel/build.sh $(WHEEL) $(WHEEL)/programs '$(WHEEL_LICENCE)'

check-packages: deb wheel ## build the packages and install them in clean roots, as root: tests/packages; takes long
	@packaging/packages.sh install check-packages
	PACKAGES='$(abspath build)' NB_TEST_LIMIT=$${NB_TEST_LIMIT:-14400} prove --failures --comments --timer -e tests/run.sh tests/packages/*.bats
