#!/usr/bin/env bash
# Disks with inelastic contacts flow through the hole of an hourglass. Colours show the pressure of each disk: chains of
# disks carry the weight.
#
# usage: hourglass.sh [OUT-DIRECTORY]     hourglass.mp4, hourglass.png, hourglass.nbs
# N, UNTIL, EVERY, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
size=${SIZE:-480x1080}

nbgen granular -n "${N:-2k}" |
    nbsim --precision single --until "${UNTIL:-6}" --every "${EVERY:-0.05}" --write pressure -f -o "$out/hourglass.nbs"
look=(--style discs --color pressure --color-range "0,0.8" --size "$size")
nbrender -f "${look[@]}" -o "$out/hourglass.mp4" "$out/hourglass.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-80}" -o "$out/hourglass.png" "$out/hourglass.nbs"
echo "the film is $out/hourglass.mp4, a picture of it $out/hourglass.png"
