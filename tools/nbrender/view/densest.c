/* Finds the density centre of a system: a sphere shrinks, and moves each time to the mean position of the bodies inside
 * it. */
#include "nbrender/view/view.h"

#define SAMPLE ((uint64_t)1 << 14) /* maximum number of bodies in the sample */
#define SHARE  0.01                /* fraction of the sampled bodies that are in the smallest sphere */
#define FEWEST 64                  /* minimum number of sampled bodies in the smallest sphere */
/* fraction of the sampled bodies in the first sphere if an earlier centre is known; otherwise the first sphere contains
 * all of them */
#define BEGIN  0.25
#define SHRINK 0.9  /* radius of a sphere / radius of the previous sphere */
#define CLIMBS 50   /* maximum number of moves of the smallest sphere */
#define CLOSE  1e-4 /* the search ends when the centre moves by less than this fraction of the sphere's radius */

struct cloud {
    int count;
    int octaves;             /* positions are divided by 2^octaves, so that their squares do not overflow */
    double place[SAMPLE][4]; /* position and mass of each sampled body */
    double r2[SAMPLE], sorted[SAMPLE];
};

static void fill(struct cloud *s, const struct nb_bodies *b)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *mass = nb_bodies_find(b, "mass");
    uint64_t stride = (b->n - 1) / SAMPLE + 1;
    double total = 0;
    for (uint64_t i = 0; i < b->n; i += stride) {
        double *place = s->place[s->count++];
        vector_of(pos, i, place);
        total += place[3] = value_of(mass, i, 0);
    }
    for (int i = 0; i < s->count && !(total > 0 && isfinite(total)); i++)
        s->place[i][3] = 1;
}

/* Divides all positions by a power of two, so that no coordinate exceeds 1. Divides `centre` too, if it is not NAN. */
static void take_units(struct cloud *s, double centre[3])
{
    double largest = 0;
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < s->count; i++)
            largest = fmax(largest, fabs(s->place[i][d]));
        largest = isfinite(centre[d]) ? fmax(largest, fabs(centre[d])) : largest;
    }
    frexp(largest, &s->octaves);
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < s->count; i++)
            s->place[i][d] = ldexp(s->place[i][d], -s->octaves);
        centre[d] = ldexp(centre[d], -s->octaves);
    }
}

static void measure(struct cloud *s, const double centre[3])
{
    for (int i = 0; i < s->count; i++) {
        s->r2[i] = 0;
        for (int d = 0; d < 3; d++)
            s->r2[i] += (s->place[i][d] - centre[d]) * (s->place[i][d] - centre[d]);
    }
}

/* Sets `centre` to the mean position, weighted by mass, of the bodies inside the sphere around the old centre. s->r2
 * must contain their squared distances from the old centre. With `smooth` the weights also decrease with this distance.
 * Returns false if the mass in the sphere is 0. */
static bool mean_within(const struct cloud *s, double radius, bool smooth, double centre[3])
{
    double sum[4] = {0}, r2 = radius * radius;
    for (int i = 0; i < s->count; i++) {
        double q = s->r2[i] / r2, w = q <= 1 ? s->place[i][3] * (smooth ? (1 - q) * (1 - q) : 1) : 0;
        for (int d = 0; d < 3 && w > 0; d++)
            sum[d] += w * s->place[i][d];
        sum[3] += w;
    }
    for (int d = 0; d < 3 && sum[3] > 0; d++)
        centre[d] = sum[d] / sum[3];
    return sum[3] > 0;
}

/* Returns the radius of the sphere around the centre that contains `wanted` bodies. */
static double radius_of(struct cloud *s, int wanted)
{
    memcpy(s->sorted, s->r2, (size_t)s->count * sizeof *s->sorted);
    qsort(s->sorted, (size_t)s->count, sizeof *s->sorted, compare_numbers);
    return sqrt(s->sorted[wanted - 1]);
}

static int count_within(const struct cloud *s, double radius)
{
    int count = 0;
    for (int i = 0; i < s->count; i++)
        count += s->r2[i] <= radius * radius;
    return count;
}

static void shrink(struct cloud *s, double radius, int wanted, double centre[3])
{
    while (radius > 0 && count_within(s, radius) > wanted && mean_within(s, radius, false, centre)) {
        measure(s, centre);
        radius *= SHRINK;
    }
}

static void climb(struct cloud *s, double radius, double centre[3])
{
    for (int k = 0; k < CLIMBS && radius > 0; k++) {
        double before[3] = {centre[0], centre[1], centre[2]}, way = 0;
        if (!mean_within(s, radius, true, centre))
            return;
        measure(s, centre);
        for (int d = 0; d < 3; d++)
            way += (centre[d] - before[d]) * (centre[d] - before[d]);
        if (way < CLOSE * CLOSE * radius * radius)
            return;
    }
}

int densest_find(const struct nb_bodies *b, double centre[3])
{
    struct cloud *s = malloc(sizeof *s);
    bool known = isfinite(centre[0]);
    if (!s)
        return nb_fail("no memory to find the densest position");
    s->count = 0;
    fill(s, b);
    take_units(s, centre);
    int wanted = (int)fmax(SHARE * s->count, FEWEST);
    for (int d = 0; d < 3 && !known; d++)
        centre[d] = s->place[0][d];
    measure(s, centre);
    if (wanted > s->count)
        wanted = s->count;
    shrink(s, radius_of(s, known ? (int)fmax(BEGIN * s->count, wanted) : s->count), wanted, centre);
    climb(s, radius_of(s, wanted), centre);
    for (int d = 0; d < 3; d++)
        centre[d] = ldexp(centre[d], s->octaves);
    free(s);
    if (isfinite(centre[0]) && isfinite(centre[1]) && isfinite(centre[2]))
        return 0;
    return nb_fail("the densest position is not finite");
}
