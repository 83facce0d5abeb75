/* contact_cpu_grid.c - finds partners (disks that may touch) with a uniform grid on the CPU. Declared in contact_cpu.h.
 *
 * Cells are at least as wide as the maximum distance of partners. The partners of a disk are therefore in its own cell
 * and in the adjacent cells. The table of cells is small even if disks are far apart, because distant cells share an
 * entry: along each axis, the entry is (index of the cell) modulo (length of the table). A test of the distance
 * excludes disks of distant cells. */
#include "force/contact/cpu/contact_cpu.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define EDGE 1.000001 /* (minimum width of a cell) / (maximum distance of partners); above 1 because of rounding */
/* maximum distance of a disk from the first cell, in cells. Disks farther away get no cell and no partners, because the
 * index of their cell would not be exact in double precision. */
#define FARTHEST 0x1p52
#define NO_CELL  UINT32_MAX
#define PARTS    64  /* number of ranges of disks that threads sort in parallel */
#define BUCKETS  256 /* number of buckets (ranges of cells): disks are sorted by bucket, then by cell in each bucket */

/* ---- cells ---- */

static void bounds(const struct nb_contact_input *in, double low[2], double high[2])
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min : x0, y0) reduction(max : x1, y1) if (in->n > NB_CONTACT_SERIAL)
    for (uint64_t i = 0; i < in->n; i++) {
        const double x = nb_contact_at(in, 0, i), y = nb_contact_at(in, 1, i);
        x0 = x < x0 ? x : x0, x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0, y1 = y > y1 ? y : y1;
    }
    low[0] = x0, low[1] = y0, high[0] = x1, high[1] = y1;
}

/* Chooses the number and the width of the cells along axis k. low, high: range of the disks' coordinates. */
static void place_axis(struct nb_contact_grid *g, const struct nb_scene *scene, int k, double low, double high)
{
    const double edge = g->distance * EDGE;
    g->periodic[k] = scene->periodic[k];
    if (g->periodic[k]) {
        const double length = scene->high[k] - scene->low[k];
        g->low[k] = scene->low[k];
        g->cells[k] = (uint32_t)fmin(fmax(floor(length / edge), 1), 1 << 20);
        g->inverse[k] = g->cells[k] / length;
        return;
    }
    /* The grid begins at the low side of the box, or at 0 if there is no box. If it began at the lowest coordinate of
     * all disks, a single distant disk would reduce the accuracy of all cell coordinates. */
    g->low[k] = scene->boxed ? scene->low[k] : 0;
    g->inverse[k] = 1 / edge;
    for (g->cells[k] = 1; g->cells[k] < 1 << 20 && g->cells[k] < (high - low) / edge + 1;)
        g->cells[k] *= 2;
}

static void place_cells(struct nb_contact_grid *g, const struct nb_scene *scene, const struct nb_contact_input *in)
{
    double low[2], high[2];
    bounds(in, low, high);
    for (int k = 0; k < 2; k++)
        place_axis(g, scene, k, low[k], high[k]);
    while ((uint64_t)g->cells[0] * g->cells[1] > 4 * in->n + 64) {
        const int k = g->cells[1] > g->cells[0];
        g->cells[k] /= 2;
        if (g->periodic[k])
            g->inverse[k] = g->cells[k] / (scene->high[k] - scene->low[k]);
    }
}

/* Returns the index along axis k of the cell that contains the coordinate x; NO_CELL if x is too large or NaN. */
static uint32_t along(const struct nb_contact_grid *g, int k, double x)
{
    const double u = floor((x - g->low[k]) * g->inverse[k]), cells = g->cells[k];
    if (!(fabs(u) < FARTHEST))
        return NO_CELL;
    const double place = u - cells * floor(u / cells);
    return place < 0 ? 0 : place < cells ? (uint32_t)place : g->cells[k] - 1;
}

static uint32_t cell_of(const struct nb_contact_grid *g, const struct nb_contact_input *in, uint64_t i)
{
    const uint32_t cx = along(g, 0, nb_contact_at(in, 0, i)), cy = along(g, 1, nb_contact_at(in, 1, i));
    return cx == NO_CELL || cy == NO_CELL ? NO_CELL : cy * g->cells[0] + cx;
}

