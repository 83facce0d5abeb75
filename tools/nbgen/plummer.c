/* Plummer's sphere, density ~ (r^2 + a^2)^(-5/2), in equilibrium, cut off at a radius. Henon's units: G = 1, the mass
 * of all bodies 1 and E = -1/4; without the cut a = 3 pi / 16. */
#include "nbgen.h"

#include "spheres.h"

#include <math.h>
#include <string.h>

static struct {
    double truncation; /* in a; INFINITY: none */
} parameters = {.truncation = 20};

struct plummer {
    struct nb_rng rng;
    double body_mass;
    double share; /* of the mass of the sphere without a limit */
    double a;
};

enum { KEY_TRUNCATION = 256 };

static const struct tool_option table[] = {
    {"truncation", KEY_TRUNCATION, "T", 0,
     "no bodies beyond T scale radii, from 1 on; inf for no limit (default 20, within which 99.63 % of the mass is)"},
    {0},
};

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    if (key != KEY_TRUNCATION)
        return false;
    parameters.truncation = strcmp(arg, "inf") ? tool_positive("--truncation", arg) : INFINITY;
    if (parameters.truncation < 1)
        die_usage("--truncation %s: not from 1 on, or inf", arg);
    return true;
}

/* The a that gives E = -1/4. With r = a tan(t) and M(<r) = sin^3(t) / share, the energies of the bodies within the cut
 * are K = 3/4 j / (a share^2) and W = -3 (j/2 - sin^3(2t)/48) / (a share^2), with j the integral of sin^2 cos^2. */
static double scale_radius(double share)
{
    double t = atan(parameters.truncation), j = (t - sin(4 * t) / 4) / 8;
    return (3 * j - pow(sin(2 * t), 3) / 4) / (share * share);
}

/* The distribution function is f ~ (-E)^(7/2) (Aarseth, Henon & Wielen 1974), so at any place the density of velocities
 * with speed v is ~ (1 - q^2)^(7/2), q = v / escape speed. That is how the first three coordinates of a point lie that
 * is uniform on the unit sphere in 12 dimensions: no rejection and no limit. Of the 12 normal numbers that make such a
 * point only the squares of the last nine matter, and eight of those sum up to -2 log of a product of four uniforms.
 * Inside the cut the density is that of a whole sphere of the mass 1/share, and so is the escape speed: then the
 * pressure still carries the weight, but for the little that the bodies beyond would press. */
static void velocity(const struct plummer *p, uint64_t i, double r, double v[3])
{
    double g[4], u[4];
    nb_rng_normals(&p->rng, i, 1, g);
    nb_rng_uniforms(&p->rng, i, 2, u);
    double length2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2] + g[3] * g[3] - 2 * log(u[0] * u[1] * u[2] * u[3]);
    double escape = sqrt(2 / (p->share * sqrt(r * r + p->a * p->a)));
    for (int k = 0; k < 3; k++)
        v[k] = escape * g[k] / sqrt(length2);
}

static void fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct plummer *p = part;
    for (uint64_t i = i0; i < i1; i++) {
        double u[4];
        nb_rng_uniforms(&p->rng, i, 0, u);
        /* From M(<r) ~ (1 + a^2/r^2)^(-3/2), without cancellation near 1. */
        double r = p->a / sqrt(expm1(-2.0 / 3 * log(p->share * u[0])));
        if (out->component)
            out->component[i - i0] = NB_STAR;
        if (out->mass)
            out->mass[i - i0] = p->body_mass;
        if (out->pos)
            sphere_direction(u + 1, r, out->pos + 3 * (i - i0));
        if (out->vel)
            velocity(p, i, r, out->vel + 3 * (i - i0));
    }
}

static void prepare(struct gen_plan *plan)
{
    static struct plummer p;
    double share = pow(1 + pow(parameters.truncation, -2), -1.5), a = scale_radius(share);
    p = (struct plummer){{plan->options->seed, NB_STAR}, 1 / (double)plan->n, share, a};
    plan->softening = gen_plan_softening(plan, sphere_softening(a * cbrt(share), plan->n));
    plan->dt = sphere_dt(plan, a, sqrt(2 / (a * share)));
    gen_plan_add(plan, (struct gen_part){.n = plan->n, .fill = fill, .data = &p, .centred = true});
}

const struct gen_model gen_plummer = {
    .name = "plummer",
    .about = "a Plummer sphere in equilibrium",
    .doc = "Henon's units: the mass of all bodies is 1 and the total energy -1/4 before softening, so that the virial "
           "radius is 1; with the usual cut the scale radius is 0.5931 and the half-mass radius 0.7713 (without one 3 "
           "pi/16 = 0.5890 and 0.7686). Positions follow the density of Plummer (1911) out to --truncation, velocities "
           "the distribution function f ~ (-E)^(7/2) of Aarseth, Henon & Wielen (1974). The centre of mass of the "
           "bodies then rests at the origin.\n\n" SPHERE_DOC,
    .table = {table, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare,
};
