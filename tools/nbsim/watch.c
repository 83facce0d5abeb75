/* watch.c - measures the energy of a run at and between outputs, and compares the energy error with its limit. */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WARN_BEYOND     1e-3
#define BETWEEN_COST    500  /* number of force evaluations between two measurements of the energy */
#define BETWEEN_PLANETS 2500 /* used instead of BETWEEN_COST for planetary schemes, whose steps take less time */
/* Number of steps between two measurements of the energy. Used instead of BETWEEN_COST and BETWEEN_PLANETS if a
 * tolerance is set, or if the scheme has no fixed number of evaluations per step (iterated schemes). */
#define BETWEEN_STEPS 25
/* With more bodies than this, the energy is measured only at outputs. A measurement between outputs needs a copy of the
 * velocities, which would take too much memory. */
#define BETWEEN_BODIES 1000000
/* The run ends if LASTING successive measurements between outputs have an error above --max-de. A single such
 * measurement does not end the run, because the error oscillates near a pericentre. */
#define LASTING 4
/* A pair of bodies with the distance d and the total mass m is too close for a step size h if
 * h > STEPS_FOLLOW * sqrt(d^3 / (G m)). nb_step_suggest uses the same factor. */
#define STEPS_FOLLOW 0.02

/* ---- whether to measure ---- */

void sim_watch_choose(struct run *r)
{
    const struct sim_options *o = r->options;
    struct sim_watch *w = &r->watch;
    const bool moves = o->resume || o->run.steps != 0;
    w->judges = isfinite(o->max_de) && moves;
    w->on = w->judges || o->log;
    if (!o->resume || w->begun)
        return;
    if (o->log)
        die_usage("--log: the interrupted run did not record its initial energy, which energy errors refer to");
    w->on = w->judges = false;
}

/* Returns the flags of the first force that does not conserve the energy, or 0. */
static unsigned find_leak(const struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (set->force[k].flags & NB_OPEN)
            return set->force[k].flags;
    return 0;
}

void sim_watch_check(struct run *r)
{
    struct sim_watch *w = &r->watch;
    const unsigned leak = find_leak(&r->forces);
    const char *what = leak & NB_CONTACT          ? "damping or a flow changes"
                       : leak & NB_BETWEEN        ? "gravitational waves change"
                       : leak & NB_NEEDS_VELOCITY ? "a force that depends on the velocity changes"
                                                  : "a field that depends on time changes";
    if (!w->judges || !leak)
        return;
    if (r->options->max_de_given && leak & (NB_CONTACT | NB_BETWEEN))
        die_usage("--max-de is not possible: %s the energy of these bodies, so an energy error is not defined", what);
    if (leak & NB_CONTACT)
        say_verbose("the energy error is not checked: %s the energy", what);
    else
        say("the energy error is not checked: %s the energy", what);
    w->judges = false;
    w->on = r->options->log;
}

bool sim_watch_give_up(struct run *r)
{
    struct sim_watch *w = &r->watch;
    if (!w->on || r->options->log || r->options->max_de_given)
        return false;
    say("the energy error is not checked: no memory for the potential");
    w->on = w->judges = false;
    return true;
}

/* ---- memory ---- */

static bool has_external(const struct run *r)
{
    return nb_force_set_flags(&r->forces) & NB_EXTERNAL;
}

static bool looks_between(const struct run *r)
{
    return r->watch.judges && r->bodies.n <= BETWEEN_BODIES;
}

double sim_watch_bytes(const struct run *r, enum nb_precision precision)
{
    const int rows = 1 + has_external(r), parts = precision == NB_QUAD ? 2 : 1;
    const size_t vel = looks_between(r) ? 3 * sizeof(double) : 0;
    const size_t acc = sim_criterion_serves(r) ? 3 * nb_type_size(sim_type_of(precision)) : 0;
    const size_t bytes = sizeof(double) * (size_t)(rows * parts) + vel * (size_t)parts + acc;
    return r->watch.on ? (double)r->bodies.n * (double)bytes : 0;
}

