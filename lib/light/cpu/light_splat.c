/* Bodies into the pyramid, tile by tile. */
#include "error.h"
#include "light/cpu/light_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double v4d __attribute__((vector_size(32), aligned(16)));

#define BASE_MOST 4 /* of a tile: its cells of that level are still two each way */

/* A tile's own cells of level k and one about them. */
#define SIDE(k)  ((k) < TILE_BITS ? (TILE >> (k)) + 2 : 3)
#define FAR_SIZE (9 * 4)
#define LOCALS   (34 * 34 + 18 * 18 + 10 * 10 + 6 * 6 + 4 * 4 + (LEVELS_MAX - TILE_BITS) * 9)

struct local {        /* what a tile's bodies add up to */
    unsigned touched; /* a bit for each level in use */
    v4d cell[LOCALS];
};

static int offset_of(int k)
{
    static const int offset[] = {0,
                                 34 * 34,
                                 34 * 34 + 18 * 18,
                                 34 * 34 + 18 * 18 + 10 * 10,
                                 34 * 34 + 18 * 18 + 10 * 10 + 6 * 6,
                                 34 * 34 + 18 * 18 + 10 * 10 + 6 * 6 + 4 * 4};
    return k < TILE_BITS ? offset[k] : offset[TILE_BITS] + (k - TILE_BITS) * 9;
}

static void touch(struct local *a, int k)
{
    if (!(a->touched & 1u << k))
        memset(a->cell + offset_of(k), 0, sizeof(v4d) * (size_t)(SIDE(k) * SIDE(k)));
    a->touched |= 1u << k;
}

static void corner_of(const struct work *w, int tile, int *x, int *y)
{
    *x = tile % w->bins.columns * TILE - w->bins.margin;
    *y = tile / w->bins.columns * TILE - w->bins.margin;
}

/* ---- where a tile's bodies are put ---- */

static bool is_inside(const struct work *w, int tile)
{
    int x, y;
    corner_of(w, tile, &x, &y);
    return x >= 0 && y >= 0 && x + TILE <= w->style.width && y + TILE <= w->style.height;
}

/* The highest level below which nothing would stay of light that is put into the tile: there is no need to put it
 * lower, since splines of level k restricted are those of level k + 1. */
static int base_of(const struct work *w, int tile)
{
    int x, y;
    float least = (float)w->most;
    corner_of(w, tile, &x, &y);
    const int i0 = x / NB_LIGHT_NODE, j0 = y / NB_LIGHT_NODE, count = TILE / NB_LIGHT_NODE + 2;
    for (int j = j0; w->style.smooth > 0 && j < j0 + count; j++)
        for (int i = i0; i < i0 + count; i++)
            if (i < w->node_width && j < w->node_height)
                least = fminf(least, w->node[(size_t)j * (size_t)w->node_width + (size_t)i]);
    int base = (int)least < w->levels - 1 ? (int)least : w->levels - 1;
    return w->style.stars > 0 ? 0 : base < BASE_MOST ? base : BASE_MOST;
}

static void light_up(struct work *w, int tile)
{
    const struct bins *s = &w->bins;
    const int column = tile % s->columns, row = tile / s->columns;
    for (int j = row - 1; j <= row + 1; j++)
        for (int i = column - 1; i <= column + 1; i++)
            if (i >= 0 && j >= 0 && i < s->columns && j < s->rows)
                w->tile[j * s->columns + i].lit = true;
}

/* Level 0's cells in a tile, where it has any. */
static void clear_tile(struct work *w, int tile)
{
    const struct level *l = &w->level[0];
    int x, y;
    corner_of(w, tile, &x, &y);
    const int x0 = x < -BORDER ? -BORDER : x, y0 = y < -BORDER ? -BORDER : y;
    const int x1 = x + TILE < l->width + BORDER ? x + TILE : l->width + BORDER;
    const int y1 = y + TILE < l->height + BORDER ? y + TILE : l->height + BORDER;
    for (int j = y0; j < y1 && x0 < x1; j++)
        memset(cell_at(l, l->up, x0, j), 0, sizeof(v4f) * (size_t)(x1 - x0));
}

