#!/usr/bin/env bats
# Runs the fuzz targets on their corpora: inputs that fuzzing found (tests/fuzz).
bats_require_minimum_version 1.5.0
load ../common/common

replay() {
    local files=("$BATS_TEST_DIRNAME/corpus-$1"/*)
    [ ${#files[@]} -gt 10 ]
    OMP_NUM_THREADS=2 "$NB_BUILD/tests/fuzz/fuzz_$1" "${files[@]}" >out.txt 2>err.txt || {
        grep -a '^ok' out.txt | tail -n 1
        tail -n 5 err.txt
        return 1
    }
    [ "$(grep -ac '^ok' out.txt)" = ${#files[@]} ]
}

@test "streams: all ways of reading one agree" {
    replay stream
}

@test "nbconv --from text" {
    replay text
}

@test "nbconv --from rosetta" {
    replay rosetta
}

@test "nbconv --from tipsy" {
    replay tipsy
}

@test "nbconv --from nemo" {
    replay nemo
}

@test "nbconv --from gadget2" {
    replay gadget2
}

@test "forces as users write them" {
    replay force
}

@test "files of external fields" {
    replay field
}

@test "conditions of --select" {
    replay select
}

@test "command lines" {
    replay options
}

@test "the header's lines of disks that touch" {
    replay scene
}

@test "nbgen windtunnel --airfoil FILE" {
    replay outline
}

@test "what a checkpoint holds of a run" {
    replay pack
}
