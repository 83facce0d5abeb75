/* stars.c - allocates a cluster, makes a particle of each star, computes the positions of stars from particles, and
 * runs parallel loops. Declared in cluster.h. */
#include "step/groups/cluster.h"

#include "base/error.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

bool nb_cluster_alloc(struct nb_cluster *c, uint64_t n, uint64_t stride)
{
    double **const vectors[] = {&c->x, &c->v, &c->a, &c->j, &c->stars_a, &c->stars_j, &c->part_a, &c->part_j},
                   **const rows[] = {&c->gm, &c->scale, &c->cap, &c->extent};
    bool whole = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        whole = (*vectors[k] = calloc(3 * stride, sizeof(double))) && whole;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        whole = (*rows[k] = calloc(stride, sizeof(double))) && whole;
    c->begun = calloc(n, sizeof *c->begun);
    c->ends = calloc(n, sizeof *c->ends);
    c->group = calloc(n, sizeof *c->group);
    c->partner = calloc(n, sizeof *c->partner);
    c->patience = calloc(n, sizeof *c->patience);
    c->due = calloc(2 * n, sizeof *c->due);
    c->marks = calloc(n, sizeof *c->marks);
    c->list = calloc(n, sizeof *c->list);
    c->seen = calloc(n, sizeof *c->seen);
    c->changed = calloc(n, sizeof *c->changed);
    c->n = n;
    c->stride = stride;
    return (whole && c->begun && c->ends && c->group && c->partner && c->patience && c->due && c->marks && c->list &&
            c->seen && c->changed) ||
           nb_fail("no memory for the groups of %llu bodies", (unsigned long long)n) == 0;
}

void nb_cluster_free(struct nb_cluster *c)
{
    void *const own[] = {c->x,     c->v,       c->a,        c->j,      c->stars_a, c->stars_j, c->part_a, c->part_j,
                         c->gm,    c->scale,   c->cap,      c->extent, c->begun,   c->ends,    c->group,  c->due,
                         c->marks, c->partner, c->patience, c->list,   c->seen,    c->changed, c->sights};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        free(own[k]);
    for (uint32_t k = 0; k < c->room; k++)
        free(c->groups[k].near);
    for (int r = 0; r < NB_LISTED; r++)
        free(c->listed[r]);
    free(c->groups);
}

void nb_cluster_each(struct nb_cluster *c, uint64_t count, bool shared, void (*work)(struct nb_cluster *c, uint64_t k))
{
    /* With a single thread, avoids a parallel region, because its start makes system calls. */
    if (!shared || omp_in_parallel() || omp_get_max_threads() == 1) {
        for (uint64_t k = 0; k < count; k++)
            work(c, k);
        return;
    }
#pragma omp parallel for schedule(dynamic, 8)
    for (uint64_t k = 0; k < count; k++)
        work(c, k);
}

void nb_cluster_take_stars(struct nb_cluster *c)
{
    for (uint64_t i = 0; i < c->n; i++) {
        c->gm[i] = c->star_gm[i];
        c->group[i] = NB_SINGLE_STAR;
        c->partner[i] = NB_NOBODY;
    }
    memcpy(c->x, c->px, 3 * c->stride * sizeof *c->x);
    memcpy(c->v, c->pv, 3 * c->stride * sizeof *c->v);
    c->count = 0;
    c->changes = c->n + 1;
    c->regrouped = true;
}

void nb_cluster_give_stars(struct nb_cluster *c)
{
    memcpy(c->px, c->x, 3 * c->stride * sizeof *c->x);
    memcpy(c->pv, c->v, 3 * c->stride * sizeof *c->v);
    for (uint32_t k = 0; k < c->count; k++) {
        const struct nb_group *g = &c->groups[k];
        double x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3], at[3], moves[3];
        if (g->n == 0)
            continue;
        nb_group_places(g, x, v);
        nb_cluster_take(c, c->x, g->slot, at);
        nb_cluster_take(c, c->v, g->slot, moves);
        for (uint32_t l = 0; l < g->n; l++) {
            for (int d = 0; d < 3; d++) {
                x[l][d] += at[d];
                v[l][d] += moves[d];
            }
            nb_cluster_give(c, c->px, g->body[l], x[l]);
            nb_cluster_give(c, c->pv, g->body[l], v[l]);
        }
    }
}
