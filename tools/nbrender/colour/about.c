/* Computes the mean of a quantity over the neighbours of each body, on a grid in the plane z = 0. */
#include "nbrender/colour/colour.h"

#include "force/contact/contact.h"
#include "scene/scene.h"

#define SIDE_MOST 4096 /* maximum number of cells along a side of the grid */
#define BLOCK     1024 /* number of bodies whose values are read in one call */

struct grid {
    double low[2], cell;
    /* number of cells along x and y: 2 more than the bodies cover, because each body contributes to 3 x 3 cells */
    int count[2];
    /* x coordinate of the end of a flow's inlet; bodies in the inlet do not contribute; -INFINITY: no inlet */
    double inlet;
};

/* The 3 x 3 cells to which a body contributes. `first` is the index of the cell with the lowest x and y. The weight of
 * the cell in column j and row k is x[j] * y[k]. */
struct spot {
    uint64_t first;
    double x[3], y[3];
};

bool about_has(const char *name, const struct nb_meta *meta)
{
    const bool is_wanted = quantity_is_of(name, "vel") || quantity_is_of(name, "pressure") ||
                           quantity_is_of(name, "acc") || quantity_is_of(name, "phi");
    return is_wanted && nb_scene_is_touching(meta);
}

double about_inlet(const char *name, const struct nb_meta *meta)
{
    struct nb_scene scene;
    if (!about_has(name, meta))
        return -INFINITY;
    must(nb_scene_read(meta, &scene));
    const double inlet = scene.flowing ? nb_contact_fringe(&scene) : -INFINITY;
    nb_scene_free(&scene);
    return inlet;
}

static void find_extent(const struct nb_bodies *b, double low[2], double high[2])
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    low[0] = low[1] = INFINITY, high[0] = high[1] = -INFINITY;
    for (uint64_t i = 0; i < b->n; i++)
        for (int d = 0; d < 2; d++) { /* gcc 12 for Arm has an internal compiler error if this uses fmin and fmax */
            const double x = value_of(pos, i, d);
            low[d] = x < low[d] ? x : low[d];
            high[d] = x > high[d] ? x : high[d];
        }
}

static struct grid grid_of(const struct nb_bodies *b, const char *name, double count)
{
    struct nb_scene scene;
    struct grid g;
    double high[2];
    must(nb_scene_read(&b->meta, &scene));
    memcpy(g.low, scene.low, sizeof g.low);
    memcpy(high, scene.high, sizeof high);
    if (!scene.boxed)
        find_extent(b, g.low, high);
    nb_scene_free(&scene);
    const double width = high[0] - g.low[0], height = high[1] - g.low[1];
    g.cell = fmax(sqrt(width * (count / (9 * (double)b->n)) * height), fmax(width, height) / SIDE_MOST);
    /* If the cell size overflows, it is set to 0, and all bodies contribute to the same 3 x 3 cells. */
    if (!isfinite(g.cell))
        g.cell = 0;
    g.inlet = about_inlet(name, &b->meta);
    g.low[0] = fmax(g.low[0], g.inlet);
    for (int d = 0; d < 2; d++)
        g.count[d] = g.cell > 0 ? (int)ceil((high[d] - g.low[d]) / g.cell) + 2 : 3;
    return g;
}

/* Returns the 3 x 3 cells around body i, and their weights. If the body is outside the grid, returns cells at the
 * nearest border of the grid. A body in the inlet thus gets the colour of the gas at the end of the inlet. */
static struct spot spot_of(const struct grid *g, const struct nb_column *pos, uint64_t i)
{
    struct spot s;
    double *const weight[2] = {s.x, s.y};
    int first[2];
    for (int d = 0; d < 2; d++) {
        const double most = g->count[d] - 2, at = g->cell > 0 ? (value_of(pos, i, d) - g->low[d]) / g->cell : 0;
        const double inside = fmin(fmax(at, 0), most), cell = fmin(floor(inside), most - 1), f = inside - cell;
        weight[d][0] = 0.5 * (1 - f) * (1 - f);
        weight[d][1] = 0.5 + f * (1 - f);
        weight[d][2] = 0.5 * f * f;
        first[d] = (int)cell;
    }
    s.first = (uint64_t)first[1] * (uint64_t)g->count[0] + (uint64_t)first[0];
    return s;
}

static void add(double *sum, const struct grid *g, const struct spot *s, double value)
{
    for (uint64_t k = 0; k < 9; k++) {
        double *cell = sum + 2 * (s->first + k / 3 * (uint64_t)g->count[0] + k % 3);
        const double weight = s->y[k / 3] * s->x[k % 3];
        cell[0] += weight;
        cell[1] += weight * value;
    }
}

static double mean_at(const double *sum, const struct grid *g, const struct spot *s)
{
    double weights = 0, values = 0;
    for (uint64_t k = 0; k < 9; k++) {
        const double *cell = sum + 2 * (s->first + k / 3 * (uint64_t)g->count[0] + k % 3);
        const double weight = s->y[k / 3] * s->x[k % 3];
        weights += weight * cell[0];
        values += weight * cell[1];
    }
    return values / weights;
}

/* Adds all bodies to the sums in a->sum. In each of its 3 x 3 cells (spot_of), a body adds its weight to the first sum
 * of the cell, and weight * value to the second sum. Leaves out bodies in the inlet and values that are not finite. One
 * thread adds the bodies in their order, so the sums do not depend on the number of threads. */
static void gather(struct about *a, const struct nb_bodies *b, const char *name, const struct grid *g)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    double value[BLOCK];
    for (uint64_t i0 = 0; i0 < b->n; i0 += BLOCK) {
        const int count = b->n - i0 < BLOCK ? (int)(b->n - i0) : BLOCK;
        quantity_fill(name, b, i0, count, value);
        for (int k = 0; k < count; k++) {
            const struct spot s = spot_of(g, pos, i0 + (uint64_t)k);
            if (isfinite(value[k]) && value_of(pos, i0 + (uint64_t)k, 0) >= g->inlet)
                add(a->sum, g, &s, value[k]);
        }
    }
}

void about_fill(struct about *a, const struct nb_bodies *b, const char *name, double count)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    if (b->n == 0)
        return;
    const struct grid g = grid_of(b, name, count);
    const uint64_t cells = (uint64_t)g.count[0] * (uint64_t)g.count[1];
    a->sum = claimed(remade(a->sum, &a->cells, 2 * cells, sizeof *a->sum), "no memory for the colours");
    a->mean = claimed(remade(a->mean, &a->bodies, b->n, sizeof *a->mean), "no memory for the colours");
    memset(a->sum, 0, 2 * cells * sizeof *a->sum);
    gather(a, b, name, &g);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < b->n; i++) {
        const struct spot s = spot_of(&g, pos, i);
        a->mean[i] = mean_at(a->sum, &g, &s);
        /* A body in the inlet has no mean (0 / 0) if no gas is near the end of the inlet. It gets 0 instead. */
        if (isnan(a->mean[i]) && value_of(pos, i, 0) < g.inlet)
            a->mean[i] = 0;
    }
}

void about_free(struct about *a)
{
    free(a->sum);
    free(a->mean);
}
