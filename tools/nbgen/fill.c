#include "nbgen.h"

#include "error.h"

#include <errno.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void move_and_scale(double *vectors, uint64_t n, const double shift[3], bool shifted, double factor)
{
    for (uint64_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            vectors[3 * i + k] = factor * (shifted ? vectors[3 * i + k] + shift[k] : vectors[3 * i + k]);
}

static void fill_part(const struct gen_part *part, const struct gen_scale *scale, uint64_t i0, uint64_t i1,
                      struct gen_block *out)
{
    uint64_t n = i1 - i0;
    part->fill(part->data, i0, i1, out);
    for (uint64_t i = 0; out->mass && i < n; i++)
        out->mass[i] *= scale->mass;
    if (out->pos)
        move_and_scale(out->pos, n, part->shift_pos, part->centred, scale->length);
    if (out->vel)
        move_and_scale(out->vel, n, part->shift_vel, part->centred, scale->velocity);
}

void gen_fill_plan(const struct gen_plan *plan, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    uint64_t begin = 0; /* of the part */
    for (int p = 0; p < plan->part_count; begin += plan->parts[p++].n) {
        uint64_t from = i0 > begin ? i0 : begin;
        uint64_t to = i1 < begin + plan->parts[p].n ? i1 : begin + plan->parts[p].n;
        if (from >= to)
            continue;
        struct gen_block block = {
            .component = out->component ? out->component + (from - i0) : NULL,
            .mass = out->mass ? out->mass + (from - i0) : NULL,
            .pos = out->pos ? out->pos + 3 * (from - i0) : NULL,
            .vel = out->vel ? out->vel + 3 * (from - i0) : NULL,
        };
        fill_part(&plan->parts[p], &plan->scale, from - begin, to - begin, &block);
    }
}

/* What `take` said in whichever thread it failed, for the thread that waits. */
struct failure {
    atomic_bool stop;
    int why;
    char text[512];
};

static void note_failure(struct failure *failure)
{
    failure->why = errno;
    snprintf(failure->text, sizeof failure->text, "%s", nb_error());
    failure->stop = true;
}

int gen_in_order(uint64_t n, size_t room_size, gen_make *make, gen_take *take, void *context)
{
    struct failure failure = {.stop = false};
    char *rooms = malloc(room_size * (size_t)omp_get_max_threads());
    uint64_t blocks = (n + GEN_BLOCK - 1) / GEN_BLOCK;
    if (!rooms)
        die("no memory");
#pragma omp parallel for ordered schedule(static, 1)
    for (uint64_t k = 0; k < blocks; k++) {
        void *room = rooms + room_size * (size_t)omp_get_thread_num();
        uint64_t i0 = k * GEN_BLOCK, i1 = i0 + GEN_BLOCK < n ? i0 + GEN_BLOCK : n;
        if (!failure.stop)
            make(context, i0, i1, room);
#pragma omp ordered
        if (!failure.stop && (tool_signal || take(context, i0, i1, room)))
            note_failure(&failure);
    }
    free(rooms);
    if (tool_signal)
        exit(128 + tool_signal);
    if (!failure.stop)
        return 0;
    nb_fail("%s", failure.text);
    errno = failure.why;
    return -1;
}
