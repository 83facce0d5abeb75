#!/bin/sh
# Measures cost and accuracy of time steps: bench/steps.sh BUILD [MODEL N TIME]..., as TSV on stdout. Runs each model
# with the suggested step of leapfrog and multiples of it (FACTORS, default "1 2 4"), and with individual time steps
# (ETAS, default none): steps, seconds and the largest energy error of nine outputs. Then a Plummer sphere without
# softening with adaptive integrators (HERMITE: "N TIME" pairs; default "1024 0.25"; "" for none). DEVICE (default auto)
# and THREADS are nbsim's.
set -eu
build=${1:?usage: bench/steps.sh BUILD [MODEL N TIME]...}
shift
PATH=$(cd "$build" && pwd)/bin:$PATH
[ $# -gt 0 ] || set -- plummer 10k 2 hernquist 10k 20 "galaxy --preset milkyway" 10k 28
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# row NAME N OPTION...: runs nbsim on in.nbs, and prints a line
row() {
    name=$1 n=$2
    shift 2
    nbsim --device "${DEVICE:-auto}" ${THREADS:+--threads "$THREADS"} --max-de inf --log - -f -o out.nbs "$@" in.nbs >log 2>said
    seconds=$(sed -n 's/.* in \([^ ]*\) s, .*steps.s.*/\1/p' said) steps=$(sed -n 's/.*: \([0-9]*\) steps\{0,1\}, .*/\1/p' said)
    error=$(awk '!/^#/ { e = $4 < 0 ? -$4 : $4; if (e > most) most = e } END { printf "%.2g", most }' log)
    evaluations=$(sed -n 's/.* \([0-9]*\) force evaluations\{0,1\} .*/\1/p' said)
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$n" "$steps" "$evaluations" "$seconds" "$error"
}

printf '# run\tn\tsteps\tevaluations\tseconds\tlargest_error\n'
while [ $# -gt 0 ]; do
    model=$1 n=$2 until=$3
    shift 3
    # shellcheck disable=SC2086 # words
    nbgen $model -n "$n" --seed 1 -q -f -o in.nbs
    dt=$(nbstat --info in.nbs | awk '$1 == "dt" { print $2 }')
    every=$(awk "BEGIN { print $until / 8 }")
    for factor in ${FACTORS:-1 2 4}; do
        row "$model, $factor x suggested" "$n" --integrator leapfrog --dt "$(awk "BEGIN { print $factor * $dt }")" \
            --until "$until" --every "$every"
    done
    for eta in ${ETAS-}; do
        row "$model, eta $eta" "$n" --integrator leapfrog-block --eta "$eta" --until "$until" --every "$every"
    done
done
# shellcheck disable=SC2086
set -- ${HERMITE-1024 0.25}
while [ $# -gt 0 ]; do
    n=$1 until=$2
    shift 2
    nbgen plummer -n "$n" --seed 1 --softening 0 -q -f -o in.nbs
    for how in "hermite4-block 1e-6" "hermite4-block 1e-7" "hermite4 1e-5" "rkf78 1e-9" "ias15 1e-9"; do
        row "plummer without softening, $how" "$n" --precision double --integrator "${how% *}" --tolerance "${how#* }" --until "$until" \
            --every "$(awk "BEGIN { print $until / 8 }")"
    done
done
