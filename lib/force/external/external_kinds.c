/* external_kinds.c - kinds and parameters of external fields, and the terms of a field. Declared in external.h and
 * external_kinds.h. */
#include "force/external/external_kinds.h"

#include "base/error.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define ANY     .least = -INFINITY, .most = INFINITY
#define FROM_0  .most = INFINITY
#define ABOVE_0 .most = INFINITY, .above = true
#define END \
    {       \
        0   \
    }
#define TABLE                                                                                                         \
    {                                                                                                                 \
        "table", "a text with the parameters' values in time", 0, .file = FILE_TABLE, .table = true, .flags = NB_OPEN \
    }
#define CENTRE                                                                                              \
    {"x", "centre, L", 0, ANY}, {"y", "centre, L", 0, ANY}, {"z", "centre, L", 0, ANY},                     \
    {                                                                                                       \
        "center", "a text or stream with the orbit of the centre", 0, .file = FILE_CENTRE, .flags = NB_OPEN \
    }
#define TURN                                                                 \
    {"omega", "angular speed about z, radians/T", 0, ANY, .flags = NB_OPEN}, \
    {                                                                        \
        "angle", "of the x axis at t = 0, degrees", 0, ANY                   \
    }

static const struct nb_parameter point[] = {
    {"mass", "M", NAN, FROM_0}, {"eps", "softening length, L", 0, FROM_0}, CENTRE, TABLE, END};
static const struct nb_parameter sphere[] = {
    {"mass", "M", NAN, FROM_0}, {"scale", "L", NAN, ABOVE_0}, CENTRE, TABLE, END};
static const struct nb_parameter logarithmic[] = {{"speed", "circular speed far out, L/T", NAN, FROM_0},
                                                  {"core", "core radius, L", NAN, ABOVE_0},
                                                  {"q", "axis ratio z/x of the potential", 1, ABOVE_0},
                                                  {"p", "axis ratio y/x of the potential", 1, ABOVE_0},
                                                  TURN,
                                                  CENTRE,
                                                  TABLE,
                                                  END};
static const struct nb_parameter disk[] = {{"mass", "M", NAN, FROM_0},
                                           {"a", "radial scale, L", NAN, FROM_0},
                                           {"b", "height, L", NAN, ABOVE_0},
                                           CENTRE,
                                           TABLE,
                                           END};
static const struct nb_parameter bar[] = {{"mass", "M", NAN, FROM_0},
                                          {"a", "half length, L", NAN, ABOVE_0},
                                          {"b", "width, L", 0, FROM_0},
                                          {"c", "height, L", NAN, ABOVE_0},
                                          TURN,
                                          CENTRE,
                                          TABLE,
                                          END};
static const struct nb_parameter uniform[] = {{"gx", "acceleration, L/T^2", 0, ANY},
                                              {"gy", "acceleration, L/T^2", 0, ANY},
                                              {"gz", "acceleration, L/T^2", 0, ANY},
                                              TURN,
                                              TABLE,
                                              END};
static const struct nb_parameter drag[] = {{"rate", "1/T", NAN, FROM_0}, TABLE, END};
static const struct nb_parameter centre[] = {CENTRE, END};

const struct nb_force_kind nb_external_kinds[] = {
    {"point", "a mass at a point", point, 0},
    {"plummer", "Plummer's sphere", sphere, 0},
    {"hernquist", "Hernquist's sphere", sphere, 0},
    {"nfw", "halo of Navarro, Frenk & White; mass is 4 pi rho_s scale^3", sphere, 0},
    {"logarithmic", "halo of constant circular speed", logarithmic, 0},
    {"miyamoto-nagai", "disk", disk, 0},
    {"bar", "softened needle of Long & Murali", bar, 0},
    {"uniform", "one acceleration everywhere", uniform, 0},
    {"drag", "-rate v", drag, NB_NEEDS_VELOCITY | NB_OPEN},
    {"milky-way", "disk, bulge and halo of Johnston, Spergel & Hernquist 1995; needs physical units", centre, 0},
    {0},
};

/* Kinds with a single term. `strength` is the name of the parameter that gives the strength of the term: mass, speed or
 * rate. a, b and c are the names of the parameters that give the lengths of the term. */
