/* ranks_call.h - the way from rank 0 to another: calls in the order in which they are made. */
#pragma once

#include "device/ranks/ranks_state.h"

#define NB_RANK_SLOTS 16 /* calls that may be on their way */

struct nb_rank_slot {
    struct nb_rank_call call;
    struct nb_request request;
};

struct nb_rank_channel {
    struct nb_ranks *ranks;
    int number;           /* the other rank's */
    pthread_mutex_t lock; /* calls that tell it what to send to others come from their threads */
    unsigned next;
    struct nb_rank_slot slot[NB_RANK_SLOTS];
};

int nb_rank_begin_channel(struct nb_rank_channel *c, struct nb_ranks *r, int number);
int nb_rank_channel_post(struct nb_rank_channel *c, const struct nb_rank_call *call);
/* The answer to the last call, which was to have one. */
int nb_rank_channel_answer(struct nb_rank_channel *c, void *result, size_t size_bytes);
