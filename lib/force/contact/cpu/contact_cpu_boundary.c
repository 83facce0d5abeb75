/* contact_cpu_boundary.c - the boundary of disks that touch, on the CPU: periodic sides, and the inlet of a flow
 * (contact_inlet.h). Declared in contact_cpu.h. */
#include "force/contact/cpu/contact_cpu.h"

#include "force/contact/contact_flow.h"
#include "simd/rng.h"

#include <math.h>

static void set_at(enum nb_precision precision, void *row, uint64_t i, double value)
{
    if (precision == NB_SINGLE)
        ((float *)row)[i] = (float)value;
    else
        ((double *)row)[i] = value;
}

struct inlet_step { /* data of a step that are the same for all disks */
    const struct nb_contact *contact;
    uint64_t number, first; /* number of the step; global index of the state's first disk */
    /* mixes: in this step disks in the chamber get new positions; counts: this step counts the stock (contact_inlet.h);
     * known: an earlier step counted the stock, so `rate` is valid */
    bool mixes, counts, known;
    struct nb_contact_rate rate;
};

static void set_velocity(struct nb_state *s, uint64_t i, double vx, double vy)
{
    set_at(s->precision, s->v, i, vx);
    set_at(s->precision, s->v, s->stride + i, vy);
    set_at(s->precision, s->v, 2 * s->stride + i, 0);
}

/* Gives disk i a random velocity of the flow. *mass and *sigma are the mass and nb_contact_sigma of the previous disk.
 * If disk i has another mass, or if each disk has its own radius, sets them to the values of disk i. */
static void draw(const struct inlet_step *t, struct nb_state *s, uint64_t i, double *mass, double *sigma)
{
    const struct nb_scene *scene = &t->contact->scene;
    const struct nb_rng rng = {t->contact->seed, NB_CONTACT_STREAM};
    const double m = nb_field_get(s->m, s->precision == NB_SINGLE, i);
    double g[4];
    if (m != *mass || t->contact->own_radii) {
        *mass = m;
        *sigma = nb_contact_sigma(
            scene, t->contact->own_radii ? nb_field_get(s->radius, s->precision == NB_SINGLE, i) : scene->radius, m);
    }
    nb_rng_normals(&rng, t->first + i, t->number, g);
    set_velocity(s, i, scene->speed + *sigma * g[0], *sigma * g[1]);
}

/* Moves a disk to a random position in the chamber; returns the new x. */
static double mix(const struct inlet_step *t, struct nb_state *s, uint64_t i)
{
    const struct nb_contact_inlet *in = &t->contact->inlet;
    const struct nb_rng rng = {t->contact->seed, NB_CONTACT_PLACES};
    double u[4];
    nb_rng_uniforms(&rng, t->first + i, t->number, u);
    set_at(s->precision, s->x, i, in->chamber + u[0] * (in->nozzle - in->chamber));
    set_at(s->precision, s->x, s->stride + i, in->low[1] + u[1] * (in->high - in->low[1]));
    return nb_field_get(s->x, s->precision == NB_SINGLE, i);
}

/* Applies the inlet to disk i, which is in the fringe. mass, sigma: passed to `draw`, which reuses the sigma of the
 * previous disk if the mass is the same. */
static void let_in(const struct inlet_step *t, struct nb_state *s, uint64_t i, double *mass, double *sigma)
{
    const struct nb_contact_inlet *in = &t->contact->inlet;
    double x = nb_field_get(s->x, s->precision == NB_SINGLE, i);
    if (x >= in->outlet) {
        if (((t->first + i) / 32 + t->number) % NB_CONTACT_DRAW_STEPS == 0)
            draw(t, s, i, mass, sigma);
        return;
    }
    if (t->mixes && x >= in->chamber && x < in->nozzle)
        x = mix(t, s, i);
    if (t->known)
        set_velocity(s, i, contact_inlet_speed(in, &t->rate, x), 0);
}

static struct inlet_step begin_step(const struct nb_contact *contact, struct nb_contact_tally *tally, uint64_t number,
                                    uint64_t first)
{
    struct inlet_step t = {.contact = contact, .number = number, .first = first};
    t.mixes = number % NB_CONTACT_MIX_STEPS == 0;
    t.known = tally->stock.chamber != NB_CONTACT_UNKNOWN;
    t.counts = contact->scene.flowing && (t.mixes || !t.known);
    if (t.known) {
        t.rate = contact_rate(&contact->inlet, &tally->stock);
        tally->let.steps++;
        tally->let.filling += fmin(contact_filling(&tally->stock), 1);
    }
    return t;
}

static void wrap(const struct nb_scene *scene, struct nb_state *s, int axis, uint64_t i)
{
    const uint64_t place = (uint64_t)axis * s->stride + i;
    const double x = nb_field_get(s->x, s->precision == NB_SINGLE, place);
    if (scene->periodic[axis] && !(x >= scene->low[axis] && x < scene->high[axis]))
        set_at(s->precision, s->x, place, nb_contact_wrapped(scene, axis, x, s->precision == NB_SINGLE));
}

bool nb_contact_bound(const struct nb_contact *contact, struct nb_contact_tally *tally, uint64_t number,
                      struct nb_state *s, uint64_t first)
{
    const struct nb_scene *scene = &contact->scene;
    const struct nb_contact_inlet *in = &contact->inlet;
    double mass = NAN, sigma = 0;
    uint64_t chamber = 0, entry = 0;
    const struct inlet_step t = begin_step(contact, tally, number, first);
#pragma omp parallel for schedule(static) firstprivate(mass, sigma) reduction(+ : chamber, entry) if (s->n > NB_CONTACT_SERIAL)
    for (uint64_t i = 0; i < s->n; i++) {
        wrap(scene, s, 0, i);
        const double x = nb_field_get(s->x, s->precision == NB_SINGLE, i);
        if (t.counts && x < in->nozzle)
            *(x < in->chamber ? &entry : &chamber) +=
                contact_stock(in, nb_field_get(s->m, s->precision == NB_SINGLE, i));
        if (scene->flowing && x < in->end)
            let_in(&t, s, i, &mass, &sigma);
        wrap(scene, s, 1, i);
    }
    if (t.counts)
        tally->stock = (struct nb_contact_stock){chamber, entry};
    return t.counts;
}
