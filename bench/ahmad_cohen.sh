#!/bin/bash
# Measures the neighbour scheme: bench/ahmad_cohen.sh BUILD [N TIME]..., as TSV on stdout. Plummer spheres without
# softening, with hermite4-block and with ahmad-cohen, at each of TOLERANCES (default "1e-4 1e-6"), and with each of
# NEIGHBOURS (default 0: the program's default), on DEVICE (default cpu). The integrators take turns in ROUNDS rounds
# (default 3). `seconds` is processor time on one thread; on another device it is the time that nbsim reports without
# its start. `ratio` is the time of ahmad-cohen divided by the time of hermite4-block in the same round and at the same
# tolerance. Both columns are medians over the rounds. The energy error is the largest of four outputs. Default: 1024
# bodies to t = 1 and 16384 to 0.25.
set -eu
device=${DEVICE:-cpu}
build=${1:?usage: bench/ahmad_cohen.sh BUILD [N TIME]...}
shift
PATH=$(cd "$build" && pwd)/bin:$PATH
[ $# -gt 0 ] || set -- 1024 1 16384 0.25
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# run TOLERANCE EVERY UNTIL INTEGRATOR [OPTION...]: prints seconds, evaluations and energy error
run() {
    local TIMEFORMAT=%U
    { time nbsim --device "$device" --threads 1 --precision double --max-de inf --tolerance "$1" --every "$2" \
        --until "$3" --integrator "${@:4}" --log - -f -o out.nbs in.nbs >log 2>said; } 2>took
    awk '!/^#/ { e = $4 < 0 ? -$4 : $4; if (e > most) most = e } END { printf "%.2g\n", most }' log >error
    [ "$device" = cpu ] || sed -n 's/.* force evaluations\{0,1\} in \([^ ]*\) s,.*/\1/p' said >took
    paste took <(sed -n 's/.* \([0-9]*\) force evaluations\{0,1\} .*/\1/p' said) error
}

median() {
    sort -g | awk '{ x[NR] = $1 } END { printf "%.3g", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

printf '# n\ttime\tintegrator\ttolerance\tneighbours\tevaluations\tseconds\tratio\tenergy_error\n'
while [ $# -gt 0 ]; do
    n=$1 until=$2 every=$(awk "BEGIN { print $2 / 4 }")
    shift 2
    nbgen plummer -n "$n" --seed 1 --softening 0 -q -f -o in.nbs
    rm -f rows.*
    for ((round = 0; round < ${ROUNDS:-3}; round++)); do
        for tolerance in ${TOLERANCES:-1e-4 1e-6}; do
            run "$tolerance" "$every" "$until" hermite4-block >one
            paste one <(echo 1) >>"rows.$tolerance.all"
            for k in ${NEIGHBOURS:-0}; do
                # shellcheck disable=SC2046 # words
                run "$tolerance" "$every" "$until" ahmad-cohen $([ "$k" = 0 ] || echo --neighbours "$k") >two
                paste two <(paste one two | awk '{ print $4 / $1 }') >>"rows.$tolerance.$k"
            done
        done
    done
    for tolerance in ${TOLERANCES:-1e-4 1e-6}; do
        for k in all ${NEIGHBOURS:-0}; do
            rows=rows.$tolerance.$k
            printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$n" "$until" \
                "$([ "$k" = all ] && echo hermite4-block || echo ahmad-cohen)" "$tolerance" "$k" \
                "$(head -n 1 "$rows" | cut -f 2)" "$(cut -f 1 "$rows" | median)" "$(cut -f 4 "$rows" | median)" \
                "$(head -n 1 "$rows" | cut -f 3)"
        done
    done
done
