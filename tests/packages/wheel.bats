#!/usr/bin/env bats
# The Python wheel with the programs: its contents, and an installation in clean environments, which make a film.
bats_require_minimum_version 1.5.0
load packages

wheel() { # wheel [PROCESSOR]
    echo "$PACKAGES"/pypi/nbstream-"$version"-py3-none-manylinux_*_"${1:-$(uname -m)}".whl
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

# The library that came with the module: two bodies on a circle about each other are where they began after one period. It is
# the file in the package, with the libgomp of the wheel.
try_engine='
import math, os
import nbstream
from nbstream import engine
with engine.System(mass=[0.75, 0.25], pos=[[-0.25, 0, 0], [0.75, 0, 0]], vel=[[0, -0.25, 0], [0, 0.75, 0]]) as pair:
    pair.advance(math.pi)
    assert abs(pair.pos - [[0.25, 0, 0], [-0.75, 0, 0]]).max() < 1e-9, pair.pos
    pair.advance(2 * math.pi)
    assert abs(pair.pos - [[-0.25, 0, 0], [0.75, 0, 0]]).max() < 1e-9, pair.pos
folder = os.path.realpath(nbstream.__path__[0])
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libnbtools" in line or "libgomp" in line}
assert folder + "/libnbtools.so" in loaded, loaded
assert any(name.startswith(folder + ".libs/libgomp-") for name in loaded), loaded
'

# A wheel, unpacked into ./tree, has all that it should.
whole() { # whole WHEEL
    python3 -m zipfile -e "$1" tree
    data=tree/nbstream-$version.data info=tree/nbstream-$version.dist-info
    for tool in nbgen nbsim nbrender nbstat nbconv nbedit nbbench; do
        [ -s "$data/scripts/$tool" ]
        [ -s "$data/data/share/man/man1/$tool.1" ]
        chmod +x "$data/scripts/$tool"
        # Nothing of the machine but the C library; with CUDA, C++'s.
        needed=$(readelf -d "$data/scripts/$tool" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
        run ! grep -vE '^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so|ld-linux)' <<<"$needed"
    done
    # The library needs GCC's libgomp too, which is in the wheel.
    needed=$(readelf -d tree/nbstream/libnbtools.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    gomp=$(grep '^libgomp-' <<<"$needed")
    [ -s "tree/nbstream.libs/$gomp" ]
    run ! grep -vE "^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so|ld-linux|$gomp)" <<<"$needed"
    [ -s tree/nbstream/__init__.py ]
    grep -qx 'License-Expression: MIT AND GPL-3.0-or-later' "$info/METADATA"
    for terms in LICENSE NOTICES GPL-3.0.txt libgsl.txt libhdf5.txt libfreetype.txt libjpeg62-turbo.txt libwebp.txt zlib1g.txt; do
        [ -s "$info/licenses/$terms" ]
        grep -qx "License-File: $terms" "$info/METADATA"
    done
    glibc=$(sed -n 's/^Tag: py3-none-manylinux_2_\([0-9]*\)_.*/\1/p' "$info/WHEEL")
    [ "$glibc" -le 31 ]
}

@test "the wheel has module, programs, pages and all terms, for glibc 2.31; its licence is said" {
    whole "$(wheel)"
    "$data/scripts/nbgen" --version | grep -q '^with      GSL'
}

@test "the wheel for Arm is complete too, and its programs run under qemu-user" {
    whole "$(wheel aarch64)"
    { command -v qemu-aarch64 && [ -e /usr/aarch64-linux-gnu/lib/libc.so.6 ]; } >/dev/null || skip "no qemu-aarch64 with a C library for Arm"
    arm() { # one thread: qemu-user 7.2 comes to a stop where a program linked to shared libraries starts a thread
        OMP_THREAD_LIMIT=1 timeout 300 qemu-aarch64 -L /usr/aarch64-linux-gnu "$data/scripts/$@"
    }
    arm nbgen galaxy -q -n 500 -o galaxy.nbs
    arm nbsim -q --until 0.2 --every 0.1 -o run.nbs galaxy.nbs
    arm nbstat -q --max-de 1e-3 run.nbs >&2
    arm nbrender -q --size 320x180 -o frame-%03d.png run.nbs
    pictures 320 180 frame-00[012].png
    arm nbconv --to gadget --length-unit 1kpc --mass-unit 1e10Msun -o run.hdf5 run.nbs
    [ -s run.hdf5 ]
}

@test "the source has the module and its terms, and pip makes a wheel of it; what is uploaded is this and the wheels" {
    source=$PACKAGES/pypi/nbstream-$version.tar.gz
    tar -tzf "$source" | sed "s,nbstream-$version/,," | grep -v '^$\|/$\|egg-info/\|^PKG-INFO$\|^setup.cfg$' | LC_ALL=C sort >held
    (cd "$here/python" && git ls-files README.md pyproject.toml nbstream && echo LICENSE) | LC_ALL=C sort | diff - held
    python3 -m venv env
    env/bin/pip wheel -q --disable-pip-version-check --no-deps "$source" >&2 || skip "pip gets no setuptools: no index?"
    [ -s "nbstream-$version-py3-none-any.whl" ]
    env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES make -s -C "$here" -o wheels publish TWINE=echo >said
    [ "$(tail -n 1 said | sed "s,[^ ]*/,,g")" = "upload $(cd "$PACKAGES/pypi" && echo *)" ]
    [ "$(ls "$PACKAGES/pypi")" = "$(printf '%s\n' "$(basename "$(wheel aarch64)")" "$(basename "$(wheel x86_64)")" "nbstream-$version.tar.gz")" ]
}

@test "pip installs it in a clean environment; nbgen is on the path and makes galaxies, nbrender a film or pictures" {
    python3 -m venv env
    env/bin/pip install -q --disable-pip-version-check "$(wheel)" >&2 || skip "pip gets no numpy: no index?"
    export PATH=$PWD/env/bin:/usr/bin:/bin
    [ "$(command -v nbgen)" = "$PWD/env/bin/nbgen" ]
    env/bin/python -c "$try"
    env/bin/python -c "$try_engine"
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
    PYTHONPATH=here env/bin/python -c "$try_engine"
}

@test "in a clean root with python3 and venv alone it runs, without ffmpeg and fonts" {
    clean_root
    in_root 'apt-get -q update; apt-get -qy install --no-install-recommends python3-venv' >&2
    cp "$(wheel)" root/root
    in_root 'python3 -m venv env; env/bin/pip install -q nbstream-*.whl' >&2 || skip "pip gets no numpy: no index?"
    echo "$try" >root/root/try.py
    echo "$try_engine" >root/root/try_engine.py
    in_root 'PATH=/root/env/bin:$PATH; export PATH; python try.py; python try_engine.py; nbrender -q --size 320x180 -o frame-%03d.png run.nbs'
    pictures 320 180 root/root/frame-00[012].png
    without_driver /root/env/bin
    in_root 'PATH=/root/env/bin:$PATH; nbrender -q -o film.mp4 run.nbs 2>message && exit 1; grep -q ffmpeg message'
}
