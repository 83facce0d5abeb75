#include "light/view.h"

#include <stdbool.h>

/* Called with `single` constant, so that each type of column gets a loop of its own. */
static inline __attribute__((always_inline)) void project(const struct nb_view *view, const void *pos, bool single,
                                                          int count, double *restrict x, double *restrict y,
                                                          float *restrict near)
{
    const struct nb_view k = *view;
    for (int i = 0; i < count; i++) {
        double p[3];
        for (int d = 0; d < 3; d++)
            p[d] = single ? (double)((const float *)pos)[3 * i + d] : ((const double *)pos)[3 * i + d];
        double larger = nb_view_land(&k, p[0], p[1], p[2], &x[i], &y[i]);
        if (near)
            near[i] = (float)larger;
    }
}

void nb_view_project(const struct nb_view *view, const struct nb_column *pos, uint64_t i0, int count, double *x,
                     double *y, float *near)
{
    if (pos->type == NB_F32)
        project(view, (const float *)pos->data + 3 * i0, true, count, x, y, near);
    else
        project(view, (const double *)pos->data + 3 * i0, false, count, x, y, near);
}
