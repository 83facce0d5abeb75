#!/usr/bin/env bats
# Moving external fields: a rotation about z, a centre on an orbit, parameters from a table. Orbits compared with closed
# forms and with another integrator, several devices, resumed runs, and rejected fields.
bats_require_minimum_version 1.5.0
load ../common/common

sim() {
    nbsim -q --precision double --device cpu "$@"
}

bodies() { # bodies "M X Y Z VX VY VZ"...
    { echo '# m x y z vx vy vz' && printf '%s\n' "$@"; } | nbconv -q --from text
}

# ---- closed forms ----

@test "about a centre that moves uniformly an orbit is Kepler's, shifted: by every family, from the first row to the last" {
    bodies "0 1.5 -0.25 0 -0.2 2.832050807568877 0.1" >start.nbs # e = 0.5 from its pericentre, in the centre's motion
    awk 'BEGIN { print "# no names\n";  for (k = 0; k <= 8; k++) printf "%.17g %.17g %.17g %.17g\n", k, 1 - 0.2 * k, -0.25 + 1.1 * k, 0.1 * k }' >line.txt
    for how in "gauss6 --dt 0.002" "verner65 --dt 0.002" ias15 "bulirsch-stoer --tolerance 1e-12" "abm5 --dt 0.0005" \
        "yoshida8 --dt 0.005" "rkf78 --tolerance 1e-12"; do
        # shellcheck disable=SC2086
        sim --force external:point,mass=1,center=line.txt --integrator $how --until 8 --every 2 start.nbs -o $$.nbs -f
        python - $$.nbs "$how" >&3 <<'P'
import sys
import numpy as np
from nbs_reader import read
frames, worst = read(open(sys.argv[1], "rb")), 0
assert len(frames) == 5
for f in frames:
    t = f["time"]
    E = t  # a = 1, e = 0.5, from the pericentre
    for _ in range(60):
        E -= (E - 0.5 * np.sin(E) - t) / (1 - 0.5 * np.cos(E))
    x = np.array([np.cos(E) - 0.5, np.sqrt(0.75) * np.sin(E), 0]) + [1 - 0.2 * t, -0.25 + 1.1 * t, 0.1 * t]
    worst = max(worst, abs(f["pos"][0] - x).max())
print("#", sys.argv[2], "is off by", worst)
assert worst < 1e-8
P
    done
}

@test "a harmonic field that turns: the orbit of a linear system" {
    # A logarithmic halo is harmonic far within its core: frequencies 1, 1/0.8 and 1/0.6.
    bodies "0 1 0 0.5 0 0.3 0" "0 0 1 0 0.7 0 0.2" >start.nbs
    for how in "gauss6 --dt 0.005" ias15 "feagin14 --dt 0.05"; do
        # shellcheck disable=SC2086
        sim --force external:logarithmic,speed=1e7,core=1e7,p=0.8,q=0.6,omega=0.7,angle=20 --integrator $how --until 12 \
            --every 3 start.nbs -o turn.nbs -f
        python - "$how" >&3 <<'P'
import sys
import numpy as np
from nbs_reader import read
w, begin = 0.7, np.radians(20)
def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])  # into the field's axes
spin = np.array([[0, w, 0], [-w, 0, 0], [0, 0, 0]])
A = np.block([[spin, np.eye(3)], [-np.diag([1, 1 / 0.64, 1 / 0.36]), spin]])  # of place and inertial velocity, in these axes
value, vector = np.linalg.eig(A)
frames, worst = read(open("turn.nbs", "rb")), 0
for f in frames:
    t = f["time"]
    for i in range(2):
        z0 = np.concatenate([turn(begin) @ frames[0]["pos"][i], turn(begin) @ frames[0]["vel"][i]])
        z = (vector @ (np.exp(value * t) * np.linalg.solve(vector, z0))).real
        back = turn(begin + w * t).T
        worst = max(worst, abs(back @ z[:3] - f["pos"][i]).max(), abs(back @ z[3:] - f["vel"][i]).max())
print("#", sys.argv[1], "is off by", worst)
assert len(frames) == 5 and worst < 1e-8
P
    done
}

@test "in a bar that turns Jacobi's integral is kept to the order of the scheme, and the energy is not" {
    bodies "0 1 0.5 0.1 0 0.5 0.1" "0 3 0 0 0 0.4 0" "0 -0.2 0.3 0 0.3 0.3 0" >start.nbs
    jacobi() { # jacobi OPTION...: how much it changes
        sim --force external:bar,mass=1,a=1,b=0.2,c=0.3,omega=0.4,angle=30 --write phi --until 20 --every 1 "$@" start.nbs -o bar.nbs -f
        python - <<'P'
import numpy as np
from nbs_reader import read
E, J = [], []
for f in read(open("bar.nbs", "rb")):
    (x, y, _), (vx, vy, _) = f["pos"].T, f["vel"].T
    E.append((f["vel"] ** 2).sum(1) / 2 + f["phi_external"])
    J.append(E[-1] - 0.4 * (x * vy - y * vx))
E, J = np.array(E), np.array(J)
assert abs(E - E[0]).max(0).min() > 0.01
print(abs(J - J[0]).max())
P
    }
    awk -v j="$(jacobi --integrator ias15)" 'BEGIN { exit !(j < 1e-12) }'
    coarse=$(jacobi --integrator leapfrog --dt 0.02) fine=$(jacobi --integrator leapfrog --dt 0.01)
    awk -v a="$coarse" -v b="$fine" 'BEGIN { exit !(a < 2e-3 && a / b > 3.5 && a / b < 4.5) }'
    coarse=$(jacobi --integrator gauss6 --dt 0.2) fine=$(jacobi --integrator gauss6 --dt 0.1)
    awk -v a="$coarse" -v b="$fine" 'BEGIN { exit !(a < 1e-3 && a / b > 40) }'
}

