/* fill.c - computes the bodies of a model, and processes them in parallel block by block. */

#include "nbgen.h"

#include "simd/columns.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gen_fill_part(const struct gen_part *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    if (part->fill) {
        part->fill(part->data, i0, i1, out);
        return;
    }
    for (uint64_t i = 0; i < i1 - i0; i++) {
        struct gen_body b;
        part->body(part->data, i0 + i, out->pos || out->vel, out->vel, &b);
        if (out->component)
            out->component[i] = (uint8_t)b.component;
        if (out->mass)
            out->mass[i] = b.mass;
        if (out->pos)
            memcpy(out->pos + 3 * i, b.pos, sizeof b.pos);
        if (out->vel)
            memcpy(out->vel + 3 * i, b.vel, sizeof b.vel);
    }
}

static void put_part(const struct gen_part *part, const struct gen_scale *scale, uint64_t i0, uint64_t i1,
                     struct gen_block *out)
{
    uint64_t n = i1 - i0;
    gen_fill_part(part, i0, i1, out);
    if (out->galaxy)
        memset(out->galaxy, part->galaxy, n);
    for (uint64_t i = 0; out->mass && i < n; i++)
        out->mass[i] *= scale->mass;
    for (uint64_t i = 0; out->radius && i < n; i++)
        out->radius[i] *= scale->length;
    if (out->pos)
        nb_columns()->move(n, part->centred ? part->shift_pos : NULL, scale->length, out->pos);
    if (out->vel)
        nb_columns()->move(n, part->centred ? part->shift_vel : NULL, scale->velocity, out->vel);
}

void gen_fill_plan(const struct gen_plan *plan, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    uint64_t begin = 0; /* index in the plan of the first body of part p */
    for (int p = 0; p < plan->part_count; begin += plan->parts[p++].n) {
        uint64_t from = i0 > begin ? i0 : begin;
        uint64_t to = i1 < begin + plan->parts[p].n ? i1 : begin + plan->parts[p].n;
        if (from >= to)
            continue;
        struct gen_block block = {
            .component = out->component ? out->component + (from - i0) : NULL,
            .galaxy = out->galaxy ? out->galaxy + (from - i0) : NULL,
            .mass = out->mass ? out->mass + (from - i0) : NULL,
            .radius = out->radius ? out->radius + (from - i0) : NULL,
            .temperature = out->temperature ? out->temperature + (from - i0) : NULL,
            .pos = out->pos ? out->pos + 3 * (from - i0) : NULL,
            .vel = out->vel ? out->vel + 3 * (from - i0) : NULL,
        };
        put_part(&plan->parts[p], &plan->scale, from - begin, to - begin, &block);
    }
}

/* ---- block by block ---- */

/* Number of blocks of a batch for each thread. One thread writes a batch while the others compute the next batch. */
#define BATCH 32

uint64_t gen_batch(void)
{
    return (uint64_t)BATCH * (uint64_t)omp_get_max_threads() * GEN_BLOCK;
}

struct run {
    uint64_t n, batch; /* n: number of bodies; batch: number of blocks of a batch */
    gen_make *make;
    gen_take *take;
    void *context;
    char *buffers; /* buffers of two batches: one is computed while the other is written */
    size_t buffer_size;
    bool failed; /* `take` has failed */
    int why;
    char message[NB_ERROR_MAX];
};

static void *buffer_of(const struct run *run, uint64_t block)
{
    return run->buffers + run->buffer_size * (block % (2 * run->batch));
}

static uint64_t end_of(const struct run *run, uint64_t block)
{
    uint64_t i0 = block * GEN_BLOCK;
    return run->n - i0 < GEN_BLOCK ? run->n : i0 + GEN_BLOCK;
}

static void take_blocks(struct run *run, uint64_t begin, uint64_t end)
{
    for (uint64_t block = begin; block < end && !run->failed; block++) {
        if (run->take(run->context, block * GEN_BLOCK, end_of(run, block), buffer_of(run, block)) == 0)
            continue;
        run->failed = true;
        run->why = errno;
        snprintf(run->message, sizeof run->message, "%s", nb_error());
    }
}

/* Computes blocks [begin, end) in parallel, while one thread passes the previous batch to run->take. Blocks are
 * computed in any order, because threads that wait for each other would be slow on a busy machine. */
static void turn(struct run *run, uint64_t begin, uint64_t end)
{
    uint64_t before = begin < run->batch ? begin : run->batch;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t k = 0; k <= end - begin; k++)
        if (k == 0)
            take_blocks(run, begin - before, begin);
        else
            run->make(run->context, (begin + k - 1) * GEN_BLOCK, end_of(run, begin + k - 1),
                      buffer_of(run, begin + k - 1));
}

int gen_in_order(uint64_t n, size_t buffer_size, gen_make *make, gen_take *take, void *context)
{
    struct run run = {.n = n, .make = make, .take = take, .context = context, .buffer_size = buffer_size};
    uint64_t blocks = (n + GEN_BLOCK - 1) / GEN_BLOCK, begin = 0;
    run.batch = gen_batch() / GEN_BLOCK;
    run.buffers = gen_memory(buffer_size * 2 * run.batch);
    for (; begin < blocks && !run.failed; begin += run.batch)
        turn(&run, begin, blocks - begin < run.batch ? blocks : begin + run.batch);
    take_blocks(&run, begin - run.batch, blocks);
    free(run.buffers);
    if (!run.failed)
        return 0;
    nb_fail("%s", run.message);
    errno = run.why;
    return -1;
}
