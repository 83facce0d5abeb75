#!/bin/sh
# Runs the fuzz targets that `make fuzz' builds: tests/fuzz/run.sh BUILD SECONDS
# The stream takes half of the time. What libFuzzer learns stays in BUILD/corpus-NAME. Prints how many inputs were tried,
# and fails when one of them crashed a target or an answer did not agree with another; that one is then kept.
build=$1 seconds=$2 found=0 total=0
here=$(dirname "$0")
export OMP_NUM_THREADS=1
for target in stream text rosetta force options; do
    case $target in
    stream) share=$((seconds / 2)) options="-max_len=8000" ;;
    force) share=$((seconds / 8)) options="-max_len=400" ;;
    *) share=$((seconds / 8)) options="-max_len=1000 -detect_leaks=0" ;; # what a tool leaves when it ends is no leak
    esac
    mkdir -p "$build/corpus-$target"
    log=$build/fuzz-$target.log
    # shellcheck disable=SC2086 # several options
    "$build/tests/fuzz/fuzz_$target" $options -max_total_time=$((share > 0 ? share : 1)) -timeout=20 -close_fd_mask=3 \
        -print_final_stats=1 -artifact_prefix="$build/found-$target-" "$build/corpus-$target" "$here/corpus-$target" \
        >"$log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    total=$((total + ${runs:-0}))
    if [ $status = 0 ]; then
        echo "fuzz_$target: ${runs:-0} inputs, nothing found"
    else
        found=1
        grep -aE 'does not hold|^SUMMARY|Test unit written' "$log"
        echo "fuzz_$target: failed after ${runs:-?} inputs; $log says why" >&2
    fi
done
echo "$total inputs in all"
exit $found
