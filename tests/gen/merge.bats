#!/usr/bin/env bats
# nbgen merge: the orbit compared with Kepler's formulas, the bodies compared with the inputs, headers, rejected inputs.
# Streams are read and written with tests/common/nbs_reader.py and nbs_writer.py, which share no code with the tools.
bats_require_minimum_version 1.5.0
load ../common/common

# check FILE...: runs the Python of stdin; the first frame of each FILE is in `frames`, and centre(f, bodies) and
# orbit(f, first) are there: of the two centres of mass, `first` telling the bodies of the first, the eccentricity,
# pericentre, separation, radial velocity and the axis of the orbit, all from positions and velocities only.
check() {
    python - "$@" <<P
import sys
import numpy as np
import nbs_reader
from numpy.linalg import norm

frames = [nbs_reader.read(open(name, "rb"))[0] for name in sys.argv[1:] if name.endswith(".nbs")]

def centre(f, bodies=slice(None)):
    m = f["mass"][bodies].astype(np.longdouble)
    return [(m[:, None] * f[c][bodies].astype(np.longdouble)).sum(0) / m.sum() for c in ("pos", "vel")]

def orbit(f, first):
    (xa, va), (xb, vb) = centre(f, first), centre(f, ~first)
    x, v, gm = xb - xa, vb - va, f["G"] * f["mass"].astype(np.longdouble).sum()
    h = np.cross(x, v)
    r = np.sqrt((x * x).sum())
    e = np.cross(v, h) / gm - x / r
    e = np.sqrt((e * e).sum())
    return float(e), float((h * h).sum() / gm / (1 + e)), float(r), float((x * v).sum() / r), h / np.sqrt((h * h).sum())
$(cat)
P
}

# streams: Python that writes some with write(NAME, frame(...), ...) of nbs_writer
streams() {
    python - <<P
from nbs_writer import *
rng = np.random.default_rng(5)
def some(n, **others):
    return frame(rng.random(n) + 0.1, rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), **others)
$(cat)
P
}

# keys FILE: the header's lines
keys() {
    head -c 8192 "$1" | sed '/^checksum /q'
}

orbit="--pericenter 1 --separation 5"

@test "eccentricity and pericentre of the output are those asked for, whatever the inputs are" {
    nbgen collision -n 3000 --seed 3 -o a.nbs
    nbgen plummer -n 500 --mass 0.3 --radius 0.2 --seed 2 | nbsim -q --steps 20 -o b.nbs
    streams <<'P'
pos = rng.normal(size=(400, 3)) * [1, 2, 3] + [70, -30, 5]
write("c.nbs", frame(rng.random(400), pos, rng.normal(size=(400, 3)) - [3, 2, 9]))
P
    merged=
    for pair in "a b" "c a" "b c"; do
        for e in 0 0.37 0.9 1 1.000001 2.5; do
            read -r first second <<<"$pair"
            separation=$(awk -v e=$e 'BEGIN { print e == 0 ? 1.7 : 3 }')
            nbgen merge -q $first.nbs $second.nbs -e $e --pericenter 1.7 --separation "$separation" \
                --incline1 33,-20 --incline2 110,45 -o "$first$second$e.nbs"
            merged="$merged $first$second$e.nbs $first.nbs $e $separation"
        done
    done
    # shellcheck disable=SC2086
    check $merged <<'P'
assert len(frames) == 36 and len(sys.argv) == 1 + 4 * 18
for k in range(18):
    f, a = frames[2 * k : 2 * k + 2]
    name, _, eccentricity, separation = sys.argv[1 + 4 * k : 5 + 4 * k]
    bodies = np.arange(int(f["n"])) < int(a["n"])
    e, q, r, radial, axis = orbit(f, bodies)
    assert abs(e - float(eccentricity)) < 1e-10 and abs(q - 1.7) < 1e-10, (name, e, q)
    assert abs(r - float(separation)) < 1e-10 and radial < 1e-10, (name, r, radial)
    assert abs(axis[2] - 1) < 1e-12, (name, axis)
    assert norm(centre(f)[0]) < 1e-13 and norm(centre(f)[1]) < 1e-13, (name, centre(f))
P
}

@test "each galaxy is turned as a whole: its spin by I from the axis, its nodes at NODE from x" {
    nbgen disk -n 1500 --thickness 0.01 --incline 10,40 -o a.nbs
    nbgen merge -q a.nbs a.nbs --pericenter 2 --separation 9 --incline1 0,0 --incline2 35,70 -o pair.nbs
    check pair.nbs a.nbs <<'P'
pair, a = frames
n = int(a["n"])
first = np.arange(2 * n) < n
I, node = np.radians([35, 70])
nodes = np.array([np.cos(node), np.sin(node), 0])  # stays where it is where x was turned to it before
def spin(v):  # by node around z, then by I around the line of nodes (Rodrigues)
    x = np.stack([np.cos(node) * v[:, 0] - np.sin(node) * v[:, 1], np.sin(node) * v[:, 0] + np.cos(node) * v[:, 1], v[:, 2]], 1)
    return x * np.cos(I) + np.cross(nodes, x) * np.sin(I) + np.outer(x @ nodes, nodes) * (1 - np.cos(I))
for k, name in enumerate(("pos", "vel")):
    own = a[name] - centre(a)[k].astype(float)
    assert abs(pair[name][first] - centre(pair, first)[k].astype(float) - own).max() < 1e-12
    assert abs(pair[name][~first] - centre(pair, ~first)[k].astype(float) - spin(own)).max() < 1e-12
P
}

