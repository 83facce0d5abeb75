#!/usr/bin/env bash
# A cylinder at Mach 3: a shock stands in front of it, the gas after the shock is hot and dense, and the wake is almost
# empty.
#
# usage: cannonball.sh [OUT-DIRECTORY]     cannonball.mp4, cannonball.png, density.png, cannonball.nbs
# N, UNTIL, EVERY, SIZE and MACH in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
look=(-f --size "${SIZE:-1080x1000}" --center "0.68,0,0" --extent 1.32 --average 0.3) # without the inlet

nbgen windtunnel -n "${N:-20k}" --airfoil cylinder --chord 0.4 --mach "${MACH:-3}" --box=-1,2,-1.25,1.25 |
    nbsim --precision single --until "${UNTIL:-2}" --every "${EVERY:-0.05}" --write pressure -f -o "$out/cannonball.nbs"
nbrender "${look[@]}" --style light --color pressure -o "$out/cannonball.mp4" "$out/cannonball.nbs"
nbrender -q "${look[@]}" --style light --color pressure --frame last -o "$out/cannonball.png" "$out/cannonball.nbs"
nbrender -q "${look[@]}" --map density --frame last -o "$out/density.png" "$out/cannonball.nbs"
echo "the film is $out/cannonball.mp4; $out/density.png has the density at its end"
