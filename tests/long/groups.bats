#!/usr/bin/env bats
# Runs every test of one device on several devices instead: parts of a CPU, and two GPUs if there are two. Tests that
# read a device's memory, or internal data of a method, use the CPU only (cpu_alone of devices.h).
bats_require_minimum_version 1.5.0
load ../common/common

all="$(printf 'engine/test_%s ' combine contact contact_bvh contact_radius contact_runs direct direct_mutual external force \
    force_targets jerk kdtree_field methods octree step step_adaptive step_bounded step_hermite step_ias15 step_order step_pack \
    tree whfast) stat/test_measure stat/test_measure_check"

run_all() { # run_all VARIABLE DEVICE
    for name in $all; do
        echo "# $2: $name" >&3
        env "$1=$2" "$NB_BUILD/tests/$name"
    done
}

@test "three parts of a CPU in the place of one" {
    run_all NB_TEST_CPU cpu:0-2
}

@test "two GPUs in the place of one" {
    nbbench --device cuda:0-1 -n 1 >/dev/null 2>&1 || skip "no two GPUs"
    run_all NB_TEST_CUDA cuda:0-1
}
