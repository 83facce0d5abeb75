/* escape.c - removes stars that leave the system. A star leaves if it is farther than --escape-radius from the centre
 * of mass of all stars, and is not bound to the other stars. A star is bound if the sum of its kinetic energy relative
 * to the other stars and its potential energy in their field is negative. External fields are not included. The
 * farthest star leaves first. The centre of mass is then computed again from the remaining stars. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MANY       10000 /* above this number of stars, escapes are checked only every MANY_STEPS steps */
#define MANY_STEPS 10
#define FEW_FAR    64 /* if the list of far stars is longer than this, drop_bound removes the bound stars from it */
/* Assumed maximum relative error of potentials that the forces of the run compute. A star is certainly bound if its
 * energy is negative even with the potential multiplied by (1 - FORCES_OFF). */
#define FORCES_OFF 0.02

struct sums {                     /* sums over the remaining bodies */
    long double mass, x[3], v[3]; /* mass; x: mass times position; v: mass times velocity */
};

struct far_star {
    double distance2; /* squared distance from the centre of mass of all bodies */
    uint64_t body;
};

static struct sums sum_all(const struct sim_events *e, uint64_t n)
{
    struct sums s = {0};
    for (uint64_t i = 0; i < n; i++) {
        s.mass += e->mass[i];
        for (uint64_t k = 0; k < 3; k++) {
            s.x[k] += (long double)e->mass[i] * e->end.x[3 * i + k];
            s.v[k] += (long double)e->mass[i] * e->end.v[3 * i + k];
        }
    }
    return s;
}

/* Computes the squared distance of body i from the centre of mass of all bodies, and the squared speed of body i
 * relative to the mean velocity of the other bodies. */
static void relate(const struct sim_events *e, const struct sums *s, uint64_t i, double *distance2, double *speed2)
{
    const long double m = e->mass[i], rest = s->mass - m;
    *distance2 = *speed2 = 0;
    for (uint64_t k = 0; k < 3; k++) {
        const double dx = (double)(e->end.x[3 * i + k] - s->x[k] / s->mass);
        const double dv = (double)(e->end.v[3 * i + k] - (s->v[k] - m * e->end.v[3 * i + k]) / rest);
        *distance2 += dx * dx;
        *speed2 += dv * dv;
    }
}

static int farthest_first(const void *a, const void *b)
{
    const struct far_star *p = a, *q = b;
    if (p->distance2 != q->distance2)
        return p->distance2 > q->distance2 ? -1 : 1;
    return (p->body > q->body) - (p->body < q->body);
}

/* Lists the stars beyond the escape radius, the farthest first. Returns the number of stars. The caller frees *list. */
static uint64_t list_far(const struct run *r, const struct sums *s, struct far_star **list)
{
    const struct sim_events *e = &r->events;
    const double most = r->options->escape_radius * r->options->escape_radius;
    uint64_t count = 0;
    *list = claimed(malloc(r->bodies.n * sizeof **list), "no memory to look for stars that leave");
    for (uint64_t i = 0; i < r->bodies.n; i++) {
        double distance2, speed2;
        if (!(s->mass > e->mass[i]))
            continue;
        relate(e, s, i, &distance2, &speed2);
        if (distance2 > most)
            (*list)[count++] = (struct far_star){distance2, i};
    }
    qsort(*list, count, sizeof **list, farthest_first);
    return count;
}

/* If the list has more than FEW_FAR stars, removes the stars that are certainly bound. Uses potentials that the forces
 * of the run compute, with the error limit FORCES_OFF. The caller computes more accurate potentials of the remaining
 * stars. Returns the number of remaining stars. */
static uint64_t drop_bound(struct run *r, const struct sums *s, struct far_star *list, uint64_t count)
{
    const struct nb_state *state = r->stepper.state;
    struct nb_column phi = {.type = NB_F64, .width = 1};
    uint64_t left = 0;
    if (count <= FEW_FAR || !nb_force_set_has_own(&r->forces))
        return count;
    void *d_field = nb_state_vector(state);
    sim_check(d_field ? 0 : -1);
    phi.data = claimed(malloc(nb_column_bytes_padded(&phi, state->n)), "no memory for potentials");
    sim_potential_fetch(&r->stepper, nb_forces_own, d_field, &(struct sim_potential){.high = phi});
    for (uint64_t k = 0; k < count; k++) {
        double distance2, speed2;
        relate(&r->events, s, list[k].body, &distance2, &speed2);
        if (speed2 / 2 + (1 - FORCES_OFF) * ((const double *)phi.data)[list[k].body] > 0)
            list[left++] = list[k];
    }
    free(phi.data);
    nb_device_free(state->device, d_field);
    return left;
}

