# Manual pages, shell completion, the site, and installation.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/nbtools
BASHCOMPDIR ?= $(DATADIR)/bash-completion/completions
ZSHCOMPDIR ?= $(DATADIR)/zsh/site-functions
FISHCOMPDIR ?= $(DATADIR)/fish/vendor_completions.d
INSTALL ?= install
INSTALL_PROGRAM ?= $(INSTALL) -m 755
INSTALL_SCRIPT ?= $(INSTALL) -m 755
INSTALL_DATA ?= $(INSTALL) -m 644

# ---- documents: the options in a manual page come from the tool's table of options ----

# The programs that print their tables of options. In a cross build these are programs for this machine, built for this
# purpose.
PRINT_BIN ?= $(BUILD)$(if $(CROSS),/native)/bin
ifneq ($(CROSS),)
.PHONY: native
native:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/native CROSS= CC='$(BUILD_CC)' AR=ar PKG_CONFIG=pkg-config CUDA=0 TEXT=0 JPEG=0 WEBP=0 GSL=0 HDF5=0 \
		CPPFLAGS= CFLAGS=-O0 LDFLAGS= LDLIBS= WERROR= SANITIZE= WARN=-w all
$(BUILD)/native/bin/%: native ;
endif

MAN := $(TOOLS:%=$(BUILD)/man/%.1) $(BUILD)/man/nbs.5 $(if $(LIBRARY),$(BUILD)/man/nbtools.3) \
	$(addprefix $(BUILD)/man/,nbtools.7 nbtools-integrators.7 nbtools-forces.7 nbtools-contact.7)
COMPLETION := $(foreach tool,$(TOOLS),$(addprefix $(BUILD)/completion/,bash/$(tool) zsh/_$(tool) fish/$(tool).fish))

docs: $(MAN) $(COMPLETION) ## make the manual pages and the shell completion

# The date of a manual page is the date of the commit, so that builds of the same commit are identical.
# SOURCE_DATE_EPOCH sets another date. `git archive' writes the date into man/DATE of a tarball.
MAN_EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell [ ! -e .git ] || git log -1 --format=%ct 2>/dev/null),$(shell sed -n 's/^\([0-9][0-9]*\)$$/\1/p' man/DATE))
MAN_DATE = $(if $(MAN_EPOCH),$(shell date -u -d @$(MAN_EPOCH) +%F 2>/dev/null || date -u -r $(MAN_EPOCH) +%F))
make_page = awk -f man/page.awk -v bin='$(PRINT_BIN)/' -v date='$(MAN_DATE)' -v version='$(VERSION)' $< > $@

