#!/bin/bash
# Measures the speed of nbgen: bench/nbgen.sh BUILD [BODIES [ROUNDS [FOLDER]]]. uniform in single precision (default 50M
# bodies) into a pipe, compared with cat, which writes the same stream from memory into a pipe; to a file in a new
# folder in FOLDER (default: the current folder), compared with dd, which writes the same number of zero bytes there;
# and a fifth of the bodies of other models into a pipe, compared with disk. The programs take turns in ROUNDS rounds
# (default 3). Prints a table on stdout: medians of the rounds, and medians of the ratios within each round: the speed
# of nbgen divided by that of the other program, and the ratio of the processor time of all processes.
set -eu
build=${1:?usage: bench/nbgen.sh BUILD [BODIES [ROUNDS [FOLDER]]]}
nbgen=$(cd "$build" && pwd)/bin/nbgen
bodies=${2:-50M} rounds=${3:-3}
folder=$(mktemp -d "${4:-.}/nbgen.XXXXXX")
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C TIMEFORMAT='%R %U %S'

# clocked COMMAND: prints wall time and processor time, including the processes that COMMAND waits for
clocked() { { time bash -c "$1" >/dev/null 2>&1; } 2>&1 | awk '{ print $1, $2 + $3 }'; }

# row MODEL N BYTES WHERE COMMAND OTHER ITS_BYTES ITS_COMMAND
row() {
    for ((round = 0; round < rounds; round++)); do
        echo "$(clocked "$5") $(clocked "$8")"
    done | awk -v model="$1" -v n="$2" -v bytes="$3" -v where="$4" -v other="$6" -v its_bytes="$7" '
        function median(x, k, j, t) {
            for (k = 2; k <= NR; k++)
                for (j = k; j > 1 && x[j - 1] > x[j]; j--) { t = x[j]; x[j] = x[j - 1]; x[j - 1] = t }
            return (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2
        }
        { wall[NR] = $1; cpu[NR] = $2; its[NR] = its_bytes / $3; speed[NR] = bytes / $1 / (its_bytes / $3); cpus[NR] = $2 / $4 }
        END {
            w = median(wall)
            printf "%s\t%d\t%s\t%.3g\t%.3g\t%.3g\t%.3g\t%s\t%.3g\t%.3g\t%.3g\n", model, n, where, w, median(cpu), n / w / 1e6,
                bytes / w / 1e6, other, median(its) / 1e6, median(speed), median(cpus)
        }'
}

# stream_bytes MODEL N: prints the size of a stream in double precision without its texts
stream_bytes() { "$nbgen" "$1" -q -n 100k 2>/dev/null | wc -c | awk -v n="$2" '{ printf "%.0f\n", $1 * n / 1e5 }'; }

n=$(awk -v word="$bodies" 'BEGIN { printf "%.0f\n", word * (word ~ /k$/ ? 1e3 : word ~ /M$/ ? 1e6 : word ~ /G$/ ? 1e9 : 1) }')
fifth=$((n / 5))
file=$folder/uniform.nbs
uniform="$nbgen uniform --store f32 -q -n $n"
$uniform --no-sync -o "$file"
size=$(stat -c %s "$file")
printf '# model\tbodies\tto\twall s\tprocessor s\tM bodies/s\tMB/s\tbeside\tits MB/s\tspeed ratio\tprocessor ratio\n'
row uniform-f32 "$n" "$size" pipe "$uniform | cat" cat "$size" "cat $file | cat"
rm "$file"
row uniform-f32 "$n" "$size" file "$uniform -f -o $file" dd "$size" \
    "dd if=/dev/zero of=$folder/zero bs=1000000 count=$((size / 1000000)) iflag=fullblock conv=fsync"
rm -f "$file" "$folder/zero"

disk_bytes=$(stream_bytes disk "$fifth")
for model in disk uniform plummer collision hernquist galaxy; do
    made_bytes=$(stream_bytes $model "$fifth")
    [ "$made_bytes" = 0 ] || row $model "$fifth" "$made_bytes" pipe "$nbgen $model -q -n $fifth | cat" \
        disk "$disk_bytes" "$nbgen disk -q -n $fifth | cat"
done
