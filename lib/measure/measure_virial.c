/* measure_virial.c - computes the virial ratio. Declared in measure.h. */
#include "measure/measure.h"
#include "measure/measure_blocks.h"

/* sums of m |v - V|^2 and of m (x - R) . a over the bodies. m, x, v, a: mass, position, velocity and acceleration of a
 * body; R, V: position and velocity of the centre of mass */
enum { MOTION, PULL, SUMS };

struct input {
    const struct nb_column *mass, *pos, *vel;
    const double *acc;
    const struct nb_measures *m;
};

static void sum_block(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *s)
{
    const struct input *in = context;
    double m[NB_SUM_BLOCK], x[3 * NB_SUM_BLOCK], v[3 * NB_SUM_BLOCK];
    nb_column_get_f64(in->mass, i0, i1, m);
    nb_column_get_f64(in->pos, i0, i1, x);
    nb_column_get_f64(in->vel, i0, i1, v);
    for (uint64_t i = 0; i < i1 - i0; i++)
        for (uint64_t k = 0; k < 3; k++) {
            const double u = v[3 * i + k] - in->m->com_velocity[k];
            nb_sum_add(&s[MOTION], m[i] * (u * u));
            nb_sum_add(&s[PULL], m[i] * ((x[3 * i + k] - in->m->com[k]) * in->acc[3 * (i0 + i) + k]));
        }
}

int nb_measure_virial(const struct nb_bodies *b, const double *acc, const struct nb_measures *m, double *ratio)
{
    const struct input in = {nb_bodies_find(b, "mass"), nb_bodies_find(b, "pos"), nb_bodies_find(b, "vel"), acc, m};
    struct nb_sum total[SUMS] = {{0}};
    if (nb_measure_blocks(b->n, NB_SUM_BLOCK, SUMS, sum_block, &in, total))
        return -1;
    *ratio = nb_sum_value(&total[MOTION]) / (0 - nb_sum_value(&total[PULL]));
    return 0;
}
