#include "force/external/external.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ANY     .least = -INFINITY, .most = INFINITY
#define FROM_0  .most = INFINITY
#define ABOVE_0 .most = INFINITY, .above = true
#define CENTRE                                                                          \
    {"x", "centre, L", 0, ANY}, {"y", "centre, L", 0, ANY}, {"z", "centre, L", 0, ANY}, \
    {                                                                                   \
        0                                                                               \
    }

static const struct nb_parameter point[] = {
    {"mass", "M", NAN, FROM_0}, {"eps", "softening length, L", 0, FROM_0}, CENTRE};
static const struct nb_parameter sphere[] = {{"mass", "M", NAN, FROM_0}, {"scale", "L", NAN, ABOVE_0}, CENTRE};
static const struct nb_parameter logarithmic[] = {{"speed", "circular speed far out, L/T", NAN, FROM_0},
                                                  {"core", "core radius, L", NAN, ABOVE_0},
                                                  {"q", "flattening of the potential", 1, ABOVE_0},
                                                  CENTRE};
static const struct nb_parameter disk[] = {
    {"mass", "M", NAN, FROM_0}, {"a", "radial scale, L", NAN, FROM_0}, {"b", "height, L", NAN, ABOVE_0}, CENTRE};
static const struct nb_parameter uniform[] = {{"gx", "acceleration, L/T^2", 0, ANY},
                                              {"gy", "acceleration, L/T^2", 0, ANY},
                                              {"gz", "acceleration, L/T^2", 0, ANY},
                                              {0}};
static const struct nb_parameter drag[] = {{"rate", "1/T", NAN, FROM_0}, {0}};
static const struct nb_parameter centre[] = {CENTRE};

const struct nb_force_kind nb_external_kinds[] = {
    {"point", "a mass at a point", point, 0},
    {"plummer", "Plummer's sphere", sphere, 0},
    {"hernquist", "Hernquist's sphere", sphere, 0},
    {"nfw", "halo of Navarro, Frenk & White; mass is 4 pi rho_s scale^3", sphere, 0},
    {"logarithmic", "halo of constant circular speed", logarithmic, 0},
    {"miyamoto-nagai", "disk", disk, 0},
    {"uniform", "one acceleration everywhere", uniform, 0},
    {"drag", "-rate v", drag, NB_NEEDS_VELOCITY | NB_OPEN},
    {"milky-way", "disk, bulge and halo of Johnston, Spergel & Hernquist 1995; needs physical units", centre, 0},
    {0},
};

/* The kinds that are one term. `mass` is what strength counts: G times it, or its square. */
static const struct {
    const char *kind;
    enum nb_external_shape shape;
    const char *strength, *a, *b;
} single[] = {
    {"point", NB_EXTERNAL_PLUMMER, "mass", "eps", NULL},
    {"plummer", NB_EXTERNAL_PLUMMER, "mass", "scale", NULL},
    {"hernquist", NB_EXTERNAL_HERNQUIST, "mass", "scale", NULL},
    {"nfw", NB_EXTERNAL_NFW, "mass", "scale", NULL},
    {"logarithmic", NB_EXTERNAL_LOGARITHMIC, "speed", "core", NULL},
    {"miyamoto-nagai", NB_EXTERNAL_MIYAMOTO_NAGAI, "mass", "a", "b"},
    {"uniform", NB_EXTERNAL_UNIFORM, NULL, NULL, NULL},
    {"drag", NB_EXTERNAL_DRAG, "rate", NULL, NULL},
};

/* 0 where the kind has no such parameter. */
static double value(const struct nb_force_spec *spec, const char *name)
{
    const double v = name ? nb_force_value(spec, name) : 0;
    return isnan(v) ? 0 : v;
}

static void set_centre(struct nb_external_term *p, const struct nb_force_spec *spec)
{
    static const char *const names[2][3] = {{"x", "y", "z"}, {"gx", "gy", "gz"}};
    for (int k = 0; k < 3; k++)
        p->centre[k] = value(spec, names[p->shape == NB_EXTERNAL_UNIFORM][k]);
}

