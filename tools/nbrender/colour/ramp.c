/* Colour ramps: reads named colour maps, maps in files, and the palette of components. */
#include "nbrender/colour/colour.h"

#include <errno.h>

#define NAMED_MAX 33   /* maximum number of colours of a map without a table */
#define FILE_MAX  4096 /* maximum number of colours of a map in a file */
#define GREY      0.8f

/* Named maps: colours in the display's encoding, equally spaced on the map. Between two colours, each channel is
 * interpolated linearly. */
static const struct named {
    const char *name;
    const uint64_t *table; /* TABLE_COLOURS entries; NULL: use `colour` */
    int count;
    uint32_t colour[NAMED_MAX]; /* colours as 0xRRGGBB */
} maps[] = {
    /* Properties of dusk: in each colour the largest channel is 1 and the smallest at least 0.27. Lightness L*
     * increases uniformly from 46 to 97. The CIELAB distance of two colours that are a quarter of the map apart is at
     * least 24. For viewers without red or green cones it is at least 17, for viewers without blue cones 13. */
    {"dusk", NULL, 33, {0x4557ff, 0x4d5cff, 0x5661ff, 0x5e66ff, 0x676aff, 0x6f6fff, 0x7873ff, 0x8077ff, 0x897bff,
                        0x917fff, 0x9a83ff, 0xa287ff, 0xab8bff, 0xb38eff, 0xbc92ff, 0xca93ff, 0xdd91ff, 0xf18eff,
                        0xff8ff8, 0xff9be4, 0xffa5d2, 0xffafc1, 0xffb8af, 0xffc09e, 0xffc88c, 0xffcf8a, 0xffd688,
                        0xffdc86, 0xffe383, 0xffe981, 0xfff07f, 0xfff67d, 0xfffc7a}},
    {"spectrum", NULL, 9, {0x3966ff, 0x3c85fc, 0x3eaaf8, 0x48d2b4, 0x51e76e, 0xbee669, 0xfad75f, 0xff963e, 0xff5139}},
    {"viridis", table_viridis, TABLE_COLOURS, {0}},
    {"inferno", table_inferno, TABLE_COLOURS, {0}},
    {"magma", table_magma, TABLE_COLOURS, {0}},
    {"cividis", table_cividis, TABLE_COLOURS, {0}},
    {"coolwarm", NULL, 9, {0x3b4cc0, 0x6282ea, 0x8db0fe, 0xb8d0f9, 0xdddddd, 0xf5c4ad, 0xf49a7b, 0xde604d, 0xb40426}},
    {"stars", NULL, 9, {0xff8a45, 0xffb06e, 0xffcc99, 0xffe2c6, 0xfff2ea, 0xe9ecff, 0xcddaff, 0xb0c6ff, 0x96b3ff}},
};
#define MAPS (sizeof maps / sizeof maps[0])

/* Colours of components, in the order of enum nb_component: others grey, halo blue, disk yellow, bulge orange, stars
 * white, black holes violet, planets green, gas cyan. */
static const uint32_t palette[RAMP_PALETTE] = {0xc8c8c8, 0x4a6cff, 0xffe060, 0xff7a30,
                                               0xfff4e8, 0xc45cff, 0x60e060, 0x40e0e8};

static void channels_of(uint32_t colour, float channel[3])
{
    for (int d = 0; d < 3; d++)
        channel[d] = (float)(colour >> (16 - 8 * d) & 255) / 255;
}

static void channels_of_table(uint64_t colour, float channel[3])
{
    for (int d = 0; d < 3; d++)
        channel[d] = (float)(colour >> (32 - 16 * d) & 65535) / 65535;
}

static void set_step(struct colour_ramp *ramp, int k, const float channel[3])
{
    float most = fmaxf(fmaxf(channel[0], channel[1]), channel[2]), lit = most > 0 ? 1 / most : 0;
    for (int d = 0; d < 4; d++) {
        ramp->plain[k][d] = d < 3 ? channel[d] : 1;
        ramp->shown[k][d] = d < 3 ? channel[d] * lit : 1;
        ramp->step[k][d] = ramp->shown[k][d] * ramp->shown[k][d];
    }
}

static void set_neutral(struct colour_ramp *ramp, int k)
{
    set_step(ramp, k, (const float[3]){GREY, GREY, GREY});
}

/* Returns the relative luminance (BT.709) of a display colour. Decodes each channel to linear light with gamma 2. */
static double luminance(const float c[3])
{
    return 0.2126 * (double)(c[0] * c[0]) + 0.7152 * (double)(c[1] * c[1]) + 0.0722 * (double)(c[2] * c[2]);
}

/* Returns whether the luminance never decreases along the map (if way is 1) or never increases (if way is -1). */
static bool rises(const struct colour_ramp *ramp, int way)
{
    for (int k = 1; k <= RAMP_TOP; k++)
        if (way * (luminance(ramp->plain[k]) - luminance(ramp->plain[k - 1])) < 0)
            return false;
    return true;
}

/* Darkens some colours so that the luminance of `shown` and `step` never decreases along the map (if way is 1) or never
 * increases (if way is -1), as in the original map. Brightening can change this order: in a map from grey to a
 * lighter yellow, grey becomes white, which is lighter than any yellow. */
