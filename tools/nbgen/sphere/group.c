/* group.c - the model `spheres`: a group of Plummer spheres in virial equilibrium. The spheres merge in the course of
 * time. Units: the total mass is 1, and the centres lie in a sphere of radius 1. */
#include "cluster.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SPHERES_MAX 256
#define TRUNCATION  10 /* truncation radius in scale radii; 98.5 % of the mass of an untruncated sphere is inside */
#define SHELLS      256

static struct {
    int count;
    double scale, mass_slope;
} parameters = {.count = 8, .scale = 0.1};

struct member {
    struct plummer model;
    struct cluster cluster;
    /* Mass and scale radius, in the units of the group. (`model` has other units: mass 1, scale radius model.a.) */
    double mass, a;
    double pos[3], vel[3];
};

static const struct tool_option table[] = {
    {"count", "K", gen_take_some, &parameters.count, "number of spheres, from 2 to 256 (default 8)", 2, SPHERES_MAX,
     "must be from 2 to 256"},
    {"scale", "L", tool_take_positive, &parameters.scale,
     "scale radius of a sphere with the mean mass, in radii of the group (default 0.1). It is proportional to "
     "the square root of the mass",
     1e-12, 1, "must be from 1e-12 to 1"},
    {"mass-slope", "P", tool_take_not_negative, &parameters.mass_slope,
     "mass of sphere k is ~ k^-P, from k = 1 (default 0: equal masses)"},
    {"quiet-start", NULL, tool_take_flag, &cluster_is_quiet,
     "less noise: in each sphere every second body mirrors the one before, and positions fill it evenly"},
    {0},
};

static double factor_length(const struct member *s)
{
    return s->a / s->model.a;
}

static void stretch(double *vectors, uint64_t n, double factor)
{
    for (uint64_t i = 0; vectors && i < 3 * n; i++)
        vectors[i] *= factor;
}

static void fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct member *s = part;
    cluster_fill(&s->cluster, i0, i1, out);
    stretch(out->pos, i1 - i0, factor_length(s));
    stretch(out->vel, i1 - i0, sqrt(s->mass / factor_length(s)));
}

/* ---- energies ---- */

/* Returns the integral of -x phi(x) over the radius x from 0 to s. phi is the potential of the truncated sphere: the
 * potential of the untruncated sphere minus the contribution of the mass beyond the truncation radius T. */
static double potential_moment(const struct member *sphere, double s)
{
    double T = TRUNCATION * sphere->a, a = sphere->a, whole = sphere->mass / sphere->model.share;
    double inside = fmin(s, T), level = whole / hypot(T, a) - sphere->mass / T;
    return inside * inside * (whole / (hypot(inside, a) + a) - level / 2) + sphere->mass * (s - inside);
}

/* Returns the negative potential of a sphere, averaged over a shell of radius r around a point at distance d from the
 * centre of the sphere. */
static double shell_potential(const struct member *sphere, double d, double r)
{
    if (d - r >= TRUNCATION * sphere->a)
        return sphere->mass / d;
    return (potential_moment(sphere, d + r) - potential_moment(sphere, fabs(d - r))) / (2 * d * r);
}

static double distance(const struct member *s, const struct member *t)
{
    return hypot(hypot(s->pos[0] - t->pos[0], s->pos[1] - t->pos[1]), s->pos[2] - t->pos[2]);
}

/* Returns the radius that contains the fraction u of the mass of the sphere. */
static double radius_of(const struct member *s, double u)
{
    return s->a / sqrt(expm1(-2.0 / 3 * log(s->model.share * u)));
}

static double pair_energy(const struct member *first, const struct member *second)
{
    double sum = 0, d = distance(first, second);
    for (int k = 0; k < SHELLS; k++)
        sum += shell_potential(second, d, radius_of(first, (k + 0.5) / SHELLS));
    return -first->mass * sum / SHELLS;
}

static double mutual_energy(const struct member *spheres, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            sum += pair_energy(&spheres[i], &spheres[j]);
    return sum;
}

/* ---- the centres ---- */

static void rest(struct member *spheres, int count)
{
    for (int k = 0; k < 3; k++) {
        double pos = 0, vel = 0;
        for (int i = 0; i < count; i++) {
            pos += spheres[i].mass * spheres[i].pos[k];
            vel += spheres[i].mass * spheres[i].vel[k];
        }
        for (int i = 0; i < count; i++) {
            spheres[i].pos[k] -= pos;
            spheres[i].vel[k] -= vel;
        }
    }
}

/* Places the centres of the spheres, and scales their velocities for virial equilibrium: 2 K + W = 0 with the kinetic
 * energy K of the centres and the mutual potential energy W. Each single sphere is in equilibrium. The random numbers
 * come from a random stream that no sphere uses. The argument `draw` is 0 for positions and 1 for velocities. */
