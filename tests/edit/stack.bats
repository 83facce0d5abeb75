#!/usr/bin/env bats
# nbedit: samples, sorting, stacks, columns, frames, and headers with walls or external fields, compared with numpy.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "sample: binomial numbers, the same bodies in every frame and order, others with another seed and in a second sample" {
    python - <<'P'
from nbs_writer import *
rng, n = np.random.default_rng(1), 40000
mass = np.full(n, 1 / n)
for name, order in ("a", np.arange(n)), ("b", rng.permutation(n)):
    write(name + ".nbs", *(frame(mass, rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), time=k, id=order.astype("u8") * 7) for k in range(2)))
P
    nbedit -q --sample 1/10 a.nbs -o a10.nbs
    nbedit -q --sample 0.1 b.nbs -o b10.nbs
    nbedit -q --sample 1/10 --seed 2 a.nbs -o seed.nbs
    nbedit -q --sample 1/10 --sample 1/2 a.nbs -o two.nbs
    nbedit -q --sample 1/2 a10.nbs -o then.nbs
    nbedit -q --sample 1/10 --sample-mass scale a.nbs -o scaled.nbs
    nbedit -q --sample 1 a.nbs -o all.nbs
    python - <<'P'
from nbs_reader import read
import numpy as np
f = {k: read(open(k + ".nbs", "rb")) for k in "a a10 b10 seed two then scaled all".split()}
ids = {k: [set(map(int, g["id"])) for g in v] for k, v in f.items()}
n = 40000
sigma = lambda p, m=n: (m * p * (1 - p)) ** 0.5
assert ids["all"][0] == ids["a"][0]
for k in "a10", "seed":
    assert abs(len(ids[k][0]) - n / 10) < 4.5 * sigma(0.1), len(ids[k][0])
assert ids["a10"][0] == ids["a10"][1] == ids["b10"][0] == ids["b10"][1] == ids["scaled"][0]
assert abs(len(ids["a10"][0] & ids["seed"][0]) - n / 100) < 4.5 * sigma(0.01)
for k in "two", "then":  # the second takes half of what the first took
    assert ids[k][0] < ids["a10"][0] and abs(len(ids[k][0]) - len(ids["a10"][0]) / 2) < 4.5 * sigma(0.5, n / 10), len(ids[k][0])
assert ids["two"][0] == ids["then"][0]
assert (f["a10"][0]["mass"] == 1 / n).all() and abs(f["scaled"][0]["mass"] * n / 10 - 1).max() < 1e-15
# and it says nothing of where ids stand: each tenth of them has its share
for part in np.array_split(sorted(ids["a"][0]), 10):
    assert abs(len(set(map(int, part)) & ids["a10"][0]) - n / 100) < 4.5 * sigma(0.1, n / 10)
P
    run -0 --separate-stderr nbedit --sample 1/10 --frame 0 a.nbs -o say.nbs
    [[ "$stderr" == "nbedit: --sample: "*" of 40000 bodies; each keeps its mass, and all have less (--sample-mass scale)" ]]
    head -n 20 seed.nbs | grep -a 'history 1 - nbedit [^ ]* 2 nbedit --sample=1/10 --seed=2'
}

@test "a sample is independent of the random numbers of a model with the same seed" {
    nbgen plummer -n 40k --seed 5 -q -o p.nbs
    nbedit -q --sample 1/10 --seed 5 p.nbs -o s.nbs
    python - <<'P'
from nbs_reader import read
import numpy as np
a, b = (np.sqrt((read(open(k, "rb"))[0]["pos"] ** 2).sum(1)) for k in ("p.nbs", "s.nbs"))
a.sort(); b.sort()
d = abs(np.searchsorted(a, b) / len(a) - np.arange(len(b)) / len(b)).max()  # Kolmogorov & Smirnov
assert d * len(b) ** 0.5 < 1.95, d
P
}

