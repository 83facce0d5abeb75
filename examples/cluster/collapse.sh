#!/usr/bin/env bash
# A star cluster's core collapses. Masses are as stars have them, and a tenth of the stars are binaries. The heavy stars
# sink to the centre, which contracts until binaries stop it: they give energy to the stars that they meet.
#
# usage: collapse.sh [OUT-DIRECTORY]     collapse.mp4, collapse.png, radii.tsv and radii.png
# N, UNTIL and SIZE in the environment change what is made. radii.png needs gnuplot.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
size=${SIZE:-1920x1080} run=$out/collapse.nbs

nbgen plummer -n "${N:-1000}" --imf kroupa --binaries 0.1 --seed 3 | nbsim --until "${UNTIL:-40}" --every 0.1 -f -o "$run"
nbrender -q -f --size "$size" --extent 1.6 --color mass -o "$out/collapse.mp4" "$run"
nbrender -q -f --size "$size" --extent 1.6 --color mass --frame last -o "$out/collapse.png" "$run"
nbstat -q --columns time,core_radius,half_mass_radius,segregation,hard_binaries "$run" >"$out/radii.tsv"
command -v gnuplot >/dev/null || exit 0
gnuplot <<P
set terminal pngcairo size 960,540
set output "$out/radii.png"
set xlabel "time"
set ylabel "radius"
set logscale y
plot "$out/radii.tsv" using 1:3 every ::1 with lines lw 2 title "half-mass radius", \
     "" using 1:2 every ::1 with lines lw 2 title "core radius", \
     "" using 1:4 every ::1 with lines title "half-mass radius of the heaviest tenth over that of all"
P
