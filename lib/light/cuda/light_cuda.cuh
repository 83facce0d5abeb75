/* light_cuda.cuh - declares what the stages of the GPU renderer (light.h) share.
 *
 *     draw_cuda.cu      table of the backend: opening, memory, order of the stages
 *     light_columns.cu  uploads of the bodies' columns
 *     light_survey.cu   before bodies are drawn: counts, brightness, level map
 *     light_splat.cu    draws bodies into the levels: sorted by tile, summed in shared memory
 *     light_pyramid.cu  moves light between levels: distribution to all levels, refinement, bloom
 *     light_shown.cu    output: histogram, sums, pixels
 *
 * The light of bodies is summed in integers of 64 bits (fixed point), so that sums do not depend on the order of the
 * bodies, and equal calls give equal bytes. The survey chooses the unit of these integers: a power of two near 2^-22
 * times the mean light of a body. The light of 2^40 bodies then fits into 64 bits, and a millionth of the mean light is
 * several units. All other values are floats, and each is computed by one thread. */
#pragma once

#include "device/cuda/cuda.cuh"
#include "light/footprint.h"
#include "light/light.h"
#include "light/view.h"

#define LIGHT_LANES (~0u) /* mask of all lanes of a warp */
#define LIGHT_TILE  16    /* side of a tile, in cells */

/* One level of the pyramid on the GPU. */
struct light_level {
    int width, height; /* number of cells over the picture in x and y */
    int stride, rows;  /* numbers of cells in x and y including NB_LIGHT_BORDER cells on each side */
    uint64_t first;    /* index of the level's first cell in the array of the cells of all levels */
    int margin;        /* number of cells beyond each side of the picture in which bodies are counted */
    int reach;         /* light_count reads counts up to `reach` cells beyond each side of the picture */
    int count_stride, count_rows;
    uint64_t first_count; /* index of the level's first count in the array of the counts of all levels */
    int tiles_across;     /* number of tiles in a row; tiles cover stride x rows cells */
    unsigned first_tile;  /* index of the level's first tile among the tiles of all levels */
};

struct light_shape { /* the pyramid of one picture */
    int width, height, levels;
    light_level level[NB_LIGHT_LEVELS_MAX];
    uint64_t cells, counts; /* lengths of the two arrays with the cells and the counts of all levels */
    unsigned tiles;
    int node_width, node_height;
};

struct light_map { /* level map of one call of put: for each point, the level in which bodies there are drawn */
    /* [height][width] values on a grid of points, device memory; NULL: the map is `most` everywhere */
    const float *node;
    const unsigned *count; /* numbers of bodies in the cells of all levels, device memory */
    int width, height;
    float most;
};

/* Estimates the number of bodies in a cell of level l whose centre is at a given point. Returns a weighted mean of the
 * counts of nearby cells. Relative to the centre of cell (x, y), the point lies
 *   - way_x cells (0 to 1) to the right if `across` is 1, or to the left if `across` is -1;
 *   - way_y cells (0 to 1) below if `down` is 1, or above if `down` is -1.
 * If a nearby cell is more than l.reach cells outside the picture, the nearest cell within this limit is read
 * instead. */
static __device__ __forceinline__ float light_count(const light_level &l, const unsigned *count, int x, int y,
                                                    int across, int down, float way_x, float way_y)
{
    float wx[NB_COUNT_CELLS], wy[NB_COUNT_CELLS], sum = 0;
    nb_count_weights(way_x, wx);
    nb_count_weights(way_y, wy);
#pragma unroll
    for (int j = 0; j < NB_COUNT_CELLS; j++) {
        /* If way_y is the constant 0, the compiler knows that the last weight is 0, and removes the code for this
         * row. */
        if (wy[j] == 0)
            continue;
        const int row = min(max(y + (j - 2) * down, l.margin - l.reach), l.margin + l.height + l.reach - 1);
        const unsigned *c = count + l.first_count + (uint64_t)row * l.count_stride;
        float cells = 0;
#pragma unroll
        for (int i = 0; i < NB_COUNT_CELLS; i++)
            if (wx[i] != 0)
                cells += wx[i] *
                         (float)c[min(max(x + (i - 2) * across, l.margin - l.reach), l.margin + l.width + l.reach - 1)];
        sum += wy[j] * cells;
    }
    return sum;
}

#define LIGHT_OCTAVES 256 /* number of different exponents of a float */

struct light_scale { /* results of the survey of the bodies (light_survey.cu), device memory */
    /* octave[0][e]: number of bodies whose light is a float with the exponent bits e (0 to 255). octave[1][e]: the same
     * for the product light * value */
    unsigned long long octave[2][LIGHT_OCTAVES];
    double unit[2];         /* units of the fixed-point sums: unit[0] for light, unit[1] for light times value */
    unsigned long long put; /* sum of the light of the bodies in this call of put, in units of unit[0] */
};

