/* ranks_serve.c - executes rank 0's calls on the other ranks. Declared in ranks.h. */
#include "base/error.h"
#include "device/range.h"
#include "device/ranks/ranks_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct server {
    struct nb_ranks *r;
    const struct nb_rank_call *call;
    struct nb_rank_answer *answer;
};

/* The first failure among the calls that rank 0 sends without waiting for an answer. A later answer reports it. */
struct failure {
    bool any;
    int error_number;
    char why[sizeof((struct nb_rank_answer *)0)->why];
};

/* Returns the arguments of the call. Their type depends on the called function (enum nb_rank_number). */
static const void *arguments(const struct server *s)
{
    return s->call->bytes;
}

/* ---- opening ---- */

static int serve_close(struct server *s)
{
    nb_device_close(s->r->local);
    return 0;
}

static int serve_open(struct server *s)
{
    const struct nb_rank_asked *asked = arguments(s);
    struct nb_rank_opened opened;
    if (nb_ranks_open_local(s->r, asked->name, &asked->setting, &opened))
        return -1;
    nb_rank_put(s->answer, &opened, sizeof opened);
    return 0;
}

/* ---- memory ---- */

static int serve_alloc(struct server *s)
{
    const size_t *size_bytes = arguments(s);
    void *p = nb_device_alloc(s->r->local, *size_bytes);
    nb_rank_put(s->answer, &p, sizeof p);
    return p ? 0 : -1;
}

static int serve_free(struct server *s)
{
    void *const *p = arguments(s);
    nb_device_free(s->r->local, *p);
    return 0;
}

static int take_piece(void *context, void *piece, size_t at, size_t size_bytes)
{
    const struct server *s = context;
    const struct nb_rank_copy *c = arguments(s);
    return nb_device_to(s->r->local, (char *)c->d + at, piece, size_bytes);
}

static int make_piece(void *context, void *piece, size_t at, size_t size_bytes)
{
    const struct server *s = context;
    const struct nb_rank_copy *c = arguments(s);
    return nb_device_from(s->r->local, piece, (char *)c->d + at, size_bytes);
}

static int serve_to(struct server *s)
{
    const struct nb_rank_copy *c = arguments(s);
    const bool host = nb_device_is_host(s->r->local);
    return nb_ranks_receive_data(s->r, 0, host ? c->d : NULL, c->size_bytes, NB_PIECE, host ? NULL : take_piece, s);
}

static int serve_from(struct server *s)
{
    const struct nb_rank_copy *c = arguments(s);
    const bool host = nb_device_is_host(s->r->local);
    return nb_ranks_send_data(s->r, 0, host ? c->d : NULL, c->size_bytes, NB_PIECE, host ? NULL : make_piece, s);
}

static size_t body_bytes(const struct nb_column_call *c)
{
    return (size_t)c->width * nb_type_size(c->type);
}

static void *row_at(const struct nb_column_call *c, size_t at)
{
    return (char *)c->d_rows + at / body_bytes(c) * nb_precision_size(c->precision);
}

static int take_bodies(void *context, void *piece, size_t at, size_t size_bytes)
{
    const struct server *s = context;
    const struct nb_column_call *c = arguments(s);
    return nb_device_store(s->r->local, c->precision, size_bytes / body_bytes(c), c->stride, c->width, piece, c->type,
                           row_at(c, at));
}

static int make_bodies(void *context, void *piece, size_t at, size_t size_bytes)
{
    const struct server *s = context;
    const struct nb_column_call *c = arguments(s);
    return nb_device_fetch(s->r->local, c->precision, size_bytes / body_bytes(c), c->stride, c->width, row_at(c, at),
                           c->type, piece);
}

static int serve_store(struct server *s)
{
    const struct nb_column_call *c = arguments(s);
    const size_t body = body_bytes(c);
    return nb_ranks_receive_data(s->r, 0, NULL, c->n * body, NB_RANK_BODIES * body, take_bodies, s);
}

static int serve_fetch(struct server *s)
{
    const struct nb_column_call *c = arguments(s);
    const size_t body = body_bytes(c);
    return nb_ranks_send_data(s->r, 0, NULL, c->n * body, NB_RANK_BODIES * body, make_bodies, s);
}

static int serve_memory(struct server *s)
{
    double bytes[2];
    const int status = nb_ranks_memory(s->r, &bytes[0], &bytes[1]);
    nb_rank_put(s->answer, bytes, sizeof bytes);
    return status;
}

/* ---- vectors ---- */

