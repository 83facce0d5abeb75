/* ranks_remote.c - a device on rank 0 that represents the device of another rank. Its functions (nb_device_kind) send
 * each call to the other rank. Declared in ranks_state.h and ranks.h. */
#include "base/error.h"
#include "device/range.h"
#include "device/ranks/ranks_call.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct remote {
    struct nb_device base;
    struct nb_device_kind kind; /* copy of remote_kind; base.kind points to this member */
    struct nb_rank_channel channel;
};

static const struct nb_device_kind remote_kind;

static struct remote *remote_of(const struct nb_device *d)
{
    return (struct remote *)d;
}

int nb_rank_of(const struct nb_device *d)
{
    return nb_device_is_remote(d) ? remote_of(d)->channel.number : 0;
}

struct nb_device *nb_rank_remote(struct nb_ranks *r, int number)
{
    struct remote *m = calloc(1, sizeof *m);
    if (!m || nb_rank_begin_channel(&m->channel, r, number)) {
        nb_fail("no memory for the connection to rank %d", number);
        free(m);
        return NULL;
    }
    m->kind = remote_kind;
    m->base.kind = &m->kind;
    return &m->base;
}

void nb_rank_describe(struct nb_device *d, const struct nb_rank_opened *o)
{
    struct remote *m = remote_of(d);
    const struct nb_device_kind *same = m->channel.ranks->inner;
    m->kind.name = m->base.name = same->name;
    m->kind.quad = same->quad;
    m->base.usual = (enum nb_precision)o->usual;
    m->base.index = m->channel.number;
    memcpy(m->base.description, o->description, sizeof m->base.description);
    memcpy(m->base.model, o->model, sizeof m->base.model);
    memcpy(m->base.driver, o->driver, sizeof m->base.driver);
}

/* ---- calls ---- */

int nb_rank_post(struct nb_device *d, struct nb_rank_call *call)
{
    call->answered = 0;
    return nb_rank_channel_post(&remote_of(d)->channel, call);
}

int nb_rank_ask(struct nb_device *d, struct nb_rank_call *call, void *result, size_t size_bytes)
{
    struct nb_rank_channel *c = &remote_of(d)->channel;
    call->answered = 1;
    return nb_rank_channel_post(c, call) || nb_rank_channel_answer(c, result, size_bytes) ? -1 : 0;
}

int nb_rank_ask_with(struct nb_device *d, struct nb_rank_call *call, const void *data, size_t data_bytes, void *result,
                     size_t size_bytes)
{
    struct nb_rank_channel *c = &remote_of(d)->channel;
    call->answered = 1;
    call->data_bytes = data_bytes;
    return nb_rank_channel_post(c, call) ||
                   nb_ranks_send_data(c->ranks, c->number, data, data_bytes, NB_PIECE, NULL, NULL) ||
                   nb_rank_channel_answer(c, result, size_bytes)
               ? -1
               : 0;
}

static int post(struct nb_device *d, int number, const void *arguments, size_t size_bytes)
{
    struct nb_rank_call call = nb_rank_call(number, arguments, size_bytes);
    return nb_rank_post(d, &call);
}

static int ask(struct nb_device *d, int number, void *result, size_t size_bytes)
{
    struct nb_rank_call call = nb_rank_call(number, NULL, 0);
    return nb_rank_ask(d, &call, result, size_bytes);
}

/* Sends a call to the other rank, and after it the data, in pieces of at most piece_bytes. */
static int post_with(struct nb_device *d, struct nb_rank_call *call, const void *from, size_t size_bytes,
                     size_t piece_bytes)
{
    const struct nb_rank_channel *c = &remote_of(d)->channel;
    return nb_rank_post(d, call) || nb_ranks_send_data(c->ranks, c->number, from, size_bytes, piece_bytes, NULL, NULL)
               ? -1
               : 0;
}

/* Sends a call to the other rank. Receives first the data, in pieces of at most piece_bytes, and then the answer. */
static int ask_for_data(struct nb_device *d, struct nb_rank_call *call, void *to, size_t size_bytes, size_t piece_bytes)
{
    struct nb_rank_channel *c = &remote_of(d)->channel;
    call->answered = 1;
    return nb_rank_channel_post(c, call) ||
                   nb_ranks_receive_data(c->ranks, c->number, to, size_bytes, piece_bytes, NULL, NULL) ||
                   nb_rank_channel_answer(c, NULL, 0)
               ? -1
               : 0;
}

static void remote_close(struct nb_device *d)
{
    struct remote *m = remote_of(d);
    post(d, NB_RANK_CLOSE, NULL, 0);
    m->channel.ranks->remote[m->channel.number] = NULL;
    for (int k = 0; k < NB_RANK_SLOTS; k++)
        nb_ranks_wait(m->channel.ranks, &m->channel.slot[k].request);
    pthread_mutex_destroy(&m->channel.lock);
    free(m);
}

