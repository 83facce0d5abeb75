#!/usr/bin/env bash
# Surface density of two galaxies after their passage, as a map with coordinates and a scale, as in a paper.
#
# usage: surface-density.sh [OUT-DIRECTORY]     surface-density.png
# N, UNTIL and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
nbgen collision -n "${N:-60k}" | nbsim --precision single --until "${UNTIL:-3}" |
    nbrender -f --size "${SIZE:-1920x1080}" --map density --axes --overlay time,colorbar -o "$out/surface-density.png"
