/* touching.h - for tests of contact forces: bodies, a header, an evaluation on any device, and reference sums over
 * all pairs in double, without the library. */
#pragma once

#include "common/devices.h"
#include "force/contact/contact.h"
#include "kepler.h"
#include "simd/rng.h"

struct touching { /* disks and what they feel; host memory */
    struct nb_bodies b;
    struct nb_meta meta;
    struct nb_scene scene;
    double *m, *x, *v;          /* of b: n, 3 n, 3 n */
    double *r;                  /* of b: n, where give_radii has made them; else NULL: the scene's */
    double *a, *phi, *pressure; /* n x 3, n, n */
};

/* A row of contact forces on a device, opened for the disks of a test. */
struct touching_run {
    struct nb_force_set set;
    struct nb_state *s;
    void *d_phi, *d_pressure;
};

static inline struct touching *make_touching(uint64_t n, const char *const *lines)
{
    struct touching *t = calloc(1, sizeof *t);
    make_kepler(&t->b, 0);
    nb_bodies_free_data(&t->b);
    t->b.n = n;
    assert_int_equal(nb_bodies_alloc(&t->b), 0);
    for (; *lines; lines++)
        assert_int_equal(nb_meta_add_extra(&t->meta, *lines) || nb_meta_add_extra(&t->b.meta, *lines), 0);
    assert_int_equal(nb_scene_read(&t->meta, &t->scene), 0);
    t->m = t->b.columns[0].data, t->x = t->b.columns[1].data, t->v = t->b.columns[2].data;
    memset(t->x, 0, 24 * n);
    memset(t->v, 0, 24 * n);
    for (uint64_t i = 0; i < n; i++)
        t->m[i] = 1;
    t->a = calloc(n, 24), t->phi = calloc(n, 8), t->pressure = calloc(n, 8);
    return t;
}

static inline void free_touching(struct touching *t)
{
    nb_bodies_free(&t->b);
    nb_meta_free(&t->meta);
    nb_scene_free(&t->scene);
    free(t->a), free(t->phi), free(t->pressure);
    free(t);
}

/* Places uniform in [x0, x1) x [y0, y1), velocities of +-1, masses 1 to 2: all of them floats, the same in every
 * precision. */
static inline void scatter(struct touching *t, uint64_t seed, double x0, double x1, double y0, double y1)
{
    const struct nb_rng rng = {seed, 7};
    for (uint64_t i = 0; i < t->b.n; i++) {
        double u[4], w[4];
        nb_rng_uniforms(&rng, i, 0, u);
        nb_rng_uniforms(&rng, i, 1, w);
        t->m[i] = (double)(float)(1 + u[2]);
        t->x[3 * i] = (double)(float)(x0 + (x1 - x0) * u[0]);
        t->x[3 * i + 1] = (double)(float)(y0 + (y1 - y0) * u[1]);
        t->x[3 * i + 2] = (double)(float)u[3]; /* which nothing may look at */
        for (uint64_t k = 0; k < 3; k++)
            t->v[3 * i + k] = (double)(float)(2 * w[k] - 1);
    }
}

/* A column of radii, from a share of the scene's to that: all of them floats. */
static inline void give_radii(struct touching *t, uint64_t seed, double least)
{
    const struct nb_rng rng = {seed, 8};
    assert_int_equal(nb_bodies_add_known(&t->b, "radius", NB_F64), 0);
    assert_int_equal(nb_bodies_alloc(&t->b), 0);
    t->r = nb_bodies_find(&t->b, "radius")->data;
    for (uint64_t i = 0; i < t->b.n; i++) {
        double u[4];
        nb_rng_uniforms(&rng, i, 0, u);
        t->r[i] = (double)(float)(t->scene.radius * 0.999999 * (least + (1 - least) * u[0]));
    }
}

/* ---- the library's ---- */