/* ---- memory ---- */

static void *remote_alloc(struct nb_device *d, size_t size_bytes)
{
    struct nb_rank_call call = nb_rank_call(NB_RANK_ALLOC, &size_bytes, sizeof size_bytes);
    void *p;
    return nb_rank_ask(d, &call, &p, sizeof p) ? NULL : p;
}

static void remote_free(struct nb_device *d, void *p)
{
    if (p)
        post(d, NB_RANK_FREE, &p, sizeof p);
}

static int remote_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes)
{
    const struct nb_rank_copy w = {d_to, size_bytes, 0};
    struct nb_rank_call call = nb_rank_call(NB_RANK_TO, &w, sizeof w);
    return post_with(d, &call, from, size_bytes, NB_PIECE);
}

static int remote_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes)
{
    const struct nb_rank_copy w = {(void *)d_from, size_bytes, 0};
    struct nb_rank_call call = nb_rank_call(NB_RANK_FROM, &w, sizeof w);
    return ask_for_data(d, &call, to, size_bytes, NB_PIECE);
}

static int remote_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    double bytes[2];
    if (ask(d, NB_RANK_MEMORY, bytes, sizeof bytes))
        return -1;
    *free_bytes = bytes[0];
    *total_bytes = bytes[1];
    return 0;
}

static int remote_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                        const void *column, enum nb_type type, void *d_rows)
{
    const struct nb_column_call c = {precision, n, stride, width, type, d_rows};
    const size_t body = (size_t)width * nb_type_size(type);
    struct nb_rank_call call = nb_rank_call(NB_RANK_STORE, &c, sizeof c);
    return post_with(d, &call, column, n * body, NB_RANK_BODIES * body);
}

static int remote_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                        const void *d_rows, enum nb_type type, void *column)
{
    const struct nb_column_call c = {precision, n, stride, width, type, (void *)d_rows};
    const size_t body = (size_t)width * nb_type_size(type);
    struct nb_rank_call call = nb_rank_call(NB_RANK_FETCH, &c, sizeof c);
    return ask_for_data(d, &call, column, n * body, NB_RANK_BODIES * body);
}

/* ---- vectors ---- */

static int remote_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                       void *d_y)
{
    const struct nb_axpy_call w = {precision, count, a, d_x, d_y};
    return post(d, NB_RANK_AXPY, &w, sizeof w);
}

static int remote_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                             double drift, const void *d_a, void *d_v, void *d_x)
{
    const struct nb_kick_call w = {precision, count, k1, k2, drift, d_a, d_v, d_x};
    return post(d, NB_RANK_KICK_DRIFT, &w, sizeof w);
}

static void append(struct nb_rank_call *call, const void *p, size_t size_bytes)
{
    assert(call->size_bytes + size_bytes <= sizeof call->bytes);
    if (size_bytes > 0)
        memcpy(call->bytes + call->size_bytes, p, size_bytes);
    call->size_bytes += size_bytes;
}

static int remote_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                          const void *const *d_in, int rows, const struct nb_combination *row, double *norm)
{
    const struct nb_rank_combine w = {precision, inputs, rows, norm != NULL, count};
    const size_t scalar = precision == NB_QUAD ? nb_precision_size(NB_QUAD) : sizeof(double);
    struct nb_rank_call call = nb_rank_call(NB_RANK_COMBINE, &w, sizeof w);
    for (int r = 0; r < rows; r++)
        append(&call, row[r].c, (size_t)inputs * scalar);
    append(&call, row, (size_t)rows * sizeof *row);
    append(&call, d_in, (size_t)inputs * sizeof *d_in);
    return norm ? nb_rank_ask(d, &call, norm, (size_t)rows * sizeof *norm) : nb_rank_post(d, &call);
}

static int remote_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                             const void *const *d_derivative, double least, double *time)
{
    struct nb_rank_vectors w = {precision, NB_DERIVATIVES_MAX, n, stride, least, {NULL}};
    memcpy(w.d_vector, d_derivative, sizeof w.d_vector);
    struct nb_rank_call call = nb_rank_call(NB_RANK_STEP_SCALE, &w, sizeof w);
    return nb_rank_ask(d, &call, time, sizeof *time);
}

static int remote_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                        const void *const *d_vector, union nb_range *range)
{
    struct nb_rank_vectors w = {precision, count, n, stride, 0, {NULL}};
    memcpy(w.d_vector, d_vector, (size_t)count * sizeof *d_vector);
    struct nb_rank_call call = nb_rank_call(NB_RANK_RANGE, &w, sizeof w);
    return nb_rank_ask(d, &call, range, sizeof *range);
}

