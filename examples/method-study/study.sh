#!/usr/bin/env bash
# Compares the force methods of nbsim: the time of one evaluation of the force in a Plummer sphere, and its errors, for
# every method.
#
#   methods.tsv  a line each: study, device, precision, force, bodies, seconds, relative errors of the accelerations (half of
#                the bodies have less, 99 % have less, the largest; of up to 4096 bodies against the direct sum in double),
#                and |sum m a| over sum m |a|
#
# Studies: size (time against N, all forces), sweep (opening parameters), choice (orders, ways of walking), block (threads of
# a block on a GPU).
#
# usage: study.sh [OUT-DIRECTORY]     the table and its pictures
# In the environment: DEVICE (cuda where there is one, else cpu); LARGE=1 for sizes that take a CPU minutes (a GPU has them
# anyway); SIZES, MOST (bodies up to which all pairs are summed one by one), PAIRS and TREES (bodies of the other studies of
# such forces and of trees) and STUDIES. What OUT-DIRECTORY/runs already has is not computed again.
set -euo pipefail
study=$(cd "$(dirname "$0")" && pwd)
. "$study/../tools.sh"
mkdir -p "$out/runs"
has_cuda() { nbgen plummer -q -n 2 | nbsim -q --device cuda --steps 0 >/dev/null 2>&1; }
DEVICE=${DEVICE:-$(has_cuda && echo cuda || echo cpu)}
if [ "$DEVICE" = cuda ]; then
    precision=single MOST=${MOST:-65536} PAIRS=${PAIRS:-20480} TREES=${TREES:-65536}
    SIZES=${SIZES:-1024 2048 4096 8192 16384 20480 32768 65536 262144 1048576}
elif [ -n "${LARGE:-}" ]; then
    precision=double SIZES=${SIZES:-2048 4096 8192 16384 32768} MOST=${MOST:-32768} PAIRS=${PAIRS:-20480} TREES=${TREES:-32768}
else
    precision=double SIZES=${SIZES:-512 1024 2048} MOST=${MOST:-2048} PAIRS=${PAIRS:-2048} TREES=${TREES:-2048}
fi

# Methods that the device has, and parameters of a method.
methods=$(nbsim --list-forces | awk -F '\t' -v d="$DEVICE" -v p=$precision '/^# force/ { exit } $2 == d && $3 == p { print $1 }')
has() { grep -qx "${1%%:*}" <<<"$methods"; }

make_start() { # make_start N: the sphere, and the accelerations of some of its bodies
    local start=$out/runs/start-$1 step=$((($1 + 4095) / 4096))
    [ ! -e "$start.truth" ] || return 0
    nbgen plummer -q -n "$1" --softening 0.01 --seed 1 --store f32 -f -o "$start.nbs"
    nbsim -q --device "$DEVICE" --precision double --force direct --steps 0 --write acc --no-sync -f -o "$start.acc" "$start.nbs"
    nbconv --to text --columns acc "$start.acc" | awk -v step=$step '!/^#/ && i++ % step == 0' >"$start.part"
    rm "$start.acc"
    mv "$start.part" "$start.truth"
}

# Steps over which a time is taken: about as long for every size, on a CPU and on a GPU.
count_steps() { # count_steps FORCE N
    local pairs=3e8 bodies=4e4
    [ "$DEVICE" = cpu ] || pairs=1e11 bodies=2e6
    case $1 in
    tree* | octree* | kdtree*) awk "BEGIN { k = int($bodies / $2); print (k < 3 ? 3 : k > 100 ? 100 : k) }" ;;
    *) awk "BEGIN { k = int($pairs / $2 / $2); print (k < 2 ? 2 : k > 100 ? 100 : k) }" ;;
    esac
}

