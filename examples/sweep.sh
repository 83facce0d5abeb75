#!/usr/bin/env bash
# Sixteen encounters of two galaxies on parabolas, as many at a time as there are cores, in one table and one sheet of
# pictures shortly after pericentre: the pericentre grows from left to right, the companion shrinks from top to bottom.
#
# usage: sweep.sh [OUT-DIRECTORY]     sweep.tsv and sweep.png
# N, UNTIL and TILE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/tools.sh"
export runs=$out/sweep N=${N:-4k} UNTIL=${UNTIL:-3} TILE=${TILE:-480x270}
mkdir -p "$runs"

encounter() { # encounter PERICENTRE MASS-RATIO; the file names sort as the sheet is read
    local run
    run=$runs/$(printf 'q%.3f-p%.2f' "$(awk "BEGIN { print 1 - $2 }")" "$1")
    nbgen collision -n "$N" --eccentricity 1 --pericenter "$1" --mass-ratio "$2" |
        nbsim -q --threads 1 --precision single --until "$UNTIL" -f -o "$run.nbs"
    nbrender -q -f --threads 1 --size "$TILE" --extent 3 -o "$run.png" "$run.nbs"
}
export -f encounter

for ratio in 1 0.5 0.25 0.125; do
    for pericentre in 0.2 0.4 0.8 1.6; do
        echo "$pericentre $ratio"
    done
done | xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'encounter "$@"' encounter

nbstat -q -f --params pericenter,mass-ratio --frame last -o "$out/sweep.tsv" "$runs"/*.nbs
ffmpeg -v error -y -pattern_type glob -i "$runs/*.png" -vf tile=4x4 -frames:v 1 "$out/sweep.png"
echo "$out/sweep.tsv has the numbers, $out/sweep.png the pictures"
