#!/usr/bin/env bash
# Draws work.png and long.png from the tables in a directory (default: beside this script).
set -euo pipefail
cd "${1:-$(dirname "$0")}"
command -v gnuplot >/dev/null || { echo "no gnuplot: the tables stay without pictures"; exit 0; }

lines() { # lines PRECISION SCHEMES...: a plot command, with leapfrog for comparison
    local precision=$1 k=0 style sep='plot '
    shift
    for scheme in "$@" leapfrog; do
        k=$((k + 1))
        grep -q "^$precision	$scheme	" work.tsv || continue
        style="lc $k pt $k"
        [ "$scheme" != leapfrog ] || style="lc 'black' lw 2 dt 2 pt 0"
        printf "%s'<grep \"^%s	%s	\" work.tsv' using 4:5 with linespoints %s title '%s'" \
            "$sep" "$precision" "$scheme" "$style" "$scheme"
        sep=', '
    done
    [ "$sep" = ', ' ] || printf 'plot NaN notitle'
}

panels() { # panels PRECISION WHAT
    echo "set title '$2: splitting'; $(lines "$1" symplectic-euler leapfrog-dkd yoshida4 mclachlan4 yoshida6 yoshida8)"
    echo "set title '$2: explicit Runge-Kutta'; $(lines "$1" euler midpoint rk4 rkck54 rkdp54 verner65 rkf78)"
    echo "set title '$2: high order'; $(lines "$1" rkf78 feagin10 feagin12 feagin14 bulirsch-stoer stormer yoshida8 ias15)"
    echo "set title '$2: others'; $(lines "$1" ab1 ab2 ab3 ab4 ab5 abm5 gauss6 lobatto4 trapezoid hermite4 hermite6 rosetta)"
}

gnuplot <<P
set terminal pngcairo size 1800,1000 font ',10'
set output 'work.png'
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set xrange [300:50000]
set xlabel 'evaluations of the force'
set ylabel 'relative error of the energy at t = 2.5'
set key left bottom font ',9' spacing 0.9
set grid
set multiplot layout 2,4
set yrange [1e-17:10]
$(panels double '512 bodies in double')
set yrange [1e-13:10]
$(panels quad '32 bodies in quad')
P

long() { # long COLUMN: a plot command over time, from the second frame on; column 7 is evaluations since the last frame
    local k=0 sep='plot '
    for scheme in leapfrog ab5 rkdp54 verner65; do
        k=$((k + 1))
        printf "%s'<grep \"^%s	\" long.tsv | awk -F \"\\\\t\" -v OFS=\"\\\\t\" \"NR > 1 { print \\\\\$0, \\\\\$3 - last } { last = \\\\\$3 }\"' " \
            "$sep" "$scheme"
        printf "using 2:%d with lines lw 2 lc %d title '%s'" "$1" "$k" "$scheme"
        sep=', '
    done
}

gnuplot <<P
set terminal pngcairo size 1200,1000
set output 'long.png'
set grid
set key left top horizontal
set multiplot layout 3,1
set logscale y
set format y '10^{%L}'
set yrange [1e-12:1e-2]
set ylabel 'relative error of the energy'
$(long 4)
set yrange [1e-17:1e-6]
set ylabel 'of the angular momentum'
$(long 6)
unset logscale y
set format y '%g'
set yrange [0:*]
set ylabel 'evaluations in 0.25'
set xlabel 'time'
$(long 7)
P
