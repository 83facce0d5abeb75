#!/bin/sh
# Several GPUs as one against one of them, in one run: the standard table of each, and how many times as fast several are;
# the stages of some evaluations, and from these a model of more GPUs (groups_model.py), which is called one.
# bench/groups.sh BUILD [DEVICES [EACH]]; DEVICES is cuda:all, or a range such as cuda:0-1; EACH: bodies on each, 64M.
set -eu
build=${1:-build} many=${2:-cuda:all} each=${3:-64M}
here=$(dirname "$0")
out=$(mktemp)
trap 'rm -f "$out"' EXIT

for precision in single mixed double; do
    for device in cuda:0 "$many"; do
        "$build/bin/nbbench" -q --device "$device" --precision $precision | sed "/^#/!s/^cuda/$device/" >>"$out"
    done
done
# The facts of each device once, and the names of the columns.
awk '/^#/ && !seen[$0]++' "$out"
grep -v '^#' "$out"
awk -F'\t' -v many="$many" '/^#/ { next }
    $1 == "cuda:0" { one[$2 $3 $4] = $6 }
    $1 == many && ($2 $3 $4) in one {
        printf "# %s %s %d: a step on %s is %.2f times as fast as on one\n", $2, $3, $4, many, one[$2 $3 $4] / $6
    }' "$out"

count=$("$build/bin/nbbench" --device "$many" -n 1 | sed -n 's/^# device: \([0-9]*\) x .*/\1/p')
count=${count:-1}

# stages DEVICE GPUS FORCE N: the time of each stage in a step, and of all
stages() {
    "$build/bin/nbgen" plummer -q -n "$4" | "$build/bin/nbsim" --progress=off --timings --device "$1" --precision single \
        --force "$3" --dt 1e-4 --steps 10 --max-de inf -o /dev/null 2>&1 | awk -F'\t' -v gpus="$2" -v force="$3" -v n="$4" -v device="$1" '
        /steps\/s/ { sub(/^nbsim: /, ""); printf "# %s single %d on %s: %s\n", force, n, device, $0 }
        NF == 5 && !/^#/ { printf "stage\t%d\t%s\tsingle\t%d\t%s\t%.6g\n", gpus, force, n, $1, $3 / 10 }'
}

million=${each%M}
printf '# stage\tgpus\tforce\tprecision\tn\tname\tms\n'
{
    stages cuda:0 1 direct 1048576
    stages "$many" "$count" direct 1048576
    stages cuda:0 1 tree 16777216
    stages "$many" "$count" tree 16777216
    # Weak scaling: as many bodies on each.
    stages cuda:0 1 tree "${million}000000"
    stages "$many" "$count" tree "$((million * count))000000"
} | tee "$out"
if [ "$count" = 2 ] && command -v python3 >/dev/null; then
    "$here/groups_model.py" "$out"
fi
