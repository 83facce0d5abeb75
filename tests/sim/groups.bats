#!/usr/bin/env bats
# --integrator hermite4-groups: binaries, small systems and clusters compared with Kepler's orbit, with references in
# quadruple precision and with hermite4-block; bitwise identical results, interrupted runs, rejected options. Unit tests
# of chains and orbits: tests/engine/test_groups.c, test_groups_tides.c.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

groups() {
    nbsim -q --device cpu --integrator hermite4-groups -f "$@"
}

# text NAME: bodies without softening from lines of m x y z vx vy vz
text() {
    { echo "# columns mass pos vel" && cat; } | nbconv -q --from text --softening 0 -f -o "$1"
}

# error_within FILE BOUND: the energy error of the last frame
error_within() {
    local error
    error=$(nbstat -q --json "$1" | sed -n 's/.*"energy_error": *\([^,}]*\).*/\1/p' | tail -n 1)
    echo "# $1: $error"
    close "$error" 0 "$2"
}

@test "an isolated binary, e = 0.9, after a million orbits and a quarter: energy 1e-9, phase 1e-4" {
    nbgen kepler -e 0.9 -q -o in.nbs
    groups --until 6283186.8779759130 -o out.nbs in.nbs
    error_within out.nbs 1e-9
    # by Kepler's equation, as in truth.bats; in a radian of the mean anomaly a body moves by less than 1 there
    read -r x y _ < <(nbconv --to text --frame last --columns pos out.nbs | grep -v '^#')
    close "$x" 0.7692773602640105 5e-5
    close "$y" -0.16772529258385745 5e-5
}

# random_system SEED: a system of random_systems.py and its energy error; up to 12 bodies are one group
random_system() {
    local n softening until
    python "$root/tests/sim/random_systems.py" "$1" >system.txt
    read -r _ n _ softening until <system.txt
    [ "$softening" = 0 ] || return 0
    nbconv -q --from text --softening 0 -f -o in.nbs system.txt
    groups --threads 1 --until "$until" -o "random$1.nbs" in.nbs
    error_within "random$1.nbs" "$([ "$n" -le 12 ] && echo 1e-9 || echo 1e-4)"
}

@test "random small systems keep their energy: 1e-9 in one group, 1e-4 in several" {
    for seed in 3 12 42; do
        random_system $seed
    done
}

# bats test_tags=long
@test "all random small systems without softening of fifty keep their energy" {
    for seed in $(seq 1 50); do
        random_system "$seed"
    done
}

# The approximations leave the energy of a binary unsure by about X times the energy of the motion of all, 1/4. Relative to
# the energy of a weak pair that is more. The semi-major axis of a pair on its averaged orbit also lacks the change within
# a period, which hermite4-block has.
@test "200 stars, 30 % of the systems binaries, as hermite4-block: centres of mass, energies and axes of the pairs" {
    nbgen plummer -n 200 --binaries 0.3 --softening 0 --seed 2 -q -o in.nbs
    nbsim -q --device cpu --integrator hermite4-block --tolerance 1e-8 --until 0.02 -o block.nbs in.nbs
    for tolerance in 1e-7 1e-8; do
        groups --tolerance $tolerance --until 0.02 -o groups.nbs in.nbs
        python - $tolerance <<'P'
import sys
import numpy as np
from nbs_reader import read
pairs, tolerance = 46, float(sys.argv[1])


def look(name):
    f = read(open(name, "rb"))[-1]
    m, x, v = ((f[c][:2 * pairs].reshape(pairs, 2, -1)) for c in ("mass", "pos", "vel"))
    total, d, w = m.sum(1)[:, 0], x[:, 1] - x[:, 0], v[:, 1] - v[:, 0]
    energy = m.prod(1)[:, 0] * ((w * w).sum(1) / (2 * total) - 1 / np.sqrt((d * d).sum(1)))
    return energy, np.concatenate([(m * x).sum(1) / m.sum(1), f["pos"][2 * pairs:]])


block, groups = look("block.nbs"), look("groups.nbs")
energies = abs(groups[0] - block[0]).max()
axes = abs(groups[0] / block[0] - 1).max()
places = np.sqrt(((groups[1] - block[1]) ** 2).sum(1)).max()
print("# tolerance %g: places %.1e, energies of pairs %.1e, their semi-major axes %.1e" % (tolerance, places, energies, axes))
assert places < tolerance and energies < tolerance and axes < 2e-5
P
    done
}

