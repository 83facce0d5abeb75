#!/usr/bin/env bash
# The accuracy of integrators for equal work, in two systems. Disks: two of 256 bodies each, without central bodies,
# softening 0.02, approach each other on a parabola and pass through each other at t = 1. Twin: nbgen twin --preset study,
# 255 stars about each of two heavy bodies that meet, without softening; the stars have periods from about 5 on.
#
#   work.tsv       disks: errors at t = 2.5 against evaluations of the force, every scheme, fixed steps; N = 512 in double,
#                  32 in quad
#   long.tsv       disks: errors and evaluations on the way to t = 20, adaptive steps against fixed ones
#   twin.tsv       twin: as work.tsv, N = 512 in both
#   twin-long.tsv  twin: adaptive steps to t = 300, with the tolerances that keep the energy to 1e-8, and ab5 with steps
#                  of 1e-6 to t = 0.1
#
# Errors are nbstat's: of the energy over |E0|, of the momentum over sum m|v|, of the angular momentum over sum m|r||v|.
#
# usage: study.sh [OUT-DIRECTORY]     the tables, and a picture of each
# DOUBLE, QUAD, TWIN_DOUBLE and TWIN_QUAD (numbers of evaluations to aim at), SCHEMES, TWIN_N (bodies), LONG, TWIN_LONG and
# TWIN_SHORT (where long runs end, and that of ab5) in the environment change what is made. What OUT-DIRECTORY/runs already has is not computed
# again: an interrupted study goes on.
set -euo pipefail
study=$(cd "$(dirname "$0")" && pwd)
. "$study/../tools.sh"
export out study
export DOUBLE=${DOUBLE:-500 1000 2000 4000 8000 16000 32000} QUAD=${QUAD:-500 1000 2000 4000 8000 16000}
export TWIN_N=${TWIN_N:-512} TWIN_DOUBLE=${TWIN_DOUBLE:-50 100 200 400 800 1400} TWIN_QUAD=${TWIN_QUAD:-50 100 200}
# whfast is for planets about a star.
schemes=${SCHEMES:-$(nbsim --list-integrators | grep -v -e '^#' -e '^whfast' -e '^p3t' | cut -f 1)}
# An evaluation of 512 bodies in quad takes an eighth of a second.
quad_schemes=${SCHEMES:-leapfrog mclachlan4 yoshida6 yoshida8 rk4 rkdp54 verner65 rkf78 feagin10 bulirsch-stoer stormer ab5}
LONG=${LONG:-20} TWIN_LONG=${TWIN_LONG:-300} TWIN_SHORT=${TWIN_SHORT:-0.1}
mkdir -p "$out/runs"

make_starts() {
    for n in 512 32; do
        nbgen collision -q -n $n --central-mass 0 --eccentricity 1 --pericenter 0.2 --separation 2 --softening 0.02 --seed 1 \
            -f -o "$out/runs/start-disks-$n.nbs"
    done
    nbgen twin -q --preset study -n "$TWIN_N" --seed 1 -f -o "$out/runs/start-twin-$TWIN_N.nbs"
}

# Evaluations that a step of a fixed size takes; what is iterated has about ten sweeps of its stages.
evaluations() { # evaluations SCHEME
    nbsim --list-integrators |
        awk -F '\t' -v name="$1" '$1 == name { print $3 != "iterated" ? $3 : name == "gauss6" ? 31 : name == "lobatto4" ? 21 : name == "ias15" ? 16 : 11 }'
}

# Sizes of the errors of energy, momentum and angular momentum in each frame of a stream.
errors() { # errors FILE
    nbstat -q --no-header --device cpu --threads 1 --columns energy_error,momentum_error,angular_momentum_error "$1" |
        awk -F '\t' '{ printf "%.3e\t%.3e\t%.3e\n", $1 < 0 ? -$1 : $1, $2, $3 }'
}

