#!/usr/bin/env bats
# Post-Newtonian terms (nbsim --pn): accelerations compared with the Lagrangian, the pericentres of S2 and Mercury, the
# energy loss by gravitational waves, the energy with its post-Newtonian terms, and rejected options.
bats_require_minimum_version 1.5.0
load ../common/common

# pair SEMI_MAJOR ECCENTRICITY MASS RATIO: two bodies in solar units, the first of which is a black hole
pair() {
    nbgen kepler --units solar --semi-major "$1" -e "$2" --mass "$3" --mass-ratio "$4" | nbedit -q --set 'component = hole if id == 0'
}

s2() { # S2 about Sagittarius A* (GRAVITY Collaboration 2020, A&A 636, L5)
    pair 1031 0.8847 4.26e6 3e-6
}

sim() {
    nbsim -q --device cpu "$@"
}

@test "accelerations are those of the Lagrangian of Einstein, Infeld & Hoffmann, of pairs with a black hole" {
    printf '%s\n' '# m x y z vx vy vz' '1e8 0 0 0 2e3 -4e3 1e3' '3e7 15 -9 4 -7e3 9e3 5e3' '1e7 -12 20 8 6e3 1e4 -8e3' |
        nbconv -q --from text --units solar | nbedit -q --set 'component = hole if m > 9e7' -o in.nbs
    sim --steps 0 --write acc in.nbs -o newton.nbs
    sim --steps 0 --write acc --pn 1 in.nbs -o pn.nbs
    python - <<'P'
from decimal import Decimal as D, getcontext
from nbs_reader import read
getcontext().prec = 50
newton, pn = (read(open(name, "rb"))[0] for name in ("newton.nbs", "pn.nbs"))
G, c = D(newton["G"]), D("2.99792458e10") * D(365.25 * 86400) / D("1.495978707e13")
mass, pos, vel = ([[D(float(q)) for q in row] for row in newton[k].reshape(3, -1)] for k in ("mass", "pos", "vel"))
dot = lambda a, b: sum(p * q for p, q in zip(a, b))

def post(m, y): # the terms of 1/c^2 of the Lagrangian of two bodies; y = x1 x2 v1 v2
    d = [p - q for p, q in zip(y[:3], y[3:6])]
    r, v, w = dot(d, d).sqrt(), y[6:9], y[9:]
    return (sum(k * dot(u, u)**2 for k, u in zip(m, (v, w))) / 8 - G**2 * m[0] * m[1] * (m[0] + m[1]) / (2 * r * r) +
            G * m[0] * m[1] / r * ((3 * (dot(v, v) + dot(w, w)) - 7 * dot(v, w) - dot(d, v) * dot(d, w) / r**2) / 2)) / c**2

def slope(f, y, u, h): # of f at y along u
    return (f([p + h * q for p, q in zip(y, u)]) - f([p - h * q for p, q in zip(y, u)])) / (2 * h)

def acceleration(i, j): # of body i in the field of j: m a = dL/dx - d/dt dL/dv, on the Newtonian motion
    m, y = [mass[i][0], mass[j][0]], pos[i] + pos[j] + vel[i] + vel[j]
    d = [q - p for p, q in zip(pos[i], pos[j])]
    pull = [G * q / dot(d, d).sqrt()**3 for q in d]
    motion = vel[i] + vel[j] + [m[1] * q for q in pull] + [-m[0] * q for q in pull]
    unit = lambda k: [D(int(n == k)) for n in range(12)]
    L, h = lambda z: post(m, z), D("1e-14")
    return [(slope(L, y, unit(k), h) - slope(lambda z: slope(L, z, unit(6 + k), h), y, motion, h)) / m[0] for k in range(3)]

want = [[sum(q) for q in zip(acceleration(0, 1), acceleration(0, 2))], acceleration(1, 0), acceleration(2, 0)]
got = pn["acc"] - newton["acc"]
for i in range(3):
    off = max(abs(float(w) - g) for w, g in zip(want[i], got[i])) / max(abs(got[i]))
    assert off < 1e-11, (i, off, [float(w) for w in want[i]], got[i])
P
}

