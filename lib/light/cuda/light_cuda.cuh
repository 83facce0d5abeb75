/* light_cuda.cuh - what the stages of the GPU's backend (light.h) share.
 *
 *   draw_cuda.cu      the backend: opening, memory, the order of the stages
 *   light_columns.cu  the bodies' columns, from the host to the GPU
 *   light_survey.cu   before bodies are put: how many are where, how bright they are; the level map
 *   light_splat.cu    bodies into the levels: sorted by tile, added up in shared memory
 *   light_pyramid.cu  upwards, refinement, bloom
 *   light_shown.cu    what comes out: distribution, sums, shown levels
 *
 * Bodies are added up in fixed point of 64 bits, so that their order does not matter and equal calls give equal bytes.
 * The unit is a power of two chosen by the survey, about 2^-22 of the mean light of a body, so that 2^40 bodies fit and
 * none of a millionth of the mean is lost. All else is float, and each value is one thread's work. */
#pragma once

#include "device/cuda/cuda.cuh"
#include "light/footprint.h"
#include "light/light.h"
#include "light/view.h"

#define LIGHT_LANES (~0u) /* all lanes of a warp */
#define LIGHT_TILE  16    /* cells of a tile each way */

struct light_level {
    int width, height; /* cells over the picture */
    int stride, rows;  /* cells with the margin's */
    uint64_t first;    /* its first cell among those of all levels */
    int margin;        /* cells counted beside the picture, */
    int reach;         /* and as far as they say how many bodies are about a place */
    int count_stride, count_rows;
    uint64_t first_count; /* its first count among those of all levels */
    int tiles_across;     /* tiles cover all cells */
    unsigned first_tile;  /* its first tile among those of all levels */
};

struct light_shape { /* the pyramid of a picture */
    int width, height, levels;
    light_level level[NB_LIGHT_LEVELS_MAX];
    uint64_t cells, counts; /* of all levels */
    unsigned tiles;
    int node_width, node_height;
};

struct light_map {         /* of levels, for one put */
    const float *node;     /* on the device; NULL: `most` everywhere */
    const unsigned *count; /* of all levels, on the device */
    int width, height;
    float most;
};

/* The count about a cell of a level with margins, so far towards the next ones, which are at `across` and at `down`;
 * cells beside the level count as its outermost ones. */