static void keep_order(struct colour_ramp *ramp, int way)
{
    double most = 1;
    for (int k = way > 0 ? RAMP_TOP : 0; k >= 0 && k <= RAMP_TOP; k -= way) {
        const double light = luminance(ramp->shown[k]), share = light > most ? most / light : 1;
        for (int d = 0; d < 4; d++) {
            ramp->step[k][d] *= (float)share;
            ramp->shown[k][d] *= d < 3 ? (float)sqrt(share) : 1;
        }
        most = light * share;
    }
}

static void fill_between(struct colour_ramp *ramp, const float (*colour)[3], int count)
{
    for (int k = 0; k <= RAMP_TOP; k++) {
        float at = (float)k / RAMP_TOP * (float)(count - 1), channel[3];
        int i = at < (float)(count - 2) ? (int)at : count - 2;
        for (int d = 0; d < 3; d++)
            channel[d] = colour[i][d] + (at - (float)i) * (colour[i + 1][d] - colour[i][d]);
        set_step(ramp, k, channel);
    }
    for (int way = -1; way <= 1; way += 2)
        if (rises(ramp, way))
            keep_order(ramp, way);
    set_neutral(ramp, RAMP_NEUTRAL);
}

void ramp_fill_planck(struct colour_ramp *ramp, const struct colour_scale *scale)
{
    float channel[3];
    for (int k = 0; k <= RAMP_TOP; k++) {
        planck_colour(scale_value(scale, (double)k / RAMP_TOP), channel);
        set_step(ramp, k, channel);
    }
    set_neutral(ramp, RAMP_NEUTRAL);
}

void ramp_fill_age(struct colour_ramp *ramp)
{
    float channel[3];
    for (int k = 0; k <= RAMP_TOP; k++) {
        planck_colour(RAMP_YOUNG * pow(RAMP_OLD / RAMP_YOUNG, (double)k / RAMP_TOP), channel);
        set_step(ramp, k, channel);
    }
    set_neutral(ramp, RAMP_NEUTRAL);
}

/* ---- maps in files ---- */

static bool is_comment(const char *line)
{
    size_t blank = strspn(line, " \t\r\n");
    return line[blank] == '#' || line[blank] == '\0';
}

/* Reads the colour of one line, and updates *largest, the largest channel of all lines. Dies if the line is invalid. */
static void read_colour(const char *name, int line_number, const char *line, float channel[3], float *largest)
{
    char more;
    if (sscanf(line, "%f %f %f %c", &channel[0], &channel[1], &channel[2], &more) != 3)
        die("--colormap %s: line %d: expected three numbers r g b", name, line_number);
    for (int d = 0; d < 3; d++) {
        if (!(channel[d] >= 0 && channel[d] <= 255))
            die("--colormap %s: line %d: %g is outside the range (0 to 1 in all lines, or 0 to 255)", name, line_number,
                (double)channel[d]);
        *largest = fmaxf(*largest, channel[d]);
    }
}

static void fill_from_file(struct colour_ramp *ramp, const char *name)
{
    FILE *file = fopen(name, "r");
    float(*colour)[3], largest = 0;
    char line[256];
    int count = 0, lines = 0;
    if (!file)
        die("--colormap %s: %s (and it is not one of %s)", name, strerror(errno), ramp_names());
    colour = claimed(calloc(FILE_MAX, sizeof *colour), "no memory for the colour map");
    while (fgets(line, sizeof line, file)) {
        lines++;
        if (is_comment(line))
            continue;
        if (count == FILE_MAX)
            die("--colormap %s: more than %d colours", name, FILE_MAX);
        read_colour(name, lines, line, colour[count++], &largest);
    }
    if (ferror(file))
        die("--colormap %s: %s", name, strerror(errno));
    if (count < 2)
        die("--colormap %s: %d colours, expected at least two", name, count);
    for (int k = 0; largest > 1 && k < count; k++)
        for (int d = 0; d < 3; d++)
            colour[k][d] /= 255;
    fill_between(ramp, (const float(*)[3])colour, count);
    free(colour);
    fclose(file);
}

/* ---- interface ---- */

const char *ramp_names(void)
{
    static char names[128];
    for (size_t k = 0, used = 0; k < MAPS && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", maps[k].name);
    return names;
}

void ramp_offer(void)
{
    for (size_t k = 0; k < MAPS; k++)
        tool_offer(maps[k].name, NULL);
    tool_offer_file();
}

void ramp_fill(struct colour_ramp *ramp, const char *name)
{
    float colour[TABLE_COLOURS][3];
    size_t k = 0;
    while (k < MAPS && strcmp(maps[k].name, name) != 0)
        k++;
    if (k == MAPS) {
        fill_from_file(ramp, name);
        return;
    }
    const int count = maps[k].count;
    for (int i = 0; i < count; i++)
        if (maps[k].table)
            channels_of_table(maps[k].table[i], colour[i]);
        else
            channels_of(maps[k].colour[i], colour[i]);
    fill_between(ramp, (const float(*)[3])colour, count);
}

bool ramp_wants_symmetry(const struct colour_options *o)
{
    return !(o->low < o->high) && o->scaling != SCALE_LOG && (!o->colormap || strcmp(o->colormap, RAMP_SIGNED) == 0);
}

void ramp_fill_palette(struct colour_ramp *ramp)
{
    for (int k = 0; k < RAMP_STEPS; k++) {
        float channel[3];
        channels_of(palette[k < RAMP_PALETTE ? k : 0], channel);
        set_step(ramp, k, channel);
    }
    set_neutral(ramp, RAMP_NEUTRAL);
}