@test "a table's cubic is exact: a push that grows as t^3, and an angle in a table is a turn" {
    bodies "0 0 0 0 1 0 0" >start.nbs
    awk 'BEGIN { print "# t gx gz"; for (k = 0; k < 6; k++) { t = k * (k + 1) / 10; printf "%.17g %.17g %.17g\n", t, t * t * t, 1 - t } }' >push.txt
    sim --force external:uniform,gy=2,table=push.txt --integrator gauss6 --dt 0.1 --until 2 start.nbs |
        nbconv --to text | tail -n 1 >end
    read -r _ _ x y z vx vy vz <end
    close "$x" 3.6 1e-13
    close "$y" 4 1e-13
    close "$z" 0.66666666666666667 1e-13
    close "$vx" 5 1e-13
    close "$vy" 4 1e-13
    close "$vz" 0 1e-13
    bodies "0 1 0 0 0 1 0" >start.nbs
    printf '# angle of a bar\n#t angle\n' >angle.txt
    awk 'BEGIN { for (k = 0; k < 5; k++) printf "%d %.17g\n", k, 10 + k * 0.5 * 180 / 3.14159265358979312 }' >>angle.txt
    sim --force external:bar,mass=1,a=1,c=0.3,table=angle.txt --integrator gauss6 --dt 0.01 --until 4 start.nbs | nbconv --to text >a
    sim --force external:bar,mass=1,a=1,c=0.3,angle=10,omega=0.5 --integrator gauss6 --dt 0.01 --until 4 start.nbs | nbconv --to text >b
    python - <<'P'
import numpy as np
a, b = np.loadtxt("a"), np.loadtxt("b")
assert abs(a - b).max() < 1e-12 and abs(a[3]) > 0.01
P
}

# A pulse among rows of nothing, long after steps have grown. The integral of its cubics is 0.5.
@test "adaptive steps see a short pulse of a table, and many rows of an orbit cost no steps" {
    bodies "0 1 0 0 0 1 0" >start.nbs
    for shift in 0 0.037; do
        awk -v s=$shift 'BEGIN { print "# t gx"; for (k = -1; k <= 100; k++) print k * 0.1 + s, (k >= 40 && k < 45) }' >pulse.txt
        for how in ias15 rkf78 bulirsch-stoer; do
            sim --force external:uniform,table=pulse.txt --integrator $how --until 9 start.nbs | nbconv --to text | tail -n 1 >end
            read -r _ _ x _ _ vx _ _ <end
            # The error estimate of rkf78 is zero for an acceleration that depends on time only.
            close "$x" "$(awk -v s=$shift 'BEGIN { print 3.4 - 0.5 * s }')" "$([ $how = rkf78 ] && echo 1e-3 || echo 1e-6)"
            close "$vx" 0.5 1e-6
        done
    done
    nbsim --device cpu --force external:uniform,table=pulse.txt --until 5 start.nbs -o /dev/null 2>said
    grep -q 'steps of at most 0.1, so that no step misses' said
    nbsim --device cpu --force external:uniform,table=pulse.txt --max-dt 9 --until 5 start.nbs -o /dev/null 2>said
    run -1 grep 'steps of at most' said
    awk 'BEGIN { for (k = 0; k <= 20000; k++) { t = k / 1000; printf "%.17g %.17g %.17g 0\n", t, 3 * cos(t), 3 * sin(t) } }' >orbit.txt
    field="--force external:point,mass=1 --force external:plummer,mass=0.1,scale=0.2,center=orbit.txt"
    # shellcheck disable=SC2086
    sim $field --until 20 start.nbs | nbconv -q --to text >bounded
    # shellcheck disable=SC2086
    sim $field --until 20 --max-dt 1000 start.nbs | nbconv -q --to text >free
    cmp bounded free # the orbit's bound is longer than the steps
}

@test "a bar that grows from nothing: ias15 leaves its first time, when no time scale is long enough" {
    bodies "0 1 0 0 0 1 0" "0 0 2 0 0 0 0" >start.nbs
    awk 'BEGIN { print "# t mass"; for (k = 0; k <= 40; k++) { t = k / 10; s = t < 2 ? t / 2 : 1; print t, s * s * (3 - 2 * s) } }' >grow.txt
    field=external:bar,a=1,c=0.3,omega=0.5,table=grow.txt
    sim --force $field --until 4 start.nbs | nbconv --to text | tail -n 2 >a
    sim --force $field --integrator gauss6 --dt 0.001 --until 4 start.nbs | nbconv --to text | tail -n 2 >b
    python - <<'P'
import numpy as np
a, b = np.loadtxt("a"), np.loadtxt("b")
assert a.shape == (2, 8) and abs(a - b).max() < 1e-5 and abs(b[:, 5:]).max() > 0.1
P
}

