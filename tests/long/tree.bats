#!/usr/bin/env bats
# The tree over a long run of many bodies: a quarter of an hour on two cores.
bats_require_minimum_version 1.5.0
load ../common
# Threads that wait are to sleep: on a busy machine these runs then take what they compute, not three times as much.
export OMP_WAIT_POLICY=passive

@test "a Plummer sphere of 100000 bodies keeps its energy to 2e-5 over ten units of time at theta 0.6" {
    nbgen plummer -n 100k --seed 1 |
        nbsim -q --force tree --theta 0.6 --precision single --softening 0.01 --dt 0.00390625 --until 10 --every 2.5 > p.nbs
    nbstat --json --potential direct --max-de 2e-5 p.nbs > energies || status=$?
    sed -n 's/.*"energy_error": \([^,]*\),.*/# energy error: \1/p' energies >&3
    [ "$(wc -l < energies)" -eq 5 ] && [ "${status:-0}" -eq 0 ]
}
