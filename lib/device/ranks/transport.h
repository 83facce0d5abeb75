/* transport.h - table of functions that send messages between ranks. Functions of type int return -1 after
 * nb_fail. Several threads may call the functions at the same time. Messages from one rank to another with the
 * same tag arrive in the order of sending, and have at most 2^30 bytes. */
#pragma once

#include "device/ranks.h"

#define NB_PIECE ((size_t)4 << 20) /* bytes per piece of data; large enough for full transfer speed */

struct nb_request { /* a message in transit, to be polled with test */
    uint64_t handle;
    size_t size_bytes; /* number of bytes received, when the request is complete */
    bool active;
};

struct nb_transport {
    const char *name;
    int (*begin)(void **self, struct nb_ranks_place *place);
    /* Begin to send or to receive a message of size_bytes bytes at p. The memory at p must stay valid until `test`
     * reports that the message is complete. */
    int (*send)(void *self, int to, int tag, const void *p, size_t size_bytes, struct nb_request *q);
    int (*receive)(void *self, int from, int tag, void *p, size_t size_bytes, struct nb_request *q);
    /* Returns 1 if the message is complete, 0 if not yet, -1 after nb_fail. */
    int (*test)(void *self, struct nb_request *q);
    /* Leaves the run. If `all` is true, every rank calls this function, and it waits until all ranks have called it. */
    void (*end)(void *self, bool all);
};
