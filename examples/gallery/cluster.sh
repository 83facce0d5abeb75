#!/usr/bin/env bash
# A young star cluster: masses as stars have them, light and colours by the masses.
#
# usage: cluster.sh [OUT-DIRECTORY]     cluster.png
# N and SIZE in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
nbgen plummer -n "${N:-20k}" --imf kroupa | nbrender -f --size "${SIZE:-1920x1080}" -o "$out/cluster.png"
