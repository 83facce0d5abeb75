#!/usr/bin/env bash
# A star cluster of a million stars with sharp stars in it, brighter where it is denser.
#
# usage: cluster.sh [OUT-DIRECTORY]     cluster.png
# N and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"

nbgen plummer -n "${N:-1M}" |
    nbrender -f --size "${SIZE:-1920x1080}" --extent 4 --stars 0.3 --color density --colormap inferno -o "$out/cluster.png"
