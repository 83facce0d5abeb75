/* merge.c - merges stars that touch. After each step, nbsim looks for the first contact of two stars within this step.
 * If there is a contact, nbsim restores the state before the step and integrates up to the time of the contact, which
 * Newton's method finds. Then the two stars merge, and nbsim integrates the rest of the step. So the state at a merger
 * is not interpolated. */
#include "run.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONTACT_OFF   1e-12 /* tolerance of the distance at a contact, relative to the sum of the radii */
#define CONTACT_CLOSE 1e-3  /* tolerance if Newton's method does not converge, relative to the sum of the radii */
#define TRIES         12

struct leg {                   /* a step, or the rest of a step after a merger */
    nb_quad h;                 /* size of this step or rest of a step, with sign */
    struct nb_control control; /* state of the step size control at the beginning of this step or rest */
};

/* ---- saving and restoring the state ---- */

static bool is_adaptive(const struct run *r)
{
    return r->options->run.tolerance > 0;
}

static bool looks_by_itself(const struct run *r)
{
    return nb_scheme_looks(r->stepper.scheme);
}

static void save(struct run *r)
{
    struct sim_events *e = &r->events;
    struct nb_pack k = nb_pack_make(NB_PACK_SAVE, e->saved, e->saved_bytes);
    sim_check(nb_state_pack(r->stepper.state, &k));
    e->watch.found = false;
    if (!looks_by_itself(r))
        sim_motion_fetch(r, &e->begin, true);
}

static void put_back(struct run *r)
{
    struct nb_stepper *p = &r->stepper;
    struct nb_pack k = nb_pack_make(NB_PACK_LOAD, r->events.saved, r->events.saved_bytes);
    sim_check(nb_state_pack(p->state, &k));
    nb_step_end(p);
    p->stale = false;
    sim_check(nb_step_begin(p));
}

/* Advances the state by the time `way`, at most leg->h. Some integrators look for contacts of stars themselves
 * (looks_by_itself). With such an integrator, this function stops after the step that contains the first contact, and
 * r->events.watch contains this contact. */
static void go(struct run *r, const struct leg *leg, nb_quad way)
{
    struct nb_touch_watch *w = &r->events.watch;
    struct nb_control c = leg->control;
    nb_quad left = way;
    w->found = false;
    if (way == 0)
        return;
    if (!is_adaptive(r)) {
        sim_check(nb_steps(&r->stepper, way, 1));
        return;
    }
    c.min_step = 0;
    c.step = nb_quad_abs(way);
    while (left != 0 && !w->found) {
        const nb_quad gone = way - left;
        sim_check(nb_steps_adaptive(&r->stepper, &c, &left, 1));
        w->first.after += w->found ? gone : 0;
    }
}

/* ---- contacts ---- */

static void pass(struct sim_events *e, const struct nb_touch *t)
{
    e->passed = claimed(nb_memory_grow(e->passed, (size_t)e->passed_count, sizeof *e->passed), "no memory");
    e->passed[e->passed_count++] = *t;
    e->watch.passed = e->passed;
    e->watch.passed_count = e->passed_count;
}

static void pass_none(struct sim_events *e)
{
    free(e->passed);
    e->passed = NULL;
    e->watch.passed_count = e->passed_count = 0;
}

/* Returns the distance between the surfaces of a pair, and sets *rate to the rate of change of this distance. Both are
 * divided by the sum of the radii. */
static double surfaces(const struct sim_events *e, const struct nb_touch *t, double *rate)
{
    const double *x = e->end.x, *v = e->end.v, sum = e->radius[t->i] + e->radius[t->j];
    double r2 = 0, rv = 0;
    for (int k = 0; k < 3; k++) {
        const double d = x[3 * t->j + (uint64_t)k] - x[3 * t->i + (uint64_t)k];
        r2 += d * d;
        rv += d * (v[3 * t->j + (uint64_t)k] - v[3 * t->i + (uint64_t)k]);
    }
    *rate = r2 > 0 ? rv / sqrt(r2) / sum : 0;
    return sqrt(r2) / sum - 1;
}

