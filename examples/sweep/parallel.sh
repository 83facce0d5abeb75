#!/bin/sh
# Runs the sweep with GNU parallel, JOBS runs at a time (default: cores). usage: parallel.sh [OUT]; see sweep.sh
set -eu
sweep=$(dirname "$0")/sweep.sh out=${1:-out}
if ! parallel --version 2>/dev/null | grep -q 'GNU parallel'; then
    echo "parallel.sh: no GNU parallel (Debian: parallel)" >&2
    exit 1
fi

# An interrupted run has a minute to write its checkpoint.
"$sweep" list | parallel --jobs "${JOBS:-$(nproc)}" --termseq TERM,60000,KILL,25 "$sweep" run {} "$out"
"$sweep" table "$out"
"$sweep" picture "$out"