@test "sort: by ids beyond 2^53, by expressions up and down, equal ones as they stand; every column goes with its body" {
    python - <<'P'
from nbs_writer import *
rng, n = np.random.default_rng(2), 70000
write("a.nbs", *(frame(rng.random(n), rng.normal(size=(n, 3)), rng.normal(size=(n, 3)).astype("f4"), time=k,
    id=rng.permutation(n).astype("u8") + 2**63, component=rng.integers(0, 8, n).astype("u1"), kind=rng.integers(0, 9, n).astype("u4"),
    acc=rng.normal(size=(n, 3))) for k in range(2)))
P
    while IFS='|' read -r key order; do
        nbedit "--sort=$key" -f -o s.nbs a.nbs
        nbedit --threads 1 "--sort=$key" -f -o one.nbs a.nbs
        cmp s.nbs one.nbs
        python - "$order" <<'P'
import sys
from nbs_reader import read
import numpy as np
for a, s in zip(*(read(open(k, "rb")) for k in ("a.nbs", "s.nbs"))):
    id, mass, component, kind = (a[k] for k in ("id", "mass", "component", "kind"))
    r, x = np.sqrt((a["pos"] ** 2).sum(1)), a["pos"][:, 0]
    order = np.argsort(eval(sys.argv[1]), kind="stable")
    for name in "mass pos vel id component kind acc".split():
        assert (s[name] == a[name][order]).all() and s[name].dtype == a[name].dtype, name
P
    done <<'L'
id|id
-id|-(id - np.uint64(2**63)).astype("i8")
x|x
-r|-r
component|component
-mass * 0 + kind|kind
floor(3 * x) - 10 * component|np.floor(3 * x) - 10.0 * component
L
}

@test "sort and select number bodies that have no id, and keep those that have" {
    printf '# m x y z vx vy vz\n1 3 0 0 0 0 0\n1 1 0 0 0 0 0\n1 2 0 0 0 0 0\n' | nbconv --from text -q -o a.nbs
    [ "$(nbedit --sort x a.nbs | nbconv --to text --columns id | tail -n +2 | paste -sd' ')" = "1 2 0" ]
    [ "$(nbedit --select 'x > 1' a.nbs | nbconv --to text --columns id | tail -n +2 | paste -sd' ')" = "0 2" ]
    [ "$(nbedit --sort -x --select 'id != 2' a.nbs | nbconv --to text --columns id | tail -n +2 | paste -sd' ')" = "0 1" ]
}

@test "stack: bodies in the inputs' order, ids counted on where they collide and in every frame alike, provenance of all" {
    python - <<'P'
from nbs_writer import *
rng = np.random.default_rng(3)
for name, n, first in ("a", 300, 0), ("b", 200, 100), ("c", 50, 2**40):
    extra = dict(component=rng.integers(0, 8, n).astype("u1")) if name != "b" else {}
    kind = "f4" if name == "c" else "f8"
    write(name + ".nbs", *(frame(rng.random(n).astype(kind), rng.normal(size=(n, 3)).astype(kind), rng.normal(size=(n, 3)), time=k / 10,
        id=rng.permutation(n).astype("u8") + first, softening=str(0.1 + 0.1 * (name == "b")), dt=str(0.01 + 0.01 * (name == "a")),
        age=rng.random(n), history=["1 - other 1 - common", "2 1 other 1 - " + name], **extra) for k in range(3)))
P
    run -0 --separate-stderr nbedit --stack a.nbs b.nbs - -o s.nbs <c.nbs
    [ "${stderr_lines[0]}" = "nbedit: --stack: ids collide: ids of b.nbs now begin at 300, and so on" ] || { echo "$stderr"; return 1; }
    [ "${stderr_lines[1]}" = "nbedit: --stack: softening 0.1 of a.nbs and 0.2 of b.nbs: the smaller one is used" ]
    [ "${#stderr_lines[@]}" = 2 ]
    nbedit -q --shift 1,0,0 --stack --boost 0,2,0 a.nbs b.nbs c.nbs -o moved.nbs
    python - <<'P'
from nbs_reader import read
import numpy as np
a, b, c, s, m = (read(open(k + ".nbs", "rb")) for k in ("a", "b", "c", "s", "moved"))
assert len(s) == 3
for f in zip(a, b, c, s, m):
    for name in "mass pos vel age".split():
        want = np.concatenate([g[name] for g in f[:3]])
        assert (f[3][name] == want).all() and f[3][name].dtype == np.float64, name
    component = np.concatenate([f[0]["component"], np.zeros(200, "u1"), f[2]["component"]])
    assert (f[3]["component"] == component).all()
    ids = np.concatenate([f[0]["id"], f[1]["id"] + np.uint64(300), f[2]["id"] + np.uint64(600)])
    assert (f[3]["id"] == ids).all() and len(set(ids)) == 550
    assert f[3]["time"] == f[0]["time"] and f[3]["softening"] == 0.1 and f[3]["dt"] == 0.01
    shift = np.array([1, 0, 0], "f4")
    assert (f[4]["pos"] == np.concatenate([g["pos"] + shift for g in f[:3]])).all() and (f[4]["vel"] == f[3]["vel"] + [0, 2, 0]).all()
    h = f[3]["history"]
    assert [line.split()[-1] for line in h[:4]] == ["common", "a", "b", "c"] and len(h) == 5
    assert [line.split()[1] for line in h] == ["-", "1", "1", "1", "2,3,4"] and h[4].endswith(" nbedit --stack"), h
    assert f[4]["history"][4].endswith(" nbedit --shift=1,0,0 --stack --boost=0,2,0")
P
}

