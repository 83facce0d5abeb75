#!/usr/bin/env bash
# A thin disk whose centre has 99 % of the mass, as around a young star. Each body stays on its own Kepler ellipse: the
# inner ones overtake the outer ones, and nothing else happens. The camera circles the disk.
#
# usage: disk-99.sh [OUT-DIRECTORY]     disk-99.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/tools.sh"
look=(--size "${SIZE:-1920x1080}" --view 0,25 --spin 1 --fov 40 --extent 1.15 --color speed)

nbgen disk -n "${N:-8k}" --central-mass 0.99 --profile power --inner 0.15 --dispersion 0.02 --thickness 0.01 |
    nbsim --precision single --until "${UNTIL:-6}" --every 0.04 -f -o "$out/disk-99.nbs"
nbrender -f "${look[@]}" -o "$out/disk-99.mp4" "$out/disk-99.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-last}" -o "$out/disk-99.png" "$out/disk-99.nbs"
