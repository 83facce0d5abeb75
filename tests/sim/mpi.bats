#!/usr/bin/env bats
# nbsim with several MPI processes on this host: bitwise identical to the same number of parts of one CPU, equal within
# rounding errors to one part; ranks that fail, and rejected options.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    [ -x "$NB_BUILD/mpi/bin/nbsim" ] || skip "nbsim was not built with MPI (pkg-config finds none)"
    [ -z "${NB_SANITIZER:-}" ] || skip "MPI's own memory and threads are not the sanitizers'"
    command -v mpirun >/dev/null || skip "no mpirun"
    # As root in a container, and with more ranks than cores.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    mpi=(mpirun --oversubscribe --bind-to none)
    nbsim=$NB_BUILD/mpi/bin/nbsim
}

ranks() { # ranks COUNT ARGUMENTS...: nbsim on so many
    "${mpi[@]}" -n "$1" "$nbsim" "${@:2}"
}

# same_bodies A B X: the same bodies in both streams, their numbers within X of one another.
same_bodies() {
    nbconv --to text --columns id,pos,vel "$1" >a.txt
    nbconv --to text --columns id,pos,vel "$2" >b.txt
    python - "$3" <<'END'
import sys
first, second = ([line.split() for line in open(name) if line[0] != "#"] for name in ("a.txt", "b.txt"))
assert len(first) == len(second) > 0
assert all(a[0] == b[0] for a, b in zip(first, second))
most = max(abs(float(p) - float(q)) for a, b in zip(first, second) for p, q in zip(a[1:], b[1:]))
assert most <= float(sys.argv[1]), most
END
}

follows() { # follows COUNT TOLERANCE ARGUMENTS...: so many ranks, so many parts of a CPU, and one
    nbsim -q --device cpu "${@:3}" -o one.nbs -f start.nbs
    nbsim -q --device cpu:0-$(($1 - 1)) "${@:3}" -o parts.nbs -f start.nbs
    ranks "$1" -q --device cpu "${@:3}" -o ranks.nbs -f start.nbs
    cmp parts.nbs ranks.nbs
    same_bodies one.nbs ranks.nbs "$2"
}

rank() { # rank NUMBER: its process
    local pid
    for pid in $(grep -lx nbsim /proc/[0-9]*/comm 2>/dev/null | tr -dc '0-9\n'); do
        tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" >environ || continue
        grep -qx "OMPI_COMM_WORLD_RANK=$1" environ && grep -qx "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" environ && echo "$pid"
    done
    true
}

alive() { # a process, and not only what is left of one
    [ -r "/proc/$1/stat" ] && ! grep -q '^State:.*Z' "/proc/$1/status"
}

@test "2, 3, 4 and 7 ranks: as many parts of a CPU bit for bit, one within rounding" {
    nbgen plummer -n 700 -o start.nbs
    follows 2 1e-11 --integrator leapfrog --dt 0.001 --steps 8
    follows 3 1e-11 --integrator rkf78 --until 0.03 --tolerance 1e-9
    follows 4 1e-11 --integrator hermite4 --dt 0.001 --steps 8
    follows 7 1e-11 --integrator leapfrog --dt 0.001 --steps 8 --force direct --force external:nfw,mass=1,scale=3 --write phi
}

@test "the tree, on 2 and 7 ranks" {
    nbgen plummer -n 3000 -o start.nbs
    follows 2 1e-5 --force tree --dt 0.002 --steps 6
    follows 7 1e-5 --force tree:rebuild=3 --dt 0.002 --steps 6 --write acc
}

@test "individual steps: block steps and hermite4-block" {
    nbgen plummer -n 3000 -o start.nbs
    follows 2 1e-5 --integrator leapfrog-block --force tree --until 0.1
    follows 3 1e-9 --integrator hermite4-block --until 0.03
}

@test "disks that touch, and a textbook method" {
    nbgen windtunnel -n 2000 -o start.nbs 2>/dev/null
    follows 3 0 --until 0.3 --every 0.1
    nbgen plummer -n 700 -o start.nbs -f
    follows 3 1e-14 --force octree --dt 0.01 --steps 5
}

@test "equal bytes from run to run, by way of pipes too; fewer bodies than ranks" {
    nbgen plummer -n 300 -o start.nbs
    ranks 3 -q --device cpu --integrator ias15 --until 0.02 -o first.nbs start.nbs
    ranks 3 -q --device cpu --integrator ias15 --until 0.02 <start.nbs | cat >second.nbs
    cmp first.nbs second.nbs
    nbgen figure8 -o start.nbs -f
    follows 4 1e-12 --integrator rk4 --dt 0.001 --steps 20
}

