#!/bin/sh
# Draws bench/results/direct.png, tree-*.png and solution.png from the tables in the same folder.
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
[ -z "$lines" ] || gnuplot <<P
set terminal pngcairo size 960,600
set output 'direct.png'
set logscale xy
set xlabel 'bodies'
set ylabel 'pair forces, 10^9 a second'
set key left top
set grid
plot $lines
P

# Error against time of the tree, theta from 0.2 to 1.2, with the direct sum as a line.
for table in tree-cuda:1048576 tree-cpu:131072; do
    name=${table%:*} n=${table#*:}
    [ -e "$name.tsv" ] || continue
    direct=$(awk -F'\t' -v n="$n" '$3 == "direct" && $4 == n && ($18 == "" || $18 == "sphere") { print $6 }' "$name.tsv")
    gnuplot <<P
set terminal pngcairo size 960,600
set output '$name.png'
set logscale xy
set format y '10^{%T}'
set xlabel 'a step of $n bodies, ms'
set ylabel 'relative error of the acceleration'
set key right top
set grid
set xrange [*:1.5 * $direct]
set arrow from $direct, graph 0 to $direct, graph 1 nohead lw 2
set label ' direct sum' at $direct, graph 0.05 right offset -1,0
sweep = "<awk -F'\t' '\$2 == \"single\" && \$3 == \"tree\" && \$4 == $n && (\$18 == \"\" || \$18 == \"sphere\")' $name.tsv | sort -t '\t' -k5,5g"
plot sweep using 6:8 with linespoints pt 7 title 'median', '' using 6:9 with linespoints pt 5 title '99 %', \
    '' using 6:8:(sprintf('  %g', \$5)) with labels left notitle
P
done

# Error against time of common and individual time steps.
if [ -e solution-cuda.tsv ]; then
    lines=
    for system in "galaxy --preset milkyway,1M" "galaxy --preset milkyway,4M" "collision,200k" "collision,4M"; do
        model=${system%,*} n=${system#*,}
        for how in suggested eta; do
            kind=$([ $how = eta ] && echo 'each its own' || echo 'one for all')
            lines="$lines${lines:+, }'<awk -F\"\\t\" \"\\\$2 == \\\"$n\\\" && index(\\\$1, \\\"$model\\\") && /$how/ { print \\\$5, \\\$6 }\" solution-cuda.tsv' using 1:2 with linespoints pt $([ $how = eta ] && echo 7 || echo 6) title '${model#* --preset } $n, $kind'"
        done
    done
    gnuplot <<P
set terminal pngcairo size 960,600
set output 'solution.png'
set logscale xy
set format y '10^{%T}'
set xlabel 'seconds'
set ylabel 'largest energy error'
set key outside right
set grid
plot $lines
P
fi