# triples TOLERANCE FAR COUNT OUTER INNER ENERGY: the triples of tests/data/triples.txt, COUNT of them, among FAR light
# stars; bounds for the place of the first body relative to the centre of the others, for that of these relative to each
# other, and for the energy
triples() {
    python - "$data/triples.txt" "$@" <<'P'
import random
import subprocess
import sys
import numpy as np
from nbs_reader import read
from nbs_writer import frame, stream
tolerance, far, count = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
bounds = [float(word) for word in sys.argv[5:]]
rng = np.random.default_rng(1)
worst = [0, 0, 0]


def energy(f):
    m, x, v = f["mass"][:3], f["pos"][:3], f["vel"][:3]
    return (m * (v * v).sum(1)).sum() / 2 - sum(m[i] * m[j] / np.linalg.norm(x[i] - x[j]) for i in range(3) for j in range(i))


for line in [line for line in open(sys.argv[1]) if line[0] != "#"][:count]:
    row = np.array(line.split(), float)
    start, end = row[1:22].reshape(3, 7), row[22:].reshape(3, 3)
    away = rng.normal(size=(far, 3))
    away *= 1000 / np.linalg.norm(away, axis=1)[:, None]
    stars = np.concatenate([start, np.hstack([np.full((far, 1), 1e-12), away, rng.uniform(-0.1, 0.1, (far, 3))])])
    with open("in.nbs", "wb") as f:
        f.write(stream(frame(stars[:, 0], stars[:, 1:4], stars[:, 4:], softening=0.0)))
    subprocess.run(["nbsim", "-q", "--device", "cpu", "--threads", "1", "--integrator", "hermite4-groups", "--tolerance",
                    tolerance, "--until", repr(float(row[0])), "in.nbs", "-f", "-o", "out.nbs"], check=True)
    first, last = read(open("out.nbs", "rb"))
    m, x = first["mass"][:3], last["pos"][:3]
    middle = lambda x: (m[1] * x[1] + m[2] * x[2]) / (m[1] + m[2]) - x[0]
    off = (np.linalg.norm(middle(x) - middle(end)), np.linalg.norm(x[2] - x[1] - end[2] + end[1]), abs(energy(last) / energy(first) - 1))
    worst = [max(pair) for pair in zip(worst, off)]
print("# tolerance %s, %d others: first body %.1e, pair %.1e, energy %.1e" % (tolerance, far, *worst))
assert all(a < b for a, b in zip(worst, bounds))
P
}

@test "twenty hierarchical triples against quadruple precision: as one group, 1e-9" {
    triples 1e-7 0 20 1e-9 2e-9 1e-10
}

@test "the same among far light stars, as binaries between kicks and Hermite steps" {
    triples 1e-7 20 20 2e-6 1e-8 5e-8
    triples 1e-10 20 2 1e-9 1e-10 5e-12
}

# bats test_tags=long
@test "the same triples at a small tolerance" {
    triples 1e-10 20 20 1e-8 2e-9 1e-10
}

# kozai NAME A E FAR: a binary of this axis and eccentricity, inclined by 85 degrees to the circular orbit, of radius 2, of a
# third star; and FAR light stars
kozai() {
    python - "${@:2}" <<'P' | text "$1"
import math, random, sys
a, e, far, m, turn = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), [0.6, 0.4, 1], math.radians(85)
random.seed(1)
speed, outer = math.sqrt((1 - e) / (1 + e) / a), 1
near = [a * (1 + e), 0, 0], [0, speed * math.cos(turn), speed * math.sin(turn)]
third = [0, 2, 0], [-outer, 0, 0]
for mass, share, along in (m[0], -0.5, -m[1]), (m[1], -0.5, m[0]), (m[2], 0.5, 0):
    print(mass, *(repr(share * f + along * n) for far_away, close in zip(third, near) for f, n in zip(far_away, close)))
