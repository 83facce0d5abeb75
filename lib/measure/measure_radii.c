/* measure_radii.c - computes the distances of bodies, and the radii that enclose given shares of the mass. Declared in
 * measure_structure.h. */
#include "measure/measure_structure.h"

#include "base/error.h"
#include "base/memory.h"
#include "measure/measure_blocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- distances ---- */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Returns the length of d. Calls hypot, which is slow, only if a square would overflow or underflow. */
static double norm(const double *d)
{
    const double d2 = dot(d, d);
    return d2 > 1e-280 && d2 < 1e300 ? sqrt(d2) : hypot(hypot(d[0], d[1]), d[2]);
}

void nb_pose_turn(struct nb_pose *pose, const double direction[3])
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double length = norm(direction);
    double(*e)[3] = pose->axis;
    for (int k = 0; k < 3; k++)
        e[2][k] = length > 0 && isfinite(length) ? direction[k] / length : unit[2][k];
    const double *near = unit[fabs(e[2][0]) < 0.9 ? 0 : 1], along = dot(near, e[2]);
    for (int k = 0; k < 3; k++)
        e[0][k] = near[k] - along * e[2][k];
    const double rest = norm(e[0]);
    for (int k = 0; k < 3; k++)
        e[0][k] /= rest;
    cross(e[2], e[0], e[1]);
}

double nb_pose_distance(const struct nb_pose *pose, enum nb_geometry geometry, const double x[3], double d[3])
{
    const double from[3] = {x[0] - pose->centre[0], x[1] - pose->centre[1], x[2] - pose->centre[2]};
    for (int k = 0; k < 3; k++)
        d[k] = dot(pose->axis[k], from);
    return geometry == NB_SPHERICAL ? norm(from) : norm((double[3]){d[0], d[1], 0});
}

/* ---- radii that contain given fractions ---- */

/* Distance and weight of one body. key: the bits of the distance (a double >= 0) as an integer. Keys have the same
 * order as the distances. */
struct shell {
    uint64_t key;
    double weight;
};

/* A key is divided into digits. The first digit is the highest FIRST_BITS bits: the sign, 11 bits of the exponent and 4
 * bits of the fraction. It thus divides each factor of two in distance into 16 parts. All other digits have 8 bits. */
#define FIRST_BITS 16
#define FIRST      (1 << FIRST_BITS)

/* Bodies are divided into at most PARTS parts, each for one thread. Results depend on the division, so it depends on
 * the number of bodies only. */
#define PARTS      16
#define PART_LEAST ((uint64_t)1 << 16)

struct share { /* all bodies of a part whose keys begin with the same digit */
    struct nb_sum weight;
    uint64_t count;
};

struct selection {
    const struct nb_bodies *b;
    const struct nb_pose *pose;
    enum nb_geometry geometry;
    enum nb_weight weight;
    uint64_t parts;
    struct share *first; /* [parts][FIRST]: first[p][d] are the bodies of part p whose keys begin with digit d */
    struct nb_sum *all;  /* [FIRST]: total weights of all parts */
};

static uint64_t begin_of(const struct selection *s, uint64_t part)
{
    const uint64_t n = s->b->n, rest = n % s->parts;
    return n / s->parts * part + (part < rest ? part : rest);
}

/* Computes the shells of bodies [i0, i1), at most NB_SUM_BLOCK bodies. */
static void fill(const struct selection *s, uint64_t i0, uint64_t i1, struct shell *shells)
{
    double x[3 * NB_SUM_BLOCK], m[NB_SUM_BLOCK], d[3];
    nb_column_get_f64(nb_bodies_find(s->b, "pos"), i0, i1, x);
    nb_column_get_f64(nb_bodies_find(s->b, "mass"), i0, i1, m);
    for (uint64_t i = 0; i < i1 - i0; i++) {
        const double r = nb_pose_distance(s->pose, s->geometry, x + 3 * i, d);
        memcpy(&shells[i].key, &r, sizeof r);
        shells[i].weight = s->weight == NB_BY_MASS ? m[i] : 1;
    }
}

static uint64_t next_block(uint64_t i, uint64_t end)
{
    return end - i < NB_SUM_BLOCK ? end : i + NB_SUM_BLOCK;
}

static void sum_part(const struct selection *s, uint64_t part)
{
    struct share *first = memset(s->first + part * FIRST, 0, FIRST * sizeof *first);
    struct shell shells[NB_SUM_BLOCK];
    for (uint64_t i = begin_of(s, part), end = begin_of(s, part + 1), next; i < end; i = next) {
        next = next_block(i, end);
        fill(s, i, next, shells);
        for (uint64_t k = 0; k < next - i; k++) {
            struct share *of = &first[shells[k].key >> (64 - FIRST_BITS)];
            nb_sum_add(&of->weight, shells[k].weight);
            of->count++;
        }
    }
}

static void sum_first_digits(const struct selection *s)
{
#pragma omp parallel for schedule(static, 1) if (s->parts > 1)
    for (uint64_t part = 0; part < s->parts; part++)
        sum_part(s, part);
    memset(s->all, 0, FIRST * sizeof *s->all);
    for (unsigned digit = 0; digit < FIRST; digit++)
        for (uint64_t part = 0; part < s->parts; part++)
            nb_sum_merge(&s->all[digit], &s->first[part * FIRST + digit].weight);
}

