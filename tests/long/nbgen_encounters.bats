#!/usr/bin/env bats
# Encounters of galaxies up to the merger: the purpose of each preset, and the results of the papers.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    gsl
}

# distances OPTION... -- OPTION...: `time distance` of the two centres, of an nbgen model, as nbsim goes on
distances() {
    local model=()
    while [ "$1" != -- ]; do model+=("$1"); shift; done
    shift
    nbgen "${model[@]}" -q | nbsim -q --integrator leapfrog "$@" |
        nbstat -q --distance --columns time,distance_0_1 | grep -v '^#'
}

# dips: of what distances says, the times and distances of its minima below 50
dips() {
    awk '$2 < 50 && before > last && last < $2 { print time, last } { before = last; last = $2; time = $1 }'
}

@test "parabolas of extended galaxies: they come back, and are one" {
    while read -r preset back; do
        distances encounter --preset "$preset" -n 3000 --softening 0.1 -- --until 75 --every 0.5 >found
        again=$(awk '$1 > 15 && $2 < 4 { print $1; exit }' found) # the first passage is before that
        echo "$preset: again at $again, at the end $(tail -n 1 found)" >&3
        close "$again" "$back" 8
        awk '$1 > 70 && $2 > 1 { exit 1 }' found
    done <<'END'
mice 36
tidal-tails 50
cartwheel 38
END
}

# The dwarf is light. At the usual mass, 0.02 of the host's, friction takes it to 1.9 (a million bodies).
@test "satellite: the first passage is at the pericentre asked for" {
    distances satellite -n 30k --mass-ratio 0.0005 --share 0.02 --softening 0.1 -- --until 24 --every 0.25 >found
    read -r _ distance <<<"$(dips <found | head -n 1)"
    close "$distance" 3 0.6
}

@test "milkyway-m31: time and distance of the first passage, and the merger, within what van der Marel et al. (2012) have" {
    distances encounter --preset milkyway-m31 --units galactic -n 6000 --softening 0.5 -- --until 6.5 --every 0.02 >found
    read -r time distance <<<"$(dips <found | head -n 1)"
    echo "$time $distance, at the end $(tail -n 1 found)" >&3
    awk -v t="$time" -v r="$distance" 'BEGIN { gyr = 0.9778 * t; exit !(gyr > 3.55 && gyr < 4.29 && r > 11.2 && r < 69) }'
    awk '$1 * 0.9778 > 6.2 && $2 > 5 { exit 1 }' found # 5.86 Gyr (-0.72 +1.61)
}
