# Manual pages, shell completion, and where things are installed.

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

# ---- documents: a manual page takes its options from the tool's own table ----

# The programs that print their tables: where those that are built do not run here, some of this machine, made for that.
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

docs: $(MAN) $(COMPLETION) ## manual pages and shell completion

# The day of a page is that of the commit, the same in every build of it; SOURCE_DATE_EPOCH says another. git writes
# it into a tarball's man/DATE.
MAN_EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell [ ! -e .git ] || git log -1 --format=%ct 2>/dev/null),$(shell sed -n 's/^\([0-9][0-9]*\)$$/\1/p' man/DATE))
MAN_DATE = $(if $(MAN_EPOCH),$(shell date -u -d @$(MAN_EPOCH) +%F 2>/dev/null || date -u -r $(MAN_EPOCH) +%F))
make_page = awk -f man/page.awk -v bin='$(PRINT_BIN)/' -v date='$(MAN_DATE)' -v version='$(VERSION)' $< > $@

$(BUILD)/man/%.1: man/%.1.in man/page.awk $(wildcard man/*.in) $(PRINT_BIN)/%
	@mkdir -p $(@D)
	$(make_page)

$(filter-out %.1,$(MAN)): $(BUILD)/man/%: man/% man/page.awk | $(READY)
	@mkdir -p $(@D)
	$(make_page)

# The scripts ask the tool that is there when they are used (tools/common/tool_complete.c); nothing is run to make them.
define completion_rule
$(BUILD)/completion/$(1): tools/completion/$(2).in
	@mkdir -p $$(@D)
	sed 's/@TOOL@/$$*/g' $$< > $$@

endef
$(eval $(call completion_rule,bash/%,bash))
$(eval $(call completion_rule,zsh/_%,zsh))
$(eval $(call completion_rule,fish/%.fish,fish))

# ---- the site: all documents as HTML, which `install' takes along if it was made ----

SITE ?= build/site

site: $(MAN) ## static HTML of all documents with a search, in SITE (build/site)
	@python3 -B docs/site/site.py '$(BUILD)/man' '$(SITE)' '$(VERSION)'
	@echo '$(SITE)/index.html'

# ---- what is installed, by kind: the files, where to, and how. `uninstall' removes the same ----

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
# For file managers and for file(1), which has no folder that all look into: nbs(5) says how it is used.
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

# Each folder of the examples is a kind. Only the types of file that are committed there: examples write others.
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

# The names by which the shared library is found when a program runs, and when one is linked.
LINKS = $(if $(filter %.so.$(VERSION),$(LIBRARY)),$(LIBRARY_SONAME) libnbtools.so)

install: all docs $(pkgconfig) ## into PREFIX (/usr/local), with DESTDIR, BINDIR, LIBDIR, INCLUDEDIR, DATADIR, MANDIR, DOCDIR, BASHCOMPDIR, ZSHCOMPDIR, FISHCOMPDIR
	$(foreach kind,$(KINDS),$(call install_kind,$(kind)))
	$(foreach link,$(LINKS),ln -sf $(LIBRARY_NAME) '$(DESTDIR)$(LIBDIR)/$(link)';)
	[ ! -e '$(SITE)/index.html' ] || { rm -rf '$(DESTDIR)$(DOCDIR)/html' && cp -R '$(SITE)' '$(DESTDIR)$(DOCDIR)/html'; }

uninstall: ## remove what install puts there, given the same variables
	rm -f $(foreach kind,$(KINDS),$(patsubst %,'$(DESTDIR)$($(kind)_to)/%',$(notdir $($(kind))))) $(LINKS:%='$(DESTDIR)$(LIBDIR)/%')
	rm -rf '$(DESTDIR)$(DOCDIR)/html'
	for folder in '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(magic_to)'; do [ ! -d "$$folder" ] || find "$$folder" -depth -type d -empty -delete; done
