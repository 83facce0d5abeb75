#!/usr/bin/env bash
# Three galaxies after one and two turns, side by side: a hot disk stays smooth, a thin cold disk forms spiral arms, and
# a disk that dominates the gravity forms a bar.
#
# usage: stability.sh [OUT-DIRECTORY]     stability.png
# N, UNTIL (in turns) and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
size=${SIZE:-1920x640}
width=${size%x*} height=${size#*x}

pane() { # pane NAME TIME OPTION...
    local name=$1 time=$2
    shift 2
    nbgen galaxy -n "${N:-100k}" "$@" |
        nbsim --precision single --until "$(awk "BEGIN { print $time * ${UNTIL:-1} }")" |
        nbrender -f --size "$((width / 3))x$height" --extent 7 --center densest -o "$out/$name.png"
}

pane smooth 28
pane arms 14 --toomre 0.8 --disk-height 0.2
pane bar 28 --preset disk-dominated
ffmpeg -v error -y -i "$out/smooth.png" -i "$out/arms.png" -i "$out/bar.png" \
    -filter_complex "hstack=3,pad=$width:$height:-1:-1" -frames:v 1 "$out/stability.png"
