#include "base/units.h"

#include "base/error.h"

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
    /* Gauss's Sun, from his k: it differs from the IAU's in the tenth digit, and only so is G = 1. */
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
    return nb_null(nb_fail("units '%s' are not known; there are %s", name, list));
}

bool nb_units_same(const struct nb_units *a, const struct nb_units *b)
{
    const bool sizes = a->length_cgs > 0 && a->mass_cgs > 0 && a->time_cgs > 0; /* then no name is needed */
    return a->length_cgs == b->length_cgs && a->mass_cgs == b->mass_cgs && a->time_cgs == b->time_cgs &&
           (sizes || strcmp(a->name, b->name) == 0);
}
