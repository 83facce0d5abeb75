/* light_splat_simd.c - splats the bodies of a tile, for one instruction set. The light of a tile is summed in double
 * precision in a separate array (struct local), which is then added to the pyramid. If a tile has much fewer bodies
 * than cells, their light is added to the pyramid directly. Declared in light_splat.h. */
#include "light/cpu/light_splat.h"

#include "simd/vectors.h"

#include <math.h>
#include <string.h>

#ifdef __AVX2__
#define HALVES 1
#else
#define HALVES 2
#endif
typedef double half_vec __attribute__((vector_size(32 / HALVES), aligned(16)));
typedef float half_single __attribute__((vector_size(16 / HALVES), aligned(8)));

struct sum { /* sums of the channels of one cell */
    half_vec part[HALVES];
};

/* The bodies of a tile give light to SIDE(k) x SIDE(k) cells of level k: the cells of the tile, and one more on each
 * side. If a cell is at least as large as a tile, these are 3 x 3 cells. */
#define SIDE(k) ((k) < TILE_BITS ? (TILE >> (k)) + 2 : 3)
#define LOCALS  (34 * 34 + 18 * 18 + 10 * 10 + 6 * 6 + 4 * 4 + (LEVELS_MAX - TILE_BITS) * 9)

struct local {        /* sums of the bodies of one tile */
    unsigned touched; /* bit k is 1 if touch() has set the cells of level k to zero */
    _Alignas(64) struct sum cell[LOCALS];
};

/* Returns the index in local.cell where level k begins. */
static int offset_of(int k)
{
    int offset = 0;
    for (int j = 0; j < k; j++)
        offset += SIDE(j) * SIDE(j);
    return offset;
}

/* Returns the tile's cells of level k. The first call for a level sets its cells to zero. */
static struct sum *touch(struct local *a, int k)
{
    struct sum *cell = a->cell + offset_of(k);
    if (!(a->touched & 1u << k))
        memset(cell, 0, sizeof *cell * (size_t)(SIDE(k) * SIDE(k)));
    a->touched |= 1u << k;
    return cell;
}

/* Returns the four channels of body number i in the bins: its light times its colour, or (light * value, 0, 0, light)
 * for bodies with `value`. `level`: the level map at the body; it selects the colour if b->level_step is used. */
INLINE v4f colour_of(const struct ink *ink, size_t i, float level)
{
    const struct nb_light_bodies *b = ink->b;
    const uint16_t *step = ink->s->step;
    const float light = ink->s->light ? ink->s->light[i] * ink->share : ink->share;
    if (b->value)
        return (v4f){light * ink->s->value[i], 0, 0, light};
    v4f colour;
    memcpy(&colour, b->ramp[step ? step[i] : b->level_step ? b->level_step[nb_level_step(level)] : 0], 16);
    colour[3] = 1;
    return colour * light;
}

/* The spline of a body at level k covers 3 x 3 cells around the body's cell. Returns the index of the first of these
 * cells. Writes the weights of the three columns to wx and of the three rows to wy. (x, y): position of the body
 * in the tile, in units of 2^-PLACE_BITS pixels. */
INLINE size_t weigh(int k, size_t stride, uint32_t x, uint32_t y, float wx[3], float wy[3])
{
    const uint32_t mask = (1u << (PLACE_BITS + k)) - 1;
    const float unit = 1 / (float)(1u << (PLACE_BITS + k));
    nb_spline_weights(((float)(int32_t)(x & mask) + 0.5f) * unit - 0.5f, wx);
    nb_spline_weights(((float)(int32_t)(y & mask) + 0.5f) * unit - 0.5f, wy);
    return (y >> (PLACE_BITS + k)) * stride + (x >> (PLACE_BITS + k));
}

INLINE void add_spline(struct sum *cell, size_t side, int k, uint32_t x, uint32_t y, v4f colour)
{
    float wx[3], wy[3];
    struct sum *row = cell + weigh(k, side, x, y, wx, wy);
    half_single half[HALVES];
    memcpy(half, &colour, sizeof half);
    for (int h = 0; h < HALVES; h++) {
        const half_vec c = __builtin_convertvector(half[h], half_vec);
        UNROLL(3)
        for (int j = 0; j < 3; j++) {
            const half_vec part = c * (double)wy[j];
            UNROLL(3)
            for (int i = 0; i < 3; i++)
                row[(size_t)j * side + (size_t)i].part[h] += part * (double)wx[i];
        }
    }
}

