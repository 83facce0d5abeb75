#include "nbgen/galaxy/pair.h"

#include "nbgen/rigid.h"

#include <math.h>

#define LEAST (PAIR_LEAST / 2) /* bodies of a galaxy */

static void find_sizes(struct pair *p)
{
    for (int k = 0; k < 2; k++) {
        const struct galaxy *g = &p->galaxies[k];
        p->places[k].mass = g->unit_mass / p->galaxies[0].unit_mass;
        p->places[k].length = g->unit_length / p->galaxies[0].unit_length;
        p->mass[k] = 0;
        for (int c = 0; c < GALAXY_COMPONENTS; c++)
            p->mass[k] += p->places[k].mass * g->shape.mass[c];
    }
    if (p->mass_ratio > 0) {
        p->places[1].mass *= p->mass_ratio * p->mass[0] / p->mass[1];
        p->mass[1] = p->mass_ratio * p->mass[0];
    }
    p->places[1].length *= p->size;
}

static uint64_t second_count(const struct pair *p, uint64_t n)
{
    const double share = p->second_share > 0 ? p->second_share : p->mass[1] / (p->mass[0] + p->mass[1]);
    return (uint64_t)fmin(fmax(round(share * (double)n), LEAST), (double)(n - LEAST));
}

/* One for all bodies, small enough for both; --softening goes before. */
static double find_softening(const struct gen_plan *plan, const struct pair *p, const uint64_t n[2])
{
    double least = INFINITY;
    for (int k = 0; k < 2; k++)
        least = fmin(least, p->places[k].length * galaxy_softening(&p->galaxies[k], n[k]));
    return gen_plan_softening(plan, least);
}

/* Masses and places in the first galaxy's units, turned as they will be, but not yet moved. */
struct half {
    const struct gen_plan *plan;
    uint64_t begin;
};

static void read_half(const void *context, uint64_t i0, uint64_t i1, double *mass, double *pos)
{
    const struct half *h = context;
    const struct gen_scale *s = &h->plan->scale;
    gen_fill_plan(h->plan, h->begin + i0, h->begin + i1, &(struct gen_block){.mass = mass, .pos = pos});
    for (uint64_t i = 0; i < i1 - i0; i++) {
        if (mass)
            mass[i] /= s->mass;
        for (int k = 0; pos && k < 3; k++)
            pos[3 * i + (uint64_t)k] /= s->length;
    }
}

static void find_places(struct gen_plan *plan, const struct pair *p, const uint64_t n[2])
{
    const struct orbit_tilt tilt = p->first_flat ? p->orbit.tilts[0] : (struct orbit_tilt){0, 0};
    struct rigid rigid = {.G = 1, .softening = plan->softening, .plane = orbit_tilted(tilt)};
    struct encounter_place places[2];
    for (int k = 0; k < 2; k++)
        rigid.clouds[k] = cloud_make(n[k], CLOUD_MOST, read_half, &(struct half){plan, k ? n[0] : 0});
    rigid_places(&rigid, &p->orbit, places);
    rigid_say(&rigid, &p->orbit, places, &plan->scale);
    rigid_free(&rigid);
    for (int k = 0; k < 2; k++) {
        orbit_turn(&rigid.plane, places[k].pos);
        orbit_turn(&rigid.plane, places[k].vel);
        rigid_move(plan, k, &places[k]);
    }
}

static double find_step(const struct pair *p)
{
    double steps[2];
    for (int k = 0; k < 2; k++) {
        const struct galaxy_place *place = &p->places[k];
        steps[k] = p->galaxies[k].step * place->length / sqrt(place->mass / place->length);
    }
    return encounter_step(steps[0], steps[1]);
}

void pair_add(struct gen_plan *plan, struct pair *p)
{
    encounter_check(&p->orbit);
    for (int k = 0; k < 2; k++)
        galaxy_begin(&p->galaxies[k], &p->shapes[k]);
    galaxy_scale(plan, &p->galaxies[0]);
    find_sizes(p);
    for (int k = 0; k < 2 && !p->first_flat; k++)
        p->places[k].tilt = p->orbit.tilts[k];
    const uint64_t second = second_count(p, plan->n), n[2] = {plan->n - second, second};
    plan->softening = find_softening(plan, p, n);
    for (int k = 0; k < 2; k++) {
        galaxy_prepare(&p->galaxies[k], n[k], plan->softening / p->places[k].length);
        galaxy_add(plan, &p->galaxies[k], (uint8_t)k, &p->places[k]);
        galaxy_warn(&p->galaxies[k]);
        galaxy_say(plan, &p->galaxies[k], &p->places[k]);
    }
    plan->dt = find_step(p);
    find_places(plan, p, n);
}
