#!/usr/bin/env bats
# The sweep of examples/sweep, made small: with each driver, interrupted and resumed, and two at the same time. Its
# tables equal those of uninterrupted runs, and agree with the streams of the runs.
bats_require_minimum_version 1.5.0
load ../common/common

sweep=$root/examples/sweep

# By the tools in $BATS_FILE_TMPDIR/bin, with which pictures take no time.
setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    export BIN=$BATS_FILE_TMPDIR/bin N=200 UNTIL=1 PERICENTRES="0.3 1" RATIOS="1 0.5" TILE=80x46 SHOW=1 JOBS=2
    real_path=$PATH
    export PATH=$BIN:$PATH
    unset MAKEFLAGS MAKELEVEL MFLAGS DEVICE
}

# Long enough to be cut.
long_runs() {
    export N=300 UNTIL=3 CHECKPOINT=0.0001
    whole=$BATS_FILE_TMPDIR/whole
}

setup_file() (
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
    setup
    mkdir bin
    ln -s "$NB_BUILD"/bin/* bin/
    for stub in nbrender ffmpeg gnuplot; do ln -sf "$(type -P true)" bin/$stub; done
    by xargs done
    long_runs
    by xargs whole
)

# The sweep as it is when it is done, in ./out.
done_before() { cp -a "$BATS_FILE_TMPDIR/done" out; }

by() ( # by DRIVER [OUT]
    case $1 in
    make) set -- make -k -j "$JOBS" -f "$sweep/sweep.mk" OUT="${2:-out}" ;;
    *) set -- "$sweep/$1.sh" "${2:-out}" ;;
    esac
    exec "$@"
)

gnu_parallel() {
    parallel --version 2>/dev/null | grep -q 'GNU parallel' || skip "no GNU parallel (Debian: parallel)"
}

# A stand-in for Slurm: an array's tasks one after the other, by a copy of the script that lies elsewhere.
stand_in_for_slurm() {
    mkdir -p slurm/spool
    cat >slurm/sbatch <<'END'
#!/bin/bash
cd "$(dirname "$0")/spool"
for word in "$@"; do
    case $word in
    --array=*) array=${word#--array=} ;;
    --output=*) log=${word#--output=} ;;
    --dependency=*) after=${word#--dependency=} ;;
    --wrap=*) wrap=${word#--wrap=} ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
if [ -n "${array:-}" ]; then
    cp "$1" script && shift
    for k in $(seq "${array%-*}" "$(sed 's/.*-//; s/%.*//' <<<"$array")"); do
        SLURM_ARRAY_TASK_ID=$k sh ./script "$@" >"${log/\%a/$k}" 2>&1
    done
    echo "17;cluster"
else
    [ "$after" = afterany:17 ] && sh -c "$wrap" >"$log" 2>&1
fi
END
    chmod +x slurm/sbatch
    export PATH=$PWD/slurm:$PATH
}

@test "each driver makes the same table, with the parameters in front, and a sheet of all runs" {
    BIN=$NB_BUILD/bin PATH=$real_path by xargs xargs
    [ "$(cut -f 1-3 xargs/sweep.tsv)" = "$(printf '%s\t%s\t%s\n' '# pericenter' mass-ratio time 0.3 1 1 1 1 1 0.3 0.5 1 1 0.5 1)" ]
    film xargs/sweep.png 160,92 1
    by make make
    cmp xargs/sweep.tsv make/sweep.tsv
    unset N UNTIL
    make -j2 -f "$sweep/sweep.mk" OUT=words N=200 UNTIL=1
    cmp xargs/sweep.tsv words/sweep.tsv
    export N=200 UNTIL=1
    stand_in_for_slurm
    by slurm slurm
    cmp xargs/sweep.tsv slurm/sweep.tsv
    gnu_parallel
    by parallel parallel
    cmp xargs/sweep.tsv parallel/sweep.tsv
}

@test "the parameters in the table are those of the orbits in the files" {
    done_before
    while IFS=$'\t' read -r pericentre ratio _ _ _ _ _ file; do
        nbconv --to text --frame 0 --columns galaxy,mass,pos,vel "out/runs/$file" | awk -v q="$pericentre" -v ratio="$ratio" '
            /^#/ { next }
            { m[$1] += $2; for (k = 0; k < 6; k++) s[$1, k] += $2 * $(3 + k) }
            END {
                for (k = 0; k < 6; k++) d[k] = s[1, k] / m[1] - s[0, k] / m[0]
                h = d[0] * d[4] - d[1] * d[3] # in the plane z = 0; of a parabola, h^2 = 2 G M q
                exit !((m[1] / m[0] / ratio - 1) ^ 2 < 1e-8 && (h * h / (2 * (m[0] + m[1])) / q - 1) ^ 2 < 1e-4)
            }'
    done < <(tail -n +2 out/sweep.tsv)
}

