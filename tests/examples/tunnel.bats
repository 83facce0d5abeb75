#!/usr/bin/env bats
# The examples of the wind tunnel, made small by environment variables.
bats_require_minimum_version 1.5.0
load ../common/common

tunnel() { # tunnel NAME: runs it into ./out, so that what it says is seen when it fails
    BIN=$NB_BUILD/bin "$root/examples/wind-tunnel/$1.sh" out
}

@test "film and cannonball: films, pictures, whole streams, and a table of what the wing felt" {
    N=400 UNTIL=0.1 SIZE=160x128 tunnel film
    film out/pressure.mp4 160,128 3
    film out/acceleration.mp4 160,128 3
    film out/pressure.png 160,128 1
    [ "$(wc -l <out/lift.tsv)" = 4 ]
    N=400 UNTIL=0.1 SIZE=160x148 tunnel cannonball
    film out/cannonball.mp4 160,148 3
    film out/density.png 160,148 1
    nbstat --check out/*.nbs
}

@test "hourglass, and the large film, which keeps no stream" {
    N=100 UNTIL=0.1 SIZE=96x216 FRAME=last tunnel hourglass
    film out/hourglass.mp4 96,216 3
    film out/hourglass.png 96,216 1
    N=400 UNTIL=0.08 SIZE=160x100 tunnel large
    film out/large-pressure.mp4 160,100 3
    film out/large-acceleration.mp4 160,100 3
    [ ! -e out/large.fifo ]
}

@test "polar: a line for each angle, in order, with the means of what nbstat says" {
    N=100 UNTIL=1 AFTER=0.5 STEP=45 tunnel polar
    [ "$(cut -f 1 out/polar.tsv | tr '\n' ' ')" = "alpha 0 45 90 " ]
    [ "$(awk -F'\t' '{ print NF }' out/polar.tsv | sort -u)" = 14 ]
    awk -F'\t' 'NR == 1 && !($10 == "body.cd" && $12 == "body.cl") { exit 1 } NR == 4 && !($10 > 0.5) { exit 1 }' out/polar.tsv
}

@test "every script is in the README with its picture, and none gives a step of its own" {
    for script in "$root"/examples/wind-tunnel/*.sh; do
        grep -qF "[$(basename "$script")]($(basename "$script"))" "$root/examples/wind-tunnel/README.md"
    done
    for picture in $(grep -o '([a-z-]*\.png)' "$root/examples/wind-tunnel/README.md" | tr -d '()'); do
        [ -s "$root/examples/wind-tunnel/$picture" ]
    done
    run ! grep -nE -e '--dt' "$root"/examples/wind-tunnel/*.sh
}
