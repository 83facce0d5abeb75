#!/bin/sh
# The packages that the targets of the Makefile need, by their Debian names.
#   packages.sh name LIST...      names the missing packages
#   packages.sh install LIST...   prints the missing packages and installs them, if root runs it on Debian or Ubuntu;
#                                 otherwise only names them
# The lists: build mpi sweep demo check check-long bench site lint tsan fuzz musl arm deb wheel root check-packages, and
# all. Fails if a needed package is missing at the end. For a missing optional package it prints a note with the effect.
set -u
CC=${CC:-cc}
PKG_CONFIG=${PKG_CONFIG:-pkg-config}
missing= # needed packages
lacking= # optional packages
notes=

need() { # need PACKAGE
    case " $missing " in *" $1 "*) ;; *) missing="$missing $1" ;; esac
}

wish() { # wish PROGRAM PACKAGE WITHOUT-IT
    command -v "$1" >/dev/null 2>&1 && return
    case " $missing $lacking " in *" $2 "*) return ;; esac
    lacking="$lacking $2"
    notes="${notes}note: no $1: $3 (apt install $2)
"
}

# NOTE says which functions are missing without an optional library.
libraries() { # libraries need|wish NOTE PACKAGE...
    how=$1 note=$2
    shift 2
    for package in "$@"; do
        case "$how: $missing $lacking " in
        need:*) need "$package" ;;
        *" $package "*) ;;
        *) lacking="$lacking $package" ;;
        esac
    done
    command -v "$PKG_CONFIG" >/dev/null 2>&1 && [ "$1" = pkg-config ] && shift
    [ "$how" = need ] || notes="${notes}note: $note (apt install $*)
"
}

text() { # text need|wish
    $PKG_CONFIG --exists freetype2 fontconfig 2>/dev/null ||
        libraries "$1" "no FreeType with fontconfig: nbrender draws pictures, but writes no text" \
            pkg-config libfreetype-dev libfontconfig-dev
}

jpeg() { # jpeg need|wish
    $PKG_CONFIG --exists libjpeg 2>/dev/null || libraries "$1" "no libjpeg: nbrender writes no JPEG" pkg-config libjpeg-dev
}

webp() { # webp need|wish
    $PKG_CONFIG --exists libwebp 2>/dev/null || libraries "$1" "no libwebp: nbrender writes no WebP" pkg-config libwebp-dev
}

gsl() { # gsl need|wish
    $PKG_CONFIG --exists gsl 2>/dev/null ||
        libraries "$1" "no GSL: nbgen makes no galaxies, nor king and isothermal spheres" pkg-config libgsl-dev
}

hdf5() { # hdf5 need|wish
    $PKG_CONFIG --exists hdf5 2>/dev/null || $PKG_CONFIG --exists hdf5-serial 2>/dev/null ||
        libraries "$1" "no HDF5: nbconv reads and writes no snapshots of GADGET and SWIFT" pkg-config libhdf5-dev
}

# Any font that fontconfig can find. fc-list may not be installed.
font() {
    { fc-list; find /usr/share/fonts /usr/local/share/fonts -name '*.[to]tf'; } 2>/dev/null | grep -q . ||
        need fonts-dejavu-core
}

program() { # program NAME PACKAGE
    command -v "$1" >/dev/null 2>&1 || need "$2"
}

# Asks the compiler of the build for the header, because it knows all include folders. Without a compiler, looks for the
# file.
header() { # header FILE PACKAGE
    # shellcheck disable=SC2086 # CC may have options
    if command -v "${CC%% *}" >/dev/null 2>&1; then
        echo "#include <$1>" | $CC -E -x c - >/dev/null 2>&1 || need "$2"
    else
        [ -e "/usr/include/$1" ] || need "$2"
    fi
}

compiler() {
    case ${CC%% *} in
    *clang*)
        program "${CC%% *}" clang
        header omp.h libomp-dev
        ;;
    *) program "${CC%% *}" gcc ;;
    esac
    [ "${CUDA:-0}" = 0 ] || program "${NVCC_CCBIN:-g++}" g++
}

# A driver for OpenCL: PoCL's, on the CPU, and the library that finds drivers.
opencl() {
    cat /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || need pocl-opencl-icd
    ls /usr/lib/*/libOpenCL.so.1 /usr/lib*/libOpenCL.so.1 2>/dev/null | grep -q . || need ocl-icd-libopencl1
}

python_module() { # python_module MODULE PACKAGE
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" >/dev/null 2>&1 && return
    done
    need "$2"
}

build() {
    compiler
    header stdio.h libc6-dev
    header zlib.h zlib1g-dev
    header xxhash.h libxxhash-dev
    header Random123/philox.h librandom123-dev
}

