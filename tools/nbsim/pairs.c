/* pairs.c - finds hard binaries that formed, dissolved or exchanged a star between two frames. */
#include "run.h"

#include "base/memory.h"
#include "measure/measure_cluster.h"

#include <stdlib.h>

#define NONE UINT64_MAX

struct star {
    uint64_t id, at; /* at: in struct list, index of the star's pair; in the result of find_all, index of the body */
};

struct list { /* the pairs of a frame */
    const struct sim_binary *pairs;
    struct star *stars; /* the stars of all pairs, sorted by id */
    uint64_t count;     /* number of pairs */
};

static int by_id(const void *a, const void *b)
{
    const struct star *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

static struct list list_of(const struct sim_binary *pairs, uint64_t count)
{
    struct list l = {.pairs = pairs, .count = count};
    l.stars = claimed(malloc((2 * count + 1) * sizeof *l.stars), "no memory for the stars of binaries");
    for (uint64_t k = 0; k < 2 * count; k++)
        l.stars[k] = (struct star){pairs[k / 2].id[k % 2], k / 2};
    qsort(l.stars, 2 * count, sizeof *l.stars, by_id);
    return l;
}

/* Returns `at` of the element with this id in the sorted list `stars`, or NONE if there is no such element. */
static uint64_t find(const struct star *stars, uint64_t count, uint64_t id)
{
    const struct star *found = bsearch(&(struct star){.id = id}, stars, count, sizeof *stars, by_id);
    return found ? found->at : NONE;
}

static uint64_t pair_with(const struct list *l, uint64_t id)
{
    return find(l->stars, 2 * l->count, id);
}

static bool has(const struct list *l, const struct sim_binary *pair)
{
    const uint64_t k = pair_with(l, pair->id[0]);
    return k != NONE && l->pairs[k].id[0] == pair->id[0] && l->pairs[k].id[1] == pair->id[1];
}

/* ---- bodies by id ---- */

/* Returns the ids and indices of all bodies, sorted by id. The caller frees the list. */
static struct star *find_all(const struct nb_bodies *b)
{
    const uint64_t *id = nb_bodies_find(b, "id")->data;
    struct star *all = claimed(malloc((b->n + 1) * sizeof *all), "no memory for the stars of binaries");
    for (uint64_t i = 0; i < b->n; i++)
        all[i] = (struct star){id[i], i};
    qsort(all, b->n, sizeof *all, by_id);
    return all;
}

/* Makes the event of bodies i and j, with the time, and the ids, masses and centre of mass of the two bodies. */
static struct nb_event event_of(const struct nb_bodies *b, enum nb_event_kind kind, double time, uint64_t i, uint64_t j)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos"),
                           *vel = nb_bodies_find(b, "vel");
    const uint64_t *id = nb_bodies_find(b, "id")->data;
    struct nb_event e = {.kind = kind, .count = 1, .time = time, .id = id[i], .other = id[j]};
    double x[3], v[3];
    e.mass = nb_column_get(mass, i, 0);
    e.other_mass = nb_column_get(mass, j, 0);
    nb_column_get_f64(pos, i, i + 1, e.x);
    nb_column_get_f64(vel, i, i + 1, e.v);
    nb_column_get_f64(pos, j, j + 1, x);
    nb_column_get_f64(vel, j, j + 1, v);
    const double share = e.other_mass / (e.mass + e.other_mass);
    for (int d = 0; d < 3; d++) {
        e.x[d] += share * (x[d] - e.x[d]);
        e.v[d] += share * (v[d] - e.v[d]);
    }
    return e;
}

static void add(struct run *r, const struct nb_event *e)
{
    const struct nb_booked none = {0};
    sim_events_add(r, e, &none);
}

/* ---- two frames ---- */

struct change {
    struct list before, now;
    struct star *bodies; /* all bodies sorted by id; NULL: not needed yet */
    /* gone_on[k]: true if an exchange event already says how pair k of the earlier frame ended */
    bool *gone_on;
};

static uint64_t body_of(const struct run *r, struct change *c, uint64_t id)
{
    c->bodies = c->bodies ? c->bodies : find_all(&r->bodies);
    return find(c->bodies, r->bodies.n, id);
}

/* Returns the index of the pair that star `id` left since the earlier frame. Returns NONE if
 * - the star was in no pair;
 * - its pair still exists;
 * - the list of events already says how the pair ended: by an exchange, or by a merger or escape of the partner. */