int sim_watch_rows(const struct run *r)
{
    const bool apart = nb_force_set_flags(&r->forces) & NB_EXTERNAL || !nb_scheme_ends_fresh(r->stepper.scheme);
    return r->watch.on && sim_criterion_serves(r) && apart ? 3 : 0;
}

static void make(const struct run *r, struct nb_column *c, enum nb_type type, int width)
{
    *c = (struct nb_column){.type = type, .width = width};
    c->data = claimed(aligned_alloc(NB_ALIGN, nb_column_bytes_padded(c, r->bodies.n)),
                      "no memory for the energy of %" PRIu64 " bodies", r->bodies.n);
    nb_device_pin(r->forces.device, c->data, nb_column_bytes_padded(c, r->bodies.n));
}

static void drop(const struct run *r, struct nb_column *c)
{
    if (c->data)
        nb_device_unpin(r->forces.device, c->data);
    free(c->data);
    c->data = NULL;
}

static void make_columns(struct run *r)
{
    struct sim_watch *w = &r->watch;
    const bool quad = r->stepper.state->precision == NB_QUAD;
    struct sim_potential *const parts[] = {&w->own, has_external(r) ? &w->external : NULL};
    for (int k = 0; k < 2; k++) {
        if (parts[k])
            make(r, &parts[k]->high, NB_F64, 1);
        if (parts[k] && quad)
            make(r, &parts[k]->low, NB_F64, 1);
    }
    w->judges_steps = sim_criterion_serves(r);
    if (w->judges_steps && !sim_criterion_of_orbits(r))
        make(r, &w->acc, sim_type_of(r->stepper.state->precision), 3);
    if (!looks_between(r))
        return;
    const uint64_t evaluations = (uint64_t)r->stepper.scheme->evaluations;
    const uint64_t cost = r->stepper.scheme->traits & NB_PLANETARY ? BETWEEN_PLANETS : BETWEEN_COST;
    const bool fixed = r->options->run.tolerance == 0 && evaluations > 0;
    w->between = fixed ? (cost + evaluations - 1) / evaluations : BETWEEN_STEPS;
    make(r, &w->vel, nb_bodies_find(&r->bodies, "vel")->type, 3);
    if (quad)
        make(r, &w->vel_low, NB_F64, 3);
}

void sim_watch_ready(struct run *r)
{
    if (!r->watch.on)
        return;
    make_columns(r);
}

/* ---- measuring ---- */

static void measure(struct run *r, const struct nb_column *vel, const struct nb_column *vel_low)
{
    struct sim_watch *w = &r->watch;
    const struct nb_energy_terms terms = {
        .n = r->bodies.n,
        .mass = nb_bodies_find(&r->bodies, "mass"),
        .vel = vel,
        .vel_low = vel_low,
        .phi = w->own.high.data,
        .phi_low = w->own.low.data,
        .external = w->external.high.data,
        .external_low = w->external.low.data,
        .held = nb_force_set_flags(&r->forces) & NB_CONTACT,
    };
    struct nb_energies now;
    sim_check(nb_measure_energies(&terms, &now));
    now.booked = r->events.booked.energy;
    if (!w->begun)
        w->first = now;
    w->begun = true;
    w->potential = fabs((double)now.potential);
    w->energy = nb_measure_energy(&now);
    w->error = isfinite(w->energy) ? nb_measure_energy_error(&now, &w->first) : (double)NAN;
    w->looked_at = r->steps_done;
}

static bool is_within(const struct run *r)
{
    return !r->watch.judges || fabs(r->watch.error) <= r->options->max_de;
}

/* Returns advice on how to make the tree force more accurate, as the end of a sentence. */
static const char *opening_advice(const struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (!isnan(nb_force_value(&set->force[k].spec, "lambda")))
            return ", or a larger lambda";
    return ", or a smaller --theta";
}

