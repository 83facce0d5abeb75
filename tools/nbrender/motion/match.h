/* match.h - which body of one frame is which of another. */
#ifndef NBRENDER_MATCH_H
#define NBRENDER_MATCH_H

#include "base/bodies.h"

#include <stdbool.h>
#include <stdint.h>

#define MATCH_NONE UINT64_MAX

struct match {
    bool same; /* body i is body i; the tables are not filled in */
    uint64_t
        *to[2]; /* to[0][i]: the second frame's body that is body i of the first, or MATCH_NONE; to[1] the way back */
    uint64_t room[2]; /* of the tables */
    uint64_t *slots;  /* of a hash table of identifiers */
    uint64_t slot_room;
};

/* By the columns `id`; where a frame has none, by the place in it, if both have the same number of bodies, and else not
 * at all. Of several with one identifier only one has a partner. `m` is zero, or what it was before: its memory is used
 * again. -1: no memory. */
int match_fill(struct match *m, const struct nb_bodies *first, const struct nb_bodies *second);
void match_free(struct match *m);

/* The partner of body i of frame `side` (0 or 1) in the other one, or MATCH_NONE. */
static inline uint64_t match_of(const struct match *m, int side, uint64_t i)
{
    return m->same ? i : m->to[side][i];
}

#endif
