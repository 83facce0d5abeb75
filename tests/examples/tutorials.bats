#!/usr/bin/env bats
# The tutorials of docs. Each box of commands is run, with fewer bodies, and in `make check-long` with all bodies. The
# printed output is compared with the output in the tutorial, and the pictures are compared with the tutorial's
# pictures.
bats_require_minimum_version 1.5.0
load ../common/common

# run_tutorial NAME [N]: in a folder of this name, with the module nbstream of this tree and a python3 that has numpy
run_tutorial() {
    command -v ffmpeg >/dev/null || skip "no ffmpeg: the tutorials make films"
    mkdir bin "$1"
    ln -s "$(command -v "$(find_python numpy)")" bin/python3
    cd "$1"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH PYTHONPATH=$root/python python3 "$BATS_TEST_DIRNAME/tutorial.py" "$root/docs/$1.md" "${@:2}"
}

# Skips where nbgen makes no galaxies, or nbconv reads no HDF5.
galaxies() {
    gsl
    ! nbconv --from gadget none 2>&1 | grep -q 'built without the HDF5 library' || skip "nbconv was built without HDF5"
}

# Skips where nbrender writes no text.
text() {
    nbgen kepler -q | nbrender -q --overlay time --size 64x64 -o text.png 2>err || skip "no text: $(cat err)"
}

# pictures NAME [R]: what docs/NAME.md shows is made here, and looks as it does in docs (see `alike`). It is kept with 128
# colours in the folder tutorials of the build. Copy it from there to docs/pictures when a tutorial has changed.
pictures() {
    local kept=$NB_BUILD/tutorials shown
    mkdir -p "$kept"
    for shown in $(grep -o "pictures/$1-[^)]*" "$root/docs/$1.md"); do
        ffmpeg -v error -y -i "${shown#pictures/"$1"-}" \
            -vf 'split[a][b];[a]palettegen=128[p];[b][p]paletteuse=dither=none' "$kept/${shown#pictures/}"
    done
    for shown in $(grep -o "pictures/$1-[^)]*" "$root/docs/$1.md"); do
        alike "$kept/${shown#pictures/}" "$root/docs/$shown" "${2:-0.9}" || { echo "docs/$shown is not what docs/$1.md makes" >&2; return 1; }
    done
}

# alike A B R: as 16 x 9 patches of brightness, the pictures correlate by more than R. Different ones of a tutorial reach
# 0.87.
alike() {
    local file
    for file in "$1" "$2"; do
        ffmpeg -v error -i "$file" -vf scale=16:9:flags=area -f rawvideo -pix_fmt gray - >"$(basename "$(dirname "$file")").patches"
    done
    python - "$(basename "$(dirname "$1")").patches" "$(basename "$(dirname "$2")").patches" "$3" <<'P'
import sys
import numpy as np
a, b = (np.fromfile(name, np.uint8).astype(float) for name in sys.argv[1:3])
assert a.size == b.size == 16 * 9
r = np.corrcoef(a, b)[0, 1]
assert r > float(sys.argv[3]), f"correlation {r}"
P
}

@test "your own merger, with 2000 bodies" {
    galaxies
    run_tutorial tutorial 2000
    film merger.mp4 960,540 121
}

@test "stars and planets, with 200 stars" {
    text
    run_tutorial stars-and-planets 200
}

@test "a wing in the wind, with 2000 disks" {
    run_tutorial wing 2000
    film wing.mp4 640,400 161
}

# bats test_tags=long
@test "your own merger, with the numbers and pictures that it shows" {
    galaxies
    run_tutorial tutorial
    pictures tutorial
}

# bats test_tags=long
@test "stars and planets, with the numbers and pictures that it shows" {
    text
    run_tutorial stars-and-planets
    pictures stars-and-planets 0.6 # after some time the stars of a cluster are elsewhere on another machine
}

# bats test_tags=long
@test "a wing in the wind, with the numbers and pictures that it shows" {
    run_tutorial wing
    pictures wing
}

# tutorial TEXT [N]: its boxes, as TEXT with ~~~ for the marks
tutorial() {
    printf '%b' "$1" | sed 's/~~~/```/' >t.md
    python "$BATS_TEST_DIRNAME/tutorial.py" t.md "${@:2}"
}

@test "what a tutorial shows and what is printed: words and numbers that differ are found, and boxes that fail" {
    local n='~~~sh\nN=100\n~~~\n' echo='~~~sh\necho a $N 1.00\n~~~\n'
    tutorial "$n$echo~~~text within 1%\na 100 1.009\n~~~\n"
    tutorial "$n$echo~~~text within 0% or 0.5\na 100 1.4\n~~~\n"
    tutorial "$n$echo~~~text\na 3 5\n~~~\n" 7 # numbers may be any
    run ! tutorial "$n$echo~~~text within 1%\na 100 1.02\n~~~\n"
    [[ "$output" == *"shown, but not printed: a 100 1.02"* ]]
    run ! tutorial "$n$echo~~~text within 1%\nb 100 1\n~~~\n" 7
    [[ "$output" == *"shown, but not printed: b 100 1"* ]]
    run ! tutorial "$n$echo~~~text any N, within 1%\na 100 1\n~~~\n" 7
    [[ "$output" == *"shown, but not printed: a 100 1"* ]]
    run ! tutorial "$n~~~sh\nfalse\necho went on\n~~~\n"
    [[ "$output" != *$'\n'"went on"* ]] # it shows the box, but the box ended
    run ! tutorial "$echo" 7
    [[ "$output" == *"does not set N"* ]]
    tutorial "$n~~~python p.py\nprint(6 * 7)\n~~~\n~~~sh\npython3 p.py\n~~~\n~~~text\n42\n~~~\n"
    run ! tutorial "$n~~~python p.py\nprint(6 * 7)\n~~~\n~~~sh\npython3 p.py\n~~~\n~~~text\n43\n~~~\n"
}

@test "every picture of the tutorials is shown, and small" {
    local picture
    for picture in "$root"/docs/pictures/*.png; do
        grep -q "(pictures/$(basename "$picture"))" "$root"/docs/*.md || { echo "docs does not show $picture" >&2; return 1; }
        [ "$(stat -c %s "$picture")" -lt 120000 ] || { echo "$picture is not small" >&2; return 1; }
    done
}
