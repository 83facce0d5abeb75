/* measure_sums.c - computes struct nb_measures of a frame (sums over the bodies, half-mass radius), and the errors of
 * momentum and angular momentum. Declared in measure.h. */
#include "measure/measure.h"

#include "measure/measure_blocks.h"
#include "measure/measure_structure.h"
#include "scene/events.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

/* ---- sums ---- */

enum { MASS, PX, LX = PX + 3, DIPOLE = LX + 3, P_SCALE = DIPOLE + 3, L_SCALE, SUMS };

struct columns {
    const struct nb_column *mass, *pos, *vel;
    const struct nb_column *pos_low, *vel_low; /* or NULL */
};

static void add_body(struct nb_sum *s, double m, const double *x, const double *v)
{
    double x2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double term[SUMS] = {
        m,
        m * v[0],
        m * v[1],
        m * v[2],
        m * (x[1] * v[2] - x[2] * v[1]),
        m * (x[2] * v[0] - x[0] * v[2]),
        m * (x[0] * v[1] - x[1] * v[0]),
        m * x[0],
        m * x[1],
        m * x[2],
        m * sqrt(v2),
        m * sqrt(x2) * sqrt(v2),
    };
    for (int k = 0; k < SUMS; k++)
        nb_sum_add(&s[k], term[k]);
}

static void sum_block(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *s)
{
    const struct columns *c = context;
    double m[NB_SUM_BLOCK], x[3 * NB_SUM_BLOCK], v[3 * NB_SUM_BLOCK];
    nb_column_get_f64(c->mass, i0, i1, m);
    nb_column_get_f64(c->pos, i0, i1, x);
    nb_column_get_f64(c->vel, i0, i1, v);
    for (uint64_t i = 0; i < i1 - i0; i++)
        add_body(s, m[i], x + 3 * i, v + 3 * i);
}

static void take_values(const struct nb_sum *s, struct nb_measures *out)
{
    out->mass = nb_sum_value(&s[MASS]);
    out->kinetic = (double)out->energies.kinetic;
    out->potential = (double)out->energies.potential;
    out->external = (double)out->energies.external;
    for (int k = 0; k < 3; k++) {
        out->momentum[k] = nb_sum_value(&s[PX + k]);
        out->angular_momentum[k] = nb_sum_value(&s[LX + k]);
        out->momenta.linear[k] = out->momentum[k];
        out->momenta.angular[k] = out->angular_momentum[k];
        out->com[k] = nb_sum_value(&s[DIPOLE + k]) / out->mass;
        out->com_velocity[k] = out->momentum[k] / out->mass;
    }
    out->momentum_scale = nb_sum_value(&s[P_SCALE]);
    out->angular_momentum_scale = nb_sum_value(&s[L_SCALE]);
}

/* ---- momenta of bodies with low parts ---- */

static void join(const struct nb_column *high, const struct nb_column *low, uint64_t i, nb_quad out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (nb_quad)nb_column_get(high, i, k) + (low ? nb_column_get(low, i, k) : 0);
}

static void sum_momenta(const struct columns *c, uint64_t n, struct nb_measures *out)
{
    struct nb_momenta sum = {0};
    for (uint64_t i = 0; i < n; i++) {
        const double m = nb_column_get(c->mass, i, 0);
        nb_quad x[3], v[3];
        join(c->pos, c->pos_low, i, x);
        join(c->vel, c->vel_low, i, v);
        for (int k = 0; k < 3; k++) {
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            sum.linear[k] += m * v[k];
            sum.angular[k] += m * (x[k1] * v[k2] - x[k2] * v[k1]);
        }
    }
    out->momenta = sum;
    for (int k = 0; k < 3; k++) {
        out->momentum[k] = (double)sum.linear[k];
        out->angular_momentum[k] = (double)sum.angular[k];
    }
}

/* ---- all measures ---- */

static int measure_sums(const struct columns *c, const struct nb_fields *f, bool held, struct nb_measures *out)
{
    const struct nb_energy_terms terms = {.n = out->n,
                                          .mass = c->mass,
                                          .vel = c->vel,
                                          .vel_low = c->vel_low,
                                          .phi = f->phi,
                                          .phi_low = f->phi_low,
                                          .external = f->external,
                                          .held = held};
    struct nb_sum sums[SUMS] = {{0}};
    if (nb_measure_energies(&terms, &out->energies) ||
        nb_measure_blocks(out->n, NB_SUM_BLOCK, SUMS, sum_block, c, sums))
        return -1;
    take_values(sums, out);
    if (c->pos_low || c->vel_low)
        sum_momenta(c, out->n, out);
    return 0;
}

static int measure_radius(const struct nb_bodies *b, enum nb_about about, struct nb_measures *out)
{
    const double half = 0.5;
    struct nb_pose pose = {0};
    if (about == NB_ABOUT_NOTHING || !(out->mass > 0) || !isfinite(out->mass))
        return 0;
    if (about == NB_ABOUT_COM)
        memcpy(out->centre, out->com, sizeof out->centre);
    else if (nb_measure_centre(b, out->centre))
        return -1;
    memcpy(pose.centre, out->centre, sizeof pose.centre);
    return nb_measure_radii(b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, &out->half_mass_radius);
}

int nb_measure(const struct nb_bodies *b, const struct nb_fields *fields, enum nb_about about, struct nb_measures *out)
{
    const struct columns c = {.mass = nb_bodies_find(b, "mass"),
                              .pos = nb_bodies_find(b, "pos"),
                              .vel = nb_bodies_find(b, "vel"),
                              .pos_low = nb_bodies_find(b, "pos_lo"),
                              .vel_low = nb_bodies_find(b, "vel_lo")};
    out->n = b->n;
    out->centre[0] = out->centre[1] = out->centre[2] = out->half_mass_radius = NAN;
    return measure_sums(&c, fields, nb_scene_is_touching(&b->meta), out) || measure_radius(b, about, out) ? -1 : 0;
}

/* ---- errors ---- */

int nb_measure_book(const struct nb_meta *meta, struct nb_measures *m)
{
    struct nb_booked booked;
    if (nb_booked_read(meta, &booked))
        return -1;
    m->energies.booked = booked.energy;
    for (int k = 0; k < 3; k++) {
        m->momenta.linear[k] += booked.momentum[k];
        m->momenta.angular[k] += booked.angular_momentum[k];
    }
    return 0;
}

/* Returns |a - b| / scale. Returns 0 if a == b, even if scale is 0. */
static double relative_distance(const nb_quad a[3], const nb_quad b[3], double scale)
{
    const double distance = hypot(hypot((double)(a[0] - b[0]), (double)(a[1] - b[1])), (double)(a[2] - b[2]));
    return distance == 0 ? 0 : distance / scale;
}

double nb_measure_momentum_error(const struct nb_measures *now, const struct nb_momenta *first)
{
    return relative_distance(now->momenta.linear, first->linear, now->momentum_scale);
}

double nb_measure_angular_momentum_error(const struct nb_measures *now, const struct nb_momenta *first)
{
    return relative_distance(now->momenta.angular, first->angular, now->angular_momentum_scale);
}
