/* ranks_call.h - channel from rank 0 to another rank: sends calls in order. */
#pragma once

#include "device/ranks/ranks_state.h"

#define NB_RANK_SLOTS 16 /* maximum number of calls in transit */

struct nb_rank_slot {
    struct nb_rank_call call;
    struct nb_request request;
};

struct nb_rank_channel {
    struct nb_ranks *ranks;
    int number;           /* number of the other rank */
    pthread_mutex_t lock; /* held while a call is sent, because several threads of rank 0 may send calls to this rank */
    unsigned next;
    struct nb_rank_slot slot[NB_RANK_SLOTS];
};

int nb_rank_begin_channel(struct nb_rank_channel *c, struct nb_ranks *r, int number);
int nb_rank_channel_post(struct nb_rank_channel *c, const struct nb_rank_call *call);
/* Receives the answer to the last call, which must have been sent with `answered` = 1. */
int nb_rank_channel_answer(struct nb_rank_channel *c, void *result, size_t size_bytes);
