/* Interpolates the bodies between two frames. */
#include "nbrender/motion/motion.h"

/* The path of a body between two frames depends on its misfit, |displacement - velocity * dt| / |displacement|, where
 * velocity is the mean of the velocities in the two frames, and dt is the time between them. The path is a cubic if the
 * misfit is below TRUSTED, and a straight line if the misfit is above DOUBTED. Between these limits it is a weighted
 * mean of cubic and line. Example: if a body moves on a circle by the angle a, the misfit is 1 - (a/2) * cot(a/2). It
 * is 0.5 at a = 2.3 radians. */
#define TRUSTED 0.5
#define DOUBTED 0.8
/* The path is also a cubic if |displacement - velocity * dt| <= NOISE * speed * dt, where speed is the larger of the
 * two speeds. Such a small difference may come from the rounding errors of f32 positions. */
#define NOISE 1e-6

struct pair { /* one column in two frames; `near` is in the frame that is nearer in time to the picture */
    const struct nb_column *near, *far;
};

struct step {
    double s; /* time from the nearer frame to the picture, in units of dt */
    /* Time from the nearer frame to the other frame. It is negative if the second frame is the nearer frame and time
     * runs forwards. If `alone` is true, time from the first frame to the second frame. */
    double dt;
    int side;   /* index of the nearer frame */
    bool alone; /* the picture is after the second frame, and there is no later frame */
    struct pair vel;
    const struct match *match;
    const struct period *period;
};

/* ---- one body ---- */

/* Returns a weight from 0 (the path is the straight line) to 1 (the path is the cubic). way: displacement in the time
 * dt; v0, v1: velocities at the beginning and at the end of this time. */
static double trust(const double way[3], const double v0[3], const double v1[3], double dt)
{
    double rest[3];
    for (int d = 0; d < 3; d++)
        rest[d] = way[d] - 0.5 * (v0[d] + v1[d]) * dt;
    double path = NOISE * fabs(dt) * fmax(vector_length(v0), vector_length(v1)),
           misfit = vector_length(rest) / (vector_length(way) + path);
    return vector_length(rest) <= path ? 1 : fmin(fmax((DOUBTED - misfit) / (DOUBTED - TRUSTED), 0), 1);
}

void between_place(const double p0[3], const double p1[3], const double v0[3], const double v1[3], double dt, double s,
                   double p[3])
{
    double r = 1 - s, way[3];
    for (int d = 0; d < 3; d++)
        way[d] = p1[d] - p0[d];
    double w = trust(way, v0, v1, dt) * s * r;
    for (int d = 0; d < 3; d++) {
        double bend = r * (v0[d] * dt - way[d]) - s * (v1[d] * dt - way[d]);
        p[d] = p0[d] + s * way[d] + (w > 0 ? w * bend : 0);
        if (!isfinite(p[d]))
            p[d] = p0[d];
    }
}

void between_velocity(const double v0[3], const double v1[3], double s, double v[3])
{
    for (int d = 0; d < 3; d++)
        v[d] = (1 - s) * v0[d] + s * v1[d];
    double is = vector_length(v), wanted = (1 - s) * vector_length(v0) + s * vector_length(v1);
    for (int d = 0; d < 3; d++)
        v[d] = is > 0 && isfinite(wanted / is) ? v[d] * (wanted / is) : v0[d];
}

static uint64_t partner(const struct step *t, uint64_t i)
{
    return t->alone ? MATCH_NONE : match_of(t->match, t->side, i);
}

/* ---- all bodies: the value of a column between two frames, for body i of the nearer frame and body j of the farther
 * one ---- */

typedef void between_value(const struct step *t, struct pair c, uint64_t i, uint64_t j, double x[3]);

static void between_pos(const struct step *t, struct pair c, uint64_t i, uint64_t j, double x[3])
{
    double p0[3], v0[3], p1[3], v1[3], shift[2];
    vector_of(c.near, i, p0);
    vector_of(t->vel.near, i, v0);
    for (int d = 0; d < 3; d++)
        p1[d] = p0[d] + v0[d] * t->dt, v1[d] = v0[d];
    if (j != MATCH_NONE)
        vector_of(c.far, j, p1), vector_of(t->vel.far, j, v1);
    period_follow(t->period, p0, v0, v1, t->dt, p1);
    between_place(p0, p1, v0, v1, t->dt, t->s, x);
    period_wrap(t->period, x, shift);
}