$(BUILD)/man/%.1: man/%.1.in man/page.awk $(wildcard man/*.in) $(PRINT_BIN)/%
	@mkdir -p $(@D)
	$(make_page)

$(filter-out %.1,$(MAN)): $(BUILD)/man/%: man/% man/page.awk | $(READY)
	@mkdir -p $(@D)
	$(make_page)

# At each completion the scripts call the installed tool (tools/common/tool_complete.c). No tool runs during the build.
define completion_rule
$(BUILD)/completion/$(1): tools/completion/$(2).in
	@mkdir -p $$(@D)
	sed 's/@TOOL@/$$*/g' $$< > $$@

endef
$(eval $(call completion_rule,bash/%,bash))
$(eval $(call completion_rule,zsh/_%,zsh))
$(eval $(call completion_rule,fish/%.fish,fish))

# ---- the site: all documents as HTML; `install' installs it if it was made ----

SITE ?= build/site

site: $(MAN) ## make static HTML of all documents, with a search, in SITE (build/site)
	@python3 -B docs/site/site.py '$(BUILD)/man' '$(SITE)' '$(VERSION)'
	@echo '$(SITE)/index.html'

# ---- installed files, by type: the files, the folder and the mode. `uninstall' removes the same files ----

KINDS := programs $(if $(LIBRARY),library header pkgconfig man3) man1 man5 man7 bash zsh fish mime magic doc
programs := $(TOOL_BIN)
library := $(LIBRARY)
header := libnbtools/nbtools.h
pkgconfig := $(LIBRARY_PC)
man3 := $(filter %.3,$(MAN))
man1 := $(filter %.1,$(MAN))
man5 := $(filter %.5,$(MAN))
man7 := $(filter %.7,$(MAN))
bash := $(filter $(BUILD)/completion/bash/%,$(COMPLETION))
zsh := $(filter $(BUILD)/completion/zsh/%,$(COMPLETION))
fish := $(filter $(BUILD)/completion/fish/%,$(COMPLETION))
# The type of a stream, for file managers and for file(1). file(1) reads no common folder: nbs(5) says how to use the
# file.
mime := packaging/nbtools.xml
magic := packaging/nbtools.magic
doc := LICENSE NOTICES README.md
programs_to = $(BINDIR)
library_to = $(LIBDIR)
header_to = $(INCLUDEDIR)
pkgconfig_to = $(LIBDIR)/pkgconfig
man3_to = $(MANDIR)/man3
man1_to = $(MANDIR)/man1
man5_to = $(MANDIR)/man5
man7_to = $(MANDIR)/man7
bash_to = $(BASHCOMPDIR)
zsh_to = $(ZSHCOMPDIR)
fish_to = $(FISHCOMPDIR)
mime_to = $(DATADIR)/mime/packages
magic_to = $(DATADIR)/nbtools
doc_to = $(DOCDIR)

# Each folder of the examples is a separate type. Only the suffixes of committed files are installed, because examples
# write files of other suffixes into these folders.
EXAMPLES := $(sort $(shell find examples -type f 2>/dev/null | grep -E '[.](md|sh|mk|py|c|f90|txt|tsv|ipynb|png|jpg|pdf)$$'))
SCRIPTS := $(shell find examples -type f -perm -100 2>/dev/null)
define example_folder
KINDS += $(1)
$(1) := $(filter $(wildcard $(1)/*),$(EXAMPLES))
$(1)_to = $$(DOCDIR)/$(1)
endef
$(foreach folder,$(sort $(patsubst %/,%,$(dir $(EXAMPLES)))),$(eval $(call example_folder,$(folder))))

define install_kind
	$(INSTALL) -d '$(DESTDIR)$($(1)_to)'
	$(call install_files,$(INSTALL_PROGRAM),$(filter $(programs),$($(1))),$(1))
	$(call install_files,$(INSTALL_SCRIPT),$(filter $(SCRIPTS),$($(1))),$(1))
	$(call install_files,$(INSTALL_DATA),$(filter-out $(programs) $(SCRIPTS),$($(1))),$(1))

endef
install_files = $(if $(2),$(1) $(2) '$(DESTDIR)$($(3)_to)')

# Links to the shared library: the dynamic linker uses the first name, and the linker uses the second name.
LINKS = $(if $(filter %.so.$(VERSION),$(LIBRARY)),$(LIBRARY_SONAME) libnbtools.so)

install: all docs $(pkgconfig) ## install into PREFIX (/usr/local); also DESTDIR, BINDIR, LIBDIR, INCLUDEDIR, DATADIR, MANDIR, DOCDIR, BASHCOMPDIR, ZSHCOMPDIR, FISHCOMPDIR
	$(foreach kind,$(KINDS),$(call install_kind,$(kind)))
	$(foreach link,$(LINKS),ln -sf $(LIBRARY_NAME) '$(DESTDIR)$(LIBDIR)/$(link)';)
	[ ! -e '$(SITE)/index.html' ] || { rm -rf '$(DESTDIR)$(DOCDIR)/html' && cp -R '$(SITE)' '$(DESTDIR)$(DOCDIR)/html'; }

uninstall: ## remove the installed files; give the same variables as for install
	rm -f $(foreach kind,$(KINDS),$(patsubst %,'$(DESTDIR)$($(kind)_to)/%',$(notdir $($(kind))))) $(LINKS:%='$(DESTDIR)$(LIBDIR)/%')
	rm -rf '$(DESTDIR)$(DOCDIR)/html'
	for folder in '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(magic_to)'; do [ ! -d "$$folder" ] || find "$$folder" -depth -type d -empty -delete; done
