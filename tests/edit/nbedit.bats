#!/usr/bin/env bats
# Operations of nbedit, compared with numpy and with formulas. The tests write the input streams without the library.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# a.nbs: three frames with columns of every type, of 500 bodies; a frame's values in make(k)
streams() {
    cat >make.py <<'P'
from nbs_writer import *
N = 500
def make(k):
    rng = np.random.default_rng(k)
    fixed = np.random.default_rng(99)
    return dict(mass=fixed.random(N) / N, pos=rng.normal(size=(N, 3)), vel=rng.normal(size=(N, 3)), time=k / 4,
                softening="0.1", dt="0.01", origin="0", every="0.25", step=str(k), id=fixed.permutation(N).astype("u8") + 2**53,
                component=fixed.integers(0, 8, N).astype("u1"), acc=rng.normal(size=(N, 3)).astype("f4"), phi=-rng.random(N),
                age=rng.random(N).astype("f4"), kind=fixed.integers(0, 9, N).astype("u4"), shade=rng.random((N, 3)),
                note="a line that nobody knows", history=["1 - other 1 - made"])
P
    python -c "from make import *
write('a.nbs', *(frame(**make(k)) for k in range(3)))"
}

# holds OPTIONS...; Python on stdin: sees `new` (frames of nbedit) and `old`, and d, n for each pair
holds() {
    nbedit -q "$@" -o new.nbs -f a.nbs
    cat >check.py
    cat - check.py >all.py <<'P'
from make import *
from nbs_reader import read
old, new = [make(k) for k in range(3)], read(open("new.nbs", "rb"))
assert len(new) == 3
P
    python all.py
}

@test "shift, boost and center by numbers; the header, other columns and unknown lines stay" {
    streams
    holds --shift 1,-2,0.5 --boost=-3,0,1e-3 <<'P'
for d, n in zip(old, new):
    assert (n["pos"] == d["pos"] + [1, -2, 0.5]).all() and (n["vel"] == d["vel"] + [-3, 0, 1e-3]).all()
    for name in "mass id component acc phi age kind shade".split():
        assert (n[name] == d[name]).all() and n[name].dtype == d[name].dtype, name
    assert n["time"] == d["time"] and n["softening"] == 0.1 and n["dt"] == 0.01 and n["every"] == "0.25"
    assert n["step"] == d["step"] and n["note"] == ["a line that nobody knows"]
    assert n["history"][0] == "1 - other 1 - made" and len(n["history"]) == 2
    assert n["history"][1].startswith("2 1 nbedit ") and n["history"][1].endswith(" nbedit --shift=1,-2,0.5 --boost=-3,0,1e-3")
P
    holds --center 1,2,3 <<'P'
for d, n in zip(old, new):
    assert (n["pos"] == d["pos"] - [1, 2, 3]).all() and (n["vel"] == d["vel"]).all() and (n["phi"] == d["phi"]).all()
P
}

@test "the order of operations is that of the command line, and recorded so" {
    streams
    holds --rotate z:90 --shift 1,0,0 --rotate z:90 <<'P'
for d, n in zip(old, new):
    x, y, z = d["pos"].T
    assert (n["pos"] == np.array([-x, -y + 1, z]).T).all()
    assert n["history"][1].endswith(" nbedit --rotate=z:90 --shift=1,0,0 --rotate=z:90")
P
    holds --shift 1,0,0 --rotate z:90 --rotate z:90 <<'P'
for d, n in zip(old, new):
    x, y, z = d["pos"].T
    assert (n["pos"] == np.array([-(x + 1), -y, z]).T).all()
P
}

@test "rotate: vectors turn by an independent matrix, scalars and columns without a unit do not" {
    streams
    printf 'def R(axis, degrees):
    u, a = np.array(axis, float) / np.linalg.norm(axis), np.radians(degrees)
    w = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + np.sin(a) * w + (1 - np.cos(a)) * w @ w
' >>make.py
    for turn in "z:30|R([0, 0, 1], 30)" "x:-400|R([1, 0, 0], -40)" "z:30,x:60,z:10|R([0, 0, 1], 10) @ R([1, 0, 0], 60) @ R([0, 0, 1], 30)" \
        "y:180|R([0, 1, 0], 180)" "1,-2,3e5:77.5|R([1, -2, 3e5], 77.5)" "1e-200,1e-200,0:45|R([1, 1, 0], 45)"; do
        { echo "M = ${turn#*|}"; cat <<'P'
for d, n in zip(old, new):
    for name, tolerance in dict(pos=2e-15, vel=2e-15, acc=5e-7).items():
        want = d[name].astype(float) @ M.T
        assert abs(n[name] - want).max() < tolerance * abs(want).max(), name
    assert (n["phi"] == d["phi"]).all() and (n["shade"] == d["shade"]).all() and n["acc"].dtype == np.float32
P
        } | holds --rotate "${turn%%|*}"
    done
    # anticlockwise, and exact at right angles
    printf '# m x y z vx vy vz\n1 1 0 0 0 1 0\n' | nbconv --from text -q | nbedit --rotate z:90,x:90,y:450 | nbconv --to text >turned
    [ "$(tail -n 1 turned)" = "0 1 1 0 0 0 0 1" ] || { cat turned; return 1; } # x to y to z to x; y to -x, which stays, to z
}

