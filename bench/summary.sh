#!/bin/sh
# Summarises the tables: all cores compared with one, GPU with CPU, tree with direct summation; measures the cost of
# output at every step. bench/summary.sh BUILD
set -eu
build=${1:-build}
cd "$(dirname "$0")/results"

rate() { # rate TABLE PRECISION N: pair forces, 10^9 a second
    [ ! -e "$1" ] || awk -F'\t' -v p="$2" -v n="$3" '$2 == p && $3 == n { print $5 }' "$1"
}

for precision in single double; do
    one=$(rate direct-cpu-1.tsv $precision 16384) all=$(rate direct-cpu.tsv $precision 16384)
    [ -z "$one" ] || [ -z "$all" ] || awk -v p=$precision -v a="$all" -v o="$one" \
        'BEGIN { printf "%s, 16384 bodies: all cores %.2f times one\n", p, a / o }'
    for n in 2048 4096 8192 16384 32768 65536 131072; do
        gpu=$(rate direct-cuda.tsv $precision $n) cpu=$(rate direct-cpu.tsv $precision $n)
        [ -z "$gpu" ] || [ -z "$cpu" ] || awk -v p=$precision -v n=$n -v g="$gpu" -v c="$cpu" \
            'BEGIN { printf "%s, %d bodies: GPU %.0f times CPU\n", p, n, g / c }'
    done
done
# The tree: its cost against the number of bodies, single at theta 0.75, and against the direct sum of the same table.
for device in cuda cpu cpu-1; do
    [ ! -e tree-$device.tsv ] || awk -F'\t' -v d=$device '
        $18 != "" && $18 != "sphere" {
            if ($3 == "tree" && $5 == 0.75 && ($4 in tree))
                printf "tree on %s, %d bodies: %s takes %.2f times the sphere, median error %s\n", d, $4, $18, $6 / tree[$4], $8
            next
        }
        $3 == "direct" { direct[$4] = $6 }
        $2 == "single" && $3 == "tree" && $5 == 0.75 && !($4 in tree) {
            tree[$4] = $6; median[$4] = $8
            if ($4 >= 10000) { x = log($4); y = log($6); n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
        }
        END {
            if (n > 2) printf "tree on %s: time grows as the number of bodies to the power %.2f\n", d, (n * sxy - sx * sy) / (n * sxx - sx * sx)
            for (k in tree) if (k in direct)
                printf "tree on %s, %d bodies: %.3g times the direct sum, median error %s\n", d, k, tree[k] / direct[k], median[k]
        }' tree-$device.tsv
done
one=$(awk -F'\t' '$3 == "tree" && $5 == 0.75 { print $6 }' tree-cpu-1.tsv 2>/dev/null || true)
all=$(awk -F'\t' '$2 == "single" && $3 == "tree" && $4 == 131072 && $5 == 0.75 && ($18 == "" || $18 == "sphere") { print $6 }' tree-cpu.tsv 2>/dev/null || true)
[ -z "$one" ] || [ -z "$all" ] || awk -v o="$one" -v a="$all" \
    'BEGIN { printf "tree, 131072 bodies, single: all cores %.2f times one\n", o / a }'

# Output at every step against none, on a GPU, where a step of 65536 bodies takes about 2 ms.
cd - >/dev/null
if "$build/bin/nbgen" plummer -n 65536 -q | "$build/bin/nbsim" -q --device cuda --steps 1 -o /dev/null 2>/dev/null; then
    for every in "" "--every 0.001"; do
        # shellcheck disable=SC2086
        "$build/bin/nbgen" plummer -n 65536 -q |
            "$build/bin/nbsim" --precision single --steps 500 --dt 0.001 $every -o /dev/null 2>&1 | tail -n 1 |
            sed "s/^nbsim: /65536 bodies, single, ${every:-no output}: /"
    done
fi
