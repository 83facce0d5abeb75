#!/usr/bin/env bats
# The study of integrators compared with the committed tables, and the pictures of both studies (gnuplot).
bats_require_minimum_version 1.5.0
load ../common/common

study() {
    BIN=$NB_BUILD/bin "$root/examples/integrator-study/study.sh" out
}

@test "integrator-study: pictures of the tables" {
    export SCHEMES="leapfrog rkdp54 gauss6" DOUBLE="500 1000" QUAD="250" LONG=0.5
    export TWIN_N=32 TWIN_DOUBLE=100 TWIN_QUAD=10 TWIN_LONG=12 TWIN_SHORT=0.0005
    run -0 study
    for picture in work long twin twin-long; do [ -s out/$picture.png ]; done
}

@test "integrator-study: a part of it again gives the kept numbers" {
    export SCHEMES="leapfrog rkdp54 rkf78 yoshida6 ab5" DOUBLE="4000 8000" QUAD="4000" LONG=1
    export TWIN_DOUBLE="50 400" TWIN_QUAD="50" TWIN_LONG=12 TWIN_SHORT=0.0005
    run -0 study
    # Energy errors within a factor of 1.5: they are of the scheme, where they are not of rounding.
    for table in work twin; do
        awk -F '\t' 'NR == FNR { kept[$1 $2 $3] = $5; next }
            !/^#/ && kept[$1 $2 $3] > ($1 == "quad" ? 1e-28 : 1e-13) {
                r = $5 / kept[$1 $2 $3]; if (r < 0.67 || r > 1.5) { print; bad = 1 } } END { exit bad }' \
            "$root/examples/integrator-study/$table.tsv" out/$table.tsv
    done
}

@test "integrator-study: twin galaxies keep the energy to 1e-8 until t = 300, 32 bodies here" {
    export SCHEMES="leapfrog" DOUBLE="5" QUAD="5" LONG=0.25 TWIN_N=32 TWIN_DOUBLE=5 TWIN_QUAD=5 TWIN_SHORT=0.0005
    run -0 study
    awk -F '\t' '!/^#/ { if ($4 > 1e-8) { print; exit 1 }; if ($2 > t[$1]) t[$1] = $2 }
        END { exit !(t["verner65"] == 300 && t["rkdp54"] == 300 && t["stormer"] == 300) }' out/twin-long.tsv
}

@test "method-study: pictures of its table" {
    OMP_NUM_THREADS=1 SIZES="100 200" PAIRS=200 TREES=200 BIN=$NB_BUILD/bin DEVICE=cpu run -0 "$root/examples/method-study/study.sh" out
    [ -s out/methods.png ]
    [ -s out/choices.png ]
}
