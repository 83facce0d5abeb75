#!/bin/sh
# Writes the tables of the tree force: bench/tree.sh BUILD DEVICE, as TSV on stdout. bench/run.sh calls it. On a GPU:
# sizes from 16 k to 16 M at theta 0.75, larger and smaller theta for the large sizes, theta from 0.2 to 1.2 for a
# million bodies with direct summation for comparison (theta 0), precisions; then the models of nbgen. These are not
# truncated, unlike the sphere, so some of their leaves are very large. On a CPU: the same with sizes for a CPU.
set -eu
build=${1:-build} device=${2:-cuda}
rows() {
    "$build/bench/tree" --device "$device" "$@" | if [ -z "${header:-}" ]; then cat; else grep -v '^#' || true; fi
    header=done
}

# models N THETA,...: nbgen's own, as it makes them
models() {
    for model in plummer disk collision; do
        "$build/bin/nbgen" $model -n "$1" -q | rows --input - --theta "$2" --precision single
    done
}

if [ "$device" = cuda ]; then
    rows --n 16384,32768,65536,131072,262144,1048576,4194304,16777216 --theta 0.75
    rows --n 4194304,16777216 --theta 0.55,0.65,0.9,1
    rows --n 1048576 --theta 0,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,1.1,1.2
    rows --n 65536,1048576 --theta 0.75 --precision mixed
    rows --n 65536,1048576 --theta 0.75 --precision double
    rows --n 32768,65536 --theta 0
    rows --n 1048576 --theta 0.75 --rebuild 8
    rows --n 67108864 --theta 0.75
    models 1048576 0,0.75,0.5
    models 4194304 0.75
else
    rows --n 131072 --theta 0,0.2,0.3,0.4,0.5,0.6,0.7,0.75,0.8,0.9,1,1.1,1.2 --precision single
    rows --n 10000,32768,65536,262144,1048576 --theta 0.75 --precision single
    rows --n 131072 --theta 0.75 --precision mixed
    rows --n 131072 --theta 0.75 --precision double
    models 131072 0,0.75,0.5
fi
