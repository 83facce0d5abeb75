#!/usr/bin/env bash
# A disk whose own gravity makes arms, seen by a camera that goes round it.
#
# usage: spiral.sh [OUT-DIRECTORY]     spiral.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(--size "${SIZE:-1920x1080}" --view 0,35 --fov 40)

nbgen galaxy -n "${N:-30k}" --quiet-start --toomre 0.8 --disk-height 0.2 |
    nbsim --precision single --until "${UNTIL:-14}" --every 0.2 -f -o "$out/spiral.nbs"
nbrender -f "${look[@]}" --interpolate 2 --spin 0.5 -o "$out/spiral.mp4" "$out/spiral.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-40}" -o "$out/spiral.png" "$out/spiral.nbs"
