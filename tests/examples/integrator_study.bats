#!/usr/bin/env bats
# The study of integrators, made small: its tables have every row, and known numbers. tests/long/integrator_study.bats
# runs a part of the study at full size, and draws the pictures.
bats_require_minimum_version 1.5.0
load ../common/common

study() {
    BIN=$NB_BUILD/bin "$root/examples/integrator-study/study.sh" out
}

@test "integrator-study: rows for every scheme and precision, momentum to rounding" {
    export SCHEMES="leapfrog rkdp54 gauss6" DOUBLE="500 1000" QUAD="250" LONG=0.5
    export TWIN_N=32 TWIN_DOUBLE=100 TWIN_QUAD=10 TWIN_LONG=12 TWIN_SHORT=0.0005
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
    [ "$(grep -vc '^#' out/twin.tsv)" = 6 ]
    for scheme in rkdp54 verner65 stormer; do [ "$(grep -c "^$scheme	" out/twin-long.tsv)" = 121 ]; done
    [ "$(grep -c '^ab5	' out/twin-long.tsv)" = 21 ]
    # Steps of 1e-6 are rounding's alone; the others follow stars around for two periods and more.
    awk -F '\t' '!/^#/ && (NF != 6 || $4 > 1e-8 || $5 > 1e-13 || ($1 == "ab5" && $4 > 1e-13)) { print; exit 1 }' out/twin-long.tsv
    awk -F '\t' '$1 == "ab5" { t = $2; e = $3 } END { exit !(t == 0.0005 && e >= 500 && e < 600) }' out/twin-long.tsv
    # As much work for the fixed steps as for rkdp54, nearly.
    awk -F '\t' '$2 == 0.5 { e[$1] = $3 } END { for (s in e) if (s != "verner65") { r = e[s] / e["rkdp54"]; if (r < 0.97 || r > 1.03) exit 1 } }' out/long.tsv
}

@test "integrator-study: the kept tables and their pictures are whole" {
    kept=$root/examples/integrator-study
    [ -s "$kept/work.png" ]
    [ -s "$kept/long.png" ]
    [ -s "$kept/twin.png" ]
    [ -s "$kept/twin-long.png" ]
    for precision in double quad; do
        for scheme in $(nbsim --list-integrators | grep -v -e '^#' -e '^whfast' -e '-block' -e '^ahmad-cohen' -e '^p3t' | cut -f 1); do
            [ "$(grep -c "^$precision	$scheme	" "$kept/work.tsv")" -ge 3 ] || { echo "$precision $scheme" >&2; return 1; }
        done
    done
    [ "$(grep -vc '^#' "$kept/long.tsv")" = 324 ]
    [ "$(cut -f 2 "$kept/twin.tsv" | grep -v scheme | sort -u | wc -l)" -ge 30 ]
    [ "$(cut -f 1 "$kept/twin.tsv" | grep -c quad)" -ge 20 ]
    # Each adaptive scheme keeps the energy to 1e-8 over the whole time.
    awk -F '\t' '!/^#/ { if ($4 > 1e-8) { print; exit 1 }; if ($2 > t[$1]) t[$1] = $2 }
        END { exit !(t["verner65"] == 300 && t["rkdp54"] == 300 && t["stormer"] == 300) }' "$kept/twin-long.tsv"
}
