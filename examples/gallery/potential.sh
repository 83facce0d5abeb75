#!/usr/bin/env bash
# The potential of the system of surface-density.sh, in the plane through its centre, with contours.
#
# usage: potential.sh [OUT-DIRECTORY]     potential.png
# N, UNTIL and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
nbgen collision -n "${N:-20k}" | nbsim --precision single --until "${UNTIL:-3}" |
    nbrender -f --size "${SIZE:-1920x1080}" --map potential --overlay scale,colorbar -o "$out/potential.png"