# One row of a system's table: a scheme with about that many evaluations.
work() { # work disks|twin double|quad SCHEME EVALUATIONS
    local n=512 steps name=$out/runs/$1-$2-$3-$4 start=$out/runs/start-$1
    [ "$1-$2" != disks-quad ] || n=32
    [ "$1" != twin ] || n=$TWIN_N
    shift
    steps=$(awk -v e="$3" -v each="$(evaluations "$2")" 'BEGIN { s = int(e / each + 0.5); print (s > 5 ? s : 5) }')
    [ ! -e "$name.tsv" ] || return 0
    # A step that is too long for an implicit scheme, or throws bodies to infinity, leaves no row.
    nbsim --device cpu --threads 1 --precision "$1" --integrator "$2" --dt "$(awk "BEGIN { printf \"%.17g\", 2.5 / $steps }")" \
        --until 2.5 --max-de inf -f -o "$name.nbs" "$start-$n.nbs" 2>"$name.log" || { : >"$name.tsv"; return 0; }
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$steps" \
        "$(sed -n 's/.* steps, \([0-9]*\) force evaluations\?.*/\1/p' "$name.log")" "$(errors "$name.nbs" | tail -n 1)" >"$name.part"
    mv "$name.part" "$name.tsv"
    rm "$name.nbs"
}
export -f work errors evaluations

# Rows of a table of a long run with -v and its stream: evaluations so far, and errors, at each output.
long() { # long disks|twin SCHEME UNTIL EVERY OPTIONS...
    local start scheme=$2 until=$3 every=$4 name=$out/runs/long-$1-$2
    start=$out/runs/start-$1-$([ "$1" = twin ] && echo "$TWIN_N" || echo 512).nbs
    shift 4
    [ ! -e "$name.tsv" ] || return 0
    nbsim -v --device cpu --threads 1 --precision double --integrator "$scheme" "$@" --until "$until" --every "$every" --max-de inf \
        -f -o "$name.nbs" "$start" 2>"$name.log"
    paste <(sed -n 's/.*t = \([^:]*\): .* \([0-9]*\) force evaluations\?.*/\1\t\2/p' "$name.log") \
        <(errors "$name.nbs") | sed "s/^/$scheme\t/" >"$name.part"
    mv "$name.part" "$name.tsv"
}

rows() { # rows SYSTEM DOUBLE QUAD QUAD-SCHEMES: what work is to be called with
    for scheme in $schemes; do
        for e in $2; do echo "$1" double "$scheme" "$e"; done
    done
    for scheme in $4; do
        for e in $3; do echo "$1" quad "$scheme" "$e"; done
    done
}

work_table() { # work_table SYSTEM DOUBLE QUAD QUAD-SCHEMES
    rows "$@" | xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'work "$@"' work
    printf '# precision\tscheme\tsteps\tevaluations\tenergy\tmomentum\tangular_momentum\n'
    rows "$@" | while read -r system precision scheme e; do cat "$out/runs/$system-$precision-$scheme-$e.tsv"; done |
        sort -t "$(printf '\t')" -k 1,2 -k 4,4n
}

long_table() { # long_table SYSTEM SCHEME...
    local system=$1
    shift
    printf '# scheme\ttime\tevaluations\tenergy\tmomentum\tangular_momentum\n'
    for scheme in "$@"; do cat "$out/runs/long-$system-$scheme.tsv"; done
}

make_starts
work_table disks "$DOUBLE" "$QUAD" "$schemes" >"$out/work.tsv"
work_table twin "$TWIN_DOUBLE" "$TWIN_QUAD" "$quad_schemes" >"$out/twin.tsv"

long disks verner65 "$LONG" 0.25 --tolerance 1e-8 &
long disks rkdp54 "$LONG" 0.25 --tolerance 1e-8
wait
step=$(tail -n 1 "$out/runs/long-disks-rkdp54.tsv" | awk -F '\t' '{ printf "%.17g", $2 / $3 }') # as much work as rkdp54
long disks ab5 "$LONG" 0.25 --dt "$step" &
long disks leapfrog "$LONG" 0.25 --dt "$step"
wait
long_table disks rkdp54 verner65 ab5 leapfrog >"$out/long.tsv"

each=$(awk "BEGIN { printf \"%.12g\", $TWIN_LONG / 120 }")
long twin verner65 "$TWIN_LONG" "$each" --tolerance 1e-10 &
long twin rkdp54 "$TWIN_LONG" "$each" --tolerance 1e-8
wait
long twin stormer "$TWIN_LONG" "$each" --tolerance 1e-10 &
long twin ab5 "$TWIN_SHORT" "$(awk "BEGIN { print $TWIN_SHORT / 20 }")" --dt 1e-6
wait
long_table twin rkdp54 verner65 stormer ab5 >"$out/twin-long.tsv"

"$study/plot.sh" "$out"
echo "$out has the numbers in work.tsv, long.tsv, twin.tsv and twin-long.tsv, and a picture of each"
