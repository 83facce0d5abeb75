#!/usr/bin/env bash
# Mass per area of two galaxies after their passage, as a map with its scale: what a paper shows.
#
# usage: surface-density.sh [OUT-DIRECTORY]     surface-density.png
# N, UNTIL and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"

nbgen collision -n "${N:-60k}" --seed 1 --softening 0.04 | nbsim --precision single --until "${UNTIL:-3}" |
    nbrender -f --size "${SIZE:-1920x1080}" --extent 2 --map density --colormap viridis --overlay time,scale,colorbar \
        -o "$out/surface-density.png"
