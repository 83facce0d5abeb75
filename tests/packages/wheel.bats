#!/usr/bin/env bats
# The Python wheel with the programs: looked through, and installed in clean environments, where a film is made.
bats_require_minimum_version 1.5.0
load packages

wheel() {
    echo "$PACKAGES"/wheel/nbstream-"$version"-py3-none-manylinux_*.whl
}

# In an environment that is active: the module finds the programs that came with it, and they make a film.
try='
import os, subprocess, sys
import nbstream
from nbstream import programs
assert programs.folder() == os.path.dirname(sys.executable), programs.folder()
run = subprocess.run("nbgen galaxy -n 500 -q | nbsim -q --until 0.2 --every 0.1 -o run.nbs && nbstat -q --max-de 1e-3 run.nbs", shell=True)
assert run.returncode == 0
assert [frame.n for frame in nbstream.frames("run.nbs")] == [500] * 3
'

@test "the wheel has module, programs, pages and all terms; its tag is of manylinux, its licence said" {
    python3 -m zipfile -e "$(wheel)" tree
    data=tree/nbstream-$version.data info=tree/nbstream-$version.dist-info
    for tool in nbgen nbsim nbrender nbstat nbconv nbedit nbbench; do
        [ -s "$data/scripts/$tool" ]
        [ -s "$data/data/share/man/man1/$tool.1" ]
        chmod +x "$data/scripts/$tool"
        # Nothing of the machine but the C library; with CUDA, C++'s.
        needed=$(readelf -d "$data/scripts/$tool" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
        run ! grep -vE '^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so|ld-linux)' <<<"$needed"
    done
    [ -s tree/nbstream/__init__.py ]
    grep -q '^License: .*GPL' "$info/METADATA"
    for terms in LICENSE NOTICES GPL-3.0.txt libgsl.txt libhdf5.txt libfreetype.txt libjpeg62-turbo.txt libwebp.txt zlib1g.txt; do
        [ -s "$info/licenses/$terms" ]
        grep -qx "License-File: $terms" "$info/METADATA"
    done
    grep -qx 'Tag: py3-none-manylinux_.*' "$info/WHEEL"
    "$data/scripts/nbgen" --version | grep -q '^with      GSL'
}

@test "pip installs it in a clean environment; nbgen is on the path and makes galaxies, nbrender a film or pictures" {
    python3 -m venv env
    env/bin/pip install -q --disable-pip-version-check "$(wheel)" >&2 || skip "pip gets no numpy: no index?"
    export PATH=$PWD/env/bin:/usr/bin:/bin
    [ "$(command -v nbgen)" = "$PWD/env/bin/nbgen" ]
    env/bin/python -c "$try"
    nbrender -q --size 320x180 -o frame-%03d.png run.nbs
    pictures 320 180 frame-00[012].png
    if command -v ffmpeg >/dev/null; then
        nbrender -q --size 320x180 -o film.mp4 run.nbs
        [ -s film.mp4 ]
    fi
    env/bin/pip uninstall -qy nbstream
    [ ! -e env/bin/nbgen ]
    [ ! -e env/share/man/man1/nbgen.1 ]
}

@test "with pip --target, too, the module finds the programs" {
    python3 -m venv env
    env/bin/pip install -q --disable-pip-version-check --target here "$(wheel)" >&2 || skip "pip gets no numpy: no index?"
    found=$(PYTHONPATH=here env/bin/python -c 'from nbstream import programs; print(programs.find("nbsim"))')
    [ "$found" = "$PWD/here/bin/nbsim" ]
    [ -x "$found" ]
}

@test "in a clean root with python3 and venv alone it runs, without ffmpeg and fonts" {
    clean_root
    in_root 'apt-get -q update; apt-get -qy install --no-install-recommends python3-venv' >&2
    cp "$(wheel)" root/root
    in_root 'python3 -m venv env; env/bin/pip install -q nbstream-*.whl' >&2 || skip "pip gets no numpy: no index?"
    echo "$try" >root/root/try.py
    in_root 'PATH=/root/env/bin:$PATH; export PATH; python try.py; nbrender -q --size 320x180 -o frame-%03d.png run.nbs'
    pictures 320 180 root/root/frame-00[012].png
    in_root 'PATH=/root/env/bin:$PATH; nbrender -q -o film.mp4 run.nbs 2>message && exit 1; grep -q ffmpeg message'
}
