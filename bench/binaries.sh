#!/bin/bash
# Measures the cost of binaries: bench/binaries.sh BUILD [N TIME]..., as TSV on stdout. Plummer spheres without
# softening with hermite4-groups, of single stars and with shares of binaries (SHARES, default "0 0.1 1"), on one
# thread. The shares take turns in ROUNDS rounds (default 3). `seconds` is processor time; `ratio` is the time divided
# by the time of single stars in the same round. Both are medians over the rounds. Default: 1000 stars to t = 0.5.
set -eu
build=${1:?usage: bench/binaries.sh BUILD [N TIME]...}
shift
PATH=$(cd "$build" && pwd)/bin:$PATH
[ $# -gt 0 ] || set -- 1000 0.5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# run SHARE UNTIL: prints seconds, evaluations and energy error
run() {
    local TIMEFORMAT=%U
    { time nbsim --device cpu --threads 1 --max-de inf --every "$2" --until "$2" --integrator hermite4-groups \
        --log - -f -o out.nbs "in.$1.nbs" >log 2>said; } 2>took
    awk '!/^#/ { e = $4 < 0 ? -$4 : $4; if (e > most) most = e } END { printf "%.2g\n", most }' log >error
    paste took <(sed -n 's/.* \([0-9]*\) force evaluations\{0,1\} .*/\1/p' said) error
}

median() {
    sort -g | awk '{ x[NR] = $1 } END { printf "%.3g", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

shares=${SHARES:-0 0.1 1}
printf '# n\ttime\tbinaries\tevaluations\tseconds\tratio\tenergy_error\n'
while [ $# -gt 0 ]; do
    n=$1 until=$2
    shift 2
    rm -f rows.*
    for share in $shares; do
        nbgen plummer -n "$n" --seed 2 --softening 0 --binaries "$share" -q -f -o "in.$share.nbs"
    done
    for ((round = 0; round < ${ROUNDS:-3}; round++)); do
        for share in $shares; do
            run "$share" "$until" >row
            [ "$share" != "${shares%% *}" ] || cp row first
            paste row <(paste first row | awk '{ print $4 / $1 }') >>"rows.$share"
        done
    done
    for share in $shares; do
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$n" "$until" "$share" "$(head -n 1 "rows.$share" | cut -f 2)" \
            "$(cut -f 1 "rows.$share" | median)" "$(cut -f 4 "rows.$share" | median)" "$(head -n 1 "rows.$share" | cut -f 3)"
    done
done