@test "a table's values stay between its rows, at extrema too" {
    bodies "0 1 0 0 0 0 0" >start.nbs
    printf '# t mass\n0 1\n1 0\n2 1.5\n3 2\n' >mass.txt # a spline would fall below 0
    sim --force external:plummer,scale=1,table=mass.txt --until 3 --dt 0.1 start.nbs -o /dev/null
    printf '# t gx\n0 0\n1 1\n2 0\n' >push.txt
    sim --force external:uniform,table=push.txt --integrator gauss6 --dt 0.1 --until 2 start.nbs | nbconv --to text | tail -n 1 >end
    read -r _ _ _ _ _ vx _ _ <end
    close "$vx" 1.3333333333333333 1e-12 # slopes 2, 0, -2 of the parabola
}

@test "the suggested step knows what a table will do: a mass that grows from zero, an angle that turns fast" {
    bodies "0 1 0 0 0 1 0" >start.nbs
    printf '# t mass\n0 0\n1 4\n2 0\n' >mass.txt # at its largest, as a mass of 4 at rest
    printf '# t angle\n0 0\n2 36000\n' >angle.txt
    step() { # step FIELD: the suggested one
        nbsim --device cpu --precision double --integrator leapfrog --force external:"$1" --until 2 start.nbs -o /dev/null 2>&1 |
            sed -n 's/^nbsim: dt \([^ ]*\), from.*/\1/p'
    }
    close "$(step plummer,scale=1,table=mass.txt)" "$(step plummer,scale=1,mass=4)" 1e-6
    close "$(step bar,mass=1,a=1,c=1,table=angle.txt)" "$(step bar,mass=1,a=1,c=1,omega=314.15926535897932)" 1e-6
}

# ---- another integrator ----

# A bar that turns and a companion on an orbit, whose mass falls: the same by extrapolation in extended precision, with the
# potentials' gradients in the form of the papers.
@test "a bar, a companion on an orbit that loses mass, and a halo: another program's orbit" {
    bodies "0 2 0.5 0.3 -0.2 0.7 0.1" "0 -4 1 -0.5 0.1 -0.5 0.2" >start.nbs
    python - <<'P'
import numpy as np
t = np.linspace(-1, 11, 61)
x = np.stack([5 * np.cos(0.2 * t), 5 * np.sin(0.2 * t), 0.3 * t])
v = np.stack([-np.sin(0.2 * t), np.cos(0.2 * t), 0.3 + 0 * t])
np.savetxt("orbit.txt", np.vstack([t, x, v]).T, fmt="%.17g")
np.savetxt("mass.txt", np.stack([t, 0.3 * np.exp(-t / 8), 0.5 + 0.01 * t]).T, fmt="%.17g", header="t mass scale")
P
    sim --force external:bar,mass=1,a=1.2,b=0.1,c=0.25,omega=0.6,angle=-15 \
        --force external:plummer,center=orbit.txt,table=mass.txt \
        --force external:logarithmic,speed=0.8,core=1,q=0.9,p=0.95,omega=-0.1 --integrator ias15 --until 10 start.nbs -o end.nbs
    python - >&3 <<'P'
import numpy as np
from nbs_reader import read
L = np.longdouble
def turned(force, angle, x):
    c, s = np.cos(angle), np.sin(angle)
    f = force(np.array([c * x[0] + s * x[1], c * x[1] - s * x[0], x[2]]))
    return np.array([c * f[0] - s * f[1], c * f[1] + s * f[0], f[2]])
def bar(x):
    a, b, c = L("1.2"), L("0.1"), L("0.25")
    h = np.sqrt(x[2] ** 2 + c * c)
    r2 = x[1] ** 2 + (b + h) ** 2
    p, m = np.sqrt((a + x[0]) ** 2 + r2), np.sqrt((a - x[0]) ** 2 + r2)
    side = (p + m - 4 * x[0] ** 2 / (p + m)) / (2 * p * m * r2)
    return -np.array([2 * x[0] / (p * m * (p + m)), x[1] * side, x[2] * side * (b + h) / h])
def halo(x):
    d = np.array([x[0], x[1] / L("0.95") ** 2, x[2] / L("0.9") ** 2])
    return -L("0.64") * d / (1 + (x * d).sum(0))
def companion(t, x):
    d = x - np.array([5 * np.cos(L("0.2") * t), 5 * np.sin(L("0.2") * t), L("0.3") * t])[:, None]
    scale = L("0.5") + L("0.01") * t
    return -L("0.3") * np.exp(-t / 8) * d / ((d * d).sum(0) + scale ** 2) ** L("1.5")
def rate(t, z):
    a = turned(bar, L(-15) * np.arccos(L(-1)) / 180 + L("0.6") * t, z[:3]) + companion(t, z[:3]) + turned(halo, -L("0.1") * t, z[:3])
    return np.concatenate([z[3:], a])
def step(t, z, H):  # Gragg, Bulirsch and Stoer: eight columns
    rows = []
    for j in range(8):
        n = 2 * (j + 1)
        h = H / n
        old, new = z, z + h * rate(t, z)
        for m in range(1, n):
            old, new = new, old + 2 * h * rate(t + m * h, new)
        rows.append((old + new + h * rate(t + H, new)) / 2)
        for i in range(j - 1, -1, -1):
            rows[i] = rows[i + 1] + (rows[i + 1] - rows[i]) / ((L(j + 1) / (i + 1)) ** 2 - 1)
    return rows[0]
def run(n):
    z = np.concatenate([frames[0]["pos"].T, frames[0]["vel"].T]).astype(L)
    for k in range(n):
        z = step(L(10) * k / n, z, L(10) / n)
    return z
frames = read(open("end.nbs", "rb"))
z, coarse = run(100), run(70)
worst = max(abs(z[:3].T - frames[-1]["pos"]).max(), abs(z[3:].T - frames[-1]["vel"]).max())
print("# off by", float(worst), "and the other program's steps by", float(abs(z - coarse).max()))
assert abs(z - coarse).max() < 1e-11 and worst < 1e-8
P
}

