/* Motion blur: chooses at how many instants of time the bodies are drawn into one picture. */
#include "nbrender/motion/motion.h"

#define SAMPLE 1024 /* maximum number of bodies in the sample */
#define MOST   0.9  /* minimum fraction of the sampled bodies that move by at most APART between two images */
/* Maximum distance in pixels between two successive images of a body. At larger distances, the images of the smallest
 * points would be seen as separate points. */
#define APART 1.5

/* Returns the distance in pixels by which body i moves in the picture while the shutter is open (`open` time units), or
 * 0 if the body is behind the camera at the beginning or at the end. */
static double way_of(const struct nb_view *opens, const struct nb_view *closes, const struct nb_bodies *b, uint64_t i,
                     double open)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *vel = nb_bodies_find(b, "vel");
    double p[3], from[2], to[2];
    vector_of(pos, i, p);
    view_project(opens, p, from);
    for (int d = 0; d < 3; d++)
        p[d] += open * value_of(vel, i, d);
    view_project(closes, p, to);
    double way = hypot(to[0] - from[0], to[1] - from[1]);
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
