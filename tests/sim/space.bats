#!/usr/bin/env bats
# nbsim prints the number of frames and the size of the output at the start, and refuses a run that does not fit on the
# disk.
bats_require_minimum_version 1.5.0
load ../common/common

@test "frames and bytes are said, and are about what is written" {
    for n in 2 1000; do
        nbgen uniform -n $n | nbsim --device cpu --until 0.2 --every 0.01 -f -o a.nbs 2>said
        read -r tool count _ _ size unit rest < <(grep ' frames, about ' said)
        [ "$tool $count" = "nbsim: 21" ]
        awk -v have="$(stat -c %s a.nbs)" -v said="$size" -v unit="$unit" 'BEGIN {
            said *= unit == "kB" ? 1e3 : unit == "MB" ? 1e6 : 0; exit !(said > 0.8 * have && said < 1.25 * have) }'
    done
}

@test "a run that the disk cannot hold is refused before its first frame, unless that is not to be looked at" {
    nbgen uniform -n 1000 -o in.nbs
    run -1 --separate-stderr nbsim -q --device cpu --until 1 --every 1e-11 in.nbs -o huge.nbs
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "nbsim: huge.nbs: 100000000001 frames need "*" GB on the disk, but only "*" GB are free (--no-space-check writes anyway)" ]]
    [ "$(echo huge*)" = "huge*" ]
    nbsim -q --device cpu --until 1 --every 1e-11 --no-space-check in.nbs -o huge.nbs &
    pid=$!
    await $pid test -s huge.nbs.part && kill $pid
    wait $pid || [ $? -eq 143 ]
    nbstat --check huge.nbs
}

@test "to a pipe it is only said" {
    nbgen uniform -n 1000 -o in.nbs
    { nbsim --device cpu --until 1 --every 1e-11 in.nbs 2>said || true; } | head -c 100000 >begin
    [ "$(stat -c %s begin)" -eq 100000 ]
    grep 'nbsim: 100000000001 frames, about .* TB in all' said
}

@test "--dry-run writes nothing, and says the steps, frames, memory and time of the run" {
    nbgen plummer -n 3000 -o in.nbs
    for how in "--softening 0.05 --until 1 --every 0.1" "--softening 0.05 --until 1 --every 0.1 --tolerance 1e-3" \
        "--softening 0.05 --steps 33 --dt 0.01 --every steps:10"; do
        nbsim -q --device cpu $how --log log.tsv -f -o whole.nbs in.nbs
        steps=$(awk 'END { print $2 }' log.tsv) frames=$(nbstat -q --no-header --columns time whole.nbs | wc -l)
        rm log.tsv
        nbsim --device cpu $how --dry-run --log log.tsv --checkpoint ck -o out.nbs in.nbs >out 2>said
        [ ! -s out ]
        [ "$(echo out.nbs* log.tsv* ck*)" = "out.nbs* log.tsv* ck*" ]
        grep -E '^nbsim: memory: [0-9.]+ [kMG]B$' said
        sed -n 's/^nbsim: takes about \([0-9.e-]*\) \(s\|minutes\): [0-9.e-]* [a-z]* for \([0-9.e+]*\) steps .* for \([0-9.]*\) frames (without the time of the disk)$/\1 \3 \4/p' \
            said >numbers
        read -r seconds tried written <numbers
        awk -v s="$seconds" -v t="$tried" -v n="$steps" 'BEGIN { exit !(s > 0 && t > 0.5 * n && t < 2 * n) }'
        [ "$written" = "$frames" ]
    done
    nbsim -q --device cpu --until 1 --dry-run in.nbs
    nbgen plummer -n 100 -o few.nbs # whose bursts are long
    for how in "--softening 0.05 --steps 100000 --dt 0.001" "--softening 0.05 --until 100 --tolerance 1e-6"; do
        begin=$(date +%s%N)
        nbsim -q --device cpu --threads 1 $how -f -o whole.nbs few.nbs
        end=$(date +%s%N)
        nbsim --device cpu --threads 1 $how --dry-run few.nbs 2>&1 >/dev/null |
            sed -n 's/^nbsim: takes about \([0-9.e-]*\) s: .*/\1/p' >seconds
        awk -v s="$(cat seconds)" -v took=$((end - begin)) 'BEGIN { exit !(s > 0 && s < 8e-9 * took && s > 1.25e-10 * took) }'
    done
    script -qec "nbsim --device cpu --until 0.1 --dry-run few.nbs" /dev/null | grep 'takes about'
    touch there.nbs
    run -1 --separate-stderr nbsim --device cpu --until 1 --dry-run -o there.nbs in.nbs
    [[ "$stderr" == *"there.nbs"*"exists"* ]]
    run -2 --separate-stderr nbsim --dry-run --resume ck
}

@test "checkpoints are counted" {
    nbgen uniform -n 1000 | nbsim --device cpu --until 0.1 --checkpoint ck -o a.nbs 2>said
    grep 'frames, about .* in all, and .* for checkpoints' said
}

@test "output and checkpoints on one disk have to fit together" {
    nbgen plummer -n 1M --no-sync -o in.nbs
    frame=$(stat -c %s in.nbs)
    free=$(df --output=avail -B1 . | tail -n 1)
    frames=$(((free - 100000000) / frame))
    options="-q --device cpu --force external:uniform,gx=1 --dt 1e-3 --every 1e-3 --steps $frames"
    # shellcheck disable=SC2086
    run -1 --separate-stderr nbsim $options --checkpoint ck in.nbs -o o.nbs
    [[ "$stderr" == *"nbsim: o.nbs: $((frames + 1)) frames need "*" GB on the disk, but only "* ]]
    [ ! -e o.nbs ]
    [ ! -e o.nbs.part ]
    [ "$(echo ck*)" = "ck*" ]
    # the output alone fits
    # shellcheck disable=SC2086
    nbsim $options --no-sync in.nbs -o o.nbs &
    pid=$!
    await $pid test -s o.nbs.part
    kill -KILL $pid
    wait $pid || true
}
