/* radial.c - --radial: measures bins of radius. */
#include "nbstat.h"

#include <math.h>

/* Divides the range into bins that are equally wide in log(radius), or in the radius if the range begins at 0. Sets
 * edges[0 .. bins]. */
static void divide(const double range[2], int bins, double *edges)
{
    const double a = range[0], b = range[1];
    for (int k = 0; k <= bins; k++) {
        const double t = k / (double)bins;
        edges[k] = k == 0 ? a : k == bins ? b : a > 0 ? a * pow(b / a, t) : b * t;
    }
}

int stat_radial_measure(const struct stat_sample *s, const struct nb_fields *fields, const struct stat_options *o,
                        struct nb_profile_bin *bins, int *count)
{
    const enum nb_geometry geometry = o->kind == STAT_SPHERICAL ? NB_SPHERICAL : NB_CYLINDRICAL;
    double edges[NB_PROFILE_MOST + 1];
    struct nb_measures m;
    struct nb_pose pose;
    if (!s->b)
        return nb_fail("no body is selected");
    if (nb_measure(s->b, &(struct nb_fields){0}, o->about, &m) || stat_sample_pose(s, o, &m, &pose))
        return -1;
    if (!isfinite(pose.centre[0] + pose.centre[1] + pose.centre[2]))
        return nb_fail("the bodies have no mass, so they have no centre");
    *count = o->bins;
    if (!isnan(o->range[0]))
        divide(o->range, *count, edges);
    else {
        *count = s->b->n < (uint64_t)o->bins ? (int)s->b->n : o->bins;
        if (nb_measure_edges(s->b, &pose, geometry, *count, edges))
            return -1;
    }
    return nb_measure_profile(s->b, fields->acc, &pose, geometry, edges, *count, bins);
}