static int make_milky_way(const struct nb_force_spec *spec, const struct nb_meta *meta, struct nb_external *field)
{
    const struct nb_units *u = &meta->units;
    if (!(u->length_cgs > 0 && u->mass_cgs > 0 && u->time_cgs > 0))
        return nb_fail(
            "force external:milky-way: the input is in units of no physical size (%s); nbgen --units galactic makes one that fits",
            u->name);
    const double kpc = NB_KPC_CGS / u->length_cgs, gm_sun = meta->G * NB_SUN_CGS / u->mass_cgs;
    const double km_s = 1e5 * u->time_cgs / u->length_cgs, halo = 128 * km_s;
    *field = (struct nb_external){3,
                                  {{NB_EXTERNAL_MIYAMOTO_NAGAI, 1e11 * gm_sun, 6.5 * kpc, 0.26 * kpc, 1, {0}},
                                   {NB_EXTERNAL_HERNQUIST, 3.4e10 * gm_sun, 0.7 * kpc, 0, 1, {0}},
                                   {NB_EXTERNAL_LOGARITHMIC, 2 * halo * halo, 12 * kpc, 0, 1, {0}}}};
    for (int k = 0; k < field->terms; k++)
        set_centre(&field->term[k], spec);
    return 0;
}

static int make(const struct nb_force_spec *spec, const struct nb_meta *meta, struct nb_external *field)
{
    for (size_t k = 0; k < sizeof single / sizeof *single; k++) {
        if (strcmp(spec->kind->name, single[k].kind) != 0)
            continue;
        struct nb_external_term p = {.shape = single[k].shape, .q = 1};
        const double strength = value(spec, single[k].strength);
        p.strength = p.shape == NB_EXTERNAL_LOGARITHMIC ? strength * strength
                     : p.shape == NB_EXTERNAL_DRAG      ? strength
                                                        : meta->G * strength;
        p.a = value(spec, single[k].a);
        p.b = value(spec, single[k].b);
        if (p.shape == NB_EXTERNAL_LOGARITHMIC)
            p.q = value(spec, "q");
        set_centre(&p, spec);
        *field = (struct nb_external){1, {p}};
        return 0;
    }
    return make_milky_way(spec, meta, field);
}

void *nb_external_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    struct nb_external *field = nb_memory_new(sizeof *field);
    (void)device;
    if (field && make(spec, meta, field)) {
        free(field);
        return NULL;
    }
    return field;
}

void nb_external_close(struct nb_device *device, void *work)
{
    (void)device;
    free(work);
}

/* Squared, of one term at offset d. */
static double frequency2(const struct nb_external_term *p, const double *d)
{
    const double z2 = d[2] * d[2], r2 = d[0] * d[0] + d[1] * d[1] + z2, s = sqrt(r2 + p->a * p->a);
    const double r = fmax(sqrt(r2), 0.01 * p->a), u = r / p->a, height = sqrt(z2 + p->b * p->b), reach = p->a + height;
    const double far = sqrt(d[0] * d[0] + d[1] * d[1] + reach * reach), q2 = p->q * p->q;
    switch (p->shape) {
    case NB_EXTERNAL_PLUMMER: return p->strength / (s * s * s);
    case NB_EXTERNAL_HERNQUIST: return p->strength / (r * (r + p->a) * (r + p->a));
    case NB_EXTERNAL_NFW: return p->strength * (log1p(u) - u / (1 + u)) / (r * r * r);
    case NB_EXTERNAL_LOGARITHMIC: return p->strength / (p->a * p->a + r2 - z2 + z2 / q2) / fmin(1, q2);
    case NB_EXTERNAL_MIYAMOTO_NAGAI: return p->strength / (far * far * far) * (reach / height);
    case NB_EXTERNAL_DRAG: return p->strength * p->strength;
    default: return 0;
    }
}

double nb_external_frequency(const void *work, const double x[3])
{
    const struct nb_external *field = work;
    double sum = 0;
    for (int k = 0; k < field->terms; k++) {
        const struct nb_external_term *p = &field->term[k];
        const double d[3] = {x[0] - p->centre[0], x[1] - p->centre[1], x[2] - p->centre[2]};
        const double here = frequency2(p, d);
        sum += isfinite(here) ? here : 0; /* at a point mass itself, where the acceleration says it */
    }
    return sqrt(sum);
}

const char *nb_external_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & (NB_WANT_JERK | NB_WANT_SNAP) ? "an external field has no jerk" : NULL;
}
