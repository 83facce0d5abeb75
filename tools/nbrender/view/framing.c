/* Finds the centre of mass of the bodies in a frame, and the extent of a picture that shows them. */
#include "nbrender/view/view.h"

#include <inttypes.h>

#define MARGIN 1.12 /* (extent of the picture) / (extent of the region that it must contain) */
/* If there are more than ALL bodies, the extent of the picture is limited to SPARE times the extent that contains the
 * fraction SHARE of the bodies. The picture may then leave out some bodies. */
#define SHARE 0.95
/* maximum of (extent of the picture) / (extent that contains the fraction SHARE of the bodies); above 1 because the
 * system may grow later */
#define SPARE  1.45
#define KNOWN  1.05                /* used instead of SPARE if later growth needs no margin (framing_frame.known) */
#define FEW    16                  /* maximum number of bodies for which Kepler orbits are computed */
#define ALL    100                 /* the picture always contains all bodies if there are at most this many */
#define SAMPLE ((uint64_t)1 << 18) /* maximum number of positions in the sample */
#define REACH  50                  /* Kepler ellipses larger than REACH times the size of the system are ignored */

/* ---- the centre ---- */

struct mean { /* arguments of weighted_mean */
    const unsigned char *mask;
    const struct nb_column *weight, *vector;
};

static void add_weighted(const void *what, uint64_t begin, uint64_t end, double sum[4])
{
    const struct mean *m = what;
    for (uint64_t i = begin; i < end; i++) {
        const double w = m->mask && !m->mask[i] ? 0 : m->weight ? value_of(m->weight, i, 0) : 1;
        for (int d = 0; d < 3 && w > 0; d++)
            sum[d] += w * value_of(m->vector, i, d);
        sum[3] += w;
    }
}

/* Computes the mean of the vector column `name`, weighted by the column `weight`. If `weight` is NULL, all weights are
 * 1. Bodies with mask[i] == 0 have weight 0. Returns 0, or -1 if the mean is not finite. */
static int weighted_mean(const struct nb_bodies *b, const unsigned char *mask, const struct nb_column *weight,
                         const char *name, double mean[3])
{
    const struct mean m = {mask, weight, nb_bodies_find(b, name)};
    double sum[4];
    sum_bodies(b->n, add_weighted, &m, sum);
    for (int d = 0; d < 3; d++)
        mean[d] = sum[d] / sum[3];
    return isfinite(mean[0]) && isfinite(mean[1]) && isfinite(mean[2]) ? 0 : -1;
}

int framing_centre(const struct nb_bodies *b, const unsigned char *mask, double centre[3])
{
    if (weighted_mean(b, mask, nb_bodies_find(b, "mass"), "pos", centre) == 0 ||
        weighted_mean(b, mask, NULL, "pos", centre) == 0)
        return 0;
    return nb_fail("the centre of mass is not finite");
}

/* ---- the extent ---- */

struct box {  /* size of a region around the centre, length units */
    double u, /* half the width of the region */
        v,    /* half the height of the region */
        w;    /* distance from the centre to the side of the region that is nearest to the camera */
};

static struct box box_of_place(const struct nb_view *c, bool turning, const double p[3])
{
    if (!turning)
        return (struct box){fabs(vector_dot(c->right, p)), fabs(vector_dot(c->up, p)), vector_dot(c->back, p)};
    double round = hypot(p[0], p[1]), across = hypot(c->up[0], c->up[1]);
    return (struct box){round, round * across + fabs(p[2] * c->up[2]), round * c->up[2] + fabs(p[2]) * across};
}

/* Returns the extent (half the width) of a picture that contains the box. Derivation: let t = tan(fov / 2), where fov
 * is the angle of view. The camera is at the distance extent / t from the centre. Consider a point that is nearer to
 * the camera than the centre by w, at the distance u from the line of sight. In the picture its distance from the
 * middle is u / (1 - w * t / extent). The point is in the picture if this distance is at most `extent`. This is true if
 * extent >= u + w * t. */
static double extent_of_box(struct box box, struct framing_frame frame)
{
    return fmax(box.u, frame.aspect * box.v) + box.w * frame.tan_half_fov;
}

static void acceleration(const struct nb_bodies *b, uint64_t i, double a[3])
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    double eps2 = b->meta.softening * b->meta.softening;
    a[0] = a[1] = a[2] = 0;
    for (uint64_t j = 0; j < b->n; j++) {
        double r[3];
        for (int d = 0; d < 3; d++)
            r[d] = value_of(pos, j, d) - value_of(pos, i, d);
        double r2 = vector_dot(r, r) + eps2, strength = b->meta.G * value_of(mass, j, 0) / (r2 * sqrt(r2));
        for (int d = 0; d < 3 && j != i && r2 > 0; d++)
            a[d] += strength * r[d];
    }
}

/* Computes the Kepler ellipse of a body around the centre, which is a focus (Murray and Dermott 1999, section 2.3).
 * - r, v, acc: position, velocity and acceleration of the body relative to the centre.
 * - Sets axis_a and axis_b to the vectors of the semi-axes: their lengths are a and a * sqrt(1 - |e|^2), where a is the
 *   semi-major axis. The eccentricity vector is e = (v x h) / mu - r / |r|, with h = r x v and mu = -(acc . r) |r|.
 * - Sets `middle` to the middle of the ellipse.
 * - Returns false if the orbit is not bound. */
