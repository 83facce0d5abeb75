/* draw_cuda.cu - the functions of the GPU renderer that light.h declares. They allocate memory and call the stages of
 * rendering one after the other. */
#include "light/cuda/light_cuda.cuh"

#include "device/timing.h"
#include "light/cuda/light_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECE  ((uint64_t)1 << 21) /* bodies per upload; the GPU counts a piece while the next piece is uploaded */
#define MEMORY 0.9                 /* maximum fraction of free device memory that bodies may take */
/* Bodies in a margin around the picture are also counted, because the level map also has nodes outside the picture. The
 * margin is as wide as two cells of level L - 1, where L is the number of levels or, if this is less, COUNTED. */
#define COUNTED    5
#define REACH      32 /* the level map reads counts up to this number of pixels outside the picture, as on the CPU */
#define OUT_STAGES 2
#define OUT_PIECE  ((size_t)4 << 20) /* size in bytes of one piece that is copied to the host */

/* State of one open renderer. */
struct light_cuda {
    struct nb_device *device;
    nb_light_style style;
    light_shape shape;
    /* three arrays with 4 channels for each cell of each level. fixed: sums of the bodies' light in fixed point; rest:
     * light that goes to the next level; light: light that stays in the level */
    nb_cuda_buffer fixed, rest, light;
    nb_cuda_buffer scale, totals, out;
    light_upload upload;
    light_survey_work survey;
    light_splat_work splat;
    char *stage; /* pinned memory, OUT_STAGES pieces */
    cudaEvent_t passed[OUT_STAGES];
    unsigned long long bucket[LIGHT_COPIES][NB_LIGHT_BUCKETS];
};

static light_cuda *work_of(void *state)
{
    return (light_cuda *)state;
}

/* ---- opening ---- */

/* Returns the number of columns of level k in which bodies are counted, from the left edge of the picture on. These are
 * the columns of the picture, and a margin to its right with at least `margin` columns. The margin also includes two
 * columns of the top level. size: width of the picture in pixels. To count rows instead of columns, pass the height. */
static int counted_cells(const light_shape *s, int k, int size, int margin)
{
    const int top = s->levels - 1, end = (nb_level_cells(size, top) + 2) << top;
    return max(nb_level_cells(size, k) + margin, nb_level_cells(end, k));
}

/* Sets the sizes of level k and the indices of its first elements in the arrays of all levels. */
static void shape_level(light_shape *s, int k)
{
    light_level *l = &s->level[k];
    l->width = nb_level_cells(s->width, k);
    l->height = nb_level_cells(s->height, k);
    l->stride = l->width + 2 * NB_LIGHT_BORDER;
    l->rows = l->height + 2 * NB_LIGHT_BORDER;
    l->margin = 2 << (max(s->levels, COUNTED) - 1 - k);
    /* l->reach is REACH pixels, in cells of level k. If a cell has REACH pixels or more, l->reach is the entire margin,
     * which is at least 2 cells: light_count reads two cells on each side of a cell, and a third cell on one side if
     * the point is not at the centre of the cell. */
    l->reach = 1 << k < REACH ? REACH >> k : l->margin;
    l->count_stride = l->margin + counted_cells(s, k, s->width, l->margin);
    l->count_rows = l->margin + counted_cells(s, k, s->height, l->margin);
    l->tiles_across = (l->stride + LIGHT_TILE - 1) / LIGHT_TILE;
    l->first = s->cells;
    l->first_count = s->counts;
    l->first_tile = s->tiles;
    s->cells += (uint64_t)l->stride * (uint64_t)l->rows;
    s->counts += (uint64_t)l->count_stride * (uint64_t)l->count_rows;
    s->tiles += (unsigned)l->tiles_across * (unsigned)((l->rows + LIGHT_TILE - 1) / LIGHT_TILE);
}

static void shape_make(light_shape *s, const nb_light_style *style)
{
    *s = {};
    s->width = style->width;
    s->height = style->height;
    s->levels = nb_level_count(style->height);
    for (int k = 0; k < s->levels; k++)
        shape_level(s, k);
    s->node_width = (style->width + NB_LIGHT_NODE - 1) / NB_LIGHT_NODE + 2;
    s->node_height = (style->height + NB_LIGHT_NODE - 1) / NB_LIGHT_NODE + 2;
}