@test "point masses reach the pericentre that was asked for, when it was said" {
    printf '0 3 5 6 7 0 0 1\n' | nbconv --from text -o a.nbs
    printf '0 2 1 1 1 2 0 0\n' | nbconv --from text -o b.nbs
    for e in 0.6 1 1.8; do
        nbgen merge a.nbs b.nbs -e $e --pericenter 0.5 --separation 1.9 -o pair.nbs -f 2>said
        until=$(awk -v e=$e 'BEGIN { # Kepler, with G M = 5, q = 0.5 and r = 1.9
            q = 0.5; r = 1.9; gm = 5; a = q / (1 - e)
            if (e < 1) { c = (1 - r / a) / e; x = atan2(sqrt(1 - c * c), c); t = sqrt(a ^ 3 / gm) * (x - e * sin(x)) }
            if (e > 1) { c = (1 - r / a) / e; x = log(c + sqrt(c * c - 1)); s = (exp(x) - exp(-x)) / 2
                         t = sqrt(-a ^ 3 / gm) * (e * s - x) }
            if (e == 1) { d = sqrt(r / q - 1); t = sqrt(2 * q ^ 3 / gm) * (d + d ^ 3 / 3) }
            printf "%.15g", t }')
        grep "as point masses, the two would reach pericentre at t = $(printf %.4g "$until") with relative speed" said
        nbsim -q --integrator ias15 --until "$until" pair.nbs | nbconv --to text | awk '
            /^#/ { next } { for (k = 3; k <= 8; k++) d[k] = $k - d[k] }
            END { r = sqrt(d[3] ^ 2 + d[4] ^ 2 + d[5] ^ 2); radial = d[3] * d[6] + d[4] * d[7] + d[5] * d[8]
                  print r, radial
                  exit !(r > 0.499999 && r < 0.500001 && radial < 1e-6 && radial > -1e-6 && d[3] > 0) }'
        nbsim -q --until "$until" pair.nbs | nbconv --to text | awk ' # with what stands in the header
            /^#/ { next } { for (k = 3; k <= 5; k++) d[k] = $k - d[k] }
            END { r = sqrt(d[3] ^ 2 + d[4] ^ 2 + d[5] ^ 2); print r; exit !(r > 0.499999 && r < 0.500001) }'
    done
}

@test "the time to the pericentre of orbits that are parabolas nearly, or not so far out" {
    printf '0 3 5 6 7 0 0 1\n' | nbconv --from text -o a.nbs
    while read -r e separation; do
        nbgen merge a.nbs a.nbs -e "$e" --pericenter 1e-3 --separation "$separation" -o pair.nbs -f 2>said
        python - "$e" "$separation" "$(sed -n 's/.* t = \([^ ]*\) with .*/\1/p' said)" <<'P'
import sys
from math import isclose
# dt = r dr / sqrt(G M / q (r - q) (2 q e - (1 - e) (r - q))), with r = q + u^2
e, r, t = map(float, sys.argv[1:])
q, gm, n = 1e-3, 6, 200000
top, total = (r - q) ** 0.5, 0
for k in range(n):
    u = top * (k + 0.5) / n
    x = q + u * u
    total += 2 * x / (gm / q * (2 * q * e - (1 - e) * u * u)) ** 0.5 * top / n
assert isclose(t, total, rel_tol=1e-3), (t, total)
P
    done <<'END'
0.9999995 900
1.0000005 900
0.9999999999 900
1.0000000001 0.005
0.99999999 0.005
1 900
END
}

@test "ids are numbered anew, the old ones are in parent_id; galaxies stay distinct" {
    streams <<'P'
u8 = lambda *v: np.array(v, "u1")
write("a.nbs", some(4, id=np.array([7, 5, 3, 1], "u8"), galaxy=u8(3, 0, 3, 0), parent_id=np.arange(4, dtype="u8")))
write("b.nbs", some(3))
P
    nbgen merge -q a.nbs b.nbs $orbit -o ab.nbs
    nbgen merge -q b.nbs ab.nbs $orbit -o bab.nbs
    check ab.nbs bab.nbs <<'P'
ab, bab = frames
assert list(ab["id"]) == list(range(7)) and list(bab["id"]) == list(range(10))
assert list(ab["parent_id"]) == [7, 5, 3, 1, 0, 1, 2], ab["parent_id"]
assert list(ab["galaxy"]) == [1, 0, 1, 0, 2, 2, 2], ab["galaxy"]
assert list(bab["parent_id"]) == [0, 1, 2, 0, 1, 2, 3, 4, 5, 6]
assert list(bab["galaxy"]) == [0, 0, 0, 2, 1, 2, 1, 3, 3, 3]
P
}