INLINE void add_at_once(v4f *cell, size_t stride, int k, uint32_t x, uint32_t y, v4f colour)
{
    float wx[3], wy[3];
    v4f *row = cell + weigh(k, stride, x, y, wx, wy);
    for (int j = 0; j < 3; j++, row += stride) {
        const v4f part = colour * wy[j];
        for (int i = 0; i < 3; i++)
            row[i] += part * wx[i];
    }
}

/* ---- all bodies of a tile into the same level ---- */

#define AHEAD 4

struct run { /* indices [first, end) of the bodies of one tile in one chunk */
    size_t first, end;
};

/* Returns the indices of a tile's bodies in a chunk (a group of bodies, sorted by tile). Prefetches the tile's bodies
 * in a later chunk. */
static struct run run_of(const struct bins *s, int chunk, int tile)
{
    const size_t step = (size_t)s->tiles + 2, at = (size_t)chunk * (size_t)s->chunk;
    const uint32_t *begin = s->begin + (size_t)chunk * step + tile;
    if (chunk + 2 * AHEAD < s->chunks)
        __builtin_prefetch(begin + 2 * AHEAD * step);
    if (chunk + AHEAD < s->chunks) {
        const size_t next = at + AHEAD * (size_t)s->chunk + begin[AHEAD * step];
        __builtin_prefetch(s->place + next);
        __builtin_prefetch(s->place + next + 16);
        if (s->step)
            __builtin_prefetch(s->step + next);
        if (s->light)
            __builtin_prefetch(s->light + next);
    }
    return (struct run){at + begin[0], at + begin[1]};
}

/* Returns the value of the level map at (x, y) in a tile: the level of the pyramid in which bodies there are drawn. x
 * and y are relative to the upper left corner of the tile, pixel (left, top), in units of 2^-PLACE_BITS pixels. */
INLINE float level_of(const struct work *w, int left, int top, uint32_t x, uint32_t y)
{
    const float unit = 1 / (float)(1 << PLACE_BITS);
    return nb_light_level(w, (float)left + (float)(int32_t)x * unit, (float)top + (float)(int32_t)y * unit);
}

/* Adds the light of all bodies of a tile to the tile's sums, `a`. Level k gets the fraction 1 - `above` of the light,
 * level k + 1 the fraction `above`. */
static void splat_plain(const struct work *w, const struct ink *ink, int tile, int k, float above, struct local *a)
{
    const struct bins *s = &w->bins;
    int left, top;
    nb_light_corner(w, tile, &left, &top);
    struct sum *cell = touch(a, k), *next = above > 0 ? touch(a, k + 1) : NULL;
    const bool by_level = !ink->s->step && ink->b->level_step;
    const size_t side = SIDE(k), next_side = SIDE(k + 1);
    for (int chunk = 0; chunk < s->chunks; chunk++) {
        const struct run run = run_of(s, chunk, tile);
        for (size_t i = run.first; i < run.end; i++) {
            const uint32_t x = s->place[i] & 0xffff, y = s->place[i] >> 16;
            const v4f colour = colour_of(ink, i, by_level ? level_of(w, left, top, x, y) : 0);
            add_spline(cell, side, k, x, y, colour * (1 - above));
            if (above > 0)
                add_spline(next, next_side, k + 1, x, y, colour * above);
        }
    }
}

/* Adds the light of all bodies of a tile to the pyramid directly. Level k gets the fraction 1 - `above` of the light,
 * level k + 1 the fraction `above`. Returns the sum of the light of these bodies. */
static double splat_at_once(const struct work *w, const struct ink *ink, int tile, int k, float above)
{
    const struct bins *s = &w->bins;
    const struct level *l = &w->level[k];
    int left, top;
    nb_light_corner(w, tile, &left, &top);
    v4f *cell = cell_at(l, l->up, (left >> k) - 1, (top >> k) - 1);
    v4f *next = above > 0 ? cell_at(l + 1, l[1].up, (left >> (k + 1)) - 1, (top >> (k + 1)) - 1) : NULL;
    const bool by_level = !ink->s->step && ink->b->level_step;
    double sum = 0;
    for (int chunk = 0; chunk < s->chunks; chunk++) {
        const struct run run = run_of(s, chunk, tile);
        for (size_t i = run.first; i < run.end; i++) {
            const uint32_t x = s->place[i] & 0xffff, y = s->place[i] >> 16;
            const v4f colour = colour_of(ink, i, by_level ? level_of(w, left, top, x, y) : 0);
            add_at_once(cell, l->stride, k, x, y, colour * (1 - above));
            if (above > 0)
                add_at_once(next, l[1].stride, k + 1, x, y, colour * above);
            sum += (double)colour[3];
        }
    }
    return sum;
}

