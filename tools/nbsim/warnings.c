/* warnings.c - warnings about the integrator and the step size before a run. */
#include "run.h"

#include <inttypes.h>
#include <math.h>

/* Warns of massless bodies in a run with fixed steps. The energy does not depend on these bodies. Therefore the energy
 * error cannot show that the steps are too long for these bodies. */
static void warn_of_massless(const struct run *r)
{
    const struct nb_column *mass = nb_bodies_find(&r->bodies, "mass");
    uint64_t count = 0;
    if (!r->watch.judges || r->options->run.tolerance > 0)
        return;
#pragma omp parallel for schedule(static) reduction(+ : count) if (r->bodies.n > NB_LOOK_PARALLEL)
    for (uint64_t i = 0; i < r->bodies.n; i++)
        count += nb_column_get(mass, i, 0) == 0;
    if (count > 0)
        warn("the energy does not depend on %" PRIu64
             " %s of mass 0: compare with a smaller --dt, or use adaptive steps (--tolerance)",
             count, count == 1 ? "body" : "bodies");
}

/* nbsim warns of a run with at least STEPS_MANY steps and PAIRS_MANY pair forces */
#define STEPS_MANY  1e6
#define PAIRS_MANY  1e14 /* number of pair forces of a run: hours on a few cores, minutes on a GPU */
#define PAIRS_LEAST 1e3  /* each step counts as at least this number of pair forces */
#define PAIRS_BODY  2e3  /* the tree force on a body takes about as long as this number of pair forces */

static void warn_of_steps(const struct run *r)
{
    const double steps = (double)sim_schedule_steps(&r->schedule), n = (double)r->bodies.n;
    const bool exact = nb_force_set_flags(&r->forces) & NB_EXACT;
    const bool touching = nb_force_set_flags(&r->forces) & NB_CONTACT;
    const double pairs = fmax(n * (exact && !touching ? n : fmin(n, PAIRS_BODY)), PAIRS_LEAST);
    if (r->options->run.tolerance > 0 || steps < STEPS_MANY || steps * pairs < PAIRS_MANY)
        return;
    warn("%.1e steps of %.3g for %" PRIu64 " bodies will take long; the step size comes from %s (%s)", steps,
         r->bodies.meta.dt, r->bodies.n, r->dt_from,
         !exact || r->stepper.softening > 0 ? "--dt, or a larger --softening"
         : r->bodies.n > NB_FEW             ? "--integrator hermite4-block goes through close pairs in fewer; --dt"
                                : "--integrator ias15 --tolerance 1e-9 goes through close pairs in fewer; --dt");
}

#define PASSAGE_STEPS 20

/* Returns the time scale of the pericentre passage of body i about body `centre`. It is 2 pi divided by the angular
 * speed at the pericentre of their two-body orbit. */
static double passage_time(const struct nb_bodies *b, double G, uint64_t i, uint64_t centre)
{
    const struct nb_relative o = nb_relative_motion(b, G, i, centre);
    const double spin2 = o.r2 * o.v2 - o.rv * o.rv;
    const double e = sqrt(fmax(0, 1 + (o.v2 - 2 * o.mu / sqrt(o.r2)) * spin2 / (o.mu * o.mu))),
                 q = spin2 / o.mu / (1 + e);
    return 2 * M_PI * q * q / sqrt(spin2);
}

static void warn_of_pericentres(const struct run *r)
{
    const struct nb_bodies *b = &r->bodies;
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    const double dt = sim_step_size(r);
    uint64_t centre = 0, worst = 0;
    double least = INFINITY;
    if (!(r->stepper.scheme->traits & NB_PLANETARY) || sim_schedule_intervals(&r->schedule) == 0)
        return;
    for (uint64_t i = 1; i < b->n; i++)
        centre = nb_column_get(mass, i, 0) > nb_column_get(mass, centre, 0) ? i : centre;
    for (uint64_t i = 0; i < b->n; i++) {
        const double passage = i == centre ? (double)INFINITY : passage_time(b, r->stepper.G, i, centre);
        if (passage < least)
            least = passage, worst = i;
    }
    if (dt > (1 + 1e-9) * least / PASSAGE_STEPS)
        warn("body %" PRIu64
             " passes its pericentre in a time of %.3g, and steps of %.3g are longer than a twentieth of this time: "
             "the orbit may drift although the energy error stays small (--dt %.2g)",
             /* the factor 0.95 keeps the suggested --dt below the limit after rounding to two digits */
             worst, least, dt, 0.95 * least / PASSAGE_STEPS);
}

