#!/usr/bin/env bats
# The tree in long simulations of many bodies.
bats_require_minimum_version 1.5.0
load ../common/common

@test "a Plummer sphere of 100000 bodies keeps its energy to 4e-5 over ten units of time at theta 0.6" {
    nbgen plummer -n 100k --seed 1 |
        nbsim -q --force tree --theta 0.6 --precision single --softening 0.01 --dt 0.00390625 --until 10 --every 2.5 > p.nbs
    nbstat --json --potential direct --max-de 4e-5 p.nbs > energies || status=$?
    sed -n 's/.*"energy_error": \([^,]*\),.*/# energy error: \1/p' energies >&3
    [ "$(wc -l < energies)" -eq 5 ]
    [ "${status:-0}" -eq 0 ]
}

@test "a Plummer sphere of 10000 bodies keeps its energy to 2e-4 over ten units of time at theta 0.6" {
    nbgen plummer -n 10k --seed 1 |
        nbsim -q --force tree --theta 0.6 --precision single --softening 0.01 --dt 0.00390625 --until 10 --every 1 > p.nbs
    nbstat --json p.nbs | sed -n 's/.*"energy_error": \([^,]*\),.*/# energy error: \1/p' >&3
    [ "$(nbstat --potential direct --max-de 2e-4 p.nbs | wc -l)" -eq 12 ]
}

# momentum MODEL OPTION...: the final momentum error of the stream MODEL in each precision, and whether it is within the
# bounds: rounding of the state in single, of sums in the others. In single it grows as the square root of the number of
# steps, which is therefore given.
momentum() {
    local model=$1 precision bound
    shift
    for precision in single mixed double; do
        bound=$([ $precision = single ] && echo 1e-6 || echo 1e-10)
        nbsim -q --force tree --precision $precision "$@" "$model" |
            nbstat --json --potential none --max-dp $bound >rows || { cat rows >&2; return 1; }
        [ "$(wc -l <rows)" -ge 2 ]
        sed -n "s/.*\"momentum_error\": \([^,]*\),.*/# $precision: \1/p" rows | tail -n 1 >&3
    done
}

@test "momentum of a Plummer sphere over a unit of time at theta 0.75, a million bodies on a GPU, 100000 on a CPU" {
    nbgen plummer -n "$(gpu && echo 1M || echo 100k)" --seed 1 -o p.nbs
    momentum p.nbs --theta 0.75 --softening 0.01 --dt 0.00390625 --until 1
}

@test "momentum of two colliding disks to t = 20, 200000 bodies on a GPU, 20000 on a CPU" {
    nbgen collision -n "$(gpu && echo 200k || echo 20k)" --seed 1 -o c.nbs
    momentum c.nbs --dt 0.005 --until 20 --every 5
}