@test "256 galaxies and no more" {
    streams <<'P'
write("most.nbs", some(256, galaxy=np.arange(256).astype("u1")))
write("many.nbs", some(255, galaxy=np.arange(255).astype("u1")))
write("one.nbs", some(2))
P
    nbgen merge -q many.nbs one.nbs $orbit -o all.nbs
    check all.nbs <<'P'
assert sorted(set(frames[0]["galaxy"])) == list(range(256)) and list(frames[0]["galaxy"][-2:]) == [255, 255]
P
    refused 1 "most.nbs and one.nbs have 257 galaxies, more than 256" nbgen merge -q most.nbs one.nbs $orbit
}

@test "columns: what both have, the wider type, nothing derived, a line for what is left behind" {
    streams <<'P'
n = 5
single = lambda *shape: rng.random(shape).astype("f4")
write("a.nbs", frame(single(n), single(n, 3), single(n, 3), component=np.full(n, 2, "u1"), age=np.arange(n) + 0.5,
      spin=np.ones((n, 3)), phi=np.ones(n), radius=np.ones(n), kind=np.arange(n, dtype="u4"), count=np.arange(n, dtype="u4")))
write("b.nbs", frame(single(n), single(n, 3), single(n, 3), age=single(n), spin=np.zeros((n, 3)), phi=np.ones(n),
      acc=np.ones((n, 3)), kind=np.arange(n, dtype="u4") + 9, count=np.arange(n, dtype="u8"), colour=np.ones(n)))
write("c.nbs", some(n, softening=np.full(n, 0.25)))
P
    nbgen merge a.nbs b.nbs $orbit -o ab.nbs 2>said
    [ "$(keys ab.nbs | grep -c ^column)" = 10 ]
    diff <(keys ab.nbs | sed -n 's/^column \([^ ]* [^ ]* [^ ]*\).*/\1/p') - <<'END'
id u64 1
component u8 1
galaxy u8 1
mass f32 1
pos f32 3
vel f32 3
parent_id u64 1
age f64 1
spin f64 3
kind u32 1
END
    diff <(grep -v 'nbgen: masses\|nbgen: orbit' said) - <<'END'
nbgen: warning: column 'radius' is in a.nbs but not in b.nbs: it is left out of the output
nbgen: warning: column 'count' differs in type, width or unit in a.nbs and b.nbs: it is removed
nbgen: warning: column 'colour' is in b.nbs but not in a.nbs: it is left out of the output
END
    nbgen merge a.nbs c.nbs $orbit --incline2 1,0 -o ac.nbs 2>/dev/null
    nbgen merge a.nbs c.nbs $orbit --store f32 --softening 0.125 -o single.nbs 2>/dev/null
    [ "$(nbconv --to text --columns softening ac.nbs | grep -v '^#' | paste -sd' ')" = "0 0 0 0 0 0.25 0.25 0.25 0.25 0.25" ]
    keys ac.nbs | grep -x 'column pos f64 3 L'
    check ab.nbs single.nbs a.nbs b.nbs <<'P'
ab, single, a, b = frames
assert list(ab["component"]) == [2] * 5 + [0] * 5
assert list(ab["kind"]) == [0, 1, 2, 3, 4, 9, 10, 11, 12, 13]
assert (ab["age"] == np.concatenate([a["age"], b["age"]])).all() and ab["spin"].sum() == 15
assert single["pos"].dtype == single["mass"].dtype == np.float32 and single["softening"] == 0.125
P
    run -0 --separate-stderr nbgen merge a.nbs c.nbs $orbit -o /dev/null
    [[ "$stderr" == *"column 'softening': 0 in a.nbs and 0.25 in c.nbs, but gravity has one softening length for all"* ]]
    run -0 --separate-stderr nbgen merge a.nbs b.nbs $orbit --incline1 10,0 -o /dev/null
    [[ "$stderr" == *"warning: column 'spin' is not rotated with the galaxies"* ]]
}

@test "header: softening the smaller, dt that of both, time 0, unknown lines of both once, all parents" {
    streams <<'P'
write("a.nbs", some(5, time=3, softening="0.1", dt="0.02", step="9", every="1", note=["x 1", "y 2"],
      history=["1 - one 1 7 one go", "2 1 two 1 - two"]))
write("b.nbs", some(5, time=8, softening="0.4", dt="0.06", note=["y 2", "z 3"],
      history=["1 - one 1 7 one go", "2 - three 1 - three", "3 1,2 four 1 - four --at=1,2"]))
write("c.nbs", some(5, softening="0.1"))
P
    nbgen merge a.nbs b.nbs $orbit -o ab.nbs 2>said
    grep -x "nbgen: softening 0.1 of a.nbs and 0.4 of b.nbs: the smaller one is used" said
    diff <(keys ab.nbs | grep -v '^column\|^checksum\|_cgs\|^dt') - <<'END'
nbs 1 frame
n 10
time 0
step 0
G 1
softening 0.1
units code
history 1 - one 1 7 one go
history 2 1 two 1 - two
history 3 - three 1 - three
history 4 1,3 four 1 - four --at=1,2
history 5 2,4 nbgen 0.1.0 - nbgen merge --pericenter=1 --separation=5
note x 1
note y 2
note z 3
END
    close "$(keys ab.nbs | sed -n 's/^dt //p')" 0.012 1e-15 # of 0.02 and 0.015: 0.06 was for four times the softening
    nbgen merge -q ab.nbs ab.nbs $orbit -o twice.nbs
    [ "$(keys twice.nbs | sed -n 's/^history 6 //p')" = "5 nbgen 0.1.0 - nbgen merge --pericenter=1 --separation=5" ]
    [ "$(keys twice.nbs | grep -c ^history)" = 6 ]
    nbgen merge -q a.nbs c.nbs $orbit -o ac.nbs
    [ "$(keys ac.nbs | sed -n 's/^dt //p')" = 0 ] # nobody knows what the bodies of c need
    [ "$(keys ac.nbs | sed -n 's/^history 3 //p')" = "2 nbgen 0.1.0 - nbgen merge --pericenter=1 --separation=5" ]
}

