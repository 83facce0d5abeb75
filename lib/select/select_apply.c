/* select_apply.c - evaluates conditions and expressions for the bodies of a frame, and copies the bodies that a mask
 * selects. Declared in select.h. */
#include "select/select.h"

#include "base/error.h"
#include "select/select_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- evaluation ---- */

static bool make_stacks(const struct nb_select *s, struct nb_select_stacks *w)
{
    w->numbers = malloc((size_t)(s->numbers > 0 ? s->numbers : 1) * sizeof *w->numbers);
    w->conditions = malloc((size_t)(s->conditions > 0 ? s->conditions : 1) * sizeof *w->conditions);
    return w->numbers && w->conditions;
}

static void free_stacks(struct nb_select_stacks *w)
{
    free(w->numbers);
    free(w->conditions);
}

/* a program that nb_select_bind has bound to the columns of a frame, and its output: an array with one element per
 * body, `mask` for a condition or `value` for a number */
struct bound {
    const struct nb_select *s;
    struct nb_step *steps;
    int count;
    unsigned char *mask;
    double *value;
};

static uint64_t run_block(const struct bound *p, uint64_t i0, uint64_t i1, struct nb_select_stacks *w)
{
    uint64_t held = 0;
    nb_select_run(p->steps, p->count, i0, i1, w);
    if (p->value)
        memcpy(p->value + i0, w->numbers[0], (size_t)(i1 - i0) * sizeof *p->value);
    else
        memcpy(p->mask + i0, w->conditions[0], (size_t)(i1 - i0));
    for (uint64_t i = i0; p->mask && i < i1; i++)
        held += p->mask[i];
    return held;
}

static int run_all(const struct bound *p, uint64_t n, uint64_t *total)
{
    const uint64_t blocks = n / NB_SELECT_BLOCK + (n % NB_SELECT_BLOCK > 0);
    uint64_t sum = 0;
    int failed = 0;
#pragma omp parallel reduction(+ : sum) reduction(| : failed) if (blocks > 16)
    {
        struct nb_select_stacks w;
        failed = !make_stacks(p->s, &w);
#pragma omp for schedule(static)
        for (uint64_t k = 0; k < blocks; k++) {
            const uint64_t i0 = k * NB_SELECT_BLOCK, i1 = n - i0 < NB_SELECT_BLOCK ? n : i0 + NB_SELECT_BLOCK;
            sum += failed ? 0 : run_block(p, i0, i1, &w);
        }
        free_stacks(&w);
    }
    *total = sum;
    return failed ? nb_fail("no memory to select bodies") : 0;
}

static int bind(struct bound *p, const struct nb_bodies *b)
{
    p->steps = malloc((size_t)p->s->count * sizeof *p->steps);
    if (!p->steps)
        return nb_fail("no memory to select bodies");
    p->count = nb_select_bind(p->s, b, p->steps);
    return p->count < 0 ? -1 : 0;
}

int nb_select_apply(const struct nb_select *s, const struct nb_bodies *b, unsigned char *mask, uint64_t *count)
{
    struct bound p = {.s = s, .mask = mask};
    const int status = bind(&p, b) || run_all(&p, b->n, count) ? -1 : 0;
    free(p.steps);
    return status;
}

/* ---- expressions ---- */

static int check_whole(const struct nb_column *c, uint64_t n)
{
    const uint64_t *value = c->data, most = (uint64_t)1 << 53;
    uint64_t first = n;
#pragma omp parallel for reduction(min : first) schedule(static) if (n > 1 << 16)
    for (uint64_t i = 0; i < n; i++)
        if (value[i] > most && i < first)
            first = i;
    return first == n ? 0
                      : nb_fail("body %" PRIu64 ": %s %" PRIu64 " is above 2^53, so an expression would round it",
                                first / (uint64_t)c->width, c->name, value[first]);
}

