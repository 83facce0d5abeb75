#!/usr/bin/env bats
# nbrender's drawings of trees of cells.
bats_require_minimum_version 1.5.0
load ../common/common
load nbrender

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for x in -1 1; do for y in -1 1; do for z in -1 1; do echo "1 $x $y $z 0 0 0"; done; done; done > eight
    { cat eight; echo "1 0.9 -0.9 -0.9 0 0 0"; } | bodies nine.nbs # the octant of +x -y -z is divided four times more
    bodies eight.nbs < eight
}

look=(-q --size 200x200 --extent 2 --center 0,0,0 --no-dither)

@test "draw-tree: the cells of eight bodies in eight octants are drawn where they are, in parallel and in perspective" {
    for depth in 0 1; do
        nbrender "${look[@]}" --draw-tree $depth -o $depth.png "$BATS_FILE_TMPDIR/eight.nbs"
    done
    nbrender "${look[@]}" --draw-tree 0 --fov 60 -o p0.png "$BATS_FILE_TMPDIR/eight.nbs"
    nbrender "${look[@]}" --draw-tree 1 --force kdtree -o k1.png "$BATS_FILE_TMPDIR/eight.nbs"
    nbrender "${look[@]}" -o none.png "$BATS_FILE_TMPDIR/eight.nbs"
    nbrender "${look[@]}" --fov 60 -o pnone.png "$BATS_FILE_TMPDIR/eight.nbs"
    nbrender "${look[@]}" --draw-tree 0 --fov 100 --extent 0.5 -o inside.png "$BATS_FILE_TMPDIR/eight.nbs"
    nbrender "${look[@]}" --fov 100 --extent 0.5 -o near.png "$BATS_FILE_TMPDIR/eight.nbs"
    python - <<'P'
import math
import numpy as np
from picture import png
def drawn(name, none="none"):
    d = abs(png(f"{name}.png").astype(int) - png(f"{none}.png").astype(int)).max(axis=2) > 4
    for x in 50, 100, 150:  # not where bodies are, nor the root's centre of mass
        for y in 50, 100, 150:
            d[y - 8 : y + 8, x - 8 : x + 8] = False
    return d
def lines(columns, rows, length=(50, 150)):
    want = np.zeros((200, 200), bool)
    for x in columns:
        want[length[0] : length[1], x - 1 : x + 1] = True
    for y in rows:
        want[y - 1 : y + 1, length[0] : length[1]] = True
    for x in 50, 100, 150:
        for y in 50, 100, 150:
            want[y - 8 : y + 8, x - 8 : x + 8] = False
    return want
assert (drawn("0") == lines((50, 150), (50, 150))).all()
assert (drawn("1") == lines((50, 100, 150), (50, 100, 150))).all()
assert (drawn("k1") == lines((50, 150), (50, 150)))[50:150, 60:140].all()  # halves of no width
outer, inner = png("1.png").astype(int)[75, 50], png("1.png").astype(int)[75, 100]
assert outer.max() > 1.05 * inner.max() > 20  # fainter from level to level
assert (png("0.png") != png("none.png"))[98:102, 98:102].all()  # the centre of mass
distance = 2 / math.tan(math.radians(30))
seen = drawn("p0", "pnone")
for z in -1, 1:  # both faces that look at the camera
    half = round(50 * distance / (distance - z))
    assert seen[85, 100 - half - 1 : 100 - half + 1].any() and seen[100 + half - 1 : 100 + half + 1, 85].any()
    assert not seen[85, 100 - half - 4 : 100 - half - 2].any()
inside = abs(png("inside.png").astype(int) - png("near.png").astype(int)).max(axis=2) > 4
assert inside[19:22, 19:22].any() and not inside[19:22, 30:170].any()  # the camera is in the cell, whose edges pass it
P
}

@test "draw-tree-of: what acts on a body as one mass; --theta says what is opened; it is followed through frames" {
    cd "$BATS_FILE_TMPDIR"
    cat nine.nbs nine.nbs > two.nbs
    cd - > /dev/null
    for theta in 0.5 2; do
        nbrender "${look[@]}" --theta $theta --draw-tree-of 1 -o $theta.png "$BATS_FILE_TMPDIR/nine.nbs"
    done
    nbrender "${look[@]}" --force octree:theta=2 --draw-tree-of 1 -o 'f%d.png' "$BATS_FILE_TMPDIR/two.nbs"
    nbrender "${look[@]}" -o none.png "$BATS_FILE_TMPDIR/nine.nbs"
    same_picture f0.png 2.png
    same_picture f1.png 2.png
    python - <<'P'
import numpy as np
from picture import png
fine, one, none = (png(f"{k}.png").astype(int) for k in ("0.5", "2", "none"))
# body 1 is at (-1, -1, -1); the two near (1, -1, -1) are one mass at 0.95: their octant is a cell of 50 pixels with a dot
dot = abs(one - none)[145:150, 145:150].max(axis=2) > 20
assert dot.any() and (one - none)[125, 99:101].max() > 20
amber = (one - none)[125, 99:101].reshape(-1, 3).sum(axis=0)
assert amber[0] > 1.3 * amber[1] > 1.3 * amber[2]
assert (one[148:152, 48:52] > 200).all()  # itself
assert (fine != one).any()
P
}

@test "draw-tree and draw-tree-of: what cannot be is refused" {
    one=$BATS_FILE_TMPDIR/eight.nbs
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options "$one"
        [[ "$stderr" == *"${wanted//_/ }"* ]] || { echo "$options: $stderr"; return 1; }
    done <<'L'
more_than_64 --draw-tree 65 -o a.png
--draw-tree_-1 --draw-tree -1 -o a.png
--draw-tree-of_x --draw-tree-of x -o a.png
force_direct_has_no_cells --draw-tree 3 --force direct -o a.png
draw-tree-of:_--force_tree_has_no_cells --draw-tree-of 3 --force tree -o a.png
--theta_needs --draw-tree 3 --force kdtree --theta 0.5 -o a.png
not_for_--projection_dome --draw-tree 3 --projection dome -o a.png
nothing_is_drawn --draw-tree 3 -o a.npy
L
    run -1 --separate-stderr nbrender -q --draw-tree-of 99 -o a.png "$one"
    [ "$stderr" = "nbrender: --draw-tree-of: no drawn body has the id 99" ]
    [ -z "$(ls a* 2>/dev/null)" ]
}