@test "provenance of another form is passed on" {
    streams <<'P'
write("a.nbs", some(2, history=["1 - one 1 7 one"]))
write("b.nbs", some(2, history=["made by hand", "2 7 odd 1 - odd", "3 - fine 1 - fine", "4 1,x odd", "5 3 end 1 - end"]))
P
    nbgen merge -q a.nbs b.nbs $orbit -o ab.nbs
    diff <(keys ab.nbs | sed -n 's/^history //p') - <<'END'
1 - one 1 7 one
made by hand
2 7 odd 1 - odd
4 - fine 1 - fine
4 1,x odd
6 4 end 1 - end
7 1,6 nbgen 0.1.0 - nbgen merge --pericenter=1 --separation=5
END
}

# halos: two of them, of 1200 and 600 bodies, that overlap where they are 6 apart
halos() {
    nbgen plummer -q -n 1200 --seed 4 --softening 0.05 -o a.nbs
    nbgen plummer -q -n 600 --seed 5 --softening 0.05 --mass 0.4 --radius 3 -o b.nbs
}

@test "the orbital energy of the galaxies as they are is said, beside that of points" {
    halos
    for options in "-e 1" "-e 0.7" "-e 0.7 --orbit-of extended" "-e 2 --orbit-of extended"; do
        nbgen merge a.nbs b.nbs --pericenter 2 --separation 6 $options --incline2 40,10 -o pair.nbs -f 2>said
        grep "nbgen: orbit: eccentricity ${options:3:3}" said || grep "nbgen: orbit: eccentricity ${options:3:1}," said
        check pair.nbs "$(sed -n 's/.*orbital energy \([^,]*\), for points \([^,]*\), of which kinetic /\1 \2 /p' said)" <<'P'
f, = frames
first = np.arange(1800) < 1200
(xa, va), (xb, vb) = centre(f, first), centre(f, ~first)
m = f["mass"]
r2 = sum((f["pos"][first, None, k] - f["pos"][None, ~first, k]) ** 2 for k in range(3))
mutual = -(m[first, None] * m[~first] / np.sqrt(r2 + f["softening"] ** 2)).sum()
kinetic = m[first].sum() * m[~first].sum() / m.sum() * norm((va - vb).astype(float)) ** 2 / 2
points = kinetic - m[first].sum() * m[~first].sum() / 6
for said, true in zip(map(float, sys.argv[2].split()), (kinetic + mutual, points, kinetic), strict=True):
    assert abs(said - true) <= 5.01e-4 * abs(true) + 1e-12, (said, true)
P
    done
}