@test "what is done is not done again, and a larger grid adds what is new" {
    done_before
    ls -li --time-style=full-iso out/runs/*.nbs >before
    by xargs
    ls -li --time-style=full-iso out/runs/*.nbs | cmp - before
    export RATIOS="1 0.5 0.25"
    by make
    [ "$(wc -l <out/sweep.tsv)" = 7 ]
    ls -li --time-style=full-iso out/runs/*.nbs | grep -v q0.25 | cmp - before
    UNTIL=0.5 by xargs # other runs
    [ "$(ls out/runs/*.nbs | wc -l)" = 12 ]
}

# Puts an nbsim in front with which each new run but the first stops when its second checkpoint is whole, and goes on
# when it is told to.
stand_still() {
    [ -z "${NB_SANITIZER:-}" ] || skip "the shim is for a plain build"
    rm -rf still
    mkdir still
    ln -s "$BATS_FILE_TMPDIR"/bin/* still/
    rm still/nbsim
    : >still/pids
    cat >still/nbsim <<END
#!/bin/sh
case "\$*" in
*"/$("$sweep/sweep.sh" list | head -n 1).nbs"* | *--resume*) ;;
*)
    echo \$\$ >>"$PWD/still/pids"
    for word; do case \$word in *.nbs) name=\$(basename "\$word" .nbs) ;; esac; done
    export LD_PRELOAD="$NB_BUILD/tests/faults/fail.so" FAULT_CALL=ftruncate FAULT_AT=2 FAULT_ERROR=stop FAULT_LOG="$PWD/still/hit.\$name"
    ;;
esac
exec "$NB_BUILD/bin/nbsim" "\$@"
END
    chmod +x still/nbsim
    export BIN=$PWD/still
}

# The runs that stand still, or have stood still.
held() {
    find still -name 'hit.*' | sed 's/^still.hit.//'
}

any_held() { [ -n "$(held)" ]; }
any_done_and_held() { ls out/runs/*.nbs >/dev/null 2>&1 && any_held; }

# release PID: lets those that stand still go on, up to the end of the test, and waits for PID; with its status
release() {
    local status=0
    (while sleep 0.1; do while read -r stopped; do kill -CONT "$stopped"; done <still/pids; done 2>/dev/null 3>&-) &
    releases=$!
    await $$ ended "$1" || return 99
    wait "$1" || status=$?
    export BIN=$BATS_FILE_TMPDIR/bin
    return $status
}

teardown() {
    [ -z "${releases:-}" ] || kill $releases
}

# cut_off DRIVER SIGNAL: it and all that it started get the signal when one run is done and another has checkpoints.
cut_off() {
    local pid status
    teardown
    rm -rf out
    stand_still
    setsid bash -c "$(declare -f by); sweep=$sweep; by $1" >said 2>&1 3>&- &
    pid=$!
    await $pid any_done_and_held
    kill -"$2" -- -$pid
    release $pid && status=0 || status=$?
    [ $status != 0 ]
    [ $status != 99 ]
    await $$ ended -$pid
    [ ! -e out/sweep.tsv ]
}

# The runs that are not done and have a whole checkpoint: the size of one stands behind its head.
checkpointed() {
    for slot in out/runs/*.checkpoint.*; do
        name=$(basename "${slot%.checkpoint.*}")
        [ -e "out/runs/$name.nbs" ] || [ ! -s "$slot" ] || [ "$(od -An -tu8 -j 40 -N 8 "$slot" | tr -d ' ')" = 0 ] || echo "$name"
    done | sort -u
}

goes_on() { # goes_on DRIVER SIGNAL
    long_runs
    for _ in 1 2 3 4 5; do # again if all runs that stood still came to their ends in spite of the signal
        cut_off "$1" "$2"
        for name in $(held); do # what is not done has a checkpoint
            [ -e "out/runs/$name.nbs" ] || checkpointed | grep -qx "$name"
        done
        checkpointed | sed 's/$/: goes on from its checkpoint/' >going
        [ "$1" != parallel ] && [ ! -s going ] || break
    done
    [ "$1" = parallel ] || { # of which what was begun goes on to its end: each of its jobs has a process group of its own
        [ -s going ]
        run -1 "$sweep/sweep.sh" table out
        [[ "$output" == "sweep.sh: "[1-3]" of 4 runs are not done, so there is no table: "* ]]
    }
    by "$1" >said 2>&1 || { cat said >&2; return 1; }
    [ "$1" = parallel ] || grep 'goes on' said | sort | diff - going
    cmp "$whole/sweep.tsv" out/sweep.tsv
    for file in out/runs/*.nbs; do cmp "$file" "$whole/runs/${file##*/}"; done
    [ -z "$(ls out/runs | grep -v -e 'nbs$' -e 'lock$')" ]
}

