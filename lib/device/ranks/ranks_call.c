/* ranks_call.c - sends calls to another rank, and waits for answers. Declared in ranks_call.h. */
#include "device/ranks/ranks_call.h"
#include "base/error.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct nb_rank_call nb_rank_call(int number, const void *arguments, size_t size_bytes)
{
    struct nb_rank_call call = {.number = number, .size_bytes = size_bytes};
    assert(size_bytes <= sizeof call.bytes);
    if (size_bytes > 0)
        memcpy(call.bytes, arguments, size_bytes);
    return call;
}

void nb_rank_put(struct nb_rank_answer *answer, const void *result, size_t size_bytes)
{
    assert(size_bytes <= sizeof answer->bytes);
    memcpy(answer->bytes, result, size_bytes);
    answer->size_bytes = size_bytes;
}

int nb_rank_begin_channel(struct nb_rank_channel *c, struct nb_ranks *r, int number)
{
    c->ranks = r;
    c->number = number;
    return pthread_mutex_init(&c->lock, NULL) ? nb_fail("cannot create a lock") : 0;
}

static size_t sent_bytes(const struct nb_rank_call *call)
{
    return offsetof(struct nb_rank_call, bytes) + call->size_bytes;
}

static int post(struct nb_rank_channel *c, const struct nb_rank_call *call)
{
    struct nb_rank_slot *slot = &c->slot[c->next++ % NB_RANK_SLOTS];
    struct nb_ranks *r = c->ranks;
    if (nb_ranks_check(r) || nb_ranks_wait(r, &slot->request))
        return -1;
    memcpy(&slot->call, call, sent_bytes(call));
    return r->transport->send(r->self, c->number, NB_TAG_CALL, &slot->call, sent_bytes(call), &slot->request);
}

int nb_rank_channel_post(struct nb_rank_channel *c, const struct nb_rank_call *call)
{
    pthread_mutex_lock(&c->lock);
    const int status = post(c, call);
    pthread_mutex_unlock(&c->lock);
    return status;
}

int nb_rank_channel_answer(struct nb_rank_channel *c, void *result, size_t size_bytes)
{
    struct nb_rank_answer answer;
    size_t got;
    if (nb_ranks_receive(c->ranks, c->number, NB_TAG_ANSWER, &answer, sizeof answer, &got))
        return -1;
    if (answer.status) {
        nb_fail("%s", answer.why);
        errno = answer.error_number;
        return -1;
    }
    assert(answer.size_bytes == size_bytes);
    if (size_bytes > 0)
        memcpy(result, answer.bytes, size_bytes);
    return 0;
}
