#!/usr/bin/env bats
# Contact forces in nbsim: the step size, rejected options, the energy of closed boxes, flows, and interrupted runs that
# resume. Unit tests: tests/engine/test_contact.c (forces) and tests/engine/test_step_bounded.c (steps).
bats_require_minimum_version 1.5.0
load ../common/common


# disks KIND N FILE OPTION... [and KIND N FILE OPTION...]...: these streams, with one start of Python
disks() {
    python "$root/tests/common/disks.py" "$@"
}

@test "steps are as long as contacts and the fastest disk allow, in leapfrog, and outputs are on time" {
    disks gas 100 stiff.nbs and gas 100 soft.nbs stiffness_by=0.1
    for kind in stiff soft; do
        status=0 # some pass through the soft walls
        [ $kind = stiff ] || status=3
        run -$status --separate-stderr nbsim --until 0.3 --every 0.1 $kind.nbs -o o-$kind.nbs
        [[ "$stderr" == *"nbsim: leapfrog, steps limited by contacts, "*" now, from t = 0 to 0.3, 4 frames"* ]]
        [[ "$stderr" != *Gpair* && "$stderr" == *", energy error "* ]]
    done
    python - <<'P'
from math import pi, sqrt
from nbs_reader import read
for kind in "stiff", "soft":
    frames = read(open(f"o-{kind}.nbs", "rb"))
    k, c, r = map(float, frames[0]["contact"][0].split())
    contact = pi * sqrt(frames[0]["mass"][0] / 2 / k) / 25
    assert [float(f["time"]) for f in frames] == [0, 0.1, 0.2, 3 * 0.1]
    for last, f in zip(frames, frames[1:]):
        h, fastest = float(f["dt"]), sqrt((f["vel"] ** 2).sum(1).max())
        passing = r / 10 / fastest
        # what was asked for up to 65 steps before the output
        assert h <= contact * (1 + 1e-9) and h < 1.1 * passing, (kind, h, contact, passing)
        assert h > 0.6 * min(contact, passing)
        steps = int(f["step"]) - int(last["step"])
        assert abs(steps - 0.1 / h) < (1e-6 if kind == "stiff" else 0.2 * steps)
    assert contact < 0.8 * passing if kind == "stiff" else passing < 0.8 * contact
P
}

@test "--dt and --steps are fixed steps; those that contacts are too short for are warned of" {
    disks gas 100 g.nbs
    run -0 --separate-stderr nbsim --steps 50 g.nbs -o s.nbs
    [[ "$stderr" == *"nbsim: dt "*", the present limit for contacts"*" in 50 steps, 2 frames"* ]]
    [[ "$stderr" != *warning* ]]
    h=$(sed -n 's/.*dt \([0-9.e-]*\), the present limit.*/\1/p' <<<"$stderr")
    run -0 --separate-stderr nbsim -q --dt "$h" --until 0.01 g.nbs -o fixed.nbs
    [ "$stderr" = "" ]
    run -0 --separate-stderr nbsim -q --dt 1e-3 --until 0.01 g.nbs -o long.nbs
    [[ "$stderr" == "nbsim: warning: t = 0: steps of 0.001 exceed the limit of "*" for contacts "* ]]
    run -0 --separate-stderr nbsim -v --steps 0 g.nbs -o none.nbs
    [[ "$stderr" != *warning* ]]
    # Forward Euler at radius / fastest: allowed, said, and ended by its energy, or shown as what it is.
    run -3 --separate-stderr nbsim -q --integrator euler --dt 2e-3 --until 2 --every 0.1 g.nbs -o e.nbs
    [[ "${stderr_lines[0]}" == "nbsim: warning: t = 0: steps of 0.002 exceed the limit of "* ]]
    [[ "$stderr" == *"nbsim: t = "*": the energy error is "* ]]
    run -3 nbsim -q --integrator euler --dt 2e-3 --max-de inf --until 2 --every 1 g.nbs -o f.nbs # its disks leave the box
    run -3 --separate-stderr nbstat --max-de 1 f.nbs
}

