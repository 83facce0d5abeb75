/* light_bins.c - projects bodies and sorts them by tile. Each chunk of bodies is sorted separately, so that its data
 * stay in the second-level cache. The bodies of a tile are therefore spread over several chunks. Declared in
 * light_cpu.h. */
#include "base/error.h"
#include "light/cpu/light_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK       32768
#define CHUNK_LEAST 4096
/* wanted number of chunks; but a chunk has at least CHUNK_LEAST bodies and at most CHUNK bodies */
#define CHUNKS 64
#define BLOCK  NB_LIGHT_PIECE

/* Returns the x (or y) coordinate, in pixels, up to which the tiles must extend: to the end of the margin after the
 * picture, and to the end of all cells of the highest level. size: number of pixels of the picture in x (or y). */
static int far_edge(const struct work *w, int size)
{
    const int top = w->levels - 1, end = (nb_level_cells(size, top) + 2) << top;
    return end > size + w->bins.margin ? end : size + w->bins.margin;
}

int nb_light_bins_open(struct work *w)
{
    struct bins *s = &w->bins;
    int reach = 2 << (w->levels - 1); /* pixels; a body farther than `reach` from the picture adds light to no cell */
    s->margin = reach < TILE ? TILE : reach;
    s->columns = (s->margin + far_edge(w, w->style.width) + TILE - 1) / TILE;
    s->rows = (s->margin + far_edge(w, w->style.height) + TILE - 1) / TILE;
    s->tiles = s->columns * s->rows;
    w->tile = calloc((size_t)s->tiles, sizeof *w->tile);
    for (int t = 0; t < s->tiles && w->tile; t++)
        w->tile[t].lowest = DARK;
    return w->tile ? 0 : nb_fail("no memory for the picture");
}

static void free_records(struct bins *s)
{
    free(s->place);
    free(s->step);
    free(s->raise);
    free(s->light);
    free(s->value);
    s->place = NULL;
    s->step = s->raise = NULL;
    s->light = s->value = NULL;
    s->allocated = 0;
}

void nb_light_bins_close(struct work *w)
{
    free_records(&w->bins);
    free(w->bins.begin);
    free(w->tile);
}

/* If `wanted`, allocates an array of n elements of `size` bytes, unless it is allocated already. If not wanted, frees
 * it. column: address of the pointer to the array. Returns false if memory is short. */
static bool allocate(void *column, bool wanted, uint64_t n, size_t size)
{
    void **p = column;
    if (!wanted) {
        free(*p);
        *p = NULL;
    } else if (!*p) {
        *p = malloc((size_t)n * size);
    }
    return !wanted || *p;
}

/* Chooses the size and number of chunks for n bodies, and allocates the records of the bodies. */
static int make_room(struct bins *s, const struct nb_light_bodies *b, bool perspective, uint64_t n)
{
    s->chunk = (int)((n / CHUNKS + 1023) / 1024 * 1024);
    s->chunk = s->chunk < CHUNK_LEAST ? CHUNK_LEAST : s->chunk > CHUNK ? CHUNK : s->chunk;
    s->chunks = (int)((n + (uint64_t)s->chunk - 1) / (uint64_t)s->chunk);
    size_t begins = (size_t)s->chunks * ((size_t)s->tiles + 2);
    if (begins > s->begins) {
        free(s->begin);
        s->begin = malloc(begins * sizeof *s->begin);
        s->begins = s->begin ? begins : 0;
    }
    if (n > s->allocated)
        free_records(s);
    s->allocated = s->allocated > n ? s->allocated : n;
    uint64_t room = s->allocated;
    if (s->begins && allocate(&s->place, true, room, sizeof *s->place) &&
        allocate(&s->step, nb_light_has_step(b), room, sizeof *s->step) &&
        allocate(&s->raise, perspective, room, sizeof *s->raise) &&
        allocate(&s->light, nb_light_has_light(b) || perspective, room, sizeof *s->light) &&
        allocate(&s->value, b->value, room, sizeof *s->value))
        return 0;
    free_records(s);
    return nb_fail("no memory to draw %llu bodies", (unsigned long long)n);
}

