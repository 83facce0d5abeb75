/* loopback.h - for tests: ranks of a run (device/ranks.h) as threads of one process. Messages are copies. */
#pragma once

#include "device/ranks/transport.h"
#include "force/force_remote.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct loopback_message { /* sent and not yet received, or a receiver's buffer that is not yet filled */
    int from, to, tag;
    bool place, filled;
    void *bytes;
    size_t size_bytes;
    struct loopback_message *next;
};

static struct {
    pthread_mutex_t lock;
    struct loopback_message *first; /* in order of arrival */
    uint64_t sent_bytes;            /* of all messages so far */
} loopback = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct nb_ranks_place loopback_place; /* of the next rank that begins on this thread */

static inline int loopback_begin(void **self, struct nb_ranks_place *place)
{
    int *number = malloc(sizeof *number);
    *place = loopback_place;
    *number = place->number;
    *self = number;
    return 0;
}

static inline struct loopback_message **loopback_find(int from, int to, int tag, bool place)
{
    struct loopback_message **at = &loopback.first;
    while (*at &&
           !((*at)->from == from && (*at)->to == to && (*at)->tag == tag && (*at)->place == place && !(*at)->filled))
        at = &(*at)->next;
    return at;
}

static inline struct loopback_message *loopback_add(struct loopback_message made)
{
    struct loopback_message **at = &loopback.first, *m = malloc(sizeof *m);
    assert(m);
    *m = made;
    while (*at)
        at = &(*at)->next;
    return *at = m;
}

static inline void loopback_fill(struct loopback_message *place, const void *bytes, size_t size_bytes)
{
    assert(size_bytes <= place->size_bytes);
    if (size_bytes > 0)
        memcpy(place->bytes, bytes, size_bytes);
    place->size_bytes = size_bytes;
    place->filled = true;
}

static inline int loopback_send(void *self, int to, int tag, const void *p, size_t size_bytes, struct nb_request *q)
{
    void *copy = malloc(size_bytes + 1);
    assert(copy);
    if (size_bytes > 0)
        memcpy(copy, p, size_bytes);
    pthread_mutex_lock(&loopback.lock);
    loopback_add((struct loopback_message){*(int *)self, to, tag, false, false, copy, size_bytes, NULL});
    loopback.sent_bytes += size_bytes;
    pthread_mutex_unlock(&loopback.lock);
    *q = (struct nb_request){.active = true};
    return 0;
}

static inline int loopback_receive(void *self, int from, int tag, void *p, size_t size_bytes, struct nb_request *q)
{
    pthread_mutex_lock(&loopback.lock);
    struct loopback_message *place =
        loopback_add((struct loopback_message){from, *(int *)self, tag, true, false, p, size_bytes, NULL});
    pthread_mutex_unlock(&loopback.lock);
    *q = (struct nb_request){.handle = (uint64_t)(uintptr_t)place, .active = true};
    return 0;
}

/* Only a receiver writes into its memory, when it checks for messages, in order of arrival. */
static inline void loopback_deliver(const struct loopback_message *like)
{
    struct loopback_message **sent, *place, *taken;
    while ((place = *loopback_find(like->from, like->to, like->tag, true)) &&
           *(sent = loopback_find(like->from, like->to, like->tag, false))) {
        taken = *sent;
        *sent = taken->next;
        loopback_fill(place, taken->bytes, taken->size_bytes);
        free(taken->bytes);
        free(taken);
    }
}

static inline int loopback_test(void *self, struct nb_request *q)
{
    struct loopback_message *place = (struct loopback_message *)(uintptr_t)q->handle;
    bool done = true;
    (void)self;
    pthread_mutex_lock(&loopback.lock);
    if (place)
        loopback_deliver(place);
    if (place && (done = place->filled)) {
        struct loopback_message **at = &loopback.first;
        while (*at != place)
            at = &(*at)->next;
        *at = place->next;
        q->size_bytes = place->size_bytes;
        free(place);
    }
    pthread_mutex_unlock(&loopback.lock);
    q->active = !done;
    return done;
}

static inline void loopback_end(void *self, bool all)
{
    (void)all;
    free(self);
}

static const struct nb_transport loopback_transport = {
    .name = "loopback",
    .begin = loopback_begin,
    .send = loopback_send,
    .receive = loopback_receive,
    .test = loopback_test,
    .end = loopback_end,
};

static inline bool loopback_signalled(void)
{
    return false;
}

static const struct nb_ranks_program loopback_program = {
    .version = "loopback", .signalled = loopback_signalled, .patience_s = 1, .serve = nb_force_serve};

struct loopback_run { /* of `count` ranks; rank 0 is the caller */
    struct nb_ranks *ranks;
    int count;
    struct loopback_rank {
        pthread_t thread;
        struct nb_ranks_place place;
        const struct nb_ranks_program *program;
        struct nb_ranks *ranks;
        int served; /* result of nb_ranks_serve */
    } rank[8];
};

static inline void *loopback_serve(void *context)
{
    struct loopback_rank *rank = context;
    loopback_place = rank->place;
    rank->served = -1;
    rank->ranks = nb_ranks_begin(&loopback_transport, rank->program);
    if (!rank->ranks)
        return NULL;
    rank->served = nb_ranks_serve(rank->ranks);
    nb_ranks_end(rank->ranks);
    return NULL;
}

/* programs[k] is the program of rank k. Returns NULL after nb_fail, as nb_ranks_begin does; the caller joins the
 * threads of the other ranks. */
static inline struct nb_ranks *loopback_start(struct loopback_run *run, int count,
                                              const struct nb_ranks_program *const *programs)
{
    *run = (struct loopback_run){.count = count};
    for (int k = 0; k < count; k++) {
        run->rank[k].place = (struct nb_ranks_place){
            .number = k, .count = count, .host_number = k, .host_count = count, .processors = 1, .sharers = count};
        run->rank[k].program = programs[k];
        if (k > 0 && pthread_create(&run->rank[k].thread, NULL, loopback_serve, &run->rank[k]))
            abort();
    }
    loopback_place = run->rank[0].place;
    run->ranks = run->rank[0].ranks = nb_ranks_begin(&loopback_transport, programs[0]);
    return run->ranks;
}

/* Discards messages that a lost or ended run left, so that the next run does not receive them. */
static inline void loopback_drop(void)
{
    while (loopback.first) {
        struct loopback_message *m = loopback.first;
        loopback.first = m->next;
        if (!m->place)
            free(m->bytes);
        free(m);
    }
}

static inline void loopback_stop(struct loopback_run *run)
{
    if (run->ranks)
        nb_ranks_end(run->ranks);
    for (int k = 1; k < run->count; k++)
        pthread_join(run->rank[k].thread, NULL);
    for (int k = 0; k < run->count; k++)
        nb_ranks_free(run->rank[k].ranks);
    loopback_drop();
    loopback_drop();
}