@test "a closed box keeps its energy within 1e-3 over 10^4 steps, by phi of the stream and by nbstat's own sum" {
    disks gas 400 g.nbs
    nbsim -q --precision double --until 1.5 --every 0.1 --write phi g.nbs -o o.nbs
    nbstat --max-de 1e-3 --columns energy,potential o.nbs >column.tsv
    nbstat --columns energy,potential --potential column o.nbs | cmp - column.tsv
    python - <<'P'
import numpy as np
from nbs_reader import read
from nbs_writer import frame, write
# The springs' energy by all pairs and the four walls of the unit square; and the same frames without phi.
rows = np.array([[float(w) for w in line.split("\t")] for line in open("column.tsv") if line[0] != "#"])
frames = read(open("o.nbs", "rb"))
k, c, r = map(float, frames[0]["contact"][0].split())
for f, (energy, potential) in zip(frames, rows):
    x, m, v = f["pos"][:, :2], f["mass"], f["vel"]
    d = np.sqrt(((x[:, None] - x) ** 2).sum(2))[np.triu_indices(len(x), 1)]
    wall = np.minimum(x, 1 - x).min(1) # each wall acts once
    springs = k / 2 * ((np.maximum(2 * r - d, 0) ** 2).sum() + (np.maximum(r - wall, 0) ** 2).sum())
    assert abs(potential - springs) < 1e-12 * energy, (f["time"], potential, springs)
    assert abs(energy - springs - (m * (v * v).sum(1)).sum() / 2) < 1e-12 * energy
assert rows[:, 1].max() > 0.01 * energy and int(f["step"]) >= 10000
write("bare.nbs", *(frame(f["mass"], f["pos"], f["vel"], time=f["time"], G=0, contact=f["contact"], wall=f["wall"]) for f in frames))
P
    nbstat --columns energy,potential bare.nbs | cmp - column.tsv
    run -1 --separate-stderr nbstat --potential direct bare.nbs
    [[ "$stderr" == "nbstat: "*"these bodies are colliding disks"*"which have no gravity" ]]
}

@test "two disks that meet head on part with the restitution of the formula, and keep their momentum" {
    # 100 steps a contact: e = exp(-b t), t = pi / w, w^2 = k / mu - b^2, b = c / 2 mu, mu = m1 m2 / (m1 + m2)
    for case in "0.5 1 1" "0.1 1 3"; do
        read -r c m m2 <<<"$case"
        disks pair p.nbs damping="$c" m="$m" m2="$m2"
        read -r h until <<<"$(python -c "
import math
mu = $m * $m2 / ($m + $m2); b = $c / 2 / mu; t = math.pi / math.sqrt(1 / mu - b * b)
print(t / 100, 4 * t + 0.3)")"
        nbsim -q --dt "$h" --until "$until" p.nbs -f -o q.nbs
        python - "$c" "$m" "$m2" <<'P'
import sys
from math import exp, pi, sqrt
from nbs_reader import read
c, m, m2 = map(float, sys.argv[1:])
first, last = read(open("q.nbs", "rb"))
mu = m * m2 / (m + m2); b = c / 2 / mu; e = exp(-b * pi / sqrt(1 / mu - b * b))
speed = [f["vel"][1, 0] - f["vel"][0, 0] for f in (first, last)]
assert abs(-speed[1] / speed[0] / e - 1) < 0.01, (-speed[1] / speed[0], e)
p = [m * f["vel"][0, 0] + m2 * f["vel"][1, 0] for f in (first, last)]
assert abs(p[1] - p[0]) < 1e-12 * 0.01 * (m + m2)
P
    done
    run -0 --separate-stderr nbsim -v --until 1 --every 0.5 p.nbs -o v.nbs
    [[ "$stderr" != *"of first order"* ]] # the damping is the mean over the step
    [[ "$stderr" == *"the energy error is not checked: damping or a flow changes the energy"* ]]
    run -0 --separate-stderr nbsim -v --force contact --force external:drag,rate=1 --until 1 --every 0.5 p.nbs -f -o v.nbs
    [[ "$stderr" == *"the force depends on the velocity, which leapfrog has half a step late: the method is of first order"* ]]
}

