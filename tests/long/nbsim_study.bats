#!/usr/bin/env bats
# The study of integrators against the tables kept beside it, and its pictures (gnuplot).
bats_require_minimum_version 1.5.0
load ../common

study() {
    BIN=$NB_BUILD/bin "$root/examples/integrator-study/study.sh" out
}

@test "integrator-study: pictures of the tables" {
    export SCHEMES="leapfrog rkdp54 gauss6" DOUBLE="500 1000" QUAD="250" LONG=0.5
    run -0 study
    [ -s out/work.png ]
    [ -s out/long.png ]
}

@test "integrator-study: a part of it again gives the kept numbers" {
    export SCHEMES="leapfrog rkdp54 rkf78 yoshida6 ab5" DOUBLE="4000 8000" QUAD="4000" LONG=1
    run -0 study
    # Energy errors within a factor of 1.5: they are of the scheme, not of rounding.
    awk -F '\t' 'NR == FNR { kept[$1 $2 $3] = $5; next }
        !/^#/ { r = $5 / kept[$1 $2 $3]; if (r < 0.67 || r > 1.5) { print; bad = 1 } } END { exit bad }' \
        "$root/examples/integrator-study/work.tsv" out/work.tsv
}
