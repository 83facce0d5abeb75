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
"$(dirname "$0")/plot.sh"
