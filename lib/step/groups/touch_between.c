/* touch_between.c - finds contacts between the stars of two particles. A particle is a single star or a group of stars.
 * Declared in touch.h. */
#include "step/groups/touch.h"

#include "simd/columns.h"

#include <math.h>
#include <string.h>

/* ROWS: number of rows that nb_columns_set.near reads. BATCH: number of particles that one call of near() tests. */
enum { ROWS = 7, BATCH = 64 };

struct stars { /* stars of a particle, at c->now */
    uint32_t n, body[NB_CHAIN_MAX];
    double gm[NB_CHAIN_MAX], x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3];
};

/* Stores the stars of particle i in s and returns true. Returns false if the particle is a group that is averaged over
 * its orbit, or is not yet advanced to c->now. No other particle is near enough to such a group for a contact. */
static bool stars_of(const struct nb_cluster *c, uint64_t i, struct stars *s)
{
    double x[3], v[3];
    nb_cluster_take(c, c->px, i, x);
    nb_cluster_take(c, c->pv, i, v);
    if (c->group[i] < 0) {
        s->n = 1;
        s->body[0] = (uint32_t)i;
        s->gm[0] = c->gm[i];
        memcpy(s->x[0], x, sizeof x);
        memcpy(s->v[0], v, sizeof v);
        return true;
    }
    const struct nb_group *g = &c->groups[c->group[i]];
    if (g->at != c->now || g->averaged)
        return false;
    s->n = g->n;
    memcpy(s->body, g->body, sizeof s->body);
    memcpy(s->gm, g->gm, sizeof s->gm);
    nb_group_places(g, s->x, s->v);
    for (uint32_t k = 0; k < s->n; k++)
        for (int d = 0; d < 3; d++) {
            s->x[k][d] += x[d];
            s->v[k][d] += v[d];
        }
    return true;
}

/* Computes the acceleration and jerk that a star at x with velocity v gets from all other stars in s, multiplies them
 * by `sign`, and adds them to m. */
static void pull_on(const struct nb_cluster *c, const double x[3], const double v[3], const struct stars *s,
                    double sign, struct nb_touch_motion *m)
{
    for (uint32_t k = 0; k < s->n; k++) {
        const double d[3] = {x[0] - s->x[k][0], x[1] - s->x[k][1], x[2] - s->x[k][2]};
        const double u[3] = {v[0] - s->v[k][0], v[1] - s->v[k][1], v[2] - s->v[k][2]};
        if (d[0] != 0 || d[1] != 0 || d[2] != 0)
            nb_touch_attract(sign * nb_cluster_share(c, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * s->gm[k], 0, d, u,
                             m->a, m->jerk);
    }
}

static void look_at(const struct nb_cluster *c, uint64_t i, uint64_t j, double h)
{
    struct stars a, b;
    if (!stars_of(c, i, &a) || !stars_of(c, j, &b))
        return;
    for (uint32_t k = 0; k < a.n; k++)
        for (uint32_t l = 0; l < b.n; l++) {
            struct nb_touch_motion m = {.x = {0}};
            if (!nb_touch_may(c->watch, a.body[k], b.body[l]))
                continue;
            for (int d = 0; d < 3; d++) {
                m.x[d] = b.x[l][d] - a.x[k][d];
                m.v[d] = b.v[l][d] - a.v[k][d];
            }
            const struct stars *const both[] = {&a, &b};
            for (int p = 0; p < 2; p++) {
                pull_on(c, b.x[l], b.v[l], both[p], 1, &m);
                pull_on(c, a.x[k], a.v[k], both[p], -1, &m);
            }
            nb_touch_look_back(c->watch, a.body[k], b.body[l], &m, h, (nb_quad)nb_cluster_span(c, 0, (double)c->now));
        }
}

static double extent_of(const struct nb_cluster *c, uint64_t i)
{
    if (c->group[i] == NB_VACANT)
        return NAN;
    if (c->group[i] == NB_SINGLE_STAR)
        return c->watch->radius[i];
    const struct nb_group *g = &c->groups[c->group[i]];
    double largest = 0;
    for (uint32_t k = 0; k < g->n; k++)
        largest = fmax(largest, c->watch->radius[g->body[k]]);
    return g->size + largest;
}

/* Returns the number of particles, from j0 to j1 - 1, that may have touched particle i during its last step. h: size of
 * this step. Assumes that relative speeds in the step were at most twice the present relative speeds. */
static size_t near(const struct nb_cluster *c, uint64_t i, uint64_t j0, uint64_t j1, double h)
{
    const double *row[ROWS];
    double own[ROWS];
    for (int k = 0; k < ROWS; k++) {
        const double *of = k == ROWS - 1 ? c->extent : k < 3 ? c->px + k * c->stride : c->pv + (k - 3) * c->stride;
        own[k] = of[i];
        row[k] = of + j0;
    }
    return nb_columns()->near(j1 - j0, row, own, 8 * h * h);
}

void nb_touch_particles(const struct nb_cluster *c)
{
    for (uint64_t i = 0; i < c->n; i++)
        c->extent[i] = extent_of(c, i);
    for (uint64_t q = 0; q < c->dues; q++) {
        const uint64_t i = c->due[q];
        const double h = nb_cluster_span(c, c->begun[i], (double)c->now);
        for (uint64_t j0 = 0; j0 < c->n; j0 += BATCH) {
            const uint64_t j1 = j0 + BATCH < c->n ? j0 + BATCH : c->n;
            /* near() counts particle i too if i is from j0 to j1 - 1 */
            if (near(c, i, j0, j1, h) <= (j0 <= i && i < j1))
                continue;
            for (uint64_t j = j0; j < j1; j++)
                if (j != i && near(c, i, j, j + 1, h) > 0)
                    look_at(c, i, j, h);
        }
    }
}

void nb_touch_collect(struct nb_cluster *c)
{
    for (uint32_t k = 0; k < c->count; k++) {
        struct nb_group_contact *o = &c->groups[k].contact;
        if (o->found)
            nb_touch_note(c->watch, o->i, o->j, (nb_quad)o->after);
        o->found = false;
    }
}
