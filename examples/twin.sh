#!/usr/bin/env bash
# Two flattened spheres of stars, whose central bodies have a tenth of the mass, meet. Nothing but rotation holds them
# against their own gravity: each breaks up into clumps, and near t = 85, after a turn of their edges, they are one.
# With CENTRAL=0.99 the stars follow the two centres instead, which pass each other again and again.
#
# usage: twin.sh [OUT-DIRECTORY]     twin.mp4 and .png
# N, CENTRAL, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/tools.sh"
look=(--size "${SIZE:-1920x1080}" --extent 130 --color speed)

nbgen twin -n "${N:-8k}" --central-mass "${CENTRAL:-0.1}" |
    nbsim --precision single --until "${UNTIL:-140}" --every 0.5 -f -o "$out/twin.nbs"
nbrender -f "${look[@]}" -o "$out/twin.mp4" "$out/twin.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-40}" -o "$out/twin.png" "$out/twin.nbs"