for _ in range(far):
    z, angle = random.uniform(-1, 1), random.uniform(0, 2 * math.pi)
    across = 2000 * math.sqrt(1 - z * z)
    print(1e-12, across * math.cos(angle), across * math.sin(angle), 2000 * z, *(random.uniform(-0.1, 0.1) for _ in "xyz"))
P
}

# kept FILE ENERGY SPIN: bounds for energy and angular momentum of the first three bodies in all frames. The conserved
# sqrt(1 - e^2) cos i lets the eccentricity of the pair rise from 0.01 to about 0.99, while its semi-major axis stays.
# Particles whose steps end together keep the momentum, which was 0, to rounding.
kept() {
    python - "$@" <<'P'
import sys
import numpy as np
from nbs_reader import read
frames = read(open(sys.argv[1], "rb"))
m = frames[0]["mass"][:3]
energies, spins, shapes, axes, momenta = [], [], [], [], []
for f in frames:
    x, v = f["pos"][:3], f["vel"][:3]
    energies.append((m * (v * v).sum(1)).sum() / 2 - sum(m[i] * m[j] / np.linalg.norm(x[i] - x[j]) for i in range(3) for j in range(i)))
    spins.append((m[:, None] * np.cross(x, v)).sum(0))
    momenta.append(np.linalg.norm(m @ v))
    d, w = x[1] - x[0], v[1] - v[0]
    axes.append(1 / (2 / np.linalg.norm(d) - w @ w / (m[0] + m[1])))
    shapes.append(np.linalg.norm(np.cross(d, w)) ** 2 / axes[-1] / (m[0] + m[1]))
energy = np.abs(np.array(energies) / energies[0] - 1).max()
spin = np.linalg.norm(np.array(spins) - spins[0], axis=1).max() / np.linalg.norm(spins[0])
highest = np.sqrt(1 - min(shapes))
print("# energy %.1e, momentum %.1e, angular momentum %.1e, highest eccentricity %.4f" % (energy, max(momenta), spin, highest))
assert energy < float(sys.argv[2]) and spin < float(sys.argv[3]) and max(momenta) < 1e-13
assert 0.98 < highest < 0.998 and np.abs(np.array(axes) / axes[0] - 1).max() < 5e-3
P
}

@test "Kozai and Lidov's cycles at 85 degrees over 3000 time units: energy and angular momentum 1e-6" {
    kozai in.nbs 0.2 0.01 0
    groups --threads 1 --until 3000 --every 10 -o out.nbs in.nbs
    kept out.nbs 1e-8 1e-8
}

@test "slower cycles among far stars, by Hermite steps of the third: energy 1e-6, the momentum stays" {
    kozai in.nbs 0.1 0.01 20
    groups --threads 1 --until 3000 --every 3 -o out.nbs in.nbs
    kept out.nbs 1e-6 5e-6
}

# bats test_tags=long
@test "the same cycles at a small tolerance" {
    kozai in.nbs 0.1 0.01 20
    groups --threads 1 --tolerance 1e-9 --until 3000 --every 3 -o out.nbs in.nbs
    kept out.nbs 2e-8 5e-8
}

