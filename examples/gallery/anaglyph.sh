#!/usr/bin/env bash
# A star cluster for red and cyan glasses.
#
# usage: anaglyph.sh [OUT-DIRECTORY]     anaglyph.png
# N and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"

nbgen plummer -n "${N:-5k}" --imf kroupa |
    nbrender -f --size "${SIZE:-1920x1080}" --fov 40 --stereo anaglyph -o "$out/anaglyph.png"
