#!/usr/bin/env bash
# Lift and drag of a symmetric wing at Mach 2 from 0 to 90 degrees: a run for each angle, as many at a time as there
# are cores, and a plot with the errors of the means. No lift is put in; what wall 'body' felt is in the headers.
#
# usage: polar.sh [OUT-DIRECTORY]     polar.tsv, polar.png (with gnuplot)
# N, UNTIL, AFTER, STEP (degrees), AIRFOIL and BOX in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
export N=${N:-2k} UNTIL=${UNTIL:-7} AFTER=${AFTER:-3} AIRFOIL=${AIRFOIL:-naca0012} BOX=${BOX:--1.5,3,-2,2} runs=$out/polar
rm -rf "$runs"
mkdir -p "$runs"

angle() { # angle DEGREES: a line of the table, in a file whose name sorts as the angle does
    nbgen windtunnel -q -n "$N" --airfoil "$AIRFOIL" --alpha "$1" --box="$BOX" |
        nbsim -q --threads 1 --precision single --until "$UNTIL" --every 0.25 |
        nbstat --walls --after "$AFTER" --mean | sed "1s/^# */alpha\t/; 2s/^/$1\t/" >"$runs/$(printf %03d "$1").tsv"
}
export -f angle

seq 0 "${STEP:-6}" 90 | xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'angle "$@"' angle
awk 'NR == 1 || FNR > 1' "$runs"/*.tsv >"$out/polar.tsv"
echo "$out/polar.tsv has the numbers"
command -v gnuplot >/dev/null || { echo "no gnuplot: they stay without a plot"; exit 0; }
gnuplot <<P
set terminal pngcairo size 800,500
set output '$out/polar.png'
set xlabel 'angle of attack, degrees'
set xrange [-3:93]
set xtics 15
set key left top
set grid
plot '$out/polar.tsv' using 1:12:13 with yerrorlines pt 7 lw 2 title 'lift coefficient', \
    '' using 1:10:11 with yerrorlines pt 5 lw 2 title 'drag coefficient'
P
echo "the plot is $out/polar.png"
