#!/usr/bin/env bash
# Two galaxies as the Antennae were before they met: the tides draw a tail out of each, and they become one.
#
# usage: antennae.sh [OUT-DIRECTORY]     antennae.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(--size "${SIZE:-1920x1080}" --extent 15)

nbgen encounter --preset antennae --separation 15 -n "${N:-30k}" |
    nbsim --precision single --until "${UNTIL:-40}" --every 0.4 -f -o "$out/antennae.nbs"
nbrender -f "${look[@]}" --interpolate 4 -o "$out/antennae.mp4" "$out/antennae.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-40}" -o "$out/antennae.png" "$out/antennae.nbs"