@test "--orbit-of extended: pericentre and apocentre are turning points of the galaxies as they are" {
    halos
    for e in 0 0.6 1 1.7; do
        separation=$(awk -v e=$e 'BEGIN { print e == 0 ? 2 : 7 }')
        nbgen merge -q a.nbs b.nbs --pericenter 2 -e $e --separation "$separation" --incline1 20,70 \
            --orbit-of extended -o pair.nbs -f
        check pair.nbs $e "$separation" <<'P'
f, = frames
e, separation, q = float(sys.argv[2]), float(sys.argv[3]), 2
first = np.arange(1800) < 1200
(xa, va), (xb, vb) = centre(f, first), centre(f, ~first)
x, v, m = (xb - xa).astype(float), (vb - va).astype(float), f["mass"]
reduced = m[first].sum() * m[~first].sum() / m.sum()
def potential(r):
    moved = f["pos"][~first] + x * (r / norm(x) - 1)
    r2 = sum((f["pos"][first, None, k] - moved[None, :, k]) ** 2 for k in range(3))
    return -(m[first, None] * m[~first] / np.sqrt(r2 + f["softening"] ** 2)).sum() / reduced
energy, h = v @ v / 2 + potential(separation), np.cross(x, v)
assert abs(norm(x) - separation) < 1e-10 and x @ v < 1e-9 and h[2] > 0 and norm(h[:2]) < 1e-12
left = lambda r: energy - potential(r) - h @ h / r ** 2 / 2
if e == 0:  # the pull holds a circle
    assert abs((potential(q * 1.001) - potential(q * 0.999)) / (0.002 * q) * q - v @ v) < 1e-3 * (v @ v)
else:
    assert abs(left(q)) < 1e-10, left(q)
assert e >= 1 or e == 0 or abs(left(q * (1 + e) / (1 - e))) < 1e-10
assert e < 1 or abs(energy - (e - 1) * m.sum() / (2 * q)) < 1e-10
assert norm(centre(f)[0].astype(float)) < 1e-13 and norm(centre(f)[1].astype(float)) < 1e-13
P
    done
    nbgen merge -q a.nbs b.nbs --pericenter 2 --separation 7 --orbit-of extended --threads 1 -o one.nbs
    nbgen merge -q a.nbs b.nbs --pericenter 2 --separation 7 --orbit-of extended --threads 3 | cmp - one.nbs
    nbgen kepler -q -o points.nbs
    nbgen merge -q points.nbs points.nbs --pericenter 40 --separation 90 --orbit-of extended -o far.nbs
    check far.nbs <<'P'
e, q, r, radial, axis = orbit(frames[0], np.arange(4) < 2)
assert abs(e - 1) < 1e-3 and abs(q - 40) < 0.04, (e, q)  # two points are hardly extended
P
    printf '0 1 10 0 0 0 0 0\n0 1 -10 0 0 0 0 0\n' | nbconv --from text -o two.nbs
    printf '0 1e-3 0 0 0 0 0 0\n' | nbconv --from text -o light.nbs # the two pull it outwards
    refused 2 "--orbit-of extended: these galaxies have no orbit with that pericentre" nbgen merge -q two.nbs light.nbs \
        --orbit-of extended --pericenter 1 -e 0.8 --separation 9
}

@test "many bodies: the energy that is said is that of a sum over all pairs within 1 %" {
    nbgen galaxy --help | grep -q quiet-start || skip "built without GSL"
    nbgen galaxy -q -n 12000 --softening 0.08 -o a.nbs || skip "built without GSL"
    nbgen merge a.nbs a.nbs --pericenter 1 --separation 8 --incline2 60,90 -o pair.nbs 2>said
    potential() { nbstat -q --columns potential "$1" | tail -n 1; }
    mutual=$(awk -v both="$(potential pair.nbs)" -v one="$(potential a.nbs)" 'BEGIN { print both - 2 * one }')
    said=$(sed -n 's/.*orbital energy \([^,]*\), .* kinetic \(.*\)/\1 \2/p' said | awk '{ print $1 - $2 }')
    close "$said" "$mutual" "$(awk -v w="$mutual" 'BEGIN { print -0.01 * w }')"
}

@test "galaxies that would part, or go much farther out, are warned of; those that would not are not" {
    halos
    warned() { # warned WHAT OPTION...: by a line that has this, or by none
        nbgen merge -q a.nbs b.nbs --pericenter 2 "${@:2}" -o pair.nbs -f 2>said
        if [ -n "$1" ]; then [[ "$(cat said)" == "nbgen: warning: "*"$1"* ]]; else [ ! -s said ]; fi || { cat said; return 1; }
    }
    warned "may part for good (--orbit-of extended" -e 1 --separation 4
    warned "but that of point masses 0, and" -e 1 --separation 4
    warned "may part for good" -e 0.95 --separation 4
    warned "go much farther out" -e 0.8 --separation 4
    warned "" -e 0.6 --separation 4 # three quarters as bound
    warned "" -e 1 --separation 40
    warned "" -e 1 --separation 4 --orbit-of extended
    warned "" -e 3 --separation 4 # nobody expects them back
}

@test "long provenances and unknown lines: each once, numbered on, as a plain search has them" {
    streams <<'P'
import random
import re
random.seed(3)
def history(n, shared):
    lines = shared[:]
    while len(lines) < n:
        k, kind = len(lines) + 1, random.random()
        parents = sorted({random.randrange(max(1, k - 9), k) for _ in range(random.choice([1, 1, 2]))}) if k > 1 else []
        line = f"{k} {','.join(map(str, parents)) or '-'} tool 1 - tool --x={random.randrange(40)}"
        if kind < 0.02:
            line = random.choice(["by hand", f"{k} {k} itself 1 - own", f"{k + 1} - shifted 1 - tool"])
        lines.append(f"{k} - again 1 - again" if kind > 0.9 else line)
    return lines
shared = history(500, [])
a, b = history(1200, shared), history(1400, shared)
notes = [[f"note {random.randrange(1200)}" for _ in range(1000)] for _ in range(2)]
for name, lines, own in ("a.nbs", a, notes[0]), ("b.nbs", b, notes[1]):
    write(name, some(2, history=lines, note=[l.split(" ")[1] for l in own]))

def join(to, lines):
    ids = []
    for k, line in enumerate(lines, 1):
        form = re.fullmatch(r"(\d+) (-|\d+(?:,\d+)*)( .*)", line)
        if form and int(form[1]) == k and (form[2] == "-" or all(1 <= int(p) < k for p in form[2].split(","))):
            parents = form[2] if form[2] == "-" else ",".join(str(ids[int(p) - 1]) for p in form[2].split(","))
            rest = f" {parents}{form[3]}"
            same = [n for n, l in enumerate(to, 1) if l.endswith(rest) and l[l.index(" ") :] == rest][:1]
            if same:
                ids.append(same[0])
                continue
            line = f"{len(to) + 1}{rest}"
        to.append(line)
        ids.append(len(to))
    return ids[-1]
both = []
ends = join(both, a), join(both, b)
both.append(f"{len(both) + 1} {ends[0]},{ends[1]} nbgen 0.1.0 - nbgen merge --pericenter=1 --separation=5")
assert len(both) < len(a) + len(b) - 500
with open("wanted", "w") as out:
    out.writelines(f"history {l}\n" for l in both)
    out.writelines(f"{l}\n" for l in dict.fromkeys(notes[0] + notes[1]))
P
    nbgen merge -q a.nbs b.nbs $orbit -o ab.nbs
    sed '/^checksum /q' ab.nbs | grep -a '^history\|^note' | cmp - wanted
}

