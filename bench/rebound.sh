#!/bin/sh
# Compares nbsim with REBOUND (Rein & Liu 2012, A&A 537, A128): bench/rebound.sh BUILD [YEARS]. pip builds REBOUND in a
# temporary folder, or installs its wheel if there is no compiler. The problems: the outer planets over YEARS (default 1e5) in
# steps of 100 days, and over a tenth of YEARS in steps of 10 days; eight planets in as many steps of 6 days; YEARS orbits of
# two bodies; ias15 on a few small systems. WHFast512 (Javaheri et al. 2023, OJAp 6, E29) runs too if the CPU has AVX-512.
# PLUMMER="N TIME ..." measures Plummer spheres of N bodies without softening to TIME instead: hermite4-block, hermite4, rkf78 and
# ias15 of nbsim, and REBOUND's ias15 (bench/plummer_rows.py lists its settings).
# Writes a table to stdout. If there is no pip or no index, it says so and is skipped.
set -eu
build=$(cd "${1:?usage: bench/rebound.sh BUILD [YEARS]}" && pwd)
years=${2:-1e5}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$build/bin:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

skip() {
    echo "rebound: skipped, $*"
    exit 0
}

python3 -m venv "$folder/venv" >/dev/null 2>&1 || skip "python3 makes no virtual environment here"
install() { "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$@" >"$folder/log" 2>&1; }
# Versions before 5.2 read AVX512.
AVX512=1 install --no-binary rebound rebound numpy || install rebound numpy ||
    skip "pip cannot install it: $(tail -n 1 "$folder/log")"
"$here/about.sh" "$build"
cd "$folder"
# shellcheck disable=SC2086 # words
if [ -n "${PLUMMER-}" ]; then
    "$folder/venv/bin/python" "$here/plummer_rows.py" $PLUMMER
else
    "$folder/venv/bin/python" "$here/rebound_rows.py" "$years"
fi
