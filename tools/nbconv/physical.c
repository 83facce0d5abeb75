#include "physical.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LENGTH = 0x100 + 48, KEY_MASS };

struct unit {
    const char *name;
    double cgs;
};

static const struct unit lengths[] = {{"cm", 1},
                                      {"m", 1e2},
                                      {"km", 1e5},
                                      {"AU", NB_AU_CGS},
                                      {"pc", NB_KPC_CGS / 1e3},
                                      {"kpc", NB_KPC_CGS},
                                      {"Mpc", NB_KPC_CGS * 1e3},
                                      {NULL, 0}};
static const struct unit masses[] = {{"g", 1}, {"kg", 1e3}, {"Msun", NB_SUN_CGS}, {NULL, 0}};

/* [NUMBER]UNIT */
static double parse_size(const char *option, const char *text, const struct unit *units)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text)
        value = 1;
    const struct unit *u = units;
    while (u->name && strcmp(u->name, end) != 0)
        u++;
    value *= u->cgs;
    if (!u->name || !(value > 0) || !isfinite(value)) {
        char known[64] = "";
        for (u = units; u->name; u++)
            strcat(strcat(known, " "), u->name);
        die_usage("%s %s: not a size, which is a number and one of%s, as 2.5%s", option, text, known, units[2].name);
    }
    return value;
}

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    switch (key) {
    case KEY_LENGTH: o->length_cgs = parse_size("--length-unit", arg, lengths); return true;
    case KEY_MASS: o->mass_cgs = parse_size("--mass-unit", arg, masses); return true;
    default: return false;
    }
}

static const struct tool_option table[] = {
    {.about = "Physical units of a stream that has none (code units):"},
    {"length-unit", KEY_LENGTH, "LENGTH", 0, "its unit of length, as 3.5kpc: cm, m, km, AU, pc, kpc or Mpc"},
    {"mass-unit", KEY_MASS, "MASS", 0, "its unit of mass, as 1e10Msun: g, kg or Msun"},
    {0},
};

const struct tool_table physical_options = {table, parse};

/* `given` is 0 where it was not. */
static void check_equal(const char *what, double given, double size, const struct unit *shown, const char *name)
{
    if (given > 0 && fabs(given / size - 1) > 1e-6)
        die_usage("--%s-unit: the stream's unit of %s is %g %s (%s)", what, what, size / shown->cgs, shown->name, name);
}

struct physical physical_units(const struct conv_options *o, const struct nb_meta *meta)
{
    const struct nb_units *u = &meta->units;
    struct physical p = {u->length_cgs, u->mass_cgs, u->time_cgs};
    if (p.length > 0 && p.mass > 0 && p.time > 0) {
        check_equal("length", o->length_cgs, p.length, &lengths[5], u->name);
        check_equal("mass", o->mass_cgs, p.mass, &masses[2], u->name);
        return p;
    }
    if (!(o->length_cgs > 0) || !(o->mass_cgs > 0))
        die_usage(
            "the stream's units (%s) have no size: --length-unit and --mass-unit are needed, as 1kpc and 1e10Msun",
            u->name);
    p = (struct physical){.length = o->length_cgs, .mass = o->mass_cgs};
    p.time = sqrt(p.length / p.mass * p.length * p.length * (meta->G / NB_G_CGS));
    if (!(p.time > 0) || !isfinite(p.time))
        die_usage("--length-unit and --mass-unit with the stream's G = %g make no unit of time", meta->G);
    return p;
}
