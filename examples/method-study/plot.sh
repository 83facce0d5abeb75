#!/usr/bin/env bash
# Draws the pictures of a table: plot.sh [DIRECTORY [TABLE]] (default: of methods.tsv; beside this script, of gpu.tsv).
set -euo pipefail
cd "${1:-$(dirname "$0")}"
table=${2:-$([ -e methods.tsv ] && echo methods.tsv || echo gpu.tsv)}
command -v gnuplot >/dev/null || { echo "no gnuplot: the table stays without pictures"; exit 0; }

# Columns of the table: 1 study, 4 force, 5 bodies, 6 seconds, 7 median error.
rows() { # rows STUDY PATTERN: of a study, whose force matches
    awk -F '\t' -v study="$1" -v force="$2" '$1 == study && $4 ~ force' "$table"
}

lines() { # lines STUDY X:Y PATTERN TITLE ...: a plot command
    local study=$1 columns=$2 k=0 sep='plot '
    shift 2
    while [ $# -gt 0 ]; do
        k=$((k + 1))
        if [ -n "$(rows "$study" "$1")" ]; then
            rows "$study" "$1" | sort -t "$(printf '\t')" -k 5,5g -k 7,7g >"runs/plot-$study-$k"
            printf "%s'runs/plot-%s-%d' using %s with linespoints lw 2 pt 7 title '%s'" "$sep" "$study" $k "$columns" "$2"
            sep=', '
        fi
        shift 2
    done
    [ "$sep" = ', ' ] || printf 'plot [1:2][1:2] NaN notitle'
}

mkdir -p runs
forces=$(awk -F '\t' '$1 == "size" && !seen[$4]++ { printf "^%s$ %s ", $4, $4 }' "$table")
bodies=$(rows sweep . | head -n 1 | cut -f 5)
where=$(awk -F '\t' '!/^#/ { print $2 " in " $3; exit }' "$table")

# shellcheck disable=SC2086 # words of a list
gnuplot <<P
set terminal pngcairo size 1600,700
set output 'methods.png'
set datafile separator tab
set logscale xy
set format y '10^{%L}'
set grid
set multiplot layout 1,2
set title 'one evaluation of the force, $where'
set xlabel 'bodies'
set ylabel 'seconds'
set key left top
$(lines size 5:6 $forces)
set title '${bodies:-no} bodies: opening parameters'
set format x '10^{%L}'
set xlabel 'seconds'
set ylabel 'relative error of the acceleration of half of the bodies'
set key right top
$(lines sweep 6:7 '^octree:[^,]*$' 'octree, opening=delta' 'opening=size' 'octree, opening=size' '^kdtree' 'kdtree' '^tree' 'tree' '^direct' 'direct')
P

# The choices as bars, of trees and of pairs; and what the threads of a block on a GPU make of it.
bars() { # bars PATTERN TITLE LEFT WIDTH: a panel whose bars take that part of the picture
    rows choice "$1" | awk -F '\t' -v OFS='\t' '{ gsub(/(traverse|visit|layout|theta|order)=/, "", $4); print $4, 1e3 * $6 }' >"runs/plot-choice-$3"
    [ -s "runs/plot-choice-$3" ] || return 0
    printf '%s\n' "set title '$2'" "set lmargin at screen $3" "set rmargin at screen $3 + $4" \
        "plot 'runs/plot-choice-$3' using (\$2/2):0:(\$2/2):(0.35):ytic(1) with boxxyerror lc 'steelblue'"
}

blocks() {
    local sep='plot '
    for force in $(rows block . | sed 's/.*\t\([a-z-]*\):block=.*/\1/' | sort -u); do
        rows block "^$force:" | awk -F '\t' -v OFS='\t' '{ sub(/.*=/, "", $4); print $4, 1e3 * $6 }' >"runs/plot-block-$force"
        printf "%s'runs/plot-block-%s' using 1:2 with linespoints lw 2 pt 7 title '%s'" "$sep" "$force" "$force"
        sep=', '
    done
}

[ -n "$(rows choice .)" ] || exit 0
threads=$(blocks)
places=(0.23 0.25 0.7) # left, width, left of the second
[ -z "$threads" ] || places=(0.145 0.17 0.48 0.74)
gnuplot <<P
set terminal pngcairo size $(((${#places[@]} - 1) * 550 + 50)),600
set output 'choices.png'
set datafile separator tab
set multiplot
set style fill solid 0.6
set xlabel 'milliseconds'
set xrange [0:*]
set yrange [*:*] reverse
set grid x
unset key
$(bars '^(octree|kdtree)' "trees, $(rows choice '^octree' | head -n 1 | cut -f 5) bodies, $where" "${places[0]}" "${places[1]}")
$(bars '^[^ok]|^openmp' "pairs, $(rows choice '^direct' | head -n 1 | cut -f 5) bodies" "${places[2]}" "${places[1]}")
set yrange [*:*] noreverse
set ytics auto
set key right top
set logscale x 2
set xrange [*:*]
set grid
set lmargin at screen ${places[3]:-0}
set rmargin at screen 0.98
set title 'threads of a block'
set xlabel 'threads'
set ylabel 'milliseconds'
${threads:+$threads}
P
