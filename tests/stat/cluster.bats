#!/usr/bin/env bats
# nbstat --binaries, and the columns of clusters: core radius, mass segregation, relaxation time, binaries.
bats_require_minimum_version 1.5.0
load ../common/common
load nbstat

# binaries FILE...: runs the Python of stdin with numpy as np, and in `lines` those of nbstat --binaries --json
binaries() {
    nbstat --binaries --json "$@" >lines.json
    python <(cat <<P
import json
import numpy as np
lines = [json.loads(line) for line in open("lines.json")]
$(cat)
P
    )
}

@test "--binaries: elements of pairs that were made with them, on circles and up to an eccentricity of 0.999" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
G, n = 1.7, 12
r = np.random.default_rng(3)
e = np.array([0, 1e-6, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 0.999, 0.9999, 0])
a, m1, m2 = 10 ** r.uniform(-6, -1, n), 10 ** r.uniform(-2, 1, n), 10 ** r.uniform(-2, 1, n)
E = r.uniform(0, 2 * np.pi, n)
E[8], E[9] = 0, np.pi  # at the pericentre, and at the apocentre
b, rate = a * np.sqrt(1 - e * e), np.sqrt(G * (m1 + m2) / a**3) / (1 - e * np.cos(E))
x = np.array([a * (np.cos(E) - e), b * np.sin(E), 0 * a]).T
v = (rate * np.array([-a * np.sin(E), b * np.cos(E), 0 * a])).T
for k in range(n):
    turn = np.linalg.qr(r.normal(size=(3, 3)))[0]
    x[k], v[k] = turn @ x[k], turn @ v[k]
at, drift = r.uniform(-1, 1, (n, 3)), 20 * r.normal(size=(n, 3))
at *= 10
share = (m2 / (m1 + m2))[:, None]
pos, vel = np.empty((2 * n, 3)), np.empty((2 * n, 3))
pos[::2], pos[1::2] = at - share * x, at + (1 - share) * x
vel[::2], vel[1::2] = drift - share * v, drift + (1 - share) * v
mass = np.array([m1, m2]).T.ravel()
write("made.nbs", frame(mass, pos, vel, G=G, time=3, id=np.arange(2 * n, dtype="u8") * 7 + 1))
M = m1 + m2
bulk = (M[:, None] * drift).sum(0) / M.sum()
kinetic = (M * ((drift - bulk) ** 2).sum(1)).sum() / 2 / n
np.save("want.npy", np.array([m1, m2, a, e, 2 * np.pi * np.sqrt(a**3 / G / M), G * m1 * m2 / 2 / a, G * m1 * m2 / 2 / a / kinetic, a * (1 - e * np.cos(E))]))
P
    binaries made.nbs <<'P'
m1, m2, a, e, period, energy, hardness, r = np.load("want.npy")
assert len(lines) == len(a) and {line["kind"] for line in lines} == {"binary"}
for k, line in enumerate(lines):
    heavier = int(m2[k] > m1[k])
    assert (line["id1"], line["id2"]) == (14 * k + 1 + 7 * heavier, 14 * k + 8 - 7 * heavier)
    assert line["frame"] == 0 and line["time"] == 3 and line["file"] == "made.nbs"
    got = [line[name] for name in "mass1 mass2 semi_major_axis period binding_energy hardness distance".split()]
    want = [max(m1[k], m2[k]), min(m1[k], m2[k]), a[k], period[k], energy[k], hardness[k], r[k]]
    # positions of 10 and velocities round to 1e-15, of which distances and speeds of the closest are made
    rounded = 1e-14 / r[k]
    assert np.allclose(got, want, rtol=1e-9 + 4 * rounded / (1 - e[k])), (k, got, want)
    assert abs(line["eccentricity"] - e[k]) < 1e-9 + 4 * rounded, (k, line["eccentricity"], e[k])
P
}

@test "--binaries: a triple and a quadruple are named so, with the orbits of their centres of mass" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
def pair(m1, m2, a, at=0, v=0):
    "On a circle in the plane."
    M, speed = m1 + m2, np.sqrt((m1 + m2) / a)
    return [[at - m2 / M * a, 0, 0], [at + m1 / M * a, 0, 0]], [[0, v - m2 / M * speed, 0], [0, v + m1 / M * speed, 0]]