@test "in the default step disks of the wind tunnel part with the restitution that was asked for, within 0.5 %" {
    all="0.25 0.372 0.5 0.7 0.9"
    for e in $all; do
        nbgen windtunnel -q -n 2000 --restitution $e -o w$e.nbs
    done
    # shellcheck disable=SC2086 # words
    python - $all >runs <<'P'
import sys
import numpy as np
from nbs_reader import read
from nbs_writer import frame, write
for e in sys.argv[1:]:
    # seven pairs of its disks, which begin to touch at seven moments of a step
    f = read(open(f"w{e}.nbs", "rb"))[0]
    h, r, v = float(f["dt"]), float(f["contact"][0].split()[2]), 0.3
    assert abs(h / (np.pi * np.sqrt(f["mass"][0] / 2 / float(f["contact"][0].split()[0])) / 25) - 1) < 1e-9
    gap = (3 + (np.arange(7) + 0.5) / 7) * h * 2 * v
    pos = np.array([(side * (r + g / 2), 10 * k * r, 0) for k, g in enumerate(gap) for side in (-1, 1)])
    vel = np.array([(-side * v, 0, 0) for g in gap for side in (-1, 1)])
    write(f"p{e}.nbs", frame(np.full(14, f["mass"][0]), pos, vel, G=0, contact=f["contact"]))
    print(e, repr(60 * h))
P
    while read -r e until; do
        nbsim -q --until "$until" p$e.nbs -o q$e.nbs
    done <runs
    # shellcheck disable=SC2086 # words
    python - $all <<'P'
import sys
from nbs_reader import read
for e in sys.argv[1:]:
    first, last = read(open(f"q{e}.nbs", "rb"))
    v = last["vel"][1::2, 0] - last["vel"][::2, 0]
    off = v / 0.6 / float(e) - 1
    print(e, off)
    assert int(last["step"]) == 60 and (abs(off) < 0.005).all(), (e, off)
P
}

@test "disks that are damped so much that none comes back stay together, as the equation of motion says" {
    disks pair p.nbs damping=20 speed=0.1
    nbsim -q --until 4 --every 0.5 p.nbs -o q.nbs
    python - <<'P'
from math import exp, sqrt
from nbs_reader import read
# mu s'' + c s' + k s = 0 for the overlap s from when they touch; both roots are real
frames = read(open("q.nbs", "rb"))
k, c, r = map(float, frames[0]["contact"][0].split())
distance = [f["pos"][1, 0] - f["pos"][0, 0] for f in frames]
speed = frames[0]["vel"][0, 0] - frames[0]["vel"][1, 0]
root = sqrt(c * c - 2 * k)
slow, fast = -c + root, -c - root
most = speed / (slow - fast)
for f, d in zip(frames[1:], distance[1:]):
    t = float(f["time"]) - (distance[0] - 2 * r) / speed
    truth = most * (exp(slow * t) - exp(fast * t))
    assert t > 0 and abs(2 * r - d - truth) < 0.2 * most, (t, 2 * r - d, truth)
P
}

@test "equal bytes for any number of threads" {
    disks flow 1500 f.nbs damping=0.3 and gas 1500 g.nbs
    for kind in f g; do
        for threads in 1 3; do
            nbsim -q --threads $threads --until 0.02 --every 0.01 --write acc,pressure,phi $kind.nbs -o $threads.nbs -f
        done
        cmp 1.nbs 3.nbs
    done
}

@test "what walls felt does not depend on the columns that are written" {
    disks flow 400 in.nbs damping=0.3
    nbsim -q --dt 1e-3 --until 0.1 --every 2e-3 in.nbs -o bare.nbs
    nbsim -q --dt 1e-3 --until 0.1 --every 2e-3 --write acc,pressure,phi in.nbs -o all.nbs
    for kind in bare all; do
        nbstat --walls $kind.nbs | sed 's/^[^\t]*\t//' >$kind.tsv # without the file's name
    done
    cmp bare.tsv all.tsv
    awk 'NR > 1 && $3 != 0 { felt++ } END { exit !(felt > 3) }' bare.tsv
}