struct chunk { /* the projected bodies of one chunk, not sorted yet */
    uint32_t tile[CHUNK], place[CHUNK];
    float near[CHUNK];
    float own[CHUNK];   /* light that nb_light_fill computed */
    const float *light; /* light of the chunk's bodies; NULL: every body has light 1 */
};

/* Writes to tile[k] the tile of the projected body at (x[k], y[k]) in pixels, or s->tiles if the body is in no tile.
 * Writes to place[k] the position in the tile (bins.place). */
static void find_tiles(const struct bins *s, const double *restrict x, const double *restrict y, int count,
                       uint32_t *restrict tile, uint32_t *restrict place)
{
    const double unit = 1 << PLACE_BITS, margin = s->margin;
    const double right = (double)s->columns * TILE, bottom = (double)s->rows * TILE;
    const int columns = s->columns, none = s->tiles;
    for (int k = 0; k < count; k++) {
        double u = x[k] + margin, v = y[k] + margin;
        bool inside = (u >= 0) & (v >= 0) & (u < right) & (v < bottom); /* false for NAN */
        int32_t i = (int32_t)((inside ? u : 0) * unit), j = (int32_t)((inside ? v : 0) * unit);
        int column = i >> (PLACE_BITS + TILE_BITS), row = j >> (PLACE_BITS + TILE_BITS);
        tile[k] = (uint32_t)(inside ? row * columns + column : none);
        place[k] = ((uint32_t)i & 0xffff) | (uint32_t)j << 16;
    }
}

/* Sets c->light to the light of bodies i0 to i0 + count - 1, or to NULL if every body has light 1. */
static void find_light(struct chunk *c, const struct nb_light_bodies *b, uint64_t i0, int count)
{
    c->light = !nb_light_has_light(b) ? NULL : b->fill ? c->own : b->light + i0;
    for (int at = 0; c->light == c->own && at < count; at += BLOCK)
        b->fill(b->context, i0 + (uint64_t)at, count - at < BLOCK ? count - at : BLOCK, c->own + at, NULL);
}

/* Assigns bodies that cannot be drawn to tile s->tiles: bodies whose light is 0 or negative, and bodies whose light or
 * |value| is NaN or above NB_LIGHT_MOST. Light here includes the effect of perspective. */
static void drop_dark(const struct bins *s, const struct nb_light_bodies *b, uint64_t i0, int count, bool perspective,
                      struct chunk *c)
{
    for (int k = 0; k < count; k++) {
        float light = (c->light ? c->light[k] : 1) * (perspective ? c->near[k] * c->near[k] : 1) * (float)b->share;
        bool bad = b->value && !(fabsf(b->value[i0 + (uint64_t)k]) <= NB_LIGHT_MOST);
        if (bad || !(light > 0 && light <= NB_LIGHT_MOST))
            c->tile[k] = (uint32_t)s->tiles;
    }
}

/* Writes the colours of `count` bodies to the array `to`, as indices in nb_light_bodies.ramp. The index for body i0 + k
 * is written to to[sorted[k]]. */
static void store_steps(const struct nb_light_bodies *b, uint64_t i0, int count, const uint32_t *sorted, uint16_t *to)
{
    uint16_t own[BLOCK];
    for (int at = 0; at < count; at += BLOCK) {
        const int block = count - at < BLOCK ? count - at : BLOCK;
        const uint16_t *step = b->fill ? own : b->step + i0 + at;
        if (b->fill)
            b->fill(b->context, i0 + (uint64_t)at, block, NULL, own);
        for (int k = 0; k < block; k++)
            to[sorted[at + k]] = step[k];
    }
}

/* Counting sort of one chunk by tile. Replaces tile[k], the tile of body k, by the index of the body's sorted record.
 * The records of tile t have the indices begin[t] to begin[t + 1] - 1. */
