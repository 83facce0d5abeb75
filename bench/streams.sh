#!/bin/bash
# Measures how fast the tools pass streams on: bench/streams.sh BUILD [BODIES [ROUNDS [FOLDER]]]. A stream of uniform in
# single precision (default 50M bodies) as one frame and as 20 frames lies in a new folder in FOLDER (default: the
# folder for temporary files). Each row compares a command with cat in the same places of a pipeline, which moves the same
# bytes. Both take turns in ROUNDS rounds (default 3). Prints a table on stdout: medians of wall time, and of the ratio
# within each round.
set -eu
build=${1:?usage: bench/streams.sh BUILD [BODIES [ROUNDS [FOLDER]]]}
PATH=$(cd "$build" && pwd)/bin:$PATH
bodies=${2:-50M} rounds=${3:-3}
folder=$(cd "$(mktemp -d "${4:-${TMPDIR:-/tmp}}/streams.XXXXXX")" && pwd)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C TIMEFORMAT=%R
n=$(awk -v word="$bodies" 'BEGIN { printf "%.0f\n", word * (word ~ /k$/ ? 1e3 : word ~ /M$/ ? 1e6 : word ~ /G$/ ? 1e9 : 1) }')
cd "$folder"
nbgen uniform -q --no-sync --store f32 -n "$n" -o one
for ((k = 0; k < 20; k++)); do
    nbgen uniform -q --store f32 --seed $k -n $((n / 20))
done >many

clocked() { { time bash -c "set -o pipefail; $1" >/dev/null 2>said || { cat said >&2; exit 1; }; } 2>&1; }

# median K: that of column K of the file rounds.txt
median() { cut -d' ' -f"$1" rounds.txt | sort -n | awk '{ x[NR] = $1 } END { printf "%.3g", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'; }

# row NAME COMMAND CAT
row() {
    for ((round = 0; round < rounds; round++)); do
        echo "$(clocked "$2") $(clocked "$3")"
    done | awk '{ print $1, $2, $1 / $2 }' >rounds.txt
    printf '%s\t%s\t%s\t%s\n' "$1" "$(median 1)" "$(median 2)" "$(median 3)"
}

echo "# uniform --store f32, $n bodies, $(stat -c %s one) bytes; $(nproc) threads"
printf '# command\ts\tcat s\tratio\n'
for file in one many; do
    row "nbedit, $file" "cat $file | nbedit -q --shift 1,0,0 | cat" "cat $file | cat | cat"
    row "nbstat --check, $file" "cat $file | nbstat --check" "cat $file | cat"
    row "nbstat --potential none, $file" "cat $file | nbstat --potential none" "cat $file | cat"
done
row "nbgen | nbedit | nbstat --potential none" \
    "nbgen uniform -q --store f32 -n $n | nbedit -q | nbstat --potential none" "cat one | cat | cat"
row "nbrender, one picture of a file" "nbrender -q -f -o picture.png one" "cat one >/dev/null"
