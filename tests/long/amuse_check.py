#!/usr/bin/env python3
"""The code of examples/amuse against what is known: amuse_check.py orbit|bodies|sums|coupled|refused"""

import sys

import numpy as np
from amuse.couple.bridge import Bridge
from amuse.datamodel import Particles
from amuse.ic.plummer import new_plummer_model
from amuse.support.exceptions import AmuseException
from amuse.units import constants, nbody_system, units
from interface import Nbtools

E, MASS = 0.5, np.array([1, 1e-3])
PERIOD = 2 * np.pi * ((1 | units.AU) ** 3 / (constants.G * (MASS.sum() | units.MSun))).sqrt()
SPEED = (1 | units.AU) / PERIOD
CONVERTER = nbody_system.nbody_to_si(2 | units.MSun, 3 | units.AU)  # no unit is one of the orbit


def kepler(periods):
    """Position and velocity in AU and AU per period, with the pericentre at time 0."""
    m = 2 * np.pi * periods
    u = m
    for _ in range(100):
        u -= (u - E * np.sin(u) - m) / (1 - E * np.cos(u))
    b, rate = np.sqrt(1 - E**2), 2 * np.pi / (1 - E * np.cos(u))
    return np.array([np.cos(u) - E, b * np.sin(u), 0]), rate * np.array([-np.sin(u), b * np.cos(u), 0])


def pair():
    x, v = kepler(0)
    p = Particles(2, mass=MASS | units.MSun, radius=[2, 3] | units.km)
    p.position = [0 * x, x] | units.AU
    p.velocity = np.array([0 * v, v]) * SPEED
    return p


def check_orbit(sun, planet, periods):
    x = (planet.position - sun.position).value_in(units.AU)
    v = (planet.velocity - sun.velocity) / SPEED
    for found, true in zip((x, v), kepler(periods)):
        assert np.abs(found - true).max() < 1e-9, (periods, found, true)


def fails(reason, function, *arguments):
    try:
        function(*arguments)
    except AmuseException as error:
        assert reason in str(error), error
        return
    raise AssertionError(f"no error: {reason}")


def orbit():
    begin = 7 | units.yr
    code = Nbtools(CONVERTER)
    code.parameters.begin_time = begin
    code.particles.add_particles(pair())
    energy = -constants.G * MASS.prod() * (1 | units.MSun) ** 2 / (2 | units.AU)
    motion = MASS[0] * 0.5 * code.total_mass * code.center_of_mass_velocity.length() ** 2
    for periods in 0, 0.3, 1, 4.7, 10:
        code.evolve_model(begin + periods * PERIOD)
        assert abs((code.model_time - begin) / PERIOD - periods) < 1e-12
        check_orbit(*code.particles, periods)
        assert abs((code.kinetic_energy + code.potential_energy - motion) / energy - 1) < 1e-9
    code.evolve_model(begin)
    check_orbit(*code.particles, 0)
    assert code.get_option("integrator") == "ias15"
    code.stop()


def bodies():
    code = Nbtools(CONVERTER)
    heavy = Particles(2, mass=5 | units.MSun, radius=1 | units.km)
    heavy.position = [[0, 0, 2], [0, 3, 0]] | units.AU
    heavy.velocity = [0, 0, 0] | units.kms
    sun, planet = pair()
    for one in sun, heavy[0], planet, heavy[1]:
        code.particles.add_particle(one)
    code.particles.remove_particle(heavy[1])  # not yet one of the library's
    assert abs(code.total_mass / (6.001 | units.MSun) - 1) < 1e-14
    code.particles.remove_particle(heavy[0])
    code.evolve_model(2.3 * PERIOD)
    check_orbit(*code.particles, 2.3)
    assert code.particles.radius.value_in(units.km).round(9).tolist() == [2, 3]
    fails("errorcode is -1", code.get_mass, 1)

    code.particles.remove_particle(planet)
    assert len(code.particles) == code.get_number_of_particles() == 1
    planet.position += code.particles[0].position
    planet.velocity += code.particles[0].velocity
    code.particles.add_particle(planet)
    code.evolve_model((2.3 + 1.6) * PERIOD)
    check_orbit(*code.particles, 1.6)

    x, v = kepler(0.4)  # from here the planet goes on as from there
    code.particles[1].position = code.particles[0].position + (x | units.AU)
    code.particles[1].velocity = code.particles[0].velocity + v * SPEED
    code.evolve_model((2.3 + 2.2) * PERIOD)
    check_orbit(*code.particles, 1.0)
    code.stop()


