/* measure_profile.c - computes profiles over radius. Declared in measure_structure.h. */
#include "measure/measure_structure.h"

#include "base/error.h"
#include "measure/measure_blocks.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { NUMBER, MASS, DISTANCE, V, V2 = V + 3, Z = V2 + 3, Z2, PULL, SUMS };
/* The bodies are divided into PARTS parts. Each part has its own sums for all bins. The sums of the parts are then
 * added in order, so the results do not depend on the number of threads */
#define PARTS 64

struct input {
    const struct nb_column *mass, *pos, *vel;
    const double *acc; /* or NULL */
    const struct nb_pose *pose;
    enum nb_geometry geometry;
    const double *edges;
    int bins;
};

/* Returns 1 + k if the distance r is in bin k: edges[k] < r <= edges[k + 1]; bin 0 includes its lower edge. Returns 0
 * if r is less than the first edge, bins + 1 if r is greater than the last edge. */
static int place_of(const struct input *in, double r)
{
    int low = 0, high = in->bins + 1; /* edges[0] to edges[low - 1] are below r; edges[high] to edges[bins] are not */
    if (r == in->edges[0])
        return 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (in->edges[middle] < r)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Sets e[0], e[1] and e[2] to unit vectors at a position: in radial, azimuthal and axial direction for NB_CYLINDRICAL,
 * otherwise in radial, azimuthal and polar direction. d: position relative to the centre; r: distance, from
 * nb_pose_distance(). The components of d and e are along the three axes of struct nb_pose. */
static void directions(enum nb_geometry geometry, const double d[3], double r, double e[3][3])
{
    const double R = hypot(d[0], d[1]), c = R > 0 ? d[0] / R : 1, s = R > 0 ? d[1] / R : 0;
    const double along = geometry == NB_SPHERICAL && r > 0 ? d[2] / r : 0, out = along == 0 ? 1 : R / r;
    const double rows[3][3] = {{out * c, out * s, along}, {-s, c, 0}, {along * c, along * s, -out}};
    for (int q = 0; q < 3; q++)
        for (int k = 0; k < 3; k++)
            e[q][k] = q == 2 && geometry == NB_CYLINDRICAL ? k == 2 : rows[q][k];
}

static void add_body(const struct input *in, double m, const double *x, const double *v, const double *a,
                     struct nb_sum *sums)
{
    const struct nb_pose *p = in->pose;
    double d[3], u[3], e[3][3];
    const double r = nb_pose_distance(p, in->geometry, x, d);
    const int place = place_of(in, r);
    if (place > in->bins || isnan(r))
        return;
    struct nb_sum *s = sums + place * SUMS;
    nb_sum_add(&s[NUMBER], 1);
    nb_sum_add(&s[MASS], m);
    nb_sum_add(&s[DISTANCE], m * r);
    nb_sum_add(&s[Z], m * d[2]);
    nb_sum_add(&s[Z2], m * d[2] * d[2]);
    for (int k = 0; k < 3; k++)
        u[k] = dot(p->axis[k], (double[3]){v[0] - p->velocity[0], v[1] - p->velocity[1], v[2] - p->velocity[2]});
    directions(in->geometry, d, r, e);
    for (int k = 0; k < 3; k++) {
        const double w = dot(e[k], u);
        nb_sum_add(&s[V + k], m * w);
        nb_sum_add(&s[V2 + k], m * w * w);
    }
    if (a)
        nb_sum_add(&s[PULL],
                   -m * r * dot(e[0], (double[3]){dot(p->axis[0], a), dot(p->axis[1], a), dot(p->axis[2], a)}));
}

static void sum_part(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *sums)
{
    const struct input *in = context;
    double m, x[3], v[3];
    for (uint64_t i = i0; i < i1; i++) {
        m = nb_column_get(in->mass, i, 0);
        nb_column_get_f64(in->pos, i, i + 1, x);
        nb_column_get_f64(in->vel, i, i + 1, v);
        add_body(in, m, x, v, in->acc ? in->acc + 3 * i : NULL, sums);
    }
}

static double size_of(enum nb_geometry geometry, double inner, double outer)
{
    if (geometry == NB_CYLINDRICAL)
        return M_PI * (outer - inner) * (outer + inner);
    return 4 * M_PI / 3 * (outer - inner) * (outer * outer + outer * inner + inner * inner);
}

/* Returns the dispersion sqrt(mean2 - mean^2) of a component of the velocity. `mean` and `mean2` are the means of the
 * component and of its square. Returns 0 if mean2 - mean^2 is not larger than its rounding error. all2: mean square of
 * the entire velocity, which affects the rounding error: the component was computed from all three components of the
 * velocity. */
static double dispersion(double mean2, double mean, double all2)
{
    const double variance = mean2 - mean * mean;
    const double rounding = 8 * DBL_EPSILON * (mean2 + 8 * DBL_EPSILON * all2);
    return variance > rounding ? sqrt(variance) : 0 * mean2;
}

static void fill_bin(const struct input *in, const struct nb_sum *s, struct nb_profile_bin *bin)
{
    const double mass = nb_sum_value(&s[MASS]), size = size_of(in->geometry, bin->inner, bin->outer);
    double mean[SUMS], *sigma = bin->sigma;
    for (int k = 0; k < SUMS; k++)
        mean[k] = nb_sum_value(&s[k]) / mass;
    bin->n = (uint64_t)nb_sum_value(&s[NUMBER]);
    bin->mass = mass;
    bin->density = size > 0 ? mass / size : (double)NAN;
    bin->radius = mean[DISTANCE];
    bin->z = mean[Z];
    bin->height = dispersion(mean[Z2], mean[Z], mean[Z2]);
    for (int k = 0; k < 3; k++) {
        bin->mean[k] = mean[V + k];
        sigma[k] = dispersion(mean[V2 + k], mean[V + k], mean[V2] + mean[V2 + 1] + mean[V2 + 2]);
    }
    const double across =
        in->geometry == NB_SPHERICAL ? (sigma[1] * sigma[1] + sigma[2] * sigma[2]) / 2 : sigma[1] * sigma[1];
    bin->beta = sigma[0] > 0 ? 1 - across / (sigma[0] * sigma[0]) : (double)NAN;
    bin->circular = in->acc && mean[PULL] >= 0 ? sqrt(mean[PULL]) : (double)NAN;
}

int nb_measure_edges(const struct nb_bodies *b, const struct nb_pose *pose, enum nb_geometry geometry, int bins,
                     double *edges)
{
    double shares[NB_PROFILE_MOST];
    for (int k = 0; k < bins; k++)
        shares[k] = (k + 1) / (double)bins;
    edges[0] = 0;
    return nb_measure_radii(b, pose, geometry, NB_BY_NUMBER, shares, bins, edges + 1);
}

int nb_measure_profile(const struct nb_bodies *b, const double *acc, const struct nb_pose *pose,
                       enum nb_geometry geometry, const double *edges, int bins, struct nb_profile_bin *out)
{
    const struct input in = {.mass = nb_bodies_find(b, "mass"),
                             .pos = nb_bodies_find(b, "pos"),
                             .vel = nb_bodies_find(b, "vel"),
                             .acc = acc,
                             .pose = pose,
                             .geometry = geometry,
                             .edges = edges,
                             .bins = bins};
    const int count = (bins + 1) * SUMS;
    struct nb_sum *sums = calloc((size_t)count, sizeof *sums), within = {0};
    if (!sums)
        return nb_fail("no memory for a profile");
    const int status = nb_measure_blocks(b->n, b->n / PARTS + 1, count, sum_part, &in, sums);
    for (int k = 0; k <= bins && status == 0; k++) {
        nb_sum_merge(&within, &sums[k * SUMS + MASS]);
        if (k == 0)
            continue;
        out[k - 1] = (struct nb_profile_bin){.inner = edges[k - 1], .outer = edges[k], .within = nb_sum_value(&within)};
        fill_bin(&in, sums + k * SUMS, &out[k - 1]);
    }
    free(sums);
    return status;
}