static void light_close(void *state)
{
    light_cuda *w = work_of(state);
    if (nb_cuda_enter(w->device) == 0) {
        cudaStreamSynchronize(nb_cuda_stream(w->device));
        light_upload_close(&w->upload);
        for (nb_cuda_buffer *b : {&w->fixed, &w->rest, &w->light, &w->scale, &w->totals, &w->out, &w->survey.count,
                                  &w->survey.node, &w->splat.entry, &w->splat.tile, &w->splat.part, &w->splat.scratch})
            nb_cuda_release(b);
        for (cudaEvent_t event : w->passed)
            if (event)
                cudaEventDestroy(event);
        cudaFreeHost(w->stage);
    }
    free(w);
}

static int allocate(light_cuda *w)
{
    const uint64_t cells = w->shape.cells;
    for (cudaEvent_t &event : w->passed)
        if (NB_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)))
            return -1;
    return nb_cuda_reserve(&w->fixed, cells * 4 * sizeof(unsigned long long)) ||
                   nb_cuda_reserve(&w->rest, cells * sizeof(float4)) ||
                   nb_cuda_reserve(&w->light, cells * sizeof(float4)) ||
                   nb_cuda_reserve(&w->scale, sizeof(light_scale)) ||
                   nb_cuda_reserve(&w->totals, sizeof(light_totals)) || light_upload_open(&w->upload) ||
                   NB_CUDA(cudaHostAlloc((void **)&w->stage, OUT_STAGES * OUT_PIECE, cudaHostAllocDefault)) ||
                   NB_CUDA(cudaMemsetAsync(w->fixed.d, 0, w->fixed.size_bytes, nb_cuda_stream(w->device)))
               ? -1
               : 0;
}

static void *light_open(struct nb_device *device, const nb_light_style *style)
{
    light_cuda *w = (light_cuda *)calloc(1, sizeof *w);
    if (!w) {
        nb_fail("no memory for the picture");
        return nullptr;
    }
    w->device = device;
    w->style = *style;
    shape_make(&w->shape, style);
    if (nb_cuda_enter(device) == 0 && allocate(w) == 0)
        return w;
    light_close(w);
    return nullptr;
}

/* ---- light ---- */

static int light_clear(void *state)
{
    light_cuda *w = work_of(state);
    cudaStream_t stream = nb_cuda_stream(w->device);
    nb_timing_stage(w->device, "clear");
    return nb_cuda_enter(w->device) || NB_CUDA(cudaMemsetAsync(w->light.d, 0, w->light.size_bytes, stream)) ||
                   NB_CUDA(cudaMemsetAsync(w->totals.d, 0, w->totals.size_bytes, stream))
               ? -1
               : 0;
}

/* Sets *room to the number of bodies to hold in GPU memory at the same time: b->n if all bodies fit together with the
 * work space of light_splat. Otherwise as many as fit, but at least 1024 (or b->n, if it is smaller) and at most
 * LIGHT_SPLAT_MOST. Returns 0, or -1 after nb_fail. */
static int find_room(light_cuda *w, const nb_light_bodies *b, size_t splat_bytes, uint64_t *room)
{
    const double bytes = (double)light_body_bytes(b), batch = b->n < LIGHT_SPLAT_MOST ? b->n : LIGHT_SPLAT_MOST;
    double free_bytes, total_bytes;
    *room = b->n;
    if (w->upload.pos.size_bytes + w->upload.light.size_bytes + w->upload.step.size_bytes +
                w->upload.value.size_bytes >=
            b->n * light_body_bytes(b) &&
        w->splat.entry.size_bytes >= batch * splat_bytes)
        return 0;
    if (nb_device_memory(w->device, &free_bytes, &total_bytes))
        return -1;
    free_bytes += (double)(w->upload.pos.size_bytes + w->upload.light.size_bytes + w->upload.step.size_bytes +
                           w->upload.value.size_bytes + w->splat.entry.size_bytes);
    if (MEMORY * free_bytes < (double)b->n * bytes + batch * splat_bytes)
        *room = (uint64_t)fmin(fmax(MEMORY * free_bytes / (bytes + splat_bytes), 1024), batch);
    return 0;
}

/* Uploads all bodies and counts them. Computes the level map and the units in which light is summed (fixed point). If
 * the bodies do not all fit in device memory, at most `room` bodies are there at a time. */
