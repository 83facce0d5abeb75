/* cluster.c - creates the bodies of a spherical model. Bodies are single or in binaries. With a quiet start, every
 * second body is the mirror image of the body before it. Masses are equal, or drawn from a mass function of stars. */

#include "cluster.h"

#include "base/sum.h"

#include <math.h>
#include <string.h>

static struct {
    int imf;
    double binaries;
    enum binary_periods periods;
} parameters = {.imf = IMF_EQUAL};

double cluster_anisotropy = INFINITY;
bool cluster_is_quiet;

const struct tool_option cluster_isotropy[] = {
    {"anisotropy-radius", "R", tool_take_positive, &cluster_anisotropy,
     "orbits become radial beyond R, in length scales of the model: beta = r^2 / (r^2 + R^2) (default: isotropic)"},
    {0},
};

const struct tool_option cluster_quiet[] = {
    {"quiet-start", NULL, tool_take_flag, &cluster_is_quiet,
     "less noise: every second body mirrors the one before, and positions fill the sphere evenly"},
    {0},
};

const struct tool_option cluster_stars[] = {
    {"imf", "kroupa|salpeter", tool_take_word, &parameters.imf,
     "masses of stars from 0.08 to 100 solar masses, as fractions of the total mass (default: equal masses)"},
    {"binaries", "SHARE", tool_take_not_negative, &parameters.binaries,
     "fraction of the systems that are pairs of bodies (default 0)", 0, 1, "must be from 0 to 1"},
    {"binary-periods", "flat|duquennoy|sana|field", tool_take_word, &parameters.periods,
     "periods and eccentricities of the pairs: log-uniform axes, as observed for stars like the Sun (duquennoy) "
     "or massive stars (sana), or by the primary's mass (default flat)",
     .needs = "binaries"},
    {0},
};

/* ---- bodies ---- */

enum { DRAW_MASS, DRAW_ORBIT, DRAW_AXES };
#define OWN_DRAWS ((uint64_t)1 << 62)
/* First values of the argument `draw` of nb_rng_normals for the period and for the eccentricity of a binary. They are
 * far apart, because the number of draws for a period varies. */
#define DRAW_PERIOD       (OWN_DRAWS + ((uint64_t)1 << 32))
#define DRAW_ECCENTRICITY (OWN_DRAWS + ((uint64_t)2 << 32))

/* Returns the mass of star i in solar masses. *further is set to a second random number, independent of the mass. */
static double star_mass(const struct cluster *c, uint64_t i, double *further)
{
    double u[4];
    nb_rng_uniforms(&c->rng, i, OWN_DRAWS + DRAW_MASS, u);
    *further = u[1];
    return imf_mass((enum imf)parameters.imf, u[0]);
}

/* Computes the masses of the two stars of a binary. m[0] is the heavier star (the primary) if --binary-periods is sana
 * or field. Otherwise either star may be heavier. */
static void find_pair_masses(const struct cluster *c, uint64_t pair, double m[2])
{
    double u[2];
    for (unsigned k = 0; k < 2; k++)
        m[k] = star_mass(c, 2 * pair + k, &u[k]);
    if (parameters.periods == PERIODS_FIELD && m[1] > m[0]) {
        const double lighter = m[0];
        m[0] = m[1];
        m[1] = lighter;
    }
    if (binary_is_massive(parameters.periods, m[0]))
        m[1] = m[0] * binary_mass_ratio(m[0], u[0]);
}

static double body_mass(const struct cluster *c, uint64_t i)
{
    double m[2];
    if (parameters.imf == IMF_EQUAL)
        return c->mass_unit;
    if (i < 2 * c->pairs)
        find_pair_masses(c, i / 2, m);
    else
        m[i % 2] = star_mass(c, i, &(double){0});
    return c->mass_unit * m[i % 2];
}

/* Computes the bodies of a quiet start: their positions fill the sphere evenly. */
static void make_evenly(const struct cluster *c, uint64_t first, size_t n, double *pos, double *vel)
{
    const struct gen_even even = gen_even_begin(&c->rng, 3);
    double u[3][GEN_TOGETHER];
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++)
            u[k][i] = gen_even_at(&even, k, first + i);
    c->make(c->sphere, (double *[]){u[0], u[1], u[2]}, &c->rng, first, n, pos, vel);
}

/* Computes positions and velocities of single bodies, or of the centres of mass of binaries. */
static void make_systems(const struct cluster *c, uint64_t first, size_t n, double *pos, double *vel)
{
    double u[4][GEN_TOGETHER], *const place[4] = {u[0], u[1], u[2], u[3]};
    nb_rng_uniforms_many(&c->rng, first, n, 0, place);
    c->make(c->sphere, place, &c->rng, first, n, pos, vel);
}

/* Returns the orbit of binary k, whose stars have the masses `first` and `second`. u[0]: random number for the period
 * or the semi-major axis; u[1]: random number for the eccentricity. */
