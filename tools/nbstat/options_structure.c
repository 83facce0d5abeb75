/* options_structure.c - the options for measurements of the structure of a system. */
#include "nbstat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take_percents(const struct tool_option *o, const char *text)
{
    struct stat_options *given = &stat_given;
    char *list = tool_copy(text), *rest = list;
    given->percent_count = 0;
    for (const char *word; (word = strsep(&rest, ","));) {
        const double value = tool_positive(o->name, word);
        if (value > 100)
            die_usage("--%s: %s is above 100 percent", o->name, word);
        if (given->percent_count == STAT_RADII_MOST)
            die_usage("--%s: more than %d percentages", o->name, STAT_RADII_MOST);
        for (int k = 0; k < given->percent_count; k++)
            if (given->percents[k] == value)
                die_usage("--%s: %s appears twice", o->name, word);
        given->percents[given->percent_count++] = value;
    }
    free(list);
}

static void take_direction(const char *option, const char *text, double axis[3])
{
    char *list = tool_copy(text), *rest = list;
    int count = 0;
    for (const char *word; (word = strsep(&rest, ",")) && count < 4; count++)
        if (count < 3)
            axis[count] = tool_number(option, word);
    if (count != 3)
        die_usage("--%s %s: expected x, y, z, spin or a direction X,Y,Z", option, text);
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        die_usage("--%s %s: the direction has length 0", option, text);
    free(list);
}

static void take_axis(const struct tool_option *o, const char *text)
{
    struct stat_options *given = &stat_given;
    const bool letter = strlen(text) == 1 && strchr("xyz", *text);
    given->spin = strcmp(text, "spin") == 0;
    for (int k = 0; k < 3 && letter; k++)
        given->axis[k] = *text == "xyz"[k];
    if (!given->spin && !letter)
        take_direction(o->name, text, given->axis);
}

static void take_range(const struct tool_option *o, const char *text)
{
    double *range = stat_given.range;
    tool_pair(o->name, text, &range[0], &range[1]);
    if (!(range[0] >= 0 && range[0] < range[1]))
        die_usage("--%s %s: expected two radii A,B with 0 <= A < B", o->name, text);
}

const struct tool_option stat_table_structure[] = {
    {.about = "Additional measures of each frame:"},
    {"columns", "LIST", tool_take_text, &stat_given.columns,
     "only these columns, in this order, such as time,energy_error,r50. Other columns are not computed",
     .offer = stat_columns_offer},
    {"lagrange", "LIST", take_percents, NULL, "Lagrangian radii for these percentages of the mass, such as 10,50,90"},
    {"modes", NULL, tool_take_flag, &stat_given.modes,
     "Fourier amplitudes a1 to a4 about the axis, |sum m exp(i k phi)| / sum m, and their phases"},
    {"within", "R", tool_take_positive, &stat_given.within, "restrict --modes to bodies nearer than R to the axis",
     .needs = "modes"},
    {"escaped", NULL, tool_take_flag, &stat_given.escaped,
     "fractions of the mass and of the bodies with v^2 / 2 + phi > 0"},
    {"distance", NULL, tool_take_flag, &stat_given.distance,
     "distances and relative speeds of galaxies, by the column galaxy"},
    {"about", "density|com", tool_take_word, &stat_given.about,
     "centre of radii: density centre or centre of mass (default density)", NB_ABOUT_DENSITY},
    {"axis", "x|y|z|spin|X,Y,Z", take_axis, NULL,
     "axis of angles: x, y, z, a direction X,Y,Z, or the angular momentum about the centre (default z)",
     .needs = "modes|radial"},
    {.about = "Radial profiles, a line for each bin:"},
    {"radial", "spherical|cylindrical", tool_take_word, &stat_given.kind,
     "density, mean velocities, dispersions and circular speed, for the last frame or those of --frame", STAT_SPHERICAL,
     .excludes = "lagrange|modes|escaped|distance|max-de|max-dp|max-dl"},
    {"bins", "N", tool_take_integer, &stat_given.bins,
     "number of bins, 1 to 1000 (default 20). They hold equal numbers of bodies, unless --range is given", 1,
     NB_PROFILE_MOST, "not 1 to 1000", .needs = "radial"},
    {"range", "A,B", take_range, NULL, "bins from radius A to B in equal steps of log r, or of r if A is 0",
     .needs = "radial"},
    {.about = "Binaries, a line for each bound pair:"},
    {"binaries", NULL, tool_take_word, &stat_given.kind,
     "ids, masses, semi-major axis, eccentricity, period, binding energy and hardness, also of triples and quadruples",
     STAT_PAIRS, .excludes = "radial|lagrange|modes|escaped|distance|about|max-de|max-dp|max-dl"},
    {0},
};

/* Warns if all percentages are at most 1, because the user may have meant fractions of the mass. */
static void warn_of_shares(const struct stat_options *o)
{
    double least = INFINITY, most = 0;
    for (int k = 0; k < o->percent_count; k++) {
        least = fmin(least, o->percents[k]);
        most = fmax(most, o->percents[k]);
    }
    if (least < 1 && most <= 1)
        warn("--lagrange %g: interpreted as %g percent of the mass (for the fraction %g give %g)", least, least, least,
             100 * least);
}

void stat_structure_check(const struct stat_options *o)
{
    warn_of_shares(o);
    if (o->escaped && o->potential == POTENTIAL_NONE)
        die_usage("--escaped needs the potential, but --potential none omits it");
}