static int serve_axpy(struct server *s)
{
    const struct nb_axpy_call *w = arguments(s);
    return nb_device_axpy(s->r->local, w->precision, w->count, w->a, w->d_x, w->d_y);
}

static int serve_kick_drift(struct server *s)
{
    const struct nb_kick_call *w = arguments(s);
    return nb_device_kick_drift(s->r->local, w->precision, w->count, w->k1, w->k2, w->drift, w->d_a, w->d_v, w->d_x);
}

static int serve_combine(struct server *s)
{
    struct nb_rank_combine w;
    struct nb_combination row[NB_COMBINATIONS_MAX];
    const void *in[NB_INPUTS_MAX];
    double norm[NB_COMBINATIONS_MAX];
    memcpy(&w, s->call->bytes, sizeof w);
    const size_t scalar = w.precision == NB_QUAD ? nb_precision_size(NB_QUAD) : sizeof(double);
    const size_t row_bytes = (size_t)w.inputs * scalar, rows = (size_t)w.rows;
    const unsigned char *c = s->call->bytes + sizeof w, *at = c + rows * row_bytes;
    memcpy(row, at, rows * sizeof *row);
    memcpy(in, at + rows * sizeof *row, (size_t)w.inputs * sizeof *in);
    for (size_t r = 0; r < rows; r++)
        row[r].c = c + r * row_bytes;
    const int status =
        nb_device_combine(s->r->local, w.precision, w.count, w.inputs, in, w.rows, row, w.norm ? norm : NULL);
    if (status == 0 && w.norm)
        nb_rank_put(s->answer, norm, rows * sizeof *norm);
    return status;
}

static int serve_step_scale(struct server *s)
{
    const struct nb_rank_vectors *w = arguments(s);
    double time;
    if (nb_device_step_scale(s->r->local, w->precision, w->n, w->stride, w->d_vector, w->least, &time))
        return -1;
    nb_rank_put(s->answer, &time, sizeof time);
    return 0;
}

static int serve_range(struct server *s)
{
    const struct nb_rank_vectors *w = arguments(s);
    union nb_range range = {{0}};
    if (nb_device_range(s->r->local, w->precision, w->n, w->stride, w->count, w->d_vector, &range))
        return -1;
    nb_rank_put(s->answer, &range, sizeof range);
    return 0;
}

/* ---- individual time steps ---- */

static int serve_kick_own(struct server *s)
{
    const struct nb_rank_kick_own *w = arguments(s);
    double least = 0;
    const int status = nb_device_kick_own(s->r->local, w->precision, &w->kick, &least);
    nb_rank_put(s->answer, &least, sizeof least);
    return status;
}

static int serve_hermite_own(struct server *s)
{
    const struct nb_rank_hermite_own *w = arguments(s);
    double range[2] = {0};
    const int status = nb_device_hermite_own(s->r->local, w->precision, &w->own, range);
    nb_rank_put(s->answer, range, sizeof range);
    return status;
}

static int serve_select_due(struct server *s)
{
    const struct nb_rank_due *w = arguments(s);
    uint64_t count = 0;
    const int status =
        nb_device_select_due(s->r->local, w->precision, w->first, w->n, w->d_step, w->most, w->d_index, &count);
    nb_rank_put(s->answer, &count, sizeof count);
    return status;
}

/* ---- waiting, exchanges ---- */

static int serve_sync(struct server *s)
{
    return nb_device_sync(s->r->local);
}

static int serve_speed(struct server *s)
{
    int processors = 0;
    double found[2] = {0};
    const int status = nb_device_speed(s->r->local, &processors, &found[1]);
    found[0] = processors;
    nb_rank_put(s->answer, found, sizeof found);
    return status;
}

static int serve_ready(struct server *s)
{
    return s->r->inner->peer_ready ? s->r->inner->peer_ready(s->r->local) : 0;
}

static int serve_copy_own(struct server *s)
{
    const struct nb_rank_copy_own *w = arguments(s);
    return s->r->inner->peer_copy(s->r->local, w->d_to, s->r->local, w->d_from, w->size_bytes);
}

static int serve_peer(struct server *s)
{
    const struct nb_rank_copy *w = arguments(s);
    return nb_exchange_add(s->r->exchange, s->call->number == NB_RANK_PUT, w->other, w->d, w->size_bytes);
}

static int serve_taken(struct server *s)
{
    return nb_exchange_run(s->r->exchange);
}

/* Connects this rank's device with the devices of all other ranks (nb_device_fabric.join). All ranks do this at the
 * same time. */
static int serve_join(struct server *s)
{
    struct nb_ranks *r = s->r;
    if (r->inner->fabric->join(r->local, s->call->bytes, r->place.number, r->place.count))
        return -1;
    r->fabric = true;
    return 0;
}

