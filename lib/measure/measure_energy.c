/* measure_energy.c - sums the energy of a frame, and computes its error. Declared in measure.h. */
#include "measure/measure.h"

#include "base/error.h"
#include "base/sum.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Indices in an array of sums over bodies. v: velocity of a body; w: velocity relative to the centre of mass (v minus
 * the result of find_motion); phi, phi_ext: potentials of self-gravity and of external fields.
 *   MV2: m v^2; MW2: m w^2; MW to MW + 2: components of m w; MPHI: m phi; MEXTERNAL: m phi_ext */
enum { MV2, MW2, MW, MPHI = MW + 3, MEXTERNAL, SUMS };
/* Limit of the ratio ((kinetic energy about the centre of mass) + |potential energy|) / (total kinetic energy). A
 * smaller ratio may be caused by rounding errors only: velocities with a relative error of 1e-10 give a ratio of
 * 1e-20. */
#define ROUNDING NB_Q(1e-20)
/* E = K + W + X is the sum of kinetic, potential and external energy. If |E| is less than SHARE * (K + |W + X|), the
 * energy error is relative to SHARE * (K + |W + X|) instead of |E|. */
#define SHARE NB_Q(0.01)
/* Number of bodies that one thread sums at a time. Results depend on this number, so do not tune it to a machine. */
#define BLOCK 1024

/* ---- in double precision, with compensated summation ---- */

static void sum_double(const struct nb_energy_terms *t, const nb_quad *centre, uint64_t i0, uint64_t i1,
                       nb_quad sums[SUMS])
{
    const double c[3] = {(double)centre[0], (double)centre[1], (double)centre[2]};
    double m[BLOCK], v[3 * BLOCK];
    struct nb_sum s[SUMS] = {{0}};
    nb_column_get_f64(t->mass, i0, i1, m);
    nb_column_get_f64(t->vel, i0, i1, v);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        const double *u = v + 3 * i, w[3] = {u[0] - c[0], u[1] - c[1], u[2] - c[2]};
        nb_sum_add(&s[MV2], m[i] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        nb_sum_add(&s[MW2], m[i] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
        for (int k = 0; k < 3; k++)
            nb_sum_add(&s[MW + k], m[i] * w[k]);
        if (t->phi)
            nb_sum_add(&s[MPHI], m[i] * t->phi[i0 + i]);
        if (t->external)
            nb_sum_add(&s[MEXTERNAL], m[i] * t->external[i0 + i]);
    }
    for (int k = 0; k < SUMS; k++)
        sums[k] = isfinite(s[k].sum) ? (nb_quad)s[k].sum + s[k].compensation : s[k].sum;
}

/* ---- in quadruple precision ---- */

static nb_quad joined(const double *high, const double *low, uint64_t i)
{
    return (nb_quad)high[i] + (low ? low[i] : 0);
}

static void sum_quad(const struct nb_energy_terms *t, const nb_quad *centre, uint64_t i0, uint64_t i1,
                     nb_quad sums[SUMS])
{
    double m[BLOCK], high[3 * BLOCK], low[3 * BLOCK] = {0};
    nb_column_get_f64(t->mass, i0, i1, m);
    nb_column_get_f64(t->vel, i0, i1, high);
    if (t->vel_low)
        nb_column_get_f64(t->vel_low, i0, i1, low);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        for (int k = 0; k < 3; k++) {
            const nb_quad u = joined(high, low, 3 * i + (uint64_t)k), w = u - centre[k];
            sums[MV2] += m[i] * u * u;
            sums[MW2] += m[i] * w * w;
            sums[MW + k] += m[i] * w;
        }
        if (t->phi)
            sums[MPHI] += m[i] * joined(t->phi, t->phi_low, i0 + i);
        if (t->external)
            sums[MEXTERNAL] += m[i] * joined(t->external, t->external_low, i0 + i);
    }
}

/* ---- sums over all blocks ---- */

typedef void sum_block(const struct nb_energy_terms *t, const nb_quad *centre, uint64_t i0, uint64_t i1, nb_quad *sums);

/* Calls the function `block` for each block of bodies, and adds the sums of all blocks to all[], in the order of the
 * blocks. Returns -1 after nb_fail. */
static int sum_blocks(const struct nb_energy_terms *t, sum_block *block, const nb_quad *centre, nb_quad all[SUMS])
{
    const uint64_t count = (t->n + BLOCK - 1) / BLOCK;
    nb_quad(*blocks)[SUMS] = calloc(count > 0 ? count : 1, sizeof *blocks);
    if (!blocks)
        return nb_fail("no memory for the energies of %" PRIu64 " bodies", t->n);
#pragma omp parallel for schedule(static) if (count > 4)
    for (uint64_t k = 0; k < count; k++)
        block(t, centre, k * BLOCK, k + 1 < count ? (k + 1) * BLOCK : t->n, blocks[k]);
    for (uint64_t k = 0; k < count; k++)
        for (int q = 0; q < SUMS; q++)
            all[q] += blocks[k][q];
    free(blocks);
    return 0;
}