outer = pair(3, 5, 100)
inner = pair(2, 1, 1, outer[0][0][0], outer[1][0][1])
x, v = inner[0] + [outer[0][1]], inner[1] + [outer[1][1]]
far = pair(2, 2, 50)
for side in 0, 1:
    p = pair(1, 1, 0.5, 1e5 + far[0][side][0], far[1][side][1])
    x, v = x + p[0], v + p[1]
write("t.nbs", frame([2, 1, 5, 1, 1, 1, 1], x, v), frame([1, 1, 1], np.eye(3), 9 * np.eye(3)), frame([1], [[0, 0, 0]], [[0, 0, 0]]))
P
    binaries t.nbs <<'P'
got = {(line["kind"], line["id1"], line["id2"]): line for line in lines}
want = {("binary", 0, 1): (3, 1), ("binary", 3, 4): (2, 0.5), ("binary", 5, 6): (2, 0.5), ("triple", 2, 0): (8, 100), ("quadruple", 3, 5): (4, 50)}
assert set(got) == set(want), set(got)
for name, (mass, a) in want.items():
    line = got[name]
    assert abs(line["mass1"] + line["mass2"] - mass) < 1e-12 and abs(line["semi_major_axis"] / a - 1) < 1e-8 and line["eccentricity"] < 1e-4, line
P
    nbstat -q --columns frame,binaries,hard_binaries,binary_share,binary_axis t.nbs >table
    printf '# frame\tbinaries\thard_binaries\tbinary_share\tbinary_axis\n0\t3\t3\t0.75\t0.5\n1\t0\t0\t0\tnan\n2\t0\t0\t0\tnan\n' >want
    sed 's/0.4999999[0-9]*\|0.5000000[0-9]*/0.5/' table | diff want -
}

