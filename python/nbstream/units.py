"""Systems of units, physical units by name, and the unit of a column as powers of M, L and T.

Only G times a mass is known accurately. GM of the Sun is the IAU's nominal value (resolution B3, 2015), and its mass in
grams follows with CODATA's G of 2018. The AU is the IAU's of 2012, the parsec that of 2015.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Dict, Mapping, NamedTuple, Optional, Tuple, Union

if TYPE_CHECKING:
    from typing import Protocol

    class AstropyUnit(Protocol):
        """The methods of an astropy unit (or quantity) that are used here."""

        @property
        def cgs(self) -> "AstropyUnit": ...
        def to_string(self) -> str: ...


G_CGS = 6.67430e-8
SUN_CGS = 1.3271244e26 / G_CGS
AU_CGS = 1.495978707e13
PC_CGS = 3.0856775814913673e18
DAY_CGS = 86400.0
YEAR_CGS = 365.25 * DAY_CGS
_GAUSS_DAY = DAY_CGS / 0.01720209895  # Gauss's k, AU^(3/2) Msun^(-1/2) a day
_GAUSS_SUN = AU_CGS**3 / _GAUSS_DAY**2 / G_CGS


class Dimension(NamedTuple):
    """Powers of length, mass and time."""

    length: int = 0
    mass: int = 0
    time: int = 0


LENGTH, MASS, TIME = Dimension(1, 0, 0), Dimension(0, 1, 0), Dimension(0, 0, 1)
VELOCITY, GRAVITY = Dimension(1, 0, -1), Dimension(3, -1, -2)

_POWER = re.compile(r"([*/]?)(?:([LMT])(?:\^(-?\d+))?|1(?=/|$))")


def dimension_of(unit: str) -> Dimension:
    """Returns the powers in a column's unit such as ``L/T^2``. ``-`` has none.

    >>> dimension_of("M/T^2")
    Dimension(length=0, mass=1, time=-2)
    """
    powers, at = {"L": 0, "M": 0, "T": 0}, 0
    while at < len(unit) and unit != "-":
        match = _POWER.match(unit, at)
        if not match:
            raise ValueError(f"unit '{unit}' is not a product of powers of M, L and T")
        sign, letter, power = match.groups()
        if letter:
            powers[letter] += int(power or 1) * (-1 if sign == "/" else 1)
        at = match.end()
    return Dimension(powers["L"], powers["M"], powers["T"])


@dataclass(frozen=True)
class Units:
    """A system of units: its name, and the sizes of its units in cm, g and s (0: no physical size)."""

    name: str = "code"
    length_cgs: float = 0.0
    mass_cgs: float = 0.0
    time_cgs: float = 0.0

    @property
    def is_physical(self) -> bool:
        """Whether all three units have a physical size."""
        return self.length_cgs > 0 and self.mass_cgs > 0 and self.time_cgs > 0

    @property
    def velocity_cgs(self) -> float:
        """The unit of velocity in cm/s, or 0 without a physical size."""
        return self.length_cgs / self.time_cgs if self.time_cgs > 0 else 0.0

    def size_cgs(self, dimension: Dimension) -> float:
        """Returns the size in cgs of a unit of this dimension."""
        if not self.is_physical:
            raise ValueError(f"units '{self.name}' have no physical sizes; with_units() gives them some")
        return float(self.length_cgs**dimension.length * self.mass_cgs**dimension.mass * self.time_cgs**dimension.time)

    def factor(self, dimension: Dimension, to: Units) -> float:
        """Returns the factor that converts a value from these units to others."""
        return self.size_cgs(dimension) / to.size_cgs(dimension)


SYSTEMS: Mapping[str, Tuple[Units, float]] = {
    "code": (Units(), 1.0),
    "galactic": (
        Units("galactic", 1e3 * PC_CGS, 1e10 * SUN_CGS, 1e3 * PC_CGS / 1e5),
        1e10 * 1.3271244e26 / (1e3 * PC_CGS * 1e5 * 1e5),
    ),
    "solar": (Units("solar", AU_CGS, SUN_CGS, YEAR_CGS), 1.3271244e26 * YEAR_CGS * YEAR_CGS / (AU_CGS**3)),
    "gauss": (Units("gauss", AU_CGS, _GAUSS_SUN, _GAUSS_DAY), 1.0),
}
"""The systems that nbgen and nbconv know by name, each with its gravitational constant."""


def system(name: str) -> Tuple[Units, float]:
    """Returns the system with this name, and its G."""
    if name not in SYSTEMS:
        raise ValueError(f"unknown units '{name}'; known units: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


_NAMED: Dict[str, Tuple[float, Dimension]] = {
    **{name: (size, LENGTH) for name, size in {
        "cm": 1.0, "m": 1e2, "km": 1e5, "AU": AU_CGS, "au": AU_CGS, "ly": 9.4607304725808e17,
        "pc": PC_CGS, "kpc": 1e3 * PC_CGS, "Mpc": 1e6 * PC_CGS,
    }.items()},
    **{name: (size, MASS) for name, size in {"g": 1.0, "kg": 1e3, "Msun": SUN_CGS}.items()},
    **{name: (size, TIME) for name, size in {
        "s": 1.0, "day": DAY_CGS, "d": DAY_CGS, "yr": YEAR_CGS, "kyr": 1e3 * YEAR_CGS, "Myr": 1e6 * YEAR_CGS,
        "Gyr": 1e9 * YEAR_CGS,
    }.items()},
}  # fmt: skip

UnitLike = Union[str, "AstropyUnit"]


def _named(name: str, whole: str) -> Tuple[float, Dimension]:
    if name not in _NAMED:
        raise ValueError(f"unit '{whole}' is not known; there are {', '.join(_NAMED)}, and quotients such as km/s")
    return _NAMED[name]


def parse_unit(unit: UnitLike) -> Tuple[float, Dimension]:
    """Returns the size in cgs and the dimension of a unit: a name or a quotient, with a factor, or an astropy unit.

    >>> parse_unit("km/s")
    (100000.0, Dimension(length=1, mass=0, time=-1))
    >>> parse_unit("1e10 Msun")[0] == 1e10 * SUN_CGS
    True
    """
    if not isinstance(unit, str):
        return _from_astropy(unit)
    number, _, rest = unit.strip().rpartition(" ")
    try:
        factor = float(number) if number else 1.0
    except ValueError:
        raise ValueError(f"unit '{unit}' is not a unit with a number before it, such as '1e10 Msun'") from None
    if not 0 < factor < float("inf"):
        raise ValueError(f"unit '{unit}' is not above 0")
    above, *below = rest.split("/")
    size, dimension = _named(above, unit)
    for name in below:
        more, less = _named(name, unit)
        size, dimension = size / more, Dimension(*(a - b for a, b in zip(dimension, less)))
    return factor * size, dimension


def _from_astropy(unit: AstropyUnit) -> Tuple[float, Dimension]:
    from astropy import units

    factor = units.Unit(unit).cgs
    powers = dict(zip((base.to_string() for base in factor.bases), factor.powers))
    dimension = Dimension(int(powers.pop("cm", 0)), int(powers.pop("g", 0)), int(powers.pop("s", 0)))
    if powers:
        raise ValueError(f"unit '{unit}' is not made of length, mass and time")
    return float(factor.scale), dimension


def make_units(*units: UnitLike, name: Optional[str] = None, G: Optional[float] = None) -> Units:
    """Returns the system with these units, such as ``make_units("kpc", "km/s", "1e10 Msun")``.

    The units are a length, a mass, and a time or a velocity, in any order. With ``G``, the gravitational constant as a
    number in that system, two of the three are enough.
    """
    sizes: Dict[Dimension, float] = {}
    for unit in units:
        size, dimension = parse_unit(unit)
        if dimension not in (LENGTH, MASS, TIME, VELOCITY) or dimension in sizes:
            raise ValueError(f"'{unit}': wanted are a length, a mass, and a time or a velocity, each once")
        sizes[dimension] = size
    length, mass, time = _complete(sizes, G)
    if not (length and mass and time and len(sizes) + (G is not None) == 3):
        wanted = "a length, a mass, and a time or a velocity"
        raise ValueError(f"units {', '.join(map(str, units)) or 'none'}: wanted are {wanted}")
    same = (s.name for s, _ in SYSTEMS.values() if _close(s, length, mass, time))
    return Units(name or next(same, "physical"), length, mass, time)


def _complete(sizes: Dict[Dimension, float], G: Optional[float]) -> Tuple[float, float, float]:
    """Returns length, mass and time, computed from the given ones; 0 for a unit that does not follow."""
    length, mass, time = (sizes.get(d, 0.0) for d in (LENGTH, MASS, TIME))
    velocity = sizes.get(VELOCITY, 0.0)
    if velocity and length and not time:
        time = length / velocity
    elif velocity and time and not length:
        length = velocity * time
    elif velocity and mass and G and not (length or time):
        length = G_CGS * mass / (G * velocity * velocity)
        time = length / velocity
    if G and length and mass and not time:
        time = float((G * length**3 / (G_CGS * mass)) ** 0.5)
    elif G and length and time and not mass:
        mass = G * length**3 / (G_CGS * time * time)
    elif G and mass and time and not length:
        length = float((G_CGS * mass * time * time / G) ** (1 / 3))
    return length, mass, time


def _close(s: Units, length: float, mass: float, time: float) -> bool:
    pairs = ((s.length_cgs, length), (s.mass_cgs, mass), (s.time_cgs, time))
    return all(abs(a - b) <= 1e-12 * b for a, b in pairs)