@test "a massive body of a run is the centre of a field: its stream instead of it" {
    bodies "0.1 3 0 0 0 0.6 0.1" >heavy.nbs
    bodies "0 1 0.5 0 0.2 0.8 0" "0 2.5 -1 0.3 0.1 0.5 0" >light.nbs
    nbedit --stack -o all.nbs heavy.nbs light.nbs
    sim --force direct --softening 0.3 --force external:point,mass=1,eps=0.2 --integrator ias15 --until 8 --every 0.05 all.nbs -o all-run.nbs
    sim --force external:point,mass=1,eps=0.2 --integrator ias15 --until 8 --every 0.05 heavy.nbs -o heavy-run.nbs
    field="--force external:point,mass=1,eps=0.2 --force external:plummer,mass=0.1,scale=0.3"
    # shellcheck disable=SC2086
    sim $field,center=heavy-run.nbs --integrator ias15 --until 8 --every 4 light.nbs -o light-run.nbs
    python - >&3 <<'P'
import numpy as np
from nbs_reader import read
all, light = read(open("all-run.nbs", "rb"))[-1], read(open("light-run.nbs", "rb"))[-1]
worst = abs(all["pos"][1:] - light["pos"]).max()
print("# off by", worst)
assert worst < 1e-8
with open("heavy.txt", "w") as out:
    for f in read(open("heavy-run.nbs", "rb")):
        print(repr(f["time"]), *map(repr, f["pos"][0].tolist() + f["vel"][0].tolist()), file=out)
P
    # The same numbers as a text: the same bits, and the checksum says so.
    # shellcheck disable=SC2086
    sim $field,center=heavy.txt --integrator ias15 --until 8 --every 4 light.nbs -o text-run.nbs
    diff <(nbconv --to text --columns pos,vel light-run.nbs) <(nbconv --to text --columns pos,vel text-run.nbs)
    [ "$(grep -a -o 'center=heavy-run.nbs@.*' light-run.nbs | head -n 1 | cut -d @ -f 2)" = "$(grep -a -o 'center=heavy.txt@.*' text-run.nbs | head -n 1 | cut -d @ -f 2)" ]
}

# ---- steps of bodies' own, and a split force ----

@test "bodies' own steps and a split force take the field of the time that they are at" {
    # The centre of mass moves as one body does in a uniform field that turns, whatever the bodies do.
    nbgen plummer -n 200 --seed 3 -o start.nbs
    for how in "leapfrog-block --softening 0.02 --eta 0.1 --dt 0.1" "p3t --softening 0 --dt 0.01" "leapfrog --softening 0.02 --dt 0.01" \
        "leapfrog-block --softening 0.02 --eta 0.1 --dt 0.1 --device cpu:0-2"; do
        # shellcheck disable=SC2086
        sim --force tree:theta=0.2 --force external:uniform,gx=1,omega=2 --integrator $how --until 2 start.nbs -o end.nbs -f
        python - "$how" >&3 <<'P'
import sys
import numpy as np
from nbs_reader import read
a, b = read(open("end.nbs", "rb"))
mean = lambda f, key: (f["mass"][:, None] * f[key]).sum(0) / f["mass"].sum()
want = mean(a, "pos") + 2 * mean(a, "vel") + [(1 - np.cos(4)) / 4, (4 - np.sin(4)) / 4, 0]
off = abs(mean(b, "pos") - want).max()
print("#", sys.argv[1], "is off by", off)
assert off < 2e-4
P
    done
}

# ---- energies ----

@test "the energy is not judged where a field changes it, and nbsim and nbstat say so" {
    bodies "1 1 0 0 0 1 0" "2 0 2 0 0.5 0 0" >start.nbs
    field=external:bar,mass=1,a=1,c=0.3,omega=0.5
    nbsim --device cpu --force $field --max-de 1e-12 --until 3 --every 1 --log log.tsv start.nbs -o bar.nbs 2>said
    grep -q 'the energy error is not checked: a field that depends on time changes the energy' said
    [ "$(grep -vc '^#' log.tsv)" = 4 ]
    awk '!/^#/ && ($4 > 0.01 || $4 < -0.01) { far = 1 } END { exit !far }' log.tsv
    nbstat --json bar.nbs >rows 2>said
    grep -q 'energy (a field that depends on time)' said
    run -2 --separate-stderr nbstat --max-de 1e-3 bar.nbs
    [[ "$stderr" == *"--max-de cannot be used: the energy of these bodies is not conserved (a field that depends on time)"* ]]
    nbsim --device cpu --force external:bar,mass=1,a=1,c=0.3,angle=40 --max-de 1e-9 --until 3 start.nbs -o /dev/null 2>said # at rest it is
    run -1 grep 'not checked' said
    python - <<'P'
import json
import numpy as np
from nbs_reader import read
for row, f in zip(map(json.loads, open("rows")), read(open("bar.nbs", "rb"))):
    angle = 0.5 * f["time"]
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = c * f["pos"][:, 0] + s * f["pos"][:, 1], c * f["pos"][:, 1] - s * f["pos"][:, 0], f["pos"][:, 2]
    r2 = y * y + z * z + 0.09
    phi = np.log((x - 1 + np.sqrt((x - 1) ** 2 + r2)) / (x + 1 + np.sqrt((x + 1) ** 2 + r2))) / 2
    assert abs(row["external"] - (f["mass"] * phi).sum()) < 1e-13, row["time"]
P
}

