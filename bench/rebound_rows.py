"""Prints the table of bench/rebound.sh: the same bodies and steps by nbsim and by REBOUND, one thread each, run in turns.

A row is one scheme of one program. It has the median processor time of ROUNDS runs, and two ratios of times: to REBOUND's
first row (its scalar WHFast, or ias15) and to WHFast512 ("-" if it was not run). A ratio is the median over the rounds, so
that a slow minute of the machine changes both of its times. The energy error is |dE / E0| at 100 outputs, with ias15 at the
end: the largest and the rms. REBOUND's time is the time of its steps. nbsim's time is the time of the whole process, with
reading and writing. The energies of both programs are summed here in long double."""

import re
import resource
import statistics
import subprocess
import sys
import time

import numpy as np
import rebound

ROUNDS, OUTPUTS = 5, 100


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

    def simulation(self, integrator, unit=1.0):
        """REBOUND's simulation with a unit of time that is 1 / unit of ours."""
        s = rebound.Simulation()
        s.G = self.G / unit**2
        for m, x, v in zip(self.m, self.x, self.v / unit):
            s.add(m=m, x=x[0], y=x[1], z=x[2], vx=v[0], vy=v[1], vz=v[2])
        s.integrator = integrator
        return s

    def energy_of(self, s, unit=1.0):
        return energy(self.G, self.m, [p.xyz for p in s.particles], [[unit * v for v in p.vxyz] for p in s.particles])

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
        return took, [energy(self.G, self.m, self.x, self.v), self.energy_of(s)], s.steps_done

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
            energies.append(self.energy_of(s))
        return took, energies

    def whfast512(self, settings, dt, every):
        """WHFast512 wants G = 1, no more than 8 planets, and a number of steps that one call of step() makes."""
        unit = np.sqrt(self.G)
        s = self.simulation("whfast512", unit)
        s.G, s.dt, s.exact_finish_time = 1.0, dt * unit, 0
        for name, value in {"concatenate_steps": round(every / dt), "gr_potential": 0, **settings}.items():
            setattr(s.integrator, name, value)
        energies, took = [energy(self.G, self.m, self.x, self.v)], 0
        for _ in range(OUTPUTS):
            begin = time.process_time()
            s.steps(1)
            s.synchronize()
            took += time.process_time() - begin
            energies.append(self.energy_of(s, unit))
        assert abs(s.t / unit / (OUTPUTS * every) - 1) < 1e-6, "WHFast512 made other steps than it was asked for"
        return took, energies


def no_whfast512():
    """Returns why WHFast512 cannot be run here, or None. Older versions of it use other coordinates than whfast."""
    if not hasattr(rebound, "avx512_available"):
        return "REBOUND is older than 5.2"
    if not rebound.avx512_available:
        return "the CPU has no AVX-512, or REBOUND was built without it"
    return None


def compare(name, steps, runs):
    """Prints rows for a list of (label, function that makes run k). All of them run in turns. The first is the reference."""
    made = {label: [] for label, _ in runs}
    for k in range(ROUNDS):
        for label, run in runs:
            made[label].append(run(k))
    print_rows(name, {label: (steps, made[label]) for label in made})


def print_rows(name, rows):
    """Prints a row for each label: (steps, list of (processor time, energies))."""

    def ratio(label, prefix):
        base = next((other for other in rows if other.startswith(prefix)), None)
        return base and statistics.median(mine[0] / its[0] for mine, its in zip(rows[label][1], rows[base][1]))

    for label, (steps, made) in rows.items():
        took = statistics.median(t for t, _ in made)
        ratios = "\t".join(f"{one:.2f}" if one else "-" for one in (ratio(label, "REBOUND"), ratio(label, "REBOUND whfast512")))
        most, rms = errors([energies for _, energies in made])
        print(f"{name}\t{label}\t{steps}\t{took:.3f}\t{1e6 * took / steps:.3f}\t{ratios}\t{most:.1e}\t{rms:.1e}", flush=True)


def planets(name, problem, dt, span_days, dt_said, dt_days):
    """REBOUND as fast as it goes: synchronised only at outputs. Both of its schemes use Jacobi coordinates."""
    every = dt * round(span_days / dt_days / OUTPUTS)
    name, steps = f"{name}, {span_days / 365.25:.6g} years by {dt_said}", OUTPUTS * round(every / dt)
    for corrector, scheme in ((0, "whfast"), (17, "whfast17")):
        said, settings = (f", corrector {corrector}", {"corrector": corrector}) if corrector else ("", {})
        runs = [("REBOUND whfast" + said, lambda k: problem.rebound("whfast", {"safe_mode": 0, **settings}, dt, every))]
        if not no_whfast512():
            runs.append(("REBOUND whfast512" + said, lambda k: problem.whfast512(settings, dt, every)))
        for ours in (scheme, scheme + "-jacobi"):
            runs.append(("nbsim " + ours, lambda k, ours=ours: problem.nbsim("--integrator", ours, "--dt", repr(dt), every=every)))
        compare(name, steps, runs)


def outer_planets(years):
    sh("nbgen", "outer-solar", "-f", "-o", "outer.nbs")
    problem = Problem(2.95912208286e-4, "outer.nbs")
    for days, span in ((100.0, years), (10.0, years / 10)):
        planets("outer planets", problem, days, span * 365.25, f"{days:g} days", days)


def eight_planets(years):
    """All lanes of WHFast512 are in use. The unit of time is a year / (2 pi), so that G = 1."""
    sh("nbgen", "solar", "--units", "gauss", "-f", "-o", "solar.nbs")
    sh("nbedit", "--select", "id < 9", "-f", "-o", "eight.nbs", "solar.nbs")
    dt = float(6 * np.sqrt(2.95912208286e-4))
    planets("eight planets", Problem(1.0, "eight.nbs"), dt, years * 365.25 * 0.06, "6 days", 6.0)


def orbits(count):
    """Of e near 0.5, which no step makes an error of: what rounding does to the energy, for each run on an orbit of its own."""
    dt, problems = 2 * np.pi / 20.37, []
    for k in range(ROUNDS):
        sh("nbgen", "kepler", "-e", str(0.5 + 0.003 * k), "--softening", "0", "-f", "-o", f"kepler-{k}.nbs")
        problems.append(Problem(1.0, f"kepler-{k}.nbs"))
    for n in (count / 100, count):
        every = dt * round(n * 20.37 / OUTPUTS)
        compare(f"{n:g} orbits of e = 0.5", OUTPUTS * round(every / dt),
                [("REBOUND whfast", lambda k: problems[k].rebound("whfast", {"safe_mode": 0}, dt, every)),
                 ("nbsim whfast", lambda k: problems[k].nbsim("--integrator", "whfast", "--dt", repr(dt), every=every))])


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
        print_rows(name, {label: (runs[0][k][2], [run[k][:2] for run in runs]) for k, label in enumerate(("REBOUND ias15", "nbsim ias15"))})


why = no_whfast512()
print(f"# REBOUND {rebound.__version__}, " + (f"without WHFast512: {why}" if why else "with WHFast512"))
print("# problem\tscheme\tsteps\ts\tus/step\ttime over REBOUND's\ttime over WHFast512's\tenergy error\trms")
years = float(sys.argv[1])
outer_planets(years)
eight_planets(years)
orbits(years)
adaptive(years)
