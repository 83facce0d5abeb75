/* plummer.c - makes Plummer's sphere in equilibrium. The density is ~ (r^2 + a^2)^(-5/2) up to a truncation radius.
 * Henon's units: G = 1, total mass 1, total energy E = -1/4. Without truncation, a is 3 pi / 16. */
#include "cluster.h"

#include "simd/elementary.h"

#include <math.h>

/* A truncation at this number of scale radii or more changes the kinetic energy by at most 2e-4 (relative). */
#define WHOLE 20

static double truncation = WHOLE; /* radius of truncation in scale radii a; INFINITY: none */

static const struct tool_option table[] = {
    {"truncation", "T", gen_take_positive_or_inf, &truncation,
     "no bodies beyond T scale radii, from 1; inf for no limit (default 20, which holds 99.63 % of the mass). "
     "Below 20 the density falls to 0 at the edge, in equilibrium",
     1, INFINITY, "must be at least 1, or inf"},
    {0},
};

/* Returns the sphere of mass 1 and total energy E = -1/4 that is truncated at `cut` times its scale radius a. a follows
 * from E, the sum of
 *     kinetic energy     3/4 j / (a share^2)
 *     potential energy   -3 (j/2 - sin^3(2t)/48) / (a share^2)
 * - share: fraction of an infinite sphere's mass within the truncation radius.
 * - t: variable with r = a tan(t). The mass within r is sin^3(t) / share. At the truncation radius, t is atan(cut).
 * - j: integral of sin^2(t) cos^2(t) from t = 0 to atan(cut). */
struct plummer plummer_make(double cut)
{
    double share = pow(1 + pow(cut, -2), -1.5), t = atan(cut), j = (t - sin(4 * t) / 4) / 8;
    return (struct plummer){share, (3 * j - pow(sin(2 * t), 3) / 4) / (share * share)};
}

/* Draws velocities. The distribution function is f ~ (-E)^(7/2) (Aarseth, Henon & Wielen 1974). The velocity vector has
 * the density ~ (1 - q^2)^(7/2) with q = v / escape speed. The first three coordinates of a random point on the unit
 * sphere in 12 dimensions have the same density. Such a point is computed from 12 normal numbers, without rejection.
 * For eight of these numbers, only the sum of their squares is needed. This sum is drawn as -2 log(u1 u2 u3 u4), where
 * u1 to u4 are uniform.
 *
 * In a truncated sphere, velocities are drawn as in the infinite sphere of mass 1/share, which has the same density
 * inside. The truncated sphere is in equilibrium, except that the small pressure of the outer part is missing. */
static void put_velocities(const struct plummer *p, const struct nb_rng *rng, uint64_t first, size_t n, const double *r,
                           double *vel)
{
    double g[4][GEN_TOGETHER], u[4][GEN_TOGETHER];
    nb_rng_normals_many(rng, first, n, 1, (double *[]){g[0], g[1], g[2], g[3]});
    nb_rng_uniforms_many(rng, first, n, 2, (double *[]){u[0], u[1], u[2], u[3]});
    for (size_t i = 0; i < n; i++)
        u[0][i] *= u[1][i] * u[2][i] * u[3][i];
    nb_elementary()->log(n, u[0], u[0]);
    for (size_t i = 0; i < n; i++) {
        double length2 = g[0][i] * g[0][i] + g[1][i] * g[1][i] + g[2][i] * g[2][i] + g[3][i] * g[3][i] - 2 * u[0][i];
        double escape = sqrt(2 / (p->share * sqrt(r[i] * r[i] + p->a * p->a)));
        for (size_t k = 0; k < 3; k++)
            vel[3 * i + k] = escape * g[k][i] / sqrt(length2);
    }
}

/* Computes the radii that enclose the fractions u of the bodies. The mass within r is M = (1 + a^2/r^2)^(-3/2). With
 * t = M^(1/3), r^2 is a^2 t^2 / (1 - t^2). The code uses an equivalent formula without cancellation near t = 1. */
static void find_radii(const struct plummer *p, size_t n, const double *u, double *r)
{
    double t[GEN_TOGETHER];
    for (size_t i = 0; i < n; i++)
        r[i] = p->share * u[i];
    nb_elementary()->cbrt(n, r, t);
    for (size_t i = 0; i < n; i++)
        r[i] = p->a * t[i] * sqrt((1 + t[i] + t[i] * t[i]) / ((1 - r[i]) * (1 + t[i])));
}