@test "nbedit --time refuses what is in a field of another time; a field at rest and drag have none" {
    bodies "1 1 0 0 0 1 0" >start.nbs
    for field in uniform,gx=1,omega=1 bar,mass=1,a=1,c=1,omega=-1; do
        sim --force external:$field --until 1 start.nbs -o moves.nbs -f
        run -1 --separate-stderr nbedit --time 3 moves.nbs
        [[ "$stderr" == *"the bodies are in a field that depends on time (external:"* ]]
        [ "${#stderr_lines[@]}" = 1 ]
        nbedit -q --isolate --time 3 moves.nbs -o /dev/null
    done
    for field in uniform,gx=1,angle=30 drag,rate=1; do
        sim --force external:$field --until 1 start.nbs -o rests.nbs -f
        nbedit -q --time 3 rests.nbs -o /dev/null
    done
}

# ---- runs in parts, and on several devices ----

orbit() { # orbit.txt: a circle
    awk 'BEGIN { for (k = 0; k <= 40; k++) { t = k / 20; printf "%.17g %.17g %.17g 0\n", t, cos(t), sin(t) } }' >orbit.txt
}

@test "a run in two parts, a run that was killed, and one on three devices have the bytes of one in one piece" {
    orbit
    fields="--force auto --force external:plummer,mass=1,scale=0.5,center=orbit.txt --force external:bar,mass=1,a=1,c=0.3,omega=0.7"
    nbgen plummer -n 200 --seed 3 -o p.nbs
    # shellcheck disable=SC2086
    sim $fields --dt 0.015 --until 0.3 --every 0.1 p.nbs -o half.nbs
    sim --dt 0.015 --until 0.9 --every 0.1 half.nbs -o rest.nbs
    # shellcheck disable=SC2086
    sim $fields --dt 0.015 --until 0.9 --every 0.1 p.nbs -o whole.nbs
    cmp <(nbconv -q --to text --frame -1 whole.nbs) <(nbconv -q --to text --frame -1 rest.nbs)
    for how in leapfrog gauss6 leapfrog-block; do
        # shellcheck disable=SC2086
        sim $fields --integrator $how --dt 0.015 --until 0.9 --every 0.1 --softening 0.05 p.nbs -o whole.nbs -f
        # shellcheck disable=SC2086
        sim $fields --integrator $how --dt 0.015 --until 0.9 --every 0.1 --softening 0.05 --device cpu:0-2 p.nbs -o many.nbs -f
        python - $how <<'P'
import sys
from nbs_reader import read
a, b = (read(open(name, "rb"))[-1] for name in ("whole.nbs", "many.nbs"))
assert abs(a["pos"] - b["pos"]).max() < 1e-10, sys.argv[1]
P
    done
    for how in "leapfrog --dt 0.002" "ias15 --tolerance 1e-9" "rkf78 --tolerance 1e-10" "abm5 --dt 0.002"; do
        # shellcheck disable=SC2086
        cut_off KILL ck.0 two.nbs nbsim -q --device cpu $fields --integrator $how --until 0.3 --every 0.07 --checkpoint ck --checkpoint-every 0
        nbsim -q --resume ck
        # shellcheck disable=SC2086
        nbsim -q --device cpu $fields --integrator $how --until 0.3 --every 0.07 in.nbs -f -o one.nbs
        cmp one.nbs two.nbs
    done
}

@test "a table that has changed is refused, by a run that goes on, a second run and nbstat; one that says the same is not" {
    orbit
    field=external:plummer,mass=1,scale=0.5,center=orbit.txt
    # shellcheck disable=SC2086
    cut_off KILL ck.0 two.nbs nbsim -q --device cpu --force auto --force $field --dt 0.002 --until 0.3 --every 0.07 --checkpoint ck --checkpoint-every 0
    sim --force $field --until 0.1 in.nbs -o some.nbs
    cp orbit.txt kept.txt
    { echo '# t x y z' && sed 's/ /   /g; s/$/ /' kept.txt; } >orbit.txt # the same numbers
    nbstat some.nbs >/dev/null 2>&1
    sed -i '$ s/ 0 *$/ 1/' orbit.txt
    for refuse in "nbsim -q --resume ck" "nbsim -q --until 0.2 some.nbs -o /dev/null" "nbstat some.nbs"; do
        # shellcheck disable=SC2086
        run -1 --separate-stderr $refuse
        [[ "$stderr" == *"external:plummer: orbit.txt has changed since the bodies were advanced with it"* ]]
    done
    rm orbit.txt
    run -1 --separate-stderr nbstat some.nbs
    [[ "$stderr" == *"orbit.txt: No such file or directory"* ]]
    [ "${#stderr_lines[@]}" = 1 ]
    cp kept.txt orbit.txt
    nbsim -q --resume ck
}

