/* autotune.cu - chooses the number of threads of a block by measurement. Declared in autotune.cuh. */
#include "base/error.h"
#include "device/timing.h"
#include "reference/methods/cuda/autotune.cuh"

#include <cstdio>
#include <cstdlib>

#define REPEATS 3   /* number of timed launches for each block size */
#define LONG_S  0.1 /* a launch that takes more than LONG_S seconds is not repeated */

struct marks {
    void *from, *to;
};

/* Returns the time of one launch in seconds, negative if it fails. */
static double launch_s(struct nb_device *device, marks *m, block_launch *launch, void *context, int threads)
{
    if (nb_device_mark(device, &m->from) || launch(context, threads) || nb_device_mark(device, &m->to))
        return -1;
    return nb_device_marked_s(device, m->from, m->to);
}

/* Launches the kernel once to load it, then up to REPEATS times to measure it. Returns the shortest measured time in
 * seconds, or a negative number if a launch fails. */
static double best_s(struct nb_device *device, marks *m, block_launch *launch, void *context, int threads)
{
    double best = launch_s(device, m, launch, context, threads);
    for (int k = 0; k < REPEATS && best >= 0 && (k == 0 || best < LONG_S); k++) {
        const double took_s = launch_s(device, m, launch, context, threads);
        if (took_s < 0)
            return -1;
        best = took_s < best || k == 0 ? took_s : best;
    }
    return best;
}

/* Measures the time of a launch with each number of threads in nb_block_words that is at least choice->least. Writes
 * the times to choice->tried, and the number of threads with the shortest time to choice->taken. */
static void try_all(struct nb_device *device, struct block_choice *choice, block_launch *launch, void *context)
{
    double best = -1;
    size_t used = 0;
    marks m = {};
    for (int k = 0; nb_block_words[k]; k++) {
        const int threads = atoi(nb_block_words[k]);
        if (threads < choice->least)
            continue;
        const double took_s = best_s(device, &m, launch, context, threads);
        if (used < sizeof choice->tried)
            used += (size_t)snprintf(choice->tried + used, sizeof choice->tried - used,
                                     took_s < 0 ? "%s%d: does not run" : "%s%d: %.4g ms", used ? ", " : "", threads,
                                     1e3 * took_s);
        if (took_s < 0 || (best >= 0 && took_s >= best))
            continue;
        best = took_s;
        choice->taken = threads;
    }
    if (choice->taken && used < sizeof choice->tried)
        snprintf(choice->tried + used, sizeof choice->tried - used, "; %d threads a block are taken", choice->taken);
    nb_device_mark_free(device, m.from);
    nb_device_mark_free(device, m.to);
}

static bool is_chosen(const block_choice *choice, uint64_t n)
{
    return choice->asked || (choice->taken && choice->n == n);
}

int block_choose(block_work *w, uint64_t n, block_launch *launch, void *context)
{
    block_choice *choice = &w->choice;
    if (is_chosen(choice, n))
        return 0;
    nb_timing_stage(w->device, "autotune");
    choice->taken = 0;
    choice->n = n;
    try_all(w->device, choice, launch, context);
    return choice->taken ? 0 : -1;
}

int block_choose_beside(block_work *w, enum nb_precision precision, uint64_t n, nb_field *out, block_launch *launch,
                        void *context)
{
    nb_cuda_buffer trial = {};
    const nb_field field = *out;
    const size_t row_bytes = out->stride * nb_precision_size(precision);
    if (is_chosen(&w->choice, n))
        return 0;
    if (nb_cuda_reserve(&trial, 4 * row_bytes))
        return -1;
    out->a = out->a ? trial.d : nullptr;
    out->phi = out->phi ? (char *)trial.d + 3 * row_bytes : nullptr;
    out->add = false;
    const int status = block_choose(w, n, launch, context);
    *out = field;
    nb_cuda_release(&trial);
    return status;
}

/* ---- working memory ---- */

void *block_work_open(size_t size_bytes, struct nb_device *device, const struct nb_force_spec *spec)
{
    block_work *w = (block_work *)nb_memory_new(size_bytes);
    if (!w)
        return nullptr;
    w->choice.asked = w->choice.taken = nb_block_threads(spec);
    w->choice.least = 32;
    w->device = device;
    w->stream = nb_cuda_stream(device);
    return w;
}

void block_work_close(void *work, std::initializer_list<nb_cuda_buffer *> buffers)
{
    block_work *w = (block_work *)work;
    nb_cuda_release_all(w->device, buffers);
    free(w);
}

bool block_recordable(const void *, enum nb_precision, uint64_t)
{
    return true;
}

const char *block_notes(const void *work)
{
    const block_work *w = (const block_work *)work;
    return *w->choice.tried ? w->choice.tried : nullptr;
}
