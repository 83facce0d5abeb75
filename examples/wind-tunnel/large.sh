#!/usr/bin/env bash
# The films of film.sh with two million disks, for a GPU: the stream passes through both nbrenders and is not kept (a
# frame has 100 MB). The wing is sharp, the shock a thin line.
#
# usage: large.sh [OUT-DIRECTORY]     large-pressure.mp4, large-acceleration.mp4
# N, UNTIL, EVERY, SIZE, CENTER, EXTENT, AIRFOIL, ALPHA, MACH and BOX in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(-f --style light --size "${SIZE:-2560x1600}" --center "${CENTER:-2.4,0,0}" --extent "${EXTENT:-3.6}" --average 0.3) # without the inlet
pipe=$out/large.fifo
rm -f "$pipe"
mkfifo "$pipe"
trap 'rm -f "$pipe"' EXIT

nbrender -q "${look[@]}" --color acc -o "$out/large-acceleration.mp4" "$pipe" &
nbgen windtunnel -n "${N:-2M}" --airfoil "${AIRFOIL:-naca2412}" --alpha "${ALPHA:-15}" --mach "${MACH:-2}" \
    --box="${BOX:--2,6,-2.5,2.5}" |
    nbsim --precision single --until "${UNTIL:-8}" --every "${EVERY:-0.04}" --write pressure,acc |
    tee "$pipe" | nbrender "${look[@]}" --color pressure -o "$out/large-pressure.mp4"
wait $!
echo "the films are $out/large-pressure.mp4 and $out/large-acceleration.mp4"
