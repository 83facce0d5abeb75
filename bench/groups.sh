#!/bin/sh
# Several GPUs as one against one of them, in one run: the standard table of each, and how many times as fast several are.
# bench/groups.sh BUILD [DEVICES]; DEVICES is cuda:all, or a range such as cuda:0-1.
set -eu
build=${1:-build} many=${2:-cuda:all}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

for precision in single mixed double; do
    for device in cuda:0 "$many"; do
        "$build/bin/nbsim" -q --benchmark --device "$device" --precision $precision | sed "/^#/!s/^cuda/$device/" >>"$out"
    done
done
# The facts of each device once, and the names of the columns.
awk '/^#/ && !seen[$0]++' "$out"
grep -v '^#' "$out"
awk -F'\t' -v many="$many" '/^#/ { next }
    $1 == "cuda:0" { one[$2 $3 $4] = $6 }
    $1 == many && ($2 $3 $4) in one {
        printf "# %s %s %d: a step on %s is %.2f times as fast as on one\n", $2, $3, $4, many, one[$2 $3 $4] / $6
    }' "$out"

# Weak scaling of the tree: as many bodies on each.
weak=64M
for device in cuda:0 "$many"; do
    count=$("$build/bin/nbsim" --benchmark --device "$device" -n 1 | sed -n 's/^# device: \([0-9]*\) x .*/\1/p')
    n=$((${weak%M} * ${count:-1}))M
    "$build/bin/nbgen" plummer -q -n "$n" | "$build/bin/nbsim" --progress=off --device "$device" --precision single \
        --force tree --dt 1e-4 --steps 10 --max-de inf -o /dev/null 2>&1 | sed -n "s/^nbsim: \(.*steps\/s\).*/# tree single $n on $device: \1/p"
done
