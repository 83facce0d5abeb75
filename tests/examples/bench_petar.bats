#!/usr/bin/env bats
# bench/petar.sh without PeTar, and with a dummy program that writes its input unchanged.
bats_require_minimum_version 1.5.0
load ../common/common

# The stars do not move, and with the default tree step their velocities are 1.001 times as large.
fake_petar() {
    cat >petar <<'PROGRAM'
#!/bin/sh
echo "$*" >>"$ASKED"
factor=1.001
while [ $# -gt 1 ]; do
    case $1 in
    -t) until=$2 ;;
    -o) look=$2 ;;
    -s) [ "$2" = 0.0078125 ] || factor=1 ;;
    esac
    shift 2
done
echo " Mean outer changeover radius      = 0.02"
echo " Tree time step                    = 0.0078125"
awk -v until="${ENDS:-$until}" -v look="$look" -v factor="$factor" '
    { row[NR] = $0; $5 *= factor; $6 *= factor; $7 *= factor; fast[NR] = $0 }
    END {
        for (k = 0; k * look <= until; k++) {
            print 0, NR - 1, k * look >"data." k
            for (i = 2; i <= NR; i++) print k ? fast[i] : row[i] >"data." k
        }
    }' CONVFMT=%.17g OFMT=%.17g "$1"
PROGRAM
    chmod +x petar
    export PETAR=$PWD/petar ASKED=$PWD/asked SHARES=0.5 ROUNDS=1
}

@test "petar.sh: without PeTar a line says so, and nothing is run" {
    PETAR=nowhere/petar run -0 --separate-stderr "$root/bench/petar.sh" "$NB_BUILD" 50 0.0625
    [ "$output" = "petar: skipped, there is no program nowhere/petar (PETAR=PROGRAM names it: https://github.com/lwang-astro/PeTar)" ]
    [ -z "$stderr" ]
}

@test "petar.sh: pairs, outputs, the energy error that the velocities have, and the setting that has none" {
    fake_petar
    run -0 --separate-stderr "$root/bench/petar.sh" "$NB_BUILD" 50 0.0625
    [ "$(cut -f 1-5 <<<"$output" | tail -n 3)" = "$(printf '50\t0.0625\t0.5\t%s\t%s\n' nbsim hermite4-groups petar default \
        petar '-r 0.028 -s 0.00390625 -T 0.3')" ]
    # of 33 systems half are binaries
    grep -qx -- '-b 17 -t 0.0625 -o 0.015625 in.petar' asked
    nbgen plummer -n 50 --seed 2 --softening 0 --binaries 0.5 -q -o model.nbs
    error=$(nbstat -q --no-header --columns kinetic,energy model.nbs | awk '{ print -$1 * (1.001 ^ 2 - 1) / $2 }')
    close "$(awk -F'\t' '$5 == "default" { print $8 / '"$error"' }' <<<"$output")" 1 0.05
    close "$(cut -f 8 <<<"$output" | tail -n 1)" 0 1e-14
}

@test "petar.sh: a run of PeTar that ends early is an error" {
    fake_petar
    ENDS=0.05 run -1 --separate-stderr "$root/bench/petar.sh" "$NB_BUILD" 50 0.0625
    [ "$stderr" = "petar.sh: PeTar fails: it ends before t = 0.0625" ]
}
