#!/usr/bin/env bats
# Galaxies over five turns: a million bodies on a GPU, GALAXY_BODIES (20000) on a CPU. On a CPU the bodies of the halo
# heat the disk 50 times as much, but all bounds are only three standard errors wider.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    if gpu; then n=1M device=cuda; else n=${GALAXY_BODIES:-20k} device=cpu; fi
}

# turns HOW_MANY OPTION...: the galaxy over as many turns of 14, four frames in each
turns() {
    local until=$((14 * $1))
    shift
    nbgen galaxy -q -n "$n" "$@" | nbsim -q --device "$device" --force tree --until "$until" --every 3.5 --write acc >run.nbs
}

galaxy_check() {
    python "$BATS_TEST_DIRNAME/galaxy_check.py" "$@" >&3
}

# stays PRESET
stays() {
    if [ $device = cpu ]; then skip "no GPU: with $n bodies the halo's heat the disk beyond the bounds"; fi
    turns 5 --preset "$1"
    nbstat --max-de 1e-3 run.nbs >/dev/null
    galaxy_check drift run.nbs
}

@test "galaxy: milkyway stays what it is over five turns" {
    stays milkyway
}

@test "galaxy: m31 stays what it is over five turns" {
    stays m31
}

@test "galaxy: dwarf stays what it is over five turns" {
    stays dwarf
}

@test "galaxy: milkyway with Q of 1.5 has no bar in two turns" {
    local most=0.1
    if [ $device = cpu ]; then most=0.25; fi # arms that come and go, driven by the halo's few bodies; bars have more than 0.3
    turns 2 --toomre 1.5 --quiet-start
    galaxy_check modes run.nbs 2 MOST $most
}

# Where the halo dominates, arms of Q 0.8 are many and wound up: the thin milkyway has 0.28 from 1 to 2 scale lengths, 0.33 from
# 2 to 3, and 0.14 inside 2, as its arms point in all directions there.
@test "galaxy: a disk that dominates with Q of 0.8 has arms in two turns" {
    turns 2 --toomre 0.8 --preset disk-dominated
    galaxy_check modes run.nbs 2 LEAST 0.2
}

@test "galaxy: a cold disk that dominates makes a bar in three turns" {
    turns 3 --preset disk-dominated
    galaxy_check modes run.nbs 2 LEAST 0.2
}
