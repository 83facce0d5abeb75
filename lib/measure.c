#include "measure.h"

#include "error.h"
#include "memory.h"
#include "sum.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the sums ---- */

enum { MASS, PX, LX = PX + 3, DIPOLE = LX + 3, P_SCALE = DIPOLE + 3, L_SCALE, SUMS };
#define BLOCK 1024 /* bodies summed by one thread at a time; part of the result, not to be tuned to the machine */

struct sums {
    struct nb_sum of[SUMS];
};

struct columns {
    const struct nb_column *mass, *pos, *vel;
    const struct nb_column *pos_low, *vel_low; /* or NULL */
};

static struct columns find_columns(const struct nb_bodies *b)
{
    return (struct columns){.mass = nb_bodies_find(b, "mass"),
                            .pos = nb_bodies_find(b, "pos"),
                            .vel = nb_bodies_find(b, "vel"),
                            .pos_low = nb_bodies_find(b, "pos_lo"),
                            .vel_low = nb_bodies_find(b, "vel_lo")};
}

static void add_body(struct sums *s, double m, const double *x, const double *v)
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
        nb_sum_add(&s->of[k], term[k]);
}

static void sum_block(const struct columns *c, uint64_t i0, uint64_t i1, struct sums *s)
{
    double m[BLOCK], x[3 * BLOCK], v[3 * BLOCK];
    nb_column_get_f64(c->mass, i0, i1, m);
    nb_column_get_f64(c->pos, i0, i1, x);
    nb_column_get_f64(c->vel, i0, i1, v);
    memset(s, 0, sizeof *s);
    for (uint64_t i = 0; i < i1 - i0; i++)
        add_body(s, m[i], x + 3 * i, v + 3 * i);
}

/* Adds to the total, which is empty before. */
static int sum_all(const struct columns *c, uint64_t n, struct sums *total)
{
    const uint64_t count = (n + BLOCK - 1) / BLOCK;
    struct sums *blocks = malloc(count * sizeof *blocks);
    if (!blocks)
        return nb_fail("no memory for the sums of %" PRIu64 " bodies", n);
#pragma omp parallel for schedule(static) if (count > 4)
    for (uint64_t k = 0; k < count; k++)
        sum_block(c, k * BLOCK, k + 1 < count ? (k + 1) * BLOCK : n, &blocks[k]);
    for (uint64_t k = 0; k < count; k++)
        for (int q = 0; q < SUMS; q++)
            nb_sum_merge(&total->of[q], &blocks[k].of[q]);
    free(blocks);
    return 0;
}

static void take_values(const struct sums *s, struct nb_measures *out)
{
    out->mass = nb_sum_value(&s->of[MASS]);
    out->kinetic = (double)out->energies.kinetic;
    out->potential = (double)out->energies.potential;
    out->external = (double)out->energies.external;
    for (int k = 0; k < 3; k++) {
        out->momentum[k] = nb_sum_value(&s->of[PX + k]);
        out->angular_momentum[k] = nb_sum_value(&s->of[LX + k]);
        out->momenta.linear[k] = out->momentum[k];
        out->momenta.angular[k] = out->angular_momentum[k];
        out->com[k] = nb_sum_value(&s->of[DIPOLE + k]) / out->mass;
        out->com_velocity[k] = out->momentum[k] / out->mass;
    }
    out->momentum_scale = nb_sum_value(&s->of[P_SCALE]);
    out->angular_momentum_scale = nb_sum_value(&s->of[L_SCALE]);
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

/* ---- the half-mass radius ---- */

struct shell { /* a body's distance as the bits of a double, which for numbers from 0 on are in the same order */
    uint64_t key;
    double m;
};

/* hypot, which is slow, only where squares would leave the range. */
static double norm(const double *d)
{
    double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return d2 > 1e-280 && d2 < 1e300 ? sqrt(d2) : hypot(hypot(d[0], d[1]), d[2]);
}

static struct shell *make_shells(const struct columns *c, uint64_t n, const double *centre)
{
    struct shell *shells = malloc(n * sizeof *shells);
    if (!shells)
        return NULL;
#pragma omp parallel for schedule(static) if (n > 4 * BLOCK)
    for (uint64_t i = 0; i < n; i++) {
        double d[3], x[3];
        nb_column_get_f64(c->pos, i, i + 1, x);
        for (int k = 0; k < 3; k++)
            d[k] = x[k] - centre[k];
        double r = norm(d);
        memcpy(&shells[i].key, &r, sizeof r);
        shells[i].m = nb_column_get(c->mass, i, 0);
    }
    return shells;
}

/* The byte of the keys in whose order the mass reaches `half`, and in *below the mass before it. */
static unsigned find_byte(const struct shell *shells, uint64_t n, int shift, double half, struct nb_sum *below)
{
    struct nb_sum of[256] = {{0}}, before = *below;
    unsigned found = 0;
    for (uint64_t i = 0; i < n; i++)
        nb_sum_add(&of[shells[i].key >> shift & 255], shells[i].m);
    for (unsigned byte = 0; byte < 256; byte++) {
        if (nb_sum_value(&of[byte]) == 0)
            continue;
        found = byte; /* the last with mass, should rounding leave the sum just short of half */
        *below = before;
        nb_sum_merge(&before, &of[byte]);
        if (nb_sum_value(&before) >= half)
            break;
    }
    return found;
}

/* Radix selection, byte after byte from the top: linear in n for any distances. Disturbs the shells. */
static double select_half(struct shell *shells, uint64_t n, double half)
{
    struct nb_sum below = {0};
    for (int shift = 56; shift >= 0; shift -= 8) {
        unsigned byte = find_byte(shells, n, shift, half, &below);
        uint64_t kept = 0;
        for (uint64_t i = 0; i < n; i++)
            if ((shells[i].key >> shift & 255) == byte)
                shells[kept++] = shells[i];
        n = kept;
    }
    double r;
    memcpy(&r, &shells[0].key, sizeof r);
    return r;
}

static int measure_half_mass(const struct nb_bodies *b, const struct columns *c, struct nb_measures *out)
{
    double centre[3];
    if (!(out->mass > 0) || !isfinite(out->mass))
        return 0;
    if (nb_measure_centre(b, centre))
        return -1;
    struct shell *shells = make_shells(c, out->n, centre);
    if (!shells)
        return nb_fail("no memory for the distances of %" PRIu64 " bodies", out->n);
    out->half_mass_radius = select_half(shells, out->n, 0.5 * out->mass);
    free(shells);
    return 0;
}

static int measure_sums(const struct columns *c, const struct nb_fields *f, struct nb_measures *out)
{
    const struct nb_energy_terms terms = {.n = out->n,
                                          .mass = c->mass,
                                          .vel = c->vel,
                                          .vel_low = c->vel_low,
                                          .phi = f->phi,
                                          .phi_low = f->phi_low,
                                          .external = f->external};
    struct sums sums = {0};
    if (nb_measure_energies(&terms, &out->energies) || sum_all(c, out->n, &sums))
        return -1;
    take_values(&sums, out);
    if (c->pos_low || c->vel_low)
        sum_momenta(c, out->n, out);
    out->half_mass_radius = NAN;
    return 0;
}

int nb_measure(const struct nb_bodies *b, const struct nb_fields *fields, struct nb_measures *out)
{
    const struct columns c = find_columns(b);
    out->n = b->n;
    if (nb_memory_check(b->n, (double)b->n * sizeof(struct shell)) || measure_sums(&c, fields, out))
        return -1;
    return measure_half_mass(b, &c, out);
}