static void sort_tiles(const struct bins *s, int count, uint32_t *tile, uint32_t *begin)
{
    memset(begin, 0, sizeof *begin * ((size_t)s->tiles + 2));
    for (int k = 0; k < count; k++)
        begin[tile[k] + 1]++;
    uint32_t sum = 0;
    for (int t = 0; t <= s->tiles; t++) {
        uint32_t here = begin[t + 1];
        begin[t + 1] = sum;
        sum += here;
    }
    for (int k = 0; k < count; k++)
        tile[k] = begin[tile[k] + 1]++;
}

/* Returns log2(near), limited to the range from 0 to levels - 1, times 2^RAISE_BITS. near: factor by which perspective
 * enlarges a body. The light of the body is put into the two levels next to log2(near), not into level 0. */
static uint16_t raise_of(float near, int levels)
{
    float raise = near > 1 ? log2f(near) : 0, most = (float)(levels - 1);
    return (uint16_t)((raise < most ? raise : most) * (1 << RAISE_BITS));
}

/* Projects the bodies of chunk `number`, sorts them by tile and stores their records. If `counts` is true, the caller
 * only counts bodies, and colours are not stored. */
static void fill_chunk(struct work *w, const struct nb_view *view, const struct nb_light_bodies *b, uint64_t first,
                       uint64_t end, int number, bool counts)
{
    struct bins *s = &w->bins;
    struct chunk c;
    double x[BLOCK], y[BLOCK];
    const bool perspective = view->inverse_distance != 0, checks = nb_light_has_light(b) || b->value || perspective;
    const uint64_t i0 = first + (uint64_t)number * (uint64_t)s->chunk;
    const int count = end - i0 < (uint64_t)s->chunk ? (int)(end - i0) : s->chunk;
    for (int at = 0; at < count; at += BLOCK) {
        int block = count - at < BLOCK ? count - at : BLOCK;
        nb_view_project(view, b->pos, i0 + (uint64_t)at, block, x, y, perspective ? c.near + at : NULL);
        find_tiles(s, x, y, block, c.tile + at, c.place + at);
    }
    find_light(&c, b, i0, count);
    if (checks)
        drop_dark(s, b, i0, count, perspective, &c);
    sort_tiles(s, count, c.tile, s->begin + (size_t)number * ((size_t)s->tiles + 2));
    const size_t to = (size_t)number * (size_t)s->chunk;
    for (int k = 0; k < count; k++)
        s->place[to + c.tile[k]] = c.place[k];
    if (s->step && !counts)
        store_steps(b, i0, count, c.tile, s->step + to);
    for (int k = 0; b->value && k < count; k++)
        s->value[to + c.tile[k]] = b->value[i0 + (uint64_t)k];
    for (int k = 0; perspective && k < count; k++)
        s->raise[to + c.tile[k]] = raise_of(c.near[k], w->levels);
    for (int k = 0; s->light && k < count; k++)
        s->light[to + c.tile[k]] = (c.light ? c.light[k] : 1) * (perspective ? c.near[k] * c.near[k] : 1);
}

static void count_tiles(struct work *w)
{
    const struct bins *s = &w->bins;
#pragma omp parallel for schedule(static)
    for (int t = 0; t < s->tiles; t++)
        w->tile[t].count = 0;
#pragma omp parallel for schedule(static)
    for (int row = 0; row < s->rows; row++)
        for (int k = 0; k < s->chunks; k++) {
            const uint32_t *begin = s->begin + (size_t)k * ((size_t)s->tiles + 2);
            for (int t = row * s->columns; t < (row + 1) * s->columns; t++)
                w->tile[t].count += begin[t + 1] - begin[t];
        }
}

int nb_light_bins_fill(struct work *w, const struct nb_view *view, const struct nb_light_bodies *b, uint64_t i0,
                       uint64_t n, bool counts)
{
    struct bins *s = &w->bins;
    if (make_room(s, b, view->inverse_distance != 0, n))
        return -1;
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < s->chunks; k++)
        fill_chunk(w, view, b, i0, i0 + n, k, counts);
    count_tiles(w);
    return 0;
}