@test "point masses without a step get that of the passage; galaxies that pass closely one by their size" {
    printf '0 3 5 6 7 0 0 1\n' | nbconv --from text -o a.nbs
    nbgen merge -q a.nbs a.nbs --pericenter 0.5 -e 1.5 --separation 2 -o pair.nbs
    close "$(keys pair.nbs | sed -n 's/^dt //p')" "$(awk 'BEGIN { print 0.02 * 0.5 / sqrt(6 * 2.5 / 0.5) }')" 1e-8
    nbgen plummer -n 2000 --softening 0.01 -o b.nbs
    own=$(keys b.nbs | sed -n 's/^dt //p')
    nbgen merge -q b.nbs b.nbs --pericenter 1e-6 --separation 9 -o b2.nbs
    close "$(keys b2.nbs | sed -n 's/^dt //p')" "$(awk -v dt="$own" 'BEGIN { printf "%.15g", dt / sqrt(2) }')" 1e-12
    python -c 'from nbs_writer import frame, write # whose own step is long, of size M / sum(m / r) = 1
write("wide.nbs", frame([0.5, 0.5], [[1, 0, 0], [-1, 0, 0]], [[0, 0, 0], [0, 0, 0]], dt=100))'
    nbgen merge -q wide.nbs wide.nbs --pericenter 1e-6 -e 1 --separation 9 -o wide2.nbs
    close "$(keys wide2.nbs | sed -n 's/^dt //p')" "$(awk 'BEGIN { d = sqrt(2); printf "%.15g", 0.02 * d / sqrt(2 * 2 / d) }')" 1e-8
}

@test "the last frames, or those asked for; one from stdin; the same file twice" {
    nbgen plummer -n 50 | nbsim -q --until 0.3 --every 0.1 -o a.nbs
    for k in 0 1 2 3; do nbconv --frame $k --to text a.nbs | nbconv --from text -o $k.nbs; done
    positions() {
        nbgen merge -q "$@" $orbit | nbconv --to text --columns pos,vel | grep -v '^#'
    }
    [ "$(positions 1.nbs 3.nbs)" = "$(positions a.nbs a.nbs --frame 1,last)" ]
    [ "$(positions 1.nbs 3.nbs)" = "$(positions a.nbs a.nbs --frame 1,-1)" ]
    [ "$(positions 1.nbs 2.nbs)" = "$(positions a.nbs a.nbs --frame 1,-2)" ]
    [ "$(positions 2.nbs 2.nbs)" = "$(positions a.nbs a.nbs --frame 2)" ]
    [ "$(positions 3.nbs 3.nbs)" = "$(positions a.nbs a.nbs)" ]
    [ "$(positions 3.nbs 0.nbs)" = "$(positions a.nbs - <0.nbs)" ]
    [ "$(positions 0.nbs 3.nbs)" = "$(positions - a.nbs <0.nbs)" ]
    cmp <(nbgen merge -q a.nbs - $orbit <0.nbs) <(nbgen merge -q a.nbs 0.nbs $orbit)
}

@test "equal bytes for any number of threads" {
    nbgen plummer -n 5000 -o a.nbs
    nbgen merge -q a.nbs a.nbs $orbit --threads 1 -o one.nbs
    nbgen merge -q a.nbs a.nbs $orbit --threads 4 -o four.nbs
    cmp one.nbs four.nbs
}

