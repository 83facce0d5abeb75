#!/bin/sh
# The same sources by other compilers, for other C libraries and processors, warnings being errors. What cannot be had is
# said in a line.
# tests/project/compilers.sh quick|all: lib and its unit tests by clang, and by gcc for 64-bit Arm, where they run under qemu-user:
#   the tests that take seconds there, or all of them
# tests/project/compilers.sh ports: the tools, with little optimisation, by clang, with musl, and for 64-bit Arm, and a few tests
arm=aarch64-linux-gnu-gcc
quick='columns_simd combine elementary force_choose half_mass measure memory light rng snap snap_header snap_seek step_adaptive
    time_scale tree_expansion units'
slow='direct direct_mutual force force_targets jerk snap_damage step step_order tree tree_build'

build() { # build BUILD CC [VARIABLE=...|TARGET...]
    out=$1 cc=$2
    shift 2
    # READY: what is installed is for this machine, not for that one.
    ${MAKE:-make} --no-print-directory -s READY= CUDA=0 WERROR=-Werror BUILD="$out" CC="$cc" "$@" >/dev/null
}

# As quickly as can be. -O1 leaves gcc with less to see what is initialised.
tools() { # tools BUILD CC [VARIABLE=...] TARGET...
    out=$1 cc=$2
    shift 2
    [ "$cc" = clang ] && flags=-O1 || flags='-O1 -Wno-maybe-uninitialized'
    build "$out" "$cc" CFLAGS="$flags" "$@"
}

run() { # run NAME FOLDER FILE...: test files on the programs in FOLDER/bin
    name=$1 folder=$2
    shift 2
    if ! command -v bats >/dev/null || ! command -v prove >/dev/null; then
        echo "compilers: $name built only, there is no bats and prove to test it"
        return
    fi
    mkdir -p "$folder/tmp"
    # shellcheck disable=SC2046 # a word a file
    NB_BUILD=$PWD/$folder TMPDIR=$PWD/$folder/tmp prove -j2 -e tests/run.sh $(printf 'tests/%s.bats ' "$@") >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        echo "compilers: $name: tests fail" >&2
        return 1
    }
    echo "compilers: $name ok"
}

has_clang() {
    command -v clang >/dev/null && echo '#include <omp.h>' | clang -fopenmp -E -x c - >/dev/null 2>&1 && return
    echo 'compilers: clang skipped, it is not here with libomp-dev'
    return 1
}

has_arm() {
    echo '#include <stdio.h>' | $arm -E -x c - >/dev/null 2>&1 && return
    echo "compilers: Arm skipped, there is no $arm with a C library"
    return 1
}

# ---- lib and its unit tests ----

clang_objects() {
    has_clang || return 0
    build build/clang-lint clang objects || return 1
    # The library that its code calls for numbers of 16 bytes is found at the link alone.
    echo '#include <cmocka.h>' | clang -E -include setjmp.h -include stdarg.h -include stddef.h -include stdint.h -x c - >/dev/null 2>&1 &&
        { build build/clang-lint clang build/clang-lint/tests/engine/test_combine || return 1; }
    echo 'compilers: clang ok'
}