static __device__ __forceinline__ float light_count(const light_level &l, const unsigned *count, int x, int y,
                                                    int across, int down, float way_x, float way_y)
{
    float wx[NB_COUNT_CELLS], wy[NB_COUNT_CELLS], sum = 0;
    nb_count_weights(way_x, wx);
    nb_count_weights(way_y, wy);
#pragma unroll
    for (int j = 0; j < NB_COUNT_CELLS; j++) {
        if (wy[j] == 0) /* known to the compiler for a cell's own middle */
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

#define LIGHT_OCTAVES 256 /* exponents of a float */

struct light_scale {                             /* what the survey finds; on the device */
    unsigned long long octave[2][LIGHT_OCTAVES]; /* bodies by the exponent of their light, and of light times value */
    double unit[2];                              /* of fixed point: of light, and of light times value */
    unsigned long long put;                      /* light put, in units */
};

struct light_put { /* what a put is of, but for its bodies */
    nb_view view;
    light_shape shape;
    light_map map;
    float share, stars, point, K; /* point: nb_level_point */
    bool value;                   /* bodies have values */
    light_scale *scale;
};

#define LIGHT_SUMS 128 /* blocks that add up light: a fixed number, so that the order is */

struct light_totals {       /* of the fourth channel; on the device */
    double put, margins;    /* since the picture was cleared: put; not in level 0 for good */
    double picture, border; /* of level 0 */
    double sum[2][LIGHT_SUMS];
};

struct light_columns { /* `count` bodies, on the device */
    uint64_t count;
    const void *pos;
    bool single;
    const float *light;         /* NULL: 1 each */
    const uint16_t *step;       /* NULL: by level_step, or 0 */
    const float *value;         /* NULL: a colour */
    const float4 *ramp;         /* or NULL with values */
    const uint16_t *level_step; /* NB_LIGHT_LEVEL_STEPS, or NULL */
};

/* ---- a body and a place, the same for all stages ---- */

struct light_body {
    double x, y; /* pixels */
    float light; /* 0: it is not drawn */
    float near, value;
};

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

/* The level of a place in pixels. */
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

/* 2^-k */
static __device__ __forceinline__ double light_half(int k)
{
    return __hiloint2double((1023 - k) << 20, 0);
}

/* ---- light_columns.cu ---- */

#define LIGHT_STAGES 4 /* pieces of columns on their way at a time */

struct light_upload { /* begins as zeros */
    nb_cuda_buffer pos, light, step, value, ramp, level_step;
    char *stage; /* pinned: LIGHT_STAGES pieces */
    cudaStream_t stream;
    cudaEvent_t passed[LIGHT_STAGES], ready, done;
    int next;
};

int light_upload_open(light_upload *u);
void light_upload_close(light_upload *u);
/* Bytes of a body's columns. */
size_t light_body_bytes(const nb_light_bodies *b);
/* Memory for `room` bodies, and the ramp. What the device still does with earlier ones is waited for. */
int light_upload_begin(nb_device *d, light_upload *u, const nb_light_bodies *b, uint64_t room);
/* Bodies [i0, i0 + count) to place `at` of that memory; what is put on the device from now on finds them there. */
int light_upload_bodies(nb_device *d, light_upload *u, const nb_light_bodies *b, uint64_t i0, uint64_t count,
                        uint64_t at);
/* What was put on the device so far is the last that uses them. */
int light_upload_done(nb_device *d, light_upload *u);
light_columns light_columns_at(const light_upload *u, const nb_light_bodies *b, uint64_t at, uint64_t count);

/* ---- the other stages: they put work on the device and do not wait, unless said. 0, or -1 after nb_fail ---- */

struct light_survey_work { /* begins as zeros */
    nb_cuda_buffer count, node;
};

/* Before the first bodies of a put; for all of them, in parts; behind the last, when p->map and the units are made. */
int light_survey_begin(nb_device *d, light_survey_work *w, const light_put *p);
int light_survey(nb_device *d, light_survey_work *w, const light_put *p, const light_columns *c);
int light_survey_end(nb_device *d, light_survey_work *w, light_put *p);

struct light_splat_work { /* begins as zeros */
    nb_cuda_buffer entry, tile, part, scratch;
};

/* Bytes that splatting a body takes; at most so many bodies at a time. */
size_t light_splat_bytes(const nb_view *view);
#define LIGHT_SPLAT_MOST ((uint64_t)1 << 26)
/* Adds bodies to `fixed`: 4 channels of each cell of all levels, units as p->scale says. */
int light_splat(nb_device *d, light_splat_work *w, const light_put *p, const light_columns *c,
                unsigned long long *fixed);

/* Sends `fixed` upwards as far as levels do not keep it, adds to `light` what they keep, and leaves zeros; `rest` is
 * working space of as many cells. totals->put grows by the light put. */
int light_send_up(nb_device *d, const light_put *p, unsigned long long *fixed, float4 *rest, float4 *light,
                  light_totals *totals);
/* Refines every level into the one below; totals->margins grows by what does not fit into that. */
int light_refine(nb_device *d, const light_shape *s, float4 *light, light_totals *totals);
int light_bloom(nb_device *d, const light_shape *s, double share, float4 *light, light_totals *totals);

/* ---- light_shown.cu ---- */

/* totals->picture and ->border. */
int light_sum(nb_device *d, const light_shape *s, const float4 *light, light_totals *totals);
/* LIGHT_COPIES copies of the buckets, to be added up, in 2^-LIGHT_MEASURE_BITS of `all`, a power of two that is no less
 * than all light together. */
#define LIGHT_MEASURE_BITS 62
#define LIGHT_COPIES       8
int light_measure(nb_device *d, const light_shape *s, const float4 *light, double all, unsigned long long *bucket);
/* Planes red, green, blue, one behind the other. */
int light_tone(nb_device *d, const light_shape *s, const float4 *light, const nb_tone *tone, uint16_t *plane);
/* The picture's pixels without the margin. */
int light_pixels(nb_device *d, const light_shape *s, const float4 *light, float4 *pixel);

/* ---- sums that do not depend on the order of blocks ---- */

/* A block of NB_BLOCK threads adds up x; thread 0 gets the sum. */
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