# Errors of a frame's accelerations, from its text: mass acc.
errors() { # errors TRUTH N
    awk -v truth="$1" -v step=$((($2 + 4095) / 4096)) '
        /^#/ { next }
        { size = sqrt($2 ^ 2 + $3 ^ 2 + $4 ^ 2); all += $1 * size
          for (k = 0; k < 3; k++) sum[k] += $1 * $(2 + k) }
        i++ % step == 0 {
            getline line < truth
            split(line, t, " ")
            print sqrt(($2 - t[1]) ^ 2 + ($3 - t[2]) ^ 2 + ($4 - t[3]) ^ 2) / sqrt(t[1] ^ 2 + t[2] ^ 2 + t[3] ^ 2) }
        END { print "momentum", sqrt(sum[0] ^ 2 + sum[1] ^ 2 + sum[2] ^ 2) / all }' | sort -g |
        awk '$1 == "momentum" { momentum = $2; next }
            { e[n++] = $1 }
            END { printf "%.3e\t%.3e\t%.3e\t%.3e\n", e[int(n / 2)], e[int(n * 0.99)], e[n - 1], momentum }'
}

# A line of the table: one run, in which hardly anything moves.
measure() { # measure STUDY FORCE N
    local name
    has "$2" || return 0
    name=$out/runs/$DEVICE-$(tr ':,=' '---' <<<"$2")-$3
    if [ ! -e "$name.tsv" ]; then
        make_start "$3"
        # A force that has no such parameter, or no memory, leaves no line.
        nbsim --device "$DEVICE" --precision $precision --integrator leapfrog --force "$2" --dt 1e-9 --steps "$(count_steps "$2" "$3")" \
            --write acc --max-de inf --no-sync -f -o "$name.nbs" "$out/runs/start-$3.nbs" 2>"$name.log" || return 0
        seconds=$(sed -n 's/.* \([0-9]*\) force evaluations in \([^ ]*\) s,.*/\2 \1/p' "$name.log" | awk '{ printf "%.4g", $1 / $2 }')
        printf '%s\t%s\t%s\t%s\n' "$2" "$3" "$seconds" \
            "$(nbconv --to text --frame 0 --columns mass,acc "$name.nbs" | errors "$out/runs/start-$3.truth" "$3")" >"$name.part"
        rm "$name.nbs"
        mv "$name.part" "$name.tsv"
    fi
    printf '%s\t%s\t%s\t%s\n' "$1" "$DEVICE" $precision "$(cat "$name.tsv")"
}

size() {
    for n in $SIZES; do
        for force in $methods; do
            case $force in
            tree | octree | kdtree) measure size "$force" "$n" ;;
            external | contact*) ;;
            *) [ "$n" -gt "$MOST" ] || measure size "$force" "$n" ;;
            esac
        done
    done
}

sweep() {
    for theta in 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1; do
        measure sweep tree:theta=$theta "$TREES"
        measure sweep octree:theta=$theta "$TREES"
        measure sweep octree:theta=$theta,opening=size "$TREES"
    done
    for lambda in 0.1 0.5 1 2 4 16 64 256 1024; do
        measure sweep kdtree:lambda=$lambda "$TREES"
    done
    measure sweep direct "$TREES"
}

choice() {
    for sort in on off; do measure choice octree:theta=0.5,sort=$sort "$TREES"; done
    for layout in heap nodes; do
        for visit in leaf input; do
            for traverse in stackless stack recursive; do
                measure choice kdtree:traverse=$traverse,visit=$visit,layout=$layout "$TREES"
            done
        done
    done
    for order in rowmajor tiles hilbert; do measure choice pairs-symmetric:order=$order "$PAIRS"; done
    for force in naive openmp tiled pairs-matrix shared-tiles direct; do measure choice $force "$PAIRS"; done
}

block() {
    [ "$DEVICE" != cpu ] || return 0
    for threads in 8 16 32 64 128 256 512 1024; do
        for force in shared-tiles pairs-symmetric pairs-matrix; do
            measure block $force:block=$threads "$PAIRS"
        done
        for force in octree kdtree; do
            measure block $force:block=$threads "$TREES"
        done
    done
}

{
    printf '# study\tdevice\tprecision\tforce\tbodies\tseconds\terror_median\terror_99\terror_largest\tmomentum\n'
    for part in ${STUDIES:-size sweep choice block}; do $part; done
} >"$out/methods.part"
mv "$out/methods.part" "$out/methods.tsv"
"$study/plot.sh" "$out"
echo "$out/methods.tsv has the numbers of $DEVICE, the pictures beside it show them"
