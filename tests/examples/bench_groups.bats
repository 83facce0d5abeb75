#!/usr/bin/env bats
# bench/groups.sh with dummy tools that only print results, and its model of more GPUs, compared with sums by hand.
bats_require_minimum_version 1.5.0
load ../common/common

row() { # row GPUS N STAGE MS
    printf 'stage\t%s\ttree\tsingle\t%s\t%s\t%s\n' "$@"
}

# Of the walk two take 1.2 times what half of the bodies took.
table() {
    row 1 1000000 walk 10
    row 2 1000000 walk 6
    row 2 1000000 'exchange bodies' 1
    row 2 1000000 top 0.1
    row 2 1000000 keys 0.2
}

predicted() { # predicted GPUS: milliseconds
    awk -F'\t' -v gpus="$1" '$1 == "model" && $3 == gpus { print $5; exit }' <<<"$output"
}

@test "the model is the sum that it states, and says that it is a model" {
    table >table.tsv
    run -0 python "$root/bench/groups_model.py" table.tsv
    [[ "${lines[0]}" == "# A MODEL, not measured: "* ]]
    close "$(predicted 1)" 10 1e-9
    close "$(predicted 2)" 7.3 1e-9
    # walk 10 / 4 * 1.2; three quarters of 250000 bodies for a half of 500000; top twice; keys of half as many
    close "$(predicted 4)" 4.05 1e-3
    # Beyond 8 of a host 8 of 15 others are reached by the network: bytes take 7 / 15 + 8 / 15 * 350 / 45.
    close "$(predicted 16)" 2.657 1e-3
    [[ "$output" == *$'\n# check: tree single, 1000000 bodies on 2: 6.3 ms by the parts of one alone, 7.3 ms measured (-14%)'* ]]
}

@test "the model waits for trees that come later than the walk ends" {
    { table && row 2 1000000 'exchange trees' 0.05; } >table.tsv
    run -0 python "$root/bench/groups_model.py" table.tsv
    close "$(predicted 4)" 4.1 1e-3
    # 750000 bodies of 40 bytes at 1 GB/s take 30 ms, of which the walk of 3 ms hides its length.
    run -0 python "$root/bench/groups_model.py" --link 1 --network 1 table.tsv
    close "$(predicted 4)" 31.1 1e-2
}

@test "the model of as many on each, checked by a size that it was not made from" {
    { table && row 1 4000000 walk 40 && row 2 8000000 walk 50; } >table.tsv
    run -0 python "$root/bench/groups_model.py" table.tsv
    # made of the largest size that both have; what is measured at 8 million is 50, what it says 8 times 7.3 but for the top
    grep -q '^model	tree single, as many on each	2	8000000	57.7	' <<<"$output"
    [[ "$output" == *"8000000 bodies on 2: 57.7 ms by the model, 50 ms measured (+15%)"* ]]
    row 1 1000 walk 1 >table.tsv
    run -1 python "$root/bench/groups_model.py" table.tsv
    [ "$output" = "groups_model.py: table.tsv: no stages of two GPUs in it (bench/groups.sh prints them)" ]
}

@test "groups.sh: times as fast, differences and their bounds, stages a step, and the model behind them" {
    mkdir -p fake/bin
    cat >fake/bin/nbgen <<'END'
#!/bin/sh
exit 0
END
    cat >fake/bin/nbconv <<'END'
#!/bin/sh
cat out.nbs
END
    cat >fake/bin/nbrender <<'END'
#!/bin/sh
cat >/dev/null
END
    # Two take 0.6 of the time of one, and are off by a thousandth.
    cat >fake/bin/nbsim <<'END'
#!/bin/sh
case $* in *cuda:0-1*) several=1 took=0.6 ;; *) several= took=1 ;; esac
echo "# id acc
1 1 0.00${several:-0} 0" >out.nbs
echo "0 1 -0.25${several:+01} 0" | tr ' ' '\t' >log
echo "nbsim: 10 steps, 10 force evaluations in $took s, 9.9 steps/s, 1 Gpair/s" >&2
printf '# stage\tcalls\tms\tms/call\tshare\nwalk\t10\t%s\t1\t90.0%%\n' "$([ "$several" ] && echo 60 || echo 100)" >&2
[ -z "$several" ] || printf 'exchange bodies\t10\t5\t0.5\t10.0%%\n' >&2
END
    chmod +x fake/bin/*
    run -1 --separate-stderr "$root/bench/groups.sh" fake 2
    [[ "$output" == *$'direct single\t65536\tone\t1\t2.5\t1.00\t0\t1e-5'* ]]
    [[ "$output" == *$'direct single\t65536\tthreads\t2\t1.5\t1.67\t0.001\t1e-5'* ]]
    [[ "$output" == *"# BAD: direct single of 65536 bodies, threads on 2: off by 0.001, more than 1e-5"* ]]
    [[ "$output" == *$'tree single\t16777216\tthreads\t2\t6\t1.67\t0.001\t2e-3'* ]]
    [[ "$output" != *"BAD: tree"* && "$output" != *"BAD: contact"* ]]
    [[ "$output" == *"# BAD: blocks single of 16777216 bodies, threads on 2: off by 0.0004, more than 1e-4"* ]]
    [[ "$output" == *$'stage\t2\ttree\tsingle\t16777216\texchange bodies\t0.05'* ]]
    [[ "$output" == *$'stage\t1\ttree\tsingle\t64000000\twalk\t2.5'* ]]
    [[ "$output" == *"# A MODEL, not measured"*$'\nmodel\ttree single\t8\t128000000\t'* ]]
}
