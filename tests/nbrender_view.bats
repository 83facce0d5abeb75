#!/usr/bin/env bats
# Where nbrender's cameras stand and look: panes, stereo pairs, cameras that move or follow.
bats_require_minimum_version 1.5.0
load common

export PYTHONPATH=$BATS_TEST_DIRNAME

# bodies NAME: a stream of one frame from lines `m x y z vx vy vz` on stdin
bodies() {
    { echo '# id m x y z vx vy vz' && awk '{ print NR, $0 }'; } | nbconv --from text -o "$1"
}

plain=(-q --smooth fixed) # every body is a spot of three pixels about its place

# ---- panes ----

@test "a quad shows a body from the top, in perspective, from the front and from the side, between thin gaps" {
    echo "1 1 2 3 0 0 0" | bodies one.nbs
    nbrender "${plain[@]}" --size 402x202 --layout quad --extent 10 --center 0,0,0 -o one.png one.nbs
    nbrender "${plain[@]}" --size 403x203 --layout quad --extent 10 --center 0,0,0 -o odd.png one.nbs
    nbrender "${plain[@]}" --size 402x202 --layout quad --extent 10 --center 0,0,0 --view 20,50 --fov 70 --spin 7 \
        -o turned.png one.nbs
    python - <<'P'
import math
from picture import png, middle
R, x, y, z = 10, 1, 2, 3
def perspective(az, el, fov):
    a, e = math.radians(az), math.radians(el)
    back = math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)
    right = -math.sin(a), math.cos(a), 0
    up = -math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e)
    u, v, w = (sum(p * q for p, q in zip(axis, (x, y, z))) for axis in (right, up, back))
    near = 1 / (1 - w * math.tan(math.radians(fov) / 2) / R)
    return u * near, v * near
for name, gap, view in ("one", 2, (-60, 25, 40)), ("odd", 3, (-60, 25, 40)), ("turned", 2, (20, 50, 70)):
    p = png(f"{name}.png")
    far = 200 + gap, 100 + gap
    panes = ((0, 0), (x, y)), ((far[0], 0), perspective(*view)), ((0, far[1]), (x, z)), ((far[0], far[1]), (y, z))
    for (left, top), (u, v) in panes:
        at = middle(p[top : top + 100, left : left + 200])
        assert abs(at[0] - (100 + 100 * u / R)) < 0.1 and abs(at[1] - (50 - 100 * v / R)) < 0.1, (name, left, top, at)
    gaps = p[100 : 100 + gap].reshape(-1, 3), p[:, 200 : 200 + gap].reshape(-1, 3)
    assert all((g == g[0, 0]).all() and 20 < g[0, 0] < 80 for g in gaps)
P
}

@test "panes share extent and exposure: what is in the picture is in every pane, and equally bright" {
    nbgen uniform -n 3000 -o u.nbs # a ball
    nbrender -q --size 402x402 --extent 2 --layout quad -o quad.png u.nbs
    nbrender -q --size 200x200 --extent 2 -o single.png u.nbs
    python - <<'P'
from picture import png
quad, single = png("quad.png").astype(int), png("single.png").astype(int)
panes = [quad[top : top + 200, left : left + 200] for top in (0, 202) for left in (0, 202)]
sums = [p.sum() for p in panes]
assert max(sums) < 1.15 * min(sums), sums  # it looks the same from all sides
assert all((p.max(axis=2)[:6] < 20).all() for p in panes)
assert abs(sums[0] - single.sum()) < 0.1 * single.sum(), (sums, single.sum())
P
}

# ---- usage ----

@test "usage errors: exit 2 and what was wanted" {
    echo "1 1 2 3 0 0 0" | bodies one.nbs
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options -o a.png one.nbs
        [[ "$stderr" == *"${wanted//_/ }"* ]] || { echo "$options: $stderr"; return 1; }
    done <<'L'
single_or_quad --layout triple
16_each_way --layout quad --size 15x100
L
    [ -z "$(ls a* 2>/dev/null)" ]
}
