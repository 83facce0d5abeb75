#!/usr/bin/env bats
# The scripts of bench on tables that the tests write. No time is measured.
bats_require_minimum_version 1.5.0
load ../common/common

# A copy of the scripts, and a table of the tree in which a model's rows stand before the sphere's.
copy() {
    mkdir -p repository && cp -r "$root/bench" repository && rm -f repository/bench/results/*
    {
        BENCH_COMMIT=1234abcd repository/bench/about.sh .
        printf '# device\tprecision\n'
        row direct 0.00 300 disk
        row tree 0.75 30 disk
        row direct 0.00 100 sphere
        row tree 0.75 20 sphere
        row tree 0.75 30 disk
    } >repository/bench/results/tree-cpu.tsv
}

row() { # row METHOD THETA MS MODEL, with a median error of 1e-4
    printf 'cpu\tsingle\t%s\t131072\t%s\t%s\t1\t1e-4\t1e-3\t1e-2\t0\t0\t0\t0\t0\t0\t0\t%s\n' "$@"
}

@test "a table says from what and where it was made" {
    BENCH_COMMIT=1234abcd run -0 "$root/bench/about.sh" nowhere
    [ "${lines[0]}" = "# commit 1234abcd" ]
    [[ "${lines[1]}" == "# driver "?* ]]
    [ "${lines[2]}" = "# CUDA none" ]
    [[ "${lines[3]}" == "# machine Linux "*" x"* ]]
    [ "${#lines[@]}" = 4 ]
}

@test "the summary compares models with the sphere and passes over comments" {
    copy
    run -0 --separate-stderr repository/bench/summary.sh nowhere
    [[ "$output" == *"tree on cpu, 131072 bodies: 0.2 times the direct sum, median error 1e-4"* ]]
    [[ "$output" == *"tree on cpu, 131072 bodies: disk takes 1.50 times the sphere, median error 1e-4"* ]]
}

@test "the picture has the sphere's rows alone" {
    copy
    command -v gnuplot >/dev/null || skip "no gnuplot"
    run -0 --separate-stderr repository/bench/plot.sh
    [ -s repository/bench/results/tree-cpu.png ]
    [[ "$stderr" != *rror* && "$stderr" != *nvalid* ]]
}

# bats test_tags=long
@test "nbgen beside cat, dd and disk: a row each, the same bytes over the same seconds, and nothing is left" {
    mkdir here
    run -0 --separate-stderr "$root/bench/nbgen.sh" "$NB_BUILD" 100k 2 here
    [ -z "$(ls here)" ]
    awk -F'\t' '
        !/^#/ { rows = rows $1 ":" $2 ":" $3 ":" $8 " " }
        # two rounds: medians are means, so that products of rounded numbers agree roughly
        !/^#/ && ($4 <= 0 || $5 <= 0 || $10 <= 0 || $11 <= 0 || $6 * $4 < 0.98e-6 * $2 || $6 * $4 > 1.02e-6 * $2) { exit 1 }
        /^uniform-f32/ && ($7 * $4 < 3.5 || $7 * $4 > 3.9) { exit 1 } # 37 bytes of 100000 bodies
        END { if (rows !~ /^uniform-f32:100000:pipe:cat uniform-f32:100000:file:dd disk:20000:pipe:disk uniform:20000:pipe:disk /) exit 1 }
    ' <<<"$output"
}

@test "streams beside cat: a row each, and nothing is left" {
    mkdir here
    run -0 --separate-stderr "$root/bench/streams.sh" "$NB_BUILD" 20k 1 here
    [ -z "$(ls here)" ]
    awk -F'\t' '!/^#/ { rows++; if (NF != 4 || $2 <= 0 || $3 <= 0 || $4 <= 0) exit 1 } END { if (rows != 8) exit 1 }' <<<"$output"
}

@test "contact forces without LAMMPS: a row each, a line says so; what is too short to tell has no number" {
    command() { [ "$2" = lmp ] && return 1; builtin command "$@"; }
    export -f command
    run -0 --separate-stderr "$root/bench/contact.sh" "$NB_BUILD" 200 5 1
    [ "${lines[-1]}" = "# LAMMPS: skipped, there is no lmp (Debian: lammps)" ]
    awk -F'\t' '
        /^contact-/ { rows++; if (NF != 4 || ($3 != "-" && $3 <= 0) || ($4 != "-" && $4 <= 0)) exit 1 }
        END { if (rows != 8) exit 1 }' <<<"$output"
}

@test "methods: the rows that call themselves textbook methods, ours beside them; a line for each block that was tried" {
    mkdir -p fake/bin fake/bench
    cat >fake/bin/nbsim <<'END'
#!/bin/sh
printf '# method\tdevice\tprecision\ttolerance\tabout\n'
printf 'direct\tcuda\tsingle\t1e-06\tall pairs\n'
printf 'other\tcuda\tsingle\t1e-06\tno textbook has it\n'
printf 'tiles\tcuda\tsingle\t1e-06\ttextbook: tiles\n'
printf 'tiles\tcuda\tdouble\t1e-06\ttextbook: tiles\n'
printf 'naive\tcpu\tdouble\t1e-13\ttextbook: loops\n'
printf '# force\tparameters\tabout\ntiles\tblock=(threads; default 256) order=(of tiles; default rows)\t\n'
printf '# kernel on cpu\nbaseline\tyes\navx2\tyes\navx512\tnot on this processor\n'
END
    echo 'a-cc 1.2 x86_64-linux-gnu baseline avx2 a-cc -O3 -g a-cc -O3 -lm ; baseline: -mno-avx ; avx2: -mavx2 -mfma' >fake/build.flags
    cat >fake/bench/direct <<'END'
#!/bin/sh
echo "$*" >>asked
[ "$4" = tiles:block=autotune ] && echo '# tiles cuda single 1000: 32: 0.5 ms, 64: 0.2 ms, 1024: does not run; 64 threads a block are taken'
printf '%s\tsingle\t1000\t0.25\t4\t1.00e-07\t1e-06\t0.5\tnan\t%s\n' "$2" "$4"
echo "# $4 double 1000000: 1000000 bodies need 24000 GB, of which 1 GB are free: 3 would fit"
END
    chmod +x fake/bin/nbsim fake/bench/direct
    SIZES_GPU=1000 SIZES_HOST=2000 run -0 --separate-stderr "$root/bench/methods.sh" fake cuda cpu
    [ "$(grep -v '^#' <<<"$output")" = "$(printf '%s\t%s\t1000\tsingle\t%s\t%s\t%s\t%s\n' \
        direct cuda - 0.25 1.00e-07 4 \
        tiles cuda 64 0.25 1.00e-07 4 \
        tiles cuda 32 0.5 - 2 \
        tiles cuda 64 0.2 - 5 \
        naive cpu - 0.25 1.00e-07 4)" ]
    [ "$(grep -c 'would fit' <<<"$output")" = 3 ]
    grep -qx '# naive, openmp, tiled: a-cc 1.2: -O3 -mavx2 -mfma' <<<"$output"
    [ "$(cat asked)" = "--device cuda --force direct --only-n 1000
--device cuda --force tiles:block=autotune --only-n 1000
--device cpu --force naive --only-n 2000" ]
}

# The first of those that run at once makes 200 steps a second from 1 s to 2 s, the others 20 from 1.5 s to 2.5 s, and all
# twice that where the daemon of MPS has been started.
mps_fakes() {
    mkdir -p fake/bin mps
    printf '#!/bin/sh\necho "# device: a fake"\n' >fake/bin/nbbench
    cat >fake/bin/nbsim <<'END'
#!/bin/sh
echo "nbsim: begins" >&2
more=$([ -e "${CUDA_MPS_PIPE_DIRECTORY:-none}/on" ] && echo 2 || echo 1)
line() { echo "{\"tool\": \"nbsim\", \"what\": \"step\", \"done\": $(($1 * more)), \"total\": 9, \"elapsed_s\": $2, \"end\": false}" >&2; }
line 0 0.25
if mkdir first 2>/dev/null; then
    trap 'rmdir first; exit 143' TERM
    : >ready
    line 100 1; line 200 1.5; line 300 2
else
    trap 'exit 143' TERM
    line 10 1.5; line 30 2.5
fi
while :; do sleep 0.05; done
END
    cat >mps/nvidia-cuda-mps-control <<'END'
#!/bin/sh
case ${1:-}:$(cat) in
-d:) [ ! -e "$REFUSES" ] || { echo "no MPS here"; exit 1; }
    touch "$CUDA_MPS_PIPE_DIRECTORY/on" && echo started >>log && [ -d "$CUDA_MPS_LOG_DIRECTORY" ] ;;
:quit) rm "$CUDA_MPS_PIPE_DIRECTORY/on" && echo ended >>log ;;
:get_server_list) echo 123 ;;
esac
END
    chmod +x fake/bin/nb* mps/nvidia-cuda-mps-control
    export TMPDIR=$PWD REFUSES=$PWD/refuses
}

@test "several on one GPU: all steps of the time in which all run, and times those of one; the daemon of MPS is ended" {
    mps_fakes
    PATH=$PWD/mps:$PATH run -0 --separate-stderr "$root/bench/mps.sh" fake 0.1 direct:100 </dev/null
    [ "$(grep -v '^#' <<<"$output")" = "$(printf '%s\tdirect\t100\t%s\t%s\t%s\t%s\n' \
        alone 1 200 200 1.00 alone 2 220 110 1.10 alone 4 260 65 1.30 alone 8 340 42.5 1.70 \
        mps 1 400 400 2.00 mps 2 440 220 2.20 mps 4 520 130 2.60 mps 8 680 85 3.40)" ]
    [ "$(cat log)" = "started
ended" ]
    [ -z "$(ls -d mps.* 2>/dev/null)" ]
}

@test "several on one GPU: a daemon of MPS that is missing or does not start is said; interrupted, nothing is left running" {
    mps_fakes
    export COUNTS=1
    run -0 --separate-stderr "$root/bench/mps.sh" fake 0 direct:100 </dev/null
    [ "${lines[-1]}" = "# mps: skipped, there is no nvidia-cuda-mps-control" ]
    touch refuses
    PATH=$PWD/mps:$PATH run -0 --separate-stderr "$root/bench/mps.sh" fake 0 direct:100 </dev/null
    [ "${lines[-1]}" = "# mps: skipped, nvidia-cuda-mps-control does not start: no MPS here" ]
    rm refuses ready
    PATH=$PWD/mps:$PATH "$root/bench/mps.sh" fake 30 direct:100 </dev/null >out 3>&- &
    await $! test -e ready
    kill -TERM $!
    status=0
    wait $! || status=$?
    [ "$status" = 143 ]
    [ ! -e first ]
    [ -z "$(ls -d mps.* 2>/dev/null)" ]
}

# frames SCALE TIME...: a Plummer sphere of 500 stars, so many times as large at that time
frames() {
    nbgen plummer -n 500 --softening 0 -q | nbconv --to text --columns mass,pos,vel >star.txt
    for ((k = 0; $# > 0; k++)); do
        awk -v k=$k -v s="$1" -v t="$2" 'BEGIN { print "# frame", k, "time", t; print "# m x y z vx vy vz" }
            !/^#/ { print $1, s * $2, s * $3, s * $4, $5, $6, $7 }
            END { print "\n" }' star.txt
        shift 2
    done
}

@test "collapse.sh: the frame in which the centre is densest, its time in relaxation times and its radii" {
    frames 1 0 0.5 100 0.25 150 0.75 200 | nbconv -q --from text --softening 0 -o 4.nbs
    KEEP=. run -0 --separate-stderr "$root/bench/collapse.sh" "$NB_BUILD" 4
    echo "$output"
    read -r _ t relaxations _ r1_100 r1_200 r1 _ _ r10 r50_100 _ r50 <<<"${lines[1]}"
    [ "$t" = 150 ]
    read -r r50_0 <<<"$(awk -v a="$r50" 'BEGIN { print 4 * a }')"
    close "$relaxations" "$(awk -v r="$r50_0" 'BEGIN { print 150 / (0.138 * 500 * r ^ 1.5 / log(0.11 * 500)) }')" 0.1
    close "$r1_100" "$(awk -v a="$r1" 'BEGIN { print 2 * a }')" 1e-3
    close "$r1_200" "$(awk -v a="$r1" 'BEGIN { print 3 * a }')" 1e-3
    close "$r50_100" "$(awk -v a="$r50" 'BEGIN { print 2 * a }')" 1e-2
    [[ ${lines[2]} == mean$'\t'150* ]]
}