static struct binary find_elements(const struct cluster *c, uint64_t k, double first, double second, const double u[2])
{
    if (parameters.periods == PERIODS_FLAT)
        return binary_flat(first + second, u);
    const double primary = fmax(first, second) / c->sun;
    const double days = binary_period(parameters.periods, primary, u[0], &c->rng, k, DRAW_PERIOD);
    const double rate = 2 * M_PI / (days * c->day);
    return (struct binary){cbrt((first + second) / (rate * rate)),
                           binary_eccentricity(parameters.periods, primary, days, u[1], &c->rng, k, DRAW_ECCENTRICITY)};
}

/* Computes the position and velocity of body i relative to the centre of mass of its binary. */
static void find_orbit(const struct cluster *c, uint64_t i, double x[3], double v[3])
{
    double u[8], first = body_mass(c, i / 2 * 2), second = body_mass(c, i / 2 * 2 + 1);
    double share = i % 2 ? first / (first + second) : -second / (first + second);
    nb_rng_uniforms(&c->rng, i / 2, OWN_DRAWS + DRAW_ORBIT, u);
    nb_rng_uniforms(&c->rng, i / 2, OWN_DRAWS + DRAW_AXES, u + 4);
    const struct binary binary = find_elements(c, i / 2, first, second, u);
    binary_state(first + second, &binary, u + 2, x, v);
    for (int k = 0; k < 3; k++) {
        x[k] *= share;
        v[k] *= share;
    }
}

/* Computes bodies [i0, i0 + n), n <= GEN_TOGETHER. Bodies 2 k and 2 k + 1 form a binary or, with a quiet start, are
 * mirror images about the centre. */
static void make_twos(const struct cluster *c, uint64_t i0, size_t n, double *pos, double *vel)
{
    double made_pos[3 * GEN_TOGETHER], made_vel[3 * GEN_TOGETHER];
    const uint64_t first = i0 / 2;
    (cluster_is_quiet ? make_evenly : make_systems)(c, first, (size_t)((i0 + n + 1) / 2 - first), pos ? made_pos : NULL,
                                                    vel ? made_vel : NULL);
    for (uint64_t i = i0; i < i0 + n; i++) {
        const double side = cluster_is_quiet && i % 2 ? -1 : 1;
        double x[3] = {0}, v[3] = {0};
        if (!cluster_is_quiet)
            find_orbit(c, i, x, v);
        for (uint64_t k = 0; pos && k < 3; k++)
            pos[3 * (i - i0) + k] = side * made_pos[3 * (i / 2 - first) + k] + x[k];
        for (uint64_t k = 0; vel && k < 3; k++)
            vel[3 * (i - i0) + k] = side * made_vel[3 * (i / 2 - first) + k] + v[k];
    }
}

void cluster_fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct cluster *c = part;
    if (out->component)
        memset(out->component, c->component, i1 - i0);
    for (uint64_t i = i0; out->mass && i < i1; i++)
        out->mass[i - i0] = body_mass(c, i);
    for (uint64_t i = i0; out->temperature && i < i1; i++)
        out->temperature[i - i0] = star_temperature(body_mass(c, i) / c->mass_unit);
    for (uint64_t i = i0, end; i < i1 && (out->pos || out->vel); i = end) {
        double *pos = out->pos ? out->pos + 3 * (i - i0) : NULL, *vel = out->vel ? out->vel + 3 * (i - i0) : NULL;
        bool paired = i < 2 * c->pairs;
        end = i1 - i < GEN_TOGETHER ? i1 : i + GEN_TOGETHER;
        if (paired && end > 2 * c->pairs)
            end = 2 * c->pairs;
        if (cluster_is_quiet || paired)
            make_twos(c, i, (size_t)(end - i), pos, vel);
        else
            make_systems(c, i - c->pairs, (size_t)(end - i), pos, vel);
    }
}

/* ---- masses, with the sum 1 ---- */

struct masses {
    const struct cluster *cluster;
    struct nb_sum sum;
    double heaviest, lightest;
};

static void make_masses(const void *context, uint64_t i0, uint64_t i1, void *buffer)
{
    const struct masses *m = context;
    double *mass = buffer;
    for (uint64_t i = i0; i < i1; i++)
        mass[i - i0] = body_mass(m->cluster, i);
}

static int take_masses(void *context, uint64_t i0, uint64_t i1, const void *buffer)
{
    struct masses *m = context;
    const double *mass = buffer;
    for (uint64_t i = 0; i < i1 - i0; i++) {
        nb_sum_add(&m->sum, mass[i]);
        m->heaviest = fmax(m->heaviest, mass[i]);
        m->lightest = fmin(m->lightest, mass[i]);
    }
    struct tool_progress p = tool_progress_of("masses");
    p.fraction = (double)i1 / (double)m->cluster->n;
    tool_progress(&p);
    return 0;
}

/* Sets the members mass_unit, heaviest and lightest of c. Returns the total mass in solar masses, or 0 if all masses
 * are equal. */
