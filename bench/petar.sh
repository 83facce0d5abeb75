#!/bin/bash
# Compares nbsim with PeTar (Wang et al. 2020, MNRAS 497, 536; arXiv 2006.16560) on star clusters without softening:
# PETAR=PROGRAM bench/petar.sh BUILD [N TIME]..., as TSV on stdout. PROGRAM is a `petar` built without MPI and with
# `interrupt` off. TIME is a power of 2, because the tree steps of PeTar are. Default: 1000 stars to t = 4, 10000 to 0.125.
#   SHARES       shares of binaries (default "0 0.1 1")
#   INTEGRATORS  NAME[:TOLERANCE] of nbsim (default hermite4-groups; auto is ias15 for up to 1000 stars)
#   SETTINGS     RADIUS:STEP:THETA of PeTar, cheap ones first: factors of the changeover radius and the tree step that it
#                chooses by default, and its opening angle. The table has PeTar with its default choice, and with the first
#                of these settings whose energy error is at most that of the first integrator (else the most accurate one).
#   ROUNDS       all programs take turns in so many rounds (default 3)
# `seconds` is the shortest user time on one thread, `ratio` that over the first integrator's. `energy_error` is the
# largest one of four outputs, which nbstat measures for both programs, with the orbits of the binaries included.
set -eu
build=${1:?usage: PETAR=PROGRAM bench/petar.sh BUILD [N TIME]...}
shift
PATH=$(cd "$build" && pwd)/bin:$PATH
[ $# -gt 0 ] || set -- 1000 4 10000 0.125
petar=$(command -v "${PETAR:-petar}") || {
    echo "petar: skipped, there is no program ${PETAR:-petar} (PETAR=PROGRAM names it: https://github.com/lwang-astro/PeTar)"
    exit 0
}
petar=$(realpath "$petar")
settings=${SETTINGS:-1.4:1:0.3 2:1:0.3 2.8:1:0.3 1.4:0.5:0.3 2:0.5:0.3 2.8:0.5:0.3 4:0.5:0.3 4:0.5:0.2 2.8:0.25:0.2 4:0.25:0.15}
read -ra integrators <<<"${INTEGRATORS:-hermite4-groups}"
export OMP_NUM_THREADS=1 OMP_STACKSIZE=128M
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die() {
    echo "petar.sh: $*" >&2
    exit 1
}

# The stars as PeTar reads them: 7 of its 20 columns, and ids from 1 in the tenth.
write_input() {
    nbconv -q --to text --columns mass,pos,vel in.nbs | awk '
        !/^#/ { star[++n] = $0 }
        END { print 0, n, 0; for (i = 1; i <= n; i++) print star[i], 0, 0, i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }' >in.petar
}

# seconds_and_error: prints both for the run in out.nbs; fails if its last frame does not have the requested time
seconds_and_error() {
    local error
    error=$(cat in.nbs out.nbs | nbstat -q --threads 1 --no-header --columns time,energy_error | awk -v until="$until" '
        { e = $2 < 0 ? -$2 : $2; if (e > most) most = e }
        END { if ($1 != until) exit 1; printf "%.2g\n", most }') && echo "$(cat took) $error"
}

# run_nbsim NAME[:TOLERANCE]: prints seconds and energy error
run_nbsim() {
    local TIMEFORMAT=%U more=()
    [[ $1 != *:* ]] || more=(--tolerance "${1#*:}")
    { time nbsim -q --device cpu --threads 1 --max-de inf --every "$look" --until "$until" --integrator "${1%%:*}" \
        "${more[@]}" -f -o out.nbs in.nbs 2>said; } 2>took || die "$(tail -n 1 said)"
    seconds_and_error || die "nbsim ends before t = $until"
}

# Snapshots data.K become frames of a stream.
read_snapshots() {
    for file in data.[0-9]*; do
        awk -v k="${file#data.}" '
            NR == 1 { print "# frame", k, "time", $3; print "# id m x y z vx vy vz"; next }
            { print $10 - 1, $1, $2, $3, $4, $5, $6, $7 }
            END { print "\n" }' "$file"
    done | nbconv -q --from text --softening 0 -f -o out.nbs
}

# run_petar OPTIONS: seconds and energy error, or  if it fails
run_petar() {
    local TIMEFORMAT=%U
    rm -f data.*
    # shellcheck disable=SC2086 # words
    { time "$petar" -b "$pairs" -t "$until" -o "$look" $1 in.petar >log 2>said; } 2>took || return 0
    read_snapshots
    seconds_and_error || echo "it ends before t = $until" >said
}

# chosen TEXT: prints a number from PeTar's list of parameters
chosen() {
    sed -n "s/^ *$1 *= //p" log | head -n 1
}

# tune ERROR: prints the first options of PeTar with at most this energy error, else the options with the smallest error
tune() {
    local radius step setting options result
    radius=$(chosen 'Mean outer changeover radius')
    step=$(chosen 'Tree time step')
    for setting in $settings; do
        options=$(awk -F: -v r="$radius" -v s="$step" '{ printf "-r %.4g -s %.17g -T %s", $1 * r, $2 * s, $3 }' <<<"$setting")
        result=$(run_petar "$options")
        [ -n "$result" ] || continue
        echo "${result#* } $options"
        awk -v most="$1" '{ exit !($2 <= most) }' <<<"$result" && break
    done | sort -g | head -n 1 | cut -d ' ' -f 2-
}

# fastest FILE: prints the shortest time, and the energy error, which is the same in all rounds on one thread
fastest() {
    sort -g "$1" | head -n 1
}

compare() { # compare SHARE
    local i round best tuned
    nbgen plummer -n "$n" --seed 2 --softening 0 --binaries "$1" -q -f -o in.nbs
    pairs=$(awk -v share="$1" -v n="$n" 'BEGIN { print int(share / (1 + share) * n + 0.5) }')
    write_input
    rm -f rows.*
    run_nbsim "${integrators[0]}" >rows.0
    run_petar '' >rows.petar
    [ -s rows.petar ] || die "PeTar fails: $(tail -n 1 said)"
    tuned=$(tune "$(cut -d ' ' -f 2 rows.0)")
    for ((round = 0; round < ${ROUNDS:-3}; round++)); do
        for i in "${!integrators[@]}"; do run_nbsim "${integrators[i]}" >>"rows.$i"; done
        run_petar '' >>rows.petar
        [ -z "$tuned" ] || run_petar "$tuned" >>rows.tuned
    done
    best=$(fastest rows.0)
    for i in "${!integrators[@]}"; do row "$1" nbsim "${integrators[i]}" "rows.$i"; done
    row "$1" petar default rows.petar
    [ -z "$tuned" ] || row "$1" petar "$tuned" rows.tuned
}

row() { # row SHARE PROGRAM SETTING FILE
    fastest "$4" | awk -v OFS='\t' -v best="${best% *}" -v "head=$n\t$until\t$1\t$2\t$3" '
        { print head, $1, (best > 0 ? sprintf("%.2f", $1 / best) : "-"), $2 }'
}

printf '# n\ttime\tbinaries\tprogram\tsetting\tseconds\tratio\tenergy_error\n'
while [ $# -gt 0 ]; do
    n=$1 until=$2
    shift 2
    look=$(awk -v t="$until" 'BEGIN { printf "%.17g", t / 4 }')
    for share in ${SHARES:-0 0.1 1}; do compare "$share"; done
done
