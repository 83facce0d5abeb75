#!/usr/bin/env bats
# Faults injected into calls while a tool runs: a sample of the calls that `make faults' tests.
bats_require_minimum_version 1.5.0
load ../common/common

# campaign ARGUMENT...: prints what is wrong, and the counts
campaign() {
    [ "${NB_SANITIZER:-}" != thread ] || skip "the thread sanitizer allocates by itself"
    [ "${NB_SANITIZER:-}" != address ] || set -- --leaks "$@"
    python "$root/tests/faults/faults.py" "$@" "$NB_BUILD"
}

@test "an allocation or call that fails: one line and exit 1, nothing half, or the bytes of a run without" {
    campaign --sample 150
}

@test "one of several devices fails: a line with its name, whole frames and a trailer, and the checkpoint goes on" {
    [ -z "${NB_SANITIZER:-}" ] || skip "one build is enough for this"
    python "$root/tests/faults/lost.py" --sample 75 "$NB_BUILD"
}

# each_fails FILE LEAST COMMAND...: each allocation from LEAST bytes on fails once in COMMAND, which writes FILE: it does
# not end well then, or writes what it writes without
each_fails() {
    local out=$1 least=$2 at count status
    shift 2
    rm -f log
    FAULT_LOG=$PWD/log FAULT_CALL=malloc FAULT_AT=0 FAULT_LEAST=$least LD_PRELOAD=$NB_BUILD/tests/faults/fail.so "$@"
    cp "$out" whole
    count=$(sed -n 's/^malloc //p' log)
    for at in $(seq "$count"); do
        status=0
        FAULT_LOG=$PWD/log FAULT_CALL=malloc FAULT_AT=$at FAULT_LEAST=$least LD_PRELOAD=$NB_BUILD/tests/faults/fail.so \
            "$@" 2>said || status=$?
        case $status in
        0) cmp "$out" whole ;;
        1) [ -s said ] ;;
        *) false ;;
        esac || { echo "allocation $at of $count: exit $status" >&2; return 1; }
    done
    [ "$count" -gt 10 ]
}

@test "a profile, options of the history and a picture: each allocation that fails is an error, or makes no difference" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the shim is for a plain build"
    nbgen plummer -n 20 --seed 3 -q -o in.nbs
    nbedit -q --shift 1,0,0 in.nbs -o moved.nbs
    each_fails out 1 nbstat -q --potential none --radial spherical --bins 2 -f -o out in.nbs
    each_fails out 1 nbstat -q --potential none --columns n --params seed,shift,model,units -f -o out moved.nbs
    each_fails out.png 4000 nbrender -q --style light --size 48x32 --threads 1 -f -o out.png in.nbs
}

@test "adaptive steps: each sum, range or field of the device that fails once ends the run" {
    [ -z "${NB_SANITIZER:-}" ] || skip "one build is enough for this"
    nbgen plummer -n 5 -q -o in.nbs
    adaptive() { # adaptive CALL NUMBER
        rm -f log
        FAULT_LOG=$PWD/log FAULT_CALL=$1 FAULT_AT=$2 FAULT_ERROR=5 "$NB_BUILD/faults/device/nbsim" -q --device cpu \
            --integrator rkdp54 --tolerance 1e-6 --until 1e-3 --max-de inf in.nbs -f -o out.nbs 2>said
    }
    for call in combine range field; do
        adaptive $call 0
        calls=$(sed -n "s/^$call //p" log)
        [ "$calls" -ge 1 ]
        for at in $(seq "$calls"); do
            ! adaptive $call "$at" || { echo "$call $at" >&2; return 1; }
            [ -s said ]
        done
    done
}

@test "names of numbered files that memory does not hold are an error" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the shim is for a plain build"
    printf '%s\n' '#define _GNU_SOURCE' '#include <stdio.h>' '#include <stdlib.h>' '#include <stdarg.h>' \
        'int vasprintf(char **to, const char *format, va_list list) { static int count; va_list again; va_copy(again, list);' \
        'if (++count == atoi(getenv("FAIL_AT"))) { *to = (char *)1; return -1; } int n = vsnprintf(NULL, 0, format, again);' \
        '*to = malloc(n + 1); return vsnprintf(*to, n + 1, format, list); }' \
        'int asprintf(char **to, const char *format, ...) { va_list list; va_start(list, format);' \
        'return vasprintf(to, format, list); }' >none.c
    ${CC:-cc} -shared -fPIC -o none.so none.c
    nbgen plummer -n 5 -q -o in.nbs
    for at in $(seq 12); do
        rm -f x*.png
        FAIL_AT=$at LD_PRELOAD=$PWD/none.so run --separate-stderr nbrender -q --size 16x16 -o 'x%d.png' in.nbs
        [ "$status" = 0 ] && [ -s x0.png ] || { [ "$status" = 1 ] && [[ "$stderr" == "nbrender: "* ]]; } ||
            { echo "$at: $status $stderr" >&2; return 1; }
        codes+=$status
    done
    [[ "$codes" == *1* ]]
}

@test "killed at any call, beside another writer, without descriptors: what has its name is whole, a resumed run too" {
    [ -z "${NB_SANITIZER:-}" ] || skip "one build is enough for this"
    python "$root/tests/faults/kills.py" --pairs 10 --only sim-checkpoint "$NB_BUILD"
    python "$root/tests/faults/kills.py" --pairs 0 --only film "$NB_BUILD"
}

@test "pipelines that are disturbed: whole outputs, or an exit that is not 0" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the sanitizers do not live with a limit of memory"
    python "$root/tests/faults/soak.py" --seconds 1 "$NB_BUILD"
}

# The campaign itself can tell: with a tool that ignores a failure it does.
@test "a tool that goes on after a failure is found out" {
    [ -z "${NB_SANITIZER:-}" ] || skip "one build is enough for this"
    mkdir -p bad/bin bad/tests/faults
    cp "$NB_BUILD/tests/faults/fail.so" bad/tests/faults
    cp "$NB_BUILD"/bin/* bad/bin
    cat >bad.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char *text = malloc(100);
    if (text)
        puts("all of it");
    free(text);
    return 0;
}
END
    ${CC:-cc} -O0 -o bad/bin/nbconv bad.c
    run -1 python "$root/tests/faults/faults.py" --only to-columns bad
    [[ "$output" == *"to-columns: malloc 1 ENOMEM once: ('silent', "* ]]
    [[ "$output" == *", silent 1, "* || "$output" == *", silent 2, "* ]]
}