/* Advances the state to the contact *t, whose time is known approximately. If the integrator finds an earlier contact,
 * *t becomes the earlier contact. Returns false if the stars do not touch. */
static bool reach(struct run *r, const struct leg *leg, struct nb_touch *t)
{
    struct sim_events *e = &r->events;
    double off = INFINITY;
    for (int k = 0; k < TRIES; k++) {
        const int passed = e->passed_count;
        double rate;
        put_back(r);
        /* t->after is only an estimate, which this loop improves. On the way to this time, the watch ignores contacts
         * of the pair *t. Otherwise, the integrator could find the contact *t again and stop. */
        pass(e, t);
        go(r, leg, t->after);
        e->watch.passed_count = e->passed_count = passed;
        if (e->watch.found) {
            *t = e->watch.first;
            continue;
        }
        sim_motion_fetch(r, &e->end, false);
        off = surfaces(e, t, &rate);
        const nb_quad next = t->after - (nb_quad)(off / rate), most = nb_quad_abs(leg->h);
        if (fabs(off) <= CONTACT_OFF || (t->after == 0 && off <= 0) || !isfinite((double)next) ||
            nb_quad_abs(next) > most || (next < 0) != (leg->h < 0) || next == t->after || k + 1 == TRIES)
            break;
        t->after = next;
    }
    return off <= CONTACT_CLOSE;
}

/* Finds the first contact *t in the step just taken, and advances the state from the beginning of the step to this
 * contact. If there is no contact, returns false and leaves the state at the end of the step. */
static bool find_contact(struct run *r, const struct leg *leg, struct nb_touch *t)
{
    struct sim_events *e = &r->events;
    for (;;) {
        if (!looks_by_itself(r)) {
            const struct nb_touch_end begin = {e->begin.x, e->begin.v, e->begin.a};
            const struct nb_touch_end end = {e->end.x, e->end.v, e->end.a};
            sim_motion_fetch(r, &e->end, true);
            e->watch.found = false;
            sim_check(nb_touch_between(&e->watch, r->bodies.n, &begin, &end, leg->h));
        }
        if (!e->watch.found)
            return false;
        *t = e->watch.first;
        if (reach(r, leg, t))
            return true;
        pass(e, t);
        put_back(r);
        go(r, leg, leg->h);
    }
}

/* ---- the merger ---- */

/* Returns the merged star. It gets the index of the heavier star of the pair, or t->i if the masses are equal. Sets
 * *other to the index of the other star of the pair. */
static struct sim_star join(const struct sim_events *e, const struct nb_touch *t, uint64_t *other)
{
    const bool first = e->mass[t->i] >= e->mass[t->j];
    const uint64_t i = first ? t->i : t->j, j = first ? t->j : t->i;
    const double m = e->mass[i] + e->mass[j], share = e->mass[j] / m;
    struct sim_star star = {.body = i, .mass = m};
    for (uint64_t k = 0; k < 3; k++) {
        star.x[k] = e->end.x[3 * i + k] + share * (e->end.x[3 * j + k] - e->end.x[3 * i + k]);
        star.v[k] = e->end.v[3 * i + k] + share * (e->end.v[3 * j + k] - e->end.v[3 * i + k]);
    }
    star.radius = cbrt(pow(e->radius[i], 3) + pow(e->radius[j], 3));
    *other = j;
    return star;
}

