#!/usr/bin/env bash
# Three equal masses move one behind another on a figure of eight for ever. The animation shows one period; for the
# picture the bodies of all frames are put into one frame, which draws their path, coloured by their speed.
#
# usage: figure-eight.sh [OUT-DIRECTORY]     figure-eight.gif and .png
# UNTIL and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/tools.sh"
look=(--size "${SIZE:-960x540}" --extent 1.3)
period=6.32591398292621

nbgen figure8 | nbsim --until "${UNTIL:-$period}" --every 0.0063259 -f -o "$out/figure-eight.nbs"
nbconv --to text --frame all "$out/figure-eight.nbs" | grep '^[0-9]' | nbconv --from text |
    nbrender -f "${look[@]}" --exposure 3 -o "$out/figure-eight.png"

nbgen figure8 | nbsim -q --until "${UNTIL:-$period}" --every 0.0527159498577184 |
    nbrender -f "${look[@]}" --color-range 0.6,1.3 -o "$out/figure-eight.gif"