@test "stack: of inputs of which one has the low parts of quad the others take 0 for them" {
    nbgen kepler -q -o k.nbs
    nbsim -q --device cpu --precision quad --integrator leapfrog --dt 0.01 --steps 3 k.nbs | nbedit -q --frame last --time 0 -o quad.nbs
    nbedit -q --stack quad.nbs k.nbs -o both.nbs
    nbedit -q --stack k.nbs quad.nbs -o turned.nbs
    python - <<'P'
from nbs_reader import read
import numpy as np
k, q, both, turned = (read(open(name + ".nbs", "rb"))[0] for name in ("k", "quad", "both", "turned"))
for name in "pos_lo", "vel_lo":
    assert np.abs(q[name]).max() > 0
    assert (both[name] == np.concatenate([q[name], 0 * k["pos"]])).all()
    assert (turned[name] == np.concatenate([0 * k["pos"], q[name]])).all()
P
}

@test "stack: what was taken apart comes together again, with its ids" {
    nbgen collision -n 500 --seed 3 -q | nbsim -q --device cpu --until 0.2 --every 0.1 -o run.nbs
    nbedit -q --select 'id % 3 == 1' run.nbs -o one.nbs
    nbedit -q --select 'id % 3 != 1' run.nbs -o two.nbs
    run -0 --separate-stderr nbedit --stack --sort id one.nbs two.nbs -o again.nbs
    [ -z "$stderr" ]
    python - <<'P'
from nbs_reader import read
for a, b in zip(*(read(open(k, "rb")) for k in ("run.nbs", "again.nbs"))):
    for name in "id component mass pos vel".split():
        assert (a[name] == b[name]).all(), name
    assert a["dt"] == b["dt"] and a["softening"] == b["softening"] and a["time"] == b["time"]
P
}

