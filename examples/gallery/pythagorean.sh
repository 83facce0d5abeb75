#!/usr/bin/env bash
# Three bodies with masses 3, 4 and 5 start at rest at the corners of a triangle (Burrau 1913). After close passages two
# bodies leave as a binary, and the third leaves in the opposite direction.
#
# usage: pythagorean.sh [OUT-DIRECTORY]     pythagorean.mp4 and .png
# UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(--size "${SIZE:-1920x1080}" --extent 6 --trails 8 --labels 3,4,5 --overlay time)

nbgen pythagorean | nbsim --integrator rkf78 --tolerance 1e-12 --until "${UNTIL:-60}" --every 0.02 -f -o "$out/pythagorean.nbs"
nbrender -f --fps 60 "${look[@]}" -o "$out/pythagorean.mp4" "$out/pythagorean.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-2000}" -o "$out/pythagorean.png" "$out/pythagorean.nbs"
