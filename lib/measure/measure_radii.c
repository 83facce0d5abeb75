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

struct selection {
    uint64_t n;
    struct shell *shells, *room; /* distances and weights of the bodies, and scratch space of the same size */
    struct nb_sum *first;        /* [FIRST]: first[d] is the total weight of the bodies whose keys begin with digit d */
};

static void fill(const struct selection *s, const struct nb_bodies *b, const struct nb_pose *pose,
                 enum nb_geometry geometry, enum nb_weight weight)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
#pragma omp parallel for schedule(static) if (s->n > 4 * NB_SUM_BLOCK)
    for (uint64_t i = 0; i < s->n; i++) {
        double x[3], d[3];
        nb_column_get_f64(pos, i, i + 1, x);
        const double r = nb_pose_distance(pose, geometry, x, d);
        memcpy(&s->shells[i].key, &r, sizeof r);
        s->shells[i].weight = weight == NB_BY_MASS ? nb_column_get(mass, i, 0) : 1;
    }
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

/* Returns the radius at which the enclosed weight reaches `wanted`. Finds the digits of the radius's key one after the
 * other, from the highest (radix selection). After each digit, keeps only the bodies whose keys have this digit. The
 * time is thus linear in n for every distribution of distances. */
static double select_radius(const struct selection *s, double wanted)
{
    struct nb_sum below = {0}, of[256];
    int shift = 64 - FIRST_BITS;
    unsigned digit = find_digit(s->first, FIRST, wanted, &below);
    uint64_t n = keep(s->shells, s->n, shift, FIRST, digit, s->room);
    while (shift > 0) {
        shift -= 8;
        sum_digits(s->room, n, shift, 256, of);
        digit = find_digit(of, 256, wanted, &below);
        n = keep(s->room, n, shift, 256, digit, s->room);
    }
    double r;
    memcpy(&r, &s->room[0].key, sizeof r);
    return r;
}

static void find_radii(const struct selection *s, const double *shares, int count, double *radii)
{
    struct nb_sum all = {0};
    sum_digits(s->shells, s->n, 64 - FIRST_BITS, FIRST, s->first);
    for (unsigned k = 0; k < FIRST; k++)
        nb_sum_merge(&all, &s->first[k]);
    const double total = nb_sum_value(&all);
    for (int k = 0; k < count && total > 0 && isfinite(total); k++)
        radii[k] = select_radius(s, shares[k] * total);
}

int nb_measure_radii(const struct nb_bodies *b, const struct nb_pose *pose, enum nb_geometry geometry,
                     enum nb_weight weight, const double *shares, int count, double *radii)
{
    for (int k = 0; k < count; k++)
        radii[k] = NAN;
    if (!isfinite(pose->centre[0] + pose->centre[1] + pose->centre[2]))
        return 0;
    if (nb_memory_check(b->n, 1.5 * (double)b->n * sizeof(struct shell)))
        return -1;
    struct selection s = {.n = b->n,
                          .shells = malloc(b->n * sizeof *s.shells),
                          .room = malloc(b->n * sizeof *s.room),
                          .first = malloc(FIRST * sizeof *s.first)};
    const bool room = s.shells && s.room && s.first;
    if (room) {
        fill(&s, b, pose, geometry, weight);
        find_radii(&s, shares, count, radii);
    }
    free(s.shells);
    free(s.room);
    free(s.first);
    return room ? 0 : nb_fail("no memory for the distances of %" PRIu64 " bodies", b->n);
}
