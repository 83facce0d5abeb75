/* ranks_staged.c - exchanges of device memory between ranks, through a stage (buffer) in host memory. For each pair of
 * ranks and each direction, one piece of data is copied between device and stage while another piece is sent or
 * received. Declared in ranks_exchange.h. */
#include "base/error.h"
#include "device/ranks/ranks_exchange.h"

#include <stdlib.h>

#define SLOTS 2

enum state { EMPTY, FIRST, SECOND };

struct slot {
    void *stage, *mark;
    enum state state;
    struct nb_request request;
    char *d;
    size_t size_bytes;
};

struct nb_exchange_lane {
    struct slot slot[SLOTS];
    /* The next piece to transfer begins at byte `offset` of the message nb_exchange.entry[entry]. If `entry` is the
     * number of messages, all pieces have been taken. */
    size_t entry, offset;
    /* A piece is transferred in two halves: a copy between device and stage, and a message (function `begin`).
     * begun: number of pieces of which the first half has begun; halfway: number of pieces of which the second half has
     * begun; done: number of pieces of which both halves are complete. */
    unsigned begun, halfway, done;
};

struct way { /* the messages of this exchange to or from one rank, and the lane (buffers) through which they go */
    struct nb_exchange *e;
    int other, put;
    struct nb_exchange_lane *lane;
};

/* ---- lanes ---- */

static void free_lane(struct nb_exchange *e, struct nb_exchange_lane *lane)
{
    for (int k = 0; k < SLOTS && lane; k++)
        if (lane->slot[k].stage)
            e->r->inner->staging->free(e->r->local, lane->slot[k].stage, lane->slot[k].mark);
    free(lane);
}

void nb_exchange_free_lanes(struct nb_exchange *e)
{
    for (int other = 0; other < NB_GROUP_MAX; other++)
        for (int put = 0; put < 2; put++)
            free_lane(e, e->lane[other][put]);
}

static struct nb_exchange_lane *make_lane(struct nb_exchange *e)
{
    struct nb_exchange_lane *lane = calloc(1, sizeof *lane);
    if (!lane) {
        nb_fail("no memory");
        return NULL;
    }
    for (int k = 0; k < SLOTS; k++)
        if (!(lane->slot[k].stage = e->r->inner->staging->alloc(e->r->local, NB_PIECE))) {
            free_lane(e, lane);
            return NULL;
        }
    return lane;
}

/* ---- pieces ---- */

static bool is_of(const struct way *w, const struct nb_peer_message *entry)
{
    return entry->other == w->other && entry->put == (w->put != 0) && entry->size_bytes > 0;
}

static void find_entry(struct way *w, size_t from)
{
    struct nb_exchange_lane *lane = w->lane;
    lane->offset = 0;
    for (lane->entry = from; lane->entry < w->e->count && !is_of(w, &w->e->entry[lane->entry]); lane->entry++)
        ;
}

/* Assigns the next piece of the lane's messages to an empty slot (a buffer). Then moves the lane's entry and offset to
 * the piece after it. */
static void take_next(struct way *w, struct slot *slot)
{
    struct nb_exchange_lane *lane = w->lane;
    const struct nb_peer_message *entry = &w->e->entry[lane->entry];
    const size_t left = entry->size_bytes - lane->offset;
    slot->d = entry->d + lane->offset;
    slot->size_bytes = left < NB_PIECE ? left : NB_PIECE;
    lane->offset += slot->size_bytes;
    lane->begun++;
    if (lane->offset == entry->size_bytes)
        find_entry(w, lane->entry + 1);
}

/* Begins half of a piece's transfer: the message between the ranks if `travels` is true, otherwise the copy between the
 * device and the stage (the slot's buffer in host memory). A piece to send is first copied to the stage, then sent. A
 * piece to receive is first received, then copied from the stage. *status becomes nonzero if a message fails. *copies
 * becomes nonzero if a copy fails. */
