#!/usr/bin/env bash
# Compares all threads with one thread for small systems: wall time of nbsim's leapfrog on the CPU. The runs take turns,
# on idle cores and with a busy process on each core. Prints medians of ROUNDS runs, and the time of all threads divided
# by the time of one thread; then the same for the shortest runs.
#
# usage: small.sh BUILD [N STEPS]...
set -euo pipefail
bin=$1/bin
shift
[ $# -gt 0 ] || set -- 64 60000 257 20000 600 12000 1500 3000 3000 800
work=$(mktemp -d)
spinning=()
trap '[ ${#spinning[@]} = 0 ] || kill "${spinning[@]}"; rm -rf "$work"' EXIT

seconds() { # seconds THREADS: of one run
    local begin=$EPOCHREALTIME
    "$bin/nbsim" -q --device cpu --threads "$1" --integrator leapfrog --dt 0.0005 --steps "$steps" -f -o /dev/null "$work/in.nbs"
    awk -v b="$begin" -v e="$EPOCHREALTIME" 'BEGIN { print e - b }'
}

median() { # median FILE
    sort -g "$1" | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'
}

cores=$(nproc)
printf '# n\tsteps\tspinning\tone thread, s\t%s threads, s\tratio\n' "$cores"
for spin in 0 "$cores"; do
    for ((k = 0; k < spin; k++)); do
        sh -c 'while :; do :; done' &
        spinning+=($!)
    done
    sizes=("$@")
    for ((k = 0; k + 1 < ${#sizes[@]}; k += 2)); do
        n=${sizes[k]} steps=${sizes[k + 1]}
        "$bin/nbgen" plummer -q -n "$n" -f -o "$work/in.nbs"
        : >"$work/one"
        : >"$work/all"
        for ((round = 0; round < ${ROUNDS:-5}; round++)); do
            seconds 1 >>"$work/one"
            seconds "$cores" >>"$work/all"
        done
        awk -v n="$n" -v steps="$steps" -v spin="$spin" -v one="$(median "$work/one")" -v all="$(median "$work/all")" \
            'BEGIN { printf "%s\t%s\t%s\t%.3f\t%.3f\t%.2f\n", n, steps, spin, one, all, all / one }'
    done
done

kill "${spinning[@]}"
spinning=()
printf '# nbgen kepler | nbsim --steps 1, ms\n'
for ((round = 0; round < 40; round++)); do
    begin=$EPOCHREALTIME
    "$bin/nbgen" kepler -q | "$bin/nbsim" -q --steps 1 >/dev/null
    awk -v b="$begin" -v e="$EPOCHREALTIME" 'BEGIN { print 1000 * (e - b) }' >>"$work/start"
done
printf '%.1f\n' "$(median "$work/start")"
