#!/usr/bin/env bash
# Two disk galaxies merge. The tides of the first passage (t = 2.4) draw out arms and a bridge, the centres meet again
# at t = 4, and one round galaxy remains. The centres are old and yellow, the outer disks young and blue.
#
# usage: merger.sh [OUT-DIRECTORY]     merger.mp4 (without ffmpeg merger.apng), merger.png and the snapshots, merger.nbs
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/tools.sh"
look=(--size "${SIZE:-1920x1080}")

nbgen collision -n "${N:-20k}" --seed 1 --softening 0.04 |
    nbsim --precision single --integrator leapfrog-block --eta 0.1 --until "${UNTIL:-8}" --every 0.05 --write phi -f -o "$out/merger.nbs"
if command -v ffmpeg >/dev/null; then
    # Two pictures from one frame to the next, each exposed for half of its time: nothing jumps.
    film=merger.mp4 motion=("${look[@]}" --interpolate 2 --shutter 0.5)
else
    film=merger.apng motion=(--size "${SIZE:-960x540}" --no-dither --fps 15 --shutter 0.5) # smaller: APNG loses nothing
fi
nbrender -f "${motion[@]}" -o "$out/$film" "$out/merger.nbs"
nbrender -q -f "${look[@]}" --frame "${FRAME:-60}" -o "$out/merger.png" "$out/merger.nbs"
nbstat --potential column "$out/merger.nbs" >/dev/null # its last line: the largest errors
echo "the film is $out/$film, a picture of it $out/merger.png"
