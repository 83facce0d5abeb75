#!/usr/bin/env bash
# A disk whose own gravity makes arms, in the colours of stars, seen by a camera that goes round it.
#
# usage: spiral.sh [OUT-DIRECTORY]     spiral.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(--size "${SIZE:-1920x1080}" --view 0,35 --fov 40 --extent 1.1 --colormap stars --stars 0.1)

nbgen disk -n "${N:-30k}" --central-mass 0.10 --toomre 0.8 --seed 3 |
    nbsim --precision single --until "${UNTIL:-2}" --every 0.04 -f -o "$out/spiral.nbs"
nbrender -f "${look[@]}" --interpolate 2 --spin 0.5 -o "$out/spiral.mp4" "$out/spiral.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-28}" -o "$out/spiral.png" "$out/spiral.nbs"