# killed COUNT DEVICE PARTS UNTIL: the last of so many ranks on DEVICE ends; PARTS do the same without ranks.
killed() {
    local run="-q --force tree:rebuild=4 --dt 0.002 --until $4 --every 0.02" bodies started others begin pid
    # More bodies if the run has ended before it is killed.
    for bodies in 2000 8000 32000; do
        rm -f kept.* cut.nbs*
        nbgen plummer -n $bodies -f -o start.nbs
        # shellcheck disable=SC2086
        "${mpi[@]}" -n "$1" "$nbsim" $run --device "$2" --checkpoint kept --checkpoint-every 0 -o cut.nbs start.nbs 2>said &
        started=$!
        await $started test -s kept.1 || continue
        others="$(for number in $(seq 0 $(($1 - 2))); do rank "$number"; done)"
        begin=$(date +%s%N)
        kill -KILL "$(rank $(($1 - 1)))" && break
    done
    wait $started && false
    [ $((($(date +%s%N) - begin) / 1000000)) -lt 10000 ] # 0.2 s where the cores are free
    for pid in $others; do
        run ! alive "$pid"
    done
    [ "$(grep -c '^nbsim:' said)" = 1 ]
    grep -q "^nbsim: after t = .*: rank $(($1 - 1)) has ended; cut.nbs.part keeps the .* before this step, --resume kept goes on" said
    nbstat --check cut.nbs.part
    ranks "$1" -q --resume kept
    # shellcheck disable=SC2086
    nbsim $run --device "$3" -o first.nbs start.nbs
    cmp first.nbs cut.nbs
}

@test "a rank that is killed: one line, a whole stream, and a checkpoint that goes on bit for bit" {
    killed 3 cpu cpu:0-2 0.2
}

@test "ranks with a GPU each: bit for bit what as many GPUs compute; one that is killed" {
    nbbench --device cuda:0-1 -n 1 >/dev/null 2>&1 || skip "no two GPUs"
    nbgen plummer -n 20000 -o start.nbs
    for options in "--force direct" "--force tree" "--force tree --integrator leapfrog-block" "--force direct --precision double --integrator hermite4"; do
        # shellcheck disable=SC2086
        nbsim -q --device cuda:0-1 $options --dt 0.001 --steps 5 -f -o parts.nbs start.nbs
        # shellcheck disable=SC2086
        ranks 2 -q --device cuda $options --dt 0.001 --steps 5 -f -o ranks.nbs start.nbs
        cmp parts.nbs ranks.nbs
    done
    rm start.nbs
    killed 2 cuda cuda:0-1 4
}

@test "rank 0 is killed: the others end" {
    nbgen plummer -n 2000 -o start.nbs
    "${mpi[@]}" -n 3 "$nbsim" -q --device cpu --integrator leapfrog --dt 0.001 --until 20 --every 0.01 -o cut.nbs start.nbs 2>/dev/null &
    started=$!
    await $started test -s cut.nbs.part
    others="$(rank 1) $(rank 2)"
    kill -KILL "$(rank 0)"
    wait $started && false
    [ "$(wc -w <<<"$others")" = 2 ]
    for pid in $others; do
        for _ in $(seq 1000); do alive "$pid" && sleep 0.03; done
        run ! alive "$pid"
    done
}

@test "SIGTERM to mpirun: the state there is the last frame of a whole stream" {
    nbgen plummer -n 500 -o start.nbs
    "${mpi[@]}" -n 2 "$nbsim" --device cpu --integrator leapfrog --dt 0.001 --until 200 --every 10 -o cut.nbs start.nbs 2>said &
    started=$!
    await $started grep -q 'frames, about' said
    all="$(rank 0) $(rank 1)"
    [ "$(wc -w <<<"$all")" = 2 ]
    kill -TERM $started
    wait $started && false
    grep -q 'ended by signal 15 after step .*; the stream is complete' said
    nbstat --check cut.nbs
    for pid in $all; do
        run ! alive "$pid"
    done
}

@test "what is refused is said once" {
    nbgen plummer -n 100 -o start.nbs
    said() { # said STATUS TEXT COMMAND...
        run "-$1" --separate-stderr "${@:3}"
        [ "$(grep -c '^nb[a-z]*: ' <<<"$stderr")" = 1 ]
        [[ $stderr == *"$2"* ]]
    }
    said 2 "--nonsense: no such option" ranks 3 --nonsense
    said 2 "(use cuda or cpu" ranks 3 --device cpu:0-2 --steps 1 start.nbs
    said 1 "nothere.nbs: cannot be opened" ranks 2 --steps 1 nothere.nbs
    said 2 "mpirun started 4 processes of a program without MPI" mpirun --oversubscribe -n 4 nbgen plummer -n 10
    said 2 "mpirun started 2 processes of a program without MPI" env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 nbstat start.nbs
    run -0 env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 nbstat start.nbs
    [ -z "$output" ]
}

@test "--version names MPI where it is; alone it is as without" {
    "$NB_BUILD/mpi/bin/nbsim" --version | grep -qx 'MPI       yes'
    nbgen plummer -n 100 -o start.nbs
    nbsim -q --device cpu --dt 0.01 --steps 3 start.nbs -o without.nbs
    "$NB_BUILD/mpi/bin/nbsim" -q --device cpu --dt 0.01 --steps 3 start.nbs -o alone.nbs
    ranks 1 -q --device cpu --dt 0.01 --steps 3 start.nbs | cat >one.nbs
    cmp without.nbs alone.nbs
    cmp without.nbs one.nbs
}
