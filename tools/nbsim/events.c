/* events.c - keeps the events since the last frame, and the sums of mass, energy and momenta that all events of the run
 * have removed. */
#include "run.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sim_events_merge(const struct sim_options *o)
{
    return o->merge_radius > 0 || o->merge_column;
}

static bool may_happen(const struct sim_options *o)
{
    return sim_events_merge(o) || o->escape_radius > 0;
}

/* ---- start ---- */

void sim_events_begin(struct run *r)
{
    struct nb_bodies *b = &r->bodies;
    struct nb_event *events = NULL;
    size_t count = 0;
    /* Reads the lines of earlier events in the header of the input only to check them. */
    must(nb_events_read(&b->meta, &events, &count));
    must(nb_booked_read(&b->meta, &r->events.booked));
    free(events);
    nb_events_drop(&b->meta, false);
    if (may_happen(r->options) || r->options->binary_events)
        must(nb_bodies_number(b));
}

static void check_radii(const struct run *r)
{
    const struct nb_column *radius = nb_bodies_find(&r->bodies, "radius");
    if (!radius)
        die("%s: has no column 'radius', which --merge-radius column needs (nbedit --set radius=..., or give a length)",
            r->options->input && strcmp(r->options->input, "-") != 0 ? r->options->input : "stdin");
    for (uint64_t i = 0; i < r->bodies.n; i++) {
        const double value = nb_column_get(radius, i, 0);
        if (!(value >= 0 && isfinite(value)))
            die("body %llu: its radius is %g (--merge-radius)", (unsigned long long)i, value);
    }
}

void sim_events_check(struct run *r)
{
    const struct sim_options *o = r->options;
    const struct nb_scheme *scheme = r->stepper.scheme;
    const char *option = sim_events_merge(o) ? "merge-radius" : "escape-radius";
    if (o->binary_events && !nb_force_set_has_own(&r->forces))
        die_usage("--binary-events: bodies without self-gravity form no binaries");
    if (may_happen(o) && nb_force_set_flags(&r->forces) & NB_CONTACT)
        die_usage("--%s: not possible with colliding disks", option);
    if (sim_events_merge(o) && scheme->traits & NB_OWN_STEPS && !nb_scheme_looks(scheme))
        die_usage("--merge-radius: %s does not find contacts inside its steps (--integrator ias15 does)", scheme->name);
    if (o->merge_column)
        check_radii(r);
}

/* ---- memory ---- */

static double *numbers(uint64_t count)
{
    return claimed(malloc(count * sizeof(double)), "no memory to look for stars that merge or leave");
}

static struct sim_motion motion_of(uint64_t n)
{
    return (struct sim_motion){numbers(3 * n), numbers(3 * n), numbers(3 * n)};
}

static void motion_free(struct sim_motion *m)
{
    free(m->x);
    free(m->v);
    free(m->a);
}

static void take_radii(struct run *r)
{
    struct sim_events *e = &r->events;
    const struct nb_column *radius = r->options->merge_column ? nb_bodies_find(&r->bodies, "radius") : NULL;
    e->radius = numbers(r->bodies.n);
    for (uint64_t i = 0; i < r->bodies.n; i++)
        e->radius[i] = radius ? nb_column_get(radius, i, 0) : r->options->merge_radius;
}

void sim_events_ready(struct run *r)
{
    struct sim_events *e = &r->events;
    const uint64_t n = r->bodies.n;
    e->on = may_happen(r->options);
    if (!e->on)
        return;
    sim_check(nb_memory_check(n, 40.0 * (double)n * sizeof(double)));
    e->mass = numbers(n);
    e->begin = motion_of(n);
    e->end = motion_of(n);
    sim_check(nb_state_fetch(r->stepper.state, r->stepper.state->m,
                             &(struct nb_column){.type = NB_F64, .width = 1, .data = e->mass}));
    if (!sim_events_merge(r->options))
        return;
    take_radii(r);
    e->watch = (struct nb_touch_watch){.mass = e->mass, .radius = e->radius};
    r->stepper.watch = &e->watch;
    struct nb_pack k = nb_pack_make(NB_PACK_COUNT, NULL, 0);
    sim_check(nb_state_pack(r->stepper.state, &k));
    e->saved_bytes = k.at;
    e->saved = claimed(aligned_alloc(64, (k.at + 63) / 64 * 64), "no memory for a copy of the state");
}

void sim_events_free(struct sim_events *e)
{
    motion_free(&e->begin);
    motion_free(&e->end);
    free(e->mass);
    free(e->radius);
    free(e->passed);
    free(e->saved);
    free(e->list);
    free(e->pairs);
    *e = (struct sim_events){0};
}

/* ---- recording ---- */

void sim_events_add(struct run *r, const struct nb_event *event, const struct nb_booked *lost)
{
    struct sim_events *e = &r->events;
    struct nb_booked *b = &e->booked;
    e->list = claimed(nb_memory_grow(e->list, e->count, sizeof *e->list), "no memory for an event");
    e->list[e->count++] = *event;
    b->merged += event->kind == NB_EVENT_MERGE;
    b->escaped += event->kind == NB_EVENT_ESCAPE;
    b->mass += lost->mass;
    b->energy += lost->energy;
    for (int k = 0; k < 3; k++) {
        b->momentum[k] += lost->momentum[k];
        b->angular_momentum[k] += lost->angular_momentum[k];
    }
}

void sim_events_note(struct run *r)
{
    struct sim_events *e = &r->events;
    if (!e->on && !r->options->binary_events)
        return;
    sim_check(nb_events_write(&r->bodies.meta, e->list, e->count));
    if (r->logs[SIM_LOG_EVENTS])
        sim_log_write_events(r->logs[SIM_LOG_EVENTS], e->list, e->count);
    if (e->booked.merged + e->booked.escaped > 0)
        sim_check(nb_booked_write(&r->bodies.meta, &e->booked));
    free(e->list);
    e->list = NULL;
    e->count = 0;
}

int sim_events_pack(struct sim_events *e, struct nb_pack *k)
{
    uint64_t count = e->count;
    if (nb_pack_begin(k, "events") || nb_pack_bytes(k, &e->booked, sizeof e->booked) ||
        nb_pack_unsigned(k, &count, k->size_bytes / sizeof *e->list))
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        if (k->way == NB_PACK_LOAD && !(e->list = claimed(nb_memory_grow(e->list, i, sizeof *e->list), "no memory")))
            return -1;
        if (nb_pack_bytes(k, &e->list[i], sizeof *e->list))
            return -1;
        if (e->list[i].kind >= NB_EVENT_KINDS)
            return nb_fail("contains an invalid event");
    }
    e->count = count;
    return sim_pairs_pack(e, k) ? -1 : nb_pack_end(k);
}