/* ---- each body into its own levels ---- */

/* Returns whether the level has all 3 x 3 cells of the spline of a body in cell (x, y). */
static bool holds(const struct level *l, int x, int y)
{
    return x >= 1 - BORDER && y >= 1 - BORDER && x <= l->width + BORDER - 2 && y <= l->height + BORDER - 2;
}

/* Returns the highest level in which bodies of a tile are drawn: the maximum of the level map at the nodes (grid
 * points) in and next to the tile. For a tile outside the picture, uses the nearest nodes. */
static float highest_level(const struct work *w, int left, int top)
{
    const int reach = TILE / NB_LIGHT_NODE + 1, columns = w->node_width - 1, rows = w->node_height - 1;
    const int x = left / NB_LIGHT_NODE - 1, y = top / NB_LIGHT_NODE - 1;
    const int x0 = x < 0 ? 0 : x > columns ? columns : x, x1 = x + reach < 0 ? 0 : x + reach;
    const int y0 = y < 0 ? 0 : y > rows ? rows : y, y1 = y + reach < 0 ? 0 : y + reach;
    if (w->style.smooth == 0)
        return (float)w->most;
    float most = 0;
    for (int j = y0; j <= y1 + 1 && j <= rows; j++)
        for (int i = x0; i <= x1 + 1 && i <= columns; i++)
            most = fmaxf(most, w->node[(size_t)j * (size_t)w->node_width + (size_t)i]);
    return most;
}

/* Returns the lowest level from level k on that has all 3 x 3 cells of the spline of a body in pixel (column, row), or
 * w->levels if no level has them. */
INLINE int level_that_holds(const struct work *w, int k, int column, int row)
{
    while (k < w->levels && !holds(&w->level[k], column >> k, row >> k))
        k++;
    return k;
}

/* Returns whether the tile is so far outside the picture that its bodies give no light to the picture. highest: maximum
 * of the level map in the tile. A body gives light only to levels below highest + 1, and only to a level that has all
 * cells of the body's spline. */
static bool is_too_far(const struct work *w, int left, int top, float highest)
{
    /* right, bottom: last column and row of the picture; column, row: the tile's pixel nearest to the picture */
    const int right = w->style.width - 1, bottom = w->style.height - 1;
    const int column = left > right ? left : left + TILE - 1 < 0 ? left + TILE - 1 : 0;
    const int row = top > bottom ? top : top + TILE - 1 < 0 ? top + TILE - 1 : 0;
    return (float)level_that_holds(w, 0, column, row) >= highest + 1;
}

/* Adds a body's light to level k or to a higher level. Let j be the lowest level, from k on, that has all cells of the
 * body's spline.
 * - If j is k, adds all light to level k.
 * - If j is above k, adds to level j the fraction 1 - (j - m) of the light, limited to 0 ... 1, where m is the level in
 *   which the body is drawn. If w->divided is true, adds nothing, because the caller adds the light of other levels in
 *   separate calls.
 * (x, y): position of the body in the tile with the corner (left, top). raise: see struct bins. */
static void put_from(const struct work *w, int left, int top, int k, float raise, uint32_t x, uint32_t y, v4f colour,
                     struct local *a)
{
    const int j = level_that_holds(w, k, left + (int)(x >> PLACE_BITS), top + (int)(y >> PLACE_BITS));
    if (j == w->levels || (w->divided && j > k))
        return;
    if (j > k)
        colour *= nb_level_keeps(0, (float)j - fmaxf(raise, level_of(w, left, top, x, y)));
    if (!(colour[3] > 0))
        return;
    /* in_x, in_y: position of the tile's corner in the cell of level j that contains this corner; unit: 2^-PLACE_BITS
     * pixels */
    const uint32_t mask = (1u << j) - 1;
    const uint32_t in_x = ((uint32_t)left & mask) << PLACE_BITS, in_y = ((uint32_t)top & mask) << PLACE_BITS;
    add_spline(touch(a, j), SIDE(j), j, x + in_x, y + in_y, colour);
}