@test "runs in two parts have the bits of one: flows and closed boxes" {
    disks flow 200 flow.nbs and gas 200 gas.nbs
    for kind in flow gas; do
        nbsim -q --until 0.6 --every 0.1 $kind.nbs -o one-$kind.nbs
        nbsim -q --until 0.3 --every 0.1 $kind.nbs -o a-$kind.nbs
        nbsim -q --until 0.6 --every 0.1 a-$kind.nbs -o b-$kind.nbs
    done
    python - <<'P'
from nbs_reader import read
for kind in "flow", "gas":
    one, a, b = (read(open(f"{name}-{kind}.nbs", "rb")) for name in ("one", "a", "b"))
    for whole, part in zip(one, a + b[1:]):
        for name in "time", "step", "dt", "wall_force":
            assert whole[name] == part[name], (kind, name, whole[name], part[name])
        for name in "pos", "vel":
            assert (whole[name] == part[name]).all(), (kind, name)
    assert len(one) == len(a + b[1:]) == 7 and int(one[-1]["step"]) > 150
P
}

@test "the seed of a flow is in the history, given or not; a run that goes on with it has the bits of one" {
    disks flow 200 in.nbs and gas 200 g.nbs
    nbsim -q --until 0.2 --every 0.1 in.nbs -o zero.nbs
    nbsim -q --until 0.2 --every 0.1 --force contact:seed=0 in.nbs -o given.nbs
    nbsim -q --until 0.2 --every 0.1 --force contact:seed=7 in.nbs -o one.nbs
    nbsim -q --until 0.1 --every 0.1 --force contact:seed=7 in.nbs -o a.nbs
    nbsim -q --until 0.2 --every 0.1 --force contact:seed=7 a.nbs -o b.nbs
    nbsim -q --until 0.2 --force contact:seed=7 g.nbs -o closed.nbs # where nothing is random
    python - <<'P'
from nbs_reader import read
last = {name: read(open(name + ".nbs", "rb"))[-1] for name in ("zero", "given", "one", "b", "closed")}
seeds = {name: [line.split()[4] for line in f["history"]] for name, f in last.items()}
assert seeds == dict(zero=["0"], given=["0"], one=["7"], b=["7", "7"], closed=["-"]), seeds
same = lambda p, q: all((last[p][column] == last[q][column]).all() for column in ("pos", "vel"))
assert same("zero", "given") and same("one", "b") and not same("zero", "one")
P
}

# cut KIND OPTION...: a run of disks that is killed once it has two checkpoints; of more of them where it was faster.
cut() {
    local kind=$1 bodies pid
    shift
    for bodies in 300 1000 3000; do
        rm -f ck.* cut.nbs*
        disks "$kind" $bodies in.nbs "$@"
        nbsim -q --until 0.3 --every 0.05 --write acc,pressure --checkpoint ck --checkpoint-every 0 in.nbs -o cut.nbs &
        pid=$!
        await $pid test -s ck.0 && { kill -KILL $pid || true; } # it may have ended meanwhile
        wait $pid && continue
        [ -e cut.nbs.part ] && return
    done
    echo "no run was cut" >&2
    return 1
}

@test "a run that is killed goes on bit for bit: its random numbers, walls, steps and energy too" {
    for kind in flow gas "flow damping=0.4"; do
        # shellcheck disable=SC2086
        cut $kind
        nbsim -q --resume ck
        nbsim -q --until 0.3 --every 0.05 --write acc,pressure in.nbs -f -o whole.nbs
        cmp whole.nbs cut.nbs
    done
}

