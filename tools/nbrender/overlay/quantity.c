#include "nbrender/overlay/quantity.h"

#include "units.h"

struct unit {
    const char *name;
    double cgs, least; /* it serves from so many of it on */
};

static struct quantity choose(const struct unit *unit, double own_cgs, double value)
{
    if (!(own_cgs > 0))
        return (struct quantity){1, ""};
    while (unit->least > 0 && !(value * own_cgs >= unit->least * unit->cgs))
        unit++;
    return (struct quantity){own_cgs / unit->cgs, unit->name};
}

struct quantity quantity_length(const struct nb_units *units, double length)
{
    static const struct unit table[] = {{"Mpc", 1e3 * NB_KPC_CGS, 1},
                                        {"kpc", NB_KPC_CGS, 0.1},
                                        {"pc", 1e-3 * NB_KPC_CGS, 0.1},
                                        {"AU", NB_AU_CGS, 0.1},
                                        {"km", 1e5, 0}};
    return choose(table, units->length_cgs, length);
}

struct quantity quantity_time(const struct nb_units *units, double apart)
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