@test "S2 turns its pericentre by 12.1 arc minutes an orbit, Mercury by 43 arc seconds a century" {
    s2 | sim --pn 1 --until 60 --every 0.1 -o s2.nbs
    s2 | sim --pn 1 --integrator hermite4-groups --until 60 --every 0.1 -o groups.nbs
    pair 0.38709893 0.20563069 1 1.66e-7 | sim --pn 1 --until 99.952 -o mercury.nbs # 415 orbits
    pair 0.38709893 0.20563069 1 1.66e-7 | sim --until 99.952 -o newton.nbs
    python - <<'P'
import numpy as np
from nbs_reader import read
def motion(name):
    frames = read(open(name, "rb"))
    return np.array([f["pos"][1] - f["pos"][0] for f in frames]), np.array([f["vel"][1] - f["vel"][0] for f in frames])
x, v = motion("s2.nbs")
rv, angle, turned = (x * v).sum(1), np.unwrap(np.arctan2(x[:, 1], x[:, 0])), []
for k in range(len(x) - 1):
    if rv[k] > 0 >= rv[k + 1]: # an apocentre
        turned.append(angle[k] + rv[k] / (rv[k] - rv[k + 1]) * (angle[k + 1] - angle[k]))
light2, G = (2.99792458e10 * 365.25 * 86400 / 1.495978707e13)**2, 39.476926
shift = np.diff(turned) - 2 * np.pi
print("S2", np.degrees(shift) * 60)
assert len(shift) == 3 and all(abs(np.degrees(shift) * 60 / 12.1 - 1) < 0.01)
assert all(abs(shift / (6 * np.pi * G * 4.26e6 / light2 / 1031 / (1 - 0.8847**2)) - 1) < 0.003)
other = np.abs(motion("groups.nbs")[0] - x).max() / np.abs(x).max()
print("hermite4-groups", other)
assert other < 1e-9
def pericentre(name):
    x, v = (a[-1] for a in motion(name))
    e = np.cross(v, np.cross(x, v)) / G - x / np.linalg.norm(x)
    return np.arctan2(e[1], e[0])
century = np.degrees(pericentre("mercury.nbs") - pericentre("newton.nbs")) * 3600 / 0.99952
print("Mercury", century)
assert abs(century / 42.98 - 1) < 0.01
P
}

@test "--pn 2.5: the energy and angular momentum that gravitational waves carry away are those of Peters (1964)" {
    for e in 0 0.5; do # 100 orbits at 8000 G m / c^2
        for by in ias15 hermite4-groups; do
            pair 157.9 $e 2e6 0.5 | sim --pn 2.5 --integrator $by --until 140.3 --log $by-$e.tsv -o $by-$e.nbs
        done
    done
    python - <<'P'
import numpy as np
from nbs_reader import read
G, c, a, m = 39.476926, 2.99792458e10 * 365.25 * 86400 / 1.495978707e13, 157.9, 2e6
product = m * m * 2 / 9
def spin(f): # angular momentum to 2PN about the centre of mass (Kidder 1995, Phys. Rev. D 52, 821, eq. 2.9)
    x, v, nu = f["pos"][1] - f["pos"][0], f["vel"][1] - f["vel"][0], 2 / 9
    r = np.linalg.norm(x)
    g, v2, u2 = G * m / r / c**2, v @ v / c**2, (x @ v / r / c)**2
    first = (1 - 3 * nu) * v2 / 2 + (3 + nu) * g
    second = ((7 - 10 * nu - 9 * nu**2) * g * v2 / 2 - nu * (2 + 5 * nu) * g * u2 / 2 +
              (14 - 41 * nu + 4 * nu**2) * g**2 / 4 + 3 / 8 * (1 - 7 * nu + 13 * nu**2) * v2**2)
    return nu * m * np.cross(x, v)[2] * (1 + first + second)
for by, e in ("ias15", 0), ("hermite4-groups", 0), ("ias15", 0.5), ("hermite4-groups", 0.5):
    frames = read(open(f"{by}-{e}.nbs", "rb"))
    energy = [float(line.split()[2]) for line in list(open(f"{by}-{e}.tsv"))[1:]]
    span = frames[-1]["time"]
    loss = -32 / 5 * G**4 * product**2 * m / (c**5 * a**5) * (1 + 73 / 24 * e**2 + 37 / 96 * e**4) / (1 - e * e)**3.5
    slowing = -32 / 5 * G**3.5 * product**2 * m**0.5 / (c**5 * a**3.5) * (1 + 7 / 8 * e**2) / (1 - e * e)**2
    shares = (energy[-1] - energy[0]) / span / loss, (spin(frames[-1]) - spin(frames[0])) / span / slowing
    print(by, e, shares)
    assert all(abs(share - 1) < 0.01 for share in shares)
P
}

