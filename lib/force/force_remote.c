/* force_remote.c - sends calls of a force from rank 0 to another rank, and executes them there. Declared in
 * force_remote.h. */
#include "force/force_remote.h"

#include "base/error.h"
#include "base/memory.h"
#include "force/force_remote_calls.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct remote_force { /* the functions of `entry` get a pointer to this struct as their argument `work` */
    struct nb_force entry;
    struct nb_force_shares shares;
    struct nb_force_counts counts;
    struct nb_force_steps steps;
    void *work; /* the force's working memory: an address on the other rank */
    int row;    /* index in nb_forces, which is the same list on all ranks */
};

/* ---- rank 0: sends calls ---- */

static int remote_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    const struct remote_force *f = work;
    const struct field_call w = {f->row, f->work, precision, *s, *t, *out, {0, 0}};
    struct nb_rank_call call = nb_rank_call(CALL_FIELD, &w, sizeof w);
    return nb_rank_post(device, &call);
}

static int remote_share(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const double share[2], const struct nb_field *out, double *seconds)
{
    const struct remote_force *f = work;
    const struct field_call w = {f->row, f->work, precision, *s, {0}, *out, {share[0], share[1]}};
    struct nb_rank_call call = nb_rank_call(CALL_SHARE, &w, sizeof w);
    return nb_rank_ask(device, &call, seconds, sizeof *seconds);
}

static int remote_sum(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n,
                      uint64_t own_stride, const void *d_m, const void *d_own, double sum[4])
{
    const struct remote_force *f = work;
    const struct sum_call w = {f->row, f->work, precision, n, own_stride, d_m, d_own, {0}, {0}};
    struct nb_rank_call call = nb_rank_call(CALL_SUM, &w, sizeof w);
    return nb_rank_ask(device, &call, sum, 4 * sizeof *sum);
}

static int remote_finish(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n,
                         uint64_t own_stride, const void *d_own, const double sum[4], const struct nb_field *out)
{
    const struct remote_force *f = work;
    struct sum_call w = {f->row, f->work, precision, n, own_stride, NULL, d_own, {0}, *out};
    memcpy(w.sum, sum, sizeof w.sum);
    struct nb_rank_call call = nb_rank_call(CALL_FINISH, &w, sizeof w);
    return nb_rank_post(device, &call);
}

/* Sends the force's checkpoint data to the other rank: the bytes from position k->at to the end of the section. Also
 * sends up to 15 bytes before k->at, so that the data have the same alignment (16 bytes) on the other rank. */
static int remote_carry(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k)
{
    const struct remote_force *f = work;
    const size_t begin = k->at / 16 * 16;
    struct work_call w = {f->row, f->work, n, *k};
    size_t used;
    if (k->way != NB_PACK_LOAD)
        return nb_fail("force %s: the data of another rank cannot be written to a checkpoint (please report this)",
                       f->entry.method);
    w.pack.data = NULL;
    w.pack.at -= begin;
    w.pack.section_begin = 1;
    w.pack.section_end -= begin;
    w.pack.size_bytes = w.pack.section_end;
    struct nb_rank_call call = nb_rank_call(CALL_LOAD, &w, sizeof w);
    if (nb_rank_ask_with(device, &call, k->data + begin, w.pack.size_bytes, &used, sizeof used))
        return -1;
    k->at = begin + used;
    return 0;
}

static int remote_longest_step(struct nb_device *device, void *work, const struct nb_state *s,
                               double least[NB_LEAST_MAX], double *h)
{
    const struct remote_force *f = work;
    struct state_call w = {.row = f->row, .work = f->work, .s = *s};
    if (h)
        return nb_fail("force %s: the bodies of another rank alone cannot bound the step", f->entry.method);
    memcpy(w.least, least, sizeof w.least);
    struct nb_rank_call call = nb_rank_call(CALL_LEAST, &w, sizeof w);
    return nb_rank_ask(device, &call, least, sizeof w.least);
}

static int remote_boundary(struct nb_device *device, void *work, struct nb_state *s, uint64_t first, bool asked)
{
    const struct remote_force *f = work;
    const struct state_call w = {.row = f->row, .work = f->work, .s = *s, .first = first};
    struct nb_rank_call call = nb_rank_call(CALL_BOUNDARY, &w, sizeof w);
    (void)asked; /* not sent: if there are several ranks, `boundary` never prepares the next evaluation */
    return nb_rank_post(device, &call);
}

static int remote_report(struct nb_device *device, void *work, struct nb_meta *meta)
{
    const struct remote_force *f = work;
    const struct work_call w = {.row = f->row, .work = f->work};
    struct nb_rank_call call = nb_rank_call(CALL_REPORT, &w, sizeof w);
    if (meta)
        return nb_fail("force %s: another rank cannot write a header", f->entry.method);
    return nb_rank_ask(device, &call, NULL, 0);
}

static int remote_fetch(struct nb_device *device, void *work, void *counts)
{
    const struct remote_force *f = work;
    const struct work_call w = {.row = f->row, .work = f->work};
    struct nb_rank_call call = nb_rank_call(CALL_FETCH, &w, sizeof w);
    return nb_rank_ask(device, &call, counts, f->counts.size_bytes);
}