struct light_put { /* parameters of one call of put, except its bodies */
    nb_view view;
    light_shape shape;
    light_map map;
    /* share: factor of all light of this call (nb_light_bodies.share)
     * stars: share of each body's light that is drawn as a point
     * point: level in which these points are drawn (nb_level_point)
     * K: a footprint has the level at which a cell holds K bodies (nb_light_style.smooth) */
    float share, stars, point, K;
    bool value; /* true: bodies have values instead of colours (light_columns.value) */
    light_scale *scale;
};

/* number of blocks of the kernels that sum light; does not depend on the GPU, so that sums are always identical */
#define LIGHT_SUMS 128

struct light_totals { /* sums of the light (fourth channel), device memory */
    /* sums since the picture was cleared. put: light of all bodies; margins: light that refinement loses at the edges
     * of the levels, so that it is missing in level 0 */
    double put, margins;
    double picture, border; /* picture: light in the pixels; border: light in the other cells of level 0 */
    double sum[2][LIGHT_SUMS];
};

struct light_columns { /* `count` bodies in device memory */
    uint64_t count;
    const void *pos;
    bool single;
    const float *light; /* light of each body; NULL: 1 */
    /* index in `ramp` for each body; NULL: level_step gives the index, or it is 0 if level_step is NULL */
    const uint16_t *step;
    const float *value;         /* quantity of each body, averaged in each pixel; NULL: bodies have colours instead */
    const float4 *ramp;         /* list of colours; NULL if bodies have values */
    const uint16_t *level_step; /* nb_light_bodies.level_step in device memory, or NULL */
};

/* ---- one body, and one point of the picture; all stages use these functions ---- */

struct light_body {
    double x, y; /* position in pixels */
    float light; /* 0: the body is not drawn */
    float near, value;
};

/* Loads body i and projects it. Sets `light` to 0 if the body cannot be drawn. */
static __device__ __forceinline__ light_body light_load(const light_put &p, const light_columns &c, uint64_t i)
{
    light_body b;
    double q[3];
    for (int d = 0; d < 3; d++)
        q[d] = c.single ? (double)((const float *)c.pos)[3 * i + d] : ((const double *)c.pos)[3 * i + d];
    b.near = (float)nb_view_land(&p.view, q[0], q[1], q[2], &b.x, &b.y);
    b.light = (c.light ? c.light[i] : 1) * b.near * b.near * p.share;
    b.value = c.value ? c.value[i] : 1;
    if (!(b.light > 0 && b.light <= NB_LIGHT_MOST && fabsf(b.value) <= NB_LIGHT_MOST))
        b.light = 0;
    return b;
}

/* Returns the value of the level map at the point (x, y), in pixels: the level in which bodies there are drawn. */
static __device__ __forceinline__ float light_level_of(const light_map &map, double x, double y)
{
    if (!map.node)
        return map.most;
    float u = (float)x / NB_LIGHT_NODE + 0.5f, v = (float)y / NB_LIGHT_NODE + 0.5f;
    u = fminf(fmaxf(u, 0), (float)(map.width - 1));
    v = fminf(fmaxf(v, 0), (float)(map.height - 1));
    int i = (int)fminf(u, (float)(map.width - 2)), j = (int)fminf(v, (float)(map.height - 2));
    float fx = u - (float)i, fy = v - (float)j;
    const float *a = map.node + (size_t)j * (size_t)map.width + (size_t)i, *c = a + map.width;
    return (a[0] * (1 - fx) + a[1] * fx) * (1 - fy) + (c[0] * (1 - fx) + c[1] * fx) * fy;
}

/* Returns 2^-k. */
static __device__ __forceinline__ double light_half(int k)
{
    return __hiloint2double((1023 - k) << 20, 0);
}

/* ---- light_columns.cu ---- */

#define LIGHT_STAGES 4 /* number of pinned buffers; each holds one piece during its upload */

struct light_upload { /* state of uploads; to be set to zeros before light_upload_open */
    nb_cuda_buffer pos, light, step, value, ramp, level_step;
    char *stage; /* pinned memory, LIGHT_STAGES pieces */
    cudaStream_t stream;
    cudaEvent_t passed[LIGHT_STAGES], ready, done;
    int next;
};

/* Allocates pinned memory, stream and events. Returns 0, or -1 after nb_fail. */
int light_upload_open(light_upload *u);
/* Waits for pending uploads and frees everything. */
void light_upload_close(light_upload *u);
/* Returns the number of bytes that one body needs in all columns together. */
size_t light_body_bytes(const nb_light_bodies *b);
/* Reserves device memory for `room` bodies and uploads `ramp` and `level_step`. Returns 0, or -1 after nb_fail. */
int light_upload_begin(nb_device *d, light_upload *u, const nb_light_bodies *b, uint64_t room);
/* Uploads bodies [i0, i0 + count) to the reserved memory, from index `at` on. Work that is queued on the stream of the
 * device after this call waits for the upload. Returns 0, or -1 after nb_fail. */
