#!/usr/bin/env bats
# The tree over long runs of many bodies.
bats_require_minimum_version 1.5.0
load ../common

@test "a Plummer sphere of 100000 bodies keeps its energy to 2e-5 over ten units of time at theta 0.6" {
    nbgen plummer -n 100k --seed 1 |
        nbsim -q --force tree --theta 0.6 --precision single --softening 0.01 --dt 0.00390625 --until 10 --every 2.5 > p.nbs
    nbstat --json --potential direct --max-de 2e-5 p.nbs > energies || status=$?
    sed -n 's/.*"energy_error": \([^,]*\),.*/# energy error: \1/p' energies >&3
    [ "$(wc -l < energies)" -eq 5 ]
    [ "${status:-0}" -eq 0 ]
}

@test "a Plummer sphere of 10000 bodies keeps its energy to 1e-4 over ten units of time at theta 0.6" {
    nbgen plummer -n 10k --seed 1 |
        nbsim -q --force tree --theta 0.6 --precision single --softening 0.01 --dt 0.00390625 --until 10 --every 1 > p.nbs
    nbstat --json p.nbs | sed -n 's/.*"energy_error": \([^,]*\),.*/# energy error: \1/p' >&3
    [ "$(nbstat --potential direct --max-de 1e-4 p.nbs | wc -l)" -eq 12 ]
}

@test "100000 bodies over 100 steps: the momentum drifts by less than 1e-5 of sum m|v|" {
    nbgen plummer -n 100k --seed 1 |
        nbsim -q --force tree --theta 0.75 --precision single --softening 0.01 --dt 0.00390625 --steps 100 > p.nbs
    nbstat --json --potential none p.nbs | sed -n 's/.*"momentum_error": \([^,]*\),.*/# momentum error: \1/p' >&3
    nbstat --potential none --max-dp 1e-5 p.nbs > /dev/null
}
