/* force_columns.c - reads per-body columns for forces: radii of disks, and which bodies are black holes. Declared in
 * force.h. */
#include "base/error.h"
#include "force/force.h"
#include "scene/scene.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* maximum relative difference of two radii that are treated as equal: a column may be in single precision, while the
 * header's radius is a double */
#define ROUNDING 1e-6

/* Returns the radius of colliding disks that the header contains, or NAN if the bodies are not colliding disks. If the
 * header is invalid, returns NAN after nb_fail. */
static double header_radius(const struct nb_meta *meta)
{
    struct nb_scene scene;
    if (nb_scene_read(meta, &scene))
        return NAN;
    const double radius = scene.touching ? scene.radius : NAN;
    nb_scene_free(&scene);
    return radius;
}

bool nb_force_radii_differ(const struct nb_bodies *b)
{
    const struct nb_column *c = nb_bodies_find(b, "radius");
    const double radius = c ? header_radius(&b->meta) : NAN;
    if (isnan(radius))
        return false;
    for (uint64_t i = 0; i < b->n; i++)
        if (!(fabs(nb_column_get(c, i, 0) - radius) <= ROUNDING * radius))
            return true;
    return false;
}

int nb_force_choose_radius(struct nb_force_spec *spec, const struct nb_bodies *b)
{
    return nb_force_radii_differ(b) ? nb_force_spec_set(spec, "radius", "column") : 0;
}

static int refuse(const struct nb_column *c, uint64_t i, double most)
{
    const double radius = nb_column_get(c, i, 0);
    if (radius > most && isfinite(radius))
        nb_fail("disk %" PRIu64 ": radius %.9g is larger than %.9g, the maximum in the header line 'contact'", i,
                radius, most);
    else
        nb_fail("disk %" PRIu64 ": radius %g is not positive", i, radius);
    errno = EDOM;
    return -1;
}

/* Sets the radii from the column; a radius above `most` becomes `most`. */
static int set_bounded(struct nb_state *s, const struct nb_column *c, double most)
{
    double *values = malloc(s->n * sizeof *values);
    if (!values)
        return nb_fail("no memory for the radii of %" PRIu64 " disks", s->n);
    for (uint64_t i = 0; i < s->n; i++)
        values[i] = fmin(nb_column_get(c, i, 0), most);
    const int status = nb_state_set_radius(s, NB_F64, values);
    free(values);
    return status;
}

static int read_radii(const struct nb_bodies *b, struct nb_state *s)
{
    const struct nb_column *c = nb_bodies_find(b, "radius");
    bool beyond = false;
    if (!c) {
        nb_fail("no column 'radius', which contact:radius=column needs");
        errno = EDOM;
        return -1;
    }
    const double most = header_radius(&b->meta);
    for (uint64_t i = 0; i < b->n; i++) {
        const double radius = nb_column_get(c, i, 0);
        if (!((s->precision == NB_SINGLE ? (double)(float)radius : radius) > 0 && radius <= most * (1 + ROUNDING)))
            return refuse(c, i, most);
        beyond = beyond || radius > most;
    }
    return beyond ? set_bounded(s, c, most) : nb_state_set_radius(s, c->type, c->data);
}

static int read_holes(const struct nb_bodies *b, struct nb_state *s)
{
    const struct nb_column *c = nb_bodies_find(b, "component");
    double *values = calloc(s->n, sizeof *values);
    if (!values)
        return nb_fail("no memory for the components of %" PRIu64 " bodies", s->n);
    for (uint64_t i = 0; c && i < s->n; i++)
        values[i] = nb_column_get(c, i, 0) == NB_BLACK_HOLE;
    const int status = nb_state_set_holes(s, values);
    free(values);
    return status;
}

int nb_force_set_read_columns(const struct nb_force_set *set, const struct nb_bodies *b, struct nb_state *s)
{
    const unsigned flags = nb_force_set_flags(set);
    if (flags & NB_READS_RADIUS && read_radii(b, s))
        return -1;
    return flags & NB_READS_HOLES ? read_holes(b, s) : 0;
}
