#!/usr/bin/env python3
"""A star cluster on an orbit in a dwarf galaxy: two Nbtools that AMUSE's Bridge couples, in units of their own. The
galaxy is a heavy nucleus that moves in the field of the galaxy's stars, a Plummer sphere. Prints time, distance of the
cluster and relative energy error; exits with 1 if the error reaches 1e-4: bridge.py [STARS [MYR [STEPS_PER_MYR]]]"""

import sys

import numpy
from amuse.couple.bridge import Bridge
from amuse.datamodel import Particles
from amuse.ic.plummer import new_plummer_model
from amuse.units import nbody_system, units
from interface import Nbtools

BOUND = 1e-4


def main(stars=100, end=40, steps=2):
    numpy.random.seed(1)
    in_cluster = nbody_system.nbody_to_si(1e4 | units.MSun, 2 | units.parsec)
    in_galaxy = nbody_system.nbody_to_si(1e8 | units.MSun, 300 | units.parsec)

    cluster = Nbtools(in_cluster)
    cluster.parameters.integrator = "hermite4-groups"
    model = new_plummer_model(stars, convert_nbody=in_cluster)
    model.position += (300, 0, 0) | units.parsec
    model.velocity += (0, 15, 0) | units.kms
    cluster.particles.add_particles(model)

    galaxy = Nbtools(in_galaxy)
    galaxy.parameters.force = "auto external:plummer,mass=1,scale=1"
    nucleus = Particles(1, mass=1e6 | units.MSun, radius=0 | units.parsec)
    nucleus.position = (0, 0, 0) | units.parsec
    nucleus.velocity = (0, 0, 0) | units.kms
    galaxy.particles.add_particles(nucleus)

    bridge = Bridge(timestep=1 / steps | units.Myr)
    bridge.add_system(cluster, (galaxy,))
    bridge.add_system(galaxy, (cluster,))

    def energy():
        """Not that of Bridge, which counts half of what a field without bodies does."""
        at = cluster.particles.copy()
        phi = galaxy.get_potential_at_point(0 * at.x, at.x, at.y, at.z)
        return bridge.kinetic_energy + cluster.potential_energy + galaxy.potential_energy + (at.mass * phi).sum()

    first, worst = energy(), 0
    for k in range(end // 10):
        bridge.evolve_model((k + 1) * 10 | units.Myr)
        error = energy() / first - 1
        worst = max(worst, abs(error))
        distance = cluster.center_of_mass_position.length().value_in(units.parsec)
        print(f"{(k + 1) * 10} Myr, {distance:.1f} pc, energy error {error:.1e}")
    cluster.stop()
    galaxy.stop()
    return int(worst >= BOUND)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
