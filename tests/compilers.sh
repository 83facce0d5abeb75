#!/bin/sh
# lib and its unit tests by the other compilers, warnings being errors: clang, and gcc for 64-bit Arm, whose tests run under
# qemu-user. What cannot be had is said in a line.
# tests/compilers.sh quick|all: the tests that take seconds there, or all of them
arm=aarch64-linux-gnu-gcc
quick='columns_simd combine elementary force_choose half_mass measure memory light rng snap snap_header snap_seek step_adaptive
    tree_expansion units'
slow='direct direct_mutual force force_targets jerk snap_damage step step_order tree tree_build'

objects() { # objects BUILD CC [TARGET...]
    out=$1 cc=$2
    shift 2
    # READY: what is installed is for this machine, not for that one.
    ${MAKE:-make} --no-print-directory -s READY= CUDA=0 WERROR=-Werror BUILD="$out" CC="$cc" "${@:-objects}" >/dev/null
}

if ! command -v clang >/dev/null || ! echo '#include <omp.h>' | clang -fopenmp -E -x c - >/dev/null 2>&1; then
    echo 'compilers: clang skipped, it is not here with libomp-dev'
else
    objects build/clang-lint clang || exit 1
    # The library that its code calls for numbers of 16 bytes is found at the link alone.
    echo '#include <cmocka.h>' | clang -E -include setjmp.h -include stdarg.h -include stddef.h -include stdint.h -x c - >/dev/null 2>&1 &&
        { objects build/clang-lint clang build/clang-lint/tests/test_combine || exit 1; }
    echo 'compilers: clang ok'
fi

./packages.sh install arm
if ! echo '#include <stdio.h>' | $arm -E -x c - >/dev/null 2>&1; then
    echo "compilers: Arm skipped, there is no $arm with a C library"
    exit 0
fi
objects build/arm $arm || exit 1
if ! echo 'int main(void) { return 0; }' | $arm -x c - -o /dev/null -lcmocka -lxxhash 2>/dev/null; then
    echo 'compilers: Arm compiled only, there is no libcmocka-dev and libxxhash-dev for it'
    exit 0
fi
[ "$1" = all ] && quick="$quick $slow"
for name in $quick; do
    objects build/arm $arm "build/arm/tests/test_$name" || exit 1
done
if ! command -v qemu-aarch64 >/dev/null; then
    echo 'compilers: Arm linked only, there is no qemu-aarch64'
    exit 0
fi
for name in $quick; do
    test=build/arm/tests/test_$name
    [ "$test.passed" -nt "$test" ] && continue
    # One thread: qemu-user 7.2 comes to a stop where a program linked to shared libraries starts a thread.
    if ! OMP_THREAD_LIMIT=1 timeout 900 qemu-aarch64 -L /usr/aarch64-linux-gnu "$test" >"$test.log" 2>&1; then
        echo "compilers: on Arm test_$name fails, see $test.log" >&2
        exit 1
    fi
    : >"$test.passed"
done
echo 'compilers: Arm ok'