/* Returns whether star i is beyond the escape radius and not bound to the other stars. Sets *phi to the potential of
 * the other stars at star i. Stars that have left have mass 0, so they do not contribute. */
static bool is_free(const struct run *r, const struct sums *s, uint64_t i, double *phi)
{
    const struct sim_events *e = &r->events;
    double distance2, speed2;
    relate(e, s, i, &distance2, &speed2);
    *phi = sim_potential_at(r, e->end.x, e->end.x + 3 * i, i, i);
    return distance2 > r->options->escape_radius * r->options->escape_radius &&
           speed2 / 2 * (double)((s->mass - e->mass[i]) / s->mass) + *phi > 0;
}

/* Returns the mass, energy, momentum and angular momentum that the system loses if star i leaves. */
static struct nb_booked book(struct run *r, uint64_t i, double phi)
{
    const struct sim_events *e = &r->events;
    const double m = e->mass[i], *x = e->end.x + 3 * i, *v = e->end.v + 3 * i;
    double external[2];
    sim_potential_external(r, i, i, external);
    return (struct nb_booked){
        .mass = m,
        .energy = m / 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + m * phi + m * external[0],
        .momentum = {m * v[0], m * v[1], m * v[2]},
        .angular_momentum = {m * (x[1] * v[2] - x[2] * v[1]), m * (x[2] * v[0] - x[0] * v[2]),
                             m * (x[0] * v[1] - x[1] * v[0])},
    };
}

static void leave(struct run *r, struct sums *s, uint64_t i, double phi, double time)
{
    struct sim_events *e = &r->events;
    const double m = e->mass[i], *x = e->end.x + 3 * i, *v = e->end.v + 3 * i;
    const struct nb_booked lost = book(r, i, phi);
    struct nb_event event = {.kind = NB_EVENT_ESCAPE, .count = 1, .time = time, .mass = m, .energy = lost.energy};
    event.id = ((const uint64_t *)nb_bodies_find(&r->bodies, "id")->data)[i];
    memcpy(event.x, x, sizeof event.x);
    memcpy(event.v, v, sizeof event.v);
    sim_events_add(r, &event, &lost);
    say_verbose("t = %.9g: star %llu escapes", time, (unsigned long long)event.id);
    s->mass -= m;
    for (int k = 0; k < 3; k++) {
        s->x[k] -= (long double)m * x[k];
        s->v[k] -= (long double)m * v[k];
    }
    e->mass[i] = 0;
}

static int rising(const void *a, const void *b)
{
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

/* Returns whether to look for escaped stars after this step. With more than MANY stars, the search takes as long as a
 * step, so it is made only every MANY_STEPS steps. */
static bool is_due(const struct run *r)
{
    const uint64_t every = r->bodies.n > MANY ? MANY_STEPS : 1;
    return r->options->escape_radius > 0 && r->bodies.n > 1 && (r->first_step + r->steps_done) % every == 0;
}

void sim_escape_look(struct run *r, double time)
{
    struct sim_events *e = &r->events;
    struct far_star *far;
    uint64_t count = 0;
    double phi;
    if (!is_due(r))
        return;
    sim_motion_fetch(r, &e->end, false);
    struct sums s = sum_all(e, r->bodies.n);
    uint64_t candidates = list_far(r, &s, &far);
    candidates = drop_bound(r, &s, far, candidates);
    uint64_t *gone = claimed(malloc((candidates + 1) * sizeof *gone), "no memory to look for stars that leave");
    for (uint64_t k = 0; k < candidates && count + 1 < r->bodies.n; k++)
        if (s.mass > e->mass[far[k].body] && is_free(r, &s, far[k].body, &phi)) {
            leave(r, &s, far[k].body, phi, time);
            gone[count++] = far[k].body;
        }
    qsort(gone, count, sizeof *gone, rising);
    if (count > 0)
        sim_fewer(r, gone, count, NULL);
    free(gone);
    free(far);
}