@test "an output that is an input is refused, also with -f, by link or from stdin" {
    nbgen plummer -n 20 -o a.nbs
    nbgen plummer -n 30 -o b.nbs
    cp a.nbs same.nbs
    ln -s a.nbs link.nbs
    ln a.nbs hard.nbs
    refused 1 "a.nbs: is the input, and -o a.nbs would replace" nbgen merge -q a.nbs b.nbs $orbit -o a.nbs -f
    refused 1 "a.nbs: is the input" nbgen merge -q b.nbs a.nbs $orbit -o a.nbs -f
    refused 1 "a.nbs: is the input, and -o link.nbs would replace" nbgen merge -q a.nbs b.nbs $orbit -o link.nbs -f
    refused 1 "a.nbs: is the input" nbgen merge -q link.nbs b.nbs $orbit -o a.nbs -f
    refused 1 "hard.nbs: is the input" nbgen merge -q a.nbs b.nbs $orbit -o hard.nbs -f
    refused 1 "a.nbs: is the input" nbgen merge -q b.nbs - $orbit -o a.nbs -f <a.nbs
    cmp a.nbs same.nbs
    nbgen merge -q a.nbs b.nbs $orbit -o c.nbs
    nbgen merge -q a.nbs b.nbs $orbit -o c.nbs -f # any other file
    nbgen merge -q a.nbs b.nbs $orbit -o /dev/null -f
}

@test "memory: both inputs, and no copy of them" {
    [ -z "${NB_SANITIZER:-}" ] || skip "sanitizers need memory of their own"
    nbgen uniform -n 400k -o a.nbs # 26 MB
    peak() { # kB
        python -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
    }
    own=$(peak nbgen uniform -n 400k --threads 2)
    merged=$(peak nbgen merge -q a.nbs a.nbs $orbit --threads 2)
    echo "$own $merged"
    [ $((merged - own)) -lt 70000 ]
}

@test "orbits that cannot be and command lines that make no sense: exit 2" {
    nbgen kepler -o a.nbs
    refused 2 "two streams are needed" nbgen merge -q $orbit
    refused 2 "two streams are needed" nbgen merge -q a.nbs $orbit
    refused 2 "c.nbs: only two streams can be merged, and a.nbs and b.nbs were given already" nbgen merge -q a.nbs b.nbs c.nbs $orbit
    refused 2 "-: stdin can be only one of the two streams" nbgen merge -q - - $orbit
    refused 2 "--orbit-of rigid: expected points or extended" nbgen merge -q a.nbs a.nbs $orbit --orbit-of rigid
    refused 2 "--pericenter is required" nbgen merge -q a.nbs a.nbs --separation 3
    refused 2 "--separation is required" nbgen merge -q a.nbs a.nbs --pericenter 3
    refused 2 "--separation 0.5: less than --pericenter 1" nbgen merge -q a.nbs a.nbs --separation 0.5 --pericenter 1
    refused 2 "--separation 4: the orbit reaches from 1 to 3" nbgen merge -q a.nbs a.nbs --separation 4 --pericenter 1 -e 0.5
    refused 2 "--separation 4: the orbit reaches from 1 to 1" nbgen merge -q a.nbs a.nbs --separation 4 --pericenter 1 -e 0
    refused 2 "--pericenter 0: expected a number above 0" nbgen merge -q a.nbs a.nbs --pericenter 0
    refused 2 "--eccentricity nan: expected a number of 0 or more" nbgen merge -q a.nbs a.nbs $orbit -e nan
    refused 2 "--eccentricity -1: expected a number of 0 or more" nbgen merge -q a.nbs a.nbs $orbit -e -1
    refused 2 "--incline1 30: expected two numbers" nbgen merge -q a.nbs a.nbs $orbit --incline1 30
    refused 2 "--incline: no such option; write --incline1 in full" nbgen merge -q a.nbs a.nbs --incline 3,4
    refused 2 "--frame 1,2,3: expected K or K,K" nbgen merge -q a.nbs a.nbs $orbit --frame 1,2,3
    refused 2 "--frame ,1: expected K or K,K" nbgen merge -q a.nbs a.nbs $orbit --frame ,1
    refused 2 "--frame: expected one frame" nbgen merge -q a.nbs a.nbs $orbit --frame 0:1
    refused 2 "--frame: expected one frame" nbgen merge -q a.nbs a.nbs $orbit --frame all
    refused 2 "--store f16: expected f32 or f64" nbgen merge -q a.nbs a.nbs $orbit --store f16
    refused 2 "--bodies: no such option" nbgen merge -q a.nbs a.nbs $orbit --bodies 3
    [ "$(ls | grep -v stderr)" = a.nbs ]
}

