#!/usr/bin/env bats
# The study of methods, made small: a line for every force, and known errors. No time is measured.
# tests/long/integrator_study.bats draws the pictures.
bats_require_minimum_version 1.5.0
load ../common/common

study() {
    OMP_NUM_THREADS=1 BIN=$NB_BUILD/bin DEVICE=cpu "$root/examples/method-study/study.sh" out
}

# bats test_tags=long
@test "method-study: a line for every force and choice, and what is exact is" {
    export SIZES="100 300" PAIRS=300 TREES=300
    run -0 study
    awk -F '\t' '!/^#/ && NF != 10 { print; exit 1 }' out/methods.tsv
    for force in $(nbsim --list-forces |    awk -F '\t' '/^# force/ { exit } $2 == "cpu" && $3 == "double" && $1 !~ /^(external|contact|pn)/ { print $1 }'); do
        [ "$(grep -c "^size	cpu	double	$force	" out/methods.tsv)" = 2 ] || { echo "no $force" >&2; return 1; }
    done
    # Trees of monopoles are off, and more with a wider opening; all others keep the momentum.
    awk -F '\t' '/^#/ { next }
        $4 !~ /tree/ && $7 > 1e-13 { print "inexact: " $0; bad = 1 }
        $4 !~ /^(octree|kdtree)/ && $10 > 1e-13 { print "momentum: " $0; bad = 1 }
        $1 == "sweep" { e[$4] = $7 }
        END { if (!(e["octree:theta=0.2"] < 0.3 * e["octree:theta=0.5"] && e["octree:theta=0.5"] < 0.6 * e["octree:theta=0.9"])) bad = 2
              if (!(e["kdtree:lambda=1"] > 1e-3 && e["kdtree:lambda=1"] > 10 * e["kdtree:lambda=16"] && e["kdtree:lambda=1024"] < 1e-13)) bad = 3
              if (!(e["octree:theta=0.8"] < e["octree:theta=0.8,opening=size"])) bad = 4
              exit bad }' out/methods.tsv
    # All ways of walking a tree come to the same sums.
    [ "$(awk -F '\t' '$1 == "choice" && $4 ~ /^kdtree/ { print $7, $8, $9 }' out/methods.tsv | sort -u | wc -l)" = 1 ]
    [ "$(grep -c '^choice	cpu	double	kdtree' out/methods.tsv)" = 12 ]
}

@test "method-study: what is there is not measured again" {
    export SIZES=50 STUDIES=size
    study
    cp out/methods.tsv once.tsv
    study
    cmp once.tsv out/methods.tsv
}

@test "method-study: the kept tables and their pictures are whole" {
    kept=$root/examples/method-study
    for table in gpu cpu; do
        [ -s "$kept/$table.tsv" ]
    awk -F '\t' '!/^#/ && NF != 10 { print; exit 1 }' "$kept/$table.tsv"
    done
    [ -s "$kept/methods.png" ]
    [ -s "$kept/choices.png" ]
}
