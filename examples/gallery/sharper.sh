#!/usr/bin/env bash
# The same galaxy with 2000, 20000, 200000 and 2 million bodies: more bodies give a sharper picture.
#
# usage: sharper.sh [OUT-DIRECTORY]     sharper.png
# N (four numbers of bodies) and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
size=${SIZE:-1920x1080}
width=${size%x*} height=${size#*x}

panes=()
for n in ${N:-2k 20k 200k 2M}; do
    nbgen galaxy --preset milkyway -n "$n" |
        nbrender -q -f --size "$((width / 2))x$((height / 2))" --view 0,40 --extent 12 -o "$out/sharper-$n.png"
    panes+=(-i "$out/sharper-$n.png")
done
ffmpeg -v error -y "${panes[@]}" -filter_complex "xstack=inputs=4:layout=0_0|w0_0|0_h0|w0_h0,pad=$width:$height:-1:-1" \
    -frames:v 1 "$out/sharper.png"
