#include "select/select.h"

#include "error.h"
#include "select/select_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- which bodies ---- */

static bool make_stacks(const struct nb_select *s, struct nb_select_stacks *w)
{
    w->numbers = malloc((size_t)(s->numbers > 0 ? s->numbers : 1) * sizeof *w->numbers);
    w->conditions = malloc((size_t)s->conditions * sizeof *w->conditions);
    return w->numbers && w->conditions;
}

static void free_stacks(struct nb_select_stacks *w)
{
    free(w->numbers);
    free(w->conditions);
}

static uint64_t run_block(const struct nb_step *steps, int count, uint64_t i0, uint64_t i1, struct nb_select_stacks *w,
                          unsigned char *mask)
{
    uint64_t held = 0;
    nb_select_run(steps, count, i0, i1, w);
    memcpy(mask + i0, w->conditions[0], (size_t)(i1 - i0));
    for (uint64_t i = i0; i < i1; i++)
        held += mask[i];
    return held;
}

static int run_all(const struct nb_select *s, const struct nb_step *steps, int count, uint64_t n, unsigned char *mask,
                   uint64_t *total)
{
    const uint64_t blocks = n / NB_SELECT_BLOCK + (n % NB_SELECT_BLOCK > 0);
    uint64_t sum = 0;
    int failed = 0;
#pragma omp parallel reduction(+ : sum) reduction(| : failed) if (blocks > 16)
    {
        struct nb_select_stacks w;
        failed = !make_stacks(s, &w);
#pragma omp for schedule(static)
        for (uint64_t k = 0; k < blocks; k++) {
            const uint64_t i0 = k * NB_SELECT_BLOCK, i1 = n - i0 < NB_SELECT_BLOCK ? n : i0 + NB_SELECT_BLOCK;
            sum += failed ? 0 : run_block(steps, count, i0, i1, &w, mask);
        }
        free_stacks(&w);
    }
    *total = sum;
    return failed ? nb_fail("no memory to select bodies") : 0;
}

int nb_select_apply(const struct nb_select *s, const struct nb_bodies *b, unsigned char *mask, uint64_t *count)
{
    struct nb_step *steps = malloc((size_t)s->count * sizeof *steps);
    if (!steps)
        return nb_fail("no memory to select bodies");
    const int steps_count = nb_select_bind(s, b, steps);
    const int status = steps_count < 0 ? -1 : run_all(s, steps, steps_count, b->n, mask, count);
    free(steps);
    return status;
}

/* ---- the bodies alone ---- */

#define CHUNK ((uint64_t)1 << 16) /* bodies whose place in the copy is counted together */

static void copy_rows(const struct nb_column *from, struct nb_column *to, const unsigned char *mask, uint64_t i0,
                      uint64_t i1, uint64_t at)
{
    const size_t size = nb_type_size(from->type) * (size_t)from->width;
    const char *source = from->data;
    char *target = (char *)to->data + (size_t)at * size;
    for (uint64_t begin = i0; begin < i1;) {
        while (begin < i1 && !mask[begin])
            begin++;
        uint64_t end = begin;
        while (end < i1 && mask[end])
            end++;
        memcpy(target, source + (size_t)begin * size, (size_t)(end - begin) * size);
        target += (size_t)(end - begin) * size;
        begin = end;
    }
}

static void copy_all(const struct nb_bodies *from, const unsigned char *mask, struct nb_bodies *to, uint64_t *place)
{
    const uint64_t chunks = from->n / CHUNK + (from->n % CHUNK > 0);
    uint64_t at = 0;
    for (uint64_t k = 0; k < chunks; k++) {
        place[k] = at;
        for (uint64_t i = k * CHUNK; i < from->n && i < (k + 1) * CHUNK; i++)
            at += mask[i] != 0;
    }
#pragma omp parallel for schedule(static) if (chunks > 1)
    for (uint64_t k = 0; k < chunks; k++)
        for (int c = 0; c < from->column_count; c++)
            copy_rows(&from->columns[c], &to->columns[c], mask, k * CHUNK,
                      from->n - k * CHUNK < CHUNK ? from->n : (k + 1) * CHUNK, place[k]);
}

static bool has_room(const struct nb_bodies *to, const struct nb_bodies *from, uint64_t count)
{
    bool same = to->n == count && to->column_count == from->column_count;
    for (int k = 0; same && k < to->column_count; k++) {
        const struct nb_column *a = &to->columns[k], *b = &from->columns[k];
        same = a->data && strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0 && a->type == b->type &&
               a->width == b->width;
    }
    return same;
}

static int make_room(struct nb_bodies *to, const struct nb_bodies *from, uint64_t count)
{
    if (has_room(to, from, count))
        return nb_meta_copy(&to->meta, &from->meta);
    if (nb_bodies_copy_layout(to, from))
        return -1;
    to->n = count;
    return nb_bodies_alloc(to);
}

int nb_select_take(const struct nb_bodies *from, const unsigned char *mask, uint64_t count, struct nb_bodies *to)
{
    uint64_t *place = malloc((size_t)(from->n / CHUNK + 1) * sizeof *place);
    if (!place)
        return nb_fail("no memory to select bodies");
    const int status = make_room(to, from, count);
    if (status == 0)
        copy_all(from, mask, to, place);
    free(place);
    return status;
}