static bool ellipse(const double r[3], const double v[3], const double acc[3], double axis_a[3], double axis_b[3],
                    double middle[3])
{
    double radius = vector_length(r), mu = -vector_dot(acc, r) * radius, h[3], vh[3], e[3], across[3];
    double size = 1 / (2 / radius - vector_dot(v, v) / mu);
    if (!(radius > 0 && mu > 0 && size > 0 && isfinite(size)))
        return false;
    vector_cross(r, v, h);
    vector_cross(v, h, vh);
    for (int d = 0; d < 3; d++)
        e[d] = vh[d] / mu - r[d] / radius;
    double ecc = vector_length(e), h_size = vector_length(h);
    for (int d = 0; d < 3; d++) {
        middle[d] = -size * e[d];
        axis_a[d] = size * (ecc > 1e-9 ? e[d] / ecc : r[d] / radius);
    }
    vector_cross(h, axis_a, across);
    for (int d = 0; d < 3; d++)
        axis_b[d] = h_size > 0 ? across[d] / h_size * sqrt(fmax(1 - ecc * ecc, 0)) : 0;
    return true;
}

static struct box box_of_orbit(const struct nb_bodies *b, const struct nb_view *c, bool turning, uint64_t i,
                               const double drift[3], double limit)
{
    double r[3], v[3], acc[3], axis_a[3], axis_b[3], middle[3];
    for (int d = 0; d < 3; d++) {
        r[d] = value_of(nb_bodies_find(b, "pos"), i, d) - c->centre[d];
        v[d] = value_of(nb_bodies_find(b, "vel"), i, d) - drift[d];
    }
    acceleration(b, i, acc);
    struct box now = box_of_place(c, turning, r);
    if (!ellipse(r, v, acc, axis_a, axis_b, middle))
        return now;
    double farthest = vector_length(middle) + vector_length(axis_a);
    if (!(farthest < limit))
        return now;
    if (turning)
        return (struct box){farthest, farthest, farthest};
    return (struct box){
        fmax(now.u,
             fabs(vector_dot(c->right, middle)) + hypot(vector_dot(c->right, axis_a), vector_dot(c->right, axis_b))),
        fmax(now.v, fabs(vector_dot(c->up, middle)) + hypot(vector_dot(c->up, axis_a), vector_dot(c->up, axis_b))),
        fmax(now.w, vector_dot(c->back, middle) + hypot(vector_dot(c->back, axis_a), vector_dot(c->back, axis_b))),
    };
}

static double distance(const struct nb_column *pos, const struct nb_view *c, uint64_t i, double p[3])
{
    for (int d = 0; d < 3; d++)
        p[d] = value_of(pos, i, d) - c->centre[d];
    return vector_length(p);
}

static double extent_of_few(const struct nb_bodies *b, const struct nb_view *c, struct framing_frame frame)
{
    double largest = 0, extent = 0, p[3], drift[3];
    if (weighted_mean(b, NULL, nb_bodies_find(b, "mass"), "vel", drift))
        drift[0] = drift[1] = drift[2] = 0;
    for (uint64_t i = 0; i < b->n; i++)
        largest = fmax(largest, distance(nb_bodies_find(b, "pos"), c, i, p));
    for (uint64_t i = 0; i < b->n; i++) {
        struct box box = box_of_orbit(b, c, frame.turning, i, drift, REACH * largest);
        extent = fmax(extent, extent_of_box(box, frame));
    }
    return extent;
}

static double extent_of_many(const struct nb_bodies *b, const struct nb_view *c, struct framing_frame frame)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    struct histogram *h = claimed(calloc(1, sizeof *h), "no memory for a histogram");
    double largest = 0, p[3];
    for (uint64_t i = 0; i < b->n; i += 1 + (b->n - 1) / SAMPLE) {
        distance(pos, c, i, p);
        double extent = fmax(extent_of_box(box_of_place(c, frame.turning, p), frame), 0);
        histogram_add(h, extent);
        largest = fmax(largest, extent);
    }
    double most = (frame.known ? KNOWN : SPARE) * histogram_quantile(h, SHARE);
    free(h);
    return b->n > ALL ? fmin(largest * MARGIN, most) : largest * MARGIN;
}

double framing_extent(const struct nb_bodies *b, const struct nb_view *camera, struct framing_frame frame)
{
    double extent = b->n > FEW ? extent_of_many(b, camera, frame) : extent_of_few(b, camera, frame) * MARGIN;
    return extent > 0 && isfinite(extent) ? extent : 1;
}

double framing_extent_of_region(const double low[2], const double high[2], const struct nb_view *camera,
                                struct framing_frame frame)
{
    double extent = 0;
    for (int corner = 0; corner < 4; corner++) {
        const double p[3] = {(corner & 1 ? high : low)[0] - camera->centre[0],
                             (corner & 2 ? high : low)[1] - camera->centre[1], -camera->centre[2]};
        extent = fmax(extent, extent_of_box(box_of_place(camera, frame.turning, p), frame));
    }
    return extent > 0 && isfinite(extent) ? extent : 1;
}
