#!/usr/bin/env bash
# A homogeneous sphere of bodies at rest collapses under its own gravity. All would meet in the centre at t = 1.11 if
# they were spread evenly; as they are not, clumps form on the way. Most of the bodies remain in a small round
# system, and the fastest, red, escape.
#
# usage: cold-collapse.sh [OUT-DIRECTORY]     cold-collapse.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/tools.sh"
look=(--size "${SIZE:-1920x1080}" --color-range 0,2 --color speed)

nbgen uniform -n "${N:-10k}" --virial 0 |
    nbsim --precision single --until "${UNTIL:-2.4}" --every 0.02 -f -o "$out/cold-collapse.nbs"
nbrender -f "${look[@]}" --extent 1.9 -o "$out/cold-collapse.mp4" "$out/cold-collapse.nbs"
nbrender -q -f "${look[@]}" --extent 0.8 --frame "${FRAME:-51}" -o "$out/cold-collapse.png" "$out/cold-collapse.nbs"