static int survey(light_cuda *w, const nb_light_bodies *b, uint64_t room, light_put *p)
{
    const uint64_t piece = room < PIECE ? room : PIECE;
    if (light_survey_begin(w->device, &w->survey, p))
        return -1;
    for (uint64_t i = 0; i < b->n; i += piece) {
        const uint64_t count = b->n - i < piece ? b->n - i : piece, at = room < b->n ? 0 : i;
        const light_columns c = light_columns_at(&w->upload, b, at, count);
        if (light_upload_bodies(w->device, &w->upload, b, i, count, at))
            return -1;
        nb_timing_stage(w->device, "survey");
        if (light_survey(w->device, &w->survey, p, &c) || (room < b->n && light_upload_done(w->device, &w->upload)))
            return -1;
    }
    nb_timing_stage(w->device, "levels");
    return light_survey_end(w->device, &w->survey, p);
}

/* Splats all bodies in batches. If device memory cannot hold all bodies, uploads each batch again. */
static int splat(light_cuda *w, const nb_light_bodies *b, uint64_t room, const light_put *p)
{
    const uint64_t batch = room < LIGHT_SPLAT_MOST ? room : LIGHT_SPLAT_MOST;
    for (uint64_t i = 0; i < b->n; i += batch) {
        const uint64_t count = b->n - i < batch ? b->n - i : batch, at = room < b->n ? 0 : i;
        const light_columns c = light_columns_at(&w->upload, b, at, count);
        if ((room < b->n && light_upload_bodies(w->device, &w->upload, b, i, count, at)) ||
            light_splat(w->device, &w->splat, p, &c, (unsigned long long *)w->fixed.d) ||
            light_upload_done(w->device, &w->upload))
            return -1;
    }
    return 0;
}

/* Returns the parameters for drawing the bodies b. light_survey_end later adds the level map. */
static light_put describe(const light_cuda *w, const nb_view *view, const nb_light_bodies *b)
{
    const nb_light_style *s = &w->style;
    light_put p = {};
    p.view = *view;
    p.shape = w->shape;
    p.map = {nullptr, nullptr, w->shape.node_width, w->shape.node_height, (float)nb_light_largest(s, b->n)};
    p.share = (float)b->share;
    p.stars = (float)s->stars;
    p.point = nb_level_point(s);
    p.K = (float)s->smooth;
    p.value = b->value;
    p.scale = (light_scale *)w->scale.d;
    return p;
}

static int light_put_bodies(void *state, const nb_view *view, const nb_light_bodies *b)
{
    light_cuda *w = work_of(state);
    uint64_t room;
    if (b->n == 0)
        return 0;
    light_put p = describe(w, view, b);
    return nb_cuda_enter(w->device) || find_room(w, b, light_splat_bytes(view), &room) ||
                   light_upload_begin(w->device, &w->upload, b, room) || survey(w, b, room, &p) ||
                   splat(w, b, room, &p) ||
                   light_send_up(w->device, &p, (unsigned long long *)w->fixed.d, (float4 *)w->rest.d,
                                 (float4 *)w->light.d, (light_totals *)w->totals.d)
               ? -1
               : 0;
}

static int light_finish(void *state)
{
    light_cuda *w = work_of(state);
    float4 *light = (float4 *)w->light.d;
    light_totals *totals = (light_totals *)w->totals.d;
    return nb_cuda_enter(w->device) || light_refine(w->device, &w->shape, light, totals) ||
                   (w->style.bloom > 0 && light_bloom(w->device, &w->shape, w->style.bloom, light, totals))
               ? -1
               : 0;
}

/* ---- output ---- */