static uint64_t left(const struct run *r, struct change *c, uint64_t id)
{
    const uint64_t old = pair_with(&c->before, id);
    if (old == NONE || c->gone_on[old] || has(&c->now, &c->before.pairs[old]))
        return NONE;
    const uint64_t *ids = c->before.pairs[old].id;
    return body_of(r, c, ids[ids[0] == id]) == NONE ? NONE : old;
}

/* Adds the event of a new pair. The event is an exchange if one of the two stars was in another pair before. If both
 * stars were in other pairs, the event names the earlier partner of the heavier star. */
static void add_new(struct run *r, struct change *c, double time, const struct nb_pair *orbit)
{
    const uint64_t *id = nb_bodies_find(&r->bodies, "id")->data;
    uint64_t stays = orbit->body[0], comes = orbit->body[1], old = left(r, c, id[stays]);
    if (old == NONE && (old = left(r, c, id[comes])) != NONE) {
        stays = orbit->body[1];
        comes = orbit->body[0];
    }
    struct nb_event e = event_of(&r->bodies, old == NONE ? NB_EVENT_FORM : NB_EVENT_EXCHANGE, time, stays, comes);
    e.energy = orbit->energy;
    if (old != NONE) {
        const uint64_t *ids = c->before.pairs[old].id;
        e.former = ids[ids[0] == e.id];
        c->gone_on[old] = true;
    }
    add(r, &e);
}

/* Adds an event for each dissolved pair whose two stars still exist. If one of them no longer exists, its merger or
 * escape is already in the list of events. */
static void add_dissolved(struct run *r, struct change *c, double time)
{
    const struct nb_column *mass = nb_bodies_find(&r->bodies, "mass");
    for (uint64_t k = 0; k < c->before.count; k++) {
        const struct sim_binary *pair = &c->before.pairs[k];
        if (c->gone_on[k] || has(&c->now, pair))
            continue;
        const uint64_t i = body_of(r, c, pair->id[0]), j = body_of(r, c, pair->id[1]);
        if (i == NONE || j == NONE)
            continue;
        const bool swapped = nb_column_get(mass, j, 0) > nb_column_get(mass, i, 0);
        struct nb_event e = event_of(&r->bodies, NB_EVENT_DISSOLVE, time, swapped ? j : i, swapped ? i : j);
        e.energy = pair->energy;
        add(r, &e);
    }
}

static void compare(struct run *r, double time, const struct sim_binary *now, const struct nb_pair *orbits,
                    uint64_t count)
{
    struct sim_events *e = &r->events;
    struct change c = {list_of(e->pairs, e->pair_count), list_of(now, count), NULL,
                       claimed(calloc(e->pair_count + 1, sizeof(bool)), "no memory for binaries")};
    for (uint64_t k = 0; k < count; k++)
        if (!has(&c.before, &now[k]))
            add_new(r, &c, time, &orbits[k]);
    add_dissolved(r, &c, time);
    free(c.before.stars);
    free(c.now.stars);
    free(c.bodies);
    free(c.gone_on);
}

static bool is_hard(const struct nb_pair *pair)
{
    return pair->stars == 2 && pair->hardness > 1;
}

void sim_pairs_look(struct run *r, double time, bool first)
{
    struct sim_events *e = &r->events;
    struct nb_pairs found;
    uint64_t count = 0;
    if (!r->options->binary_events)
        return;
    sim_check(nb_pairs_find(&r->bodies, &found));
    const uint64_t *id = nb_bodies_find(&r->bodies, "id")->data;
    struct sim_binary *now = claimed(malloc((found.count + 1) * sizeof *now), "no memory for binaries");
    for (uint64_t k = 0; k < found.count; k++) {
        const struct nb_pair orbit = found.of[k];
        const uint64_t i = id[orbit.body[0]], j = id[orbit.body[1]];
        if (!is_hard(&orbit))
            continue;
        found.of[count] = orbit;
        now[count++] = (struct sim_binary){{i < j ? i : j, i < j ? j : i}, orbit.energy};
    }
    if (!first)
        compare(r, time, now, found.of, count);
    free(e->pairs);
    e->pairs = now;
    e->pair_count = count;
    nb_pairs_free(&found);
}

int sim_pairs_pack(struct sim_events *e, struct nb_pack *k)
{
    uint64_t count = e->pair_count;
    if (nb_pack_unsigned(k, &count, k->size_bytes / sizeof *e->pairs))
        return -1;
    if (k->way == NB_PACK_LOAD)
        e->pairs = claimed(malloc((count + 1) * sizeof *e->pairs), "no memory for binaries");
    e->pair_count = count;
    return nb_pack_bytes(k, e->pairs, count * sizeof *e->pairs);
}