# ---- what is refused ----

# refuse SENTENCE LINE...: a table of these lines is, with exit 1, one line, and no output
refuse() {
    local sentence=$1
    shift
    printf '%s\n' "$@" >table.txt
    run -1 --separate-stderr nbsim -q --force "external:plummer,${given-mass=1,scale=1},$what=table.txt" --until 1 --dt 0.1 p.nbs -o out.nbs
    [[ "$stderr" == "nbsim: force external:plummer: table.txt"*"$sentence"* ]] && [ "${#stderr_lines[@]}" = 1 ] && [ ! -e out.nbs ] ||
        { echo "$*: $stderr" >&2; return 1; }
}

@test "tables that are none: one line, exit 1, no output" {
    nbgen plummer -n 10 -o p.nbs
    what=center
    refuse "a table needs at least two rows, this one has 0" ''
    refuse "a table needs at least two rows, this one has 1" '0 1 2 3'
    refuse "line 2: times must increase (0 follows 0)" '0 1 2 3' '0 1 2 3'
    refuse "line 3: times must increase (0.5 follows 1)" '0 1 2 3' '1 1 2 3' '0.5 1 2 3'
    refuse "line 2: 'nan' is not a finite number" '0 1 2 3' '1 nan 2 3'
    refuse "line 2: '1e999' is not a finite number" '0 1 2 3' '1 1e999 2 3'
    refuse "line 1: '1,2' is not a finite number" '0 1,2 2 3'
    refuse "line 2 has 3 numbers, expected 4" '0 1 2 3' '1 2 3'
    refuse "line 1: neither t x y z nor t x y z vx vy vz" '0 1 2'
    refuse "line 1: unknown column 'w'" '# t x y w' '0 1 2 3'
    refuse "line 1: column 'x' appears twice" '# t x x z' '0 1 2 3'
    refuse "line 1: the first named column must be t" '# time vx vy vz x y z' '0 1 2 3 1 1 1'
    refuse "line 1: the first named column must be t" '#x y z t' '0 1 2 3'
    refuse "line 2: name the columns once, before the first row" '# t x y z' '# t x y z' '0 1 2 3' '1 1 2 3'
    refuse "line 2: name the columns once, before the first row" '0 1 2 3' '# t z y x' '1 1 2 3'
    refuse "an orbit needs the columns t x y z, or t x y z vx vy vz" '# t x y' '0 1 2' '1 1 2'
    refuse "line 1 has more than 24 numbers" "$(seq -s ' ' 30)"
    refuse "line 1 is longer than 4094 bytes" "$(printf '%05000d' 1)"
    refuse "covers times from 0 to 0.5, not 1" '0 1 2 3' '0.5 1 2 3'
    refuse "covers times from 0.5 to 2, not 0" '0.5 1 2 3' '2 1 2 3'
    what=table
    refuse "line 1: a line '# t ...' with the columns' names is needed before it" '0 1'
    refuse "line 1 names no column except t" '# t' '0'
    refuse "line 1: unknown column 'x'" '# t x' '0 1' '1 1'
    refuse "line 1: unknown column 'speed'" '# t speed' '0 1' '1 1'
    refuse "has a column mass, and the option has the same parameter (remove one)" '# t mass' '0 1' '1 1'
    given=scale=1
    refuse "the interpolated mass falls to -1, which is not from 0" '# t mass' '0 1' '1 -1'
    refuse "has no column mass, and the option has no such parameter either" '# t scale' '0 1' '1 1'
    given=mass=1
    refuse "the interpolated scale falls to 0, which is not above 0" '# t scale' '0 1' '1 0'
    nbsim -q --steps 0 p.nbs -o table.txt -f
    run -1 --separate-stderr nbsim -q --force external:plummer,mass=1,scale=1,table=table.txt --until 1 p.nbs -o out.nbs
    [ "$stderr" = "nbsim: force external:plummer: table.txt: is a stream, expected a text" ]
    run -1 --separate-stderr nbsim -q --force external:plummer,mass=1,scale=1,center=table.txt --until 1 p.nbs -o out.nbs
    [ "$stderr" = "nbsim: force external:plummer: table.txt: a table needs at least two rows, this one has 1" ]
    printf '# t mass\n0 1\n5e-324 2\n1 2\n' >table.txt
    run -1 --separate-stderr nbsim -q --force external:plummer,scale=1,table=table.txt --until 1 p.nbs -o out.nbs
    [ "$stderr" = "nbsim: force external:plummer: table.txt: from t = 0 to 4.94065646e-324 the curve has values or slopes beyond 1e150" ]
    for file in none.txt . /dev/zero; do
        run -1 --separate-stderr nbsim -q --force external:plummer,mass=1,scale=1,center=$file --until 1 p.nbs -o out.nbs
        [[ "$stderr" == "nbsim: force external:plummer: $file: "* ]]
    done
}

