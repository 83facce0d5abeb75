/* The energy of a frame, and its error. Declared in measure.h. */
#include "measure.h"

#include "error.h"
#include "sum.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MV2, MPHI, MEXTERNAL, SUMS };
#define BLOCK 1024 /* bodies summed by one thread at a time; part of the result, not to be tuned to the machine */

/* ---- in double, with compensation ---- */

static void sum_double(const struct nb_energy_terms *t, uint64_t i0, uint64_t i1, nb_quad sums[SUMS])
{
    double m[BLOCK], v[3 * BLOCK];
    struct nb_sum s[SUMS] = {{0}};
    nb_column_get_f64(t->mass, i0, i1, m);
    nb_column_get_f64(t->vel, i0, i1, v);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        const double *w = v + 3 * i;
        nb_sum_add(&s[MV2], m[i] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
        if (t->phi)
            nb_sum_add(&s[MPHI], m[i] * t->phi[i0 + i]);
        if (t->external)
            nb_sum_add(&s[MEXTERNAL], m[i] * t->external[i0 + i]);
    }
    for (int k = 0; k < SUMS; k++)
        sums[k] = isfinite(s[k].sum) ? (nb_quad)s[k].sum + s[k].carry : s[k].sum;
}

/* ---- in quadruple precision ---- */

static nb_quad joined(const double *high, const double *low, uint64_t i)
{
    return (nb_quad)high[i] + (low ? low[i] : 0);
}

static void sum_quad(const struct nb_energy_terms *t, uint64_t i0, uint64_t i1, nb_quad sums[SUMS])
{
    double m[BLOCK], high[3 * BLOCK], low[3 * BLOCK] = {0};
    nb_column_get_f64(t->mass, i0, i1, m);
    nb_column_get_f64(t->vel, i0, i1, high);
    if (t->vel_low)
        nb_column_get_f64(t->vel_low, i0, i1, low);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        nb_quad v2 = 0;
        for (uint64_t k = 3 * i; k < 3 * i + 3; k++)
            v2 += joined(high, low, k) * joined(high, low, k);
        sums[MV2] += m[i] * v2;
        if (t->phi)
            sums[MPHI] += m[i] * joined(t->phi, t->phi_low, i0 + i);
        if (t->external)
            sums[MEXTERNAL] += m[i] * joined(t->external, t->external_low, i0 + i);
    }
}

/* ---- all ---- */

int nb_measure_energies(const struct nb_energy_terms *t, struct nb_energies *out)
{
    const uint64_t count = (t->n + BLOCK - 1) / BLOCK;
    const bool low = t->vel_low || t->phi_low || t->external_low;
    nb_quad(*blocks)[SUMS] = calloc(count > 0 ? count : 1, sizeof *blocks), all[SUMS] = {0};
    if (!blocks)
        return nb_fail("no memory for the energies of %" PRIu64 " bodies", t->n);
#pragma omp parallel for schedule(static) if (count > 4)
    for (uint64_t k = 0; k < count; k++)
        (low ? sum_quad : sum_double)(t, k * BLOCK, k + 1 < count ? (k + 1) * BLOCK : t->n, blocks[k]);
    for (uint64_t k = 0; k < count; k++)
        for (int q = 0; q < SUMS; q++)
            all[q] += blocks[k][q];
    free(blocks);
    *out = (struct nb_energies){all[MV2] / 2, t->phi ? all[MPHI] / 2 : (nb_quad)NAN, all[MEXTERNAL]};
    return 0;
}

static nb_quad total(const struct nb_energies *e)
{
    return e->kinetic + e->potential + e->external;
}

static nb_quad larger(nb_quad a, nb_quad b)
{
    return a > b ? a : b;
}

double nb_measure_energy(const struct nb_energies *e)
{
    return (double)total(e);
}

double nb_measure_energy_error(const struct nb_energies *now, const struct nb_energies *first)
{
    const nb_quad difference = total(now) - total(first);
    nb_quad scale = larger(nb_quad_abs(total(first)), first->kinetic);
    scale = larger(scale, nb_quad_abs(first->potential + first->external));
    if (scale == 0)
        scale = larger(now->kinetic, nb_quad_abs(now->potential + now->external));
    return difference == 0 ? 0 : (double)(difference / scale);
}