static inline struct touching_run open_touching(struct nb_device *device, enum nb_precision precision, const char *text,
                                                const struct touching *t)
{
    struct touching_run r;
    struct nb_force_spec spec;
    nb_force_set_init(&r.set, device);
    if (nb_force_parse(text, &spec) ||
        nb_force_set_add(&r.set, &spec, precision, NB_WANT_ACC | NB_WANT_PHI | NB_WANT_PRESSURE, t->b.n, &t->meta))
        fail_msg("%s", nb_error());
    r.s = nb_state_create(device, precision, &t->b);
    assert_non_null(r.s);
    if (nb_force_set_read_columns(&r.set, &t->b, r.s))
        fail_msg("%s", nb_error());
    r.d_phi = nb_state_vector(r.s);
    r.d_pressure = nb_state_vector(r.s);
    assert_true(r.d_phi && r.d_pressure);
    return r;
}

static inline void close_touching(struct touching_run *r)
{
    nb_device_free(r->s->device, r->d_phi);
    nb_device_free(r->s->device, r->d_pressure);
    nb_state_destroy(r->s);
    nb_force_set_close(&r->set);
}

/* All on all into the state's acceleration, d_phi and d_pressure. */
static inline int touching_field(struct touching_run *r)
{
    const struct nb_state *s = r->s;
    const struct nb_sources from = nb_sources_of(s, 1, 0);
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    const struct nb_field out = {.stride = s->stride, .a = s->a, .phi = r->d_phi, .pressure = r->d_pressure};
    return nb_force_set_evaluate(&r->set, nb_forces_all, s->precision, &from, &to, &out);
}

static inline void fetch_touching(const struct touching_run *r, struct touching *t)
{
    struct nb_column a = {.type = NB_F64, .width = 3, .data = t->a}, phi = {.type = NB_F64, .width = 1, .data = t->phi},
                     pressure = {.type = NB_F64, .width = 1, .data = t->pressure};
    assert_int_equal(nb_state_fetch(r->s, r->s->a, &a), 0);
    assert_int_equal(nb_state_fetch(r->s, r->d_phi, &phi), 0);
    assert_int_equal(nb_state_fetch(r->s, r->d_pressure, &pressure), 0);
}

/* Opens, evaluates, fetches, closes. */
static inline void evaluate_touching(struct nb_device *device, enum nb_precision precision, const char *text,
                                     struct touching *t)
{
    struct touching_run r = open_touching(device, precision, text, t);
    if (touching_field(&r))
        fail_msg("%s", nb_error());
    fetch_touching(&r, t);
    close_touching(&r);
}

/* ---- the law, once more ---- */

static inline double true_shortest(const struct nb_scene *s, int k, double d)
{
    const double length = s->high[k] - s->low[k];
    for (; s->periodic[k] && d > length / 2;)
        d -= length;
    for (; s->periodic[k] && d < -length / 2;)
        d += length;
    return d;
}

