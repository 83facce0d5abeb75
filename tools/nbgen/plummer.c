/* Plummer's sphere, density 3 M a^2 / (4 pi (r^2 + a^2)^(5/2)), in equilibrium. Henon's units: G = M = 1 and E = -1/4,
 * so a = 3 pi / 16. */
#include "nbgen.h"

#include "spheres.h"

#include <math.h>

#define SCALE (3 * M_PI / 16) /* a */

struct plummer {
    struct nb_rng rng;
    double body_mass;
};

/* The distribution function is f ~ (-E)^(7/2) (Aarseth, Henon & Wielen 1974), so at any place the density of velocities
 * with speed v is ~ (1 - q^2)^(7/2), q = v / escape speed. That is how the first three coordinates of a point lie that
 * is uniform on the unit sphere in 12 dimensions: no rejection and no limit. Of the 12 normal numbers that make such a
 * point only the squares of the last nine matter, and eight of those sum up to -2 log of a product of four uniforms. */
static void velocity(const struct plummer *p, uint64_t i, double r, double v[3])
{
    double g[4], u[4];
    nb_rng_normals(&p->rng, i, 1, g);
    nb_rng_uniforms(&p->rng, i, 2, u);
    double length2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2] + g[3] * g[3] - 2 * log(u[0] * u[1] * u[2] * u[3]);
    double escape = sqrt(2 / sqrt(r * r + SCALE * SCALE));
    for (int k = 0; k < 3; k++)
        v[k] = escape * g[k] / sqrt(length2);
}

static void fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct plummer *p = part;
    for (uint64_t i = i0; i < i1; i++) {
        double u[4];
        nb_rng_uniforms(&p->rng, i, 0, u);
        /* From M(<r) = (1 + a^2/r^2)^(-3/2) = u, without cancellation near 1. */
        double r = SCALE / sqrt(expm1(-2.0 / 3 * log(u[0])));
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
    p = (struct plummer){{plan->options->seed, NB_STAR}, 1 / (double)plan->n};
    double eps = gen_plan_softening(plan, sphere_softening(SCALE, plan->n));
    plan->softening = eps;
    plan->dt = sphere_dt(eps, SCALE, sqrt(2 / SCALE));
    gen_plan_add(plan, (struct gen_part){.n = plan->n, .fill = fill, .data = &p, .centred = true});
}

const struct gen_model gen_plummer = {
    .name = "plummer",
    .about = "a Plummer sphere in equilibrium",
    .doc = "Henon's units: total mass 1, total energy -1/4, so that the virial radius is 1, the scale radius 3 pi/16 = "
           "0.589 "
           "and the half-mass radius 0.769. Positions follow the density of Plummer (1911) and velocities the "
           "distribution function f ~ (-E)^(7/2) of Aarseth, Henon & Wielen (1974), both without a limit: the "
           "outermost of N bodies is found near 0.7 sqrt(N). The centre of mass rests at the origin.\n\n" SPHERE_DOC,
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare,
};
