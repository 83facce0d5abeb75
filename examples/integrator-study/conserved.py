"""Errors of energy, momentum and angular momentum between two frames in quad, given as text: mass pos pos_lo vel vel_lo.

usage: conserved.py SOFTENING FIRST LAST     energy relative to the first, momentum over sum m|v|, angular momentum over sum m|r||v|
"""
import sys
from decimal import Decimal, getcontext

getcontext().prec = 50
G = 1


def read(name):
    bodies = []
    for line in open(name):
        if not line.startswith("#"):
            w = [Decimal(float(word)) for word in line.split()]  # 17 digits name a double, which has more
            bodies.append((w[0], [w[1 + k] + w[4 + k] for k in range(3)], [w[7 + k] + w[10 + k] for k in range(3)]))
    return bodies


def norm(x):
    return sum(c * c for c in x).sqrt()


def measure(bodies, softening):
    energy = sum(m * sum(c * c for c in v) / 2 for m, x, v in bodies)
    for i, (mi, xi, _) in enumerate(bodies):
        for mj, xj, _ in bodies[:i]:
            energy -= G * mi * mj / (sum((a - b) ** 2 for a, b in zip(xi, xj)) + softening**2).sqrt()
    momentum = [sum(m * v[k] for m, x, v in bodies) for k in range(3)]
    turns = [(k, (k + 1) % 3, (k + 2) % 3) for k in range(3)]
    spin = [sum(m * (x[a] * v[b] - x[b] * v[a]) for m, x, v in bodies) for _, a, b in turns]
    return energy, momentum, spin


softening = Decimal(sys.argv[1])
first, last = read(sys.argv[2]), read(sys.argv[3])
a, b = measure(first, softening), measure(last, softening)
print(
    "%.3e\t%.3e\t%.3e"
    % (
        abs((b[0] - a[0]) / a[0]),
        norm([p - q for p, q in zip(a[1], b[1])]) / sum(m * norm(v) for m, x, v in first),
        norm([p - q for p, q in zip(a[2], b[2])]) / sum(m * norm(x) * norm(v) for m, x, v in first),
    )
)