static void between_vel(const struct step *t, struct pair c, uint64_t i, uint64_t j, double x[3])
{
    double v0[3], v1[3];
    vector_of(c.near, i, x);
    if (j == MATCH_NONE)
        return;
    vector_of(c.near, i, v0);
    vector_of(c.far, j, v1);
    between_velocity(v0, v1, t->s, x);
}

static void between_any(const struct step *t, struct pair c, uint64_t i, uint64_t j, double x[3])
{
    for (int d = 0; d < c.near->width; d++) {
        const double near = value_of(c.near, i, d);
        x[d] = j == MATCH_NONE ? near : (1 - t->s) * near + t->s * value_of(c.far, j, d);
        x[d] = isfinite(x[d]) ? x[d] : near;
    }
}

static void fill(struct nb_column *to, struct pair c, const struct step *t, between_value *value, uint64_t n)
{
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < n; i++) {
        double x[3];
        value(t, c, i, partner(t, i), x);
        for (int d = 0; d < to->width; d++)
            value_set(to, i, d, x[d]);
    }
}

/* Gives column k of the interpolated bodies its own memory. Before this call, the column points to the memory of a
 * frame. The values of the frame must not be overwritten. Returns 0, or -1 after nb_fail. */
static int own(struct between *b, int k)
{
    size_t bytes = nb_column_bytes_padded(&b->bodies.columns[k], b->bodies.n);
    if (b->own[k].room_bytes < bytes) {
        free(b->own[k].data);
        b->own[k].room_bytes = 0;
        b->own[k].data = bytes < SIZE_MAX ? aligned_alloc(NB_ALIGN, bytes) : NULL;
        if (!b->own[k].data)
            return nb_fail("no memory to interpolate %llu bodies between two frames (--select or nbedit --sample takes "
                           "fewer bodies)",
                           (unsigned long long)b->bodies.n);
        b->own[k].room_bytes = bytes;
    }
    b->bodies.columns[k].data = b->own[k].data;
    return 0;
}

int between_fill(struct between *b, const struct nb_bodies frames[2], const struct match *match, double dt, double s)
{
    const int side = s < 0.5 ? 0 : 1;
    const struct nb_bodies *near = &frames[side], *far = &frames[1 - side];
    const struct step t = {.s = side ? fabs(1 - s) : s,
                           .dt = side && s <= 1 ? -dt : dt,
                           .side = side,
                           .alone = s > 1,
                           .vel = {nb_bodies_find(near, "vel"), nb_bodies_find(far, "vel")},
                           .match = match,
                           .period = &b->period};
    b->bodies = *near;
    b->bodies.meta.time = near->meta.time + t.s * t.dt;
    for (int k = 0; k < near->column_count && t.s > 0; k++) {
        const struct pair c = {&near->columns[k], nb_bodies_find(far, near->columns[k].name)};
        struct nb_column *to = &b->bodies.columns[k];
        if (!nb_type_is_real(c.near->type) || !c.far || !nb_type_is_real(c.far->type) || c.far->width != c.near->width)
            continue;
        if (own(b, k))
            return -1;
        const bool is_pos = strcmp(to->name, "pos") == 0, is_vel = strcmp(to->name, "vel") == 0;
        fill(to, c, &t, is_pos ? between_pos : is_vel ? between_vel : between_any, near->n);
    }
    if (b->orbits.orbit_count > 0 && t.s > 0)
        orbits_put(&b->orbits, side, s, nb_bodies_find(&b->bodies, "pos"), nb_bodies_find(&b->bodies, "vel"));
    return 0;
}

void between_free(struct between *b)
{
    orbits_free(&b->orbits);
    for (int k = 0; k < NB_COLUMNS_MAX; k++)
        free(b->own[k].data);
}
