/* units.c - systems of units, and units of columns. Declared in units.h. */
#include "base/units.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AU3       (NB_AU_CGS * NB_AU_CGS * NB_AU_CGS)
#define KM_S_CGS  1e5
#define SOLAR_G   (NB_GM_SUN_CGS * NB_YEAR_CGS * NB_YEAR_CGS / AU3)
#define GAUSS_DAY (NB_DAY_CGS / NB_GAUSS_K_PER_DAY)

const struct nb_unit_system nb_unit_systems[] = {
    {{"code", 0, 0, 0}, 1},
    {{"galactic", NB_KPC_CGS, 1e10 * NB_SUN_CGS, NB_KPC_CGS / KM_S_CGS},
     1e10 * NB_GM_SUN_CGS / (NB_KPC_CGS * KM_S_CGS * KM_S_CGS)},
    {{"solar", NB_AU_CGS, NB_SUN_CGS, NB_YEAR_CGS}, SOLAR_G},
    /* The unit of mass is the mass of the Sun, computed from the Gaussian gravitational constant k, so that G is 1.
     * This mass differs from NB_SUN_CGS in the tenth digit. */
    {{"gauss", NB_AU_CGS, AU3 / (GAUSS_DAY * GAUSS_DAY) / NB_G_CGS, GAUSS_DAY}, 1},
    {{"", 0, 0, 0}, 0},
};

const struct nb_unit_system *nb_units_find(const char *name)
{
    char list[NB_NAME_MAX * 4] = "";
    for (const struct nb_unit_system *s = nb_unit_systems; s->units.name[0]; s++) {
        if (strcmp(name, s->units.name) == 0)
            return s;
        strncat(list, list[0] ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, s->units.name, sizeof list - strlen(list) - 1);
    }
    return nb_null(nb_fail("unknown units '%s'; known units: %s", name, list));
}

bool nb_units_same(const struct nb_units *a, const struct nb_units *b)
{
    /* the names are compared only if the sizes in cgs units are unknown */
    const bool sizes = a->length_cgs > 0 && a->mass_cgs > 0 && a->time_cgs > 0;
    return a->length_cgs == b->length_cgs && a->mass_cgs == b->mass_cgs && a->time_cgs == b->time_cgs &&
           (sizes || strcmp(a->name, b->name) == 0);
}

/* ---- units of columns ---- */

/* Parses "^POWER" at *unit. Sets *power to 1 if there is no ^. */
static bool parse_power(const char **unit, double *power)
{
    char *end;
    *power = 1;
    if (**unit != '^')
        return true;
    *power = strtod(*unit + 1, &end);
    const bool is = end > *unit + 1 && fabs(*power) <= 100;
    *unit = end;
    return is;
}

bool nb_unit_powers(const char *unit, double powers[3])
{
    static const char symbols[] = "MLT";
    powers[0] = powers[1] = powers[2] = 0;
    if (strcmp(unit, "-") == 0)
        return true;
    const bool inverse = unit[0] == '1' && unit[1] == '/';
    int sign = inverse ? -1 : 1;
    for (unit += inverse ? 2 : 0; *unit;) {
        const char *symbol = strchr(symbols, *unit++);
        double power;
        if (!symbol || !parse_power(&unit, &power))
            return false;
        powers[symbol - symbols] += sign * power;
        sign = *unit == '/' ? -1 : sign; /* all units after a slash are divisors */
        if ((*unit == '/' || *unit == '*' || *unit == ' ') && !*++unit)
            return false;
    }
    return true;
}
