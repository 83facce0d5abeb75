/* measure_modes.c - sums over bodies relative to a centre: momentum and angular momentum, azimuthal modes, and the
 * escaping bodies. Declared in measure_structure.h. */
#include "measure/measure_blocks.h"
#include "measure/measure_structure.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct input {
    const struct nb_column *mass, *pos, *vel, *component;
    const struct nb_pose *pose;
    double within;
    const struct nb_fields *fields;
};

static struct input input_of(const struct nb_bodies *b)
{
    return (struct input){
        .mass = nb_bodies_find(b, "mass"), .pos = nb_bodies_find(b, "pos"), .vel = nb_bodies_find(b, "vel")};
}

/* ---- motion ---- */

static void sum_motion(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *s)
{
    const struct input *in = context;
    double m[NB_SUM_BLOCK], x[3 * NB_SUM_BLOCK], v[3 * NB_SUM_BLOCK], d[3];
    nb_column_get_f64(in->mass, i0, i1, m);
    nb_column_get_f64(in->pos, i0, i1, x);
    nb_column_get_f64(in->vel, i0, i1, v);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        if (!(nb_pose_distance(in->pose, NB_SPHERICAL, x + 3 * i, d) <= in->within))
            continue;
        nb_sum_add(&s[0], m[i]);
        for (uint64_t k = 0; k < 3; k++)
            nb_sum_add(&s[1 + k], m[i] * v[3 * i + k]);
    }
}

int nb_measure_velocity(const struct nb_bodies *b, const double centre[3], double radius, double velocity[3])
{
    const struct nb_pose pose = {.centre = {centre[0], centre[1], centre[2]}};
    struct input in = input_of(b);
    struct nb_sum sums[4] = {{0}};
    in.pose = &pose;
    in.within = radius;
    if (nb_measure_blocks(b->n, NB_SUM_BLOCK, 4, sum_motion, &in, sums))
        return -1;
    for (int k = 0; k < 3; k++)
        velocity[k] = nb_sum_value(&sums[1 + k]) / nb_sum_value(&sums[0]);
    return 0;
}

/* Computes the angular momentum L' relative to a centre with position c and velocity u: L' = L - c x P - M (R - c) x u,
 * where x is the cross product. M, P, L, R: total mass, momentum, angular momentum, centre of mass. */
void nb_measure_spin(const struct nb_measures *m, const double centre[3], const double velocity[3], double spin[3])
{
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        const double from[2] = {m->com[k1] - centre[k1], m->com[k2] - centre[k2]};
        spin[k] = m->angular_momentum[k] - (centre[k1] * m->momentum[k2] - centre[k2] * m->momentum[k1]) -
                  m->mass * (from[0] * velocity[k2] - from[1] * velocity[k1]);
    }
}

/* ---- modes ---- */

/* Sums mass * exp(i m phi) over the bodies, for each mode m from 1 to NB_MODES. phi is the azimuth of a body. Computes
 * exp(i m phi) as the product of exp(i (m - 1) phi) and exp(i phi). */
static void sum_modes(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *s)
{
    const struct input *in = context;
    double m[NB_SUM_BLOCK], x[3 * NB_SUM_BLOCK], d[3];
    nb_column_get_f64(in->mass, i0, i1, m);
    nb_column_get_f64(in->pos, i0, i1, x);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        const double R = nb_pose_distance(in->pose, NB_CYLINDRICAL, x + 3 * i, d);
        if (!(R < in->within) || (in->component && nb_column_get(in->component, i0 + i, 0) == NB_BLACK_HOLE))
            continue;
        const double c = R > 0 ? d[0] / R : 0, sine = R > 0 ? d[1] / R : 0;
        double re = m[i], im = 0;
        nb_sum_add(&s[2 * NB_MODES], m[i]);
        for (int k = 0; k < NB_MODES; k++) {
            const double next = re * c - im * sine;
            im = re * sine + im * c;
            re = next;
            nb_sum_add(&s[2 * k], re);
            nb_sum_add(&s[2 * k + 1], im);
        }
    }
}

int nb_measure_modes(const struct nb_bodies *b, const struct nb_pose *pose, double within, struct nb_modes *out)
{
    struct input in = input_of(b);
    struct nb_sum sums[2 * NB_MODES + 1] = {{0}};
    in.pose = pose;
    in.within = within;
    in.component = nb_bodies_find(b, "component");
    if (nb_measure_blocks(b->n, NB_SUM_BLOCK, 2 * NB_MODES + 1, sum_modes, &in, sums))
        return -1;
    if (in.component && !(nb_sum_value(&sums[2 * NB_MODES]) > 0)) {
        in.component = NULL;
        memset(sums, 0, sizeof sums);
        if (nb_measure_blocks(b->n, NB_SUM_BLOCK, 2 * NB_MODES + 1, sum_modes, &in, sums))
            return -1;
    }
    const double mass = nb_sum_value(&sums[2 * NB_MODES]);
    for (int k = 0; k < NB_MODES; k++) {
        const double re = nb_sum_value(&sums[2 * k]), im = nb_sum_value(&sums[2 * k + 1]);
        out->amplitude[k] = hypot(re, im) / mass;
        out->phase[k] = mass > 0 ? atan2(im, re) / (k + 1) : (double)NAN;
    }
    return 0;
}

/* ---- escape ---- */

/* Returns (v - u)^2 / 2, or 0 if the difference is not larger than the rounding error of v. */
static double half_square(double v, double u)
{
    const double w = v - u;
    return fabs(w) <= 2 * DBL_EPSILON * fabs(v) ? 0 : w * w / 2;
}

static void sum_escaped(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *s)
{
    const struct input *in = context;
    const double *u = in->pose->velocity;
    double m[NB_SUM_BLOCK], v[3 * NB_SUM_BLOCK];
    nb_column_get_f64(in->mass, i0, i1, m);
    nb_column_get_f64(in->vel, i0, i1, v);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        double energy = in->fields->phi[i0 + i] + (in->fields->external ? in->fields->external[i0 + i] : 0);
        for (uint64_t k = 0; k < 3; k++)
            energy += half_square(v[3 * i + k], u[k]);
        nb_sum_add(&s[0], m[i]);
        nb_sum_add(&s[1], energy > 0 ? m[i] : 0);
        nb_sum_add(&s[2], energy > 0);
    }
}

int nb_measure_escaped(const struct nb_bodies *b, const struct nb_fields *fields, const double velocity[3],
                       struct nb_escaped *out)
{
    const struct nb_pose pose = {.velocity = {velocity[0], velocity[1], velocity[2]}};
    struct input in = input_of(b);
    struct nb_sum sums[3] = {{0}};
    in.pose = &pose;
    in.fields = fields;
    if (nb_measure_blocks(b->n, NB_SUM_BLOCK, 3, sum_escaped, &in, sums))
        return -1;
    /* NaN if the velocity is not finite, so that the results are NaN; otherwise 0 */
    const double known = 0 * (velocity[0] + velocity[1] + velocity[2]);
    out->mass = nb_sum_value(&sums[1]) / nb_sum_value(&sums[0]) + known;
    out->number = nb_sum_value(&sums[2]) / (double)b->n + known;
    return 0;
}