/* Copies to the host through pinned memory. CPU threads copy one piece while the next is being transferred. */
static int fetch_bytes(light_cuda *w, void *to, const void *d_from, size_t size_bytes)
{
    cudaStream_t stream = nb_cuda_stream(w->device);
    const size_t pieces = (size_bytes + OUT_PIECE - 1) / OUT_PIECE;
    for (size_t k = 0; k <= pieces; k++) {
        char *stage = w->stage + k % OUT_STAGES * OUT_PIECE, *before = w->stage + (k + 1) % OUT_STAGES * OUT_PIECE;
        const size_t at = k * OUT_PIECE, bytes = size_bytes - at < OUT_PIECE ? size_bytes - at : OUT_PIECE;
        if (k < pieces &&
            (NB_CUDA(cudaMemcpyAsync(stage, (const char *)d_from + at, bytes, cudaMemcpyDeviceToHost, stream)) ||
             NB_CUDA(cudaEventRecord(w->passed[k % OUT_STAGES], stream))))
            return -1;
        if (k > 0) {
            if (NB_CUDA(cudaEventSynchronize(w->passed[(k + 1) % OUT_STAGES])))
                return -1;
            const size_t done = at - OUT_PIECE;
            nb_light_stage((char *)to + done, before, size_bytes - done < OUT_PIECE ? size_bytes - done : OUT_PIECE);
        }
    }
    return 0;
}

static int fetch_totals(light_cuda *w, light_totals *totals)
{
    return nb_device_from(w->device, totals, w->totals.d, sizeof *totals);
}

static int light_measure_picture(void *state, nb_light_histogram *h)
{
    light_cuda *w = work_of(state);
    light_totals totals;
    if (nb_cuda_enter(w->device) || fetch_totals(w, &totals) || nb_cuda_reserve(&w->out, sizeof w->bucket))
        return -1;
    if (!(totals.put > 0))
        return 0;
    const double all = ldexp(1, ilogb(totals.put) + 2);
    if (light_measure(w->device, &w->shape, (const float4 *)w->light.d, all, (unsigned long long *)w->out.d) ||
        nb_device_from(w->device, w->bucket, w->out.d, sizeof w->bucket))
        return -1;
    for (int k = 0; k < NB_LIGHT_BUCKETS; k++) {
        unsigned long long sum = 0;
        for (int copy = 0; copy < LIGHT_COPIES; copy++)
            sum += w->bucket[copy][k];
        const double light = all * ldexp((double)sum, -LIGHT_MEASURE_BITS);
        h->light[k] += light;
        h->total += light;
    }
    return 0;
}

static int light_tone_picture(void *state, const nb_tone *tone, uint16_t *const plane[3])
{
    light_cuda *w = work_of(state);
    const size_t plane_bytes = (size_t)w->style.width * (size_t)w->style.height * sizeof(uint16_t);
    if (nb_cuda_enter(w->device) || nb_cuda_reserve(&w->out, 3 * plane_bytes) ||
        light_tone(w->device, &w->shape, (const float4 *)w->light.d, tone, (uint16_t *)w->out.d))
        return -1;
    nb_timing_stage(w->device, "fetch");
    for (size_t k = 0; k < 3; k++)
        if (fetch_bytes(w, plane[k], (const char *)w->out.d + k * plane_bytes, plane_bytes))
            return -1;
    nb_timing_stage(w->device, nullptr);
    return 0;
}

static int light_fetch(void *state, float *pixels)
{
    light_cuda *w = work_of(state);
    const size_t bytes = (size_t)w->style.width * (size_t)w->style.height * sizeof(float4);
    return nb_cuda_enter(w->device) || nb_cuda_reserve(&w->out, bytes) ||
                   light_pixels(w->device, &w->shape, (const float4 *)w->light.d, (float4 *)w->out.d) ||
                   fetch_bytes(w, pixels, w->out.d, bytes)
               ? -1
               : 0;
}

static int light_sums(void *state, struct nb_light_sums *sums)
{
    light_cuda *w = work_of(state);
    light_totals totals;
    if (nb_cuda_enter(w->device) ||
        light_sum(w->device, &w->shape, (const float4 *)w->light.d, (light_totals *)w->totals.d) ||
        fetch_totals(w, &totals))
        return -1;
    *sums = {totals.put, totals.picture, totals.margins + totals.border};
    return 0;
}

static nb_light_style *light_style(void *state)
{
    return &work_of(state)->style;
}

extern "C" const nb_light_backend nb_light_cuda;
const nb_light_backend nb_light_cuda = {
    .device = "cuda",
    .open = light_open,
    .close = light_close,
    .style = light_style,
    .clear = light_clear,
    .put = light_put_bodies,
    .finish = light_finish,
    .measure = light_measure_picture,
    .tone = light_tone_picture,
    .fetch = light_fetch,
    .sums = light_sums,
};
