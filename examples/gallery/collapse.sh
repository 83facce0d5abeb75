#!/usr/bin/env bash
# A sphere at rest collapses: clumps form on the way, the centre flashes, and fast bodies escape.
#
# usage: collapse.sh [OUT-DIRECTORY]     collapse.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(--size "${SIZE:-1920x1080}")

nbgen uniform -n "${N:-20k}" --virial 0 |
    nbsim --precision single --until "${UNTIL:-2.4}" --every 0.04 -f -o "$out/collapse.nbs"
nbrender -f "${look[@]}" --interpolate 2 -o "$out/collapse.mp4" "$out/collapse.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-33}" -o "$out/collapse.png" "$out/collapse.nbs"
