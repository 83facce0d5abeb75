#!/bin/bash
# A GPU that is full, by a program that takes its memory (fill_gpu), before nbsim begins and while it runs on it, alone or
# as one of several: one line that names the device or says how many bodies would fit, exit 1, whole frames; or the run
# does without.
# full.sh BUILD [DEVICES]: cuda, or cuda:A-B, whose last is filled.
set -u
build=$(realpath "${1:-build}") devices=${2:-cuda:0-1}
export PATH=$build/bin:$PATH
filled=${devices##*[:-]}
[ "$filled" = cuda ] && filled=0
nbbench -q --device "$devices" -n 1 >/dev/null 2>&1 || { echo "full: skipped, there is no $devices"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
bad=0

fill() { # fill LEAVE_MB: until `let_go'
    mkfifo held said
    "$build/tests/faults/fill_gpu" "$filled" "$1" <held >said &
    filler=$!
    exec 8>held 9<said
    read -r answer <&9
    [[ $answer == full* ]] || { echo "BAD: cannot fill GPU $filled"; exit 1; }
    rm held said
}

let_go() {
    exec 8>&- 9<&-
    wait "$filler"
}

# judge NAME STATUS OUTPUT: of a run whose lines are in the file err
judge() {
    local why='' lines left
    lines=$(grep -vc 'warning: ' err)
    left=$(cat err)
    if [ "$2" = 0 ]; then
        nbstat --check "$3" >/dev/null 2>&1 || why='exit 0 and no whole stream'
    elif [ "$2" != 1 ] || [ "$lines" != 1 ]; then
        why="exit $2 and $lines lines"
    elif ! grep -qE 'cuda|GB' err; then
        why='neither device nor memory in the line'
    elif [ -e "$3.part" ] && ! nbstat --check "$3.part" >/dev/null; then
        why='no whole stream is left'
    fi
    [ -z "$why" ] || bad=1
    echo "full: $devices, $1: ${why:+BAD: $why: }exit $2: $left"
}

nbgen plummer -q -n 100k -o small.nbs
nbgen plummer -q -n 4M -o large.nbs
for leave in 200 1400; do
    fill $leave
    for force in direct tree; do
        timeout -k 5 60 nbsim -q --device "$devices" --force $force --dt .01 --steps 2 -o out.nbs small.nbs 2>err
        judge "$leave MB left before the start, $force" $? out.nbs
        rm -f out.nbs*
    done
    timeout -k 5 60 nbsim -q --device "$devices" --force tree --dt .001 --steps 2 -o out.nbs large.nbs 2>err
    judge "$leave MB left before the start, large" $? out.nbs
    rm -f out.nbs*
    let_go
done

# While it runs: the tree's lists grow from time to time, and then there is no room.
nbgen collision -q -n 1M -o fall.nbs
timeout -k 5 60 nbsim -q --device "$devices" --force tree --dt .005 --until 4 --every .5 --max-de inf --checkpoint ck --checkpoint-every 0 \
    -o out.nbs fall.nbs 2>err &
run=$!
until [ -s out.nbs.part ] || ! kill -0 $run 2>/dev/null; do sleep .02; done
fill 4
wait $run
judge 'filled while it runs' $? out.nbs
let_go
if [ -e out.nbs.part ] && ls ck.* >/dev/null 2>&1; then
    rm -f err
    timeout -k 5 60 nbsim -q --resume ck 2>err
    judge 'gone on with' $? out.nbs
fi
exit $bad