@test "stack: what does not fit is refused in a line" {
    python - <<'P'
from nbs_writer import *
one = lambda k=0, **o: frame(np.ones(2), np.arange(6.0).reshape(2, 3), np.zeros((2, 3)), time=k, id=np.arange(2, dtype="u8") + o.pop("first", 0), **o)
write("a.nbs", one(0), one(1))
write("G.nbs", one(0, G=2), one(1, G=2))
write("units.nbs", one(0, units="solar", length_cgs="1", mass_cgs="1", time_cgs="1"), one(1))
write("time.nbs", one(0.5), one(1.5))
write("short.nbs", one(0))
write("column.nbs", one(0, age=np.ones(2)), one(1, age=np.ones(2)))
write("force.nbs", one(0, force=["auto", "external:point,mass=1"]), one(1))
write("kind.nbs", one(0, component=np.zeros(2, "u1")), one(1))
write("late.nbs", one(0, first=10), one(1, first=1))
write("disks.nbs", one(0, contact="1 0 0.1"), one(1, contact="1 0 0.1"))
P
    while IFS='|' read -r others message; do
        # shellcheck disable=SC2086 # words
        run -1 --separate-stderr nbedit -q --stack a.nbs $others -f -o x.nbs
        [[ "${stderr_lines[0]}" = "nbedit: $message" ]] || { echo "$others: $stderr"; return 1; }
    done <<'L'
G.nbs|frame 0: --stack: a.nbs has G = 1 and G.nbs 2
units.nbs|frame 0: --stack: a.nbs has units 'code' and units.nbs 'solar'
time.nbs|frame 0: --stack: a.nbs has the time 0 and time.nbs 0.5 (--time 0 before --stack sets both)
short.nbs|a.nbs has more frames than short.nbs: --stack needs equally many frames (--frame takes some)
column.nbs|frame 0: --stack: column.nbs has a column 'age', but a.nbs has not (--set on a.nbs adds the column, or --columns on column.nbs removes it)
force.nbs|frame 0: --stack: a.nbs and force.nbs have different forces or external fields (--isolate before --stack removes them)
disks.nbs|frame 0: --stack: a.nbs and disks.nbs have different walls, boxes or properties of disks in their headers
late.nbs|frame 1: --stack: two inputs have a body with id 1, but in the first frame no ids were equal: ids must not change during a stream
L
    run -1 --separate-stderr nbedit --stack column.nbs a.nbs -o y.nbs
    [ "$stderr" = "nbedit: frame 0: --stack: a.nbs has no column 'age'" ]
    nbedit -q --time 0 --stack a.nbs time.nbs -o t.nbs
    [ "$(nbstat --info t.nbs | awk '$1 == "frame" { print $4, $8 }' | paste -sd, -)" = "0 4,1 4" ]
    nbedit -q --isolate --stack a.nbs force.nbs -o f.nbs
    run -2 --separate-stderr nbedit --stack a.nbs
    [ "${stderr_lines[0]}" = "nbedit: --stack needs at least two inputs; one of them can be - for stdin" ]
    run -2 --separate-stderr nbedit a.nbs G.nbs
    [ "${stderr_lines[0]}" = "nbedit: G.nbs: only one input is allowed, and a.nbs was given already (--stack combines several)" ]
    run -2 --separate-stderr nbedit --stack - - </dev/null
    [ "${stderr_lines[0]}" = "nbedit: -: stdin can be only one of the inputs" ]
}

@test "columns: kept and left out; softening and radii do not change unnoticed" {
    python - <<'P'
from nbs_writer import *
n = 3
write("a.nbs", frame(np.ones(n), np.zeros((n, 3)), np.zeros((n, 3)), softening="9", id=np.arange(n, dtype="u8"), age=np.ones(n), phi=-np.ones(n)))
for name, eps in ("same", [0.5] * 3), ("differ", [0.5, 0.5, 0.25]):
    write(name + ".nbs", *(frame(np.ones(n), np.eye(3), np.zeros((n, 3)), contact="1 0 0.5", **{k: np.array(eps)}) for k in ("softening", "radius")))
P
    names() { nbstat --info - | awk '$1 == "column" { print $2 }' | sort -u | paste -sd' '; }
    [ "$(nbedit --columns age a.nbs | names)" = "age mass pos vel" ]
    [ "$(nbedit --columns mass a.nbs | names)" = "mass pos vel" ]
    [ "$(nbedit --columns=-age,-id a.nbs | names)" = "mass phi pos vel" ]
    nbedit --columns=-softening --frame 0 same.nbs | nbstat --info - | grep -qx '  softening 0.5'
    run -0 --separate-stderr nbedit --columns=-softening --frame 0 differ.nbs -o x.nbs
    [ "$stderr" = "nbedit: --columns: the column with different softening lengths is removed: the header's 0 holds for all bodies" ]
    nbedit --columns=-radius --frame 1 same.nbs -o y.nbs
    run -1 --separate-stderr nbedit --columns mass --frame 1 differ.nbs -o z.nbs
    [ "$stderr" = "nbedit: differ.nbs: frame 1: --columns: without the column 'radius' all disks would have the radius 0.5" ]
    for list in , id, ,id -id,age id,-age -mass -id,-pos --id; do
        run -2 nbedit "--columns=$list" a.nbs
    done
}