@test "the energy has its post-Newtonian terms: off by the next order only, the same in nbsim and nbstat" {
    s2 >s2.nbs
    for order in 1 2; do sim --pn $order --until 16.7 --every 0.1 --log $order.tsv --write phi s2.nbs -o $order.nbs; done
    off() { awk -F '\t' 'NR > 1 { d = $4 < 0 ? -$4 : $4; if (d > most) most = d } END { print most }' "$1"; }
    awk -v one="$(off 1.tsv)" -v two="$(off 2.tsv)" 'BEGIN { exit !(one > 1e-6 && one < 1e-4 && two < 1e-7) }'
    # without its terms it would be off by the square of v/c at the pericentre, times what the binding there is of all
    nbstat -q --columns kinetic,potential,external,energy,energy_error 1.nbs | tail -n +2 >table
    cut -f 3,4 1.tsv | tail -n +2 | paste table - | awk '
        NR == 1 { newton = $1 + $2 }
        { if ($4 != $1 + $2 + $3 && ($4 / ($1 + $2 + $3) - 1)^2 > 1e-20) exit 1
          if (($4 / $6 - 1)^2 > 1e-18 || ($5 - $7)^2 > 1e-18) exit 1
          d = ($1 + $2) / newton - 1; if (d * d > most) most = d * d }
        END { exit !(NR > 100 && most > 1e-4) }'
    run -3 --separate-stderr nbsim -q --device cpu --pn 1 --integrator rk4 --dt 0.2 --until 16 s2.nbs # and is judged
    [[ "$stderr" == *"the energy error is"* ]]
    run -0 --separate-stderr nbsim --device cpu --pn 2.5 --until 1 s2.nbs
    [[ "$stderr" == *"the energy error is not checked: gravitational waves change the energy"* ]]
    run -2 --separate-stderr nbsim --pn 2.5 --max-de 1e-3 --until 1 s2.nbs
    [[ "$stderr" == *"--max-de is not possible: gravitational waves change the energy of these bodies, so an energy error is not defined"* ]]
    sim --pn 2.5 --until 1 s2.nbs | nbstat 2>&1 >table | grep -q 'energy (gravitational waves), momentum (post-Newtonian terms)'
}

@test "the header keeps the order: a second run, nbstat and nbedit go on with it; --pn and --force replace it" {
    lines() { LC_ALL=C sed -n '/^checksum/q; s/^force //p' "$1" | paste -s -d ' '; }
    s2 >s2.nbs
    sim --pn 1 --until 9 s2.nbs -o half.nbs
    sim --until 20 half.nbs -o rest.nbs
    [ "$(lines half.nbs)" = "auto pn:1" ]
    [ "$(lines rest.nbs)" = "auto pn:1" ]
    sim --force tree --force pn:1 --until 0 s2.nbs -o both.nbs
    [ "$(lines both.nbs)" = "auto pn:1" ]
    sim --pn 2.5 --until 20 half.nbs -o other.nbs
    [ "$(lines other.nbs)" = "auto pn:2.5" ]
    sim --force auto --until 20 half.nbs -o newton.nbs
    [ -z "$(lines newton.nbs)" ]
    sim --pn 1 --write phi --until 1 s2.nbs | nbedit -q --shift 1,2,3 -o moved.nbs # no field that stays behind
    [ "$(lines moved.nbs)" = "auto pn:1" ]
    nbstat --info moved.nbs | grep -q phi_external
    [ -z "$(nbedit -q --boost 1,0,0 moved.nbs | nbstat --info | grep phi_external)" ]
}

