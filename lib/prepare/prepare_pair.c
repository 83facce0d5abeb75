/* prepare_pair.c - finds the closest pair of bodies. Declared in prepare.h. The bodies are sorted along the axis of
 * their largest extent. Each body is compared with the bodies after it in this order. The comparison stops when the
 * distance of two bodies along this axis reaches the smallest distance found so far. */
#include "prepare/prepare.h"

#include <math.h>
#include <stdlib.h>

struct place {
    double x[3]; /* x[0] is the coordinate along the axis of the sort */
    uint64_t body;
};

static int by_first(const void *a, const void *b)
{
    const double xa = ((const struct place *)a)->x[0], xb = ((const struct place *)b)->x[0];
    return (xa > xb) - (xa < xb);
}

static double squared(const struct place *a, const struct place *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (a->x[k] - b->x[k]) * (a->x[k] - b->x[k]);
    return sum;
}

static uint64_t take_places(const struct nb_bodies *b, struct place *places)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    uint64_t count = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        if (!(nb_column_get(mass, i, 0) > 0))
            continue;
        nb_column_get_f64(pos, i, i + 1, places[count].x);
        places[count++].body = i;
    }
    return count;
}

/* Exchanges x[0] of each body with its coordinate along the axis of the largest extent. Then sorts the bodies by
 * x[0]. */
static void sort(struct place *places, uint64_t count)
{
    double widest = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint64_t i = 0; i < count; i++) {
            low = fmin(low, places[i].x[k]);
            high = fmax(high, places[i].x[k]);
        }
        if (high - low > widest) {
            widest = high - low;
            axis = k;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        const double first = places[i].x[0];
        places[i].x[0] = places[i].x[axis];
        places[i].x[axis] = first;
    }
    qsort(places, count, sizeof *places, by_first);
}

bool nb_nearest_find(const struct nb_bodies *b, struct nb_nearest *pair)
{
    struct place *places = calloc(b->n, sizeof *places);
    double least = INFINITY;
    if (!places)
        return false;
    const uint64_t count = take_places(b, places);
    sort(places, count);
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = i + 1; j < count; j++) {
            const double apart = places[j].x[0] - places[i].x[0], d2 = squared(&places[i], &places[j]);
            if (!(apart * apart < least))
                break;
            if (d2 < least) {
                least = d2;
                pair->i = places[i].body;
                pair->j = places[j].body;
            }
        }
    free(places);
    if (pair->i > pair->j) {
        const uint64_t i = pair->i;
        pair->i = pair->j;
        pair->j = i;
    }
    pair->distance = sqrt(least);
    return isfinite(least);
}
