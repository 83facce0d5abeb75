/* transport.h - how messages go from rank to rank: a table of functions. Ints are 0, or -1 after nb_fail. Calls may be
 * made by several threads at once. Messages from one rank to another with the same tag arrive in the order in which
 * they were sent, and have at most 2^30 bytes. */
#pragma once

#include "device/ranks.h"

#define NB_PIECE ((size_t)4 << 20) /* of data on their way: large enough for full speed */

struct nb_request { /* a message on its way, which test tells of */
    uint64_t handle;
    size_t size_bytes; /* received, when it is done */
    bool active;
};

struct nb_transport {
    const char *name;
    int (*begin)(void **self, struct nb_ranks_place *place);
    /* Begin; the bytes stay where they are until the message is done. */
    int (*send)(void *self, int to, int tag, const void *p, size_t size_bytes, struct nb_request *q);
    int (*receive)(void *self, int from, int tag, void *p, size_t size_bytes, struct nb_request *q);
    /* 1: done; 0: not yet. */
    int (*test)(void *self, struct nb_request *q);
    /* Leaves the others; waits for them where all of them leave. */
    void (*end)(void *self, bool all);
};
