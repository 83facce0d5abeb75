# For the tests of nbgen's models: what streams hold, and what is refused.

# check FILE...: runs the Python of stdin with numpy as np, the first frame of each file in `frames` and what the
# checks share: ks(u) is the largest distance of the sorted u from uniform, in units of 1/sqrt(n) (above 1.95 once in
# a thousand), sure(mean, expected, deviation, n) asks for five standard errors at most.
check() {
    python - "$@" <<P
import sys
import numpy as np
import nbs_reader
from numpy import pi, sqrt
from numpy.linalg import norm

frames = [nbs_reader.read(open(name, "rb"))[0] for name in sys.argv[1:] if name.endswith(".nbs")]

def ks(u):
    u, n = np.sort(u), len(u)
    assert 0 <= u[0] and u[-1] <= 1, (u[0], u[-1])
    return max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max()) * sqrt(n)

def sure(mean, expected, deviation, n):
    assert abs(mean - expected) < 5 * deviation / sqrt(n), (mean, expected, deviation / sqrt(n))

def centre(f, bodies=slice(None)):
    m = f["mass"][bodies].astype(float)
    return [np.array([np.dot(m, f[c][bodies][:, k]) for k in range(3)]) / m.sum() for c in ("pos", "vel")]

def potential(f):
    x, m, w = f["pos"], f["mass"], 0
    for i in range(1, len(m)):
        w -= m[i] * (m[:i] / norm(x[:i] - x[i], axis=1)).sum()
    return f["G"] * w

def kinetic(f):
    return (f["mass"] * (f["vel"] ** 2).sum(1)).sum() / 2

def spin(f, bodies=slice(None)):
    pos, vel = centre(f, bodies)
    return (f["mass"][bodies, None] * np.cross(f["pos"][bodies] - pos, f["vel"][bodies] - vel)).sum(0)
$(cat)
P
}

# after: runs the Python of stdin on run.nbs: `energy` is its largest error about the centre of mass, `unbound` the share
# of the stars that in the end have v^2/2 + phi > 0. Where there is one central body: by how much the median distance of the
# stars from it departs from the first at most, `half_mass`; of those within the first edge the greatest amplitude of
# m = 1 to 4, `modes`, and of the rms of radial speeds over all speeds, `radial`.
after() {
    python - "$@" <<P
import numpy as np
import nbs_reader
from numpy.linalg import norm

energies, medians, modes, radial = [], [], 0, 0
for f in nbs_reader.read(open("run.nbs", "rb")):
    m, hole = f["mass"], f["component"] == 5
    w = ((f["vel"] - m @ f["vel"] / m.sum()) ** 2).sum(1)
    energies.append(m @ (w + f["phi"]) / 2)
    unbound = (w / 2 + f["phi"] > 0)[~hole].mean()
    if hole.sum() > 1:
        continue
    x, v = f["pos"][~hole] - f["pos"][hole], f["vel"][~hole] - f["vel"][hole]
    r = norm(x, axis=1)
    medians.append(np.median(r))
    edge = edge if medians[1:] else r.max() * (1 + 1e-9)
    angle = np.arctan2(x[:, 1], x[:, 0])[r < edge]
    modes = max([modes] + [abs(np.exp(1j * k * angle).mean()) for k in (1, 2, 3, 4)])
    radial = max(radial, np.sqrt((((x * v).sum(1) / r)[r < edge] ** 2).sum() / (v[r < edge] ** 2).sum()))
assert len(energies) > 20
energy = max(abs(e / energies[0] - 1) for e in energies)
half_mass = max((abs(r / medians[0] - 1) for r in medians), default=None)
print(f"# energy {energy:.1e}, half-mass radius {half_mass}, modes {modes:.2f}, radial {radial:.2f}, unbound {unbound:.4f}")
$(cat)
P
}