@test "names of files: long ones are kept whole in the header, and longer ones are refused" {
    nbgen plummer -n 10 -o p.nbs
    name=$(printf 'x%.0s' {1..234}).txt # 238 letters with the ending
    printf '0 1 2 3\n1 1 2 3\n' >"$name"
    cp "$name" "x$name"
    field=external:bar,mass=0.12345678901234567,a=0.12345678901234567,b=0.12345678901234567,c=0.12345678901234567
    nbsim -q --force $field,omega=0.12345678901234567,center="$name" --until 1 --dt 0.1 p.nbs -o a.nbs
    nbsim -q --steps 0 a.nbs -o b.nbs
    [ "$(grep -a -c "^force.*center=$name@" b.nbs)" = 1 ]
    nbstat -q a.nbs >/dev/null
    run -1 --separate-stderr nbsim -q --force "$field,center=x$name" --until 1 --dt 0.1 p.nbs -o c.nbs
    [[ "$stderr" == *"the name of a file can have at most 238 characters" ]]
    for name in "" "a%0Ab" $'a\tb' "a%00b" "$(printf 'x%.0s' {1..300})"; do
        run -2 nbsim -q --force "$field,center=$name" --until 1 --dt 0.1 p.nbs -o c.nbs
    done
}

@test "names of files with spaces, commas, percent signs and letters beyond ASCII, through header, checkpoint and second run" {
    nbgen plummer -n 300 --seed 3 -o p.nbs
    plain=$PWD/orbit.txt
    printf '0 1 2 3\n0.3 1 2 4\n1 1 2 3\n' >"$plain"
    cp "$plain" "an orbit, 50%20 of it: ö.txt"
    written='an%20orbit%2C%2050%2520%20of%20it:%20%C3%B6.txt'
    sim --force auto --force "external:plummer,mass=1,scale=1,center=$plain" --dt 0.002 --until 0.3 --every 0.07 p.nbs -o plain.nbs
    for name in "$written" 'an orbit%2c 50%2520 of it%3a ö.txt'; do
        sim --force auto --force "external:plummer,mass=1,scale=1,center=$name" --dt 0.002 --until 0.3 --every 0.07 p.nbs -f -o named.nbs
        cmp <(nbconv -q --to text plain.nbs | grep -v "^#") <(nbconv -q --to text named.nbs | grep -v "^#")
        [ "$(grep -a -c "^force.*center=$written@[0-9a-f]\{16\}$" named.nbs)" = 6 ]
    done
    cmp <(nbstat -q - <plain.nbs) <(nbstat -q - <named.nbs)
    sim --until 0.5 --dt 0.002 named.nbs -o more.nbs
    [ "$(grep -a -c "^force.*center=$written@" more.nbs)" = 2 ]
    cut_off KILL ck.0 two.nbs nbsim -q --device cpu --force auto --force "external:plummer,mass=1,scale=1,center=$name" --dt 0.0005 \
        --until 0.3 --every 0.07 --checkpoint ck --checkpoint-every 0
    nbsim -q --resume ck
    nbsim -q --device cpu --force auto --force "external:plummer,mass=1,scale=1,center=$name" --dt 0.0005 --until 0.3 --every 0.07 \
        in.nbs -o one.nbs
    cmp one.nbs two.nbs
    run -2 --separate-stderr nbsim -q --force "external:plummer,mass=1,scale=1,center=an orbit, 50" --until 1 p.nbs -o c.nbs
    [[ "$stderr" == "nbsim: force external: ' 50': expected key=value (in the name of a file write a comma as %2C)"* ]]
}