@test "a killed run goes on bit for bit; any number of threads gives the same bytes" {
    s2 >in.nbs
    for until in 400 1600 6400; do
        rm -f ck.* two.nbs*
        nbsim -q --device cpu --pn 2.5 --until $until --every 16 --checkpoint ck --checkpoint-every 0 in.nbs -o two.nbs &
        pid=$!
        await $pid test -s ck.0 && { kill -KILL $pid || true; }
        wait $pid || true
        [ ! -e two.nbs.part ] || break # else it had ended before it was killed
    done
    [ -e two.nbs.part ]
    nbsim -q --resume ck
    sim --pn 2.5 --until $until --every 16 in.nbs -o one.nbs
    cmp one.nbs two.nbs
    nbgen plummer -n 3000 --units galactic --softening 0 --seed 1 | nbedit -q --set 'component = hole if id < 2' -o many.nbs
    for threads in 1 2; do sim --threads $threads --pn 1 --integrator rk4 --steps 1 --dt 1e-6 --write acc many.nbs -o $threads.nbs; done
    cmp 1.nbs 2.nbs
}

# cluster SEMI_MAJOR ECCENTRICITY: a binary of a black hole of 36 and a body of 24 solar masses in a small star cluster
cluster() {
    nbgen plummer -n 30 --units solar --mass 30 --radius 2e4 --softening 0 --seed 2 -f -o stars.nbs
    pair "$1" "$2" 60 0.66666667 | nbedit -q --stack - stars.nbs
}

@test "hermite4-groups: several black holes in a moving frame, as ias15 has them" {
    printf '%s\n' '# m x y z vx vy vz' '1e6 0 0 0 0 300 0' '1e6 100 0 5 0 -800 0' '2e6 900 0 300 0 300 0' '1e5 -900 10 200 0 -250 0' |
        nbconv -q --from text --units solar | nbedit -q --set 'component = hole if m > 9e5' --boost 300,-100,200 -o few.nbs
    for by in ias15 hermite4-groups; do sim --pn 2 --integrator $by --until 3 --every .1 few.nbs -o $by.nbs; done
    sim --until 3 --every .1 few.nbs -o newton.nbs
    python - <<'P'
import numpy as np
from nbs_reader import read
truth, groups, newton = (np.array([f["pos"] for f in read(open(f"{k}.nbs", "rb"))]) for k in ("ias15", "hermite4-groups", "newton"))
print(np.abs(groups - truth).max(), np.abs(newton - truth).max())
assert np.abs(groups - truth).max() < 1e-8 * np.abs(newton - truth).max()
P
}

