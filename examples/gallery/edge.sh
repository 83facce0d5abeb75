#!/usr/bin/env bash
# A galaxy with gas from its edge: the dust in the gas is a dark lane before the bulge.
#
# usage: edge.sh [OUT-DIRECTORY]     edge.png
# N and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
nbgen galaxy -n "${N:-200k}" --gas-mass 0.5 |
    nbrender -f --size "${SIZE:-1920x1080}" --view 0,4 --extent 6 --dust 0.9 -o "$out/edge.png"