void plummer_bodies(const void *sphere, double *const place[3], const struct nb_rng *rng, uint64_t first, size_t n,
                    double *pos, double *vel)
{
    const struct plummer *p = sphere;
    double r[GEN_TOGETHER];
    find_radii(p, n, place[0], r);
    if (pos)
        nb_elementary()->directions(n, r, place[1], place[2], pos);
    if (vel)
        put_velocities(p, rng, first, n, r, vel);
}

/* Adds the bodies of an anisotropic sphere to the plan. Their velocities are drawn from tables, because they have no
 * closed form. */
static const struct cluster *plan_anisotropic(struct gen_plan *plan, const struct plummer *p)
{
    const struct sphere_shape shape = {SPHERE_PLUMMER, 1 / p->share, p->a, .truncation = INFINITY};
    struct sphere_density density = sphere_profile(&shape);
    density.limit = truncation * p->a;
    return cluster_plan(plan, NB_STAR, sphere_alone_make, sphere_alone(&density, plan->softening, cluster_anisotropy));
}

static void prepare_whole(struct gen_plan *plan)
{
    static struct plummer p;
    p = plummer_make(truncation);
    cluster_softening(plan, sphere_softening(p.a * cbrt(p.share), plan->n));
    const struct cluster *c =
        isinf(cluster_anisotropy) ? cluster_plan(plan, NB_STAR, plummer_bodies, &p) : plan_anisotropic(plan, &p);
    const double a2 = p.a * p.a + plan->softening * plan->softening;
    cluster_step(plan, c, p.a, sqrt(2 / (p.a * p.share)), 2 / (3 * sqrt(3)) / (a2 * p.share));
    const double half = 0.5;
    double radius;
    find_radii(&p, 1, &half, &radius);
    plan->dynamical_time = sphere_dynamical_time(radius);
}

/* ---- truncation at a small radius: a density with an edge, and velocities in equilibrium with it ---- */

/* Returns -dW/d(ln r), where W is the potential energy of the mass within r. */
static double binding(double log_r, const void *context)
{
    const struct sphere_density *d = context;
    double r = exp(log_r);
    return 4 * M_PI * r * r * d->density(r, d->context) * d->mass(r, d->context);
}

/* Returns the scale radius for which the total energy is -1/4. In equilibrium the total energy is half of the potential
 * energy. */
static double edged_scale(struct sphere_shape shape)
{
    struct sphere_density unit = sphere_profile(&shape);
    const double step = 1. / 32, end = log(shape.edge);
    double sum = 0;
    for (double x = end - 20; x < end; x += step)
        sum += sphere_gauss(binding, &unit, x, fmin(step, end - x));
    sphere_profile_free(&unit);
    return 2 * sum;
}

static void prepare_edged(struct gen_plan *plan)
{
    struct sphere_shape shape = {SPHERE_PLUMMER, 1, 1, .truncation = INFINITY, .edge = truncation};
    shape.scale = edged_scale(shape);
    struct sphere_density density = sphere_profile(&shape);
    double centre = 1e-3 * shape.scale, radius = cbrt(3 / (4 * M_PI * density.density(centre, density.context)));
    cluster_softening(plan, sphere_softening(radius, plan->n));
    const struct sphere *s = sphere_alone(&density, plan->softening, cluster_anisotropy);
    const struct cluster *c = cluster_plan(plan, NB_STAR, sphere_alone_make, s);
    cluster_step(plan, c, shape.scale, sqrt(-2 * sphere_potential(s, centre)), sphere_largest_pull(s));
    plan->dynamical_time = sphere_dynamical_time(sphere_density_radius(&density, 0.5));
}

static void prepare(struct gen_plan *plan)
{
    (truncation < WHOLE ? prepare_edged : prepare_whole)(plan);
}

const struct gen_model gen_plummer = {
    .name = "plummer",
    .about = "a Plummer sphere in equilibrium",
    .doc = "Henon's units: the total mass is 1, the total energy is -1/4 before softening, and the virial radius "
           "is 1. By default the scale radius is 0.5931 and the half-mass radius 0.7713 (without truncation "
           "0.5890 and 0.7686). Velocities follow f ~ (-E)^(7/2) (Aarseth, Henon & Wielen 1974). With "
           "--truncation T below 20, the density is multiplied by (1 - (r/(T a))^4)^2 with the scale radius a, "
           "and velocities follow its distribution function. The centre of mass rests at the origin."
           "\n\n" SPHERE_DOC CLUSTER_DOC,
    .options = {table, cluster_isotropy, cluster_quiet, cluster_stars},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare,
};