static double find_masses(struct cluster *c)
{
    struct masses m = {.cluster = c, .lightest = INFINITY};
    c->mass_unit = c->heaviest = c->lightest = 1 / (double)c->n;
    if (parameters.imf == IMF_EQUAL)
        return 0;
    c->mass_unit = 1;
    gen_in_order(c->n, GEN_BLOCK * sizeof(double), make_masses, take_masses, &m);
    c->mass_unit = 1 / nb_sum_value(&m.sum);
    c->heaviest = m.heaviest * c->mass_unit;
    c->lightest = m.lightest * c->mass_unit;
    return nb_sum_value(&m.sum);
}

/* Sets c->sun and c->day. `solar_masses`: total mass of the stars with --imf, or 0 without --imf. With --imf, also sets
 * plan->scale.mass and plan->scale.velocity. */
static void find_units(struct cluster *c, struct gen_plan *plan, double solar_masses)
{
    static const char *const names[] = {"flat", "duquennoy", "sana", "field"};
    const char *name = names[parameters.periods];
    struct gen_scale *s = &plan->scale;
    const double mass_cgs = plan->units.mass_cgs, time_cgs = plan->units.time_cgs;
    if (!(mass_cgs > 0))
        die_usage(
            "--binary-periods %s: periods are in days, but code units have no size (give --units galactic, solar or "
            "gauss)",
            name);
    if (solar_masses > 0 && tool_given("mass"))
        die_usage(
            "--mass: not allowed with --imf and --binary-periods %s, because the total mass is then the sum of the "
            "stars' masses (remove --mass)",
            name);
    if (solar_masses > 0) {
        s->mass = solar_masses * (NB_SUN_CGS / mass_cgs);
        s->velocity = sqrt(plan->G * s->mass / s->length);
    }
    c->sun = solar_masses > 0 ? c->mass_unit : NB_SUN_CGS / mass_cgs / s->mass;
    c->day = NB_DAY_CGS / time_cgs / (s->length / s->velocity);
    const double days = binary_median(parameters.periods), rate = 2 * M_PI / (days * c->day);
    const double axis = cbrt(2 / (double)c->n / (rate * rate));
    if (axis > 1)
        die_usage("--radius %g: less than the semi-major axis of the median binary of --binary-periods %s, %.3g",
                  s->length, name, axis * s->length);
}

const struct cluster *cluster_plan(struct gen_plan *plan, enum nb_component component, cluster_make *make,
                                   const void *sphere)
{
    static struct cluster c;
    double share = parameters.binaries;
    if (cluster_is_quiet && (parameters.imf != IMF_EQUAL || share > 0))
        die_usage("--quiet-start needs single bodies of equal mass: remove --imf and --binaries");
    c = (struct cluster){
        .rng = {plan->options->seed, NB_STAR},
        .n = plan->n,
        /* n bodies are n - pairs systems: single bodies and binaries. The fraction `share` of the systems are binaries:
         * pairs = share * (n - pairs). */
        .pairs = (uint64_t)(share / (1 + share) * (double)plan->n + 0.5),
        .component = component,
        .make = make,
        .sphere = sphere,
    };
    if (c.pairs > c.n / 2)
        c.pairs = c.n / 2;
    const double solar_masses = find_masses(&c);
    if (parameters.periods != PERIODS_FLAT)
        find_units(&c, plan, solar_masses);
    plan->temperatures = parameters.imf != IMF_EQUAL;
    gen_plan_add(plan, (struct gen_part){.n = plan->n, .fill = cluster_fill, .data = &c, .centred = true});
    return &c;
}

void cluster_softening(struct gen_plan *plan, double usual)
{
    plan->softening = gen_plan_softening(plan, parameters.binaries > 0 ? 0 : usual);
}

static void say_binaries(const struct gen_plan *plan, double period, double alone)
{
    double unit = plan->scale.length / plan->scale.velocity;
    say("close binaries set the time step, %.3g: %.0f steps in the shortest possible period, %.3g; without binaries "
        "it would be %.3g",
        unit * plan->dt, period / plan->dt, unit * period, unit * alone);
}

void cluster_step(struct gen_plan *plan, const struct cluster *c, double radius, double speed, double largest)
{
    plan->dt = gen_step_bodies(plan->softening, radius, c->heaviest, largest, speed);
    if (!c->pairs)
        return;
    /* The step is 0.02 * distance / speed, with the values at the pericentre of the fastest binary that can be drawn.
     * The model kepler uses the same formula. */
    double mass = 2 * c->lightest, nearest = BINARY_CLOSEST * mass * (1 - BINARY_ECCENTRICITY);
    double period = 2 * M_PI * BINARY_CLOSEST * mass * sqrt(BINARY_CLOSEST), eccentricity = BINARY_ECCENTRICITY;
    if (parameters.periods != PERIODS_FLAT) {
        period = binary_shortest(parameters.periods) * c->day;
        nearest = cbrt(mass * pow(period / (2 * M_PI), 2));
        eccentricity = 0;
    }
    double distance = fmax(nearest, plan->softening), alone = plan->dt;
    plan->dt = fmin(plan->dt, 0.02 * distance * sqrt(distance / mass / (1 + eccentricity)));
    if (plan->dt < alone && distance == nearest)
        say_binaries(plan, period, alone);
}