@test "xargs cut off in the middle by SIGTERM or SIGKILL goes on to the same table" {
    goes_on xargs TERM
    goes_on xargs KILL
}

@test "make cut off in the middle by SIGTERM or SIGKILL goes on to the same table" {
    goes_on make TERM
    goes_on make KILL
}

# bats test_tags=long
@test "GNU parallel cut off in the middle by SIGTERM or SIGKILL goes on to the same table" {
    gnu_parallel
    goes_on parallel TERM
    goes_on parallel KILL
}

@test "a run that Slurm ends goes on when it is submitted again" {
    long_runs
    name=$("$sweep/sweep.sh" list | sed -n 3p)
    mkdir -p out
    stand_still
    SWEEP=$sweep/sweep.sh SLURM_ARRAY_TASK_ID=2 sh "$sweep/slurm.sh" "$PWD/out" 3>&- &
    await $! any_held
    kill -TERM $! # --signal=B:TERM@60 is for the shell alone
    status=0
    release $! || status=$?
    [ "$status" = 143 ]
    [ ! -e "out/runs/$name.nbs" ]
    stand_in_for_slurm
    by slurm
    [ "$(cat out/slurm-2.log)" = "$name: goes on from its checkpoint" ]
    cmp "$whole/sweep.tsv" out/sweep.tsv
}

@test "what is not whole or not up to the end is not taken for a run, and is made anew" {
    done_before
    cp out/sweep.tsv whole.tsv
    mapfile -t files < <(ls out/runs/*.nbs)
    mv "${files[0]}" copy.nbs && nbsim -q --until 0.5 --frame 0 -o "${files[0]}" copy.nbs
    head -c 5000 "${files[1]}" >cut && mv cut "${files[1]}"
    printf x | dd of="${files[2]}" bs=1 seek=3000 conv=notrunc status=none
    mv "${files[3]}" "${files[3]}.part" # as of a run that was killed before its first checkpoint
    { printf 'nbsim checkpoint 2\n' && head -c 1000 /dev/zero; } >"${files[3]%.nbs}.checkpoint.0"
    run -1 "$sweep/sweep.sh" table out
    [[ "$output" == *"sweep.sh: 4 of 4 runs are not done, so there is no table: "* ]]
    by xargs
    cmp whole.tsv out/sweep.tsv
}

@test "two sweeps at once in one folder share the runs" {
    by xargs one 3>&- &
    by make one
    wait $!
    cmp "$BATS_FILE_TMPDIR/done/sweep.tsv" one/sweep.tsv
}

@test "a run that fails is named, and there is no table" {
    N=1 run ! by xargs
    [[ "$output" == *"nbgen: "* ]]
    [ ! -e out/sweep.tsv ]
    N=1 run ! by make
    [ ! -e out/sweep.tsv ]
    run -1 "$sweep/sweep.sh" run n3 out
    [ "$output" = "sweep.sh: n3: no such run; sweep.sh list has their names" ]
}

@test "without GNU parallel one line names it and its package" {
    mkdir bin
    for each in sh dirname grep; do ln -s "$(command -v $each)" bin/$each; done
    PATH=$PWD/bin run -1 "$sweep/parallel.sh" out
    [ "$output" = "parallel.sh: no GNU parallel (Debian: parallel)" ]
}

@test "devices take turns" {
    mkdir bin
    printf '#!/bin/sh\necho "$*" >>%s/asked\nexit 1\n' "$PWD" >bin/nbsim
    chmod +x bin/nbsim
    for each in "$NB_BUILD"/bin/*; do [ -e "bin/${each##*/}" ] || ln -s "$each" bin/; done
    BIN=bin JOBS=1 DEVICE="cuda:0 cuda:1" run ! by xargs
    [ "$(sed -n 's/.*--device \([^ ]*\).*/\1/p' asked | tr '\n' ' ')" = "cuda:0 cuda:1 cuda:0 cuda:1 " ]
}

@test "the scripts are clean by shellcheck" {
    for script in "$sweep"/{xargs,parallel,slurm}.sh "$root/bench/mps.sh"; do sh -n "$script"; done
    bash -n "$sweep/sweep.sh"
    command -v shellcheck >/dev/null || skip "no shellcheck"
    cd "$sweep" # where tools.sh is found from
    shellcheck -x ./*.sh "$root/bench/mps.sh"
}
