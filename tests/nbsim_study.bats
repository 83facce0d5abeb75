#!/usr/bin/env bats
# The study of integrators, made small: its tables have every row, and numbers that are known. A part of it as
# it stands, and its pictures, are in tests/long/nbsim_study.bats.
bats_require_minimum_version 1.5.0
load common

study() {
    BIN=$NB_BUILD/bin "$root/examples/integrator-study/study.sh" out
}

@test "integrator-study: rows for every scheme and precision, momentum to rounding" {
    export SCHEMES="leapfrog rkdp54 gauss6" DOUBLE="500 1000" QUAD="250" LONG=0.5
    run -0 study
    [ "$(grep -vc '^#' out/work.tsv)" -ge 6 ]
    [ "$(cut -f 2 out/work.tsv | grep -c leapfrog)" = 3 ]
    awk -F '\t' '!/^#/ && NF != 7 { exit 1 }' out/work.tsv
    # Forces in pairs keep the momentum to the digits of the precision, whatever the scheme.
    awk -F '\t' '$1 == "double" && $6 > 1e-14 || $1 == "quad" && $6 > 1e-31 { exit 1 }' out/work.tsv
    # Leapfrog keeps the angular momentum too; rkdp54 does not.
    awk -F '\t' '$1 == "quad" && $2 == "leapfrog" && $7 > 1e-31 || $1 == "quad" && $2 == "rkdp54" && $7 < 1e-12 { exit 1 }' out/work.tsv
    [ "$(grep -c '^rkdp54	' out/long.tsv)" = 3 ]
    awk -F '\t' '!/^#/ && (NF != 6 || $4 > 1e-5) { exit 1 }' out/long.tsv
    # As much work for the fixed steps as for rkdp54, nearly.
    awk -F '\t' '$2 == 0.5 { e[$1] = $3 } END { for (s in e) if (s != "verner65") { r = e[s] / e["rkdp54"]; if (r < 0.97 || r > 1.03) exit 1 } }' out/long.tsv
}

@test "integrator-study: the kept tables and their pictures are whole" {
    kept=$root/examples/integrator-study
    [ -s "$kept/work.png" ]
    [ -s "$kept/long.png" ]
    for precision in double quad; do
        for scheme in $(nbsim --list-integrators | grep -v -e '^#' -e '^whfast' | cut -f 1); do
            [ "$(grep -c "^$precision	$scheme	" "$kept/work.tsv")" -ge 3 ] || { echo "$precision $scheme" >&2; return 1; }
        done
    done
    [ "$(grep -vc '^#' "$kept/long.tsv")" = 324 ]
}