# At 1e-3 the reach of the binary is 25 of its sizes, and the third star is beyond. Without the reaction to the quadrupole
# the momentum changes by 1e-4.
@test "an averaged orbit turns as a resolved one, and its quadrupole keeps the momentum" {
    kozai few.nbs 0.015 0.3 0
    kozai many.nbs 0.015 0.3 20
    groups --threads 1 --until 300 -o few.out few.nbs
    groups --threads 1 --tolerance 1e-2 --until 300 -o many.out many.nbs
    python - <<'P'
import numpy as np
from nbs_reader import read


def look(f):
    m, x, v = f["mass"][:3], f["pos"][:3], f["vel"][:3]
    d, w, total = x[1] - x[0], v[1] - v[0], m[0] + m[1]
    spin = np.cross(d, w)
    return np.cross(w, spin) / total - d / np.linalg.norm(d), spin, m @ v


start, few, many = (look(read(open(name, "rb"))[-1]) for name in ("few.nbs", "few.out", "many.out"))
change, shape, spin = (np.linalg.norm(a - b) for a, b in ((few[0], start[0]), (many[0], few[0]), (many[1], few[1])))
momentum = np.linalg.norm(many[2] - start[2])
print("# the pericentre turned by %.1e, off by %.1e, angular momentum by %.1e; momentum %.1e" % (change, shape, spin, momentum))
assert change > 0.02 and shape < 1e-3 and spin < 1e-4 and momentum < 1e-6
P
}

# Four binaries about one another: the first two come as close as four of their sizes beside the other two.
@test "binaries that meet while others are near are one group before they touch" {
    {
        echo "0.115475 -0.01633788 -1.0842791 1.3784979 0.22780022 0.0788454 0.50110157"
        echo "0.083 -0.02684109 -1.0374462 1.4626703 -1.0228792 -0.09950138 0.22221332"
        echo "0.052932 0.31995761 -0.90705909 1.5565414 0.3058161 -0.10767714 -1.0171688"
        echo "0.154812 0.38232545 -0.91084598 1.624383 -0.56417659 -0.2476341 -0.5536186"
        echo "0.155064 0.0860828 0.62932569 -0.88940204 0.42833277 -0.22265384 0.09522286"
        echo "0.12925 -0.35630774 0.69021221 -1.0252114 -0.21965248 0.57417105 0.72685298"
        echo "0.154095 0.19976528 0.69151565 -1.0534793 0.10554583 -0.17289676 -0.7712574"
        echo "0.155372 -0.45110313 0.68856211 -1.1693908 0.4856372 0.1940317 0.4722538"
        for k in $(seq 1 12); do echo "1e-12 $k 300 $((k * k % 7)) 0 0 0"; done
    } | text in.nbs
    groups --threads 1 --until 4 -o out.nbs in.nbs
    error_within out.nbs 1e-5
}

# How fast two stars pass one another bounds the first step, which is no time scale of their particle.
@test "two stars that are 1e-7 apart when a run begins have the step of their centre of mass" {
    {
        echo "0.5 -0.5e-7 0 0 1414.4 10 0"
        echo "0.5 0.5e-7 0 0 -1414.4 -10 0"
        echo "0.5 1 0 0 0 0.5 0"
        for k in $(seq 1 20); do echo "1e-6 $k 300 $((k * k % 7)) 0 0 0"; done
    } | text in.nbs
    groups --until 0 --write step -o out.nbs in.nbs
    nbconv --to text --columns step out.nbs | awk '!/^#/ { if (n++ < 3 && $1 < 1e-3) exit 1 }'
}

# Their semi-major axis is 2.5, their period is 25, and the third star is 1 away: as single stars they need steps of 1e-14.
@test "two stars on a long orbit are a group while they pass one another at 1e-8" {
    {
        echo "0.5 -0.01 0 0 4.99 3.5e-3 0"
        echo "0.5 0.01 0 0 -4.99 -3.5e-3 0"
        echo "0.5 1 0 0 0 0.5 0"
        for k in $(seq 1 20); do echo "1e-6 $k 300 $((k * k % 7)) 0 0 0"; done
    } | text in.nbs
    groups --threads 1 --until 1 -o out.nbs in.nbs
    error_within out.nbs 1e-5
}

# In one chain with the pair, the fall would take 100000 times its period: over a minute.
@test "a star that rests far from a tight pair and falls on it is taken in when it comes close" {
    {
        echo "0.6 -1.52e-5 0 0 0 -36.707 0"
        echo "0.4 2.28e-5 0 0 0 55.060 0"
        echo "0.5 0 1 0 0 0 0"
        for k in $(seq 1 20); do echo "1e-12 $k 300 $((k * k % 7)) 0 0 0"; done
    } | text in.nbs
    timeout -k 1 20 nbsim -q --device cpu --threads 1 --integrator hermite4-groups --until 1.2 -f -o out.nbs in.nbs
    error_within out.nbs 1e-5
}

