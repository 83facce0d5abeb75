"""Random systems of more than a thousand bodies with default options, against much shorter steps: light bodies about a few
heavy ones, balls of any softening, temperature and masses, clusters in external fields. A run is wrong if what it says is
off by more than a hundredth and it ends with exit 0 and without a warning of its own.

    python random_thousands.py BIN SEED...    a line for each seed; exits with the number of those that are wrong
"""
import re
import subprocess
import sys

import numpy as np

LIMIT = 1e-2
FIELDS = ("external:point,mass={m},eps=0.05", "external:nfw,mass={m},scale=1", "external:logarithmic,speed={m},core=0.2",
          "external:plummer,mass={m},scale=0.7")


class System:
    def __init__(self, tools, seed):
        self.tools, self.rng = tools, np.random.default_rng(seed)

    def tool(self, name, *options, check=True):
        done = subprocess.run([f"{self.tools}/{name}", *map(str, options)], capture_output=True, text=True)
        if check and done.returncode:
            raise SystemExit(done.stderr)
        return done

    def write(self, m, x, v):
        with open("in.txt", "w") as f:
            print("# columns mass pos vel", file=f)
            for row in np.column_stack([m, x, v]):
                print(*("%.17g" % q for q in row), file=f)
        self.tool("nbconv", "-q", "-f", "--from", "text", "-o", "in.nbs", "in.txt")

    def run(self, name, *options):
        """The last positions; None where a run with default options has said that something is wrong."""
        done = self.tool("nbsim", "--device", "cpu", "--force", "auto", *self.options, *options, "-f", "-o", name, "in.nbs", check=options)
        if done.returncode or (not options and "warning" in done.stderr):
            return None
        text = self.tool("nbconv", "--to", "text", "--frame", "last", "--columns", "pos", name).stdout
        return np.array([[float(q) for q in line.split()] for line in text.splitlines() if line[0] != "#"])

    def step(self):
        """Of the default run."""
        with open("out.nbs", "rb") as f:
            return float(re.search(rb"\ndt (\S+)", f.read(10000))[1])

    def sphere(self, n, power):
        u = self.rng.normal(size=(n, 3))
        return (self.rng.uniform(0, 1, n) ** (1 / power) / np.linalg.norm(u, axis=1))[:, None] * u

    def heavy(self):
        """One to five heavy bodies and light ones: every position."""
        rng, n = self.rng, 1001 + int(self.rng.integers(60))
        heavy = int(rng.integers(1, 6))
        m = np.full(n, 10 ** rng.uniform(-9, -5))
        m[:heavy] = 10 ** rng.uniform(-2.5, 0, heavy)
        m[0] = 1
        r, angle = 10 ** rng.uniform(-0.7, 0.5, n), rng.uniform(0, 2 * np.pi, n)
        r[0] = 0
        speed = rng.uniform(0.3, 1.2, n) * np.sqrt(m[:heavy].sum() / np.maximum(r, 1e-3))
        speed[0] = 0
        x = np.array([r * np.cos(angle), r * np.sin(angle), rng.normal(0, 0.05, n) * r]).T
        self.write(m, x, np.array([-speed * np.sin(angle), speed * np.cos(angle), 0 * r]).T)
        self.options = ["--softening", rng.choice([0, 1e-4, 1e-2]), "--until", 0.2]
        have = self.run("out.nbs")
        if have is None:
            return None
        want = self.run("want.nbs", "--integrator", "hermite4-block", "--tolerance", 1e-9)
        return np.linalg.norm(have - want, axis=1).max()

    def ball(self, field=None):
        """The radius within which half of the bodies are, about their median."""
        rng, n = self.rng, 1200
        m = 10 ** rng.uniform(-rng.choice([0, 1, 2]), 0, n)
        v = rng.normal(size=(n, 3)) * np.sqrt(rng.choice([0.1, 0.3, 1.0]) * 0.2)
        x = self.sphere(n, rng.uniform(1, 3))
        self.options = ["--softening", 10 ** rng.uniform(-2, -1), "--until", 1.5]
        if field:
            self.options += ["--force", field.format(m=round(10 ** rng.uniform(-0.3, 1), 3))]
            x[:, 0] += 3
            v[:, 1] += rng.uniform(0.3, 1)
        self.write(m / m.sum(), x, v)
        have = self.run("out.nbs")
        if have is None:
            return None
        want = self.run("want.nbs", "--integrator", "leapfrog", "--dt", self.step() / 16)

        def radius(x):
            return np.median(np.linalg.norm(x - np.median(x, axis=0), axis=1))

        return abs(radius(have) / radius(want) - 1)


wrong = 0
for seed in map(int, sys.argv[2:]):
    system = System(sys.argv[1], seed)
    kind = seed % 3
    off = system.heavy() if kind == 0 else system.ball() if kind == 1 else system.ball(FIELDS[seed // 3 % len(FIELDS)])
    print(seed, ("heavy", "ball", "field")[kind], *system.options, "warned" if off is None else "off by %.1e" % off, flush=True)
    wrong += off is not None and not off < LIMIT
sys.exit(wrong)