/* ---- individual time steps ---- */

static int remote_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick,
                           double *least)
{
    const struct nb_rank_kick_own w = {precision, *kick};
    struct nb_rank_call call = nb_rank_call(NB_RANK_KICK_OWN, &w, sizeof w);
    return nb_rank_ask(d, &call, least, sizeof *least);
}

static int remote_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                              double range[2])
{
    const struct nb_rank_hermite_own w = {precision, *own};
    struct nb_rank_call call = nb_rank_call(NB_RANK_HERMITE_OWN, &w, sizeof w);
    if (own->task == NB_OWN_PREDICT || own->task == NB_OWN_PUT) { /* these write no step sizes, and do not wait */
        range[0] = INFINITY, range[1] = 0;
        return nb_rank_post(d, &call);
    }
    return nb_rank_ask(d, &call, range, 2 * sizeof *range);
}

static int remote_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                             const void *d_step, double most, uint32_t *d_index, uint64_t *count)
{
    const struct nb_rank_due w = {precision, first, n, d_step, most, d_index};
    struct nb_rank_call call = nb_rank_call(NB_RANK_SELECT_DUE, &w, sizeof w);
    return nb_rank_ask(d, &call, count, sizeof *count);
}

/* ---- waiting, exchanges ---- */

static int remote_sync(struct nb_device *d)
{
    return ask(d, NB_RANK_SYNC, NULL, 0);
}

static int remote_speed(struct nb_device *d, int *processors, double *clock_hz)
{
    double found[2];
    if (ask(d, NB_RANK_SPEED, found, sizeof found))
        return -1;
    *processors = (int)found[0];
    *clock_hz = found[1];
    return 0;
}

static int remote_ready(struct nb_device *d)
{
    return post(d, NB_RANK_READY, NULL, 0);
}

/* Adds a message to the next exchange of the rank that owns the device `d`. If `put` is true, that rank sends the
 * size_bytes bytes at p to rank `other`. Otherwise that rank receives size_bytes bytes from rank `other` and stores
 * them at p. A copy between two devices calls this function twice, for the source device and for the destination
 * device. */
static int tell(struct nb_ranks *r, struct nb_device *d, bool put, int other, void *p, size_t size_bytes)
{
    if (!nb_device_is_remote(d))
        return nb_exchange_add(r->exchange, put, other, p, size_bytes);
    const struct nb_rank_copy w = {p, size_bytes, other};
    return post(d, put ? NB_RANK_PUT : NB_RANK_GET, &w, sizeof w);
}

int nb_ranks_copy(struct nb_ranks *r, struct nb_device *to, void *d_to, struct nb_device *from, const void *d_from,
                  size_t size_bytes)
{
    if (to != from)
        return tell(r, from, true, nb_rank_of(to), (void *)d_from, size_bytes) ||
                       tell(r, to, false, nb_rank_of(from), d_to, size_bytes)
                   ? -1
                   : 0;
    if (!nb_device_is_remote(to))
        return r->inner->peer_copy(to, d_to, from, d_from, size_bytes);
    const struct nb_rank_copy_own w = {d_to, d_from, size_bytes};
    return post(to, NB_RANK_COPY_OWN, &w, sizeof w);
}

static int remote_copy(struct nb_device *d, void *d_to, struct nb_device *from, const void *d_from, size_t size_bytes)
{
    return nb_ranks_copy(remote_of(d)->channel.ranks, d, d_to, from, d_from, size_bytes);
}

static int remote_taken(struct nb_device *d, struct nb_device *const *all, int count)
{
    (void)all, (void)count;
    return post(d, NB_RANK_TAKEN, NULL, 0);
}

/* The table has no functions that measure times, because times are measured on rank 0 only (device/timing.h). */
static const struct nb_device_kind remote_kind = {
    .remote = true,
    .close = remote_close,
    .alloc = remote_alloc,
    .free = remote_free,
    .to_device = remote_to,
    .from_device = remote_from,
    .memory = remote_memory,
    .store = remote_store,
    .fetch = remote_fetch,
    .axpy = remote_axpy,
    .kick_drift = remote_kick_drift,
    .combine = remote_combine,
    .step_scale = remote_step_scale,
    .range = remote_range,
    .kick_own = remote_kick_own,
    .hermite_own = remote_hermite_own,
    .select_due = remote_select_due,
    .sync = remote_sync,
    .speed = remote_speed,
    .peer_ready = remote_ready,
    .peer_copy = remote_copy,
    .peer_taken = remote_taken,
};
