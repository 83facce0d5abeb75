#!/usr/bin/env bash
# Three equal masses follow each other on a periodic orbit in the shape of a figure of eight. The animation shows one
# period, the picture its end. Both show the paths of the bodies, coloured by speed.
#
# usage: figure-eight.sh [OUT-DIRECTORY]     figure-eight.gif and .png
# UNTIL and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/tools.sh"
look=(--size "${SIZE:-960x540}" --extent 1.3 --color speed)
period=6.32591398292621

nbgen figure8 | nbsim --until "${UNTIL:-$period}" --every 0.0063259 -f -o "$out/figure-eight.nbs"
nbrender -f "${look[@]}" --trails $period -o "$out/figure-eight.png" "$out/figure-eight.nbs"

nbgen figure8 | nbsim -q --until "${UNTIL:-$period}" --every 0.0527159498577184 |
    nbrender -f "${look[@]}" --trails 2 --color-range 0.6,1.3 -o "$out/figure-eight.gif"
