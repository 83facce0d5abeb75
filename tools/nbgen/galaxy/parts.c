/* parts.c - computes the bodies of a galaxy, and prints its composition. */
#include "nbgen/galaxy/galaxy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct component { /* a component of a galaxy; the member `data` of a struct gen_part points to it */
    const struct galaxy *galaxy;
    enum galaxy_component which;
    struct nb_rng rng;
    /* Mass of a body, and the galaxy's units of length and velocity, in the plan's units. */
    double body_mass, length, velocity;
    struct orbit_plane plane;
};

static const enum nb_component numbers[GALAXY_COMPONENTS] = {
    [GALAXY_HOLE] = NB_BLACK_HOLE, [GALAXY_DISK] = NB_DISK, [GALAXY_GAS] = NB_GAS,
    [GALAXY_BULGE] = NB_BULGE,     [GALAXY_HALO] = NB_HALO,
};

/* Draws body i of a spherical component. In a quiet start, bodies 2j and 2j + 1 form a pair. The second body is the
 * mirror image of the first body at the centre, so that the centre of mass is at rest. Pair j has the radius that
 * encloses the fraction (j + 1/2) / (number of pairs) of the mass. The directions of the pairs are spread evenly. */
static void draw_round(const struct component *c, uint64_t i, double pos[3], double vel[3])
{
    const struct sphere *s = c->galaxy->spheres[c->which];
    if (!galaxy_is_quiet) {
        sphere_draw(s, &c->rng, i, pos, vel);
        return;
    }
    double pairs = (double)((c->galaxy->n[c->which] + 1) / 2);
    const struct gen_even even = gen_even_begin(&c->rng, 2);
    double place[3] = {((double)(i / 2) + 0.5) / pairs, gen_even_at(&even, 0, i / 2), gen_even_at(&even, 1, i / 2)};
    sphere_draw_at(s, place, &c->rng, i / 2, pos, vel);
    for (int k = 0; k < 3 && i % 2; k++) {
        pos[k] = -pos[k];
        if (vel)
            vel[k] = -vel[k];
    }
}

/* Draws a body. vel may be NULL, which halves the time of a call. Bodies of a disk are rotated into the galaxy's plane.
 * Other components are spherical and need no rotation. */
static void draw(const struct component *c, uint64_t i, double pos[3], double vel[3])
{
    const struct galaxy *g = c->galaxy;
    if (g->spheres[c->which]) {
        draw_round(c, i, pos, vel);
    } else {
        orbits_draw(g->orbits[c->which], &c->rng, galaxy_is_quiet ? g->n[c->which] : 0, i, pos, vel);
        orbit_turn(&c->plane, pos);
        if (vel)
            orbit_turn(&c->plane, vel);
    }
}

static void make(const void *part, uint64_t i, bool places, bool motions, struct gen_body *body)
{
    const struct component *c = part;
    *body = (struct gen_body){.mass = c->body_mass, .component = numbers[c->which]};
    if (places && c->which != GALAXY_HOLE)
        draw(c, i, body->pos, motions ? body->vel : NULL);
    for (int k = 0; k < 3 && places; k++)
        body->pos[k] *= c->length;
    for (int k = 0; k < 3 && motions; k++)
        body->vel[k] *= c->velocity;
}

static const struct component *make_component(const struct gen_plan *plan, const struct galaxy *g, int which,
                                              uint8_t number, const struct galaxy_place *place)
{
    struct component *c = gen_memory(sizeof *c);
    *c = (struct component){
        .galaxy = g,
        .which = (enum galaxy_component)which,
        .rng = {plan->options->seed, (uint64_t)numbers[which] + 256 * (uint64_t)number},
        .body_mass = place->mass * g->shape.mass[which] / (double)g->n[which],
        .length = place->length,
        .velocity = sqrt(place->mass / place->length),
        .plane = orbit_tilted(place->tilt),
    };
    return c;
}

/* Prints the composition of a galaxy, in the stream's units. */
static void say_galaxy(const struct gen_plan *plan, const struct galaxy *g, const struct galaxy_place *place)
{
    double mass = plan->scale.mass * place->mass, length = plan->scale.length * place->length, total = 0;
    double velocity = plan->scale.velocity * sqrt(place->mass / place->length);
    char parts[400] = "";
    size_t at = 0;
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        if (g->n[c]) {
            at += (size_t)snprintf(parts + at, sizeof parts - at, "%s %s %.4g (%" PRIu64 ")", at ? "," : "",
                                   galaxy_names[c], mass * g->shape.mass[c], g->n[c]);
            total += mass * g->shape.mass[c];
        }
    say("%s: mass %.4g, of which (and bodies):%s", g->shape.name, total, parts);
    say("circular speed %.4g at 2.2 scale lengths (%.4g), orbital period there %.4g", velocity * g->circular,
        length * 2.2, length / velocity * galaxy_turn(g));
    for (int c = GALAXY_DISK; c <= GALAXY_GAS; c++)
        if (g->orbits[c])
            say("least Q of the %s %.3g at %.3g", galaxy_names[c], g->orbits[c]->least_Q,
                length * g->orbits[c]->least_at);
    say("softening %.3g, time step %.3g", length * g->softening, length / velocity * g->step);
}

void galaxy_add(struct gen_plan *plan, struct galaxy *g, uint64_t n, uint8_t number, const struct galaxy_place *place)
{
    bool joined = false;
    galaxy_prepare(g, n, plan->softening / place->length);
    for (int which = 0; which < GALAXY_COMPONENTS; which++) {
        if (!g->n[which])
            continue;
        gen_plan_add(plan, (struct gen_part){
                               .n = g->n[which],
                               .body = make,
                               .data = make_component(plan, g, which, number, place),
                               .galaxy = number,
                               .centred = true,
                               .joined = joined,
                           });
        joined = true;
    }
    plan->galaxies = true;
    galaxy_warn(g);
    say_galaxy(plan, g, place);
}
