#!/bin/sh
# Contact forces on a GPU: bench/contact-cuda.sh BUILD [SIZE...], as TSV on stdout. `nbgen windtunnel` of each size,
# with both methods, and with each switch of contact-bvh; `renewed' is contact-grid with skin=0, which builds its list
# in every step. The share of the bound compares the rate with a memory bound: the bytes that a step of contact-grid
# must move (BYTES a disk, in single precision) at the memory bandwidth of the GPU (BENCH_BANDWIDTH, bytes/s).
#
# BYTES is the sum of
#   40  kick and drift: reads rows x and y of a, v and x, writes those of v and x
#   24  boundary and preparation, in one pass: reads x, y and their values at the last build, writes pairs
#   41  contacts: reads the pair, the data of the disk, the first four entries of its list and the mass, writes a
#   19  an eighth of a build
# Positions of the neighbours come from the cache.
set -eu
build=${1:-build}
shift || true
[ $# -gt 0 ] || set -- 131072 2097152 16777216
BYTES=124
bandwidth=${BENCH_BANDWIDTH:-4.8e12}
folder=$(mktemp -d "${TMPDIR:-/tmp}/contact.XXXXXX")
trap 'rm -f "$folder"/*.nbs "$folder"/log; rmdir "$folder"' EXIT

# steps NAME BODIES PRECISION FORCE INPUT UNTIL: one line of the table
steps() {
    "$build/bin/nbsim" -v --device cuda --precision "$3" --force "$4" --until "$6" --every "$6" --no-sync -o /dev/null -f "$5" \
        2>"$folder/log" || { cat "$folder/log" >&2; return 0; }
    sed -n 's|.* \([0-9]*\) steps, .* in \([0-9.e+-]*\) s, \([0-9.e+-]*\) steps/s$|\1 \2 \3|p' "$folder/log" | tail -n 1 |
        awk -v OFS='\t' -v name="$1" -v n="$2" -v precision="$3" -v bytes=$BYTES -v bandwidth="$bandwidth" '{
            share = name ~ /^grid/ && precision == "single" ? sprintf("%.3f", n * bytes * $3 / bandwidth) : "-"
            print name, n, precision, $1, $3, sprintf("%.2f", 1e6 / $3), share }'
}

printf '# row\tbodies\tprecision\tsteps\tsteps/s\tus a step\tshare of the bound\n'
for n; do
    in=$folder/tunnel.nbs
    "$build/bin/nbgen" windtunnel -n "$n" -q -o "$in" -f
    long=$(awk "BEGIN { print ($n < 500000 ? 400 : $n < 5000000 ? 220 : 60) / sqrt($n) }") # some thousand steps
    short=$(awk "BEGIN { print $long / 5 }")
    steps grid "$n" single contact-grid "$in" "$long"
    steps 'grid, renewed' "$n" single contact-grid:skin=0 "$in" "$short"
    for skin in 1 3 4; do
        steps "grid, skin $skin" "$n" single "contact-grid:skin=$skin" "$in" "$short"
    done
    steps grid "$n" mixed contact-grid "$in" "$short"
    steps grid "$n" double contact-grid "$in" "$short"
    for switches in '' ,stack=shared ,reorder=off ,reflexive=on ,reflexive=on,aggregate=on ,reflexive=on,stack=shared \
        ,reflexive=on,reorder=off; do
        steps "bvh$switches" "$n" single "contact-bvh:seed=0$switches" "$in" "$(awk "BEGIN { print $short / 4 }")"
    done
done