static double kinetic(double m, const double *v)
{
    return m / 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void cross(const double *x, const double *v, double m, double sign, double out[3])
{
    out[0] += sign * m * (x[1] * v[2] - x[2] * v[1]);
    out[1] += sign * m * (x[2] * v[0] - x[0] * v[2]);
    out[2] += sign * m * (x[0] * v[1] - x[1] * v[0]);
}

/* Returns the energy and angular momentum that a merger takes from the system: the values of the two stars minus the
 * values of the merged star. The energy includes the stars' potential energy in the field of all other stars, but not
 * in external fields. */
static struct nb_booked book(const struct run *r, uint64_t j, const struct sim_star *star)
{
    const struct sim_events *e = &r->events;
    const uint64_t i = star->body, two[2] = {i, j};
    const double *x = e->end.x, *v = e->end.v;
    struct nb_booked lost = {.energy = -kinetic(star->mass, star->v)};
    double distance2 = r->stepper.softening * r->stepper.softening;
    for (uint64_t k = 0; k < 3; k++)
        distance2 += (x[3 * j + k] - x[3 * i + k]) * (x[3 * j + k] - x[3 * i + k]);
    for (int k = 0; k < 2; k++) {
        lost.energy += kinetic(e->mass[two[k]], v + 3 * two[k]);
        cross(x + 3 * two[k], v + 3 * two[k], e->mass[two[k]], 1, lost.angular_momentum);
    }
    cross(star->x, star->v, star->mass, -1, lost.angular_momentum);
    if (nb_force_set_has_own(&r->forces) && e->mass[i] * e->mass[j] > 0)
        lost.energy -= r->stepper.G * e->mass[i] * e->mass[j] / sqrt(distance2);
    lost.energy += e->mass[i] * sim_potential_at(r, x, x + 3 * i, i, j) +
                   e->mass[j] * sim_potential_at(r, x, x + 3 * j, i, j) -
                   star->mass * sim_potential_at(r, x, star->x, i, j);
    return lost;
}

static uint64_t id_of(const struct run *r, uint64_t i)
{
    return ((const uint64_t *)nb_bodies_find(&r->bodies, "id")->data)[i];
}

static void merge(struct run *r, const struct nb_touch *t, double time)
{
    struct sim_events *e = &r->events;
    double before[2], after[2];
    uint64_t other;
    struct sim_star star = join(e, t, &other);
    if (!r->options->merge_column)
        star.radius = r->options->merge_radius;
    struct nb_event event = {.kind = NB_EVENT_MERGE,
                             .count = 1,
                             .time = time,
                             .id = id_of(r, star.body),
                             .other = id_of(r, other),
                             .mass = e->mass[star.body],
                             .other_mass = e->mass[other]};
    struct nb_booked lost = book(r, other, &star);
    sim_potential_external(r, star.body, other, before);
    lost.energy += event.mass * before[0] + event.other_mass * before[1];
    const uint64_t kept = star.body - (other < star.body);
    sim_fewer(r, &other, 1, &star);
    sim_potential_external(r, kept, kept, after);
    lost.energy -= star.mass * after[0];
    event.energy = lost.energy;
    memcpy(event.x, star.x, sizeof event.x);
    memcpy(event.v, star.v, sizeof event.v);
    sim_events_add(r, &event, &lost);
    say_verbose("t = %.9g: stars %llu and %llu become one of mass %g", time, (unsigned long long)event.id,
                (unsigned long long)event.other, star.mass);
}

/* ---- a step ---- */

uint64_t sim_merge_step(struct run *r, const struct sim_interval *i, int *status)
{
    const struct run_place before = r->place;
    const struct nb_control control = r->control;
    const double time = sim_time_in(r, i);
    struct leg leg = {.control = control};
    struct nb_touch touch;
    nb_quad gone = 0; /* simulated time from the beginning of the step to the last merger */
    pass_none(&r->events);
    save(r);
    const uint64_t taken = sim_take_steps(r, i, 1, status);
    if (*status || taken == 0)
        return taken;
    leg.h = nb_prepare_steps_are_fixed(&r->options->run) ? i->h : before.left - r->place.left;
    while (find_contact(r, &leg, &touch)) {
        gone += touch.after;
        merge(r, &touch, time + (double)gone);
        pass_none(&r->events);
        if (is_adaptive(r)) {
            r->place.left = before.left - gone;
            r->control = control;
            r->control.taken++;
            break;
        }
        leg.h -= touch.after;
        if (leg.h == 0)
            break;
        save(r);
        go(r, &leg, leg.h);
    }
    return taken;
}
