/* Writes films in HDR10: converts light to levels of SMPTE ST 2084 (PQ) with the primaries of ITU-R BT.2020. y4m.c
 * writes these levels as YUV4MPEG2.
 *
 * Diffuse white has 203 cd/m^2 (ITU-R BT.2408-7, 2.1). The largest channel of a colour is limited to HDR_PEAK. Brighter
 * colours are scaled down, so they keep their hue. */
#include "nbrender/nbrender.h"

#define WHITE   203.0   /* luminance of diffuse white, cd/m^2 */
#define CURVE   10000.0 /* maximum luminance of PQ, cd/m^2 */
#define ENTRIES 4096

struct hdr {
    void *stream;         /* state of y4m.c */
    struct picture coded; /* the current picture in levels of PQ */
    /* pq[k]: PQ level of the luminance CURVE * (k / ENTRIES)^8. PQ is a smooth function of the 8th root of the
     * luminance, so linear interpolation between the entries is accurate. */
    float pq[ENTRIES + 1];
};

static double pq_of(double light)
{
    const double m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128, c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32,
                 c3 = 2392.0 / 4096 * 32, y = pow(light, m1);
    return pow((c1 + c2 * y) / (1 + c3 * y), m2);
}

void *hdr_create(int fd, const char *name, const struct render_options *o, int chroma)
{
    struct hdr *h = claimed(calloc(1, sizeof *h), "no memory for the film");
    h->stream = y4m_create(fd, name, o, chroma);
    picture_init(&h->coded, o->width, o->height, false);
    for (int k = 0; k <= ENTRIES; k++)
        h->pq[k] = (float)(PICTURE_FULL * pq_of(pow((double)k / ENTRIES, 8)));
    return h;
}

/* Returns the PQ level of light from 0 to 1, where 1 is the luminance CURVE. */
static uint16_t level_of(const struct hdr *h, float light)
{
    const float place = ENTRIES * sqrtf(sqrtf(sqrtf(light)));
    const int k = place < ENTRIES ? (int)place : ENTRIES - 1;
    return (uint16_t)(h->pq[k] + (place - (float)k) * (h->pq[k + 1] - h->pq[k]) + 0.5f);
}

static void code_pixel(struct hdr *h, const float *light, float scale, size_t pixel)
{
    static const float matrix[3][3] = {/* from BT.709 to BT.2020 (ITU-R BT.2087-0, 2.2) */
                                       {0.6274f, 0.3293f, 0.0433f},
                                       {0.0691f, 0.9195f, 0.0114f},
                                       {0.0164f, 0.0880f, 0.8956f}};
    const float peak = (float)(HDR_PEAK / CURVE);
    float wide[3], most = 0;
    for (int d = 0; d < 3; d++) {
        wide[d] = scale * (matrix[d][0] * light[0] + matrix[d][1] * light[1] + matrix[d][2] * light[2]);
        most = wide[d] > most ? wide[d] : most;
    }
    for (int d = 0; d < 3; d++)
        h->coded.plane[d][pixel] = level_of(h, most > peak ? wide[d] * peak / most : wide[d]);
}

int hdr_write(void *state, const struct picture *p)
{
    struct hdr *h = state;
    const float scale = p->info.white > 0 ? (float)(WHITE / CURVE / p->info.white) : 0;
    for (size_t k = 0; k < (size_t)p->width * (size_t)p->height; k++)
        code_pixel(h, p->linear + k * (size_t)p->stride, scale, k);
    return y4m_put(h->stream, &h->coded);
}

void hdr_close(void *state)
{
    struct hdr *h = state;
    y4m_close(h->stream);
    picture_free(&h->coded);
    free(h);
}