static void place(struct member *spheres, int count, uint64_t seed)
{
    const struct nb_rng rng = {seed, NB_OTHER + 256 * (uint64_t)SPHERES_MAX};
    double kinetic = 0;
    for (int i = 0; i < count; i++) {
        double u[4];
        nb_rng_uniforms(&rng, (uint64_t)i, 0, u);
        sphere_direction(u + 1, cbrt(u[0]), spheres[i].pos);
        nb_rng_uniforms(&rng, (uint64_t)i, 1, u);
        sphere_direction(u + 1, cbrt(u[0]), spheres[i].vel);
    }
    rest(spheres, count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            kinetic += spheres[i].mass * pow(spheres[i].vel[k], 2) / 2;
    double factor = sqrt(-mutual_energy(spheres, count) / 2 / kinetic);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            spheres[i].vel[k] *= factor;
}

/* ---- the plan ---- */

/* Sets the number of bodies, the mass and the scale radius of each sphere. Each sphere gets one body. The other bodies
 * are distributed in proportion to (i + 1)^-mass_slope for sphere i. All bodies have equal mass. */
static void share_out(struct member *spheres, int count, uint64_t n)
{
    double weights[SPHERES_MAX + 1] = {0};
    uint64_t free = n - (uint64_t)count, given = 0;
    for (int i = 0; i < count; i++)
        weights[i + 1] = weights[i] + pow(i + 1, -parameters.mass_slope);
    for (int i = 0; i < count; i++) {
        uint64_t upto = (uint64_t)round((double)free * (weights[i + 1] / weights[count]));
        spheres[i].cluster.n = 1 + upto - given;
        given = upto;
        spheres[i].mass = (double)spheres[i].cluster.n / (double)n;
        spheres[i].a = parameters.scale * sqrt(spheres[i].mass * count);
    }
}

/* Returns the largest of the escape speeds at the centres of the spheres. */
static double escape_speed(const struct member *spheres, int count)
{
    double deepest = 0;
    for (int i = 0; i < count; i++) {
        double depth = 0;
        for (int j = 0; j < count; j++)
            depth += spheres[j].mass / spheres[j].model.share / hypot(distance(&spheres[i], &spheres[j]), spheres[j].a);
        deepest = fmax(deepest, depth);
    }
    return sqrt(2 * deepest);
}

static void begin(struct member *s, const struct gen_plan *plan, int number)
{
    s->model = plummer_make(TRUNCATION);
    s->cluster = (struct cluster){
        .rng = {plan->options->seed, NB_STAR + 256 * (uint64_t)number},
        .component = NB_STAR,
        .make = plummer_bodies,
        .sphere = &s->model,
        .mass_unit = 1 / (double)plan->n,
    };
}

static void prepare(struct gen_plan *plan)
{
    static struct member spheres[SPHERES_MAX];
    int count = parameters.count;
    double usual = INFINITY, smallest = INFINITY, largest = 0;
    if (plan->n < (uint64_t)count)
        die_usage("--bodies %" PRIu64 ": fewer than --count %d", plan->n, count);
    for (int i = 0; i < count; i++)
        begin(&spheres[i], plan, i);
    share_out(spheres, count, plan->n);
    place(spheres, count, plan->options->seed);
    for (int i = 0; i < count; i++) {
        const struct member *s = &spheres[i];
        struct gen_part part = {.n = s->cluster.n, .fill = fill, .data = s, .galaxy = (uint8_t)i, .centred = true};
        memcpy(part.pos, s->pos, sizeof part.pos);
        memcpy(part.vel, s->vel, sizeof part.vel);
        gen_plan_add(plan, part);
        usual = fmin(usual, sphere_softening(s->a * cbrt(s->model.share), s->cluster.n));
        smallest = fmin(smallest, s->a);
        largest = fmax(largest, s->mass / (s->a * s->a));
    }
    plan->softening = gen_plan_softening(plan, usual);
    plan->dt = gen_step_bodies(plan->softening, smallest, 1 / (double)plan->n, largest, escape_speed(spheres, count));
    plan->galaxies = true;
}

const struct gen_model gen_spheres = {
    .name = "spheres",
    .about = "a group of Plummer spheres in virial equilibrium",
    .doc = "Total mass 1, in bodies of equal mass. The column galaxy is the number of the sphere, from 0. The "
           "centres fill a sphere of radius 1 evenly. Their velocities make 2K + W = 0 for the motion of the "
           "spheres. Each sphere is a Plummer sphere in equilibrium, truncated at 10 scale radii. The centre of "
           "mass rests at the origin."
           "\n\n" SPHERE_DOC,
    .options = {table},
    .random = true,
    .usual_n = 20000,
    .least_n = 2,
    .prepare = prepare,
};