# bats test_tags=long
@test "the inlet makes the flow that the header says, from one that is denser, slower and colder" {
    disks calm 2000 w.nbs
    # A fixed seed: the errors below are estimates from ten blocks, which are too small for some seeds.
    run -0 --separate-stderr nbsim -v --device cpu --threads 1 --force contact:seed=1 --until 42 --every 0.2 w.nbs -o o.nbs
    [[ "$stderr" == *"the energy error is not checked"* && "$stderr" != *", energy error"* ]]
    python - <<'P'
import numpy as np
from disks import dispersion
from nbs_reader import read
frames = read(open("o.nbs", "rb"))
def look(frames):
    "Density, speed and temperature from the fringe's end, at 0.8, to near the outflow, beside the flow's."
    x, v = (np.concatenate([f[name] for f in frames]) for name in ("pos", "vel"))
    w = v[(x[:, 0] > 0.8) & (x[:, 0] < 7.2)]
    return np.array([len(w) * frames[0]["mass"][0] / len(frames) / 32, w[:, 0].mean(),
                     w.var(0)[:2].mean() / dispersion(2) ** 2])
begin = look(frames[:1])
assert abs(begin[0] - 1.1) < 0.03 and abs(begin[1] - 0.6) < 0.02 and abs(begin[2] - 0.36) < 0.04
half = frames[91:]  # from t = 18 on: until then slow gas of the beginning, and the shock before it, are in the tunnel
off = look(half) - 1
error = np.std([look(half[k : k + 12]) for k in range(0, 120, 12)], axis=0, ddof=1) / np.sqrt(10)
print("off by", off, "+-", error)
assert (error < [0.01, 0.01, 0.03]).all() and (abs(off) < 0.02 + 3 * error).all(), (off, error)
# Some 18 disks come in between two outputs, so that their number scatters by a quarter.
inflow = np.array([[float(w) for w in f["inflow"][0].split()] for f in half])
assert (inflow[:, 0] == 1).all() and (abs(inflow[:, 2] - 1) < 1).all() and abs(inflow[:, 2].mean() - 1) < 0.05, inflow
assert (inflow[:, 1] > 1 * 0.4 * 5).all() and (inflow[:, 1] < 4 * 0.4 * 5).all(), inflow
P
}

# bats test_tags=long
@test "before a plate across the flow arrives what the header says, though disks pile up there" {
    nbgen windtunnel -q -n 3000 --airfoil plate --alpha 90 --chord 0.4 --box=-1.5,2,-3,3 -o in.nbs
    nbsim -q --precision single --until 12 --every 0.2 in.nbs -o o.nbs
    python - <<'P'
import numpy as np
from disks import dispersion
from nbs_reader import read
frames = read(open("o.nbs", "rb"))[31:]
def look(frames):
    "Density, speed and temperature in 0.2 behind the fringe's end, -1.15, beside the flow's."
    x, v = (np.concatenate([f[name] for f in frames]) for name in ("pos", "vel"))
    w = v[(x[:, 0] > -1.15) & (x[:, 0] < -0.95) & (abs(x[:, 1]) < 2.8)]
    return np.array([len(w) * frames[0]["mass"][0] / len(frames) / (0.2 * 5.6), w[:, 0].mean(),
                     w.var(0)[:2].mean() / dispersion(2, 1) ** 2])
off = look(frames) - 1
error = np.std([look(frames[k : k + 3]) for k in range(0, 30, 3)], axis=0, ddof=1) / np.sqrt(10)
print("off by", off, "+-", error)
# Few disks: single ones come back from the shock.
assert (error < [0.03, 0.02, 0.04]).all() and (abs(off) < np.array([0.02, 0.02, 0.05]) + 3 * error).all(), (off, error)
P
}

@test "a flow whose reserve is used up: a warning, and the header tells" {
    nbgen windtunnel -q -n 1000 --airfoil plate --alpha 90 --chord 0.4 --box=-1.5,2,-3,3 --reserve 0 -o in.nbs
    run -0 --separate-stderr nbsim -q --precision single --until 6 --every 0.5 in.nbs -o o.nbs
    [[ "$stderr" =~ ^"nbsim: warning: t = "[0-9.]+": the inflow has only 0."[0-9]+" of its density: the inlet has no disks in reserve (nbgen windtunnel --reserve)"$ ]]
    nbstat --walls --mean --after 3 o.nbs | awk 'NR == 2 && 0.6 < $13 && $13 < 0.95 { ok = 1 } END { exit !ok }'
}