/* Writes to sums[0] the total mass of bodies i0 to i1 - 1, and to sums[1], sums[2] and sums[3] their total momentum. */
static void sum_motion(const struct nb_energy_terms *t, const nb_quad *centre, uint64_t i0, uint64_t i1,
                       nb_quad sums[SUMS])
{
    double m[BLOCK], v[3 * BLOCK], s[4] = {0};
    (void)centre;
    nb_column_get_f64(t->mass, i0, i1, m);
    nb_column_get_f64(t->vel, i0, i1, v);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        s[0] += m[i];
        for (int k = 0; k < 3; k++)
            s[1 + k] += m[i] * v[3 * i + (uint64_t)k];
    }
    for (int k = 0; k < 4; k++)
        sums[k] = s[k];
}

/* Computes the total mass and the velocity of the centre of mass. Sets both to 0 if external fields or walls act: the
 * motion of the centre of mass is then not subtracted. The velocity is also 0 if the total mass is 0. The velocity is
 * rounded to double; nb_measure_energies() corrects for the rounding. */
static int find_motion(const struct nb_energy_terms *t, nb_quad *mass, nb_quad velocity[3])
{
    nb_quad all[SUMS] = {0};
    if (!t->external && !t->held && sum_blocks(t, sum_motion, NULL, all))
        return -1;
    *mass = all[0];
    for (int k = 0; k < 3; k++) {
        const double v = (double)(all[1 + k] / (all[0] > 0 ? all[0] : 1));
        velocity[k] = isfinite(v) ? v : 0;
    }
    return 0;
}

int nb_measure_energies(const struct nb_energy_terms *t, struct nb_energies *out)
{
    const bool low = t->vel_low || t->phi_low || t->external_low;
    nb_quad all[SUMS] = {0}, mass, centre[3];
    if (find_motion(t, &mass, centre) || sum_blocks(t, low ? sum_quad : sum_double, centre, all))
        return -1;
    *out = (struct nb_energies){all[MV2] / 2, t->phi ? all[MPHI] / 2 : (nb_quad)NAN, all[MEXTERNAL], 0, 0};
    /* The sum of m w^2 is about the velocity `centre`, which differs from the velocity of the centre of mass by
     * rounding. Corrects the sum for this difference. */
    if (mass > 0) {
        nb_quad inner = all[MW2];
        for (int k = 0; k < 3; k++)
            inner -= all[MW + k] * all[MW + k] / mass;
        out->drift = out->kinetic - inner / 2;
    }
    return 0;
}

static nb_quad total(const struct nb_energies *e)
{
    return e->kinetic + e->potential + e->external;
}

double nb_measure_energy(const struct nb_energies *e)
{
    return (double)total(e);
}

/* ---- the error ---- */

/* Returns the energies *e without the kinetic energy of the centre of mass. But if the first frame has almost no other
 * energy (see ROUNDING), for example because there is a single body, returns *e unchanged. */
static struct nb_energies inner(const struct nb_energies *e, const struct nb_energies *first)
{
    struct nb_energies about = *e;
    if (first->kinetic - first->drift + nb_quad_abs(first->potential) > ROUNDING * first->kinetic) {
        about.kinetic -= e->drift;
        about.drift = 0;
    }
    return about;
}

/* Returns the divisor of the energy error: max(|E|, SHARE (K + |W + X|)), where K, W and X are the kinetic, potential
 * and external energy, and E is their sum. */
static nb_quad scale_of(const struct nb_energies *e)
{
    const nb_quad all = nb_quad_abs(total(e)), least = SHARE * (e->kinetic + nb_quad_abs(e->potential + e->external));
    return all > least ? all : least;
}

double nb_measure_energy_error(const struct nb_energies *now, const struct nb_energies *first)
{
    const struct nb_energies e = inner(now, first), e0 = inner(first, first);
    const nb_quad gone = now->booked - first->booked, scale = scale_of(&e0);
    const nb_quad difference = gone == 0 ? total(&e) - total(&e0) : total(now) - total(first) + gone;
    return difference == 0 ? 0 : (double)(difference / (scale == 0 ? scale_of(&e) : scale));
}

const char *nb_measure_energy_divisor(const struct nb_energies *first)
{
    const struct nb_energies e0 = inner(first, first);
    const nb_quad scale = scale_of(&e0);
    if (scale == 0)
        return " of max(|E|, 0.01 (K + |W + X|))";
    return scale > nb_quad_abs(total(&e0)) ? " of 0.01 (K0 + |W0 + X0|)" : "";
}
