#!/usr/bin/env bash
# The planets for sixty years, with their paths and names.
#
# usage: solar.sh [OUT-DIRECTORY]     solar.mp4 and .png
# UNTIL and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
names=Sun,Mercury,Venus,Earth,Mars,Jupiter,Saturn,Uranus,Neptune,Pluto
look=(--size "${SIZE:-1920x1080}" --view 20,35 --fov 30 --extent 33 --trails 40 --labels "$names" --overlay time)

nbgen solar | nbsim --until "${UNTIL:-60}" --every 0.2 -f -o "$out/solar.nbs"
nbrender -f "${look[@]}" -o "$out/solar.mp4" "$out/solar.nbs"
nbrender -q -f "${look[@]}" -o "$out/solar.png" "$out/solar.nbs"