/* On the solid side, by the angle that the wall turns around the place. */
static inline bool true_inside(const struct nb_wall *w, double x, double y)
{
    double angle = 0;
    for (int k = 0; k + 1 < w->count; k++) {
        const double ax = w->xy[2 * k] - x, ay = w->xy[2 * k + 1] - y, bx = w->xy[2 * k + 2] - x,
                     by = w->xy[2 * k + 3] - y;
        angle += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return (fabs(angle) > M_PI) == (w->area > 0);
}

/* Signed distance, and the normal to where the disks are. */
static inline double true_distance(const struct nb_wall *w, double x, double y, double n[2])
{
    double least = INFINITY;
    for (int k = 0; k + 1 < w->count; k++) {
        const double *p = w->xy + 2 * k, dx = p[2] - p[0], dy = p[3] - p[1], l2 = dx * dx + dy * dy;
        if (l2 == 0)
            continue;
        const double along = fmin(fmax(((x - p[0]) * dx + (y - p[1]) * dy) / l2, 0), 1);
        const double qx = x - p[0] - along * dx, qy = y - p[1] - along * dy, d = hypot(qx, qy);
        if (d < least)
            least = d, n[0] = qx / d, n[1] = qy / d;
    }
    const double sign = w->closed && true_inside(w, x, y) ? -1 : 1;
    n[0] *= sign, n[1] *= sign;
    return sign * least;
}

static inline double true_radius(const struct touching *t, uint64_t i)
{
    return t->r ? t->r[i] : t->scene.radius;
}

/* Adds to disk i a force f along n, of that energy. */
static inline void true_push(struct touching *t, uint64_t i, double f, const double n[2], double energy)
{
    t->a[3 * i] += f * n[0] / t->m[i];
    t->a[3 * i + 1] += f * n[1] / t->m[i];
    t->phi[i] += energy / t->m[i];
    t->pressure[i] += fabs(f) / (2 * M_PI * true_radius(t, i));
}

/* a, phi and pressure by all pairs and walls; `felt`: the force on each wall, or NULL. How many pairs touch. */
static inline uint64_t true_field(struct touching *t, double (*felt)[2])
{
    const struct nb_scene *s = &t->scene;
    uint64_t touches = 0;
    memset(t->a, 0, 24 * t->b.n), memset(t->phi, 0, 8 * t->b.n), memset(t->pressure, 0, 8 * t->b.n);
    for (uint64_t i = 0; i < t->b.n; i++)
        for (uint64_t j = 0; j < i; j++) {
            const double d[2] = {true_shortest(s, 0, t->x[3 * i] - t->x[3 * j]),
                                 true_shortest(s, 1, t->x[3 * i + 1] - t->x[3 * j + 1])};
            const double reach = true_radius(t, i) + true_radius(t, j);
            if (fabs(d[0]) > reach)
                continue;
            const double r = hypot(d[0], d[1]), n[2] = {r > 0 ? d[0] / r : 1, r > 0 ? d[1] / r : 0};
            if (!(r < reach))
                continue;
            const double closing = (t->v[3 * i] - t->v[3 * j]) * n[0] + (t->v[3 * i + 1] - t->v[3 * j + 1]) * n[1];
            const double f = s->stiffness * (reach - r) - s->damping * closing;
            const double energy = s->stiffness * pow(reach - r, 2) / 2;
            true_push(t, i, f, n, energy);
            true_push(t, j, f, (const double[2]){-n[0], -n[1]}, energy);
            touches++;
        }
    for (int w = 0; w < s->wall_count; w++)
        for (uint64_t i = 0; i < t->b.n; i++) {
            const double radius = true_radius(t, i);
            double n[2] = {0, 0};
            const double away = true_distance(&s->walls[w], t->x[3 * i], t->x[3 * i + 1], n);
            if (!(away < radius))
                continue;
            const double f =
                s->stiffness * (radius - away) - s->damping * (t->v[3 * i] * n[0] + t->v[3 * i + 1] * n[1]);
            true_push(t, i, f, n, s->stiffness * pow(radius - away, 2));
            if (felt)
                felt[w][0] -= f * n[0], felt[w][1] -= f * n[1];
        }
    return touches;
}

/* What the library found against the truth, to `digits` of k r. How many pairs touch. */
static inline uint64_t assert_truth(const char *what, struct touching *t, double digits)
{
    const uint64_t n = t->b.n;
    double *found = malloc(40 * n);
    const double scale = t->scene.stiffness * t->scene.radius * digits;
    memcpy(found, t->a, 24 * n), memcpy(found + 3 * n, t->phi, 8 * n), memcpy(found + 4 * n, t->pressure, 8 * n);
    const uint64_t touches = true_field(t, NULL);
    for (uint64_t i = 0; i < n; i++) {
        const double near = scale + digits * t->pressure[i] * 2 * M_PI * true_radius(t, i);
        for (uint64_t k = 0; k < 3; k++)
            if (!(fabs(found[3 * i + k] - t->a[3 * i + k]) <= near))
                fail_msg("%s: a%c of disk %d is %.12g, not %.12g", what, 'x' + (int)k, (int)i, found[3 * i + k],
                         t->a[3 * i + k]);
        if (!(fabs(found[3 * n + i] - t->phi[i]) <= near * t->scene.radius + digits * t->phi[i]))
            fail_msg("%s: phi of disk %d is %.12g, not %.12g", what, (int)i, found[3 * n + i], t->phi[i]);
        if (!(fabs(found[4 * n + i] - t->pressure[i]) <= near / true_radius(t, i)))
            fail_msg("%s: pressure of disk %d is %.12g, not %.12g", what, (int)i, found[4 * n + i], t->pressure[i]);
    }
    free(found);
    return touches;
}
