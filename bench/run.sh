#!/bin/sh
# Runs the benchmarks and draws their pictures: bench/run.sh BUILD. Without a GPU it prints a note and runs those of the
# CPU. If the tables are made on a machine without gnuplot, run bench/plot.sh on another machine to draw them.
set -eu
build=${1:-build}
here=$(dirname "$0")
out=$here/results
mkdir -p "$out"

# table FILE COMMAND...: writes the output of about.sh and then the output of COMMAND to FILE
table() {
    to=$1
    shift
    { "$here/about.sh" "$build" && "$@"; } >"$to.new" && mv "$to.new" "$to" && cat "$to"
}

for device in cuda cpu; do
    why=$("$build/bench/direct" --device $device --only-n 1024)
    if echo "$why" | grep -qv '^#'; then
        table "$out/direct-$device.tsv" "$build/bench/direct" --device $device
        table "$out/methods-$device.tsv" "$here/methods.sh" "$build" $device
    else
        echo "$why"
    fi
done

for device in cuda cpu; do
    if "$build/bench/tree" --device $device --n 16 >/dev/null 2>&1; then
        table "$out/tree-$device.tsv" "$here/tree.sh" "$build" $device
        table "$out/pictures-$device.tsv" env DEVICE=$([ $device = cpu ] && echo cpu || echo auto) "$here/pictures.sh" "$build"
    fi
done

if "$build/bench/light_device" --device cuda --n 1000 --repeats 1 >/dev/null 2>&1; then
    table "$out/light-cuda.tsv" "$build/bench/light_device" --device cuda
fi

if "$build/bin/nbgen" galaxy -q -n 100 >/dev/null 2>&1 &&
    "$build/bench/direct" --device cuda --only-n 1024 | grep -qv '^#'; then
    table "$out/galaxy-cuda.tsv" "$here/galaxy.sh" "$build"
fi

if "$build/bench/direct" --device cuda --only-n 1024 | grep -qv '^#'; then
    table "$out/contact-cuda.tsv" "$here/contact-cuda.sh" "$build"
fi

if "$build/bin/nbbench" --device cuda:0 -n 1 >/dev/null 2>&1; then
    table "$out/mps-cuda.tsv" "$here/mps.sh" "$build"
fi

if "$build/bin/nbbench" --device cuda:0-1 -n 1 >/dev/null 2>&1; then
    table "$out/groups-cuda.tsv" "$here/groups.sh" "$build"
fi

if "$build/bench/direct" --device cuda --only-n 1024 | grep -qv '^#'; then
    table "$out/tracers-cuda.tsv" "$here/tracers.sh" "$build" 10M cuda
fi

table "$out/loads.tsv" "$build/bench/loads"
table "$out/light-cpu.tsv" "$here/light.sh" "$build"
table "$out/nbgen.tsv" "$here/nbgen.sh" "$build"

# One core and all cores, in the same run.
export OMP_NUM_THREADS=1
table "$out/tree-cpu-1.tsv" "$build/bench/tree" --device cpu --precision single --n 131072 --theta 0,0.75,0.8,0.9
table "$out/direct-cpu-1.tsv" "$build/bench/direct" --device cpu --only-n 16384
unset OMP_NUM_THREADS

"$here/summary.sh" "$build"
"$here/plot.sh"