static void clear_levels(struct work *w)
{
    const struct bins *s = &w->bins;
#pragma omp parallel for schedule(static)
    for (int t = 0; t < s->tiles; t++) {
        if (w->tile[t].lit)
            clear_tile(w, t);
        w->tile[t].lit = false;
    }
    for (int k = 1; k < w->levels; k++) {
        const struct level *l = &w->level[k];
        const int rows = l->height + 2 * BORDER;
#pragma omp parallel for schedule(static)
        for (int y = 0; y < rows; y++)
            memset(l->up + (size_t)y * l->stride, 0, sizeof(v4f) * l->stride);
    }
}

static int make_far(struct work *w, size_t wanted)
{
    if (wanted <= w->far_allocated)
        return 0;
    free(w->far);
    w->far = malloc(wanted * sizeof *w->far);
    w->far_allocated = w->far ? wanted : 0;
    return w->far ? 0 : nb_fail("no memory for the picture");
}

static size_t far_levels(const struct work *w)
{
    return w->levels > TILE_BITS ? (size_t)(w->levels - TILE_BITS) : 0;
}

static int choose_bases(struct work *w, bool perspective)
{
    const struct bins *s = &w->bins;
    int32_t far = 0;
#pragma omp parallel for schedule(static)
    for (int t = 0; t < s->tiles; t++) {
        struct tile *tile = &w->tile[t];
        tile->base = perspective || !is_inside(w, t) ? MIXED : (uint8_t)base_of(w, t);
        tile->far = -1;
    }
    for (int t = 0; t < s->tiles; t++)
        if (w->tile[t].count && w->tile[t].base == MIXED)
            w->tile[t].far = far++;
    return make_far(w, (size_t)far * far_levels(w) * FAR_SIZE);
}

void nb_light_splat_begin(struct work *w, bool perspective)
{
    clear_levels(w);
    w->highest = w->style.smooth > 0 || perspective ? w->levels - 1 : (int)ceil(w->most);
}

/* ---- splats ---- */

struct ink { /* what light carries */
    const struct nb_light_bodies *b;
    const struct bins *s;
    float share;
};

static inline v4f colour_of(const struct ink *ink, size_t i, float level)
{
    const struct nb_light_bodies *b = ink->b;
    const float light = (ink->s->light ? ink->s->light[i] : 1) * ink->share;
    if (b->value)
        return (v4f){light * ink->s->value[i], 0, 0, light};
    const float *c = b->ramp[b->step ? ink->s->step[i] : b->level_step ? b->level_step[(int)(16 * level)] : 0];
    return (v4f){light * c[0], light * c[1], light * c[2], light};
}

/* Places of a tile in units of 2^-PLACE_BITS pixels; a spline's cells begin one before the one that it is in. */
static inline void add_spline(v4d *cell, int side, int k, uint32_t x, uint32_t y, v4f colour)
{
    const uint32_t mask = (1u << (PLACE_BITS + k)) - 1;
    const float unit = 1 / (float)(1u << (PLACE_BITS + k));
    float wx[3], wy[3];
    nb_spline_weights(((float)(x & mask) + 0.5f) * unit - 0.5f, wx);
    nb_spline_weights(((float)(y & mask) + 0.5f) * unit - 0.5f, wy);
    v4d *row = cell + (y >> (PLACE_BITS + k)) * (uint32_t)side + (x >> (PLACE_BITS + k));
    const v4d c = __builtin_convertvector(colour, v4d);
    for (int j = 0; j < 3; j++, row += side) {
        const v4d part = c * (double)wy[j];
        for (int i = 0; i < 3; i++)
            row[i] += part * (double)wx[i];
    }
}

