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

/* A key is divided into digits. In large frames the first digit is the highest FIRST_BITS bits: the sign, 11 bits of
 * the exponent and 4 bits of the fraction. It thus divides each factor of two in distance into 16 parts. All other
 * digits have 8 bits. */
#define FIRST_BITS 16
#define FIRST      (1 << FIRST_BITS)
/* A frame is large from LARGE bodies on. Its bodies are divided into at most PARTS parts, each for one thread. Results
 * depend on the division, so it depends on the number of bodies only. */
#define LARGE ((uint64_t)1 << 16)
#define PARTS 16

struct share { /* all bodies of a part whose keys begin with the same digit */
    struct nb_sum weight;
    uint64_t count; /* number of bodies; while they are copied to `kept`, the number that is not yet copied */
    uint64_t begin; /* index in `kept` of the next body */
};

struct range { /* all bodies whose keys begin with `digit`; if they are kept, shells [begin, begin + count) of `kept` */
    unsigned digit;
    uint64_t begin, count;
};

struct selection {
    const struct nb_bodies *b;
    const struct nb_pose *pose;
    enum nb_geometry geometry;
    enum nb_weight weight;
    uint64_t parts;
    struct share *first; /* [parts][FIRST]: first[p][d] are the bodies of part p whose keys begin with digit d */
    /* [FIRST], of which `used` are set: the digits with which the key of any body begins, ascending, and the weights of
     * their bodies */
    struct range *range;
    struct nb_sum *all;
    unsigned used;
    struct shell *kept;    /* the bodies that can be at one of the radii */
    struct shell *scratch; /* as many shells as the longest range has */
};

/* ---- one radius ---- */

static void sum_digits(const struct shell *shells, uint64_t n, int shift, struct nb_sum of[256])
{
    memset(of, 0, 256 * sizeof *of);
    for (uint64_t i = 0; i < n; i++)
        nb_sum_add(&of[shells[i].key >> shift & 255], shells[i].weight);
}

/* of[k]: weight of the bodies with digit k, for k from 0 to count - 1, or with the k-th digit that is used. Returns the
 * index d at which the sum *below +
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

static uint64_t keep(const struct shell *from, uint64_t n, int shift, unsigned digit, struct shell *to)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        if ((from[i].key >> shift & 255) == digit)
            to[kept++] = from[i];
    return kept;
}

/* Returns the radius at which the enclosed weight reaches `wanted`. The keys of the n > 0 shells differ in the lowest
 * `shift` bits only. `below`: weight of all bodies with smaller keys. Finds the digits of the radius's key one after
 * the other, from the highest (radix selection). After each digit, copies only the bodies whose keys have this digit to
 * s->scratch. The time is thus linear in n for every distribution of distances. */
static double select_radius(const struct selection *s, const struct shell *shells, uint64_t n, int shift, double wanted,
                            struct nb_sum below)
{
    while (shift > 0) {
        struct nb_sum of[256];
        shift -= 8;
        sum_digits(shells, n, shift, of);
        n = keep(shells, n, shift, find_digit(of, 256, wanted, &below), s->scratch);
        shells = s->scratch;
    }
    double r;
    memcpy(&r, &shells[0].key, sizeof r);
    return r;
}

/* ---- shells ---- */