const char *sim_own_steps_advice(const struct run *r)
{
    const unsigned flags = nb_force_set_flags(&r->forces);
    const bool exact = flags & NB_EXACT && !(flags & NB_CONTACT);
    return exact && r->bodies.n <= NB_FEW                                 ? ", or --integrator ias15"
           : exact && !(flags & NB_EXTERNAL) && r->bodies.n <= NB_SINGLES ? ", or --integrator hermite4-block"
                                                                          : "";
}

/* Returns advice on how to reduce the energy error, as the end of a sentence. */
static const char *advice(const struct run *r, char text[256])
{
    const unsigned flags = nb_force_set_flags(&r->forces);
    const bool adaptive = r->options->run.tolerance > 0;
    snprintf(text, 256, "%s%s%s", adaptive ? "a smaller --tolerance" : "a smaller --dt",
             adaptive ? "" : sim_own_steps_advice(r), flags & NB_EXACT ? "" : opening_advice(&r->forces));
    return text;
}

static void warn_once(struct run *r)
{
    struct sim_watch *w = &r->watch;
    char help[256];
    if (w->warned || !w->judges || w->beyond || fabs(w->error) <= WARN_BEYOND)
        return;
    warn("t = %.9g, step %" PRIu64 ": the energy error is %.2g%s, above %g (%s)", r->bodies.meta.time,
         r->bodies.meta.step, w->error, nb_measure_energy_divisor(&w->first), WARN_BEYOND, advice(r, help));
    w->warned = true;
}

#define OWN_SHARE 0.1

/* Warns if the energy error is large compared with the energy of self-gravity. Needed if bodies have much more energy
 * in an external field: the error can then be small compared with the total energy. */
static void warn_of_own(struct run *r)
{
    struct sim_watch *w = &r->watch;
    const double off = fabs(w->energy - nb_measure_energy(&w->first));
    if (w->warned_of_own || !w->judges || w->beyond || !has_external(r) || !nb_force_set_has_own(&r->forces) ||
        r->bodies.n < 2 || !(off > OWN_SHARE * w->potential))
        return;
    warn("t = %.9g, step %" PRIu64
         ": the energy error is %.2g times the bodies' mutual potential energy: the external field may dominate the "
         "energy, which then does not show errors of the bodies' motion relative to each other (try %s)",
         r->bodies.meta.time, r->bodies.meta.step, off / w->potential,
         r->options->run.tolerance > 0 ? "a smaller --tolerance" : "a smaller --dt");
    w->warned_of_own = true;
}

void sim_watch_frame(struct run *r, bool log)
{
    struct sim_watch *w = &r->watch;
    if (!w->on)
        return;
    measure(r, nb_bodies_find(&r->bodies, "vel"), nb_bodies_find(&r->bodies, "vel_lo"));
    w->excesses = 0;
    /* w->beyond may already be true because of an error between outputs; it stays true */
    w->beyond = w->beyond || !is_within(r);
    if (log && r->logs[SIM_LOG_ENERGY])
        sim_log_write(r->logs[SIM_LOG_ENERGY], r);
    warn_once(r);
    warn_of_own(r);
    sim_criterion_look(r);
}

uint64_t sim_watch_steps(const struct run *r)
{
    const struct sim_watch *w = &r->watch;
    const uint64_t taken = r->steps_done - w->looked_at;
    return w->between == 0 ? UINT64_MAX : taken < w->between ? w->between - taken : 0;
}

