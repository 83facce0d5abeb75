/* Chooses the units in which lengths, times and other quantities are shown. */
#include "nbrender/overlay/overlay.h"

#include "base/units.h"

struct unit {
    const char *name;
    /* cgs: size of the unit in cgs units; least: minimum value, in this unit, for which the unit is chosen */
    double cgs, least;
};

static struct shown_unit choose(const struct unit *unit, double own_cgs, double value)
{
    if (!(own_cgs > 0))
        return (struct shown_unit){1, ""};
    while (unit->least > 0 && !(value * own_cgs >= unit->least * unit->cgs))
        unit++;
    return (struct shown_unit){own_cgs / unit->cgs, unit->name};
}

struct shown_unit shown_unit_of_length(const struct nb_units *units, double length)
{
    static const struct unit table[] = {{"Mpc", 1e3 * NB_KPC_CGS, 1},
                                        {"kpc", NB_KPC_CGS, 0.1},
                                        {"pc", 1e-3 * NB_KPC_CGS, 0.1},
                                        {"AU", NB_AU_CGS, 0.1},
                                        {"km", 1e5, 0}};
    return choose(table, units->length_cgs, length);
}

struct shown_unit shown_unit_of_time(const struct nb_units *units, double apart)
{
    static const double digits = 0.02 * (1 - 1e-9);
    static const struct unit table[] = {{"Gyr", 1e9 * NB_YEAR_CGS, digits},
                                        {"Myr", 1e6 * NB_YEAR_CGS, digits},
                                        {"kyr", 1e3 * NB_YEAR_CGS, digits},
                                        {"yr", NB_YEAR_CGS, digits},
                                        {"d", NB_DAY_CGS, digits},
                                        {"h", 3600, digits},
                                        {"s", 1, 0}};
    return choose(table, units->time_cgs, apart);
}

/* Units of quantities. `unit`: dimension of the quantity, for example "L/T"; `name`: name of the unit in pictures;
 * `cgs`: size of the named unit in cgs units. */
static const struct known {
    const char *unit, *name;
    int mass, length, time; /* exponents of M, L and T in `unit` */
    double cgs;
} known[] = {
    {"L/T", "km/s", 0, 1, -1, 1e5},
    {"L^2/T^2", "km\xc2\xb2/s\xc2\xb2", 0, 2, -2, 1e10},
    {"L/T^2", "km/s/Myr", 0, 1, -2, 1e5 / (1e6 * NB_YEAR_CGS)},
    {"M", "Msun", 1, 0, 0, NB_SUN_CGS},
    {"M/L^2", "Msun/pc\xc2\xb2", 1, -2, 0, NB_SUN_CGS / (1e-6 * NB_KPC_CGS * NB_KPC_CGS)},
    {"M/L^3", "Msun/pc\xc2\xb3", 1, -3, 0, NB_SUN_CGS / (1e-9 * NB_KPC_CGS * NB_KPC_CGS * NB_KPC_CGS)},
};

static double power(double x, int n)
{
    double product = 1;
    for (; n > 0; n--)
        product *= x;
    for (; n < 0; n++)
        product /= x;
    return product;
}

struct shown_unit shown_unit_of(const struct nb_units *units, const char *unit, double value)
{
    const bool physical = units->length_cgs > 0 && units->mass_cgs > 0 && units->time_cgs > 0;
    if (strcmp(unit, "K") == 0) /* kelvin do not depend on the stream's units */
        return (struct shown_unit){1, unit};
    if (strcmp(unit, "-") == 0 || !physical)
        return (struct shown_unit){1, ""};
    if (strcmp(unit, "L") == 0)
        return shown_unit_of_length(units, value);
    if (strcmp(unit, "T") == 0)
        return shown_unit_of_time(units, value);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(unit, known[k].unit) == 0)
            return (struct shown_unit){power(units->mass_cgs, known[k].mass) *
                                           power(units->length_cgs, known[k].length) *
                                           power(units->time_cgs, known[k].time) / known[k].cgs,
                                       known[k].name};
    return (struct shown_unit){1, unit};
}
