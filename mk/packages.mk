# Packages, and the version that the programs tell: see packaging/README.md.

# ---- the object that knows commit, CUDA and notices; it alone is compiled again for another commit ----

FACTS := $(BUILD)/facts/facts.h
VERSION_OBJ := $(BUILD)/tools/tool_version.o

.PHONY: facts
$(FACTS): facts | $(READY)
	@mkdir -p $(@D); packaging/facts.sh '$(LIBGOMP)' '$(HOST_TOOLS)' $(if $(filter 1,$(CUDA)),'$(NVCC_PATH)') >$@.new && \
		{ cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
$(VERSION_OBJ): OWN_CPPFLAGS += -I$(dir $(FACTS)) $(filter -DNB_HAVE_%,$(TEXT_CFLAGS) $(GSL_CFLAGS) $(HDF5_CFLAGS))
$(VERSION_OBJ): $(FACTS) $(TEXT_FLAGS) $(GSL_FLAGS) $(HDF5_FLAGS)
