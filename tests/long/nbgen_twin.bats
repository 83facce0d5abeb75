#!/usr/bin/env bats
# A heavy and a light central body with many stars. The tests take from a few minutes to a quarter of an hour on a CPU.
bats_require_minimum_version 1.5.0
load ../common/common
load ../gen/models

@test "10 % of the mass in the centre: 20000 stars break up in three turns, and 1 to 15 % leave" {
    nbgen twin --galaxies 1 --central-mass 0.1 -n 20k |
        nbsim -q --force tree --integrator leapfrog --write phi --until 210.8 --every 10.54 -o run.nbs
    after <<'P' >&3
assert energy < 1e-3 and modes > 0.2 and radial > 0.3 and 0.01 < unbound < 0.15
P
}

@test "99 % in the centre: the stars' half-mass radius stays within 5 % for ten turns, 20000 on a GPU, 1000 on a CPU" {
    n=$(gpu && echo 20k || echo 1k)
    nbgen twin --galaxies 1 --central-mass 0.99 -n "$n" |
        nbsim -q --integrator leapfrog --write phi --until 702.5 --every 35.125 -o run.nbs
    after <<'P' >&3
assert half_mass < 0.05 and energy < 1e-3 and unbound == 0
P
    nbgen disk --central-mass 0.99 -n "$n" -q |
        nbsim -q --integrator leapfrog --write phi --until 62.9 --every 3.145 -f -o run.nbs
    after <<'P' >&3
assert half_mass < 0.05 and energy < 1e-3 and unbound == 0
P
}
