#!/usr/bin/env bash
# A disk whose centre has 10 % of the mass: its own gravity dominates, and within a rotation it grows a bar and spiral
# arms.
#
# usage: disk-10.sh [OUT-DIRECTORY]     disk-10.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/tools.sh"
look=(--size "${SIZE:-1920x1080}" --extent 1.5 --color speed)

nbgen disk -n "${N:-20k}" --central-mass 0.10 --toomre 0.8 --seed 3 |
    nbsim --precision single --until "${UNTIL:-3}" --every 0.04 -f -o "$out/disk-10.nbs"
nbrender -f "${look[@]}" -o "$out/disk-10.mp4" "$out/disk-10.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-30}" -o "$out/disk-10.png" "$out/disk-10.nbs"
