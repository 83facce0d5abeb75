#!/bin/sh
# Writes the rows of light-cpu.tsv: bench/light.sh BUILD. A Plummer sphere and two disks before they meet, 1M and 10M
# bodies.
set -eu
build=$1
"$build/bench/light" --n 1e6,1e7
for n in 1M 10M; do
    "$build/bin/nbgen" collision -n $n | "$build/bench/light" --input - | grep -v '^#'
done