static int remote_put(struct nb_device *device, void *work, const void *counts)
{
    const struct remote_force *f = work;
    struct counts_call w = {.row = f->row, .work = f->work};
    memcpy(w.counts, counts, f->counts.size_bytes);
    struct nb_rank_call call = nb_rank_call(CALL_PUT, &w, offsetof(struct counts_call, counts) + f->counts.size_bytes);
    return nb_rank_post(device, &call);
}

static void remote_close(struct nb_device *device, void *work)
{
    struct remote_force *f = work;
    const struct work_call w = {.row = f->row, .work = f->work};
    struct nb_rank_call call = nb_rank_call(CALL_CLOSE, &w, sizeof w);
    nb_rank_post(device, &call);
    free(f);
}

/* Returns one text with all extra header lines (meta->extra), which the force on the other rank may read. In this text,
 * each line ends with NUL. */
static char *join_extra(const struct nb_meta *meta, size_t *size_bytes)
{
    *size_bytes = 0;
    for (int k = 0; k < meta->extra_count; k++)
        *size_bytes += strlen(meta->extra[k]) + 1;
    char *all = malloc(*size_bytes + 1), *at = all;
    for (int k = 0; k < meta->extra_count && all; k++)
        at = stpcpy(at, meta->extra[k]) + 1;
    return all;
}

static int ask_to_open(struct remote_force *f, struct nb_device *remote, const struct nb_force_spec *spec,
                       const struct nb_meta *meta)
{
    struct open_call w = {.row = f->row, .meta = *meta};
    char *extra = join_extra(meta, &w.extra_bytes);
    if (!extra)
        return nb_fail("force %s: no memory to send the header to another rank", spec->method);
    w.meta.history = w.meta.forces = w.meta.extra = NULL;
    w.meta.history_count = w.meta.force_count = w.meta.extra_count = 0;
    nb_force_print(spec, w.spec, sizeof w.spec);
    struct nb_rank_call call = nb_rank_call(CALL_OPEN, &w, sizeof w);
    const int status = nb_rank_ask_with(remote, &call, extra, w.extra_bytes, &f->work, sizeof f->work);
    free(extra);
    return status;
}

static void fill_entry(struct remote_force *f, const struct nb_force *row)
{
    f->entry = (struct nb_force){.method = row->method,
                                 .device = row->device,
                                 .about = row->about,
                                 .flags = row->flags,
                                 .kinds = row->kinds,
                                 .field = remote_field,
                                 .close = remote_close,
                                 .carry = row->carry ? remote_carry : NULL};
    memcpy(f->entry.tolerance, row->tolerance, sizeof row->tolerance);
    if (row->steps) {
        f->steps = (struct nb_force_steps){
            .longest = remote_longest_step, .boundary = remote_boundary, .report = remote_report};
        f->entry.steps = &f->steps;
    }
    if (row->steps && row->steps->counts) {
        f->counts = (struct nb_force_counts){
            .size_bytes = row->steps->counts->size_bytes, .fetch = remote_fetch, .put = remote_put};
        f->steps.counts = &f->counts;
        assert(f->counts.size_bytes <= sizeof((struct counts_call *)0)->counts &&
               f->counts.size_bytes <= sizeof((struct nb_rank_answer *)0)->bytes);
    }
    f->entry.shares = NULL;
    if (!row->shares || !row->shares->field)
        return;
    f->shares = (struct nb_force_shares){.field = remote_share,
                                         .sum = row->shares->sum ? remote_sum : NULL,
                                         .finish = row->shares->finish ? remote_finish : NULL};
    f->entry.shares = &f->shares;
}

int nb_force_remote_open(struct nb_device *remote, const struct nb_force *row, const struct nb_force_spec *spec,
                         const struct nb_meta *meta, const struct nb_force **entry, void **work)
{
    struct remote_force *f = nb_memory_new(sizeof *f);
    if (!f)
        return -1;
    while (nb_forces[f->row] != row)
        f->row++;
    fill_entry(f, row);
    if (ask_to_open(f, remote, spec, meta)) {
        free(f);
        return -1;
    }
    *entry = &f->entry;
    *work = f;
    return 0;
}

/* ---- other ranks: execute calls ---- */

/* Called if there is no memory for the data of a call. Receives and discards these data, because rank 0 waits until
 * they are received. */
static int drop(struct nb_ranks *r, size_t data_bytes)
{
    nb_rank_receive(r, NULL, data_bytes);
    return nb_fail("no memory for %zu bytes of data from rank 0", data_bytes);
}

/* The following functions execute calls that rank 0 has sent. `row` is the entry of the called force in nb_forces.
 * `answer` is empty at first; the functions fill it. */