# The files are gone after the first frame: nbstat would fail if it read them again.
@test "nbstat reads the files of a field once for all frames" {
    nbgen plummer -n 10 --seed 1 -o p.nbs
    awk 'BEGIN { print "# t x y z"; for (k = 0; k <= 20; k++) print k / 10, k / 10, 0, 0 }' >orbit.txt
    printf '# t mass\n0 1\n2 3\n' >mass.txt
    nbsim -q --device cpu --force auto --force external:plummer,scale=1,center=orbit.txt,table=mass.txt --dt 0.1 --until 2 \
        --every 0.5 p.nbs -o field.nbs
    nbstat -q --device cpu <field.nbs >whole.tsv
    python - <<'P'
import os
import subprocess
from pathlib import Path
stream = Path("field.nbs").read_bytes()
second = stream.index(b"nbs 1 frame\n", 1)
run = subprocess.Popen(["nbstat", "-q", "--device", "cpu"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
run.stdin.write(stream[:second])
run.stdin.flush()
rows = run.stdout.readline() + run.stdout.readline()
os.remove("orbit.txt")
os.remove("mass.txt")
run.stdin.write(stream[second:])
run.stdin.close()
rows += run.stdout.read() # not communicate, which loses what readline has buffered
assert run.wait() == 0
assert rows == Path("whole.tsv").read_bytes() and rows.count(b"\n") == 6
P
}

@test "streams that are no orbit: damaged, in other units, times that do not rise" {
    nbgen plummer -n 10 -o p.nbs
    nbsim -q --dt 0.1 --until 1 --every 0.5 --softening 1 p.nbs -o orbit.nbs
    refused() { # refused SENTENCE FILE
        run -1 --separate-stderr nbsim -q --force "external:plummer,mass=1,scale=1,center=$2" --until 1 p.nbs -o out.nbs
        [[ "$stderr" == *"$1"* ]] && [ "${#stderr_lines[@]}" = 1 ] && [ ! -e out.nbs ] || { echo "$stderr" >&2; return 1; }
    }
    head -c 3000 orbit.nbs >cut.nbs
    refused "cut.nbs" cut.nbs
    cat orbit.nbs orbit.nbs >twice.nbs
    refused "twice.nbs: frame 3: times must increase (0 follows 1)" twice.nbs
    nbgen plummer -n 10 --units galactic | nbsim -q --steps 1 --dt 1e-9 -o other.nbs
    refused "other.nbs: frame 0: units or G differ from those of the bodies in the field" other.nbs
    nbsim -q --force external:plummer,mass=1,scale=1,center=orbit.nbs --until 1 --dt 0.1 p.nbs -o out.nbs
}

@test "a table stands for parameters that have to be given, in the header too" {
    nbgen plummer -n 10 -o p.nbs
    printf '# t mass scale\n0 1 1\n2 0.5 2\n' >table.txt
    sim --force external:plummer,table=table.txt --until 1 --dt 0.1 p.nbs -o a.nbs
    [ "$(grep -a -c '^force external:plummer,table=table.txt@[0-9a-f]*$' a.nbs)" = 2 ]
    sim --until 2 a.nbs -o b.nbs
    nbstat -q b.nbs >/dev/null
    printf '# t angle\n0 0\n2 30\n' >angle.txt
    run -1 --separate-stderr nbsim -q --force external:bar,mass=1,a=1,c=1,angle=10,table=angle.txt --until 1 --dt 0.1 p.nbs
    [ "$stderr" = "nbsim: force external:bar: angle.txt has a column angle, and the option has the same parameter (remove one)" ]
}

@test "a file of a field is not written to: stream, log, and by another name" {
    nbgen plummer -n 10 -o p.nbs
    printf '0 1 2 3\n1 1 2 3\n' >orbit.txt
    cp orbit.txt kept.txt
    ln orbit.txt hard.txt
    ln -s orbit.txt soft.txt
    for to in "-o orbit.txt" "-o hard.txt" "-o soft.txt" "-o out.nbs --log orbit.txt" "-o out.nbs --log hard.txt"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbsim -q --force external:plummer,mass=1,scale=1,center=orbit.txt --until 1 --dt 0.1 p.nbs -f $to
        [[ "$stderr" == *"orbit.txt: is not replaced, because it is the file of an external field"* ]]
        cmp orbit.txt kept.txt
    done
}

@test "files from other systems: a byte order mark is skipped, a byte 0 is refused; a missing file says where it is looked for" {
    nbgen plummer -n 10 -o p.nbs
    printf '\xef\xbb\xbf# t x y z\r\n0 1 2 3\r\n1 1 2 3\r\n' >mark.txt
    field=external:plummer,mass=1,scale=1,center
    sim --force $field=mark.txt --until 1 --dt 0.1 p.nbs -o /dev/null
    printf '0 1 2 3\n1 1 2 3\0 4\n' >zero.txt
    run -1 --separate-stderr nbsim -q --force $field=zero.txt --until 1 --dt 0.1 p.nbs
    [[ "$stderr" == *"zero.txt: line 2 contains a zero byte, so it is not text" ]]
    run -1 --separate-stderr nbsim -q --force $field=none.txt --until 1 --dt 0.1 p.nbs
    [[ "$stderr" == *"none.txt: No such file or directory (the name is relative to the working directory)" ]]
    run -1 --separate-stderr nbsim --force auto --force $field=mark.txt --until 2 --dt 0.1 p.nbs
    [[ "$stderr" == *"mark.txt covers times from 0 to 1, not 2" ]]
    [ "${#stderr_lines[@]}" = 1 ]
    run -2 --separate-stderr nbsim -q --until dyn p.nbs
    [[ "$stderr" == *"--until dyn: expected a number before dyn"* ]]
}

@test "--append refuses a field's file that has changed: no tool could read the stream" {
    nbgen plummer -n 10 -o p.nbs
    orbit
    field=external:plummer,mass=1,scale=1,center=orbit.txt
    sim --force $field --until 0.5 --dt 0.1 p.nbs -o a.nbs
    cp a.nbs kept.nbs
    sim --force $field --until 0.7 --dt 0.1 --append a.nbs -o a.nbs # the same file
    nbstat -q a.nbs >/dev/null
    cp kept.nbs a.nbs
    sed -i '$ s/ 0$/ 1/' orbit.txt
    run -1 --separate-stderr nbsim -q --force $field --until 0.7 --dt 0.1 --append a.nbs -o a.nbs
    [[ "$stderr" == "nbsim: a.nbs: the file orbit.txt@"*" of the external field has changed since these frames"* ]]
    cmp a.nbs kept.nbs
}

@test "options that make no sense: exit 2" {
    nbgen plummer -n 10 -o p.nbs
    usage() {
        run -2 --separate-stderr nbsim --steps 1 --dt 0.1 --force "$2" p.nbs
        [[ "$stderr" == *"$1"* ]] || { echo "$stderr" >&2; return 1; }
    }
    usage "unknown parameter 'omega' (known: mass, scale, x, y, z, center, table)" external:plummer,mass=1,scale=1,omega=1
    usage "unknown parameter 'omega'" external:miyamoto-nagai,mass=1,a=1,b=1,omega=1
    usage "unknown parameter 'center'" external:drag,rate=1,center=a
    usage "unknown parameter 'table' (known: x, y, z, center)" external:milky-way,table=a
    usage "center= takes the name of a file" external:point,mass=1,center=
    usage "omega=nan: expected a number" external:bar,mass=1,a=1,c=1,omega=nan
}