arm_program() { # the program of tests/*/test_NAME.c
    set -- tests/*/test_"$1".c
    echo "build/arm/${1%.c}"
}

arm_tests() { # arm_tests NAME...
    has_arm || return 0
    build build/arm $arm objects || return 1
    if ! echo 'int main(void) { return 0; }' | $arm -x c - -o /dev/null -lcmocka 2>/dev/null; then
        echo 'compilers: Arm compiled only, there is no libcmocka-dev for it'
        return 0
    fi
    for name in "$@"; do
        build build/arm $arm "$(arm_program "$name")" || return 1
    done
    if ! command -v qemu-aarch64 >/dev/null; then
        echo 'compilers: Arm linked only, there is no qemu-aarch64'
        return 0
    fi
    for name in "$@"; do
        test=$(arm_program "$name")
        [ "$test.passed" -nt "$test" ] && continue
        # One thread: qemu-user 7.2 comes to a stop where a program linked to shared libraries starts a thread.
        if ! OMP_THREAD_LIMIT=1 timeout 900 qemu-aarch64 -L /usr/aarch64-linux-gnu "$test" >"$test.log" 2>&1; then
            echo "compilers: on Arm test_$name fails, see $test.log" >&2
            return 1
        fi
        : >"$test.passed"
    done
    echo 'compilers: Arm ok'
}

# ---- the tools ----

clang_tools() {
    has_clang || return 0
    tools build/clang-O1 clang all && run clang build/clang-O1 stream/stream stream/frozen
}

# Linked statically, with libraries that were built for glibc as far as they need nothing of it, and headers of those that
# are headers alone. What musl lacks for gcc's OpenMP is in tests/project/musl_gomp.c.
musl_tools() {
    zlib=$(gcc -print-file-name=libz.a)
    if ! command -v musl-gcc >/dev/null || [ ! -e "$zlib" ] || [ "$(gcc -print-file-name=libgomp.a)" = libgomp.a ]; then
        echo 'compilers: musl skipped, there is no musl-gcc (musl-tools) with static zlib and libgomp'
        return 0
    fi
    mkdir -p build/musl/include
    for header in zlib.h zconf.h xxhash.h xxh3.h Random123; do
        for folder in /usr/include "/usr/include/$(gcc -dumpmachine)"; do
            [ ! -e "$folder/$header" ] || ln -sfn "$folder/$header" "build/musl/include/$header"
        done
    done
    musl-gcc -D_GNU_SOURCE -O1 -c -o build/musl/gomp.o tests/project/musl_gomp.c || return 1
    tools build/musl musl-gcc TEXT=0 JPEG=0 WEBP=0 GSL=0 HDF5=0 CPPFLAGS="-isystem build/musl/include" LDFLAGS=-static LDLIBS=build/musl/gomp.o \
        ZLIB_LIBS="$zlib" all && run musl build/musl stream/stream stream/frozen edit/select
}

# Cross-compiled, with the manual pages. Linked statically, threads run under qemu-user.
arm_tools() {
    has_arm || return 0
    goals='all docs'
    if ! echo 'int main(void) { return 0; }' | $arm -static -x c - -o /dev/null -lz 2>/dev/null; then
        echo 'compilers: no nbrender for Arm, there is no zlib1g-dev for it'
        goals=$(cd tools && for tool in nb*; do [ "$tool" = nbrender ] || echo "build/arm-O1/bin/$tool"; done)
    fi
    # shellcheck disable=SC2086 # a word a goal
    tools build/arm-O1 $arm TEXT=0 JPEG=0 WEBP=0 GSL=0 HDF5=0 LDFLAGS='-static -Wl,--no-warnings' $goals build/arm-O1/man/nbsim.1 || return 1
    [ -s build/arm-O1/man/nbsim.1 ] || return 1
    if ! command -v qemu-aarch64 >/dev/null; then
        echo 'compilers: the tools for Arm built only, there is no qemu-aarch64'
        return 0
    fi
    mkdir -p build/arm-O1/qemu/bin
    for tool in build/arm-O1/bin/*; do
        printf '#!/bin/sh\nexec qemu-aarch64 "%s" "$@"\n' "$PWD/$tool" >"build/arm-O1/qemu/bin/${tool##*/}"
    done
    chmod +x build/arm-O1/qemu/bin/*
    run 'Arm (tools, qemu-user)' build/arm-O1/qemu stream/frozen gen/few
}

case $1 in
ports)
    for list in tsan musl arm; do packaging/packages.sh install $list; done
    status=0
    clang_tools || status=1
    musl_tools || status=1
    arm_tools || status=1
    exit $status
    ;;
quick)
    clang_objects || exit 1
    packaging/packages.sh install arm
    # shellcheck disable=SC2086 # a word a test
    arm_tests $quick
    ;;
all)
    clang_objects || exit 1
    packaging/packages.sh install arm
    # shellcheck disable=SC2086
    arm_tests $quick $slow
    ;;
*)
    echo "usage: tests/project/compilers.sh quick|all|ports" >&2
    exit 2
    ;;
esac