list() {
    case $1 in
    build) build; text wish; jpeg wish; webp wish; gsl wish; hdf5 wish; wish ffmpeg ffmpeg "nbrender writes films as GIF and APNG only" ;;
    demo) gsl "$if_can"
        if [ "$if_can" = need ]; then program ffmpeg ffmpeg; else wish ffmpeg ffmpeg "the film is out/merger.apng"; fi ;;
    check) opencl; header cmocka.h libcmocka-dev; program bats bats; program prove perl; program ffmpeg ffmpeg; python_module numpy python3-numpy
        wish parallel parallel "the sweep of examples/sweep by GNU parallel is not tested"
        wish gfortran gfortran "the library is not tested from Fortran"
        wish mpirun openmpi-bin "nbsim by MPI is not tested"
        for program in cmark-gfm mandoc; do wish $program $program "the site is not tested"; done
        text need; jpeg need; webp need; font; gsl need; hdf5 need; python_module h5py python3-h5py; python_module "numpy, pytest" python3-pytest; python_module "numpy, pytest, xxhash" python3-xxhash ;;
    check-long) list check; program gnuplot gnuplot-nox; wish chromium chromium "the site is not looked at in a browser" ;;
    bench) wish gnuplot gnuplot-nox "tables without their pictures" ;;
    site) program cmark-gfm cmark-gfm; program mandoc mandoc; program python3 python3 ;;
    mpi) program mpirun openmpi-bin; $PKG_CONFIG --exists ompi-c 2>/dev/null || $PKG_CONFIG --exists mpi-c 2>/dev/null ||
        { program pkg-config pkg-config; need libopenmpi-dev; } ;;
    sweep) program parallel parallel ;;
    musl) program musl-gcc musl-tools ;;
    tsan | fuzz) program clang clang; header omp.h libomp-dev ;;
    arm) program aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu; program qemu-aarch64 qemu-user
        [ -e /usr/aarch64-linux-gnu/include/stdio.h ] || missing="$missing libc6-dev-arm64-cross"
        # If the system has packages for Arm.
        ! dpkg --print-foreign-architectures 2>/dev/null | grep -qx arm64 || [ -e /usr/lib/aarch64-linux-gnu/libz.a ] ||
            need zlib1g-dev:arm64 ;;
    lint) program clang-format clang-format; program python3 python3 ;;
    deb) dpkg -s build-essential >/dev/null 2>&1 || need build-essential; program dh debhelper; build; text need; jpeg need; webp need; gsl need; hdf5 need; list site ;;
    wheel) program python3 python3; python3 -m ensurepip --version >/dev/null 2>&1 || need python3-venv; build; text need; jpeg need; webp need; gsl need; hdf5 need ;;
    root) program mmdebstrap mmdebstrap ;;
    check-packages) list deb; list wheel; list root; program lintian lintian; program ruby ruby; program makepkg makepkg
        program pacman pacman-package-manager; program bsdtar libarchive-tools; program buildah buildah; list arm; program bats bats; program prove perl ;;
    all) for each in demo check-long mpi sweep bench site lint tsan fuzz musl arm check-packages build; do list $each; done
        for shell in zsh fish; do wish $shell $shell "its completion is not tested"; done ;;
    *) echo "packages.sh: no list called '$1'" >&2; exit 2 ;;
    esac
}

look() {
    missing= lacking= notes=
    for name in "$@"; do list "$name"; done
}

install() { # install PACKAGES
    echo "installing: $*"
    log=$(mktemp) || exit 1
    export DEBIAN_FRONTEND=noninteractive
    # If the package lists cannot be updated, the existing lists may be enough.
    { apt-get update; apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1 || tail -n 5 "$log" >&2
    rm -f "$log"
}

mode=${1:?usage: packages.sh install|name LIST...}
shift
if_can=wish # optional for a target, but installed if root runs it
if [ "$mode" = install ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then if_can=need; fi
look "$@"
# `make packages' also installs the optional packages.
[ "$*" != all ] || missing=$missing$lacking
if [ "$if_can" = need ] && [ -n "$missing" ]; then
    # shellcheck disable=SC2086 # a package a word
    install $missing
    if_can=wish
    look "$@"
    [ "$*" != all ] || missing=$missing$lacking
fi
case "$*:$missing" in
all:) echo "nothing is missing" ;;
all:*) echo "missing packages; as root:  apt-get install --no-install-recommends$missing" >&2 ;;
*:) printf %s "$notes" >&2 ;;
*)
    case $CC in cc | gcc) command="make packages" ;; *) command="make CC='$CC' packages" ;; esac
    echo "missing packages:$missing; this installs them, as root:  $command" >&2
    ;;
esac
[ -z "$missing" ]
