#!/usr/bin/env bash
# A parameter sweep: encounters of two disk galaxies on parabolas, for several pericentres and mass ratios.
# Drivers that run all of them, many at a time: xargs.sh, parallel.sh, sweep.mk (make), slurm.sh.
#
# usage: sweep.sh list                 the names of the runs, in the order of the table
#        sweep.sh run NAME [OUT]       one of them, into OUT/runs: not at all if it is done, from its checkpoint if it was cut
#        sweep.sh table [OUT]          OUT/sweep.tsv, when all are done: a line a run, with its parameters in front
#        sweep.sh picture [OUT]        OUT/sweep.png, a sheet of them, and OUT/outcome.png, both from the table
# In the environment: N bodies, UNTIL the end, PERICENTRES and RATIOS the grid, CHECKPOINT the seconds from one to the next,
# DEVICE one or several that take turns, SHOW the time of the pictures, TILE their size.
set -euo pipefail
command=${1:-list}
case $command in run) name=${2:?usage: sweep.sh run NAME [OUT]} && shift 2 ;; *) shift $(($# > 0)) ;; esac

N=${N:-4k} UNTIL=${UNTIL:-8} PERICENTRES=${PERICENTRES:-0.2 0.4 0.8 1.6} RATIOS=${RATIOS:-1 0.5 0.25 0.125}
read -ra devices <<<"${DEVICE:-auto}"

# NAME PERICENTRE RATIO, a line a run. All that a run depends on stands in its name, so that another N makes other runs,
# and a larger grid keeps those that it shares with a smaller one.
grid() {
    for ratio in $RATIOS; do
        for pericentre in $PERICENTRES; do
            echo "n$N-t$UNTIL-q$ratio-p$pericentre $pericentre $ratio"
        done
    done
}
[ "$command" != list ] || { grid | cut -d ' ' -f 1; exit; }

. "$(dirname "$0")/../tools.sh"
out=$(cd "${out:?}" && pwd) # set there
runs=$out/runs
mkdir -p "$runs"

# A file has its name when it is whole; that it goes up to the end of the run, and not to a failure, its last frame says.
is_done() { # is_done NAME
    local last
    [ -e "$runs/$1.nbs" ] &&
        last=$(nbstat -q --potential none --columns time --no-header --frame last "$runs/$1.nbs") &&
        awk "BEGIN { exit !(($last - $UNTIL) ^ 2 <= 1e-18 * $UNTIL ^ 2) }"
}

# It has its magic word from the beginning, and a size other than 0 behind it when it is whole.
has_checkpoint() { # has_checkpoint NAME
    local slot
    for slot in "$runs/$1".checkpoint.[01]; do
        [ ! -s "$slot" ] || [ "$(od -An -tu8 -j 40 -N 8 "$slot" | tr -d ' ')" = 0 ] || return 0
    done
    return 1
}

# The shell becomes nbsim, and signals to the one reach the other: SIGTERM leaves a checkpoint. The lock lasts as long as
# nbsim does: who starts the sweep again while some of it is still running waits for that, and finds it done.
run() { # run NAME PERICENTRE RATIO NUMBER
    local run=$runs/$1
    exec 9>"$run.lock"
    flock 9
    if is_done "$1"; then
        rm -f "$run".checkpoint.[01]
    elif has_checkpoint "$1"; then
        echo "$1: goes on from its checkpoint" >&2
        exec nbsim -q --resume "$run.checkpoint"
    else
        exec nbsim -q --device "${devices[$4 % ${#devices[@]}]}" --threads 1 --precision single --until "$UNTIL" --every 1 \
            --checkpoint "$run.checkpoint" --checkpoint-every "${CHECKPOINT:-60}" -f -o "$run.nbs" \
            < <(exec 9>&-; nbgen collision -q -n "$N" --eccentricity 1 --pericenter "$2" --mass-ratio "$3")
    fi
}

table() {
    local name files=() missing=()
    while read -r name _; do
        if is_done "$name"; then files+=("$name.nbs"); else missing+=("$name"); fi
    done < <(grid)
    [ ${#missing[@]} = 0 ] || {
        echo "sweep.sh: ${#missing[@]} of $(grid | wc -l) runs are not done, so there is no table: ${missing[*]}" >&2
        exit 1
    }
    cd "$runs"
    nbstat -q -f --params pericenter,mass-ratio --distance --escaped --frame last \
        --columns time,distance_0_1,speed_0_1,escaped,energy_error,file -o "$out/sweep.tsv" "${files[@]}"
    echo "$out/sweep.tsv has the numbers"
}

picture() {
    local pericentre ratio file title=()
    tiles=$(mktemp -d)
    trap 'rm -rf "$tiles"' EXIT
    while IFS=$'\t' read -r pericentre ratio _ _ _ _ _ file; do
        ! nbrender --version | grep -q FreeType || title=(--title "pericentre $pericentre, mass ratio $ratio")
        nbrender -q --threads 1 --size "${TILE:-480x270}" --extent 3 --times "${SHOW:-3}" "${title[@]}" \
            -o "$tiles/$file.png" "$runs/$file"
        echo "file '$tiles/$file.png'"
    done < <(tail -n +2 "$out/sweep.tsv") >"$tiles/list"
    ffmpeg -v error -y -f concat -safe 0 -i "$tiles/list" -frames:v 1 \
        -vf "tile=$(wc -w <<<"$PERICENTRES")x$(wc -w <<<"$RATIOS")" "$out/sweep.png"
    echo "$out/sweep.png has the pictures"
    outcome
}

outcome() {
    command -v gnuplot >/dev/null || { echo "no gnuplot: there is no outcome.png"; return; }
    local ordered rows="'<awk -v ratio='.ratio.' \"\\\$2 == ratio\" $out/sweep.tsv'"
    ordered=$(tr ' ' '\n' <<<"$PERICENTRES" | grep . | sort -g)
    gnuplot <<P
set terminal pngcairo size 1200,500
set output '$out/outcome.png'
set multiplot layout 1,2
set logscale x
set xrange [$(head -n 1 <<<"$ordered")/1.25:$(tail -n 1 <<<"$ordered")*1.25]
set xtics ($(paste -sd , <<<"$ordered"))
set grid
set xlabel 'pericentre of the parabola'
set key left top title 'mass ratio'
set ylabel 'distance of the galaxies at t = $UNTIL'
plot for [ratio in "$RATIOS"] $rows using 1:4 with linespoints pt 7 title ratio
set key right top
set ylabel 'share of the mass that escapes'
plot for [ratio in "$RATIOS"] $rows using 1:6 with linespoints pt 7 title ratio
P
    echo "$out/outcome.png shows how they end"
}

case $command in
run)
    line=$(grid | awk -v name="$name" '$1 == name { print $0, NR - 1 }')
    [ -n "$line" ] || { echo "sweep.sh: $name: no such run; sweep.sh list has their names" >&2; exit 1; }
    # shellcheck disable=SC2086 # four words
    run $line
    ;;
table | picture)
    exec 9>"$out/sweep.lock"
    flock 9
    $command
    ;;
*) echo "sweep.sh: $command: no such command, only list, run, table and picture" >&2; exit 2 ;;
esac
