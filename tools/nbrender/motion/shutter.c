#include "nbrender/motion/motion.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLE 1024 /* bodies */
#define MOST   0.9  /* of them */
#define APART  1.5  /* pixels: lines of the smallest spots look smooth */

/* Pixels that body i moves; 0 where it is not seen at both ends. */
static double way_of(const struct nb_view *opens, const struct nb_view *closes, const struct nb_bodies *b, uint64_t i,
                     double open)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *vel = nb_bodies_find(b, "vel");
    double p[2][3], x[2], y[2];
    for (int d = 0; d < 3; d++) {
        p[0][d] = value_of(pos, i, d);
        p[1][d] = p[0][d] + open * value_of(vel, i, d);
    }
    for (int k = 0; k < 2; k++) {
        const struct nb_column c = {.type = NB_F64, .width = 3, .data = p[k]};
        nb_view_project(k ? closes : opens, &c, 0, 1, &x[k], &y[k], NULL);
    }
    double way = hypot(x[1] - x[0], y[1] - y[0]);
    return isfinite(way) ? way : 0;
}

int shutter_moments(const struct nb_view *opens, const struct nb_view *closes, const struct nb_bodies *b, double open)
{
    double way[SAMPLE] = {0};
    uint64_t stride = b->n / SAMPLE + 1;
    int count = 0;
    for (uint64_t i = 0; i < b->n; i += stride)
        way[count++] = way_of(opens, closes, b, i, open);
    qsort(way, (size_t)count, sizeof *way, compare_numbers);
    double most = way[(int)ceil(MOST * fmax(count - 1, 0))];
    return (int)fmin(fmax(ceil(most / APART), 2), SHUTTER_MOMENTS_MOST);
}
