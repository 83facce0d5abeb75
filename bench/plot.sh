#!/bin/sh
# Draws bench/results/direct.png from the tables beside it.
set -eu
cd "$(dirname "$0")/results"
command -v gnuplot >/dev/null 2>&1 || { echo "no gnuplot: the tables stay without a picture"; exit 0; }
lines=
for device in cuda cpu; do
    [ -e direct-$device.tsv ] || continue
    for precision in single mixed double; do
        lines="$lines${lines:+, }'<awk -F\"\\t\" \"\\\$2 == \\\"$precision\\\"\" direct-$device.tsv' using 3:5 with linespoints title '$device $precision'"
    done
done
gnuplot <<P
set terminal pngcairo size 960,600
set output 'direct.png'
set logscale xy
set xlabel 'bodies'
set ylabel 'pair forces, 10^9 a second'
set key left top
set grid
plot $lines
P
