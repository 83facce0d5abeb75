#!/bin/sh
# Tests against other people's programs and packages: tests/interop/run.sh BUILD
# A virtual environment in BUILD/interop has the newest from the Python index, and is made once; what Debian has is tested by
# /usr/bin/python3 too. A test whose package is not there is skipped, and says so.
set -u
build=${1:?usage: tests/interop/run.sh BUILD}
cd "$(dirname "$0")/../.." || exit 1
venv=$build/interop status=0

if [ ! -e "$venv/ready" ]; then
    echo "interop: making $venv"
    python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check -r tests/interop/requirements.txt &&
        touch "$venv/ready" || echo "interop: pip failed: only what is installed is tested"
fi

export NB_BUILD="$build" PYTHONDONTWRITEBYTECODE=1
for python in "$venv/bin/python" /usr/bin/python3; do
    "$python" -c 'import numpy, pytest' 2>/dev/null || { echo "interop: skipped, $python lacks numpy or pytest"; continue; }
    echo "interop: $python"
    for file in python/tests/interop_*.py tests/interop/test_*.py; do
        [ -e "$file" ] || continue
        "$python" -m pytest -q -rs -p no:cacheprovider "$file"
        case $? in 0 | 5) ;; *) status=1 ;; esac # 5: all were skipped
    done
done
exit $status
