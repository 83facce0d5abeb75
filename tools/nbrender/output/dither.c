/* Computes a tile of thresholds for dithering: blue noise from the void-and-cluster method. */
#include "nbrender/output/output.h"

#define SIDE   DITHER_SIDE
#define PLACES (SIDE * SIDE)
#define FIRST  (PLACES / 10) /* number of pixels that are set in the initial pattern */
#define SIGMA  1.5           /* width of the Gaussian kernel, pixels */

struct pattern {
    bool set[PLACES];
    /* density of set pixels around this pixel: the sum of the Gaussian kernels of all set pixels */
    float crowd[PLACES];
};

static float near[PLACES];         /* near[y * SIDE + x]: Gaussian kernel at distance (x, y) in the periodic tile */
static float tile[SIDE][2 * SIDE]; /* thresholds; each row is stored twice, so that a row may begin at any column */
static uint16_t steps[SIDE][2 * SIDE];

#define EIGHT(x) x, x, x, x, x, x, x, x
#define ALL(x)   EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x)
static const float half[SIDE] = {ALL(0.5f)};
static const uint16_t half_step[SIDE] = {ALL(128)};

static void fill_near(void)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int dx = x < SIDE / 2 ? x : SIDE - x, dy = y < SIDE / 2 ? y : SIDE - y;
            near[y * SIDE + x] = (float)exp(-(dx * dx + dy * dy) / (2 * SIGMA * SIGMA));
        }
}

static void toggle(struct pattern *p, int at)
{
    p->set[at] = !p->set[at];
    const float sign = p->set[at] ? 1 : -1;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            p->crowd[y * SIDE + x] += sign * near[((y - at / SIDE) & (SIDE - 1)) * SIDE + ((x - at) & (SIDE - 1))];
}

/* If `set` is true, returns the pixel with the largest density among the pixels that are set. If it is false, returns
 * the pixel with the lowest density among the other pixels. */
static int extreme(const struct pattern *p, bool set)
{
    int found = -1;
    for (int k = 0; k < PLACES; k++)
        if (p->set[k] == set && (found < 0 || (set ? p->crowd[k] > p->crowd[found] : p->crowd[k] < p->crowd[found])))
            found = k;
    return found;
}

/* Sets random pixels. Then moves set pixels from clusters (large density) to voids (low density) until none moves. */
static void begin(struct pattern *p)
{
    uint32_t random = 1;
    for (int count = 0; count < FIRST;) {
        random = 1664525 * random + 1013904223; /* generator of Numerical Recipes; its quality does not matter */
        int at = (int)(random >> 16) % PLACES;
        if (!p->set[at])
            toggle(p, at), count++;
    }
    for (int moves = 0; moves < PLACES; moves++) {
        int from = extreme(p, true);
        toggle(p, from);
        int to = extreme(p, false);
        toggle(p, to);
        if (from == to)
            return;
    }
}

static void set_rank(int at, int rank)
{
    const int y = at / SIDE, x = at % SIDE;
    tile[y][x] = tile[y][x + SIDE] = ((float)rank + 0.5f) / PLACES;
    steps[y][x] = steps[y][x + SIDE] = (uint16_t)(rank * 256 / PLACES);
}

/* Gives each pixel a rank, from which its threshold is computed. The ranks are given in two passes. Each pass starts
 * from the initial pattern, in which FIRST pixels are set:
 * - Ranks FIRST - 1 down to 0: the set pixel with the largest density gets the next rank and is cleared.
 * - Ranks FIRST and up: the pixel with the lowest density that is not set gets the next rank and is set. */
static void make_tile(void)
{
    static struct pattern first, rest;
    fill_near();
    begin(&first);
    rest = first;
    for (int rank = FIRST - 1; rank >= 0; rank--) {
        int at = extreme(&first, true);
        toggle(&first, at);
        set_rank(at, rank);
    }
    for (int rank = FIRST; rank < PLACES; rank++) {
        int at = extreme(&rest, false);
        toggle(&rest, at);
        set_rank(at, rank);
    }
}

void dither_prepare(void)
{
    static bool made;
    if (!made)
        make_tile();
    made = true;
}

/* Each channel reads the tile at a different offset, so that errors of the channels are not correlated. */
const float *dither_row(bool dithered, int channel, int y)
{
    return dithered ? tile[(y + 13 * channel) % SIDE] + 11 * channel : half;
}

const uint16_t *dither_steps(bool dithered, int channel, int y)
{
    return dithered ? steps[(y + 13 * channel) % SIDE] + 11 * channel : half_step;
}
