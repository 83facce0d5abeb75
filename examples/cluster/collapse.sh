#!/usr/bin/env bash
# A star cluster's core collapses. Masses are as stars have them. The heavy stars sink to the centre, which contracts
# (to t = 20) until two of them become a binary: it gives energy to the stars that it meets, and the cluster expands.
#
# usage: collapse.sh [OUT-DIRECTORY]     collapse.mp4, collapse.png, radii.tsv and radii.png
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made. radii.png needs gnuplot.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
size=${SIZE:-1920x1080} run=$out/collapse.nbs

nbgen plummer -n "${N:-1100}" --imf kroupa --softening 0 --seed 3 |
    nbsim --until "${UNTIL:-40}" --every 0.1 -f -o "$run"
nbrender -q -f --size "$size" --extent 1.5 -o "$out/collapse.mp4" "$run"
nbrender -q -f --size "$size" --extent 1.5 --frame "${FRAME:-200}" -o "$out/collapse.png" "$run"
nbstat -q --lagrange 1,10,50 --columns time,r1,r10,r50,hard_binaries "$run" >"$out/radii.tsv"
command -v gnuplot >/dev/null || exit 0
gnuplot <<P
set terminal pngcairo size 960,540
set output "$out/radii.png"
set xlabel "time"
set ylabel "radius"
set logscale y
plot for [k=2:4] "$out/radii.tsv" using 1:k every ::1 with lines lw 2 title word("1 10 50", k - 1)."% of the mass"
P
