#!/bin/sh
# Several GPUs together compared with one GPU, in one run: with threads of one nbsim, and with MPI ranks that send
# through host memory (mpi) or with NCCL (nccl). Each row gives the difference of its result from the result of one GPU;
# a difference above a bound is an error. Then the times of the stages of some steps, and a model of more GPUs from
# these times (groups_model.py), which is marked as a model.
#
# bench/groups.sh BUILD [COUNT...]: COUNT GPUs, 2 and all of the machine by default. Ranks need BUILD/mpi/bin/nbsim.
# DEVICE=cpu LESS=500 is a trial of the script: parts of a CPU, and 1/500 of the bodies.
set -eu
build=$(cd "${1:-build}" && pwd)
shift || true
here=$(cd "$(dirname "$0")" && pwd)
device=${DEVICE:-cuda} less=${LESS:-1}
folder=$(mktemp -d "${TMPDIR:-/tmp}/groups.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export PATH="$build/bin:$PATH" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [ $# = 0 ]; then
    all=$(nbbench --device "$device:all" -n 1 | sed -n 's/^# device: \([0-9]*\) x .*/\1/p')
    [ "${all:-1}" -gt 1 ] || { echo "# groups.sh: there is only one GPU"; exit; }
    [ "$all" = 2 ] && set -- 2 || set -- 2 "$all"
fi
counts=$* bad=0 all_ways=threads
if [ -x "$build/mpi/bin/nbsim" ] && command -v mpirun >/dev/null; then
    all_ways='threads mpi nccl'
else
    echo "# no rows of MPI: no mpirun, or no $build/mpi/bin/nbsim"
fi
ways=$all_ways
mkdir none
: >none/libnccl.so.2 # NCCL that cannot be opened

# run WAY COUNT OPTION...: runs nbsim on COUNT GPUs
run() {
    way=$1 gpus=$2
    shift 2
    ranks="mpirun --oversubscribe --bind-to none -n $gpus $build/mpi/bin/nbsim --device $device"
    case $way in
    one) nbsim --device "$([ "$device" = cpu ] && echo cpu || echo "$device:0")" "$@" ;;
    threads) nbsim --device "$device:0-$((gpus - 1))" "$@" ;;
    mpi) LD_LIBRARY_PATH=$folder/none:${LD_LIBRARY_PATH:-} $ranks "$@" ;;
    nccl) $ranks "$@" ;;
    esac
}

# each COMMAND...: runs COMMAND... WAY COUNT for one GPU, then for all ways and counts
each() {
    "$@" one 1
    for count in $counts; do
        for how in $ways; do
            "$@" "$how" "$count"
        done
    done
}

# row NAME N WAY COUNT MS DIFFERENCE BOUND
row() {
    [ "$3" = one ] && alone=$5
    awk -v OFS='\t' -v name="$1" -v n="$2" -v way="$3" -v gpus="$4" -v ms="$5" -v alone="$alone" -v off="$6" -v bound="$7" \
        'BEGIN { print name, n, way, gpus, ms, sprintf("%.2f", alone / ms), off, bound; exit !(off + 0 <= bound + 0) }' ||
        failed "$1 of $2 bodies, $3 on $4: off by $6, more than $7"
}

failed() {
    bad=1
    echo "# BAD: $*"
}

# begin MODEL... N: makes in.nbs
begin() {
    # shellcheck disable=SC2086 # words
    nbgen $1 -n "$2" --seed 1 --store f32 --no-sync -q -f -o in.nbs
}

# field NAME N STEPS BOUND OPTIONS WAY COUNT: steps from in.nbs. The difference is the relative rms difference of the final
# accelerations. Writes the times of the stages to the file stages.
field() {
    every=$(($2 / 20000 + 1))
    # shellcheck disable=SC2086 # words
    run "$6" "$7" --progress=off --timings --steps "$3" --max-de inf --write acc --store f32 --sample "1/$every" --no-sync -f \
        -o out.nbs $5 in.nbs >said 2>&1 || { failed "$1 of $2 bodies, $6 on $7: $(grep -v '^#' said | tail -n 1)" && return; }
    nbconv --to text --frame last --columns id,acc out.nbs | sed '/^#/d' >"$6.txt"
    off=$(paste one.txt "$6.txt" | awk '$1 != $5 { exit 1 } { for (k = 2; k <= 4; k++) { all += $k ^ 2; off += ($k - $(k + 4)) ^ 2 } }
        END { printf "%.2g", (all > 0 ? sqrt(off / all) : 1) }') || off=1
    ms=$(sed -n 's|.* in \([^ ]*\) s, .* steps/s.*|\1|p' said | awk -v steps="$3" '{ printf "%.4g", $1 / steps * 1000 }')
    row "$1" "$2" "$6" "$7" "$ms" "$off" "$4"
    case $6 in one | threads)
        case $1 in contact*) return ;; esac
        awk -F'\t' -v OFS='\t' -v gpus="$7" -v name="$1" -v n="$2" -v steps="$3" '!/^#/ && NF == 5 {
            split(name, part, " "); print "stage", gpus, part[1], part[2], n, $1, sprintf("%.6g", $3 / steps) }' said >>stages ;;
    esac
}

