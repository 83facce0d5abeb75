/* ranks_exchange.c - exchanges data directly between ranks' devices. Sender and receiver process messages in the order
 * in which rank 0 announced them. Declared in ranks_state.h and ranks_exchange.h. */
#include "device/ranks/ranks_exchange.h"
#include "base/error.h"

#include <stdlib.h>

struct nb_exchange *nb_exchange_create(struct nb_ranks *r)
{
    struct nb_exchange *e = calloc(1, sizeof *e);
    if (!e || pthread_mutex_init(&e->lock, NULL)) {
        nb_fail("no memory for the exchange of data between ranks");
        free(e);
        return NULL;
    }
    e->r = r;
    return e;
}

void nb_exchange_destroy(struct nb_exchange *e)
{
    if (!e)
        return;
    nb_exchange_free_lanes(e);
    pthread_mutex_destroy(&e->lock);
    free(e->entry);
    free(e->request);
    free(e);
}

static int grow(void **list, size_t *room, size_t count, size_t each)
{
    if (count <= *room)
        return 0;
    void *more = realloc(*list, 2 * count * each);
    if (!more)
        return nb_fail("no memory for the exchange of data between ranks");
    *list = more;
    *room = 2 * count;
    return 0;
}

int nb_exchange_add(struct nb_exchange *e, bool put, int other, void *d, size_t size_bytes)
{
    pthread_mutex_lock(&e->lock);
    const int status = grow((void **)&e->entry, &e->room, e->count + 1, sizeof *e->entry);
    if (status == 0)
        e->entry[e->count++] = (struct nb_peer_message){put, other, d, size_bytes};
    pthread_mutex_unlock(&e->lock);
    if (status)
        nb_ranks_alarm(e->r); /* ends the run, because the other rank waits for this message */
    return status;
}

/* ---- exchange between devices whose memory is host memory ---- */

static size_t pieces_of(const struct nb_peer_message *w)
{
    return (w->size_bytes + NB_EXCHANGE_PIECE - 1) / NB_EXCHANGE_PIECE;
}

static int begin_entry(struct nb_ranks *r, const struct nb_peer_message *w, struct nb_request *q)
{
    for (size_t at = 0; at < w->size_bytes; at += NB_EXCHANGE_PIECE, q++) {
        const size_t left = w->size_bytes - at, bytes = left < NB_EXCHANGE_PIECE ? left : NB_EXCHANGE_PIECE;
        if (w->put ? r->transport->send(r->self, w->other, NB_TAG_PEER, w->d + at, bytes, q)
                   : r->transport->receive(r->self, w->other, NB_TAG_PEER, w->d + at, bytes, q))
            return -1;
    }
    return 0;
}

static int begin_and_wait(struct nb_exchange *e)
{
    size_t total = 0, begun = 0;
    for (size_t k = 0; k < e->count; k++)
        total += pieces_of(&e->entry[k]);
    if (grow((void **)&e->request, &e->requests_room, total, sizeof *e->request))
        return -1;
    for (size_t k = 0; k < total; k++)
        e->request[k] = (struct nb_request){0};
    for (size_t k = 0; k < e->count; begun += pieces_of(&e->entry[k++]))
        if (nb_ranks_check(e->r) || begin_entry(e->r, &e->entry[k], e->request + begun))
            return -1;
    for (size_t k = 0; k < total; k++)
        if (nb_ranks_wait(e->r, &e->request[k]))
            return -1;
    return 0;
}

static int run_directly(struct nb_exchange *e)
{
    const int status = begin_and_wait(e);
    if (status)
        nb_ranks_alarm(e->r); /* ends the run, because other ranks would wait forever */
    return status;
}

/* ---- exchange with the library of the GPU's vendor ---- */

/* Exchanges the messages with NCCL (nb_device_fabric). The host asks repeatedly whether the exchange is complete: if a
 * rank has ended, waiting on the device would never end. */
static int run_on_fabric(struct nb_exchange *e)
{
    struct nb_ranks *r = e->r;
    struct nb_rank_patience patience = {0};
    int done = r->inner->fabric->exchange(r->local, e->entry, e->count);
    while (done == 0 && (done = r->inner->fabric->exchanged(r->local)) == 0)
        if (nb_ranks_pause(r, &patience))
            done = -1;
    if (done > 0)
        return 0;
    nb_ranks_alarm(r);
    r->inner->fabric->leave(r->local);
    r->fabric = false;
    return -1;
}

int nb_exchange_run(struct nb_exchange *e)
{
    struct nb_device *local = e->r->local;
    const int status = e->count == 0          ? 0
                       : e->r->fabric         ? run_on_fabric(e)
                       : e->r->inner->staging ? nb_exchange_run_staged(e)
                                              : run_directly(e);
    e->count = 0;
    return status || (e->r->inner->peer_taken && e->r->inner->peer_taken(local, &local, 1)) ? -1 : 0;
}
