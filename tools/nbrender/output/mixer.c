/* Represents colours as patterns of palette colours (pattern dithering). */
#include "nbrender/output/palette.h"

#define MIX_COLOURS 16
#define SLOTS       (1 << 16) /* number of slots of the hash table */

/* pattern for a colour: indices of MIX_COLOURS palette colours, from dark to bright, with a mean close to the colour */
struct mix {
    uint32_t key; /* the colour as 1 << 24 | red << 16 | green << 8 | blue; 0: free slot */
    uint8_t number[MIX_COLOURS];
};

struct mixer {
    const struct palette *palette;
    int32_t level[3][PALETTE_MAX + 1]; /* level[channel][k]: red, green or blue of palette colour k */
    struct mix mix[SLOTS];             /* hash table of the patterns found so far */
    int count;
};

struct mixer *mixer_create(const struct palette *palette)
{
    struct mixer *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->palette = palette;
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < palette->count; k++)
            m->level[d][k] = palette->colour[k][d];
    return m;
}

void mixer_destroy(struct mixer *m)
{
    free(m);
}

/* Returns the index of the nearest palette colour. For each palette colour, one integer contains the distance in its
 * high bits and the index in its low bits. So the minimum of these integers contains the nearest colour's index. */
static int nearest(const struct mixer *m, const int32_t wanted[3])
{
    int32_t least = INT32_MAX;
    for (int k = 0; k < PALETTE_MAX + 1; k++) {
        const int32_t red = m->level[0][k] - wanted[0], green = m->level[1][k] - wanted[1],
                      blue = m->level[2][k] - wanted[2];
        const int32_t measure = (2 * red * red + 4 * green * green + 3 * blue * blue) * (PALETTE_MAX + 1) + k;
        least = measure < least ? measure : least;
    }
    const int k = least % (PALETTE_MAX + 1);
    return k < m->palette->count ? k : 0;
}

/* Returns the luma (BT.709) of palette colour `number`, times 10000. */
static int luma(const struct mixer *m, int number)
{
    return 2126 * m->level[0][number] + 7152 * m->level[1][number] + 722 * m->level[2][number];
}

static int within(int level, int least, int most)
{
    return level < least ? least : level > most ? most : level;
}

static void make(const struct mixer *m, const uint8_t colour[3], struct mix *mix)
{
    int32_t missing[3] = {0};
    for (int n = 0; n < MIX_COLOURS; n++) {
        int32_t wanted[3];
        for (int d = 0; d < 3; d++)
            wanted[d] = within(colour[d] + missing[d] / 2, -255, 510);
        const int found = nearest(m, wanted);
        for (int d = 0; d < 3; d++)
            missing[d] += colour[d] - m->level[d][found];
        int at = n;
        for (; at > 0 && luma(m, mix->number[at - 1]) > luma(m, found); at--)
            mix->number[at] = mix->number[at - 1];
        mix->number[at] = (uint8_t)found;
    }
}

/* Returns the pattern of palette colours (struct mix) for a colour. A film has few different colours, so most patterns
 * are already in the hash table. The table is cleared when it is half full. */
static const struct mix *mix_of(struct mixer *m, const uint8_t colour[3])
{
    const uint32_t key = 1u << 24 | (uint32_t)colour[0] << 16 | (uint32_t)colour[1] << 8 | colour[2];
    uint32_t slot = key * 2654435761u >> 16; /* Knuth's multiplicative hash */
    while (m->mix[slot].key && m->mix[slot].key != key)
        slot = (slot + 1) & (SLOTS - 1);
    struct mix *mix = &m->mix[slot];
    if (mix->key)
        return mix;
    if (++m->count > SLOTS / 2) {
        memset(m->mix, 0, sizeof m->mix);
        m->count = 1;
    }
    make(m, colour, mix);
    mix->key = key;
    return mix;
}

void mixer_row(struct mixer *m, const uint8_t *colours, int width, int y, uint8_t *numbers)
{
    const uint16_t *step = dither_steps(true, 0, y);
    for (int x = 0; x < width; x++)
        numbers[x] = mix_of(m, colours + 3 * x)->number[step[x % DITHER_SIDE] * MIX_COLOURS / 256];
}