@test "what stands in space: moved, turned or resized bodies would leave it, until --isolate takes it out" {
    nbgen plummer -n 50 -q -o p.nbs
    nbsim -q --device cpu --force auto --force external:nfw,mass=10,scale=3 --steps 1 --write acc,phi -o field.nbs p.nbs
    nbgen windtunnel -n 200 -q -o wind.nbs
    for op in --shift=1,0,0 --boost=1,0,0 --rotate=z:10 --center=com --center=1,0,0 --resize=length=2; do
        run -1 --separate-stderr nbedit $op field.nbs -o x.nbs
        [[ "$stderr" == "nbedit: field.nbs: frame 0: ${op%%=*}: the bodies are in an external field (external:nfw"*"), which would not move with them; remove it first with --isolate" ]]
        run -1 --separate-stderr nbedit $op wind.nbs -o x.nbs
        [[ "$stderr" == "nbedit: wind.nbs: frame 0: ${op%%=*}: the bodies are in a box or between walls, which would not move with them; remove these first with --isolate" ]]
    done
    for op in --sort=x "--select=x > 0" --sample=1/2 "--set=age = 1" --columns=id; do
        nbedit -q "$op" field.nbs -f -o y.nbs
        nbstat --info y.nbs | grep -q '  force external:nfw'
        nbedit -q "$op" wind.nbs -f -o y.nbs
        [ "$(nbstat --info y.nbs | grep -c ' wall ')" = "$(nbstat --info wind.nbs | grep -c ' wall ')" ]
    done
    nbedit -q --isolate --shift 1,0,0 field.nbs -o free.nbs
    run ! grep -aq '^force' free.nbs
    nbsim -q --device cpu --steps 1 --dt 1e-3 free.nbs -o moved.nbs
    run -0 --separate-stderr nbedit --isolate wind.nbs -o disks.nbs
    run ! grep -aqE '^(wall|box|periodic|flow) ' disks.nbs
    grep -aq '^contact ' disks.nbs
    run -1 --separate-stderr nbedit --shift 0,0,1 disks.nbs -o x.nbs
    [[ "$stderr" == *"colliding disks, which stay in the plane z = 0" ]]
    for turn in x:90 y:180 1,1,1:120; do # half a turn keeps the plane, but not the sense in which disks turn
        run -1 --separate-stderr nbedit --rotate $turn disks.nbs -o x.nbs
        [[ "$stderr" == *"disks in the plane z = 0, which can be rotated about z only" ]]
    done
    nbedit --rotate z:90 --shift 1,1,0 disks.nbs -o turned.nbs
    [ ! -e x.nbs ]
}

@test "measured forces on walls are of all disks: they do not outlive a selection" {
    nbgen windtunnel -n 200 --airfoil naca0012 -q | nbsim -q --device cpu --steps 3 -o wind.nbs
    grep -aq '^wall_force ' wind.nbs
    run -0 --separate-stderr nbedit --select 'x > 0' wind.nbs -o half.nbs
    [[ "$stderr" == "nbedit: --select: removed, because they no longer apply:"*" and the header's measured forces on walls and inlet" ]]
    run ! grep -aqE '^(wall_force|inflow) ' half.nbs
    grep -aq '^wall ' half.nbs
    nbedit -q --sort x wind.nbs -o sorted.nbs
    grep -aq '^wall_force ' sorted.nbs
}

@test "one body, and none: a frame without bodies is written, with a warning, and passes every operation" {
    nbgen plummer -n 20 -q -o p.nbs
    nbedit -q --select 'id == 7' --center com --center densest --rotate z:5 --sort r --sample 1 --resize length=2 p.nbs | nbconv --to text | tail -n 1 >one
    [ "$(cut -d' ' -f 1,3-8 one)" = "7 0 0 0 0 0 0" ]
    run -0 --separate-stderr nbedit --select 'id == 99' p.nbs -o none.nbs
    [ "$stderr" = "nbedit: warning: p.nbs: frame 0: no body is left; such frames are written without bodies" ]
    nbstat --info none.nbs | grep -q 'n 0$'
    nbedit -q --center com --center densest --rotate z:5 --sort r --sample 1/2 --resize length=2 --set 'mass = 2 * mass' --set 'a = x' --shift 1,2,3 \
        --boost 1,2,3 --columns a --select 'a > 0' --isolate --time 3 none.nbs -o still.nbs 2>/dev/null
    nbstat --check still.nbs
    nbedit -q --stack none.nbs p.nbs -o p2.nbs 2>/dev/null
    [ "$(nbconv --to text --columns id,pos p2.nbs)" = "$(nbconv --to text --columns id,pos p.nbs)" ]
    run -1 --separate-stderr nbsim -q --steps 1 none.nbs
    [[ "$stderr" == "nbsim: none.nbs: frame 0: no bodies (n = 0)" ]]
}

