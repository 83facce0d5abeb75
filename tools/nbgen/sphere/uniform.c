/* uniform.c - the model `uniform`: a homogeneous sphere or cube, at rest or with random velocities. The total mass is
 * 1. The radius of the sphere, or half the side of the cube, is 1. */
#include "cluster.h"

#include "simd/elementary.h"

#include <math.h>

static struct {
    int cube;
    double virial;
} parameters = {.virial = 1};

static const struct tool_option table[] = {
    {"shape", "sphere|cube", tool_take_word, &parameters.cube, "sphere of radius 1 or cube of side 2 (default sphere)"},
    {"virial", "Q", tool_take_not_negative, &parameters.virial,
     "virial ratio 2K / -sum m r.a, softened; 0 is cold (default 1, in virial equilibrium)"},
    {0},
};

/* Computes random vectors, uniform in a ball of radius `radius`, from random numbers u, uniform between 0 and 1.
 * Overwrites u[0]. */
static void fill_ball(double *const u[3], size_t n, double radius, double *out)
{
    nb_elementary()->cbrt(n, u[0], u[0]);
    for (size_t i = 0; i < n; i++)
        u[0][i] *= radius;
    nb_elementary()->directions(n, u[0], u[1], u[2], out);
}

static void make(const void *speed_max, double *const place[3], const struct nb_rng *rng, uint64_t first, size_t n,
                 double *pos, double *vel)
{
    double u[4][GEN_TOGETHER], *const numbers[4] = {u[0], u[1], u[2], u[3]};
    for (size_t i = 0; pos && parameters.cube && i < n; i++)
        for (int k = 0; k < 3; k++)
            pos[3 * i + (size_t)k] = 2 * place[k][i] - 1;
    if (pos && !parameters.cube)
        fill_ball(place, n, 1, pos);
    if (!vel)
        return;
    nb_rng_uniforms_many(rng, first, n, 1, numbers);
    fill_ball(numbers, n, *(const double *)speed_max, vel);
}

/* Returns the time step. The bodies collapse to a radius r, which is limited by the velocities, by the softening, and
 * by the random positions of the n bodies. At this radius the acceleration is about r^-2, and the potential energy is
 * about 1/r times the total energy. A small error of the total energy therefore needs a still smaller relative error of
 * the potential energy. So gen_step_bodies() gets an acceleration of about r^-3 instead of r^-2, which shortens the
 * step by a factor of sqrt(r). */
static double find_step(const struct gen_plan *plan)
{
    const double virial = fmin(parameters.virial, 1), scatter = 1 / cbrt((double)plan->n);
    const double r = fmax(fmax(scatter, plan->softening / 2), virial / (2 - virial));
    const double speed = fmax(sqrt(2 / r), 2 * sqrt(parameters.virial));
    return gen_step_bodies(plan->softening, 1, 1 / (double)plan->n, 3 / (r * r * r), speed);
}

/* ---- virial of a homogeneous sphere or cube, from the distribution of the distance d of two random points ---- */

/* Returns the probability density of the distance d of two random points in a sphere of radius 1 (Deltheil 1926,
 * Probabilites geometriques). */
static double sphere_distances(double d)
{
    return d * d * (3 - d * (9. / 4 - d * d * (3. / 16)));
}

/* Returns the probability density of the distance d of two random points in a cube of side 2. The formula for side 1 is
 * from Philip (2007, TRITA MAT 07 MA 10). */
static double cube_distances(double d)
{
    const double x = d / 2, x2 = x * x;
    double p;
    if (x <= 1)
        p = -x2 * ((x - 8) * x2 + M_PI * (6 * x - 4));
    else if (x2 <= 2) {
        const double root = sqrt(x2 - 1);
        p = 2 * x * ((x2 - 8 * root + 3) * x2 - 4 * root + 12 * x2 * acos(1 / x) + M_PI * (3 - 4 * x) - 0.5);
    } else {
        const double root = sqrt(x2 - 2);
        p = x * ((1 + x2) * (6 * M_PI + 8 * root - 5 - x2) - 16 * x * asin(1 / sqrt(2 - 2 / x2)) +
                 16 * x * atan(x * root) - 24 * (x2 + 1) * atan(root));
    }
    return p / 2;
}

/* Returns the virial of a homogeneous sphere or cube of total mass 1. The virial is the sum of -m r.a over the bodies
 * (mass m, position r, acceleration a). It equals the sum of m1 m2 d^2 / (d^2 + softening^2)^(3/2) over all pairs of
 * bodies, where d is the distance between the two bodies. This function integrates over d. Without softening, the
 * virial is the absolute value of the potential energy. */
static double clausius(bool cube, double softening)
{
    const double longest = cube ? sqrt(12) : 2;
    const int cells = 10000; /* number of intervals of the integration variable w; the distance d is longest * w^2 */
    double sum = 0;
    for (int k = 0; k < cells; k++) {
        const double w = (k + 0.5) / cells, d = longest * w * w, s = hypot(d, softening);
        sum += (cube ? cube_distances : sphere_distances)(d) * (d * d) / (s * s * s) * (2 * longest * w / cells);
    }
    return 0.5 * sum;
}

static void prepare(struct gen_plan *plan)
{
    static double speed_max;
    plan->softening = gen_plan_softening(plan, sphere_softening(1, plan->n));
    /* Velocities that fill a ball of radius speed_max uniformly have the kinetic energy 1/2 * 3/5 * speed_max^2. */
    speed_max = sqrt(parameters.virial * clausius(parameters.cube, plan->softening) / 0.6);
    plan->dt = find_step(plan);
    /* The argument is the radius of the sphere that contains half of the mass. For the cube it is (3/pi)^(1/3). This is
     * less than 1, so the sphere is entirely inside the cube. */
    plan->dynamical_time = sphere_dynamical_time(cbrt(parameters.cube ? 3 / M_PI : 0.5));
    cluster_plan(plan, NB_STAR, make, &speed_max);
}

const struct gen_model gen_uniform = {
    .name = "uniform",
    .about = "a homogeneous sphere or cube, cold or virialised",
    .doc = "Total mass 1. The sphere has radius 1, the cube side 2. Velocities fill a ball uniformly. With "
           "--virial 0 all bodies are at rest, and the sphere collapses at t = 1.11. The centre of mass rests at "
           "the origin."
           "\n\n" SPHERE_DOC QUIET_DOC,
    .options = {table, cluster_quiet},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare,
};
