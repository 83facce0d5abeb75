/* cluster.c - measurements of star clusters: columns of a frame, and lines of bound pairs (--binaries). */
#include "nbstat.h"

#include <math.h>
#include <stdlib.h>

int stat_cluster_pairs(const struct nb_bodies *b, struct nb_pairs *pairs)
{
    *pairs = (struct nb_pairs){0};
    return b && stat_has_gravity(b) ? nb_pairs_find(b, pairs) : 0;
}

void stat_cluster_line(struct stat_pair *line, const struct nb_bodies *b, const struct nb_pair *pair)
{
    static const char *const kinds[] = {[2] = "binary", [3] = "triple", [4] = "quadruple"};
    const struct nb_column *id = nb_bodies_find(b, "id");
    line->kind = kinds[pair->stars];
    line->p = *pair;
    for (int k = 0; k < 2; k++)
        line->id[k] = id ? ((const uint64_t *)id->data)[pair->body[k]] : pair->body[k];
}

/* ---- columns of a frame ---- */

static int by_axis(const void *a, const void *b)
{
    const double x = ((const struct nb_pair *)a)->axis, y = ((const struct nb_pair *)b)->axis;
    return (x > y) - (x < y);
}

/* Returns the median semi-major axis. The pairs must be sorted by semi-major axis. */
static double median_axis(const struct nb_pair *of, uint64_t count)
{
    return count > 0 ? (of[(count - 1) / 2].axis + of[count / 2].axis) / 2 : (double)NAN;
}

/* Removes triples and quadruples from the list `pairs`, so that only binaries remain. Computes numbers and energies of
 * the binaries. n: number of all bodies. */
static void sum_up(struct stat_cluster *c, struct nb_pairs *pairs, uint64_t n)
{
    c->binary_energy = 0;
    for (uint64_t k = 0; k < pairs->count; k++) {
        const struct nb_pair p = pairs->of[k];
        if (p.stars > 2)
            continue;
        pairs->of[c->binaries++] = p;
        c->hard_binaries += p.hardness > 1;
        c->binary_energy += p.energy;
    }
    if (c->binaries > 0)
        qsort(pairs->of, c->binaries, sizeof *pairs->of, by_axis);
    c->binary_axis = median_axis(pairs->of, c->binaries);
    c->binary_share = (double)c->binaries / (double)(n - c->binaries);
}

static int measure_pairs(struct stat_cluster *c, const struct nb_bodies *b)
{
    struct nb_pairs pairs;
    const int status = stat_cluster_pairs(b, &pairs);
    if (status == 0)
        sum_up(c, &pairs, b->n);
    nb_pairs_free(&pairs);
    return status;
}

int stat_cluster_measure(struct stat_row *row, const struct nb_bodies *b, unsigned needs)
{
    struct stat_cluster *c = &row->cluster;
    c->relaxation_time = nb_measure_relaxation(row->m.n, row->m.mass, row->m.half_mass_radius, b->meta.G);
    if ((needs & NEEDS_CORE && nb_measure_core(b, &c->core_radius)) ||
        (needs & NEEDS_SEGREGATION && nb_measure_segregation(b, row->m.centre, &c->segregation)))
        return -1;
    return needs & NEEDS_PAIRS ? measure_pairs(c, b) : 0;
}