@test "time: the first frame's, and the others follow; the rest of the line of outputs too" {
    nbgen plummer -n 5 -q | nbsim -q --device cpu --dt 0.01 --until 0.3 --every 0.1 -o run.nbs
    nbedit --time 5 run.nbs -o later.nbs
    [ "$(nbstat --potential none --columns time later.nbs | tail -n +2 | paste -sd' ')" = "5 5.0999999999999996 5.2000000000000002 5.2999999999999998" ]
    nbstat --info later.nbs | grep -qx '  origin 5 every 0.1'
}

@test "streams: frame by frame, from a pipe that waits; frames of a list; equal bytes for any number of threads" {
    nbgen plummer -n 30 -q | nbsim -q --device cpu --until 0.5 --every 0.1 -o run.nbs
    nbedit --frame 1:-1:2 --shift 1,0,0 run.nbs | nbconv --to text --frame all | grep '^# frame' | cut -d' ' -f 5 | paste -sd' ' >times
    [ "$(cat times)" = "$(nbconv --to text --frame 1:-1:2 run.nbs | grep '^# frame' | cut -d' ' -f 5 | paste -sd' ')" ]
    nbedit --frame -1 run.nbs | nbconv --to text | cmp - <(nbconv --to text run.nbs)
    nbedit --frame -1 < <(cat run.nbs) | nbconv --to text | cmp - <(nbconv --to text run.nbs)
    size=$(grep -abo 'nbs 1 frame' run.nbs | sed -n '3s/:.*//p')
    python - "$size" <<'P' # two frames of the input give two of the output before the third comes
import os, subprocess, sys
data, size = open("run.nbs", "rb").read(), int(sys.argv[1])
p = subprocess.Popen(["nbedit", "-q", "--shift", "1,0,0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdin.write(data[:size]); p.stdin.flush()
got = b""
while got.count(b"nbs 1 footer") < 2:
    got += os.read(p.stdout.fileno(), 1 << 16)
p.stdin.write(data[size:]); p.stdin.close()
while more := os.read(p.stdout.fileno(), 1 << 16):
    got += more
assert p.wait() == 0
open("piped.nbs", "wb").write(got)
P
    nbedit --shift 1,0,0 run.nbs | cmp - piped.nbs
    nbgen plummer -n 50k -q -o big.nbs
    for threads in 1 2 5; do
        nbedit -q --threads $threads --rotate x:7 --sample 1/3 --sort -r --set 'h = x * vy - y * vx if r < 1' --center densest big.nbs | sha256sum
    done | uniq | wc -l >different
    [ "$(cat different)" = 1 ]
    run -1 --separate-stderr nbedit --shift 1,0,0 <(head -c -100 run.nbs) -o cut.nbs
    [ "${#stderr_lines[@]}" = 2 ]
    [[ "${stderr_lines[1]}" == "nbedit: cut.nbs.part keeps the whole frames written so far"* ]]
}

@test "a signal to a whole pipe: nbsim ends its stream, and what nbedit makes of it is whole; of a file nothing is left" {
    nbgen plummer -n 50 -q -o p.nbs
    python - <<'P'
import os, signal, subprocess, time
signal.signal(signal.SIGINT, signal.default_int_handler)
sim = subprocess.Popen(["nbsim", "-q", "--device", "cpu", "--dt", "0.001", "--until", "1e6", "--every", "0.01", "p.nbs"], stdout=subprocess.PIPE)
edit = subprocess.Popen(["nbedit", "-q", "--center", "com", "-o", "x.nbs"], stdin=sim.stdout)
sim.stdout.close()
while not (os.path.exists("x.nbs.part") and os.path.getsize("x.nbs.part") > 50000):
    assert edit.poll() is None and sim.poll() is None
    time.sleep(0.01)
for p in sim, edit:
    p.send_signal(signal.SIGINT)
assert sim.wait() == 130 and edit.wait() == 130
if os.environ.get("NB_SANITIZER") == "thread":
    raise SystemExit  # it delivers no signal while open(2) waits for a FIFO
os.mkfifo("fifo")
for number in signal.SIGTERM, signal.SIGINT: # of a pipe that nobody ends the second one ends it
    keep = os.open("fifo", os.O_RDWR)
    p = subprocess.Popen(["nbedit", "-q", "-o", "y.nbs", "fifo"])
    while not os.path.exists("y.nbs.part"):
        assert p.poll() is None
        time.sleep(0.01)
    p.send_signal(number)
    time.sleep(0.1)
    assert p.poll() is None
    p.send_signal(number)
    assert p.wait() == -number and not os.path.exists("y.nbs.part")
    os.close(keep)
P
    nbstat --check x.nbs
    [ ! -e x.nbs.part ]
}

@test "no operations: what passes has the bytes of its columns; values that are none: exit 2" {
    nbgen plummer -n 5 -q -o p.nbs
    nbedit p.nbs | nbconv --to text | cmp - <(nbconv --to text p.nbs)
    while IFS='|' read -r option message; do
        run -2 --separate-stderr nbedit "$option" p.nbs
        [[ "${stderr_lines[0]}" == "nbedit: "$message ]] || { echo "$option: $stderr"; return 1; }
    done <<'L'
--shift=1,2|--shift 1,2: expected three numbers X,Y,Z
--shift=1,2,3,4|--shift 1,2,3,4: expected three numbers X,Y,Z
--shift=1,2,0x3|--shift 1,2,0x3: expected three numbers X,Y,Z
--shift=1,2,inf|--shift 1,2,inf: expected three numbers X,Y,Z
--boost=a|--boost a: expected three numbers VX,VY,VZ
--center=middle|--center middle: expected three numbers X,Y,Z, or com, or densest
--rotate=30|--rotate 30: expected x:DEG, *
--rotate=z|--rotate z: expected x:DEG, *
--rotate=z:30,|--rotate z:30,: expected x:DEG, *
--rotate=0,0,0:30|--rotate 0,0,0:30: expected x:DEG, *
--resize=2|--resize 2: expected one or more of length=F, *
--resize=length=-1|--resize length=-1: expected one or more of length=F, *
--resize=length=1,length=2|--resize length=1,length=2: expected one or more of length=F, *
--sample=2|--sample 2: expected a fraction above 0 and at most 1, such as 1/100 or 0.01
--sample=1/0|--sample 1/0: expected a fraction *
--sample=0|--sample 0: expected a fraction *
--sample-mass=half|--sample-mass half: expected keep or scale
--sort=r <|--sort r <: character 4: expected a column, a number or (, found the end
--sort=r < 1|--sort r < 1: character 1: expected a number, found a condition *
--sort=r if x > 1|--sort r if x > 1: `if' is allowed in --set only
--set=mass|--set mass: expected COLUMN = EXPR, such as 'mass = 0.5 \* mass'
--set=mass == 1|--set mass == 1: expected COLUMN = EXPR*
--set=mass = |--set mass = : character 8: expected a column, a number or (, found the end
--set=mass = 1 if|--set mass = 1 if: character 12: expected a column, a number or (, found the end
--set=mass = 1 if 2|--set mass = 1 if 2: character 13: expected a condition*
--set=mass = x > 1|--set mass = x > 1: character 8: expected a number, found a condition*
--select=r|--select r: character 1: expected a condition such as speed < 0.5, found a number or a column
--time=soon|--time soon: expected a finite number
L
    condition=$(printf 'x > %195s(' '') # 200 characters are repeated
    run -2 --separate-stderr nbedit --select "$condition" p.nbs
    [[ "${stderr_lines[0]}" == "nbedit: --select $condition: character "* ]]
    run -2 --separate-stderr nbedit --select "$condition(" p.nbs
    [[ "${stderr_lines[0]}" == "nbedit: --select $condition...: character "* ]]
}
