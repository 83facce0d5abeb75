"""Prints the table of PLUMMER="N TIME ..." bench/rebound.sh: Plummer spheres without softening, on one thread, in double precision.

A row is one integrator with one tolerance. It has the processor time of ROUNDS runs (the median; rows take turns), its ratio to
that of the first row (the median over the rounds) and the largest |dE / E0| of eight outputs. nbstat sums the energies of both
programs. REBOUND's time is the time of its steps. nbsim's time is the time of the whole process, with reading and writing.
The environment may set ROUNDS, OUTPUTS and METHODS, words NAME:TOLERANCE with an integrator of nbsim or `rebound`."""

import os
import resource
import statistics
import subprocess
import sys
import time

import rebound

ROUNDS, OUTPUTS = int(os.environ.get("ROUNDS", "3")), int(os.environ.get("OUTPUTS", "8"))
METHODS = os.environ.get(
    "METHODS", "hermite4-block:1e-2 hermite4-block:1e-3 hermite4:1e-2 hermite4:1e-3 rkf78:1e-5 rkf78:1e-6 ias15:1e-2 rebound:1e-2"
).split()


def sh(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def largest_error(file):
    return max(abs(float(line)) for line in sh("nbstat", "--potential", "direct", "--csv", "--columns", "energy_error", file).split()[1:])


def nbsim(name, tolerance, until):
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    sh("nbsim", "-q", "--device", "cpu", "--threads", "1", "--precision", "double", "--integrator", name, "--tolerance", tolerance,
       "--max-de", "inf", "--until", repr(until), "--every", repr(until / OUTPUTS), "-f", "-o", "out.nbs", "in.nbs")
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime


def ias15(tolerance, until, bodies):
    sim = rebound.Simulation()
    sim.integrator = "ias15"
    # The integrator's own settings are members of the simulation before version 5.
    (sim.integrator if hasattr(sim.integrator, "epsilon") else sim.ri_ias15).epsilon = float(tolerance)
    for m, x, y, z, vx, vy, vz in bodies:
        sim.add(m=m, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    took, files = 0, []
    for k in range(OUTPUTS + 1):
        begin = time.process_time()
        if k:
            sim.integrate(k * until / OUTPUTS)
        took += time.process_time() - begin
        rows = "".join(" ".join(map(repr, (p.m, p.x, p.y, p.z, p.vx, p.vy, p.vz))) + "\n" for p in sim.particles)
        sh("nbconv", "--from", "text", "-q", "-f", "--time", repr(k * until / OUTPUTS), "-o", f"frame{k}.nbs", "-",
           input="# mass x y z vx vy vz\n" + rows)
        files.append(f"frame{k}.nbs")
    with open("out.nbs", "wb") as out:
        for file in files:
            with open(file, "rb") as part:
                out.write(part.read())
    return took


print("# n\ttime\tintegrator\ttolerance\tseconds\tratio\tenergy_error")
for n, until in zip(sys.argv[1::2], map(float, sys.argv[2::2])):
    sh("nbgen", "plummer", "-n", n, "--seed", "1", "--softening", "0", "-q", "-f", "-o", "in.nbs")
    text = sh("nbconv", "--to", "text", "--columns", "mass,pos,vel", "in.nbs")
    bodies = [[float(word) for word in line.split()] for line in text.splitlines() if line[0] != "#"]
    times, errors = {}, {}
    for _ in range(ROUNDS):
        for method in METHODS:
            name, tolerance = method.split(":")
            took = ias15(tolerance, until, bodies) if name == "rebound" else nbsim(name, tolerance, until)
            times.setdefault(method, []).append(took)
            errors[method] = errors.get(method) or largest_error("out.nbs")
    for method in METHODS:
        name, tolerance = method.replace("rebound", "REBOUND ias15").split(":")
        ratio = statistics.median(a / b for a, b in zip(times[method], times[METHODS[0]]))
        print(f"{n}\t{until}\t{name}\t{tolerance}\t{statistics.median(times[method]):.3g}\t{ratio:.3g}\t{errors[method]:.2g}")
