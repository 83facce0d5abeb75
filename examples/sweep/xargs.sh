#!/bin/sh
# Runs the sweep with xargs, JOBS runs at a time (default: cores). usage: xargs.sh [OUT]; see sweep.sh
set -eu
sweep=$(dirname "$0")/sweep.sh out=${1:-out}

"$sweep" list | xargs -P "${JOBS:-$(nproc)}" -I NAME "$sweep" run NAME "$out"
"$sweep" table "$out"
"$sweep" picture "$out"
