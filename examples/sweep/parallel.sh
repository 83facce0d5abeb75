#!/bin/sh
# The sweep by GNU parallel, as many runs at a time as JOBS says (default: cores). usage: parallel.sh [OUT]; see sweep.sh
set -eu
sweep=$(dirname "$0")/sweep.sh out=${1:-out}
if ! parallel --version 2>/dev/null | grep -q 'GNU parallel'; then
    echo "parallel.sh: no GNU parallel (Debian: parallel)" >&2
    exit 1
fi

# What is interrupted has a minute for its checkpoint.
"$sweep" list | parallel --jobs "${JOBS:-$(nproc)}" --termseq TERM,60000,KILL,25 "$sweep" run {} "$out"
"$sweep" table "$out"
"$sweep" picture "$out"
