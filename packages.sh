#!/bin/sh
# Sees to it that what a target needs is installed: packages.sh build|check|demo|bench|lint [stamp file]
# As root on Debian or Ubuntu it installs what is missing; otherwise it names it and fails.
set -u
missing=

header() { # header FILE PACKAGE
    echo "#include <$1>" | ${CC:-cc} -E -x c - >/dev/null 2>&1 || missing="$missing $2"
}

program() { # program NAME PACKAGE
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

numpy() {
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' >/dev/null 2>&1 && return
    done
    missing="$missing python3-numpy"
}

build() {
    program "${CC:-cc}" gcc
    header stdio.h libc6-dev
    header png.h libpng-dev
    header zlib.h zlib1g-dev
    header xxhash.h libxxhash-dev
    header Random123/philox.h librandom123-dev
}

look() {
    missing=
    case $1 in
    build) build ;;
    check) build; header cmocka.h libcmocka-dev; program bats bats; program prove perl; program ffmpeg ffmpeg; numpy ;;
    demo) build; program ffmpeg ffmpeg ;;
    bench) build; program gnuplot gnuplot-nox ;;
    tsan) build; program clang clang; header omp.h libomp-dev ;;
    arm) program aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu; program qemu-aarch64 qemu-user
        [ -e /usr/aarch64-linux-gnu/include/stdio.h ] || missing="$missing libc6-dev-arm64-cross" ;;
    lint) build; program clang-format clang-format ;;
    *) echo "packages.sh: no list called '$1'" >&2; exit 2 ;;
    esac
}

look "$1"
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install -y --no-install-recommends $missing; } >/tmp/nbtools-packages.$$ 2>&1 ||
        tail -n 5 /tmp/nbtools-packages.$$ >&2
    rm -f /tmp/nbtools-packages.$$
    look "$1"
fi
if [ -n "$missing" ]; then
    echo "missing packages: install them with   apt-get install$missing" >&2
    exit 1
fi
[ $# -lt 2 ] || { mkdir -p "$(dirname "$2")" && : >"$2"; }
