# libnbtools: the library that other programs link with, of lib and libnbtools. Only names with nbt_ can be seen in it. On
# macOS, whose linker has neither version scripts nor objcopy, it is not built; with LDFLAGS=-static only the archive.

LIBRARY_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard libnbtools/*.c)))
LIBRARY_NAME = libnbtools.so.$(VERSION)
LIBRARY_SONAME = libnbtools.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY_SHARED = $(BUILD)/library/$(LIBRARY_NAME)
LIBRARY_STATIC := $(BUILD)/library/libnbtools.a
LIBRARY_PC := $(BUILD)/library/nbtools.pc
LIBRARY = $(if $(findstring darwin,$(MACHINE)),,$(if $(filter -static,$(LDFLAGS)),,$(LIBRARY_SHARED)) $(LIBRARY_STATIC))
# That of the compiler: an archive of it cannot be in a shared library, and a program has only one.
LIBRARY_LIBS = $(if $(LIBGOMP),-lgomp,$(OPENMP_LIBS)) -lm -lpthread -ldl $(CUDA_LIBS)
# clang's sanitizers are in the program, not in its libraries.
LIBRARY_FLAGS = -shared -Wl,-soname,$(LIBRARY_SONAME) -Wl,--version-script=libnbtools/nbtools.map $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs)
OBJCOPY ?= $(or $(shell $(CC) -print-prog-name=objcopy 2>/dev/null),objcopy)

$(LIBRARY_SHARED): $(LIBRARY_OBJ) $(LIB) libnbtools/nbtools.map
	@mkdir -p $(@D)
	@echo '  LD  ' $@; $(link) $(LIBRARY_FLAGS) -o $@ $(LIBRARY_OBJ) $(LIB) $(LIBRARY_LIBS) $(LDLIBS)
	@ln -sf $(LIBRARY_NAME) $(@D)/$(LIBRARY_SONAME); ln -sf $(LIBRARY_SONAME) $(@D)/libnbtools.so

# One object of all, in which other names become local; groups of C++ (CUDA) have to be plain sections for that.
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
