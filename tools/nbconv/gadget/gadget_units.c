/* gadget_units.c - units of GADGET snapshots, and conversion of cosmological snapshots to physical lengths and
 * times. */
#include "nbconv/gadget/gadget_units.h"

#include <math.h>

void gadget_scale(const struct nb_bodies *b, const char *column, double factor, double shift)
{
    const struct nb_column *c = nb_bodies_find(b, column);
    double *values = c->data;
    if (factor == 1 && shift == 0)
        return;
    for (uint64_t k = 0; k < b->n * (uint64_t)c->width; k++)
        values[k] = (values[k] - shift) * factor;
}

/* Converts cosmological data with the scale factor a and the Hubble constant h in 100 km/s/Mpc. Comoving lengths are
 * multiplied by a/h, masses by 1/h and velocities by sqrt(a). SWIFT's files have no factor h, and their velocities are
 * peculiar velocities, which need no conversion. */
int gadget_make_physical(const char *name, const struct gadget_header *head, struct nb_bodies *b)
{
    const double a = head->time, h = head->swift ? 1 : head->h;
    const double hubble = head->h * 100 * 1e5 / (1e3 * NB_KPC_CGS); /* in 1/s */
    if (!(b->meta.units.time_cgs > 0))
        return nb_fail("%s: cosmological snapshots need physical units (without --units code)", name);
    const double age = gadget_age(a, head->matter, head->lambda);
    b->meta.time = age / hubble / b->meta.units.time_cgs;
    if (!(a > 0) || !(head->h > 0) || age < 0 || !isfinite(b->meta.time))
        return nb_fail(
            "%s: cosmological, but scale factor %g, h %g, Omega0 %g and OmegaLambda %g are not a possible universe",
            name, a, head->h, head->matter, head->lambda);
    gadget_scale(b, "pos", a / h, 0);
    gadget_scale(b, "mass", 1 / h, 0);
    gadget_scale(b, "vel", head->swift ? 1 : sqrt(a), 0);
    say("%s: cosmological, at scale factor %g: positions and masses become physical%s; velocities are peculiar, "
        "because nbsim has no expansion; the time is the age of the universe",
        name, a, head->swift ? "" : " (without h)");
    return 0;
}

static bool is_near(double a, double b)
{
    return fabs(a / b - 1) < 1e-9;
}

/* Sets the units of a file that does not name them: the values of --length-unit and --mass-unit, or GADGET's default
 * unit for an option that is not given. */
static void assume_units(const struct conv_options *o, const char *name, struct gadget_header *head)
{
    head->length_cgs = o->length_cgs > 0 ? o->length_cgs : GADGET_LENGTH;
    head->mass_cgs = o->mass_cgs > 0 ? o->mass_cgs : GADGET_MASS;
    head->velocity_cgs = GADGET_VELOCITY;
    say("%s: does not name its units: assuming %g kpc, %g Msun and km/s (--length-unit and --mass-unit set others, "
        "--units code none)",
        name, head->length_cgs / NB_KPC_CGS, head->mass_cgs / NB_SUN_CGS);
}

int gadget_set_units(const struct conv_options *o, const char *name, struct gadget_header *head, struct nb_meta *meta)
{
    const struct nb_unit_system *galactic = nb_units_find("galactic");
    struct nb_units *u = &meta->units;
    if (head->has_units && (o->units || o->length_cgs > 0 || o->mass_cgs > 0))
        return conv_misused(nb_fail("%s states its units (%g kpc, %g Msun and %g km/s): omit the options of units",
                                    name, head->length_cgs / NB_KPC_CGS, head->mass_cgs / NB_SUN_CGS,
                                    head->velocity_cgs / 1e5));
    if (!head->has_units && o->units)
        return 0; /* the option --units gives the units, which are in `meta` already */
    if (!head->has_units)
        assume_units(o, name, head);
    *u = (struct nb_units){"gadget", head->length_cgs, head->mass_cgs, head->length_cgs / head->velocity_cgs};
    const double speed = head->velocity_cgs;
    if (!tool_given("G"))
        meta->G = NB_G_CGS / speed * (u->mass_cgs / u->length_cgs) / speed;
    if (is_near(u->length_cgs, GADGET_LENGTH) && is_near(u->mass_cgs, GADGET_MASS) &&
        is_near(head->velocity_cgs, GADGET_VELOCITY)) {
        *u = galactic->units;
        meta->G = tool_given("G") ? meta->G : galactic->G;
    }
    if (head->G > 0 && !tool_given("G") && !is_near(head->G, meta->G))
        meta->G = head->G;
    return 0;
}

double gadget_age(double a, double matter, double lambda)
{
    enum { STEPS = 2000 };
    const double step = sqrt(a) / STEPS, curvature = 1 - matter - lambda;
    double sum = 0;
    for (int k = 1; k <= STEPS; k++) {
        const double x2 = step * k * step * k, square = matter + curvature * x2 + lambda * x2 * x2 * x2;
        if (!(square > 0))
            return -1;
        sum += (k == STEPS ? 1 : k % 2 ? 4 : 2) * 2 * x2 / sqrt(square);
    }
    return sum * step / 3;
}
