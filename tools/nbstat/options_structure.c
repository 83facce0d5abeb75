/* The options on how a system is built. */
#include "nbstat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_COLUMNS = 512,
    KEY_LAGRANGE,
    KEY_MODES,
    KEY_WITHIN,
    KEY_ESCAPED,
    KEY_DISTANCE,
    KEY_ABOUT,
    KEY_AXIS,
    KEY_RADIAL,
    KEY_BINS,
    KEY_RANGE
};

static const struct tool_option table[] = {
    {.about = "What else to measure of each frame:"},
    {"columns", KEY_COLUMNS, "LIST", 0,
     "only these columns, in this order, such as time,energy_error,r50; what none of them needs is not computed",
     stat_columns_offer},
    {"lagrange", KEY_LAGRANGE, "LIST", 0, "radii that hold these percentages of the mass, such as 10,50,90"},
    {"modes", KEY_MODES, 0, 0,
     "amplitudes a1 to a4 of the density about the axis, |sum m exp(i k phi)| / sum m, and their phases"},
    {"within", KEY_WITHIN, "R", 0, "take for --modes only bodies that are nearer than R to the axis", .needs = "modes"},
    {"escaped", KEY_ESCAPED, 0, 0, "shares of the mass and of the bodies with v^2 / 2 + phi > 0"},
    {"distance", KEY_DISTANCE, 0, 0, "distances and relative speeds of galaxies, by the column galaxy"},
    {"about", KEY_ABOUT, "density|com", 0,
     "where radii begin: density, the density centre (the default), or com, of mass"},
    {"axis", KEY_AXIS, "x|y|z|spin|X,Y,Z", 0,
     "what angles are about: x, y, z (the default), a direction X,Y,Z, or spin, the angular momentum about the centre",
     .needs = "modes|radial"},
    {.about = "Instead of a line for each frame, one for each bin of radius:"},
    {"radial", KEY_RADIAL, "spherical|cylindrical", 0,
     "density, mean velocities, dispersions, circular speed; of the last frame or --frame",
     .excludes = "lagrange|modes|escaped|distance|max-de|max-dp|max-dl"},
    {"bins", KEY_BINS, "N", 0, "how many bins, 1 to 1000 (default 20); they hold equal numbers of bodies, unless with",
     .needs = "radial"},
    {"range", KEY_RANGE, "A,B", 0,
     "they go from radius A to B in equal steps of its logarithm, or where A is 0 of the radius", .needs = "radial"},
    {0},
};

static void parse_percents(struct stat_options *o, const char *text)
{
    char *list = strdup(text), *rest = list;
    if (!list)
        die("no memory");
    o->percent_count = 0;
    for (const char *word; (word = strsep(&rest, ","));) {
        const double value = tool_positive("--lagrange", word);
        if (value > 100)
            die_usage("--lagrange %s: more than 100 percent", word);
        if (o->percent_count == STAT_RADII_MOST)
            die_usage("--lagrange: more than %d percentages", STAT_RADII_MOST);
        for (int k = 0; k < o->percent_count; k++)
            if (o->percents[k] == value)
                die_usage("--lagrange: %s is there twice", word);
        o->percents[o->percent_count++] = value;
    }
    free(list);
}

static void parse_direction(struct stat_options *o, const char *text)
{
    char *list = strdup(text), *rest = list;
    int count = 0;
    if (!list)
        die("no memory");
    for (const char *word; (word = strsep(&rest, ",")) && count < 4; count++)
        if (count < 3)
            o->axis[count] = tool_number("--axis", word);
    if (count != 3)
        die_usage("--axis %s: not x, y, z, spin or a direction X,Y,Z", text);
    if (o->axis[0] == 0 && o->axis[1] == 0 && o->axis[2] == 0)
        die_usage("--axis %s: no direction", text);
    free(list);
}

static void parse_axis(struct stat_options *o, const char *text)
{
    const bool letter = strlen(text) == 1 && strchr("xyz", *text);
    o->spin = strcmp(text, "spin") == 0;
    for (int k = 0; k < 3 && letter; k++)
        o->axis[k] = *text == "xyz"[k];
    if (!o->spin && !letter)
        parse_direction(o, text);
}

static int parse_bins(const char *text)
{
    const uint64_t bins = tool_unsigned("--bins", text);
    if (bins < 1 || bins > NB_PROFILE_MOST)
        die_usage("--bins %s: not 1 to %d", text, NB_PROFILE_MOST);
    return (int)bins;
}

static void parse_range(struct stat_options *o, const char *text)
{
    tool_pair("--range", text, &o->range[0], &o->range[1]);
    if (!(o->range[0] >= 0 && o->range[0] < o->range[1]))
        die_usage("--range %s: not two radii from 0 on, the second larger", text);
}

static bool parse(int key, const char *arg, void *context)
{
    struct stat_options *o = context;
    switch (key) {
    case KEY_COLUMNS: o->columns = arg; return true;
    case KEY_LAGRANGE: parse_percents(o, arg); return true;
    case KEY_MODES: o->modes = true; return true;
    case KEY_WITHIN: o->within = tool_positive("--within", arg); return true;
    case KEY_ESCAPED: o->escaped = true; return true;
    case KEY_DISTANCE: o->distance = true; return true;
    case KEY_ABOUT: o->about = tool_word() ? NB_ABOUT_COM : NB_ABOUT_DENSITY; return true;
    case KEY_AXIS: parse_axis(o, arg); return true;
    case KEY_RADIAL: o->kind = tool_word() ? STAT_CYLINDRICAL : STAT_SPHERICAL; return true;
    case KEY_BINS: o->bins = parse_bins(arg); return true;
    case KEY_RANGE: parse_range(o, arg); return true;
    default: return false;
    }
}

const struct tool_table stat_table_structure = {table, parse};

/* Numbers up to 1 look like shares of the mass. */
static void warn_of_shares(const struct stat_options *o)
{
    double least = INFINITY, most = 0;
    for (int k = 0; k < o->percent_count; k++) {
        least = fmin(least, o->percents[k]);
        most = fmax(most, o->percents[k]);
    }
    if (least < 1 && most <= 1)
        warn("--lagrange %g: taken as %g percent of the mass (for the share %g give %g)", least, least, least,
             100 * least);
}

void stat_structure_check(const struct stat_options *o)
{
    warn_of_shares(o);
    if (o->escaped && o->potential == POTENTIAL_NONE)
        die_usage("--escaped needs the potential, which --potential none leaves out");
}