static int serve_open(const struct nb_force *row, struct open_call *w, struct nb_ranks *r, struct nb_device *device,
                      struct nb_rank_answer *answer)
{
    struct nb_force_spec spec;
    void *work = NULL;
    char *extra = malloc(w->extra_bytes + 1);
    if (!extra)
        return drop(r, w->extra_bytes);
    int status = nb_rank_receive(r, extra, w->extra_bytes);
    for (size_t at = 0; at < w->extra_bytes && status == 0; at += strlen(extra + at) + 1)
        status = nb_meta_add_extra(&w->meta, extra + at);
    if (status == 0)
        status = nb_force_parse(w->spec, &spec);
    if (status == 0 && row->open)
        status = (work = row->open(device, &spec, &w->meta)) ? 0 : -1;
    nb_meta_free(&w->meta);
    free(extra);
    nb_rank_put(answer, &work, sizeof work);
    return status;
}

static int serve_close(const struct nb_force *row, const struct work_call *w, struct nb_device *device)
{
    if (w->work)
        row->close(device, w->work);
    return 0;
}

static int serve_share(const struct nb_force *row, const struct field_call *w, struct nb_device *device,
                       struct nb_rank_answer *answer)
{
    double seconds = 0;
    const int status = row->shares->field(device, w->work, w->precision, &w->s, w->share, &w->out, &seconds);
    nb_rank_put(answer, &seconds, sizeof seconds);
    return status;
}

static int serve_sum(const struct nb_force *row, struct sum_call *w, struct nb_device *device,
                     struct nb_rank_answer *answer)
{
    const int status = row->shares->sum(device, w->work, w->precision, w->n, w->own_stride, w->d_m, w->d_own, w->sum);
    nb_rank_put(answer, w->sum, sizeof w->sum);
    return status;
}

static int serve_least(const struct nb_force *row, struct state_call *w, struct nb_device *device,
                       struct nb_rank_answer *answer)
{
    w->s.device = device;
    const int status = row->steps->longest(device, w->work, &w->s, w->least, NULL);
    nb_rank_put(answer, w->least, sizeof w->least);
    return status;
}

static int serve_boundary(const struct nb_force *row, struct state_call *w, struct nb_device *device)
{
    w->s.device = device;
    return row->steps->boundary(device, w->work, &w->s, w->first, false);
}

static int serve_fetch(const struct nb_force *row, const struct work_call *w, struct nb_device *device,
                       struct nb_rank_answer *answer)
{
    struct counts_call found;
    const struct nb_force_counts *c = row->steps->counts;
    const int status = c->fetch(device, w->work, found.counts);
    nb_rank_put(answer, found.counts, c->size_bytes);
    return status;
}

static int serve_load(const struct nb_force *row, struct work_call *w, struct nb_ranks *r, struct nb_device *device,
                      size_t data_bytes, struct nb_rank_answer *answer)
{
    w->pack.data = aligned_alloc(NB_ALIGN, (data_bytes / NB_ALIGN + 1) * NB_ALIGN);
    if (!w->pack.data)
        return drop(r, data_bytes);
    const int status =
        nb_rank_receive(r, w->pack.data, data_bytes) || row->carry(device, w->work, w->n, &w->pack) ? -1 : 0;
    free(w->pack.data);
    nb_rank_put(answer, &w->pack.at, sizeof w->pack.at);
    return status;
}

int nb_force_serve(struct nb_ranks *r, struct nb_device *device, const struct nb_rank_call *call,
                   struct nb_rank_answer *answer)
{
    union {
        int row; /* first member of all calls */
        struct open_call open;
        struct work_call work;
        struct field_call field;
        struct sum_call sum;
        struct state_call state;
        struct counts_call counts;
    } w;
    if (call->number < CALL_OPEN || call->number > CALL_PUT)
        return nb_fail("received an unknown request %d from rank 0 (internal error; please report it)", call->number);
    memcpy(&w, call->bytes, call->size_bytes < sizeof w ? call->size_bytes : sizeof w);
    const struct nb_force *row = nb_forces[w.row];
    const struct field_call *f = &w.field;
    const struct sum_call *sum = &w.sum;
    switch (call->number) {
    case CALL_OPEN: return serve_open(row, &w.open, r, device, answer);
    case CALL_CLOSE: return serve_close(row, &w.work, device);
    case CALL_FIELD: return row->field(device, f->work, f->precision, &f->s, &f->t, &f->out);
    case CALL_SHARE: return serve_share(row, f, device, answer);
    case CALL_SUM: return serve_sum(row, &w.sum, device, answer);
    case CALL_FINISH:
        return row->shares->finish(device, sum->work, sum->precision, sum->n, sum->own_stride, sum->d_own, sum->sum,
                                   &sum->out);
    case CALL_LOAD: return serve_load(row, &w.work, r, device, call->data_bytes, answer);
    case CALL_LEAST: return serve_least(row, &w.state, device, answer);
    case CALL_BOUNDARY: return serve_boundary(row, &w.state, device);
    case CALL_REPORT: return row->steps->report(device, w.work.work, NULL);
    case CALL_FETCH: return serve_fetch(row, &w.work, device, answer);
    default: return row->steps->counts->put(device, w.counts.work, w.counts.counts); /* CALL_PUT */
    }
}