static int serve_leave(struct server *s)
{
    if (s->r->fabric)
        s->r->inner->fabric->leave(s->r->local);
    s->r->fabric = false;
    return 0;
}

typedef int serve_function(struct server *s);
static const struct {
    serve_function *serve;
    bool always; /* true: also executed if an earlier call has failed, because other ranks rely on it */
} table[NB_RANK_NUMBERS] = {
    [NB_RANK_OPEN] = {serve_open, false},
    [NB_RANK_CLOSE] = {serve_close, true},
    [NB_RANK_ALLOC] = {serve_alloc, false},
    [NB_RANK_FREE] = {serve_free, true},
    [NB_RANK_TO] = {serve_to, true},
    [NB_RANK_FROM] = {serve_from, true},
    [NB_RANK_MEMORY] = {serve_memory, false},
    [NB_RANK_STORE] = {serve_store, true},
    [NB_RANK_FETCH] = {serve_fetch, true},
    [NB_RANK_AXPY] = {serve_axpy, false},
    [NB_RANK_KICK_DRIFT] = {serve_kick_drift, false},
    [NB_RANK_COMBINE] = {serve_combine, false},
    [NB_RANK_STEP_SCALE] = {serve_step_scale, false},
    [NB_RANK_RANGE] = {serve_range, false},
    [NB_RANK_KICK_OWN] = {serve_kick_own, false},
    [NB_RANK_HERMITE_OWN] = {serve_hermite_own, false},
    [NB_RANK_SELECT_DUE] = {serve_select_due, false},
    [NB_RANK_SYNC] = {serve_sync, false},
    [NB_RANK_SPEED] = {serve_speed, false},
    [NB_RANK_READY] = {serve_ready, true},
    [NB_RANK_COPY_OWN] = {serve_copy_own, true},
    [NB_RANK_PUT] = {serve_peer, true},
    [NB_RANK_GET] = {serve_peer, true},
    [NB_RANK_TAKEN] = {serve_taken, true},
    [NB_RANK_JOIN] = {serve_join, false},
    [NB_RANK_LEAVE] = {serve_leave, true},
};

/* ---- the loop that executes the calls ---- */

static int serve(struct server *s, bool failed)
{
    const int number = s->call->number;
    const bool known = number > NB_RANK_END && number < NB_RANK_NUMBERS;
    if (failed && !(known && table[number].always))
        return nb_ranks_receive_data(s->r, 0, NULL, s->call->data_bytes, NB_PIECE, NULL, NULL);
    if (known)
        return table[number].serve(s);
    return s->r->program->serve(s->r, s->r->local, s->call, s->answer);
}

static int answer(struct server *s, struct failure *f)
{
    struct nb_rank_answer *a = s->answer;
    a->status = f->any ? -1 : 0;
    a->error_number = f->error_number;
    snprintf(a->why, sizeof a->why, "%s", f->any ? f->why : "");
    *f = (struct failure){false, 0, ""};
    return nb_ranks_send(s->r, 0, NB_TAG_ANSWER, a, offsetof(struct nb_rank_answer, why) + strlen(a->why) + 1);
}

static void note(struct failure *f)
{
    if (f->any)
        return;
    f->any = true;
    f->error_number = errno;
    snprintf(f->why, sizeof f->why, "%s", nb_error());
}

/* Executes rank 0's calls until rank 0 sends NB_RANK_END. Returns -1 after nb_fail if rank 0 cannot be reached. */
static int serve_calls(struct nb_ranks *r)
{
    struct nb_rank_call call;
    struct nb_rank_answer answered;
    struct failure failure = {false, 0, ""};
    for (;;) {
        struct server s = {r, &call, &answered};
        if (nb_ranks_receive(r, 0, NB_TAG_CALL, &call, sizeof call, NULL))
            return -1;
        if (call.number == NB_RANK_END)
            return nb_ranks_send(r, 0, NB_TAG_ALARM, &answered, 0);
        answered.size_bytes = 0;
        errno = 0;
        if (serve(&s, failure.any))
            note(&failure);
        if (call.answered && answer(&s, &failure))
            return -1;
    }
}

int nb_ranks_serve(struct nb_ranks *r)
{
    const int status = serve_calls(r);
    struct server s = {.r = r};
    serve_close(&s);
    return status;
}

int nb_rank_receive(struct nb_ranks *r, void *data, size_t size_bytes)
{
    return nb_ranks_receive_data(r, 0, data, size_bytes, NB_PIECE, NULL, NULL);
}
