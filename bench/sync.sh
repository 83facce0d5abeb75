#!/bin/sh
# Measures the cost of syncing outputs: bench/sync.sh BUILD [FOLDER]. The same commands with and without --no-sync take
# turns, into FOLDER (default: a new folder in the current one); the median of seven counts. Prints a table on stdout.
set -eu
build=${1:?usage: bench/sync.sh BUILD [FOLDER]}
PATH=$(cd "$build" && pwd)/bin:$PATH
folder=${2:-}
[ -n "$folder" ] || folder=$(mktemp -d "$PWD/sync.XXXXXX")
trap 'rm -f "$folder"/with "$folder"/without "$folder"/run.nbs "$folder"/a*; rmdir "$folder"' EXIT
cd "$folder"

seconds() { # seconds COMMAND...
    begin=$(date +%s.%N)
    "$@"
    end=$(date +%s.%N)
    awk "BEGIN { print $end - $begin }"
}

median() {
    sort -n "$1" | sed -n 4p
}

compare() { # compare NAME COMMAND...
    name=$1
    shift
    rm -f with without
    for turn in 1 2 3 4 5 6 7; do
        seconds "$@" >>with
        seconds "$@" --no-sync >>without
    done
    printf '%s\t%s\t%s\n' "$name" "$(median with)" "$(median without)" |
        awk -F'\t' '{ printf "%s\t%.3f\t%.3f\t%.2f\n", $1, $2, $3, $2 / $3 }'
}

nbgen plummer -n 2k | nbsim -q --device cpu --dt 0.002 --every 0.002 --until 0.2 -o run.nbs
printf '# command\tsynced s\tnot s\tratio\n'
compare "nbgen 1k bodies" nbgen plummer -n 1k -f -o a.nbs
compare "nbgen 5M bodies" nbgen plummer -n 5M -f -o a.nbs
compare "nbrender 101 pictures" nbrender -qf --size 640x360 -o 'a-%05d.png' run.nbs
compare "nbrender film" nbrender -qf --size 640x360 -o a.mp4 run.nbs