def sums():
    """Fields, energies and centres against sums by numpy."""
    length, mass = nbody_system.length, nbody_system.mass
    model, eps2 = new_plummer_model(300), 0.01
    model.mass *= np.linspace(0.5, 1.5, 300)
    x, v, m = model.position.value_in(length), model.velocity.value_in(nbody_system.speed), model.mass.value_in(mass)
    code = Nbtools()
    code.parameters.force = "direct"
    code.parameters.epsilon_squared = eps2 | length**2
    code.particles.add_particles(model)

    def near(found, true):
        assert np.abs(found.number - true).max() < 1e-12 * np.abs(true).max(), (found, true)

    def potential(at):
        return -m / np.sqrt(((at[:, None] - x) ** 2).sum(2) + eps2)

    at = np.random.normal(size=(50, 3))
    acc = (potential(at)[:, :, None] ** 3 / m[:, None] ** 2 * (at[:, None] - x)).sum(1)
    asked = np.zeros(50) | length, *(at.T | length)
    near(code.get_potential_at_point(*asked), potential(at).sum(1))
    for found, true in zip(code.get_gravity_at_point(*asked), acc.T):
        near(found, true)

    def check():
        pairs = potential(x)
        np.fill_diagonal(pairs, 0)
        near(code.potential_energy, (m[:, None] * pairs).sum() / 2)
        near(code.kinetic_energy, (m * (v**2).sum(1)).sum() / 2)
        centre = np.average(x, axis=0, weights=m)
        near(code.center_of_mass_position, centre)
        near(code.center_of_mass_velocity, np.average(v, axis=0, weights=m))
        near(code.get_total_radius(), np.sqrt(((x - centre) ** 2).sum(1)).max())

    check()
    x = x * 2 + [1, 2, 3]
    code.particles.position = x | length
    check()
    v = v * 2 + [1, 2, 3]
    code.particles.velocity = v | nbody_system.speed
    check()
    m = m[::-1] * 3
    code.particles.mass = m | mass
    check()
    code.stop()


def couple(steps):
    """The error of the position after half a period of sun and planet in two codes, by Bridge with steps a period."""
    sun, planet = codes = [Nbtools(CONVERTER), Nbtools(nbody_system.nbody_to_si(1 | units.MJupiter, 1 | units.AU))]
    for code, body in zip(codes, pair()):
        code.particles.add_particle(body)
    both = Bridge(timestep=PERIOD / steps)
    both.add_system(sun, (planet,))
    both.add_system(planet, (sun,))
    before = both.particles.center_of_mass_velocity()
    both.evolve_model(PERIOD / 2)
    assert (both.particles.center_of_mass_velocity() - before).length() < 1e-12 * SPEED
    found = (planet.particles[0].position - sun.particles[0].position).value_in(units.AU)
    for code in codes:
        code.stop()
    return np.abs(found - kepler(0.5)[0]).max()


def coupled():
    """Bridge is of second order: half the step, a quarter of the error."""
    errors = [couple(steps) for steps in (250, 500, 1000)]
    assert errors[2] < 1e-3 and np.abs(np.divide(errors[:2], errors[1:]) - 4).max() < 0.05, errors


def refused():
    """An error is an exception with the library's reason, and the code can go on."""
    code = Nbtools(CONVERTER)
    fails("nonsense", setattr, code.parameters, "force", "direct nonsense")
    fails("never", setattr, code.parameters, "integrator", "never")
    code.parameters.force = "auto"
    code.parameters.integrator = "hermite4"
    code.parameters.tolerance = "1e-8"
    fails("bodies", code.evolve_model, PERIOD)
    code.parameters.integrator, code.parameters.tolerance = "", ""
    code.particles.add_particles(pair())
    fails("cannot advance to", code.evolve_model, np.inf * PERIOD)
    code.evolve_model(PERIOD)
    check_orbit(*code.particles, 1)
    fails("not supported", setattr, code.parameters, "begin_time", PERIOD)
    code.stop()


if __name__ == "__main__":
    {"orbit": orbit, "bodies": bodies, "sums": sums, "coupled": coupled, "refused": refused}[sys.argv[1]]()