/* Computes the shells of bodies [i0, i1), at most NB_SUM_BLOCK bodies. */
static void fill(const struct selection *s, uint64_t i0, uint64_t i1, struct shell *shells)
{
    double x[3 * NB_SUM_BLOCK], m[NB_SUM_BLOCK], d[3];
    nb_column_get_f64(nb_bodies_find(s->b, "pos"), i0, i1, x);
    if (s->weight == NB_BY_MASS)
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

/* Allocates `kept` and `scratch`. Returns -1 after nb_fail. */
static int reserve(struct selection *s, uint64_t kept, uint64_t scratch)
{
    if (nb_memory_check(s->b->n, (double)(kept + scratch) * sizeof(struct shell)))
        return -1;
    s->kept = malloc(kept * sizeof *s->kept);
    s->scratch = malloc(scratch * sizeof *s->scratch);
    return s->kept && s->scratch ? 0 : nb_fail("no memory for the distances of %" PRIu64 " bodies", s->b->n);
}

/* ---- large frames ---- */

static uint64_t begin_of(const struct selection *s, uint64_t part)
{
    return s->b->n / s->parts * part + s->b->n % s->parts * part / s->parts;
}

/* Sums the bodies of a part by their first digits, or copies those of some digits (s->kept). */
static void pass_part(const struct selection *s, uint64_t part, bool copies)
{
    struct share *first = s->first + part * FIRST;
    struct shell shells[NB_SUM_BLOCK];
    for (uint64_t i = begin_of(s, part), end = begin_of(s, part + 1), next; i < end; i = next) {
        next = next_block(i, end);
        fill(s, i, next, shells);
        for (uint64_t k = 0; k < next - i; k++) {
            struct share *of = &first[shells[k].key >> (64 - FIRST_BITS)];
            if (!copies) {
                nb_sum_add(&of->weight, shells[k].weight);
                of->count++;
            } else if (of->count > 0) {
                s->kept[of->begin++] = shells[k];
                of->count--;
            }
        }
    }
}

static void pass(const struct selection *s, bool copies)
{
#pragma omp parallel for schedule(static, 1) if (s->parts > 1)
    for (uint64_t part = 0; part < s->parts; part++)
        pass_part(s, part, copies);
}

static void sum_first_digits(struct selection *s)
{
    memset(s->first, 0, s->parts * FIRST * sizeof *s->first);
    pass(s, false);
    for (unsigned digit = 0; digit < FIRST; digit++) {
        struct nb_sum sum = {0};
        uint64_t bodies = 0;
        for (uint64_t part = 0; part < s->parts; part++) {
            nb_sum_merge(&sum, &s->first[part * FIRST + digit].weight);
            bodies += s->first[part * FIRST + digit].count;
        }
        if (bodies > 0) {
            s->range[s->used] = (struct range){.digit = digit};
            s->all[s->used++] = sum;
        }
    }
}

/* Copies the bodies whose keys begin with one of the digits at which a radius is. Returns -1 after nb_fail. */
static int keep_digits(struct selection *s, const double *shares, int count, double total)
{
    uint64_t kept = 0, longest = 0;
    for (int k = 0; k < count; k++)
        s->range[find_digit(s->all, s->used, shares[k] * total, &(struct nb_sum){0})].count = 1; /* wanted */
    for (unsigned k = 0; k < s->used; k++) {
        struct range *range = &s->range[k];
        const bool wanted = range->count > 0;
        range->begin = kept;
        for (uint64_t part = 0; part < s->parts; part++) {
            struct share *of = &s->first[part * FIRST + range->digit];
            of->begin = kept;
            of->count = wanted ? of->count : 0;
            kept += of->count;
        }
        range->count = kept - range->begin;
        longest = longest > range->count ? longest : range->count;
    }
    if (reserve(s, kept, longest))
        return -1;
    pass(s, true);
    return 0;
}

static int find_large(struct selection *s, const double *shares, int count, double *radii)
{
    struct nb_sum all = {0};
    sum_first_digits(s);
    for (unsigned k = 0; k < s->used; k++)
        nb_sum_merge(&all, &s->all[k]);
    const double total = nb_sum_value(&all);
    if (!(total > 0 && isfinite(total)))
        return 0;
    if (keep_digits(s, shares, count, total))
        return -1;
    for (int k = 0; k < count; k++) {
        struct nb_sum below = {0};
        const struct range *r = &s->range[find_digit(s->all, s->used, shares[k] * total, &below)];
        radii[k] = select_radius(s, s->kept + r->begin, r->count, 64 - FIRST_BITS, shares[k] * total, below);
    }
    return 0;
}

static int open_large(struct selection *s)
{
    s->parts = s->b->n / LARGE < PARTS ? s->b->n / LARGE : PARTS;
    s->first = malloc(s->parts * FIRST * sizeof *s->first);
    s->all = malloc(FIRST * sizeof *s->all);
    s->range = malloc(FIRST * sizeof *s->range);
    return s->first && s->all && s->range ? 0 : nb_fail("no memory for the distances of %" PRIu64 " bodies", s->b->n);
}

/* ---- all frames ---- */

static int find_small(struct selection *s, const double *shares, int count, double *radii)
{
    const uint64_t n = s->b->n;
    struct nb_sum all = {0};
    if (n == 0)
        return 0;
    if (reserve(s, n, n))
        return -1;
    for (uint64_t i = 0; i < n; i = next_block(i, n))
        fill(s, i, next_block(i, n), s->kept + i);
    for (uint64_t i = 0; i < n; i++)
        nb_sum_add(&all, s->kept[i].weight);
    const double total = nb_sum_value(&all);
    for (int k = 0; k < count && total > 0 && isfinite(total); k++)
        radii[k] = select_radius(s, s->kept, n, 64, shares[k] * total, (struct nb_sum){0});
    return 0;
}

int nb_measure_radii(const struct nb_bodies *b, const struct nb_pose *pose, enum nb_geometry geometry,
                     enum nb_weight weight, const double *shares, int count, double *radii)
{
    struct selection s = {.b = b, .pose = pose, .geometry = geometry, .weight = weight};
    int status;
    for (int k = 0; k < count; k++)
        radii[k] = NAN;
    if (!isfinite(pose->centre[0] + pose->centre[1] + pose->centre[2]))
        return 0;
    if (b->n < LARGE)
        status = find_small(&s, shares, count, radii);
    else
        status = open_large(&s) || find_large(&s, shares, count, radii) ? -1 : 0;
    free(s.first);
    free(s.all);
    free(s.range);
    free(s.kept);
    free(s.scratch);
    return status;
}