static void splat_mixed(const struct work *w, const struct ink *ink, int tile, struct local *a)
{
    const struct bins *s = &w->bins;
    const bool by_level = !ink->s->step && ink->b->level_step;
    int left, top;
    nb_light_corner(w, tile, &left, &top);
    if (!s->raise && is_too_far(w, left, top, highest_level(w, left, top)))
        return;
    for (int chunk = 0; chunk < s->chunks; chunk++) {
        const struct run run = run_of(s, chunk, tile);
        for (size_t i = run.first; i < run.end; i++) {
            const uint32_t x = s->place[i] & 0xffff, y = s->place[i] >> 16;
            const float raise = s->raise ? (float)s->raise[i] / (1 << RAISE_BITS) : w->divided ? (float)w->most : 0;
            const int k = (int)raise;
            const float above = raise - (float)k;
            const v4f colour = colour_of(ink, i, by_level ? level_of(w, left, top, x, y) : 0);
            put_from(w, left, top, k, raise, x, y, colour * (1 - above), a);
            if (above > 0)
                put_from(w, left, top, k + 1, raise, x, y, colour * above, a);
        }
    }
}

/* ---- sums of a tile into the pyramid ---- */

/* Adds the tile's sums of light in level k < TILE_BITS to the pyramid. */
static void add_to_level(struct work *w, int tile, int k, const struct local *a)
{
    const struct level *l = &w->level[k];
    int left, top;
    nb_light_corner(w, tile, &left, &top);
    const int x0 = (left >> k) - 1, y0 = (top >> k) - 1, side = SIDE(k);
    const int first = x0 < -BORDER ? -BORDER - x0 : 0;
    const int end = x0 + side > l->width + BORDER ? l->width + BORDER - x0 : side;
    for (int j = 0; j < side; j++) {
        if (y0 + j < -BORDER || y0 + j >= l->height + BORDER)
            continue;
        const struct sum *from = a->cell + offset_of(k) + j * side;
        half_single *to = (half_single *)cell_at(l, l->up, x0 + first, y0 + j);
        for (int i = first; i < end; i++)
            for (int h = 0; h < HALVES; h++)
                *to++ += __builtin_convertvector(from[i].part[h], half_single);
    }
}

/* Stores the sums of level k >= TILE_BITS in the tile's block of work.far, which is added to the pyramid later. */
static void keep_far(struct work *w, const struct tile *tile, int k, const struct local *a)
{
    float *to = w->far + ((size_t)tile->far * nb_light_far_levels(w) + (size_t)(k - TILE_BITS)) * FAR_SIZE;
    const double *from = (const double *)(a->cell + offset_of(k));
    for (int i = 0; i < FAR_SIZE; i++)
        to[i] = a->touched & 1u << k ? (float)from[i] : 0;
}

/* Returns the sum of the light over the tile's cells of level k. */
static double light_of(const struct local *a, int k)
{
    half_vec sum = {0};
    for (int i = 0; i < SIDE(k) * SIDE(k); i++)
        sum += a->cell[offset_of(k) + i].part[HALVES - 1];
    return sum[4 / HALVES - 1];
}

static void splat(struct work *w, const struct ink *ink, int t)
{
    struct local a;
    struct tile *tile = &w->tile[t];
    const float above = w->divided ? (float)w->most - floorf((float)w->most) : 0;
    a.touched = 0;
    tile->put = 0;
    if (tile->base == MIXED)
        splat_mixed(w, ink, t, &a);
    else if (tile->count < (unsigned)(SIDE(tile->base) * SIDE(tile->base)) / 4)
        tile->put = splat_at_once(w, ink, t, tile->base, above);
    else
        splat_plain(w, ink, t, tile->base, above, &a);
    for (int k = 0; k < w->levels; k++) {
        if (a.touched & 1u << k) {
            tile->put += light_of(&a, k);
            if (k < TILE_BITS)
                add_to_level(w, t, k, &a);
        }
        if (k >= TILE_BITS && tile->far >= 0)
            keep_far(w, tile, k, &a);
    }
}

#define SET PASTE(nb_light_, SET_WORD)

extern const struct nb_light_set SET;
const struct nb_light_set SET = {splat};
