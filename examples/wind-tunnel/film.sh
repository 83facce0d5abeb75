#!/usr/bin/env bash
# A gas of disks flows past a wing at Mach 2. Under the nose, where the gas stops, disks touch more often. Pressure and
# acceleration show the bow shock, and an almost empty region behind the upper side.
#
# usage: film.sh [OUT-DIRECTORY]     pressure.mp4, acceleration.mp4, pressure.png, lift.tsv and the snapshots, film.nbs
# N, UNTIL, EVERY, SIZE, CENTER, EXTENT, AIRFOIL, ALPHA and BOX in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(-f --style light --size "${SIZE:-1200x960}" --center "${CENTER:-1.2,0,0}" --extent "${EXTENT:-1.8}" --average 0.3) # without the inlet

nbgen windtunnel -n "${N:-40k}" --airfoil "${AIRFOIL:-naca2412}" --alpha "${ALPHA:-15}" --box="${BOX:--1,3,-1.5,1.5}" |
    nbsim --precision single --until "${UNTIL:-3}" --every "${EVERY:-0.05}" --write pressure,acc -f -o "$out/film.nbs"
nbrender "${look[@]}" --color pressure -o "$out/pressure.mp4" "$out/film.nbs"
nbrender -q "${look[@]}" --color acc -o "$out/acceleration.mp4" "$out/film.nbs"
nbrender -q "${look[@]}" --color pressure --frame last -o "$out/pressure.png" "$out/film.nbs"
nbstat --walls "$out/film.nbs" >"$out/lift.tsv"
echo "the films are $out/pressure.mp4 and $out/acceleration.mp4; $out/lift.tsv has lift and drag"
