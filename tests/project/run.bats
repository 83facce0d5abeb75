#!/usr/bin/env bats
# The test runner: every wait has a limit.
bats_require_minimum_version 1.5.0
load ../common/common

# waits COMMAND [VARIABLE=VALUE]...: a test file, whose test waits by COMMAND, as prove runs it.
waits() {
    printf 'load %s/tests/common/common\n@test "waits" {\n%s\n}\n' "$root" "$1" >waits.bats
    run env -i PATH=/usr/bin:/bin HOME="$HOME" TMPDIR="$PWD" NB_BUILD="$NB_BUILD" "${@:2}" "$root/tests/run.sh" waits.bats
    [ "$status" != 0 ]
}

@test "a test that waits in vain fails in the end, with what it waited for" {
    waits 'NB_PATIENCE=1 await $$ [ -e nothing ]'
    [[ "$output" == *"not ok 1 waits"*"after 1 s still not: [ -e nothing ]"* ]] || { echo "$output" >&2; return 1; }
}

@test "a test file that does not end is ended, with what it started, and fails" {
    waits 'sleep 987654 & mkfifo never; read -r line <never' NB_TEST_LIMIT=2
    [[ "$output" == *"# ended after 2 s"* ]] || { echo "$output" >&2; return 1; }
    run ! grep -lsazx 987654 /proc/[0-9]*/cmdline
}
