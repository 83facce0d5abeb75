#!/usr/bin/env bash
# Large star clusters with p3t: wall time of nbsim to a time, and the largest energy error of four outputs from nbstat.
# Plummer spheres without softening, of single stars, with 10 % and with 100 % binaries.
#
# usage: p3t.sh BUILD [N TIME]...    (default: 100k 1 1M 0.0625)
# DEVICE, SHARES and SEED in the environment choose the device, the shares of binaries and the stars.
set -euo pipefail
bin=$1/bin
shift
[ $# -gt 0 ] || set -- 100k 1 1M 0.0625
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '# n\ttime\tbinaries\tseconds\tenergy_error\n'
while [ $# -ge 2 ]; do
    for share in ${SHARES:-0 0.1 1}; do
        with=()
        [ "$share" = 0 ] || with=(--binaries "$share")
        "$bin/nbgen" plummer -q -n "$1" --softening 0 --seed "${SEED:-1}" "${with[@]}" -f -o "$work/in.nbs"
        every=$(awk -v t="$2" 'BEGIN { printf "%.17g", t / 4 }')
        begin=$(date +%s.%N)
        "$bin/nbsim" -q --device "${DEVICE:-auto}" --integrator p3t --until "$2" --every "$every" -f \
            -o "$work/out.nbs" "$work/in.nbs"
        end=$(date +%s.%N)
        error=$("$bin/nbstat" -q --columns energy_error "$work/out.nbs" |
            awk '!/^#/ { e = $1 < 0 ? -$1 : $1; if (e > most) most = e } END { print most + 0 }')
        awk -v n="$1" -v t="$2" -v b="$share" -v s="$begin" -v e="$end" -v d="$error" \
            'BEGIN { printf "%s\t%s\t%s\t%.2f\t%.1e\n", n, t, b, e - s, d }'
    done
    shift 2
done
