#!/usr/bin/env bash
# A cluster for red and cyan glasses.
#
# usage: anaglyph.sh [OUT-DIRECTORY]     anaglyph.png
# N and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"

nbgen disk -n "${N:-100k}" --central-mass 0.3 --thickness 0.1 |
    nbrender -f --size "${SIZE:-1920x1080}" --view 0,30 --fov 40 --extent 1.1 --stereo anaglyph --stars 0.5 -o "$out/anaglyph.png"