/* Work for one period of a binary, measured for eccentricities up to 0.9. */
#define PERIOD_EVALUATIONS 1200 /* evaluations of all forces in a period, with a common time step */
#define PERIOD_OWN_STEPS   700  /* steps of the two stars in a period, with individual time steps */
/* a step of the two stars of a binary takes OWN_STEP / n times as long as an evaluation of all forces on n bodies */
#define OWN_STEP       3
#define OWN_STEP_LEAST 1e-5 /* minimum time of an individual step, seconds */
#define LONG_S         3600

/* Returns the estimated wall time in seconds that the run needs for `periods` periods of the binary. Measures the time
 * of one evaluation of all forces for this estimate. */
static double periods_take(struct run *r, double periods)
{
    const double begin_s = tool_clock();
    if (nb_step_begin(&r->stepper) || nb_device_sync(r->forces.device))
        sim_check(-1);
    const double one_s = tool_clock() - begin_s, n = (double)r->bodies.n;
    return r->stepper.scheme->traits & NB_OWN_STEPS
               ? periods * PERIOD_OWN_STEPS * fmax(OWN_STEP / n * one_s, OWN_STEP_LEAST)
               : periods * PERIOD_EVALUATIONS * one_s;
}

static void warn_of_binary(struct run *r)
{
    const double span = fabs(r->schedule.end - r->schedule.begin), G = r->stepper.G;
    struct nb_nearest pair = {0};
    if (r->options->run.tolerance == 0 || r->stepper.scheme->traits & NB_REGULARISED ||
        !nb_force_set_has_own(&r->forces) || r->stepper.softening > 0 || !(G > 0) ||
        !nb_nearest_find(&r->bodies, &pair))
        return;
    const struct nb_relative o = nb_relative_motion(&r->bodies, G, pair.i, pair.j);
    const double energy = o.v2 / 2 - o.mu / sqrt(o.r2), axis = -o.mu / (2 * energy);
    const double period = 2 * M_PI * sqrt(axis * axis * axis / o.mu), periods = span / period;
    if (!(energy < 0) || periods < NB_HARD_PERIODS)
        return;
    const double hours = periods_take(r, periods) / 3600;
    if (hours * 3600 > LONG_S)
        warn(
            "bodies %" PRIu64 " and %" PRIu64
            " orbit each other with period %.3g, %.2g times until the end of the run: following them takes about %.3g %s (use "
            "--softening L, or replace them with one body)",
            pair.i, pair.j, period, periods, hours > 48 ? hours / 24 : hours, hours > 48 ? "days" : "hours");
}

/* Warns if only external fields act on bodies that have mass, which is rarely intended. */
static void warn_of_no_gravity(const struct run *r)
{
    const struct nb_column *mass = nb_bodies_find(&r->bodies, "mass");
    if (r->options->run.forces.count == 0 || nb_force_set_has_own(&r->forces) || r->bodies.n < 2)
        return;
    for (uint64_t i = 0; i < r->bodies.n; i++)
        if (nb_column_get(mass, i, 0) > 0) {
            warn("the bodies do not attract each other: --force names external fields only (--force auto adds "
                 "self-gravity)");
            return;
        }
}

void sim_integrator_warn(struct run *r)
{
    warn_of_binary(r);
    warn_of_pericentres(r);
    warn_of_no_gravity(r);
    warn_of_steps(r);
    if (r->fixed_by_auto && nb_force_set_has_own(&r->forces) && r->stepper.softening == 0 && r->bodies.n > 1)
        warn("softening 0: steps of a fixed size cannot follow close pairs among %" PRIu64
             " bodies; check the energy error (--softening L, or --integrator with --tolerance)",
             r->bodies.n);
    warn_of_massless(r);
}
