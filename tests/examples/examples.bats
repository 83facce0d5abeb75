#!/usr/bin/env bats
# The examples, made small by environment variables: all outputs exist, are complete and have the right size.
bats_require_minimum_version 1.5.0
load ../common/common

example() { # example NAME: runs it into ./out, so that what it says is seen when it fails
    BIN=$NB_BUILD/bin "$root/examples/$1.sh" out
}

drawn() { # drawn PNG WIDTH,HEIGHT: it has this size, by its header and by its pixels, and is not all black
    local width=${2%,*} height=${2#*,}
    [ "$(od -An -tu1 -j 16 -N 8 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }')" = "$width $height" ] &&
        ffmpeg -v error -i "$1" -f rawvideo -pix_fmt rgb24 pixels -y &&
        [ "$(stat -c %s pixels)" = $((width * height * 3)) ] && [ "$(tr -d '\0' <pixels | wc -c)" -gt 100 ] ||
        { echo "$1 is black, or not $2" >&2; return 1; }
}

@test "merger: film, picture and a whole stream, and the energy holds" {
    export N=500 UNTIL=0.2 SIZE=320x180 FRAME=2
    run -0 example merger
    [[ "$output" == *"the film is out/merger.mp4"* ]]
    error=$(sed -n 's/^nbstat: largest errors: energy \([^ ]*\) .*/\1/p' <<<"$output")
    close "$error" 0 1e-3
    nbstat --check out/merger.nbs
    film out/merger.mp4 320,180 9
    drawn out/merger.png 320,180
}

@test "merger: an earlier run is replaced" {
    export N=200 UNTIL=0.1 SIZE=160x90 FRAME=last
    example merger
    UNTIL=0.2 example merger
    film out/merger.mp4 160,90 9
}

@test "merger without ffmpeg: an APNG instead of the film" {
    mkdir bin
    for program in bash env dirname mkdir; do ln -s "$(command -v $program)" bin; done
    export N=200 UNTIL=0.1 SIZE=160x90 FRAME=last
    run -0 env PATH="$PWD/bin" BIN="$NB_BUILD/bin" "$root/examples/merger.sh" out
    [[ "$output" == *"the film is out/merger.apng"* ]]
    film out/merger.apng 160,90 3
}

@test "merger: galaxies that cannot be made fail the script" {
    export N=1 UNTIL=0.1 SIZE=160x90
    run ! example merger
    [[ "$output" != *"the film is"* ]]
}

@test "cold collapse, and the disks with a heavy and a light centre" {
    export N=300 UNTIL=0.2 SIZE=320x180 FRAME=last
    example cold-collapse
    example disk-99
    example disk-10
    film out/cold-collapse.mp4 320,180 11
    film out/disk-99.mp4 320,180 6
    film out/disk-10.mp4 320,180 6
    nbstat --check out/*.nbs
    for picture in cold-collapse disk-99 disk-10; do
        drawn out/$picture.png 320,180
    done
    # One body with the share of the mass that the example is about
    for share in 99 10; do
        nbconv --to text --columns mass out/disk-$share.nbs | awk -v share=$share \
            '/^[^#]/ { sum += $1; if ($1 > most) most = $1 } END { exit !((most / sum - share / 100) ^ 2 < 1e-10) }'
    done
}

@test "a cluster's core collapses: a film, a picture and a table of radii" {
    export N=200 UNTIL=0.2 SIZE=320x180 FRAME=last
    example cluster/collapse
    film out/collapse.mp4 320,180 3
    drawn out/collapse.png 320,180
    awk -F'\t' 'NR > 1 && !($2 < $3 && $3 < $4) { exit 1 } END { exit NR != 4 }' out/radii.tsv
}

@test "twin: two galaxies, each about a central body with the share asked for" {
    export N=300 UNTIL=2 SIZE=320x180 FRAME=last
    for CENTRAL in 0.1 0.99; do
        export CENTRAL
        example twin
        film out/twin.mp4 320,180 5
        drawn out/twin.png 320,180
        nbstat --check out/twin.nbs
        nbconv --to text --columns galaxy,mass out/twin.nbs | awk -v share="$CENTRAL" '
            /^[^#]/ { sum[$1] += $2; if ($2 > most[$1]) most[$1] = $2 }
            END { for (g = 0; g < 2; g++) if ((most[g] / sum[g] - share) ^ 2 > 1e-10) exit 1 }'
    done
}

@test "figure eight: a closed path in the picture, one turn in the animation" {
    SIZE=160x90 example figure-eight # a GIF takes long to make
    film out/figure-eight.gif 160,90 121
    drawn out/figure-eight.png 160,90
    # After a period the bodies are where they began.
    nbconv --to text --columns id,mass,pos,vel --frame 0 out/figure-eight.nbs | grep '^[0-9]' >begin
    nbconv --to text --columns id,mass,pos,vel out/figure-eight.nbs | grep '^[0-9]' >end
    paste -d ' ' begin end | while read -r _ _ x y _ _ _ _ _ _ x1 y1 _; do
        close "$x" "$x1" 1e-4
        close "$y" "$y1" 1e-4
    done
}

@test "no example gives a step of its own: it would be for another softening once the model changes" {
    run ! grep -nE -e '--dt' --exclude stream.sh "$root"/examples/{,gallery/,sweep/}*.sh # its tracers have no softening
}
