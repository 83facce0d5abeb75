#!/usr/bin/env bats
# nbstat's virial ratio, compared with direct sums, known orbits and the virial theorem.
bats_require_minimum_version 1.5.0
load ../common/common

# virial OPTION...: the ratios of the frames, a line each
virial() {
    nbstat "$@" | awk -F'\t' '!/^#/ { print $10 }'
}

@test "2K over the sum over pairs, softened, about the centre of mass: by all methods" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(3)
n, G, eps = 300, 1.7, 0.4
mass, pos, vel = 10 ** r.uniform(-4, 0, n), r.normal(size=(n, 3)), r.normal(size=(n, 3))
m, x, v = (a.astype(np.longdouble) for a in (mass, pos, vel))
d = x[None] - x[:, None]
r2 = (d * d).sum(-1)
acc = G * (m[None, :, None] * d / (r2 + eps**2)[..., None] ** np.longdouble(1.5)).sum(1)
pairs = (m[:, None] * m * G * r2 / (r2 + eps**2) ** np.longdouble(1.5)).sum() / 2
u = v - (m[:, None] * v).sum(0) / m.sum()
print(float((m * (u * u).sum(-1)).sum() / pairs), file=open("want", "w"))
head = dict(G=G, softening=eps)
write("cloud.nbs", frame(mass, pos, vel, **head))
write("moved.nbs", frame(mass, pos + [100, -50, 20], vel - [30, 0, 70], **head))
write("column.nbs", frame(mass, pos, vel, acc=acc.astype(float), phi=np.ones(n), **head))
write("twice.nbs", frame(mass, pos, vel, acc=2 * acc.astype(float), phi=np.ones(n), **head))
write("phi.nbs", frame(mass, pos, vel, phi=np.ones(n), **head))
P
    want=$(cat want)
    close "$(virial --potential direct cloud.nbs)" "$want" "$(awk "BEGIN { print 1e-14 * $want }")"
    close "$(virial cloud.nbs)" "$want" "$(awk "BEGIN { print 1e-14 * $want }")"
    close "$(virial phi.nbs)" "$want" "$(awk "BEGIN { print 1e-14 * $want }")"
    tree=$(virial --potential tree cloud.nbs)
    [ "$tree" != "$(virial cloud.nbs)" ]
    close "$tree" "$want" "$(awk "BEGIN { print 1e-4 * $want }")"
    for how in direct tree; do # where they are and how they move together does not matter
        close "$(virial --potential $how moved.nbs)" "$want" "$(awk "BEGIN { print 1e-4 * $want }")"
    done
    # accelerations in a column are taken as they are
    for how in auto column; do
        close "$(virial --potential $how column.nbs)" "$want" "$(awk "BEGIN { print 1e-13 * $want }")"
        close "$(virial --potential $how twice.nbs)" "$(awk "BEGIN { printf \"%.17g\", $want / 2 }")" "$(awk "BEGIN { print 1e-13 * $want }")"
    done
    close "$(virial --potential direct twice.nbs)" "$want" "$(awk "BEGIN { print 1e-14 * $want }")"
    [ "$(virial --potential column phi.nbs)" = nan ]
    [ "$(virial --potential none column.nbs)" = nan ]
}

@test "1 on circular orbits: two softened bodies; a ring about the centre of a field, which need not be at 0" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
d, eps, G, m = 0.7, 0.5, 3.0, np.array([2.0, 0.5])
v = np.sqrt(G * m.sum()) * d / (d * d + eps * eps) ** 0.75
share = np.array([[-m[1]], [m[0]]]) / m.sum()
write("two.nbs", frame(m, share * [d, 0, 0], share * [0, v, 0], G=G, softening=eps))
t = np.arange(7) * 2 * np.pi / 7
x, u = np.cos(t)[:, None] * [1, 0, 0] + np.sin(t)[:, None] * [0, 1, 0], np.cos(t)[:, None] * [0, 1, 0] - np.sin(t)[:, None] * [1, 0, 0]
a, M = 0.8, 5.0
v = np.sqrt(M) / (1 + a * a) ** 0.75
write("ring.nbs", frame(np.ones(7), x + [3, -4, 5], v * u, force=f"external:plummer,mass={M},scale={a},x=3,y=-4,z=5"))
P
    close "$(virial two.nbs)" 1 1e-15
    close "$(virial ring.nbs)" 1 1e-14
}