static void begin(const struct way *w, struct slot *slot, bool travels, int *status, int *copies)
{
    struct nb_ranks *r = w->e->r;
    if (travels)
        *status |=
            (w->put ? r->transport->send(r->self, w->other, NB_TAG_PEER, slot->stage, slot->size_bytes, &slot->request)
                    : r->transport->receive(r->self, w->other, NB_TAG_PEER, slot->stage, slot->size_bytes,
                                            &slot->request));
    else if (*copies == 0)
        *copies |= w->put ? r->inner->staging->out(r->local, slot->stage, slot->d, slot->size_bytes, &slot->mark)
                          : r->inner->staging->in(r->local, slot->d, slot->stage, slot->size_bytes, &slot->mark);
}

/* Returns whether one half of a piece's transfer is complete: the message between the ranks if `travels` is true,
 * otherwise the copy between device and stage. A failed copy counts as complete, so that the remaining messages are
 * still transferred. */
static bool is_done(const struct way *w, struct slot *slot, bool travels, int *status, int *copies)
{
    struct nb_ranks *r = w->e->r;
    if (travels) {
        const int done = *status ? 0 : r->transport->test(r->self, &slot->request);
        *status |= done < 0;
        return done > 0;
    }
    const int done = *copies ? 1 : r->inner->staging->staged(r->local, slot->mark);
    *copies |= done < 0;
    return done != 0;
}

/* Advances the transfers of one lane (the pieces to or from one rank) without waiting: begins the next piece if a slot
 * is empty, begins the second half of one piece, and empties the slot of one completed piece. Returns whether it did
 * any of these. */
static bool push(struct way *w, int *status, int *copies)
{
    struct nb_exchange_lane *lane = w->lane;
    struct slot *next = &lane->slot[lane->begun % SLOTS], *middle = &lane->slot[lane->halfway % SLOTS],
                *last = &lane->slot[lane->done % SLOTS];
    bool any = false;
    if (lane->entry < w->e->count && next->state == EMPTY) {
        take_next(w, next);
        begin(w, next, !w->put, status, copies);
        next->state = FIRST;
        any = true;
    }
    if (lane->halfway < lane->begun && middle->state == FIRST && is_done(w, middle, !w->put, status, copies)) {
        begin(w, middle, w->put, status, copies);
        middle->state = SECOND;
        lane->halfway++;
        any = true;
    }
    if (lane->done < lane->halfway && is_done(w, last, w->put, status, copies)) {
        last->state = EMPTY;
        lane->done++;
        any = true;
    }
    return any;
}

static bool is_through(const struct way *w)
{
    return w->lane->entry == w->e->count && w->lane->done == w->lane->begun;
}

/* ---- all lanes ---- */

/* Sets way[] to one element for each rank and direction (send or receive) that the exchange has messages for. Creates
 * lanes (buffers) that do not exist yet. Returns the number of elements, or -1 after nb_fail. */
static int open_ways(struct nb_exchange *e, struct way *way)
{
    bool seen[NB_GROUP_MAX][2] = {{false}};
    int count = 0;
    for (size_t k = 0; k < e->count; k++) {
        const struct nb_peer_message *entry = &e->entry[k];
        struct nb_exchange_lane **lane = &e->lane[entry->other][entry->put];
        if (seen[entry->other][entry->put])
            continue;
        if (!*lane && !(*lane = make_lane(e)))
            return -1;
        seen[entry->other][entry->put] = true;
        way[count] = (struct way){e, entry->other, entry->put, *lane};
        (*lane)->begun = (*lane)->halfway = (*lane)->done = 0;
        find_entry(&way[count++], 0);
    }
    return count;
}

int nb_exchange_run_staged(struct nb_exchange *e)
{
    struct way way[2 * NB_GROUP_MAX];
    struct nb_rank_patience patience = {0};
    int status = 0, copies = 0;
    const int count = open_ways(e, way);
    for (int left = count; left > 0 && status == 0;) {
        bool any = false;
        left = 0;
        for (int k = 0; k < count && status == 0; k++) {
            if (is_through(&way[k]))
                continue;
            any |= push(&way[k], &status, &copies);
            left++;
        }
        if (any)
            patience = (struct nb_rank_patience){0};
        else if (status == 0 && left > 0)
            status = nb_ranks_pause(e->r, &patience);
    }
    if (count < 0 || status)
        nb_ranks_alarm(e->r); /* ends the run, because other ranks would wait forever */
    return count < 0 || status || copies ? -1 : 0;
}
