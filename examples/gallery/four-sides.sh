#!/usr/bin/env bash
# One moment of an encounter from the top, in perspective, from the front and from the side.
#
# usage: four-sides.sh [OUT-DIRECTORY]     four-sides.png
# N, UNTIL and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
nbgen collision -n "${N:-40k}" --incline1 30,0 --incline2 60,90 | nbsim --precision single --until "${UNTIL:-3}" |
    nbrender -f --size "${SIZE:-1920x1080}" --layout quad --overlay scale -o "$out/four-sides.png"