static const struct {
    const char *kind;
    enum nb_external_shape shape;
    const char *strength, *a, *b, *c;
} single[] = {
    {"point", NB_EXTERNAL_PLUMMER, "mass", "eps", NULL, NULL},
    {"plummer", NB_EXTERNAL_PLUMMER, "mass", "scale", NULL, NULL},
    {"hernquist", NB_EXTERNAL_HERNQUIST, "mass", "scale", NULL, NULL},
    {"nfw", NB_EXTERNAL_NFW, "mass", "scale", NULL, NULL},
    {"logarithmic", NB_EXTERNAL_LOGARITHMIC, "speed", "core", NULL, NULL},
    {"miyamoto-nagai", NB_EXTERNAL_MIYAMOTO_NAGAI, "mass", "a", "b", NULL},
    {"bar", NB_EXTERNAL_BAR, "mass", "a", "b", "c"},
    {"uniform", NB_EXTERNAL_UNIFORM, NULL, NULL, NULL, NULL},
    {"drag", NB_EXTERNAL_DRAG, "rate", NULL, NULL, NULL},
};

double nb_external_value(const struct nb_force_spec *spec, const char *name)
{
    const double v = name ? nb_force_value(spec, name) : 0;
    return isnan(v) ? 0 : v;
}

static void set_centre(struct nb_external_term *p, const struct nb_force_spec *spec)
{
    static const char *const names[2][3] = {{"x", "y", "z"}, {"gx", "gy", "gz"}};
    for (int k = 0; k < 3; k++)
        p->centre[k] = nb_external_value(spec, names[p->shape == NB_EXTERNAL_UNIFORM][k]);
}

/* Sets the term's rotation at the time `time`. Rotates the acceleration if the field is uniform. */
static void set_turn(struct nb_external_term *p, const struct nb_force_spec *spec, double time)
{
    const double degree = acos(-1.0) / 180;
    const double angle = nb_external_value(spec, "angle") * degree + nb_external_value(spec, "omega") * time,
                 c = cos(angle), s = sin(angle);
    const double *const g = p->centre, turned[2] = {c * g[0] - s * g[1], c * g[1] + s * g[0]};
    p->turn[0] = c, p->turn[1] = s;
    if (p->shape == NB_EXTERNAL_UNIFORM && s != 0)
        memcpy(p->centre, turned, sizeof turned);
}

static int make_milky_way(const struct nb_force_spec *spec, const struct nb_meta *meta, struct nb_external *field)
{
    const struct nb_units *u = &meta->units;
    if (!(u->length_cgs > 0 && u->mass_cgs > 0 && u->time_cgs > 0))
        return nb_fail(
            "force external:milky-way: the units of the input (%s) have no physical size (nbgen --units galactic "
            "makes an input with physical units)",
            u->name);
    const double kpc = NB_KPC_CGS / u->length_cgs, gm_sun = meta->G * NB_SUN_CGS / u->mass_cgs;
    const double km_s = 1e5 * u->time_cgs / u->length_cgs, halo = 128 * km_s;
    *field = (struct nb_external){
        3,
        {{NB_EXTERNAL_MIYAMOTO_NAGAI, .strength = 1e11 * gm_sun, .a = 6.5 * kpc, .b = 0.26 * kpc, .turn = {1, 0}},
         {NB_EXTERNAL_HERNQUIST, .strength = 3.4e10 * gm_sun, .a = 0.7 * kpc, .turn = {1, 0}},
         {NB_EXTERNAL_LOGARITHMIC, .strength = 2 * halo * halo, .a = 12 * kpc, .p = 1, .q = 1, .turn = {1, 0}}}};
    for (int k = 0; k < field->terms; k++)
        set_centre(&field->term[k], spec);
    return 0;
}

int nb_external_make(const struct nb_force_spec *spec, const struct nb_meta *meta, double time,
                     struct nb_external *field)
{
    for (size_t k = 0; k < sizeof single / sizeof *single; k++) {
        if (strcmp(spec->kind->name, single[k].kind) != 0)
            continue;
        struct nb_external_term p = {.shape = single[k].shape};
        const double strength = nb_external_value(spec, single[k].strength);
        p.strength = p.shape == NB_EXTERNAL_LOGARITHMIC ? strength * strength
                     : p.shape == NB_EXTERNAL_DRAG      ? strength
                                                        : meta->G * strength;
        p.a = nb_external_value(spec, single[k].a);
        p.b = nb_external_value(spec, single[k].b);
        p.c = nb_external_value(spec, single[k].c);
        p.p = nb_external_value(spec, "p");
        p.q = nb_external_value(spec, "q");
        set_centre(&p, spec);
        set_turn(&p, spec, time);
        *field = (struct nb_external){1, {p}};
        return 0;
    }
    return make_milky_way(spec, meta, field);
}