@test "hermite4-groups: a binary with a black hole in a cluster decays as by Peters, on its averaged orbit; the energy is kept" {
    cluster 0.02 0.6 >in.nbs
    for order in 1 2.5; do sim --pn $order --integrator hermite4-groups --until 2e4 --every 1e3 --log $order.tsv in.nbs -o $order.nbs; done
    python - <<'P'
G, c, a, e, t, steps = 39.476926, 2.99792458e10 * 365.25 * 86400 / 1.495978707e13, 0.02, 0.6, 2e4, 10000
def rates(a, e):
    k = G**3 * 36 * 24 * 60 / c**5 / (a**3 * (1 - e * e)**2.5)
    return -64 / 5 * k * (1 + 73 / 24 * e**2 + 37 / 96 * e**4) / (1 - e * e), -304 / 15 * k * e / a * (1 + 121 / 304 * e**2)
for _ in range(steps):
    da, de = rates(a, e)
    da, de = rates(a + t / steps / 2 * da, e + t / steps / 2 * de)
    a, e = a + t / steps * da, e + t / steps * de
energy = {k: [float(line.split()[2]) for line in list(open(f"{k}.tsv"))[1:]] for k in (1, 2.5)}
share = (energy[2.5][0] - energy[2.5][-1]) / (G * 36 * 24 / 2 * (1 / a - 1 / 0.02))
swing = max(abs(q / energy[1][0] - 1) for q in energy[1])
print(share, swing)
assert abs(share - 1) < 0.01 and swing < 1e-6 # (v/c)^4 at the pericentre
P
    cluster 1 0.3 >in.nbs # which stars meet: by the chain too
    sim --pn 2 --integrator hermite4-groups --until 300 --log wide.tsv in.nbs -o wide.nbs
    awk 'NR > 1 { d = $4 < 0 ? -$4 : $4; if (d > most) most = d } END { print most; exit !(most < 1e-8) }' wide.tsv
    pair 1.18 0 2e6 0.5 >plunge.nbs
    run -1 --separate-stderr nbsim -q --device cpu --pn 2.5 --integrator hermite4-groups --until 2 plunge.nbs -o out.nbs
    [[ "$stderr" == *"inside the horizon of a black hole"* ]]
}

@test "hermite4-groups: a killed run goes on bit for bit; any number of threads gives the same bytes" {
    cluster 1 0.3 >in.nbs
    for until in 400 1600 6400; do
        rm -f ck.* two.nbs*
        nbsim -q --device cpu --pn 2.5 --integrator hermite4-groups --until $until --every 4 --checkpoint ck --checkpoint-every 0 in.nbs -o two.nbs &
        pid=$!
        await $pid test -s ck.0 && { kill -KILL $pid || true; }
        wait $pid || true
        [ ! -e two.nbs.part ] || break # else it had ended before it was killed
    done
    [ -e two.nbs.part ]
    nbsim -q --resume ck
    sim --threads 1 --pn 2.5 --integrator hermite4-groups --until $until --every 4 in.nbs -o one.nbs
    cmp one.nbs two.nbs
}

@test "which integrators serve, and what is refused" {
    s2 >s2.nbs
    local served=()
    for name in $(nbsim --list-integrators | grep -v '^#' | cut -f 1); do
        sim --pn 1 --integrator "$name" --steps 1 --dt 1e-4 s2.nbs >out 2>err && served+=("$name")
        [ -s out ] || grep -q 'velocit\|no jerk\|self-gravity only' err
    done
    [ "${served[*]}" = "euler midpoint rk4 rkck54 rkdp54 verner65 rkf78 feagin10 feagin12 feagin14 gauss6 lobatto4 trapezoid \
ab1 ab2 ab3 ab4 ab5 abm5 bulirsch-stoer hermite4-groups ias15 rosetta" ]
    refused() { # CODE SENTENCE COMMAND...
        run "-$1" --separate-stderr "${@:3}"
        [[ "${stderr_lines[0]}" == *"$2"* ]] || { echo "$stderr" >&2; return 1; }
    }
    nbgen kepler | nbedit -q --set 'component = hole' -o code.nbs
    nbgen kepler --units solar -o stars.nbs
    refused 2 "the units of the input (code) have no physical size" nbsim --pn 1 --until 1 code.nbs
    refused 1 "no body is a black hole (nbedit" nbsim --pn 1 --until 1 stars.nbs
    refused 2 "--pn 3: expected 1, 2 or 2.5" nbsim --pn 3 --until 1 s2.nbs
    refused 2 "--softening 0" nbsim --pn 1 --softening 0.1 --until 1 s2.nbs
    refused 2 "post-Newtonian terms would count twice" nbsim --force auto --force pn:1 --force pn:2 --until 1 s2.nbs
    refused 2 "quad precision" nbsim --pn 1 --precision quad --until 1 s2.nbs
    nbgen plummer -n 1500 --softening 0 --units solar | nbedit -q --set 'component = hole if id == 0' |
        nbsim --device cpu --pn 1 --steps 0 2>&1 >out | grep -q '^nbsim: ias15' # auto, for any number of bodies
}
