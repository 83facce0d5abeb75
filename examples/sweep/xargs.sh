#!/bin/sh
# The sweep by xargs, as many runs at a time as JOBS says (default: cores). usage: xargs.sh [OUT]; see sweep.sh
set -eu
sweep=$(dirname "$0")/sweep.sh out=${1:-out}

"$sweep" list | xargs -P "${JOBS:-$(nproc)}" -I NAME "$sweep" run NAME "$out"
"$sweep" table "$out"
"$sweep" picture "$out"
