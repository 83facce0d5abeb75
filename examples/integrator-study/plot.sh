#!/usr/bin/env bash
# Draws the pictures of the tables in a directory (default: beside this script).
set -euo pipefail
cd "${1:-$(dirname "$0")}"
command -v gnuplot >/dev/null || { echo "no gnuplot: the tables stay without pictures"; exit 0; }

lines() { # lines TABLE PRECISION SCHEMES...: a plot command, with leapfrog for comparison
    local table=$1 precision=$2 k=0 style sep='plot '
    shift 2
    for scheme in "$@" leapfrog; do
        k=$((k + 1))
        grep -q "^$precision	$scheme	" "$table" || continue
        style="lc $k pt $k"
        [ "$scheme" != leapfrog ] || style="lc 'black' lw 2 dt 2 pt 0"
        printf "%s'<grep \"^%s	%s	\" %s' using 4:5 with linespoints %s title '%s'" \
            "$sep" "$precision" "$scheme" "$table" "$style" "$scheme"
        sep=', '
    done
    [ "$sep" = ', ' ] || printf 'plot NaN notitle'
}

panels() { # panels TABLE PRECISION WHAT
    echo "set title '$3: splitting'; $(lines "$1" "$2" symplectic-euler leapfrog-dkd yoshida4 mclachlan4 yoshida6 yoshida8)"
    echo "set title '$3: explicit Runge-Kutta'; $(lines "$1" "$2" euler midpoint rk4 rkck54 rkdp54 verner65 rkf78)"
    echo "set title '$3: high order'; $(lines "$1" "$2" rkf78 feagin10 feagin12 feagin14 bulirsch-stoer stormer yoshida8 ias15)"
    echo "set title '$3: others'; $(lines "$1" "$2" ab1 ab2 ab3 ab4 ab5 abm5 gauss6 lobatto4 trapezoid hermite4 hermite6 rosetta)"
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
$(panels work.tsv double '512 bodies in double')
set yrange [1e-13:10]
$(panels work.tsv quad '32 bodies in quad')
P

gnuplot <<P
set terminal pngcairo size 1800,1000 font ',10'
set output 'twin.png'
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set xrange [30:3000]
set xlabel 'evaluations of the force'
set ylabel 'relative error of the energy at t = 2.5'
set key left bottom font ',9' spacing 0.9
set grid
set multiplot layout 2,4
set yrange [1e-17:10]
$(panels twin.tsv double 'twin, 512 bodies in double')
set yrange [1e-13:10]
$(panels twin.tsv quad 'twin, 512 bodies in quad')
P

# A plot command over time, from the second frame on; column 7 is evaluations a unit of time since the last frame.
long() { # long TABLE COLUMN SCHEMES...
    local table=$1 column=$2 k=0 sep='plot '
    shift 2
    for scheme in "$@"; do
        k=$((k + 1))
        printf "%s'<grep \"^%s	\" %s | awk -F \"\\\\t\" -v OFS=\"\\\\t\" \"NR > 1 { print \\\\\$0, (\\\\\$3 - last) / (\\\\\$2 - time) } { last = \\\\\$3; time = \\\\\$2 }\"' " \
            "$sep" "$scheme" "$table"
        printf "using 2:%d with lines lw 2 lc %d title '%s'" "$column" "$k" "$scheme"
        sep=', '
    done
}

long_panels() { # long_panels TABLE SCHEMES...
    local table=$1
    shift
    echo "set ylabel 'relative error of the energy'; set logscale y; set format y '10^{%L}'; set yrange [1e-17:1e-2]"
    long "$table" 4 "$@"
    printf '\n%s\n' "set ylabel 'of the angular momentum'; set yrange [1e-17:1e-6]"
    long "$table" 6 "$@"
    printf '\n%s\n' "set ylabel 'evaluations in a unit of time'; set yrange [*:*]; set xlabel 'time'"
    long "$table" 7 "$@"
}

gnuplot <<P
set terminal pngcairo size 1200,1000
set output 'long.png'
set grid
set key left top horizontal
set multiplot layout 3,1
$(long_panels long.tsv leapfrog ab5 rkdp54 verner65)
P

gnuplot <<P
set terminal pngcairo size 1200,1000
set output 'twin-long.png'
set grid
set logscale x
set xrange [0.004:400]
set key left top horizontal
set multiplot layout 3,1
$(long_panels twin-long.tsv ab5 rkdp54 verner65 stormer)
P
