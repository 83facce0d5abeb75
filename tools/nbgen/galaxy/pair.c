#include "nbgen/galaxy/pair.h"

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

static void find_places(struct pair *p)
{
    const struct orbit_plane plane = orbit_tilted(p->orbit.tilts[0]);
    struct encounter_place places[2];
    encounter_places(&p->orbit, 1, p->mass, places);
    for (int k = 0; k < 2; k++) {
        struct galaxy_place *place = &p->places[k];
        if (p->first_flat) {
            orbit_turn(&plane, places[k].pos);
            orbit_turn(&plane, places[k].vel);
        }
        place->tilt = p->first_flat ? (struct orbit_tilt){0, 0} : p->orbit.tilts[k];
        for (int i = 0; i < 3; i++) {
            place->pos[i] = places[k].pos[i];
            place->vel[i] = places[k].vel[i];
        }
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

static void say_orbit(const struct gen_plan *plan, const struct pair *p)
{
    const struct gen_scale *s = &plan->scale;
    const double gm = p->mass[0] + p->mass[1], time = encounter_time(&p->orbit, gm);
    say("orbit: eccentricity %.4g, pericentre %.4g, %.4g apart; as points they are at the pericentre at t = %.4g, with "
        "speed %.4g",
        p->orbit.eccentricity, s->length * p->orbit.pericenter, s->length * p->orbit.separation,
        s->length / s->velocity * time, s->velocity * encounter_speed(&p->orbit, gm));
}

void pair_add(struct gen_plan *plan, struct pair *p)
{
    for (int k = 0; k < 2; k++)
        galaxy_begin(&p->galaxies[k], &p->shapes[k]);
    galaxy_scale(plan, &p->galaxies[0]);
    find_sizes(p);
    find_places(p);
    const uint64_t second = second_count(p, plan->n), n[2] = {plan->n - second, second};
    plan->softening = find_softening(plan, p, n);
    for (int k = 0; k < 2; k++) {
        galaxy_prepare(&p->galaxies[k], n[k], plan->softening / p->places[k].length);
        galaxy_add(plan, &p->galaxies[k], (uint8_t)k, &p->places[k]);
        galaxy_warn(&p->galaxies[k]);
        galaxy_say(plan, &p->galaxies[k], &p->places[k]);
    }
    plan->dt = find_step(p);
    say_orbit(plan, p);
}
