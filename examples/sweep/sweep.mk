# The sweep by make, as many runs at a time as -j says; -k goes on with the others where one fails; see sweep.sh
#
# usage: make -j8 -f examples/sweep/sweep.mk [OUT=out] [N=2k ...]
sweep := $(dir $(lastword $(MAKEFILE_LIST)))sweep.sh
OUT ?= out
# Of the command line or the environment, for the list and for the recipes.
settings := $(foreach name,BIN N UNTIL PERICENTRES RATIOS CHECKPOINT DEVICE SHOW TILE,$(if $($(name)),$(name)='$($(name))'))
runs := $(shell $(settings) $(sweep) list)

# Whether a run is done, sweep.sh knows better than the date of a file: all are asked for.
.PHONY: all $(runs)
all: $(runs)
	@$(settings) $(sweep) table '$(OUT)'
	@$(settings) $(sweep) picture '$(OUT)'

$(runs):
	@$(settings) $(sweep) run $@ '$(OUT)'
