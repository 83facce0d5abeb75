#!/usr/bin/env python3
"""A star cluster on an orbit around a heavy point: two systems that kick each other and move by themselves in between
(Fujii et al. 2007, PASJ 59, 1095). Prints the relative error of the energy of both at each time: bridge.py [N [DT]]"""

import sys

import nbstream
from nbstream import engine

size = int(sys.argv[1]) if len(sys.argv) > 1 else 500
dt = float(sys.argv[2]) if len(sys.argv) > 2 else 1 / 32

stars = engine.System(nbstream.gen("plummer", n=size, seed=1).read()[0])
galaxy = engine.System(mass=[50.0], pos=[[12.0, 0, 0]], vel=[[0, 0, 0]])
stars.kick([[0, (50 / 12) ** 0.5, 0]] * size)


def kick(system, by, time):
    acc, _ = by.field(system.pos)
    return acc * time


def energy():
    _, phi = galaxy.field(stars.pos)
    return stars.energies().total + galaxy.energies().total + (stars.mass * phi).sum()


first = energy()
for step in range(round(2 / dt)):
    for half in (0, 1):
        if half:
            for system in (stars, galaxy):
                system.advance((step + 1) * dt)
        # Both fields are those of one moment.
        kicks = kick(stars, galaxy, dt / 2), kick(galaxy, stars, dt / 2)
        stars.kick(kicks[0])
        galaxy.kick(kicks[1])
    if (step + 1) * dt % 0.5 == 0:
        print(f"{stars.time:g} {(energy() - first) / first:.1e}")
