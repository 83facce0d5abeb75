/* ranks_exchange.h - struct nb_exchange: all messages that this rank sends and receives in one call of nb_exchange_run.
 * The data go directly from device memory to device memory, or in pieces through staging memory. */
#pragma once

#include "device/ranks/ranks_state.h"

struct nb_exchange {
    struct nb_ranks *r;
    pthread_mutex_t lock;
    struct nb_peer_message *entry;
    size_t count, room;
    struct nb_request *request;
    size_t requests_room;
    /* staging memory: lane[k][0] for messages from rank k, lane[k][1] for messages to rank k; NULL before first use */
    struct nb_exchange_lane *lane[NB_GROUP_MAX][2];
};

/* Transfers the data of all entries through staging memory. Continues after a failed copy, because other ranks wait for
 * their messages. */
int nb_exchange_run_staged(struct nb_exchange *e);
void nb_exchange_free_lanes(struct nb_exchange *e);