static int reserve(struct nb_contact_grid *g, uint64_t n)
{
    const uint64_t cells = (uint64_t)g->cells[0] * g->cells[1];
    if (n > UINT32_MAX - 1)
        return nb_fail("contact forces of %llu disks: the maximum is %u", (unsigned long long)n, UINT32_MAX - 1);
    if (g->cell_capacity < cells + 1) {
        free(g->begin);
        g->cell_capacity = (g->begin = malloc((cells + 1) * sizeof *g->begin)) ? cells + 1 : 0;
    }
    if (g->capacity < n) {
        free(g->cell), free(g->order), free(g->bucketed), free(g->x), free(g->y);
        g->cell = malloc(n * sizeof *g->cell);
        g->order = malloc(n * sizeof *g->order);
        g->bucketed = malloc(n * sizeof *g->bucketed);
        g->x = malloc(n * sizeof *g->x);
        g->y = malloc(n * sizeof *g->y);
        g->capacity = g->cell && g->order && g->bucketed && g->x && g->y ? n : 0;
    }
    return g->cell_capacity > cells && g->capacity >= n ? 0 : nb_fail("no memory for a grid of disks");
}

/* ---- sorting by cells: first into buckets of consecutive cells, then within each bucket ----
 *
 * Both sorts are stable, so that the result does not depend on the number of threads. */

static uint64_t part_begin(const struct nb_contact_input *in, uint64_t part, uint64_t parts)
{
    return in->n / parts * part + in->n % parts * part / parts;
}

/* Computes the indices in g->bucketed at which fill_buckets will write the disks. The disks there are sorted by bucket
 * (a range of `width` cells). Within a bucket they are sorted by part: the disks are divided into `parts` parts of
 * consecutive disks. bucket[b]: first index of bucket b. first[p][b]: first index of the disks of part p in it. */
static void count_buckets(const struct nb_contact_grid *g, const struct nb_contact_input *in, uint64_t parts,
                          uint32_t width, uint32_t (*first)[BUCKETS], uint32_t bucket[BUCKETS + 1])
{
#pragma omp parallel for schedule(static) if (parts > 1)
    for (uint64_t p = 0; p < parts; p++) {
        memset(first[p], 0, sizeof *first);
        for (uint64_t i = part_begin(in, p, parts); i < part_begin(in, p + 1, parts); i++)
            if (g->cell[i] != NO_CELL)
                first[p][g->cell[i] / width]++;
    }
    uint32_t sum = 0;
    for (int b = 0; b < BUCKETS; b++) {
        bucket[b] = sum;
        for (uint64_t p = 0; p < parts; p++) {
            const uint32_t count = first[p][b];
            first[p][b] = sum;
            sum += count;
        }
    }
    bucket[BUCKETS] = sum;
}

static void fill_buckets(struct nb_contact_grid *g, const struct nb_contact_input *in, uint64_t parts, uint32_t width,
                         uint32_t (*next)[BUCKETS])
{
#pragma omp parallel for schedule(static) if (parts > 1)
    for (uint64_t p = 0; p < parts; p++)
        for (uint64_t i = part_begin(in, p, parts); i < part_begin(in, p + 1, parts); i++)
            if (g->cell[i] != NO_CELL)
                g->bucketed[next[p][g->cell[i] / width]++] = (uint32_t)i;
}

/* Sorts the disks of cells [c0, c1) by cell (counting sort), and sets `begin` for these cells. The disks are
 * bucketed[i0] to bucketed[i1 - 1]. */
static void sort_bucket(struct nb_contact_grid *g, const struct nb_contact_input *in, uint64_t c0, uint64_t c1,
                        uint32_t i0, uint32_t i1)
{
    uint32_t sum = i0;
    for (uint64_t c = c0; c < c1; c++)
        g->begin[c] = 0;
    for (uint32_t k = i0; k < i1; k++)
        g->begin[g->cell[g->bucketed[k]]]++;
    for (uint64_t c = c0; c < c1; c++)
        g->begin[c] = sum += g->begin[c];
    for (uint32_t k = i1; k-- > i0;) { /* from the last disk to the first, so that the indices in a cell ascend */
        const uint32_t i = g->bucketed[k], to = --g->begin[g->cell[i]];
        g->order[to] = i;
        g->x[to] = nb_contact_at(in, 0, i);
        g->y[to] = nb_contact_at(in, 1, i);
    }
}

