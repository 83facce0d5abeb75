#!/usr/bin/env bats
# The test runner: every wait has a limit. The list of `make mutants': every change applies.
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

@test "each change of tests/mutants applies to the sources exactly once, and its tests exist" {
    run -0 python3 "$root/tests/mutants/mutants.py"
    mkdir -p old/tests/mutants old/lib
    cp "$root/tests/mutants/mutants.py" old/tests/mutants
    printf 'int a;\nint b;\nint b;\n' >old/lib/x.c
    for line in a b c; do
        printf 'lib/x.c\n-int %s;\n+int z;\nequivalent: unused\n' $line >old/tests/mutants/list.txt
        run python3 old/tests/mutants/mutants.py
        if [ $line = a ]; then [ "$status" = 0 ]; else [ "$status" = 2 ]; fi
    done
    [[ "$output" == *"lib/x.c"*"the lines are there 0 times" ]]
    printf 'lib/x.c\n-int a;\n+int z;\ntest: sim/none.bats: no name\n' >old/tests/mutants/list.txt
    run -2 python3 old/tests/mutants/mutants.py
    [[ "$output" == *"sim/none.bats: no name: no such test" ]]
}