int light_upload_bodies(nb_device *d, light_upload *u, const nb_light_bodies *b, uint64_t i0, uint64_t count,
                        uint64_t at);
/* Call this after queueing all work that uses the uploaded bodies. Later uploads wait for this work. Returns 0, or -1
 * after nb_fail. */
int light_upload_done(nb_device *d, light_upload *u);
/* Returns the columns of `count` uploaded bodies from index `at` on. */
light_columns light_columns_at(const light_upload *u, const nb_light_bodies *b, uint64_t at, uint64_t count);

/* ---- other stages: queue work on the stream of the device without waiting; return 0, or -1 after nb_fail ---- */

struct light_survey_work { /* to be set to zeros before the first use */
    nb_cuda_buffer count, node;
};

/* The survey reads all bodies of a call of put before they are drawn. It counts the bodies in cells. From the results,
 * light_survey_end computes the level map p->map and the units of light in p->scale. Call light_survey_begin once,
 * light_survey for each part of the bodies, and then light_survey_end. */
int light_survey_begin(nb_device *d, light_survey_work *w, const light_put *p);
int light_survey(nb_device *d, light_survey_work *w, const light_put *p, const light_columns *c);
int light_survey_end(nb_device *d, light_survey_work *w, light_put *p);

struct light_splat_work { /* to be set to zeros before the first use */
    nb_cuda_buffer entry, tile, part, scratch;
};

/* Returns the number of bytes of working memory that light_splat needs for each body. */
size_t light_splat_bytes(const nb_view *view);
/* maximum number of bodies in a call of light_splat */
#define LIGHT_SPLAT_MOST ((uint64_t)1 << 26)
/* Adds the light of bodies to `fixed`: 4 channels for each cell of all levels, integers in the units p->scale->unit. */
int light_splat(nb_device *d, light_splat_work *w, const light_put *p, const light_columns *c,
                unsigned long long *fixed);

/* Distributes the light in `fixed` to all levels, from level 0 upwards. Each level keeps a part of the light that it
 * gets, and passes the rest to the next level. Adds the kept light to `light`, and sets `fixed` to zeros. `rest` is
 * work space of the same size as `light`. Adds p->scale->put, the sum of the bodies' light, to totals->put. */
int light_send_up(nb_device *d, const light_put *p, unsigned long long *fixed, float4 *rest, float4 *light,
                  light_totals *totals);
/* From the highest level down, refines the light of each level and adds it to the level below. Adds the light that is
 * lost at the edges of the levels to totals->margins. */
int light_refine(nb_device *d, const light_shape *s, float4 *light, light_totals *totals);
/* Adds bloom: removes the fraction `share` of the light from each cell of level 0, and spreads it over large
 * footprints. The other levels are work space. Adds the light that is lost at the edges of the levels to
 * totals->margins. */
int light_bloom(nb_device *d, const light_shape *s, double share, float4 *light, light_totals *totals);

/* ---- light_shown.cu ---- */

/* Computes totals->picture, the light in the pixels, and totals->border, the light in the other cells of level 0. */
int light_sum(nb_device *d, const light_shape *s, const float4 *light, light_totals *totals);
/* Computes the histogram of the picture: how much light has which surface brightness (struct nb_light_histogram).
 * Writes it as LIGHT_COPIES partial histograms, bucket[LIGHT_COPIES][NB_LIGHT_BUCKETS], whose sum is the histogram. The
 * unit of light in the buckets is `all` * 2^-LIGHT_MEASURE_BITS. `all` must be a power of two, and not less than the
 * total light of the picture. */
#define LIGHT_MEASURE_BITS 62
#define LIGHT_COPIES       8
int light_measure(nb_device *d, const light_shape *s, const float4 *light, double all, unsigned long long *bucket);
/* Writes the red, green and blue of each pixel, as displayed, to plane[3][height][width]. */
int light_tone(nb_device *d, const light_shape *s, const float4 *light, const nb_tone *tone, uint16_t *plane);
/* Copies the pixels of the picture from level 0, without the cells around it, to pixel[height][width]. */
int light_pixels(nb_device *d, const light_shape *s, const float4 *light, float4 *pixel);

/* ---- sums that do not depend on the order of blocks ---- */

/* Called by all NB_BLOCK threads of a block: returns the sum of x over these threads. */
static __device__ __forceinline__ double light_sum_block(double x)
{
    __shared__ double sum[NB_BLOCK];
    __syncthreads();
    sum[threadIdx.x] = x;
    for (unsigned half = NB_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
    }
    __syncthreads();
    return sum[0];
}
