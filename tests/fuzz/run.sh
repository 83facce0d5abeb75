#!/bin/sh
# Runs the fuzz targets that `make fuzz' builds.
#   tests/fuzz/run.sh BUILD SECONDS   all of them, streams half of the time
#   tests/fuzz/run.sh BUILD - COUNT   that many streams
# Prints how many inputs were tried. Fails when one crashed a target or an answer did not agree with another: that one is
# kept as BUILD/found-*. What libFuzzer learns stays in BUILD/corpus-*.
build=$1 seconds=$2 count=$3 found=0 total=0
here=$(dirname "$0")
export OMP_NUM_THREADS=1

run() { # run TARGET OPTIONS...
    target=$1
    shift
    mkdir -p "$build/corpus-$target"
    log=$build/fuzz-$target.log
    # A pipe may announce a frame that just fits the machine's memory: what is used is limited, what is asked for is not.
    "$build/tests/fuzz/fuzz_$target" -malloc_limit_mb=1000000 -timeout=20 -close_fd_mask=3 -print_final_stats=1 "$@" \
        -artifact_prefix="$build/found-$target-" "$build/corpus-$target" "$here/corpus-$target" >"$log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    total=$((total + ${runs:-0}))
    if [ $status = 0 ]; then
        echo "fuzz_$target: ${runs:-0} inputs, crashed 0, answers that do not agree 0"
    else
        found=1
        grep -aE 'does not hold|^SUMMARY|Test unit written' "$log"
        echo "fuzz_$target: failed after ${runs:-?} inputs; $log says why" >&2
    fi
}

if [ -n "$count" ]; then
    run stream -max_len=8000 -runs="$count"
    exit $found
fi
part=$((seconds / 16 > 0 ? seconds / 16 : 1))
run stream -max_len=8000 -max_total_time=$((5 * part))
run pack -max_len=200 -max_total_time=$part
run force -max_len=400 -max_total_time=$part
run field -max_len=600 -max_total_time=$part
run select -max_len=400 -max_total_time=$part
run scene -max_len=400 -max_total_time=$part
for target in text rosetta tipsy nemo gadget2; do
    run $target -max_len=1000 -max_total_time=$part
done
for target in options outline; do # what a tool leaves when it ends is no leak
    run $target -max_len=1000 -max_total_time=$part -detect_leaks=0
done
echo "$total inputs in all"
exit $found
