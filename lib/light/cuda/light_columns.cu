/* light_columns.cu - uploads the bodies' columns. CPU threads copy pieces into pinned memory, and the copy engine
 * transfers them while earlier pieces are processed. Declared in light_cuda.cuh. */
#include "device/timing.h"
#include "light/cuda/light_cuda.cuh"
#include "light/cuda/light_stage.h"

#define PIECE ((size_t)4 << 20) /* size of one piece of a column, bytes */

int light_upload_open(light_upload *u)
{
    for (int k = 0; k < LIGHT_STAGES; k++)
        if (NB_CUDA(cudaEventCreateWithFlags(&u->passed[k], cudaEventDisableTiming)))
            return -1;
    return NB_CUDA(cudaHostAlloc((void **)&u->stage, LIGHT_STAGES * PIECE, cudaHostAllocDefault)) ||
                   NB_CUDA(cudaStreamCreateWithFlags(&u->stream, cudaStreamNonBlocking)) ||
                   NB_CUDA(cudaEventCreateWithFlags(&u->ready, cudaEventDisableTiming)) ||
                   NB_CUDA(cudaEventCreateWithFlags(&u->done, cudaEventDisableTiming))
               ? -1
               : 0;
}

void light_upload_close(light_upload *u)
{
    if (u->stream)
        cudaStreamSynchronize(u->stream);
    for (nb_cuda_buffer *b : {&u->pos, &u->light, &u->step, &u->value, &u->ramp, &u->level_step})
        nb_cuda_release(b);
    for (cudaEvent_t event : {u->passed[0], u->passed[1], u->passed[2], u->passed[3], u->ready, u->done})
        if (event)
            cudaEventDestroy(event);
    if (u->stream)
        cudaStreamDestroy(u->stream);
    cudaFreeHost(u->stage);
}

/* Bytes of one body in each column; 0 for columns that do not exist. */
struct widths {
    size_t pos, light, step, value;
};

static widths widths_of(const nb_light_bodies *b)
{
    return {3 * nb_type_size(b->pos->type), nb_light_has_light(b) ? sizeof *b->light : 0,
            nb_light_has_step(b) && !b->value ? sizeof *b->step : 0, b->value ? sizeof *b->value : 0};
}

size_t light_body_bytes(const nb_light_bodies *b)
{
    const widths w = widths_of(b);
    return w.pos + w.light + w.step + w.value;
}

/* Uploads a small table `from`. Does nothing if `from` is NULL. The caller may change the table after the call. */
static int upload_table(nb_device *d, nb_cuda_buffer *to, const void *from, size_t size_bytes)
{
    if (!from)
        return 0;
    return nb_cuda_reserve(to, size_bytes) ||
                   NB_CUDA(cudaMemcpyAsync(to->d, from, size_bytes, cudaMemcpyHostToDevice, nb_cuda_stream(d)))
               ? -1
               : 0;
}

int light_upload_begin(nb_device *d, light_upload *u, const nb_light_bodies *b, uint64_t room)
{
    const widths w = widths_of(b);
    return nb_cuda_reserve(&u->pos, room * w.pos) || nb_cuda_reserve(&u->light, room * w.light) ||
                   nb_cuda_reserve(&u->step, room * w.step) || nb_cuda_reserve(&u->value, room * w.value) ||
                   upload_table(d, &u->ramp, b->value ? nullptr : b->ramp,
                                (b->steps ? b->steps : NB_LIGHT_STEPS) * sizeof *b->ramp) ||
                   upload_table(d, &u->level_step, nb_light_has_step(b) ? nullptr : b->level_step,
                                NB_LIGHT_LEVEL_STEPS * sizeof *b->level_step)
               ? -1
               : 0;
}

/* Source of the values of one column. */
struct origin {
    const void *from; /* values of all bodies; NULL: b->fill computes the values */
    const nb_light_bodies *b;
    bool steps; /* only if `from` is NULL: true if b->fill computes colour steps, false if it computes light */
};