@test "equal bytes for any number of threads, and when a run is cut" {
    nbgen plummer -n 200 --binaries 0.5 --softening 0 --seed 5 -q -o in.nbs
    groups --threads 1 --until 0.04 --every 0.01 -o one.nbs in.nbs
    groups --threads 2 --until 0.04 --every 0.01 -o two.nbs in.nbs
    cmp <(nbconv --to text one.nbs | grep -v "^# history") <(nbconv --to text two.nbs | grep -v "^# history")
    nbsim -q --device cpu --integrator hermite4-groups -f --until 0.04 --every 0.01 --checkpoint ck --checkpoint-every 0 -o cut.nbs in.nbs 3>&- &
    pid=$!
    await $pid test -s ck.0 && kill -KILL $pid
    wait $pid || nbsim -q --resume ck --threads 1
    cmp <(nbconv --to text one.nbs | grep -v "^# history") <(nbconv --to text cut.nbs | grep -v "^# history")
}

@test "--write step has the step of its centre of mass for each star of a group, and changes nothing" {
    nbgen plummer -n 200 --binaries 0.3 --softening 0 --seed 2 -q -o in.nbs
    groups --until 0.01 --write step -o out.nbs in.nbs
    groups --until 0.01 -o plain.nbs in.nbs
    cmp <(nbconv --to text --columns pos,vel out.nbs | grep -v '^#') <(nbconv --to text --columns pos,vel plain.nbs | grep -v '^#')
    # the closest pairs are groups: their stars have one step, far longer than their period
    python - <<'P'
import numpy as np
from nbs_reader import read
f = read(open("out.nbs", "rb"))[-1]
m, x, v, step = f["mass"][:92].reshape(46, 2), f["pos"][:92].reshape(46, 2, 3), f["vel"][:92].reshape(46, 2, 3), f["step"]
total, d, w = m.sum(1), x[:, 1] - x[:, 0], v[:, 1] - v[:, 0]
a = 1 / (2 / np.linalg.norm(d, axis=1) - (w * w).sum(1) / total)
hard = np.argsort(np.where(a > 0, a, 1))[:5]
periods = 2 * np.pi * np.sqrt(a[hard] ** 3 / total[hard])
steps = step[:92].reshape(46, 2)[hard]
print("#", steps[:, 0] / periods)
assert (step > 0).all() and (steps[:, 0] == steps[:, 1]).all() and (steps[:, 0] > periods / 10).all()
P
}

@test "two stars that meet head-on come back, alone and among others, and nearly head-on too" {
    for speed in 0 1e-6 1e-4; do
        for far in 0 20; do
            {
                echo "0.5 -1 0 0 0 -$speed 0"
                echo "0.5 1 0 0 0 $speed 0"
                for k in $(seq 1 $far); do echo "1e-6 $k 300 $((k * k % 7)) 0 0 0"; done
            } | text in.nbs
            timeout -k 1 60 nbsim -q --device cpu --integrator hermite4-groups --until 6.283185307179586 -f -o out.nbs in.nbs
            read -r x y _ < <(nbconv --to text --frame last --columns pos out.nbs | grep -v '^#')
            close "$x" -1 1e-6
            close "$y" 0 1e-7
        done
    done
}

@test "what it cannot do is refused in a line" {
    nbgen plummer -n 20 --softening 0 -q -o in.nbs
    refused 2 "hermite4-groups" groups --softening 0.01 --until 1 in.nbs
    refused 2 "hermite4-groups" groups --precision quad --until 1 in.nbs
    refused 2 "no jerk" groups --force tree --until 1 in.nbs
    printf '%s\n' "0.5 -1 0 0 0 0 0" "0.5 1 0 0 0 0 0" "0.5 1 0 0 0 1 0" | text same.nbs
    refused 1 "bodies 1 and 2 are at the same position" groups --until 1 same.nbs
    [ ! -e out.nbs ]
}