@test "a flow that disks have no room for, or with a wall in its inlet, is one line" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
pos = np.array([[1, 0, 0], [2, 0, 0.0]])
def make(name, **lines):
    write(name + ".nbs", frame(np.ones(2), pos, 0 * pos + [1, 0, 0], **{**dict(
        G=0, contact="10 0 0.1", box="0 4 -1 1", periodic="x", flow="1 1 2 1", wall=["low 0 -1 4 -1", "high 0 1 4 1"]), **lines}))
make("good")
make("dense", flow="32 1 2 1")
make("narrow", wall=["low 0 -0.9 4 -1", "high 0 1 4 1"])
make("across", wall=["fence 0.3 2 0.3 -2"])
make("behind", wall=["fence 0.401 2 0.401 -2"])
P
    for name in good behind; do
        nbsim -q --until 0.01 $name.nbs -f -o o.nbs
    done
    refused 1 "the flow's density of 32 is too high: disks of mass 1 and radius 0.1 would cover 1.01 times the area" nbsim -q --until 1 dense.nbs -f -o o.nbs
    refused 1 "wall low stands in the flow's inlet, x from 0 to 0.4" nbsim -q --until 1 narrow.nbs -f -o o.nbs
    refused 1 "wall fence stands in the flow's inlet, x from 0 to 0.4" nbsim -q --until 1 across.nbs -f -o o.nbs
}

@test "a disk deep in a wall: one line that names it, a whole stream that ends before" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
# It comes fast, and the step is too long: the third disk is deep in the block after one step.
pos = np.array([[0, 3, 0], [0, -3, 0], [-0.5, 0, 0.0]])
vel = np.array([[0, 0, 0], [0, 0, 0], [10, 0, 0.0]])
block = "block 1 -2 5 -2 5 2 1 2 1 -2"
write("d.nbs", frame(np.ones(3), pos, vel, G=0, contact="20000 0 0.1", wall=block))
write("in.nbs", frame(np.ones(3), pos + [3, 0, 0], vel, G=0, contact="20000 0 0.1", wall=block))
P
    run -1 --separate-stderr nbsim -q --dt 0.1 --until 1 --every 0.1 d.nbs -o o.nbs
    [[ "${stderr_lines[0]}" == "nbsim: warning: t = 0: steps of 0.1 exceed the limit of "* ]]
    [[ "${stderr_lines[1]}" == "nbsim: after t = 0"*": the centre of disk 2 at ("*") is inside wall block, deeper than the disk's radius (move the disk, or use a shorter --dt or stiffer disks); the stream ends before this step" ]]
    [ "${#stderr_lines[@]}" = 2 ]
    nbstat --check o.nbs
    run -1 --separate-stderr nbsim -q --until 1 in.nbs -o p.nbs
    [[ "$stderr" == "nbsim: the centre of disk 2 at ("*") is inside wall block, deeper than the disk's radius (move the disk, or use a shorter --dt or stiffer disks)" && ! -e p.nbs && ! -e p.nbs.part ]]
    nbsim -q --until 0.5 --every 0.1 d.nbs -o fine.nbs # by default it bounces
}

@test "of walls that do not hold the fastest disk a warning says so: it passes through a thin one" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
for name, speed in ("soft", 3), ("firm", 0.15):
    write(f"{name}.nbs", frame(np.ones(1), np.array([[0.5, 0.5, 0]]), np.array([[speed, 0.0, 0]]), G=0, contact="4 0 0.1",
                               box="0 1 0 1", wall=["left 0 0 0 1", "right 1 0 1 1"]))
