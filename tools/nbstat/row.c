#include "nbstat.h"

#include <math.h>

/* difference / scale, where nothing of nothing is 0. */
static double relative(double difference, double scale)
{
    return difference == 0 ? 0 : difference / scale;
}

static double distance(const nb_quad *a, const nb_quad *b)
{
    return hypot(hypot((double)(a[0] - b[0]), (double)(a[1] - b[1])), (double)(a[2] - b[2]));
}

void stat_row_derive(struct stat_row *row, const struct stat_row *first)
{
    const struct nb_measures *m = &row->m, *m0 = &first->m;
    row->energy = nb_measure_energy(&m->energies);
    row->energy_error = nb_measure_energy_error(&m->energies, &m0->energies);
    row->momentum_error = relative(distance(m->momenta.linear, m0->momenta.linear), m->momentum_scale);
    row->angular_momentum_error =
        relative(distance(m->momenta.angular, m0->momenta.angular), m->angular_momentum_scale);
}
