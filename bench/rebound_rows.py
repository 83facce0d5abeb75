"""The table of bench/rebound.sh: the same bodies and the same steps by nbsim and by REBOUND, in turns, one thread each.

A row a code and scheme: the median of the processor time of four runs, that time over that of REBOUND in the first row with
the same steps, and the error of the energy, |dE / E0|, at 100 outputs, with ias15 at the end: the largest, and the rms. REBOUND's time is that of
its steps; nbsim's is that of the whole process, with reading and writing. Energies of both are summed here, in long double."""

import re
import resource
import statistics
import subprocess
import sys
import time

import numpy as np
import rebound

ROUNDS, OUTPUTS = 4, 100


def sh(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def table(text):
    return np.array([line.split() for line in text.splitlines() if line and line[0] != "#"], dtype=float)


def energy(G, m, x, v):
    m, x, v = (np.asarray(a, dtype=np.longdouble) for a in (m, x, v))
    total = (m[:, None] * v * v).sum() / 2
    for i in range(len(m)):
        for j in range(i):
            total -= G * m[i] * m[j] / np.sqrt(((x[i] - x[j]) ** 2).sum())
    return total


def errors(runs):
    e = np.array([[float((one - energies[0]) / energies[0]) for one in energies[1:]] for energies in runs])
    return np.abs(e).max(), np.sqrt((e**2).mean())


def children_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Problem:
    def __init__(self, G, file):
        self.G, self.file = G, file
        self.m, self.x, self.v = np.split(table(sh("nbconv", "--to", "text", "--columns", "mass,pos,vel", file)), [1, 4], axis=1)
        self.m = self.m[:, 0]

    def nbsim(self, *options, every, outputs=OUTPUTS):
        begin, end = children_s(), outputs * every
        sh("nbsim", "-q", "--device", "cpu", "--threads", "1", *options, "--until", repr(end), "--every", repr(every), "-f", "-o",
           "out.nbs", self.file)
        took = children_s() - begin
        rows = table(sh("nbconv", "--to", "text", "--frame", f"0:{outputs}", "--columns", "pos,vel", "out.nbs"))
        frames = rows.reshape(outputs + 1, len(self.m), 6)
        return took, [energy(self.G, self.m, f[:, :3], f[:, 3:]) for f in frames]

    def simulation(self, integrator):
        s = rebound.Simulation()
        s.G = self.G
        for m, x, v in zip(self.m, self.x, self.v):
            s.add(m=m, x=x[0], y=x[1], z=x[2], vx=v[0], vy=v[1], vz=v[2])
        s.integrator = integrator
        return s

    def nbsim_ias15(self, end):
        """Processor time, energy at the beginning and at the end, steps."""
        begin = children_s()
        lines = subprocess.run(["nbsim", "-v", "--device", "cpu", "--threads", "1", "--integrator", "ias15", "--tolerance", "1e-9",
                                "--max-de", "inf", "--until", repr(end), "-f", "-o", "out.nbs", self.file],
                               check=True, capture_output=True, text=True).stderr
        took = children_s() - begin
        rows = table(sh("nbconv", "--to", "text", "--frame", "-1", "--columns", "pos,vel", "out.nbs"))
        steps = int(re.findall(r"(\d+) steps, \d+ force", lines)[-1])
        return took, [energy(self.G, self.m, x, v) for x, v in ((self.x, self.v), (rows[:, :3], rows[:, 3:]))], steps

    def rebound_ias15(self, end):
        s, begin = self.simulation("ias15"), time.process_time()
        s.integrate(end)
        took = time.process_time() - begin
        after = energy(self.G, self.m, [p.xyz for p in s.particles], [p.vxyz for p in s.particles])
        return took, [energy(self.G, self.m, self.x, self.v), after], s.steps_done

    def rebound(self, integrator, settings, dt, every, outputs=OUTPUTS):
        s = self.simulation(integrator)
        s.dt = dt
        own = getattr(s, "ri_" + integrator, None) or s.integrator  # where the settings are differs between versions
        for name, value in settings.items():
            setattr(own, name, value)
        energies, took = [energy(self.G, self.m, self.x, self.v)], 0
        for _ in range(outputs):
            begin = time.process_time()
            s.steps(round(every / dt))
            s.synchronize() if hasattr(s, "synchronize") else s.integrator_synchronize()
            took += time.process_time() - begin
            energies.append(energy(self.G, self.m, [p.xyz for p in s.particles], [p.vxyz for p in s.particles]))
        return took, energies


def compare(name, steps, theirs, ours):
    """Rows for lists of (scheme, function that makes run k): ours after REBOUND's, in turns."""
    runs = {label: [] for label, _ in theirs + ours}
    for k in range(ROUNDS):
        for label, run in theirs + ours:
            runs[label].append(run(k))
    first = statistics.median(took for took, _ in runs[theirs[0][0]])
    for label, _ in theirs + ours:
        took = statistics.median(t for t, _ in runs[label])
        most, rms = errors([energies for _, energies in runs[label]])
        print(f"{name}\t{label}\t{steps}\t{took:.3f}\t{1e6 * took / steps:.3f}\t{took / first:.2f}\t{most:.1e}\t{rms:.1e}", flush=True)


def outer_planets(years):
    """REBOUND as fast as it goes: in its usual (Jacobi) coordinates, and not synchronised but at outputs."""
    sh("nbgen", "outer-solar", "-f", "-o", "outer.nbs")
    p = Problem(2.95912208286e-4, "outer.nbs")
    for dt, span in ((100.0, years), (10.0, years / 10)):
        every = dt * round(span * 365.25 / dt / OUTPUTS)
        def ours(scheme):
            return lambda k: p.nbsim("--integrator", scheme, "--dt", repr(dt), every=every)

        def theirs(**settings):
            return lambda k: p.rebound("whfast", {"safe_mode": 0, **settings}, dt, every)

        name, steps = f"outer planets, {span:g} years by {dt:g} days", OUTPUTS * round(every / dt)
        compare(name, steps, [("REBOUND whfast", theirs())], [("nbsim whfast", ours("whfast"))])
        compare(name, steps, [("REBOUND whfast, corrector 17", theirs(corrector=17))], [("nbsim whfast17", ours("whfast17"))])


def orbits(count):
    """Of e near 0.5, which no step makes an error of: what rounding does to the energy, for each run on an orbit of its own."""
    dt, problems = 2 * np.pi / 20.37, []
    for k in range(ROUNDS):
        sh("nbgen", "kepler", "-e", str(0.5 + 0.003 * k), "--softening", "0", "-f", "-o", f"kepler-{k}.nbs")
        problems.append(Problem(1.0, f"kepler-{k}.nbs"))
    for n in (count / 100, count):
        every = dt * round(n * 20.37 / OUTPUTS)
        compare(f"{n:g} orbits of e = 0.5", OUTPUTS * round(every / dt),
                [("REBOUND whfast", lambda k: problems[k].rebound("whfast", {"safe_mode": 0}, dt, every))],
                [("nbsim whfast", lambda k: problems[k].nbsim("--integrator", "whfast", "--dt", repr(dt), every=every))])


def adaptive(years):
    """ias15 at the same epsilon, 1e-9; a row's steps are the code's own."""
    for name, end, command in (
        ("Pythagorean problem to t = 70", 70.0, ("pythagorean",)),
        ("outer planets, %g years" % (years / 100), years * 3.6525, ("outer-solar",)),
        ("1000 orbits of e = 0.5", 2000 * np.pi, ("kepler", "-e", "0.5", "--softening", "0")),
        ("100 orbits of e = 0.99", 200 * np.pi, ("kepler", "-e", "0.99", "--softening", "0")),
        ("10 bodies to t = 10", 10.0, ("plummer", "-n", "10", "--seed", "1", "--softening", "0")),
        ("100 bodies to t = 0.5", 0.5, ("plummer", "-n", "100", "--seed", "1", "--softening", "0")),
    ):
        sh("nbgen", *command, "-f", "-o", "adaptive.nbs")
        p = Problem(2.95912208286e-4 if command[0] == "outer-solar" else 1.0, "adaptive.nbs")
        runs = [(p.rebound_ias15(end), p.nbsim_ias15(end)) for _ in range(ROUNDS)]
        first = statistics.median(one[0] for one, _ in runs)
        for k, label in enumerate(("REBOUND ias15", "nbsim ias15")):
            took, steps = statistics.median(run[k][0] for run in runs), runs[0][k][2]
            most, rms = errors([run[k][1] for run in runs])
            print(f"{name}\t{label}\t{steps}\t{took:.3f}\t{1e6 * took / steps:.3f}\t{took / first:.2f}\t{most:.1e}\t{rms:.1e}", flush=True)


print(f"# REBOUND {rebound.__version__}")
print("# problem\tscheme\tsteps\ts\tus/step\ttime over REBOUND's\tenergy error\trms")
outer_planets(float(sys.argv[1]))
orbits(float(sys.argv[1]))
adaptive(float(sys.argv[1]))
