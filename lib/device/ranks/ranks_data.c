/* ranks_data.c - sends data of any size between ranks in pieces. While one piece is in transit, another is produced or
 * consumed. Declared in ranks_state.h. */
#include "base/error.h"
#include "device/ranks/ranks_state.h"

#include <stdlib.h>

struct pieces {
    struct nb_ranks *r;
    int other;
    char *whole;
    size_t size_bytes, piece_bytes;
    char *buffer[2];
    struct nb_request request[2];
};

static int begin(struct pieces *p)
{
    if (p->whole || p->size_bytes == 0)
        return 0;
    const size_t each = p->size_bytes < p->piece_bytes ? p->size_bytes : p->piece_bytes;
    p->buffer[0] = malloc(2 * each);
    p->buffer[1] = p->buffer[0] ? p->buffer[0] + each : NULL;
    if (p->buffer[0])
        return 0;
    nb_fail("no memory for %zu bytes in transfer", 2 * each);
    nb_ranks_alarm(p->r); /* ends the run, because the other rank waits for these data */
    return -1;
}

static size_t bytes_at(const struct pieces *p, size_t at)
{
    return p->size_bytes - at < p->piece_bytes ? p->size_bytes - at : p->piece_bytes;
}

static char *place(const struct pieces *p, size_t at)
{
    return p->whole ? p->whole + at : p->buffer[at / p->piece_bytes % 2];
}

static struct nb_request *request(struct pieces *p, size_t at)
{
    return &p->request[at / p->piece_bytes % 2];
}

int nb_ranks_send_data(struct nb_ranks *r, int to, const void *whole, size_t size_bytes, size_t piece_bytes,
                       nb_rank_piece *piece, void *context)
{
    struct pieces p = {r, to, (char *)whole, size_bytes, piece_bytes, {NULL, NULL}, {{0}, {0}}};
    int status = begin(&p), made = 0;
    for (size_t at = 0; at < size_bytes && status == 0; at += piece_bytes) {
        status = nb_ranks_wait(r, request(&p, at)); /* until this buffer's previous piece is sent */
        if (status == 0 && piece && made == 0)
            made = piece(context, place(&p, at), at, bytes_at(&p, at));
        if (status == 0)
            status = r->transport->send(r->self, to, NB_TAG_DATA, place(&p, at), bytes_at(&p, at), request(&p, at));
    }
    if (status == 0)
        status = nb_ranks_wait(r, &p.request[0]) || nb_ranks_wait(r, &p.request[1]) ? -1 : 0;
    free(p.buffer[0]);
    return status || made ? -1 : 0;
}

static int receive_at(struct pieces *p, size_t at)
{
    if (at >= p->size_bytes)
        return 0;
    return p->r->transport->receive(p->r->self, p->other, NB_TAG_DATA, place(p, at), bytes_at(p, at), request(p, at));
}

int nb_ranks_receive_data(struct nb_ranks *r, int from, void *whole, size_t size_bytes, size_t piece_bytes,
                          nb_rank_piece *piece, void *context)
{
    struct pieces p = {r, from, whole, size_bytes, piece_bytes, {NULL, NULL}, {{0}, {0}}};
    int status = begin(&p), taken = 0;
    if (status == 0)
        status = receive_at(&p, 0);
    for (size_t at = 0; at < size_bytes && status == 0; at += piece_bytes) {
        status = receive_at(&p, at + piece_bytes) || nb_ranks_wait(r, request(&p, at)) ? -1 : 0;
        if (status == 0 && piece && taken == 0)
            taken = piece(context, place(&p, at), at, bytes_at(&p, at));
    }
    free(p.buffer[0]);
    return status || taken ? -1 : 0;
}
