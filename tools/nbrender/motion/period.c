/* Follows bodies across the border of a periodic box, and moves points into the box. */
#include "nbrender/motion/motion.h"

#include "scene/scene.h"

int period_read(struct period *p, const struct nb_meta *meta)
{
    struct nb_scene scene;
    if (nb_scene_read(meta, &scene))
        return -1;
    memcpy(p->along, scene.periodic, sizeof p->along);
    memcpy(p->low, scene.low, sizeof p->low);
    memcpy(p->high, scene.high, sizeof p->high);
    nb_scene_free(&scene);
    return 0;
}

/* Returns a displacement of `count` widths of the box, or 0 if count is not finite. */
static double widths(const struct period *p, int axis, double count)
{
    return isfinite(count) ? count * (p->high[axis] - p->low[axis]) : 0;
}

void period_follow(const struct period *p, const double p0[3], const double v0[3], const double v1[3], double dt,
                   double p1[3])
{
    for (int k = 0; k < 2; k++) {
        const double going = p0[k] + 0.5 * (v0[k] + v1[k]) * dt;
        if (p->along[k])
            p1[k] += widths(p, k, round((going - p1[k]) / (p->high[k] - p->low[k])));
    }
}

void period_wrap(const struct period *p, double x[3], double shift[2])
{
    for (int k = 0; k < 2; k++) {
        shift[k] = p->along[k] ? -widths(p, k, floor((x[k] - p->low[k]) / (p->high[k] - p->low[k]))) : 0;
        x[k] += shift[k];
    }
}
