#!/usr/bin/env bats
# The gallery, made small by environment variables: films and pictures exist, have the right size and are not blank.
bats_require_minimum_version 1.5.0
load ../common/common

export SIZE=320x180

make_it() { # make_it NAME: runs it into ./out, so that what it says is seen when it fails
    BIN=$NB_BUILD/bin "$root/examples/gallery/$1.sh" out
}

pictures() { # pictures NAME...: of that size, and not all of one colour
    python - "$@" <<'P'
import sys
from picture import png
for name in sys.argv[1:]:
    p = png(f"out/{name}.png")
    assert p.shape[:2] == (180, 320), (name, p.shape)
    assert p.max() > 100 and p.std() > 2, (name, p.max(), p.std())
P
}

frames() { # frames FILM: how many it has
    ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 "$1"
}

setup_file() {
    "$NB_BUILD/bin/nbgen" kepler -q | "$NB_BUILD/bin/nbrender" -q --overlay time --size 64x64 -o "$BATS_FILE_TMPDIR/text.png" \
        2>"$BATS_FILE_TMPDIR/err" || true
}

setup() {
    [ -s "$BATS_FILE_TMPDIR/text.png" ] || skip "no text: $(cat "$BATS_FILE_TMPDIR/err")"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "collision, collapse: films with pictures between the frames" {
    N=300 UNTIL=0.2 FRAME=last make_it collision
    N=300 UNTIL=0.08 FRAME=last make_it collapse
    pictures collision collapse
    [ "$(frames out/collision.mp4) $(frames out/collapse.mp4)" = "9 5" ]
}

@test "antennae, whirlpool, spiral, edge: galaxies with halos, and films" {
    gsl
    N=300 UNTIL=0.8 FRAME=last make_it antennae
    N=300 UNTIL=0.5 FRAME=last make_it whirlpool
    N=300 UNTIL=0.4 FRAME=last make_it spiral
    N=2k make_it edge
    pictures antennae whirlpool spiral edge
    [ "$(frames out/antennae.mp4) $(frames out/whirlpool.mp4) $(frames out/spiral.mp4)" = "9 5 5" ]
}

@test "stability: three galaxies side by side" {
    gsl
    N=500 UNTIL=0.02 make_it stability
    pictures stability
}

@test "sharper: one galaxy of four numbers of bodies" {
    gsl
    N="500 600 700 800" make_it sharper
    pictures sharper
}

@test "solar, pythagorean: discs with paths and names" {
    UNTIL=1 make_it solar
    UNTIL=0.2 FRAME=last make_it pythagorean
    pictures solar pythagorean
    [ "$(frames out/solar.mp4) $(frames out/pythagorean.mp4)" = "6 11" ]
}

@test "cluster, surface-density, potential, four-sides, anaglyph: pictures" {
    names="cluster surface-density potential four-sides anaglyph"
    for name in $names; do
        N=500 UNTIL=0.1 make_it $name
    done
    # shellcheck disable=SC2086 # names
    pictures $names
}

@test "stream: tracers in fields that move" {
    N=300 UNTIL=-3.8 FRAME=last make_it stream
    pictures stream
    [ "$(frames out/stream.mp4)" = 6 ]
    nbstat --check out/stream.nbs
    [ "$(LC_ALL=C sed -n '/^checksum/q; s/^force external:\(.*\)omega=-40.*/bar/p; s/^force .*center=\([a-z]*\).nbs@.*/\1/p' out/stream.nbs | tr '\n' ' ')" = "bar cloud cluster " ]
    nbconv -q --to text --frame last out/cloud.nbs | tail -n 1 >end # back where it is today
    read -r _ _ x y z _ <end
    close "$x" -1 0.01
    close "$y" -41 0.01
    close "$z" -28 0.01
}

@test "every script of the gallery is in its README, with its picture" {
    for script in "$root"/examples/gallery/*.sh; do
        name=$(basename "$script" .sh)
        grep -qF "($name.jpg)" "$root/examples/gallery/README.md"
        grep -qF "[$name.sh]($name.sh)" "$root/examples/gallery/README.md"
        [ -s "$root/examples/gallery/$name.jpg" ]
    done
}
