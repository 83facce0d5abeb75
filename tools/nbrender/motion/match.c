/* Finds the same body in two frames. Compares ids with a hash table, or compares indices if the frames have no ids. */
#include "nbrender/motion/motion.h"

#include <inttypes.h>

static int grow(uint64_t **table, uint64_t *room, uint64_t wanted)
{
    *table = remade(*table, room, wanted, sizeof **table);
    return *table ? 0 : nb_fail("no memory to match %" PRIu64 " bodies", wanted);
}

/* Inserts the bodies of a frame into the hash table. If several bodies have the same id, only the first is inserted. */
static void enter_all(struct match *m, const struct nb_column *id, uint64_t n, uint64_t mask)
{
    memset(m->slots, 0xff, (mask + 1) * sizeof *m->slots);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t slot = id_spread(id_of(id, i)) & mask;
        while (m->slots[slot] != MATCH_NONE && id_of(id, m->slots[slot]) != id_of(id, i))
            slot = (slot + 1) & mask;
        if (m->slots[slot] == MATCH_NONE)
            m->slots[slot] = i;
    }
}

static uint64_t find(const struct match *m, const struct nb_column *id, uint64_t wanted, uint64_t mask)
{
    uint64_t slot = id_spread(wanted) & mask;
    while (m->slots[slot] != MATCH_NONE && id_of(id, m->slots[slot]) != wanted)
        slot = (slot + 1) & mask;
    return m->slots[slot];
}

static int match_ids(struct match *m, const struct nb_bodies *first, const struct nb_bodies *second)
{
    const struct nb_column *id[2] = {nb_bodies_find(first, "id"), nb_bodies_find(second, "id")};
    uint64_t slots = 16;
    while (slots < 2 * second->n)
        slots *= 2;
    if (grow(&m->slots, &m->slot_room, slots))
        return -1;
    enter_all(m, id[1], second->n, slots - 1);
    for (uint64_t i = 0; i < first->n; i++) {
        uint64_t j = find(m, id[1], id_of(id[0], i), slots - 1);
        bool is_free = j != MATCH_NONE && m->to[1][j] == MATCH_NONE;
        if (is_free)
            m->to[1][j] = i;
        m->to[0][i] = is_free ? j : MATCH_NONE;
    }
    return 0;
}

static bool same_order(const struct nb_bodies *first, const struct nb_bodies *second)
{
    const struct nb_column *a = nb_bodies_find(first, "id"), *b = nb_bodies_find(second, "id");
    if (first->n != second->n)
        return false;
    if (!is_id(a) || !is_id(b))
        return true;
    return a->type == b->type && memcmp(a->data, b->data, nb_column_bytes(a, first->n)) == 0;
}

int match_fill(struct match *m, const struct nb_bodies *first, const struct nb_bodies *second)
{
    m->same = same_order(first, second);
    if (m->same)
        return 0;
    if (grow(&m->to[0], &m->room[0], first->n) || grow(&m->to[1], &m->room[1], second->n))
        return -1;
    memset(m->to[0], 0xff, first->n * sizeof *m->to[0]);
    memset(m->to[1], 0xff, second->n * sizeof *m->to[1]);
    if (!is_id(nb_bodies_find(first, "id")) || !is_id(nb_bodies_find(second, "id")))
        return 0;
    return match_ids(m, first, second);
}

void match_free(struct match *m)
{
    free(m->to[0]);
    free(m->to[1]);
    free(m->slots);
}
