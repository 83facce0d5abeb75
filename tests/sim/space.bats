#!/usr/bin/env bats
# What a run will write is said beforehand, and what the disk cannot hold is refused.
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
    [[ "$stderr" == "nbsim: huge.nbs: 100000000001 frames need "*" GB on the disk, of which "*" GB are free (--no-space-check)" ]]
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
    [[ "$stderr" == *"nbsim: o.nbs: $((frames + 1)) frames need "*" GB on the disk, of which "* ]]
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
