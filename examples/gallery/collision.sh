#!/usr/bin/env bash
# Two disks of stars pass each other: the tides draw out arms and a bridge. Four pictures between two frames, each
# exposed for half of its time.
#
# usage: collision.sh [OUT-DIRECTORY]     collision.mp4 and .png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(--size "${SIZE:-1920x1080}" --overlay time)

nbgen collision -n "${N:-40k}" | nbsim --precision single --until "${UNTIL:-8}" --every 0.1 -f -o "$out/collision.nbs"
nbrender -f "${look[@]}" --interpolate 4 --shutter 0.5 -o "$out/collision.mp4" "$out/collision.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-31}" -o "$out/collision.png" "$out/collision.nbs"
