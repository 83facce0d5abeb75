#!/usr/bin/env bats
# How the tools' idle threads wait: asleep, so that the stages of a pipeline leave one another the cores.
bats_require_minimum_version 1.5.0
load common

# policy [NAME=VALUE...] TOOL ARGUMENT...: what OpenMP says of how it waits, in that environment
policy() {
    env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT -u KMP_BLOCKTIME OMP_DISPLAY_ENV=verbose "$@" 2>&1 >/dev/null |
        sed -n "s/.*\(GOMP_SPINCOUNT\|KMP_BLOCKTIME\) *= *'\([0-9]*\).*/\2/p"
}

# A libgomp that is shared has read its variables before any code of ours runs: tools/tool.c.
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
