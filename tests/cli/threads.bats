#!/usr/bin/env bats
# Idle threads of the tools sleep while they wait, so that the stages of a pipeline can share the cores.
bats_require_minimum_version 1.5.0
load ../common/common

# policy [NAME=VALUE...] TOOL ARGUMENT...: what OpenMP says of how it waits, in that environment
policy() {
    env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT -u KMP_BLOCKTIME OMP_DISPLAY_ENV=verbose "$@" 2>&1 >/dev/null |
        sed -n "s/.*\(GOMP_SPINCOUNT\|KMP_BLOCKTIME\) *= *'\([0-9]*\).*/\2/p"
}

# A libgomp that is shared has read its variables before any code of ours runs: tools/common/tool.c.
needs_a_policy() {
    ! ldd "$(command -v nbgen)" | grep -q libgomp || skip "libgomp is shared here (no libgomp.a)"
}

@test "idle threads of every tool sleep at once" {
    needs_a_policy
    nbgen plummer -n 100 -q -o a.nbs
    [ "$(policy nbgen plummer -n 100)" = 0 ]
    [ "$(policy nbsim -q --device cpu --steps 1 a.nbs)" = 0 ]
    [ "$(policy nbrender -q --size 32x32 -o a.png a.nbs)" = 0 ]
    [ "$(policy nbstat -q --device cpu a.nbs)" = 0 ]
    [ "$(policy nbconv --to text a.nbs)" = 0 ]
}

@test "a policy that the user has set is kept" {
    needs_a_policy
    [ "$(policy OMP_WAIT_POLICY=active nbgen plummer -n 100)" -gt 100 ]
    [ "$(policy GOMP_SPINCOUNT=12345 KMP_BLOCKTIME=12345 nbgen plummer -n 100)" = 12345 ]
}

@test "more threads than there can be: one line" {
    nbgen plummer -n 100 -q -o a.nbs
    for tool in "nbgen plummer -n 100" "nbsim -q --device cpu --steps 1 a.nbs" "nbrender -q --size 32x32 -o a.png a.nbs" \
        "nbstat -q --device cpu a.nbs" "nbconv --to text a.nbs" "nbedit --sort r a.nbs"; do
        # shellcheck disable=SC2086
        run -1 --separate-stderr env OMP_NUM_THREADS=100000 $tool
        [[ "$stderr" == "${tool%% *}: OMP_NUM_THREADS asks for 100000 threads; the maximum is 4096" ]]
        [ -z "$output" ]
        [ ! -e a.png ]
    done
    nbgen plummer -n 100 -q --threads 2 -o b.nbs
    OMP_NUM_THREADS=100000 nbgen plummer -n 100 -q --threads 2 | cmp - b.nbs
    OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=3 nbgen plummer -n 100 -q | cmp - b.nbs
}

@test "threads that cannot be had: one line" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the sanitizers start threads of their own"
    needs_a_policy
    export LD_PRELOAD="$NB_BUILD/tests/faults/fail.so" FAULT_CALL=pthread_create FAULT_AT=1 FAULT_MODE=on FAULT_ERROR=11
    run -1 --separate-stderr nbgen plummer -n 100 -q --threads 4
    [ "$stderr" = "nbgen: OpenMP: Thread creation failed: Resource temporarily unavailable" ]
}