/* Writes a piece of a column to `to`, which is pinned memory: copies it or computes it. The piece has `bytes` bytes and
 * begins at byte `at` of the column. */
static void stage(const origin &o, char *to, size_t at, size_t bytes)
{
    if (o.from)
        nb_light_stage(to, (const char *)o.from + at, bytes);
    else if (o.steps)
        nb_light_stage_filled(o.b, at / sizeof(uint16_t), bytes / sizeof(uint16_t), nullptr, (uint16_t *)to);
    else
        nb_light_stage_filled(o.b, at / sizeof(float), bytes / sizeof(float), (float *)to, nullptr);
}

/* Uploads bytes [begin, begin + size_bytes) of a column piece by piece on u->stream. */
static int upload(light_upload *u, void *d_to, const origin &o, size_t begin, size_t size_bytes)
{
    for (size_t at = 0; at < size_bytes; at += PIECE) {
        const size_t bytes = size_bytes - at < PIECE ? size_bytes - at : PIECE;
        const int k = u->next++ % LIGHT_STAGES;
        u->next %= LIGHT_STAGES;
        if (NB_CUDA(cudaEventSynchronize(u->passed[k])))
            return -1;
        stage(o, u->stage + (size_t)k * PIECE, begin + at, bytes);
        if (NB_CUDA(cudaMemcpyAsync((char *)d_to + at, u->stage + (size_t)k * PIECE, bytes, cudaMemcpyHostToDevice,
                                    u->stream)) ||
            NB_CUDA(cudaEventRecord(u->passed[k], u->stream)))
            return -1;
    }
    return 0;
}

/* Uploads the values of bodies [i0, i0 + count) of one column to the elements of `to` from index `at` on. width: size
 * of one value in bytes; 0: the column does not exist. */
static int upload_column(light_upload *u, const nb_cuda_buffer *to, const origin &o, size_t width, uint64_t i0,
                         uint64_t count, uint64_t at)
{
    return width ? upload(u, (char *)to->d + at * width, o, i0 * width, count * width) : 0;
}

int light_upload_bodies(nb_device *d, light_upload *u, const nb_light_bodies *b, uint64_t i0, uint64_t count,
                        uint64_t at)
{
    const widths w = widths_of(b);
    const origin pos = {b->pos->data}, light = {b->fill ? nullptr : b->light, b, false},
                 step = {b->fill ? nullptr : b->step, b, true}, value = {b->value};
    nb_timing_stage(d, "upload");
    return NB_CUDA(cudaStreamWaitEvent(u->stream, u->done, 0)) ||
                   upload_column(u, &u->pos, pos, w.pos, i0, count, at) ||
                   upload_column(u, &u->light, light, w.light, i0, count, at) ||
                   upload_column(u, &u->step, step, w.step, i0, count, at) ||
                   upload_column(u, &u->value, value, w.value, i0, count, at) ||
                   NB_CUDA(cudaEventRecord(u->ready, u->stream)) ||
                   NB_CUDA(cudaStreamWaitEvent(nb_cuda_stream(d), u->ready, 0))
               ? -1
               : 0;
}

int light_upload_done(nb_device *d, light_upload *u)
{
    return NB_CUDA(cudaEventRecord(u->done, nb_cuda_stream(d)));
}

light_columns light_columns_at(const light_upload *u, const nb_light_bodies *b, uint64_t at, uint64_t count)
{
    const widths w = widths_of(b);
    light_columns c = {};
    c.count = count;
    c.single = b->pos->type == NB_F32;
    c.pos = (const char *)u->pos.d + at * w.pos;
    c.light = w.light ? (const float *)u->light.d + at : nullptr;
    c.step = w.step ? (const uint16_t *)u->step.d + at : nullptr;
    c.value = w.value ? (const float *)u->value.d + at : nullptr;
    c.ramp = b->value ? nullptr : (const float4 *)u->ramp.d;
    c.level_step = nb_light_has_step(b) || !b->level_step ? nullptr : (const uint16_t *)u->level_step.d;
    return c;
}