/* All bodies of a tile into level k. */
static void splat_plain(const struct work *w, const struct ink *ink, int tile, int k, struct local *a)
{
    const struct bins *s = &w->bins;
    int left, top;
    corner_of(w, tile, &left, &top);
    touch(a, k);
    v4d *cell = a->cell + offset_of(k);
    const bool by_level = !ink->b->step && ink->b->level_step;
    for (int chunk = 0; chunk < s->chunks; chunk++) {
        const uint32_t *begin = s->begin + (size_t)chunk * ((size_t)s->tiles + 2) + tile;
        const size_t at = (size_t)chunk * (size_t)s->chunk;
        for (size_t i = at + begin[0]; i < at + begin[1]; i++) {
            const uint32_t x = s->place[i] & 0xffff, y = s->place[i] >> 16;
            const float unit = 1 / (float)(1 << PLACE_BITS);
            float level = by_level ? nb_light_level(w, (float)left + (float)x * unit, (float)top + (float)y * unit) : 0;
            add_spline(cell, SIDE(k), k, x, y, colour_of(ink, i, level));
        }
    }
}

static bool holds(const struct level *l, int x, int y)
{
    return x >= 1 - BORDER && y >= 1 - BORDER && x <= l->width + BORDER - 2 && y <= l->height + BORDER - 2;
}

/* Into level k, or the first above it that holds the body, as far as light of that level goes there. x and y as above;
 * high levels have one cell in the tile, whose own place in it is taken into account. */
static void put_from(const struct work *w, int left, int top, int k, float level, uint32_t x, uint32_t y, v4f colour,
                     struct local *a)
{
    int column = left + (int)(x >> PLACE_BITS), row = top + (int)(y >> PLACE_BITS), j = k;
    while (j < w->levels && !holds(&w->level[j], column >> j, row >> j))
        j++;
    float share = j > k ? nb_level_keeps(0, (float)j - level) : 1;
    if (j == w->levels || !(share > 0))
        return;
    touch(a, j);
    const uint32_t mask = (1u << j) - 1; /* pixels of the tile's corner in its cell of level j */
    const uint32_t in_x = ((uint32_t)left & mask) << PLACE_BITS, in_y = ((uint32_t)top & mask) << PLACE_BITS;
    add_spline(a->cell + offset_of(j), SIDE(j), j, x + in_x, y + in_y, colour * share);
}

static void splat_mixed(const struct work *w, const struct ink *ink, int tile, struct local *a)
{
    const struct bins *s = &w->bins;
    const float unit = 1 / (float)(1 << PLACE_BITS);
    int left, top;
    corner_of(w, tile, &left, &top);
    for (int chunk = 0; chunk < s->chunks; chunk++) {
        const uint32_t *begin = s->begin + (size_t)chunk * ((size_t)s->tiles + 2) + tile;
        const size_t at = (size_t)chunk * (size_t)s->chunk;
        for (size_t i = at + begin[0]; i < at + begin[1]; i++) {
            const uint32_t x = s->place[i] & 0xffff, y = s->place[i] >> 16;
            const float raise = s->raise ? (float)s->raise[i] / (1 << RAISE_BITS) : 0;
            const float level =
                fmaxf(raise, nb_light_level(w, (float)left + (float)x * unit, (float)top + (float)y * unit));
            const int k = (int)raise;
            const v4f colour = colour_of(ink, i, level);
            put_from(w, left, top, k, level, x, y, colour * (1 - (raise - (float)k)), a);
            if (raise > (float)k)
                put_from(w, left, top, k + 1, level, x, y, colour * (raise - (float)k), a);
        }
    }
}

/* ---- a tile's sums into the pyramid ---- */

