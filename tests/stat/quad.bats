#!/usr/bin/env bats
# nbstat on runs in quadruple precision, compared with Python's decimal numbers.
bats_require_minimum_version 1.5.0
load ../common/common

# digits.py: energy, momentum and angular momentum of a frame with low parts, in 60 digits
setup_file() {
    cat >"$BATS_FILE_TMPDIR/digits.py" <<'P'
from decimal import Decimal as D, getcontext
getcontext().prec = 60
def vectors(f, name):
    low = f[name + "_lo"] if name + "_lo" in f else 0 * f[name]
    return [[D(float(h)) + D(float(l)) for h, l in zip(*rows)] for rows in zip(f[name], low)]
def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def norm(a):
    return sum(c * c for c in a).sqrt()
def measure(f):
    m, x, v, n = [D(float(k)) for k in f["mass"]], vectors(f, "pos"), vectors(f, "vel"), len(f["mass"])
    eps2 = D(f.get("softening", 0.0)) ** 2
    K = sum(m[i] * sum(c * c for c in v[i]) for i in range(n)) / 2
    W = -D(f["G"]) * sum(m[i] * m[j] / (sum((a - b) ** 2 for a, b in zip(x[i], x[j])) + eps2).sqrt() for i in range(n) for j in range(i))
    P = [sum(m[i] * v[i][k] for i in range(n)) for k in range(3)]
    L = [sum(m[i] * cross(x[i], v[i])[k] for i in range(n)) for k in range(3)]
    return dict(m=sum(m), K=K, W=W, P=P, L=L, p=sum(m[i] * norm(v[i]) for i in range(n)), l=sum(m[i] * norm(x[i]) * norm(v[i]) for i in range(n)))
def errors(first, now):
    kinetic = lambda f: f["K"] - sum(c * c for c in f["P"]) / f["m"] / 2  # about the centre of mass
    K0, W0 = kinetic(first), first["W"]
    energy = (kinetic(now) + now["W"] - K0 - W0) / max(abs(K0 + W0), (K0 - W0) / 100)
    apart = lambda key: norm([a - b for a, b in zip(now[key], first[key])])
    return energy, apart("P") / now["p"], apart("L") / now["l"]
P
}

# errors FILE: what nbstat finds in the frames of FILE is what decimal numbers say, to $2 of it or 1e-32
errors() {
    nbstat --json --device cpu "$1" >lines
    PYTHONPATH=$PYTHONPATH:$BATS_FILE_TMPDIR python - "$@" <<'P'
import json, sys
from digits import errors, measure
from nbs_reader import read
names = "energy_error", "momentum_error", "angular_momentum_error"
lines, frames = [json.loads(line) for line in open("lines")], [measure(f) for f in read(open(sys.argv[1], "rb"))]
assert len(lines) == len(frames) > 1
for line, f in zip(lines, frames):
    for name, want in zip(names, errors(frames[0], f)):
        assert abs(line[name] - float(want)) <= float(sys.argv[2]) * abs(float(want)) + 1e-32, (name, line[name], want)
print("#", [lines[-1][name] for name in names])
P
}

@test "differences in the low parts alone are seen, with softening and without" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(2)
for name, eps in ("soft", 0.3), ("hard", 0.0):
    m, x, v = r.uniform(0.5, 1, 7), r.normal(size=(7, 3)), r.normal(size=(7, 3))
    low = lambda: 1e-21 * r.normal(size=(7, 3))
    write(name + ".nbs", *(frame(m, x, v, G=1.7, softening=eps, pos_lo=low(), vel_lo=low(), time=k) for k in range(3)))
    write(name + "v.nbs", *(frame(m, x, v, G=1.7, softening=eps, vel_lo=low(), time=k) for k in range(2)))
P
    for file in soft hard softv hardv; do
        errors $file.nbs 1e-9
    done >&3
    # a column phi has not the digits, and says so by its error; the tree's is in mixed precision
    nbstat -v --potential tree soft.nbs 2>&1 >/dev/null | grep -q 'in mixed precision'
    nbstat -v soft.nbs 2>&1 >/dev/null | grep -q 'direct summation in quadruple precision'
    nbstat -v --potential direct soft.nbs 2>&1 >/dev/null | grep -q 'direct summation in quadruple precision'
}

@test "runs in quadruple precision: errors of 1e-20 and less" {
    nbgen kepler -e 0.3 | nbsim -q --precision quad --integrator rkf78 --dt 0.01 --until 2 --every 1 --write phi -o kepler.nbs
    errors kepler.nbs 1e-6 >&3
    nbgen figure8 | nbsim -q --precision quad --integrator yoshida8 --dt 0.002 --until 0.2 --every 0.1 -o eight.nbs
    errors eight.nbs 1e-6 >&3
    error=$(nbstat --json kepler.nbs | tail -n 1 | sed 's/.*"energy_error": \([^,]*\),.*/\1/')
    awk "BEGIN { e = $error; exit !(e != 0 && e < 1e-18 && e > -1e-18) }"
    [ "$(nbstat --select 'id >= 0' kepler.nbs)" = "$(nbstat kepler.nbs)" ] # selected bodies keep their digits
    # what is left of it without the low parts
    nbstat --json --potential column kepler.nbs | tail -n 1 | grep -q '"energy_error": -\?[0-9.]*e-1[67],'
}
