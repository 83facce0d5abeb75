# libnbtools: the library for other programs, built from lib and libnbtools. It exports only names that begin with nbt_.
# It is not built on macOS, which has no version scripts and no objcopy. With LDFLAGS=-static only the archive is built.

LIBRARY_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard libnbtools/*.c)))
LIBRARY_NAME = libnbtools.so.$(VERSION)
LIBRARY_SONAME = libnbtools.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY_SHARED = $(BUILD)/library/$(LIBRARY_NAME)
LIBRARY_STATIC := $(BUILD)/library/libnbtools.a
LIBRARY_PC := $(BUILD)/library/nbtools.pc
LIBRARY = $(if $(findstring darwin,$(MACHINE)),,$(if $(filter -static,$(LDFLAGS)),,$(LIBRARY_SHARED)) $(LIBRARY_STATIC))
# The compiler's own OpenMP library, linked dynamically. The archive cannot be linked into a shared library, and a
# process must contain only one OpenMP library.
LIBRARY_LIBS = $(if $(LIBGOMP),-lgomp,$(OPENMP_LIBS)) -lm -lpthread -ldl $(CUDA_LIBS)
# clang links the sanitizers into the program, not into shared libraries.
LIBRARY_FLAGS = -shared -Wl,-soname,$(LIBRARY_SONAME) -Wl,--version-script=libnbtools/nbtools.map $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs)
OBJCOPY ?= $(or $(shell $(CC) -print-prog-name=objcopy 2>/dev/null),objcopy)

$(LIBRARY_SHARED): $(LIBRARY_OBJ) $(LIB) libnbtools/nbtools.map
	@mkdir -p $(@D)
	@echo '  LD  ' $@; $(link) $(LIBRARY_FLAGS) -o $@ $(LIBRARY_OBJ) $(LIB) $(LIBRARY_LIBS) $(LDLIBS)
	@ln -sf $(LIBRARY_NAME) $(@D)/$(LIBRARY_SONAME); ln -sf $(LIBRARY_SONAME) $(@D)/libnbtools.so

# All objects are linked into one object, in which all names except nbt_* become local. For this the C++ section groups
# (from CUDA) must be resolved to plain sections.
$(BUILD)/libnbtools/nbtools.o: $(LIBRARY_OBJ) $(LIB)
	@mkdir -p $(@D)
	@$(CC) -r -nostdlib -Wl,-d $(if $(filter 1,$(CUDA)),-Wl$(comma)--force-group-allocation) -o $@ $^
	@$(OBJCOPY) --wildcard --keep-global-symbol='nbt_*' $@

$(LIBRARY_STATIC): $(BUILD)/libnbtools/nbtools.o
	@mkdir -p $(@D)
	@$(archive)

.PHONY: look-for-folders
$(LIBRARY_PC): libnbtools/nbtools.pc.in look-for-folders
	@mkdir -p $(@D); sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|; s|@LIBS@|$(strip $(LIBRARY_LIBS))|' $< >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