# energy NAME N BOUND OPTIONS WAY COUNT: a run from in.nbs with a table of rungs. The time is that of the table, without the
# start of the run. The difference is that of the final energy from the energy of one GPU.
energy() {
    # shellcheck disable=SC2086 # words
    run "$5" "$6" --progress=off --max-de inf --log log --store f32 --sample "1/$2" --no-sync -f -o out.nbs $4 in.nbs >said 2>&1 ||
        { failed "$1 of $2 bodies, $5 on $6: $(tail -n 1 said)" && return; }
    ms=$(awk -F'\t' '/^# / { rungs = /^# rung/ } rungs && !/^#/ { ms += $4 } END { printf "%.4g", ms }' said)
    energy_row "$1" "$2" "$5" "$6" "$ms" "$3"
    [ "$5" != one ] || awk -v name="$1" 'END { print "# " name ": the energy is off by " $4 " on one" }' log
}

# energy_row NAME N WAY COUNT MS BOUND: prints the row from the file log
energy_row() {
    tail -n 1 log | cut -f 3 >"$3.energy"
    row "$1" "$2" "$3" "$4" "$5" "$(paste one.energy "$3.energy" | awk '{ printf "%.2g", sqrt(($1 / $2 - 1) ^ 2) }')" "$6"
}

# film NAME N BOUND WAY COUNT: a pipeline from nbgen to pictures
film() {
    rm -f film.*
    from=$(date +%s%N)
    nbgen collision -n "$2" --seed 1 --store f32 -q | run "$4" "$5" -q -f --log log --until 0.5 --every 0.05 --store f32 |
        nbrender -q -o film.%03d.png || { failed "$1 of $2 bodies, $4 on $5" && return; }
    energy_row "$1" "$2" "$4" "$5" $((($(date +%s%N) - from) / 1000000)) "$3"
}

few() { echo $(($1 / less)); }
many() { echo $(($1 < less ? 1 : $1 / less)); }

printf '# run\tn\tway\tgpus\tms\ttimes_one\tdifference\tbound\n# direct, tree, contact: ms a step; blocks: ms of all rungs; film: ms in all\n'
for run in 65536,400 1048576,8; do
    n=$(few "${run%,*}")
    begin plummer "$n"
    each field 'direct single' "$n" "$(many "${run#*,}")" 1e-5 '--precision single --force direct --dt 1e-4'
done
for run in 131072,50 1048576,4; do
    n=$(few "${run%,*}")
    begin plummer "$n"
    each field 'direct double' "$n" "$(many "${run#*,}")" 1e-12 '--precision double --force direct --dt 1e-4'
done
for run in 2000000,400 4000000,200 16777216,100 64000000,40 128000000,25; do
    n=$(few "${run%,*}")
    [ "${run%,*}" -lt 20000000 ] || ways=$(echo "$all_ways" | sed 's/ mpi//') # which takes minutes
    begin plummer "$n"
    each field 'tree single' "$n" "$(many "${run#*,}")" 2e-3 '--precision single --force tree --dt 1e-4'
done
ways=$all_ways
n=$(few 16777216)
begin plummer "$n"
each energy 'blocks single' "$n" 1e-4 '--precision single --force tree --integrator leapfrog-block --timings --until 0.1'
for run in 2097152,1000 16777216,300; do
    n=$(few "${run%,*}")
    begin windtunnel "$n"
    each field 'contact single' "$n" "$(many "${run#*,}")" 1e-3 '--precision single --force contact-grid'
done
ways=$all_ways
each film 'film' "$(few 1000000)" 1e-4

printf '# stage\tgpus\tforce\tprecision\tn\tname\tms\n'
cat stages
! grep -q '^stage.2' stages || ! command -v python3 >/dev/null || "$here/groups_model.py" stages
exit $bad