@test "the theorem: what the ratio lacks to 1 accelerates the size, under softened gravity, a halo and drag" {
    nbgen uniform -n 60 --virial 0.3 --softening 0.2 --seed 4 |
        nbsim -q --device cpu --precision double --integrator rk4 --dt 0.00625 --force auto --force external:logarithmic,speed=0.7,core=0.3,q=0.9,x=1 \
            --force external:drag,rate=0.2 --until 0.4 --every 0.0125 --write acc,phi -o run.nbs
    nbstat --json run.nbs > column
    nbstat --json --potential direct run.nbs > direct
    python - >&3 <<'P'
import json
import numpy as np
from nbs_reader import read
column, direct = ([json.loads(line) for line in open(name)] for name in ("column", "direct"))
size = []
for f in read(open("run.nbs", "rb")):
    m, x = f["mass"], f["pos"]
    x = x - (m[:, None] * x).sum(0) / m.sum()
    size.append((m * (x * x).sum(1)).sum() / 2)
size, h, worst = np.array(size), 0.0125, 0
for k in range(2, len(size) - 2):
    growth = (-size[k - 2] + 16 * size[k - 1] - 30 * size[k] + 16 * size[k + 1] - size[k + 2]) / (12 * h * h)
    d = direct[k]
    motion = 2 * d["kinetic"] - np.dot(d["momentum"], d["momentum"]) / d["mass"]
    worst = max(worst, abs((motion - motion / d["virial"]) - growth) / motion)
    assert abs(d["virial"] - column[k]["virial"]) < 1e-12
    assert abs(d["virial"] - 1) > 0.01  # out of balance
print("# worst difference", worst)
assert worst < 1e-5
P
}

@test "disks, spheres and softened systems in equilibrium have 1" {
    for model in "disk -n 4k" "disk -n 4k --central-mass 0" "uniform -n 10k --softening 0.3" \
        "uniform -n 10k --shape cube --softening 0.5" "plummer -n 10k --softening 0.02"; do
        # shellcheck disable=SC2086
        found=$(nbgen $model --seed 5 | virial)
        echo "# $model: $found" >&3
        close "$found" 1 0.03
    done
}

@test "nbgen uniform --virial asks for what nbstat finds, for any softening" {
    for shape in sphere cube; do
        for softening in 0 0.1 1; do
            found=$(nbgen uniform -n 20k --shape $shape --virial 0.4 --softening $softening --seed 5 | virial --potential tree)
            echo "# $shape $softening: $found" >&3
            close "$found" 0.4 0.006 # scatter 0.44 * 0.4 / sqrt(20000) = 0.0012 of the velocities, as much of the places
        done
    done
}

@test "of selected bodies: all forces on them, by columns or computed" {
    nbgen collision -n 400 --seed 2 -o all.nbs
    nbsim -q --device cpu --precision double --steps 0 --write acc,phi -o column.nbs all.nbs
    nbstat --json --select 'x < 0' column.nbs > selected
    nbstat --json --select 'x < 0' --potential direct column.nbs >> selected
    python - <<'P'
import json
import numpy as np
from nbs_reader import read
f, = read(open("column.nbs", "rb"))
s = f["pos"][:, 0] < 0
d = f["pos"][None] - f["pos"][:, None]
acc = (f["mass"][None, :, None] * d / ((d**2).sum(-1) + f["softening"] ** 2)[..., None] ** 1.5).sum(1)
m, x, v, a = f["mass"][s], f["pos"][s], f["vel"][s], acc[s]
R, V = ((m[:, None] * y).sum(0) / m.sum() for y in (x, v))
want = (m * ((v - V) ** 2).sum(1)).sum() / -(m[:, None] * (x - R) * a).sum()
for line in open("selected"):
    assert abs(json.loads(line)["virial"] / want - 1) < 1e-12, (line, want)
P
}