void sim_watch_look(struct run *r)
{
    struct sim_watch *w = &r->watch;
    const struct nb_state *s = r->stepper.state;
    if (sim_watch_steps(r) > 0)
        return;
    sim_potential_fetch(&r->stepper, nb_forces_own, r->d_field, &w->own);
    if (has_external(r))
        sim_potential_fetch(&r->stepper, nb_forces_external, r->d_field, &w->external);
    sim_check(nb_state_fetch(s, s->v, &w->vel));
    if (w->vel_low.data)
        sim_check(nb_state_fetch_low(s, s->v, &w->vel, &w->vel_low));
    measure(r, &w->vel, w->vel_low.data ? &w->vel_low : NULL);
    w->excesses = is_within(r) ? 0 : w->excesses + 1;
    w->beyond = w->excesses >= LASTING;
}

/* ---- messages ---- */

const char *sim_watch_text(const struct run *r, char text[SIM_ERROR_TEXT])
{
    *text = '\0';
    if (r->watch.on && r->watch.begun)
        snprintf(text, SIM_ERROR_TEXT, "energy error %.2g%s", r->watch.error,
                 nb_measure_energy_divisor(&r->watch.first));
    return text;
}

/* Returns whether bodies attract each other without softening, so that they can come arbitrarily close. */
static bool can_meet(const struct run *r)
{
    return nb_force_set_has_own(&r->forces) && r->stepper.softening == 0 && r->stepper.G > 0;
}

static bool is_too_close(const struct run *r, const struct nb_nearest *pair, double step)
{
    const struct nb_column *mass = nb_bodies_find(&r->bodies, "mass");
    const double m = nb_column_get(mass, pair->i, 0) + nb_column_get(mass, pair->j, 0), d = pair->distance;
    return step > STEPS_FOLLOW * sqrt(d * d * d / (r->stepper.G * m));
}

const char *sim_watch_pair(const struct run *r, double step, char text[SIM_PAIR_TEXT])
{
    struct nb_nearest pair = {0};
    *text = '\0';
    if (can_meet(r) && nb_nearest_find(&r->bodies, &pair) && is_too_close(r, &pair, step))
        snprintf(text, SIM_PAIR_TEXT,
                 "; bodies %" PRIu64 " and %" PRIu64 " are %.3g apart, where the steps cannot follow them", pair.i,
                 pair.j, pair.distance);
    return text;
}

static void say_why(const struct run *r)
{
    const double fixed = r->options->run.tolerance > 0 ? 0 : sim_step_size(r);
    char pair[SIM_PAIR_TEXT], help[256], error[SIM_ERROR_TEXT] = "the energy is not a finite number";
    if (!isnan(r->watch.error))
        snprintf(error, sizeof error, "the energy error is %.2g%s", r->watch.error,
                 nb_measure_energy_divisor(&r->watch.first));
    sim_watch_pair(r, fixed, pair);
    complain("t = %.9g, step %" PRIu64 ": %s (--max-de %g), and the stream ends here%s (%s%s)", r->bodies.meta.time,
             r->bodies.meta.step, error, r->options->max_de, pair, advice(r, help), *pair ? ", or --softening" : "");
}

void sim_watch_close(struct run *r)
{
    struct sim_watch *w = &r->watch;
    struct nb_column *const all[] = {&w->own.high, &w->own.low, &w->external.high, &w->external.low, &w->vel,
                                     &w->vel_low,  &w->acc};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        drop(r, all[k]);
    if (w->beyond)
        say_why(r);
}

/* ---- resuming ---- */

int sim_watch_pack(struct sim_watch *w, struct nb_pack *k)
{
    struct nb_energies *e = &w->first;
    return nb_pack_begin(k, "energy") || nb_pack_flag(k, &w->begun) || nb_pack_flag(k, &w->warned) ||
                   nb_pack_bytes(k, e, sizeof *e) || nb_pack_bytes(k, &w->energy, sizeof w->energy) ||
                   nb_pack_bytes(k, &w->error, sizeof w->error) || nb_pack_unsigned(k, &w->looked_at, UINT64_MAX) ||
                   nb_pack_int(k, &w->excesses, 0, LASTING) || nb_pack_end(k)
               ? -1
               : 0;
}