int nb_select_compute(const struct nb_select *s, const struct nb_bodies *b, double *value)
{
    struct bound p = {.s = s, .value = value};
    uint64_t none;
    int status = bind(&p, b);
    for (int k = 0; k < p.count && status == 0; k++)
        if (p.steps[k].code == OP_LOAD && p.steps[k].column->type == NB_U64)
            status = check_whole(p.steps[k].column, b->n * (uint64_t)p.steps[k].column->width);
    if (status == 0)
        status = run_all(&p, b->n, &none);
    free(p.steps);
    return status;
}

const struct nb_column *nb_select_whole(const struct nb_select *s, const struct nb_bodies *b, bool *negative)
{
    struct nb_step step[2];
    *negative = s->count == 2 && s->ops[1].code == OP_NEGATE;
    if (s->count > 2 || (s->count == 2 && !*negative) || nb_select_bind(s, b, step) < 0 || step[0].code != OP_LOAD)
        return NULL;
    return step[0].column->type == NB_U64 && step[0].column->width == 1 ? step[0].column : NULL;
}

/* ---- copies of the selected bodies ---- */

#define CHUNK 4096 /* number of bodies that one thread copies at once */

/* Copies rows row[0] to row[count - 1] of a column. A row has `bytes` bytes: the values of one body. In copy_rows,
 * `bytes` is a constant, because the compiler replaces memcpy of a constant size by a few instructions. */
#define COPY(bytes)                                                       \
    for (size_t j = 0; j < count; j++)                                    \
        memcpy(to + j * (bytes), from + (size_t)row[j] * (bytes), bytes); \
    break

static void copy_rows(char *restrict to, const char *restrict from, size_t bytes, const uint16_t *row, size_t count)
{
    switch (bytes) {
    case 1: COPY(1);
    case 4: COPY(4);
    case 8: COPY(8);
    case 12: COPY(12);
    case 24: COPY(24);
    default: COPY(bytes);
    }
}

/* Copies the bodies from i0 to i0 + CHUNK - 1 that the mask selects. The first copy becomes body `at` of `to`. */
static void copy_chunk(const struct nb_bodies *from, const unsigned char *mask, uint64_t i0, uint64_t at,
                       struct nb_bodies *to)
{
    const uint64_t n = from->n - i0 < CHUNK ? from->n - i0 : CHUNK;
    uint16_t row[CHUNK];
    size_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        row[count] = (uint16_t)i;
        count += mask[i0 + i] != 0;
    }
    for (int k = 0; k < from->column_count && count > 0; k++) {
        const struct nb_column *c = &from->columns[k];
        const size_t bytes = nb_type_size(c->type) * (size_t)c->width;
        copy_rows((char *)to->columns[k].data + (size_t)at * bytes, (const char *)c->data + (size_t)i0 * bytes, bytes,
                  row, count);
    }
}

static uint64_t chunks_of(uint64_t n)
{
    return n / CHUNK + (n % CHUNK > 0);
}

static void copy_all(const struct nb_bodies *from, const unsigned char *mask, struct nb_bodies *to, uint64_t *place)
{
    const uint64_t chunks = chunks_of(from->n);
    uint64_t at = 0;
    for (uint64_t k = 0; k < chunks; k++) {
        const uint64_t end = k + 1 < chunks ? (k + 1) * CHUNK : from->n;
        unsigned count = 0;
        for (uint64_t i = k * CHUNK; i < end; i++)
            count += mask[i] != 0;
        place[k] = at;
        at += count;
    }
#pragma omp parallel for schedule(static) if (chunks > 4)
    for (uint64_t k = 0; k < chunks; k++)
        copy_chunk(from, mask, k * CHUNK, place[k], to);
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
    uint64_t *place = malloc((size_t)(chunks_of(from->n) + 1) * sizeof *place);
    if (!place)
        return nb_fail("no memory to select bodies");
    const int status = make_room(to, from, count);
    if (status == 0)
        copy_all(from, mask, to, place);
    free(place);
    return status;
}