P
    run -3 --separate-stderr nbsim -q --max-de inf --until 6 soft.nbs -o soft-o.nbs
    [[ "${stderr_lines[0]}" == "nbsim: warning: t = 0: walls are too soft: the fastest disk would enter a wall by 15 radii, "* ]]
    [ "${stderr_lines[1]}" = "nbsim: warning: t = 6: 1 of 1 disk is outside the box, behind the walls that close it" ]
    [ "${stderr_lines[2]}" = "nbsim: 1 of 1 disks, 100 %, are outside the box at the end: its walls did not hold them" ]
    run -0 --separate-stderr nbsim -q --max-de inf --until 6 firm.nbs -o firm-o.nbs
    [ "$stderr" = "" ]
    python - <<'P'
from nbs_reader import read
where = {name: read(open(f"{name}-o.nbs", "rb"))[-1]["pos"][0, 0] for name in ("soft", "firm")}
assert where["soft"] > 1.1 and 0 < where["firm"] < 1, where
P
}

@test "disks that come out of a box which walls close are counted in each frame; many of them at the end are exit 3" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
# Disks that fly apart in a square and pass its soft walls.
rng = np.random.default_rng(4)
n = 300
pos, vel = np.c_[rng.uniform(0.1, 0.9, (n, 2)), np.zeros(n)], np.c_[rng.normal(0, 0.5, (n, 2)), np.zeros(n)]
def make(name, pos=pos, vel=vel, low2="0.4 0 1 0", leave=(), **lines):
    sides = dict(left="0 0 0 1", right="1 0 1 1", low="0 0 0.4 0", low2=low2, high="0 1 1 1")
    write(name + ".nbs", frame(np.ones(len(pos)), pos, vel, G=0, contact="4 0 0.0001", box="0 1 0 1",
                               wall=[f"{k} {v}" for k, v in sides.items() if k not in leave], **lines))
make("closed")
make("hole", low2="0.4 0 0.99 0")
make("pipe", leave=("left", "right")) # its ends are open
make("tube", leave=("left", "right"), periodic="x")
slow = np.full((100, 3), [0.01, -0.01, 0])
slow[7] = [0, 9, 0]
make("few", pos[:100], slow)
make("fall", np.array([[0.5, 0.9, 0]]), np.zeros((1, 3)), force=["auto", "external:uniform,gy=-1"])
P
    for name in closed hole pipe tube; do
        run -3 --separate-stderr nbsim -q --max-de inf --dt 1e-3 --until 1 --every 0.1 $name.nbs -o $name-o.nbs
        grep ' outside ' <<<"$stderr" >$name.said
    done
    python - <<'P'
import numpy as np
from nbs_reader import read
outside = dict(closed=lambda x, y: (x < 0) | (x > 1) | (y < 0) | (y > 1),
               hole=lambda x, y: ((x < 0) | (x > 1)) & (y >= 0) | (y > 1), # not what came by the side with the hole
               pipe=lambda x, y: ((y < 0) | (y > 1)) & (x >= 0) & (x <= 1), tube=lambda x, y: (y < 0) | (y > 1))
for name, test in outside.items():
    counts = [int(test(*f["pos"][:, :2].T).sum()) for f in read(open(name + "-o.nbs", "rb"))]
    first = next(k for k, count in enumerate(counts) if count)
    said = open(name + ".said").read().splitlines()
    assert counts[0] == 0 < counts[first] < counts[-1] < 300, (name, counts)
    assert said[0].startswith(f"nbsim: warning: t = {first / 10:g}: {counts[first]} of 300 disks "), said
    assert said[1].startswith(f"nbsim: {counts[-1]} of 300 disks, ") and len(said) == 2, said
P
    run -0 --separate-stderr nbsim -q --max-de inf --dt 1e-3 --until 1 few.nbs -o few-o.nbs
    [ "${stderr_lines[-1]}" = "nbsim: warning: t = 1: 1 of 100 disks is outside the box, behind the walls that close it" ]
    # Speeds that come later.
    run -3 --separate-stderr nbsim -q --max-de inf --until 1.5 --every 0.5 fall.nbs -o f.nbs
    [[ "${stderr_lines[0]}" == "nbsim: warning: t = 0.5: walls are too soft: "* ]]
    [ "${stderr_lines[1]}" = "nbsim: warning: t = 1.5: 1 of 1 disk is outside the box, behind the walls that close it" ]
}

