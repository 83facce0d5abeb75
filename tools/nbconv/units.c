/* units.c - parses sizes such as 3.5kpc, converts units of columns, and computes the stream's units in cgs. */
#include "base/units.h"
#include "nbconv/nbconv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char symbols[] = "MLT";

struct size { /* a unit of mass, length or time */
    const char *name;
    double cgs;
    int dimension; /* 0 mass, 1 length, 2 time */
    bool other;    /* true: another name of the unit in the previous entry */
};

static const struct size sizes[] = {
    {"g", 1, 0, false},
    {"kg", 1e3, 0, false},
    {"Msun", NB_SUN_CGS, 0, false},
    {"cm", 1, 1, false},
    {"m", 1e2, 1, false},
    {"km", 1e5, 1, false},
    {"AU", NB_AU_CGS, 1, false},
    {"au", NB_AU_CGS, 1, true},
    {"pc", NB_KPC_CGS / 1e3, 1, false},
    {"kpc", NB_KPC_CGS, 1, false},
    {"Mpc", NB_KPC_CGS * 1e3, 1, false},
    {"s", 1, 2, false},
    {"d", NB_DAY_CGS, 2, false},
    {"day", NB_DAY_CGS, 2, true},
    {"yr", NB_YEAR_CGS, 2, false},
    {"Myr", NB_YEAR_CGS * 1e6, 2, false},
    {"Gyr", NB_YEAR_CGS * 1e9, 2, false},
    {0},
};

static const struct size *find_size(const char *name, size_t length)
{
    for (const struct size *s = sizes; s->name; s++)
        if (strlen(s->name) == length && strncmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

/* ---- sizes from options ---- */

static noreturn void die_size(const char *option, const char *text, int dimension)
{
    char known[64] = "";
    for (const struct size *s = sizes; s->name; s++)
        if (s->dimension == dimension && !s->other)
            strcat(strcat(known, " "), s->name);
    die_usage("--%s %s: expected a number and one of%s, such as 2.5%s", option, text, known, dimension ? "km" : "Msun");
}

double conv_parse_size(const char *option, const char *text, int dimension)
{
    char *end;
    double value = strtod(text, &end);
    const struct size *s = find_size(end, strlen(end));
    if (!s || s->dimension != dimension || s->other)
        die_size(option, text, dimension);
    value = (end == text ? 1 : value) * s->cgs;
    if (!(value > 0) || !isfinite(value))
        die_size(option, text, dimension);
    return value;
}

/* Fails if the user gave a unit that differs from the stream's unit.
 *
 *   what   the quantity, "length" or "mass": the option is --length-unit or --mass-unit
 *   given  the user's unit in cgs; 0: not given
 *   size   the stream's unit in cgs
 *   shown  the unit in which the message prints `size`
 *   name   name of the stream's system of units, for the message */
static int check_equal(const char *what, double given, double size, const char *shown, const char *name)
{
    if (given > 0 && fabs(given / size - 1) > 1e-6)
        return conv_misused(nb_fail("--%s-unit: the stream's unit of %s is %g %s (%s)", what, what,
                                    size / find_size(shown, strlen(shown))->cgs, shown, name));
    return 0;
}

int conv_physical(const struct conv_options *o, const struct nb_meta *meta, struct conv_physical *p)
{
    const struct nb_units *u = &meta->units;
    *p = (struct conv_physical){u->mass_cgs, u->length_cgs, u->time_cgs};
    if (p->length > 0 && p->mass > 0 && p->time > 0)
        return check_equal("length", o->length_cgs, p->length, "kpc", u->name) ||
                       check_equal("mass", o->mass_cgs, p->mass, "Msun", u->name)
                   ? -1
                   : 0;
    if (!(o->length_cgs > 0) || !(o->mass_cgs > 0))
        return conv_misused(nb_fail(
            "the stream's units (%s) have no size: give --length-unit and --mass-unit, such as 1kpc and 1e10Msun",
            u->name));
    *p = (struct conv_physical){.mass = o->mass_cgs, .length = o->length_cgs};
    p->time = sqrt(p->length / p->mass * p->length * p->length * (meta->G / NB_G_CGS));
    if (!(p->time > 0) || !isfinite(p->time))
        return conv_misused(nb_fail(
            "--length-unit and --mass-unit with the stream's G = %g give a unit of time that is 0 or not finite",
            meta->G));
    return 0;
}

/* ---- units of columns ---- */

/* Appends the symbols M, L and T with their powers to a unit's name, which begins at `begin` and ends at `at`. If
 * `sign` is 1, appends only positive powers ("M*L^2"). If `sign` is -1, appends only negative powers ("/L/T^2").
 * Returns the new end of the name. */
static char *add_factors(char *at, const char *begin, const double powers[3], int sign)
{
    for (int k = 0; k < 3; k++) {
        const int power = sign * (int)powers[k];
        const char *joint = sign < 0 ? "/" : at > begin ? "*" : "";
        if (power > 0)
            at += sprintf(at, power == 1 ? "%s%c" : "%s%c^%d", joint, symbols[k], power);
    }
    return at;
}

void conv_unit_name(const double powers[3], char unit[NB_NAME_MAX])
{
    bool whole = true;
    for (int k = 0; k < 3; k++)
        whole = whole && powers[k] == floor(powers[k]) && fabs(powers[k]) <= 99;
    char *end = whole ? add_factors(unit, unit, powers, 1) : unit;
    if (end == unit)
        end += sprintf(unit, "1");
    if (!whole || (add_factors(end, unit, powers, -1) == end && strcmp(unit, "1") == 0))
        strcpy(unit, "-");
}

double conv_power(const struct conv_physical *f, const double powers[3])
{
    return pow(f->mass, powers[0]) * pow(f->length, powers[1]) * pow(f->time, powers[2]);
}

/* Returns the factor that converts numbers in `unit` to the system of units `to`. `unit` is km, km/s or 1e10 Msun, for
 * example. Returns 0 if the unit is unknown, or if its powers of mass, length and time are not `powers`. */
double conv_unit_factor(const char *unit, const double powers[3], const struct nb_units *to)
{
    char *name;
    double factor = strtod(unit, &name), left[3] = {powers[0], powers[1], powers[2]};
    if (name == unit)
        factor = 1;
    name += strspn(name, " ");
    const size_t length = strcspn(name, "/");
    const struct size *over = find_size(name, length);
    const struct size *under = name[length] ? find_size(name + length + 1, strlen(name + length + 1)) : NULL;
    if (!over || (name[length] && !under))
        return 0;
    left[over->dimension] -= 1;
    if (under)
        left[under->dimension] += 1;
    if (left[0] != 0 || left[1] != 0 || left[2] != 0)
        return 0;
    const struct conv_physical system = {to->mass_cgs, to->length_cgs, to->time_cgs};
    factor *= over->cgs / (under ? under->cgs : 1) / conv_power(&system, powers);
    return fabs(factor - 1) < 1e-14 ? 1 : isfinite(factor) && factor > 0 ? factor : 0;
}