@test "--binaries: as an N^2 sum in Python of 128 stars, with and without softening, and all hard pairs that there are" {
    nbgen plummer -q -n 128 --binaries 0.4 --seed 5 -o hard.nbs
    nbgen plummer -q -n 128 --binaries 0.4 --imf kroupa --seed 6 --softening 0.003 -o soft.nbs
    nbstat -q --json --columns core_radius,segregation,relaxation_time,half_mass_radius,centre,binaries,hard_binaries,binary_share,binary_axis,binary_energy hard.nbs soft.nbs >rows.json
    binaries hard.nbs soft.nbs <<'P'
import nbs_reader
rows = [json.loads(line) for line in open("rows.json")]
norm = lambda x: np.sqrt((x * x).sum(-1))

def elements(x, v, m, eps):
    "Of all pairs: axis (infinite where not bound) and eccentricity, by the angular momentum."
    d, w, M = x - x[:, None], v - v[:, None], m + m[:, None]
    s = np.sqrt((d * d).sum(-1) + eps**2 + np.eye(len(m)))
    energy = (w * w).sum(-1) / 2 - M / s
    a = np.where((energy < 0) & ~np.eye(len(m), dtype=bool), -M / 2 / energy, np.inf)
    h2 = (w * w).sum(-1) * s * s - (d * w).sum(-1) ** 2
    return a, np.sqrt(np.maximum(1 - h2 / M / a, 0)), s

def join(names, x, v, m, eps, count):
    "The pairs of systems that are each other's closest orbit of `count` neighbours, and the systems that are left."
    a, e, s = elements(x, v, m, eps)
    near = np.argsort(np.where(np.eye(len(m), dtype=bool), np.inf, s), 1)[:, :count]
    allowed = np.zeros(a.shape, bool)
    np.put_along_axis(allowed, near, True, 1)
    best = np.where(allowed, a, np.inf)
    partner = np.where(np.isfinite(best.min(1)), best.argmin(1), -1)
    pairs, gone = [], set()
    for i, j in enumerate(partner):
        if j > i and partner[j] == i:
            i, j = (j, i) if m[j] > m[i] else (i, j)
            pairs.append((names[i], names[j], m[i], m[j], a[i, j], e[i, j]))
            x[i], v[i] = (np.average(y[[i, j]], 0, m[[i, j]]) for y in (x, v))
            m[i] += m[j]
            gone.add(j)
    keep = [i for i in range(len(m)) if i not in gone]
    return pairs, (names[keep], x[keep], v[keep], m[keep])

for name, row in zip(("hard.nbs", "soft.nbs"), rows):
    f = nbs_reader.read(open(name, "rb"))[0]
    m, x, v, eps = (np.array(f[c], float) for c in ("mass", "pos", "vel", "softening"))
    binaries, left = join(np.arange(len(m)), x.copy(), v.copy(), m.copy(), eps, 6)
    systems, left = join(*left, eps, 6)
    _, _, w, M = left
    kinetic = (M * ((w - np.average(w, 0, M)) ** 2).sum(1)).mean() / 2
    mine = [line for line in lines if line["file"] == name]
    want = sorted(binaries + systems, key=lambda p: sorted(p[:2]))
    assert len(want) == len(mine) > 20
    for p, line in zip(want, sorted(mine, key=lambda line: sorted((line["id1"], line["id2"])))):
        assert p[:2] == (line["id1"], line["id2"])
        energy = p[2] * p[3] / 2 / p[4]
        got = [line[key] for key in "mass1 mass2 semi_major_axis eccentricity period binding_energy hardness".split()]
        assert np.allclose(got, [*p[2:], 2 * np.pi * np.sqrt(p[4] ** 3 / (p[2] + p[3])), energy, energy / kinetic], rtol=1e-7, atol=1e-7), (p, line)
    # of all pairs of stars, not only of six neighbours
    hard = lambda pairs: {(p[0], p[1]) for p in pairs if p[2] * p[3] / 2 / p[4] > kinetic}
    every = hard(join(np.arange(len(m)), x.copy(), v.copy(), m.copy(), eps, len(m) - 1)[0])
    found = {(line["id1"], line["id2"]) for line in mine if line["hardness"] > 1 and line["kind"] == "binary"}
    assert len(every) > (5 if eps == 0 else 0) and every <= found, (every, found)
    # the columns of a frame
    pairs = [line for line in mine if line["kind"] == "binary"]
    assert row["binaries"] == len(pairs) and row["hard_binaries"] == len(found)
    assert np.isclose(row["binary_share"], len(pairs) / (128 - len(pairs)))
    assert np.isclose(row["binary_axis"], np.median([p["semi_major_axis"] for p in pairs]))
    assert np.isclose(row["binary_energy"], sum(p["binding_energy"] for p in pairs))
    rho = np.sort(norm(x - x[:, None]), 1)[:, 6] ** -3.0
    centre = np.average(x, 0, rho)
    assert np.isclose(row["core_radius"], np.average(norm(x - centre), 0, rho), rtol=1e-12)
    r = norm(x - row["centre"])
    heavy = np.argsort(-m)[: 12 if np.ptp(m) > 0 else 128]
    half = lambda r: np.sort(r)[(len(r) - 1) // 2]
    assert np.isclose(row["segregation"], half(r[heavy]) / half(r), rtol=1e-12)
    assert np.isclose(row["relaxation_time"], 0.138 * 128 * row["half_mass_radius"] ** 1.5 / np.log(0.11 * 128), rtol=1e-12)
P
}

@test "core radius and relaxation time of a Plummer sphere, in any units" {
    # The integrals of r rho^2 and rho^2 give 0.67906 a. Of equal masses none is heavier than others
    nbgen plummer -q -n 40k --truncation inf -o p.nbs
    nbstat -q --json --columns core_radius,relaxation_time,segregation p.nbs |
        { read -r line; python -c 'import json, math, sys
row, a = json.loads(sys.argv[1]), 3 * math.pi / 16
assert abs(row["core_radius"] / (0.67906 * a) - 1) < 0.02, row
trh = 0.138 * 40000 * (1.30477 * a) ** 1.5 / math.log(4400)
assert abs(row["relaxation_time"] / trh - 1) < 0.03 and row["segregation"] == 1, (row, trh)' "$line"; }
    nbgen plummer -q -n 2k --binaries 0.2 -o code.nbs
    nbgen plummer -q -n 2k --binaries 0.2 --mass 7 --radius 3 --units galactic -o units.nbs
    nbstat -q --csv --columns relaxation_time,core_radius,binary_axis,hard_binaries,segregation code.nbs >code
    nbstat -q --csv --columns relaxation_time,core_radius,binary_axis,hard_binaries,segregation units.nbs >units
    # of one unit of time in code units, sqrt(3^3 / (G 7))
    paste -d, code units | awk -F, 'NR == 2 { t = sqrt(27 / (43009.17 * 7)); ok = $6 / t / $1 - 1 < 1e-6 && 1 - $6 / t / $1 < 1e-6 && \
        ($7 / 3 / $2 - 1) ^ 2 < 1e-18 && ($8 / 3 / $3 - 1) ^ 2 < 1e-16 && $4 == $9 && $4 > 30 && $5 == $10 } END { exit !ok }'
}

@test "mass segregation: below 1 where heavy stars are nearer, stars of equal mass are in or out together" {
    python - >want <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(1)
x = r.normal(size=(400, 3))
x -= x.mean(0)
order = np.argsort((x * x).sum(1))
def mass(heavy):
    m = np.ones(400)
    m[heavy] = 1.01
    return m
heavy = order[:20], order[-20:], order[110:310], order
write("s.nbs", *(frame(mass(h), x, 0 * x) for h in heavy))
for h in heavy:
    r = np.sqrt(((x - np.average(x, 0, mass(h))) ** 2).sum(1))
    print("%.9f" % (np.sort(r[h])[len(h) // 2 - 1] / np.sort(r)[199]))
P
    [ "$(xargs <want)" = "$(nbstat -q --no-header --about com --columns segregation s.nbs | awk '{ printf "%.9f\n", $1 }' | xargs)" ]
    xargs <want | awk '{ exit !($1 < 0.5 && $2 > 1.5 && $3 > 1 && $3 < 1.1 && $4 == 1) }'
}

@test "--binaries: bytes do not depend on threads; a stream without pairs has the names of the columns" {
    nbgen plummer -q -n 30k --binaries 0.3 -o p.nbs
    for threads in 1 3; do nbstat --threads $threads --binaries p.nbs >$threads; done
    cmp 1 3
    [ "$(wc -l <1)" -gt 5000 ]
    nbgen uniform -q -n 2 --virial 1e3 -o fast.nbs
    [ "$(nbstat --binaries --csv fast.nbs)" = "file,frame,time,kind,id1,id2,mass1,mass2,distance,semi_major_axis,eccentricity,period,binding_energy,hardness" ]
    [ -z "$(nbstat --binaries --json fast.nbs)" ]
    nbgen kepler -q --eccentricity 0.5 -o k.nbs
    [ "$(nbstat --binaries --no-header --columns hardness,kind,time --params model k.nbs)" = $'kepler\tinf\tbinary\t0' ]
    [ "$(nbstat --binaries --select 'id < 1' k.nbs | wc -l)" = 1 ]
    # bodies without gravity on each other have no pairs
    nbsim -q --steps 1 --dt 0.001 --force external:point,mass=1 k.nbs | nbstat --binaries --frame last | wc -l | grep -qx 1
}

@test "--binaries: what does not go together, and columns of other tables" {
    nbgen kepler -q -o k.nbs
    for options in "--radial spherical" "--lagrange 50" --modes --escaped "--max-de 1" --walls --info --check "--columns time,q"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbstat --binaries $options k.nbs
        [ "${#stderr_lines[@]}" = 2 ]
    done
    refused 2 "--columns: column hardness exists only with --binaries" nbstat --columns hardness k.nbs
    refused 2 "--columns: column core_radius exists only without --binaries" nbstat --binaries --columns core_radius k.nbs
    refused 2 "--columns: column a2 exists only with --modes, without --binaries" nbstat --binaries --columns a2 k.nbs
    refused 2 "--columns: column kind exists only with --binaries, without --radial" nbstat --radial spherical --columns kind k.nbs
    refused 2 "--columns: column r50 exists only with --lagrange 50, without --binaries" nbstat --binaries --columns r50 k.nbs
}