static void flush_level(struct work *w, int tile, int k, const struct local *a)
{
    const struct level *l = &w->level[k];
    int left, top;
    corner_of(w, tile, &left, &top);
    const int x0 = (left >> k) - 1, y0 = (top >> k) - 1, side = SIDE(k);
    const int first = x0 < -BORDER ? -BORDER - x0 : 0;
    const int end = x0 + side > l->width + BORDER ? l->width + BORDER - x0 : side;
    for (int j = 0; j < side; j++) {
        if (y0 + j < -BORDER || y0 + j >= l->height + BORDER)
            continue;
        const v4d *from = a->cell + offset_of(k) + j * side;
        for (int i = first; i < end; i++)
            *cell_at(l, l->up, x0 + i, y0 + j) += __builtin_convertvector(from[i], v4f);
    }
}

static void keep_far(struct work *w, const struct tile *tile, int k, const struct local *a)
{
    float *to = w->far + ((size_t)tile->far * far_levels(w) + (size_t)(k - TILE_BITS)) * FAR_SIZE;
    for (int i = 0; i < FAR_SIZE; i++)
        to[i] = a->touched & 1u << k ? (float)a->cell[offset_of(k) + i / 4][i % 4] : 0;
}

static double light_of(const struct local *a, int k)
{
    v4d sum = {0};
    for (int i = 0; i < SIDE(k) * SIDE(k); i++)
        sum += a->cell[offset_of(k) + i];
    return sum[3];
}

static void splat_tile(struct work *w, const struct ink *ink, int t)
{
    struct local a;
    struct tile *tile = &w->tile[t];
    a.touched = 0;
    if (tile->base == MIXED)
        splat_mixed(w, ink, t, &a);
    else
        splat_plain(w, ink, t, tile->base, &a);
    tile->put = 0;
    for (int k = 0; k < w->levels; k++) {
        if (a.touched & 1u << k) {
            tile->put += light_of(&a, k);
            if (k < TILE_BITS)
                flush_level(w, t, k, &a);
        }
        if (k >= TILE_BITS && tile->far >= 0)
            keep_far(w, tile, k, &a);
    }
}

/* In the order of the tiles. */
static void add_far(struct work *w)
{
    for (int t = 0; t < w->bins.tiles; t++) {
        const struct tile *tile = &w->tile[t];
        int left, top;
        corner_of(w, t, &left, &top);
        for (int k = TILE_BITS; k < w->levels && tile->count && tile->far >= 0; k++) {
            const struct level *l = &w->level[k];
            const float *from = w->far + ((size_t)tile->far * far_levels(w) + (size_t)(k - TILE_BITS)) * FAR_SIZE;
            for (int i = 0; i < 9; i++) {
                int x = (left >> k) - 1 + i % 3, y = (top >> k) - 1 + i / 3;
                if (x >= -BORDER && y >= -BORDER && x < l->width + BORDER && y < l->height + BORDER)
                    *cell_at(l, l->up, x, y) += (v4f){from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]};
            }
        }
    }
}

static void draw_colour(struct work *w, const struct ink *ink, int colour)
{
    const struct bins *s = &w->bins;
    const int columns = (s->columns + 1) / 2, rows = (s->rows + 1) / 2;
#pragma omp parallel for schedule(dynamic, 4)
    for (int k = 0; k < rows * columns; k++) {
        int row = 2 * (k / columns) + colour / 2, column = 2 * (k % columns) + colour % 2;
        if (row < s->rows && column < s->columns && w->tile[row * s->columns + column].count)
            splat_tile(w, ink, row * s->columns + column);
    }
}

int nb_light_splat(struct work *w, const struct nb_light_bodies *b, bool perspective)
{
    const struct ink ink = {b, &w->bins, (float)b->share};
    if (choose_bases(w, perspective))
        return -1;
    for (int t = 0; t < w->bins.tiles; t++)
        if (w->tile[t].count && (w->tile[t].base == 0 || w->tile[t].base == MIXED))
            light_up(w, t);
    for (int colour = 0; colour < 4; colour++)
        draw_colour(w, &ink, colour);
    add_far(w);
    for (int t = 0; t < w->bins.tiles; t++)
        w->put += w->tile[t].count ? w->tile[t].put : 0;
    return 0;
}