@test "what makes no sense is refused in one line: gravity for disks, contact for stars, softening, a tolerance" {
    disks gas 50 g.nbs and flow 100 f.nbs
    nbgen plummer -q -n 50 -o p.nbs
    for force in direct tree; do
        refused 2 "colliding disks" nbsim --until 1 --force $force g.nbs -o no.nbs
    done
    refused 2 "no line 'contact'" nbsim --until 1 --force contact p.nbs -o no.nbs
    refused 2 "only colliding disks have a pressure" nbsim --until 1 --write pressure p.nbs -o no.nbs
    refused 2 "--softening: bodies that touch have none" nbsim --until 1 --softening 0.1 g.nbs -o no.nbs
    refused 2 "--tolerance does not work with contact forces: an error estimate does not see contacts to come (leave --tolerance out: the default step size follows" nbsim --until 1 --tolerance 1e-6 g.nbs -o no.nbs
    refused 2 "neither jerk nor snap" nbsim --until 1 --integrator hermite4 --dt 1e-3 g.nbs -o no.nbs
    refused 2 "moves bodies between steps" nbsim --until 1 --integrator rk4 f.nbs -o no.nbs
    refused 2 "--integrator whfast: " nbsim --until 1 --integrator whfast g.nbs -o no.nbs
    refused 2 "--max-de is not possible: damping or a flow" nbsim --until 1 --max-de 1e-3 f.nbs -o no.nbs
    refused 2 "--force: self-gravity would count twice" nbsim --until 1 --force auto --force contact g.nbs -o no.nbs
    refused 2 "--dt below 0: a run with damping or a flow cannot go backwards in time" nbsim --until -1 --dt -1e-3 f.nbs -o no.nbs
    nbsim -q --steps 2 --max-de inf f.nbs -o yes.nbs
    nbsim -q --dt 1e-3 --until 1 --force external:uniform,gy=-1 yes.nbs -o free.nbs # where no wall feels anything
    refused 1 "does not contain the forces on wall square" nbstat --walls free.nbs
    nbsim -q --steps 2 --integrator rkdp54 --write pressure g.nbs -o also.nbs
    nbsim -q --steps 2 --force auto --force external:uniform,gy=-1 g.nbs -o fall.nbs
    nbsim -q --until 0.01 fall.nbs -o fell.nbs # from the header's forces
    run -0 nbsim --list-forces
    [[ "$output" == *"contact-grid	cpu	double"* ]]
    [ ! -e no.nbs ]
    [ ! -e no.nbs.part ]
}

@test "the other tools take such streams: pictures, text, a table" {
    disks flow 300 f.nbs
    nbsim -q --until 0.2 --every 0.1 --write pressure,acc f.nbs -o o.nbs
    nbrender -q --size 160x90 -o o-%d.png o.nbs
    [ -s o-2.png ]
    nbrender -q --size 160x90 --color pressure -o p-%d.png o.nbs
    nbconv --to text --columns pos,pressure o.nbs | sed 1d | awk 'NF < 4 && !/^#/ { exit 1 }'
    nbstat o.nbs >o.tsv
    nbstat --info o.nbs >info
}

@test "on a GPU recorded steps have the bits of those that are made one by one" {
    nbsim --list-forces | grep -q '^contact-grid	cuda' || skip "nbsim was built without contact on CUDA"
    gpu || skip "no GPU"
    for kind in flow gas; do
        disks $kind 3000 in.nbs
        nbsim -q --device cuda --until 0.1 --every 0.05 in.nbs -f -o recorded.nbs
        nbsim -q --device cuda --timings --until 0.1 --every 0.05 in.nbs -f -o single.nbs # which records nothing
        cmp recorded.nbs single.nbs
    done
}