static void sum_digits(const struct shell *shells, uint64_t n, int shift, unsigned count, struct nb_sum *of)
{
    memset(of, 0, count * sizeof *of);
    for (uint64_t i = 0; i < n; i++)
        nb_sum_add(&of[shells[i].key >> shift & (count - 1)], shells[i].weight);
}

/* of[k]: weight of the bodies with digit k, for k from 0 to count - 1. Returns the digit d at which the sum *below +
 * of[0] + ... + of[d] reaches `wanted`, and adds of[0] + ... + of[d - 1] to *below. */
static unsigned find_digit(const struct nb_sum *of, unsigned count, double wanted, struct nb_sum *below)
{
    struct nb_sum before = *below;
    unsigned found = 0;
    for (unsigned digit = 0; digit < count; digit++) {
        if (nb_sum_value(&of[digit]) == 0)
            continue;
        found = digit; /* the last digit with weight, in case rounding keeps the sum below `wanted` */
        *below = before;
        nb_sum_merge(&before, &of[digit]);
        if (nb_sum_value(&before) >= wanted)
            break;
    }
    return found;
}

static uint64_t keep(const struct shell *from, uint64_t n, int shift, unsigned count, unsigned digit, struct shell *to)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        if ((from[i].key >> shift & (count - 1)) == digit)
            to[kept++] = from[i];
    return kept;
}

/* Copies the bodies of a part whose keys begin with `digit`. */
static void keep_part(const struct selection *s, uint64_t part, unsigned digit, struct shell *to)
{
    struct shell shells[NB_SUM_BLOCK];
    for (uint64_t i = begin_of(s, part), end = begin_of(s, part + 1), next; i < end; i = next) {
        next = next_block(i, end);
        fill(s, i, next, shells);
        to += keep(shells, next - i, 64 - FIRST_BITS, FIRST, digit, to);
    }
}

/* Returns the bodies whose keys begin with `digit`, in memory that the caller frees, and sets *n to their number.
 * Returns NULL after nb_fail. */
static struct shell *keep_first(const struct selection *s, unsigned digit, uint64_t *n)
{
    uint64_t begin[PARTS];
    *n = 0;
    for (uint64_t part = 0; part < s->parts; part++) {
        begin[part] = *n;
        *n += s->first[part * FIRST + digit].count;
    }
    struct shell *kept = nb_memory_check(s->b->n, (double)*n * sizeof *kept) ? NULL : malloc(*n * sizeof *kept);
    if (!kept)
        return nb_null(nb_fail("no memory for the distances of %" PRIu64 " bodies", *n));
#pragma omp parallel for schedule(static, 1) if (s->parts > 1)
    for (uint64_t part = 0; part < s->parts; part++)
        keep_part(s, part, digit, kept + begin[part]);
    return kept;
}

/* Finds the radius at which the enclosed weight reaches `wanted`. Finds the digits of the radius's key one after the
 * other, from the highest (radix selection). After each digit, keeps only the bodies whose keys have this digit. The
 * time is thus linear in n for every distribution of distances. Returns -1 after nb_fail. */
static int select_radius(const struct selection *s, double wanted, double *radius)
{
    struct nb_sum below = {0}, of[256];
    uint64_t n;
    struct shell *kept = keep_first(s, find_digit(s->all, FIRST, wanted, &below), &n);
    if (!kept)
        return -1;
    for (int shift = 64 - FIRST_BITS; shift > 0;) {
        shift -= 8;
        sum_digits(kept, n, shift, 256, of);
        n = keep(kept, n, shift, 256, find_digit(of, 256, wanted, &below), kept);
    }
    memcpy(radius, &kept[0].key, sizeof *radius);
    free(kept);
    return 0;
}

static int find_radii(const struct selection *s, const double *shares, int count, double *radii)
{
    struct nb_sum all = {0};
    for (unsigned digit = 0; digit < FIRST; digit++)
        nb_sum_merge(&all, &s->all[digit]);
    const double total = nb_sum_value(&all);
    for (int k = 0; k < count && total > 0 && isfinite(total); k++)
        if (select_radius(s, shares[k] * total, &radii[k]))
            return -1;
    return 0;
}

int nb_measure_radii(const struct nb_bodies *b, const struct nb_pose *pose, enum nb_geometry geometry,
                     enum nb_weight weight, const double *shares, int count, double *radii)
{
    for (int k = 0; k < count; k++)
        radii[k] = NAN;
    if (!isfinite(pose->centre[0] + pose->centre[1] + pose->centre[2]))
        return 0;
    const uint64_t parts = b->n / PART_LEAST < 1 ? 1 : b->n / PART_LEAST < PARTS ? b->n / PART_LEAST : PARTS;
    struct selection s = {.b = b,
                          .pose = pose,
                          .geometry = geometry,
                          .weight = weight,
                          .parts = parts,
                          .first = malloc(parts * FIRST * sizeof *s.first),
                          .all = malloc(FIRST * sizeof *s.all)};
    int status = -1;
    if (s.first && s.all) {
        sum_first_digits(&s);
        status = find_radii(&s, shares, count, radii);
    } else
        nb_fail("no memory for the distances of %" PRIu64 " bodies", b->n);
    free(s.first);
    free(s.all);
    return status;
}