@test "inputs that cannot be merged: a line, exit 1, no output" {
    nbgen kepler -o a.nbs
    nbgen kepler --units galactic -o galactic.nbs
    head -c 500 a.nbs >cut.nbs
    streams <<'P'
write("empty.nbs", frame(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3))))
write("massless.nbs", frame(np.zeros(3), np.ones((3, 3)), np.ones((3, 3))))
write("huge.nbs", frame(np.full(3, 1e308), np.ones((3, 3)), np.ones((3, 3))))
write("far.nbs", frame(np.ones(2), np.full((2, 3), 1e308), np.ones((2, 3))))
write("G.nbs", some(3, G=2))
write("none.nbs", some(3, G=0))
write("henon.nbs", some(3, units="henon"))
write("field.nbs", some(3, force=["auto", "external:point,mass=1"]))
write("nan.nbs", frame(np.ones(3), np.full((3, 3), np.nan), np.ones((3, 3))))
write("large.nbs", frame(np.full(3, 1e200), np.ones((3, 3)), np.ones((3, 3))))
write("many.nbs", some(3, **{f"c{k}": np.ones(3) for k in range(61)}))
P
    printf 'text' >text.nbs
    refused 1 "absent.nbs: " nbgen merge -q a.nbs absent.nbs $orbit -o out.nbs
    refused 1 "cut.nbs: " nbgen merge -q a.nbs cut.nbs $orbit -o out.nbs
    refused 1 "text.nbs: " nbgen merge -q text.nbs a.nbs $orbit -o out.nbs
    refused 1 "empty.nbs: frame 0: no bodies" nbgen merge -q a.nbs empty.nbs $orbit -o out.nbs
    refused 1 "massless.nbs: its total mass is 0" nbgen merge -q massless.nbs a.nbs $orbit -o out.nbs
    refused 1 "huge.nbs: its total mass is inf" nbgen merge -q huge.nbs a.nbs $orbit -o out.nbs
    refused 1 "far.nbs: its centre of mass is out of range" nbgen merge -q a.nbs far.nbs $orbit -o out.nbs
    refused 1 "nan.nbs: frame 0: body 0: pos is not a finite number" nbgen merge -q a.nbs nan.nbs $orbit -o out.nbs
    refused 1 "a.nbs has units 'code' and galactic.nbs 'galactic'" nbgen merge -q a.nbs galactic.nbs $orbit -o out.nbs
    refused 1 "a.nbs has units 'code' and henon.nbs 'henon'" nbgen merge -q a.nbs henon.nbs $orbit -o out.nbs
    refused 1 "a.nbs has G = 1 and G.nbs 2" nbgen merge -q a.nbs G.nbs $orbit -o out.nbs
    refused 1 "none.nbs: G = 0, and an orbit needs gravity" nbgen merge -q none.nbs none.nbs $orbit -o out.nbs
    refused 1 "field.nbs: its bodies are in an external field" nbgen merge -q a.nbs field.nbs $orbit -o out.nbs
    refused 1 "more than 64 columns" nbgen merge -q many.nbs many.nbs $orbit -o out.nbs
    refused 1 "a.nbs: no frame 3" nbgen merge -q a.nbs a.nbs $orbit --frame 3 -o out.nbs
    refused 1 "mass 1e+200 does not fit f32 (--store f64)" nbgen merge -q large.nbs large.nbs $orbit --store f32 -o out.nbs
    refused 1 "a.nbs: exists already" nbgen merge -q a.nbs a.nbs $orbit -o a.nbs
    [ ! -e out.nbs ]
    [ ! -e out.nbs.part ]
    run -1 --separate-stderr bash -c "nbgen merge -q a.nbs a.nbs $orbit >/dev/full"
    [[ "$stderr" == nbgen*"No space left on device" ]]
}

@test "--preset: the orbit and the tilts of an encounter, in scale lengths of the first disk" {
    nbgen disk -q -n 400 -o a.nbs
    nbgen merge -q a.nbs a.nbs --preset mice -o pair.nbs
    nbgen merge -q a.nbs a.nbs --pericenter 4.5 -e 1 --separation 15 --incline1 15,215 --incline2 25,160 \
        --orbit-of extended -o same.nbs
    nbgen merge -q a.nbs a.nbs --preset mice --scale 2 --separation 20 --orbit-of points -o large.nbs
    check pair.nbs same.nbs large.nbs <<'P'
pair, same, large = frames
first = np.arange(800) < 400
assert (pair["pos"] == same["pos"]).all() and (pair["vel"] == same["vel"]).all()
e, q, r, radial, axis = orbit(large, first)
assert abs(e - 1) < 1e-10 and abs(q - 9) < 1e-10 and abs(r - 20) < 1e-10
P
    refused 2 "--preset twins: expected antennae" nbgen merge -q a.nbs a.nbs --preset twins
    refused 2 "--scale 2 needs --preset" nbgen merge -q a.nbs a.nbs $orbit --scale 2
    refused 2 "--scale 1 needs --preset" nbgen merge -q a.nbs a.nbs $orbit --scale 1
}

@test "--preset: the lengths are no kpc unless --scale says so" {
    nbgen disk -q -n 400 --units galactic --radius 2.6 -o kpc.nbs
    refused 2 "--preset mice: its lengths are in scale lengths of the first disk; with units 'galactic' give --scale" nbgen merge -q \
        kpc.nbs kpc.nbs --preset mice
    refused 2 "--scale" nbgen merge -q kpc.nbs kpc.nbs --preset mice --separation 20
    nbgen merge -q kpc.nbs kpc.nbs --preset mice --scale 2.6 --orbit-of points -o pair.nbs
    nbgen merge -q kpc.nbs kpc.nbs --preset mice --pericenter 9 --separation 20 --orbit-of points -o own.nbs
    check pair.nbs own.nbs <<'P'
first = np.arange(800) < 400
for f, distance, apart in zip(frames, (4.5 * 2.6, 9), (15 * 2.6, 20)):
    e, q, r, radial, axis = orbit(f, first)
    assert abs(e - 1) < 1e-10 and abs(q - distance) < 1e-9 and abs(r - apart) < 1e-9
P
}
