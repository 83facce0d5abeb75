#!/bin/sh
# Runs the benchmarks and draws their pictures: bench/run.sh BUILD. Without a GPU the CPU's are run, and it says so.
# Where the tables are made without gnuplot, bench/plot.sh draws them elsewhere.
set -eu
build=${1:-build}
out=$(dirname "$0")/results
mkdir -p "$out"
for device in cuda cpu; do
    table=$out/direct-$device.tsv
    "$build/bench/direct" --device $device >"$table.new"
    if grep -qv '^#' "$table.new"; then
        mv "$table.new" "$table"
        cat "$table"
    else
        cat "$table.new"
        rm "$table.new"
    fi
done

for device in cuda cpu; do
    table=$out/tree-$device.tsv
    if "$build/bench/tree" --device $device --n 16 >/dev/null 2>&1; then
        "$(dirname "$0")/tree.sh" "$build" $device >"$table.new"
        mv "$table.new" "$table"
        cat "$table"
    fi
done

# One core beside all of them, in the same run.
OMP_NUM_THREADS=1 "$build/bench/tree" --device cpu --precision single --n 131072 --theta 0,0.75,0.8,0.9 \
    >"$out/tree-cpu-1.tsv"
cat "$out/tree-cpu-1.tsv"
OMP_NUM_THREADS=1 "$build/bench/direct" --device cpu --only-n 16384 >"$out/direct-cpu-1.tsv"
cat "$out/direct-cpu-1.tsv"

"$(dirname "$0")/summary.sh" "$build"
"$(dirname "$0")/plot.sh"
