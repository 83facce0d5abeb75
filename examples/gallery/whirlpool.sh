#!/usr/bin/env bash
# A small galaxy has passed a large one, as NGC 5195 passed the Whirlpool (M 51): the tides draw out two arms, of which one
# is a bridge to the companion. Dust lies in the disks. The README shows the picture with N=4M.
#
# usage: whirlpool.sh [OUT-DIRECTORY]     whirlpool.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(--size "${SIZE:-1600x1000}" --view -75,40 --extent 9 --dust 0.7)

nbgen encounter --preset m51 -n "${N:-50k}" |
    nbsim --precision single --until "${UNTIL:-30}" --every 0.25 -f -o "$out/whirlpool.nbs"
nbrender -f "${look[@]}" --interpolate 2 -o "$out/whirlpool.mp4" "$out/whirlpool.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-96}" -o "$out/whirlpool.png" "$out/whirlpool.nbs"
