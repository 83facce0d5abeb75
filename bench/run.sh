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

# One core beside all of them, in the same run.
OMP_NUM_THREADS=1 "$build/bench/direct" --device cpu --only-n 16384 >"$out/direct-cpu-1.tsv"
cat "$out/direct-cpu-1.tsv"

"$(dirname "$0")/summary.sh" "$build"
"$(dirname "$0")/plot.sh"
