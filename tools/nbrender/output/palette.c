/* Chooses a palette with median cut (Heckbert 1982): divides the sampled colours into boxes. In each step, the box with
 * the largest squared error is cut into two at its mean (as in Wu 1991). Colours have levels of 0 to 255. */
#include "nbrender/output/palette.h"

#define LOOKED_AT (1 << 19) /* maximum number of sampled pixels */
#define CELL_SIDE 32        /* number of cells along each side of the colour cube; cells of dark colours are smaller */
/* maximum number of samples taken from one cell, so that frequent colours do not displace rare colours */
#define CELL_MOST 600
/* number of corners of the colour cube; all are in the palette, because dithering can form any colour from them */
#define CORNERS 8

static const int weight[3] = {2, 4, 3}; /* visual weight of differences in red, green and blue */

struct box {
    size_t begin, count; /* index of the box's first sample in `sample`, and number of its samples */
    double mean[3], error[3];
};

struct cut {
    uint8_t (*sample)[3];
    size_t count;
    /* cell[level]: index, 0 to CELL_SIDE - 1, of the cell that contains this level of red, green or blue */
    uint8_t cell[256];
    uint16_t taken[CELL_SIDE][CELL_SIDE][CELL_SIDE];
    struct box box[PALETTE_MAX];
};

/* ---- samples ---- */

static void add_sample(struct cut *c, const uint8_t level[3])
{
    uint16_t *taken = &c->taken[c->cell[level[0]]][c->cell[level[1]]][c->cell[level[2]]];
    if (*taken == CELL_MOST)
        return;
    ++*taken;
    memcpy(c->sample[c->count++], level, 3);
}

static bool is_black(const uint8_t level[3])
{
    return !(level[0] | level[1] | level[2]);
}

/* Takes samples from those pixels of the pictures that are not black. */
static void take_samples(struct cut *c, const uint8_t *const *pictures, int count, size_t pixels)
{
    size_t lit = 0, seen = 0;
    for (int n = 0; n < count; n++)
        for (size_t k = 0; k < pixels; k++)
            lit += !is_black(pictures[n] + 3 * k);
    const size_t every = lit / LOOKED_AT + 1;
    for (int k = 0; k < 256; k++)
        c->cell[k] = (uint8_t)(CELL_SIDE * sqrt(k / 256.0));
    for (int n = 0; n < count; n++)
        for (size_t k = 0; k < pixels; k++) {
            const uint8_t *level = pictures[n] + 3 * k;
            if (is_black(level) || seen++ % every)
                continue;
            add_sample(c, level);
        }
}

/* ---- boxes ---- */

static void measure(const struct cut *c, struct box *b)
{
    double sum[3] = {0}, square[3] = {0};
    for (size_t k = b->begin; k < b->begin + b->count; k++)
        for (int d = 0; d < 3; d++) {
            sum[d] += c->sample[k][d];
            square[d] += c->sample[k][d] * c->sample[k][d];
        }
    for (int d = 0; d < 3; d++) {
        b->mean[d] = sum[d] / (double)b->count;
        b->error[d] = weight[d] * (square[d] - sum[d] * b->mean[d]);
    }
}

static double error_of(const struct box *b)
{
    return b->error[0] + b->error[1] + b->error[2];
}

static int widest(const struct box *b)
{
    const int k = b->error[1] >= b->error[0] ? 1 : 0;
    return b->error[2] > b->error[k] ? 2 : k;
}

/* Divides box b at its mean in the channel with the largest error. Samples above the mean move to box `rest`. The error
 * of b must not be 0, so that neither box becomes empty. */
static void divide(const struct cut *c, struct box *b, struct box *rest)
{
    const int d = widest(b);
    size_t low = b->begin, high = b->begin + b->count;
    while (low < high) {
        if (c->sample[low][d] <= b->mean[d]) {
            low++;
            continue;
        }
        uint8_t moved[3];
        high--;
        memcpy(moved, c->sample[low], 3);
        memcpy(c->sample[low], c->sample[high], 3);
        memcpy(c->sample[high], moved, 3);
    }
    *rest = (struct box){.begin = low, .count = b->begin + b->count - low};
    b->count = low - b->begin;
    measure(c, b);
    measure(c, rest);
}

static int cut_up(struct cut *c, int most)
{
    if (c->count == 0)
        return 0;
    int count = 1;
    c->box[0] = (struct box){.count = c->count};
    measure(c, &c->box[0]);
    while (count < most) {
        struct box *worst = &c->box[0];
        for (int k = 1; k < count; k++)
            if (error_of(&c->box[k]) > error_of(worst))
                worst = &c->box[k];
        if (error_of(worst) < 0.5) /* only rounding errors remain: all samples of a box are equal */
            break;
        divide(c, worst, &c->box[count++]);
    }
    return count;
}

int palette_choose(struct palette *palette, const uint8_t *const *pictures, int count, size_t pixels)
{
    struct cut *c = calloc(1, sizeof *c);
    if (!c || !(c->sample = malloc(LOOKED_AT * sizeof *c->sample))) {
        free(c);
        return nb_fail("no memory for the palette");
    }
    for (int k = 0; k < CORNERS; k++)
        for (int d = 0; d < 3; d++)
            palette->colour[k][d] = k >> d & 1 ? 255 : 0;
    take_samples(c, pictures, count, pixels);
    const int boxes = cut_up(c, PALETTE_MAX - CORNERS);
    for (int k = 0; k < boxes; k++)
        for (int d = 0; d < 3; d++)
            palette->colour[CORNERS + k][d] = (uint8_t)(c->box[k].mean[d] + 0.5);
    palette->count = CORNERS + boxes;
    free(c->sample);
    free(c);
    return 0;
}