static int sort(struct nb_contact_grid *g, const struct nb_scene *scene, const struct nb_contact_input *in)
{
    uint32_t first[PARTS][BUCKETS], bucket[BUCKETS + 1];
    place_cells(g, scene, in);
    if (reserve(g, in->n))
        return -1;
    const uint64_t cells = (uint64_t)g->cells[0] * g->cells[1], parts = in->n > NB_CONTACT_SERIAL ? PARTS : 1;
    const uint32_t width = (uint32_t)(cells / BUCKETS + 1);
#pragma omp parallel for schedule(static) if (parts > 1)
    for (uint64_t i = 0; i < in->n; i++)
        g->cell[i] = cell_of(g, in, i);
    count_buckets(g, in, parts, width, first, bucket);
    fill_buckets(g, in, parts, width, first);
#pragma omp parallel for schedule(dynamic) if (parts > 1)
    for (uint64_t b = 0; b < BUCKETS; b++) {
        const uint64_t c0 = b * width, c1 = c0 + width;
        sort_bucket(g, in, c0 < cells ? c0 : cells, c1 < cells ? c1 : cells, bucket[b], bucket[b + 1]);
    }
    g->begin[cells] = bucket[BUCKETS];
    return 0;
}

/* Writes to `to` the cell `place` and its adjacent cells along an axis, each cell once. Returns the number of cells. */
static int neighbours(uint32_t place, uint32_t cells, uint32_t to[3])
{
    int count = 0;
    if (cells > 2)
        to[count++] = place > 0 ? place - 1 : cells - 1;
    to[count++] = place;
    if (cells > 1)
        to[count++] = place + 1 < cells ? place + 1 : 0;
    return count;
}

/* Finds the partners of disk i in a cell, and appends them to part->partner. x, y: position of disk i. Returns false if
 * there is no memory. */
static bool search_cell(const struct nb_contact_grid *g, const struct nb_contact_input *in, uint32_t cell, uint32_t i,
                        double x, double y, struct nb_contact_part *part)
{
    const struct nb_contact_law_double *law = &g->law;
    const uint32_t begin = g->begin[cell], end = g->begin[cell + 1];
    if (!nb_contact_part_grow(part, end - begin))
        return false;
    part->looks += end - begin;
    for (uint32_t k = begin; k < end; k++) {
        const double dx = nb_contact_shortest_double(law, 0, x - g->x[k]);
        const double dy = nb_contact_shortest_double(law, 1, y - g->y[k]), d2 = dx * dx + dy * dy;
        if (d2 < g->distance * g->distance && g->order[k] != i &&
            (!in->radius || nb_contact_in_margin(in, g->margin, i, g->order[k], d2)))
            part->partner[part->count++] = g->order[k];
    }
    return true;
}

static bool search(const void *context, const struct nb_contact_input *in, uint32_t i, struct nb_contact_part *part)
{
    const struct nb_contact_grid *g = context;
    const double x = nb_contact_at(in, 0, i), y = nb_contact_at(in, 1, i);
    uint32_t cx[3], cy[3];
    if (g->cell[i] == NO_CELL)
        return true;
    const int nx = neighbours(g->cell[i] % g->cells[0], g->cells[0], cx);
    const int ny = neighbours(g->cell[i] / g->cells[0], g->cells[1], cy);
    for (int b = 0; b < ny; b++)
        for (int a = 0; a < nx; a++)
            if (!search_cell(g, in, cy[b] * g->cells[0] + cx[a], i, x, y, part))
                return false;
    return true;
}

int nb_contact_grid_search(struct nb_contact_grid *g, const struct nb_contact *contact,
                           const struct nb_contact_input *in, double distance, struct nb_contact_rows *rows)
{
    g->distance = distance;
    g->margin = distance - 2 * contact->scene.radius;
    g->law = nb_contact_double_of(&contact->scene, 0);
    if (sort(g, &contact->scene, in))
        return -1;
    return nb_contact_rows_fill(rows, in, search, g);
}

void nb_contact_grid_free(struct nb_contact_grid *g)
{
    free(g->begin);
    free(g->cell);
    free(g->order);
    free(g->bucketed);
    free(g->x);
    free(g->y);
    *g = (struct nb_contact_grid){0};
}
