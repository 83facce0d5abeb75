#!/usr/bin/env bats
# Calls that fail while a tool runs: a sample of what `make faults' goes through.
bats_require_minimum_version 1.5.0
load common

# campaign ARGUMENT...: prints what is wrong, and the counts
campaign() {
    [ "${NB_SANITIZER:-}" != thread ] || skip "the thread sanitizer allocates by itself"
    [ "${NB_SANITIZER:-}" != address ] || set -- --leaks "$@"
    python "$root/tests/faults/faults.py" "$@" "$NB_BUILD"
}

@test "an allocation or call that fails: one line and exit 1, nothing half, or the bytes of a run without" {
    if [ "${NB_SANITIZER:-}" = address ]; then campaign --sample 150; else campaign --sample 500; fi
}

@test "one of several devices fails: a line with its name, whole frames and a trailer, and the checkpoint goes on" {
    [ -z "${NB_SANITIZER:-}" ] || skip "one build is enough for this"
    python "$root/tests/faults/lost.py" --sample 150 "$NB_BUILD"
}

@test "killed at any call, beside another writer, without descriptors: what has its name is whole, a resumed run too" {
    [ -z "${NB_SANITIZER:-}" ] || skip "one build is enough for this"
    python "$root/tests/faults/kills.py" --pairs 20 --only sim-checkpoint "$NB_BUILD"
    python "$root/tests/faults/kills.py" --pairs 0 --only film "$NB_BUILD"
}

@test "pipelines that are disturbed: whole outputs, or an exit that is not 0" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the sanitizers do not live with a limit of memory"
    python "$root/tests/faults/soak.py" --seconds 4 "$NB_BUILD"
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
