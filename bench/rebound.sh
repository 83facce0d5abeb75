#!/bin/sh
# nbsim beside REBOUND (Rein & Liu 2012, A&A 537, A128), which pip installs into a temporary folder from its usual index:
# bench/rebound.sh BUILD [YEARS]. The outer planets over YEARS (default 1e5) in steps of 100 days, and over a tenth of that
# in steps of 10; and as many orbits of two bodies. Then ias15 on a few small systems. A table on stdout; skipped, which it
# says, where there is no pip or no index.
set -eu
build=${1:?usage: bench/rebound.sh BUILD [YEARS]}
years=${2:-1e5}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(cd "$build" && pwd)/bin:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

skip() {
    echo "rebound: skipped, $*"
    exit 0
}

python3 -m venv "$folder/venv" >/dev/null 2>&1 || skip "python3 makes no virtual environment here"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rebound numpy >"$folder/log" 2>&1 ||
    skip "pip cannot install it: $(tail -n 1 "$folder/log")"
cd "$folder"
"$folder/venv/bin/python" "$here/rebound_rows.py" "$years"