@test "a vector of another program turns if it has a unit; what does not turn is said, once" {
    streams
    printf '# m x y z vx vy vz spin_x spin_y spin_z\n1 0 0 0 0 0 0 1 2 3\n' | nbconv --from text -q -o s.nbs
    unit=$(nbstat --info s.nbs | awk '$2 == "spin" { print $5 }')
    [ "$unit" = - ]
    run -0 --separate-stderr nbedit --rotate z:90 -o t.nbs s.nbs
    [ "$stderr" = "nbedit: --rotate: column 'spin' has no unit, so it is not rotated" ]
    python - <<'P' # the same with a unit
import re, sys
from nbs_writer import text_block, stream, own_checksum
data = open("s.nbs", "rb").read()
end = data.index(b"\n", data.index(b"\nchecksum ")) + 1
header = data[:end].decode().replace("spin f64 3 -", "spin f64 3 M*L^2/T").rstrip().split("\n")[:-1]
old, size = data[:end], -(-end // 64) * 64
footer = data.index(b"nbs 1 footer")
lines = data[footer : data.index(b"\nchecksum", footer)].decode().split("\n")
new = text_block(*header)
lines[1] = "header " + own_checksum(new)
open("u.nbs", "wb").write(stream(new + data[size:footer] + text_block(*lines)))
P
    nbedit --rotate z:90 u.nbs | nbconv --to text --columns spin | tail -n 1 >spin
    [ "$(cat spin)" = "-2 1 3" ]
    nbedit --resize length=2,mass=3,velocity=5 -q u.nbs | nbconv --to text --columns spin | tail -n 1 >spin
    [ "$(cat spin)" = "30 60 90" ] # M L^2/T = 3 * 2 * 5
}

@test "center com and densest: what nbstat then finds there is at rest at the origin" {
    nbgen plummer -n 3k --seed 4 -q | nbedit --shift 3,-4,5 --boost 0.5,0.25,-1 -o p.nbs
    nbedit --center com p.nbs | nbstat --json --potential none >com
    python -c 'import json
row = json.load(open("com"))
assert max(map(abs, row["com"] + row["com_velocity"])) < 1e-15, row'
    nbedit --center densest p.nbs -o d.nbs
    python - <<'P'
from nbs_reader import read
import numpy as np
before, after = (read(open(name, "rb"))[0] for name in ("p.nbs", "d.nbs"))
shift, boost = before["pos"] - after["pos"], before["vel"] - after["vel"]
assert np.ptp(shift, axis=0).max() < 4e-15 and np.ptp(boost, axis=0).max() < 1e-15
x, v, m = after["pos"], after["vel"], after["mass"]
# a sixth neighbour's density by all pairs (Casertano & Hut 1985) is about the origin
d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(2))
order = np.sort(d, axis=1)
rho = 1 / order[:, 6] ** 3
assert abs((rho[:, None] * x).sum(0) / rho.sum()).max() < 1e-9
half = np.sort(np.sqrt((x * x).sum(1)))[len(x) // 2 - 1]
near = np.sqrt((x * x).sum(1)) <= half
assert abs(v[near].mean(0)).max() < 1e-12
P
}

@test "energies, virial ratio and angular momentum are those of what was moved, turned and resized" {
    nbgen plummer -n 400 --seed 2 -q -o p.nbs
    nbstat --json --potential direct p.nbs >a
    nbedit --shift 10,20,-30 --rotate x:20,y:70 p.nbs | nbstat --json --potential direct >b
    nbedit --resize length=2,mass=3 p.nbs | nbstat --json --potential direct >c
    nbedit --resize length=2,mass=3,velocity=0.5 p.nbs | nbstat --json --potential direct >e
    python -c 'import json
a, b, c, e = (json.load(open(k)) for k in "abce")
near = lambda x, y, t=2e-13: abs(x / y - 1) < t
for name in ("kinetic", "potential", "virial", "half_mass_radius"):
    assert near(a[name], b[name]), (name, a[name], b[name])
assert near(a["half_mass_radius"] * 2, c["half_mass_radius"]) and near(a["mass"] * 3, c["mass"])
assert near(a["virial"], c["virial"]) and near(a["potential"] * 9 / 2, c["potential"]) and near(a["kinetic"] * 9 / 2, c["kinetic"])
assert near(a["kinetic"] * 3 / 4, e["kinetic"]) and near(a["potential"] * 9 / 2, e["potential"])'
}

@test "resize: a run that was resized is the run of what was resized, with its times, softening and accelerations" {
    nbgen plummer -n 60 --seed 3 -q -o p.nbs
    nbsim -q --device cpu --precision double --dt 0.01 --until 0.2 --every 0.1 --write acc,phi p.nbs -o run.nbs
    nbedit -q --resize length=4,mass=4 run.nbs -o resized.nbs # velocities 1, times 4: powers of two, all exact
    nbedit -q --resize length=4,mass=4 p.nbs | nbsim -q --device cpu --precision double --dt 0.04 --until 0.8 --every 0.4 --write acc,phi -o again.nbs
    python - <<'P'
from nbs_reader import read
import numpy as np
a, b = (read(open(name, "rb")) for name in ("resized.nbs", "again.nbs"))
assert len(a) == len(b) == 3 and [f["time"] for f in b] == [0, 0.4, 0.8]
for f, g in zip(a, b):
    assert abs(f["time"] - g["time"]) < 1e-15 and f["softening"] == g["softening"] and abs(f["dt"] - g["dt"]) < 1e-15
    assert float(f["every"]) == float(g["every"]) == 0.4 and f["G"] == 1
    for name in "mass pos vel acc phi".split():
        assert abs(f[name] - g[name]).max() <= 1e-12 * abs(g[name]).max(), name
P
    run -0 --separate-stderr nbedit --resize velocity=2 run.nbs -o fast.nbs
    [ "${stderr_lines[0]}" = "nbedit: --resize: removed, because they no longer apply: acc phi" ]
    [ "${stderr_lines[1]}" = "nbedit: --resize: lengths times 1, masses 1, velocities 2, times 0.5" ]
    [ "${#stderr_lines[@]}" = 2 ]
}

@test "runs in quadruple precision: moved and turned with all their digits" {
    printf '# m x y z vx vy vz\n1 1.00000000000000000000000000000123 2 3 0 1 0\n2 0.1 0.2 0.3 0.4 0.5 0.6\n' |
        nbconv --from text --store quad -q -o q.nbs
    python - <<'P' >want
from decimal import Decimal as D, getcontext
getcontext().prec = 60
bodies = [[D("1.00000000000000000000000000000123"), D(2), D(3)], [D("0.1"), D("0.2"), D("0.3")]]
half, third = D(1) / 2, D(3).sqrt() / 2
for x, y, z in bodies:
    x, y, z = third * x - half * y, half * x + third * y, z
    print(*(f"{v:.28f}" for v in (x + 1000, y - D(0.1), z + D(3))))
P
    nbedit --rotate z:30 --shift 1000,-0.1,3 q.nbs | nbconv --to text | awk '!/^#/ { print $3, $4, $5 }' >got
    python - <<'P'
from decimal import Decimal as D, getcontext
getcontext().prec = 60
for a, b in zip(open("want"), open("got")):
    for x, y in zip(a.split(), b.split()):
        assert abs(D(x) - D(y)) < D("3e-28"), (x, y)
P
    run -0 --separate-stderr nbedit --set 'y = 2 * y' q.nbs -o set.nbs
    [[ "$stderr" == *"nbedit: --set: values are set in double precision: their low parts in pos_lo become 0"* ]]
    [ "$(nbconv --to text set.nbs | awk '$1 == 1 { print $3, $4 }')" = "0.1 0.400000000000000022204460492503130808" ]
}

@test "set: columns, parts of vectors and new columns, of every type, for all or for some" {
    streams
    holds --set 'mass = 0.5 * mass' --set 'x = x + 2 * y' --set 'vel.z = -vz if component == disk' --set 'heat = mass * speed^2 / 2' \
        --set 'component = star if r < 1 && age > 0.5' --set 'kind = kind % 3' --set 'age = max(age, 0.25)' --set 'galaxy = 1 if x < 0' \
        --set 'parent_id = id' --set 'shade.y = exp(-r) + sin(x) * cos(y) + log(speed) + floor(10 * z) + atan2(y, x)' <<'P'
for d, n in zip(old, new):
    pos, vel, mass = d["pos"].copy(), d["vel"].copy(), 0.5 * d["mass"]
    pos[:, 0] += 2 * pos[:, 1]
    vel[d["component"] == 2, 2] *= -1
    assert (n["mass"] == mass).all() and (n["pos"] == pos).all() and (n["vel"] == vel).all()
    r, speed = np.sqrt((pos**2).sum(1)), np.sqrt((vel**2).sum(1))
    heat = mass * speed**2 / 2
    assert n["heat"].dtype == float and abs(n["heat"] / heat - 1).max() < 1e-14
    component = np.where((r < 1) & (d["age"] > 0.5), 4, d["component"])
    assert (n["component"] == component).all() and n["component"].dtype == np.uint8 and (component != d["component"]).any()
    assert (n["kind"] == d["kind"] % 3).all() and n["kind"].dtype == np.uint32
    assert (n["age"] == np.maximum(d["age"], np.float32(0.25))).all() and n["age"].dtype == np.float32
    assert (n["galaxy"] == (pos[:, 0] < 0)).all() and n["galaxy"].dtype == np.uint8
    assert (n["parent_id"] == d["id"]).all() and n["parent_id"].dtype == np.uint64
    x, y, z = pos.T
    shade = np.exp(-r) + np.sin(x) * np.cos(y) + np.log(speed) + np.floor(10 * z) + np.arctan2(y, x)
    assert abs(n["shade"][:, 1] - shade).max() < 1e-13 and (n["shade"][:, ::2] == d["shade"][:, ::2]).all()
    assert "acc" not in n and "phi" not in n and n["dt"] == 0
P
}

@test "what no longer holds is left out, and what still holds is kept" {
    streams
    while IFS='|' read -r op acc phi dt; do
        nbedit -q "$op" -f -o new.nbs a.nbs
        info=$(nbstat --info new.nbs | sort -u)
        [ "$(grep -c 'column acc' <<<"$info")$(grep -c 'column phi' <<<"$info")$(grep -c 'dt 0.01' <<<"$info")" = $acc$phi$dt ] ||
            { echo "$op: $info"; return 1; }
    done <<'L'
--set=mass = 2 * mass|0|0|0
--set=x = x + 1|0|0|0
--set=vx = 0|1|1|0
--set=softening = 0.2|0|0|0
--set=age = 1|1|1|1
--set=id = kind|1|1|1
--select=r < 1|0|0|1
--select=all|1|1|1
--sample=1/2|0|0|1
--shift=1,2,3|1|1|1
--boost=1,2,3|1|1|1
--rotate=z:10|1|1|1
--center=com|1|1|1
--sort=r|1|1|1
--columns=-age|1|1|1
--columns=acc|1|0|1
--resize=length=2|1|1|0
L
    run -0 --separate-stderr nbedit --select 'r < 1' -o x.nbs a.nbs # three frames, one line
    [ "$stderr" = "nbedit: --select: removed, because they no longer apply: acc phi" ]
}

@test "values that cannot be are refused with their body" {
    streams
    while IFS='|' read -r op message; do
        run -1 --separate-stderr nbedit -q "$op" -o bad.nbs a.nbs
        [[ "$stderr" == "nbedit: a.nbs: frame 0: "$message ]] || { echo "$op: $stderr"; return 1; }
        [ ! -e bad.nbs ]
        [ ! -e bad.nbs.part ]
    done <<'L'
--set=mass = -mass|body 0: mass -* is negative
--set=x = 1 / 0 if kind == 3|--set: body *: pos would become inf, which is not finite
--set=age = log(-1)|--set: body 0: age would become *nan, which is not finite
--set=age = 1e39|--set: body 0: age of f32 cannot become *e+3*
--set=component = 256|--set: body 0: component of u8 cannot become 256
--set=component = 1.5|--set: body 0: component of u8 cannot become 1.5
--set=kind = -1|--set: body 0: kind of u32 cannot become -1
--set=id = kind + 9007199254740992|--set: body 0: id cannot become 900719925474099*: whole numbers of 2^53 and above are rounded
--set=id = id + 1|--set: body 0: id 900719925474* is above 2^53, so an expression would round it
--set=pos = 1|--set: 'pos' is a vector: set its components pos.x, pos.y and pos.z
--set=mass.x = 1|--set: 'mass' is not a vector, so it has no .x
--set=jerk = 1|--set: unknown column 'jerk': a new column can have only one value for each body
--set=r = 1|--set: 'r' is computed from other columns and cannot be set
--set=disk = 1|--set: 'disk' is computed from other columns and cannot be set
--set=age = agee|--set: character 7: unknown column 'agee'; columns: mass pos vel id *
--resize=length=1e308,mass=1e308|--resize: body *: pos would become *inf, which is not finite
--resize=length=1e308|--resize: times would be multiplied by inf, which is out of range (choose other factors)
--sort=log(x)|--sort: body *: the value to sort by is not a number
--columns=id,agee|--columns: unknown column 'agee'; columns: mass pos vel id component acc phi age kind shade
--select=galaxies == 1|--select: character 1: unknown column 'galaxies'; columns: *
L
}
