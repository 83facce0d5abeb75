#!/usr/bin/env bash
# Tracers in static and moving external fields: steps of leapfrog a second, without output, for 10^7 tracers (the
# default), in single and double precision. On a GPU, steps in a static field are recorded as a graph; steps in a moving
# field are not.
#
# usage: tracers.sh BUILD [N [DEVICE]]
set -euo pipefail
bin=$1/bin n=${2:-10M} device=${3:-auto}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bin/nbgen" plummer -q -n "$n" --units galactic --mass 1 --radius 8 -o "$work/in.nbs"
count=$("$bin/nbstat" -q --potential none "$work/in.nbs" | awk 'NR == 2 { print $4 }')
awk 'BEGIN { for (k = 0; k <= 100; k++) { t = k / 10 - 5; printf "%g %.9g %.9g %.9g\n", t, 50 * cos(t), 50 * sin(t), 5 * t } }' >"$work/cloud.txt"
awk 'BEGIN { print "# t mass"; for (k = 0; k <= 10; k++) print k - 5, 15 - k / 2 }' >"$work/mass.txt"

steps_per_s() { # steps_per_s PRECISION FIELD...: of the faster of two runs
    local precision=$1 round fields=()
    shift
    for field; do fields+=(--force "external:$field"); done
    for round in 1 2; do
        "$bin/nbsim" --device "$device" --precision "$precision" "${fields[@]}" --integrator leapfrog --dt 1e-4 \
            --steps "${STEPS:-500}" --max-de inf -f -o /dev/null "$work/in.nbs" 2>&1 | sed -n 's/.* s, \([0-9.e+]*\) steps.*/\1/p'
    done | sort -g | tail -n 1
}

printf '# tracers\tfields\tprecision\tsteps/s\ttracers times steps/s\n'
row() { # row NAME FIELD...
    local name=$1 precision rate
    shift
    for precision in single double; do
        rate=$(steps_per_s "$precision" "$@")
        awk -v n="$count" -v name="$name" -v p="$precision" -v r="$rate" 'BEGIN { printf "%s\t%s\t%s\t%s\t%.3g\n", n, name, p, r, n * r }'
    done
}
bar=bar,mass=1.8,a=3.5,b=0.5,c=0.6
row "a halo" logarithmic,speed=180,core=12
row "milky-way" milky-way
row "milky-way and a bar at rest" milky-way $bar
row "milky-way, a bar that turns" milky-way $bar,omega=-40
row "milky-way, a bar that turns, a cloud on an orbit that loses mass" milky-way $bar,omega=-40 \
    "hernquist,scale=17,center=$work/cloud.txt,table=$work/mass.txt"
