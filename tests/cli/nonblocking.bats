#!/usr/bin/env bats
# Non-blocking stdin and stdout, which some shells and programs pass on: every tool waits for them.
bats_require_minimum_version 1.5.0
load ../common/common

# same INPUT COMMAND...: with such descriptors the command has the output that it has with another pipe
same() {
    local input=$1
    shift
    # shellcheck disable=SC2002 # of a file nbrender finds the exposure in a first pass
    cat "$input" | "$@" >expected
    python "$root/tests/cli/nonblocking.py" "$input" "$@" >got
    cmp expected got
    [ "$(stat -c %s got)" -gt 100 ]
}

@test "every tool reads and writes descriptors that do not block" {
    nbgen plummer -n 5k -q -o a.nbs
    nbsim -q --device cpu --force tree --steps 1 --dt 1e-3 -o run.nbs a.nbs
    nbconv --to text --frame all run.nbs >run.txt
    same /dev/null nbgen plummer -n 5k -q
    same a.nbs nbsim -q --device cpu --force tree --steps 1 --dt 1e-3
    same run.txt nbconv --from text
    same run.nbs nbconv --to text --frame all
    same run.nbs nbedit --sort r
    same run.nbs nbrender -q --size 640x360
    same run.nbs nbstat -q --device cpu --potential none
    same run.nbs nbstat --info
}
