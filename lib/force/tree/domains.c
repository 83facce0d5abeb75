/* domains.c - computes the splitters between the domains of a tree, and the nodes with bodies in several domains.
 * Declared in domains.h. */
#include "force/tree/domains.h"

#include "device/group.h"

#include <assert.h>

static void swap(uint64_t *a, uint64_t *b)
{
    const uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Partially sorts keys[count]. Afterwards the keys before keys[place] are at most equal to keys[place], and the keys
 * after keys[place] are at least equal to it (Hoare 1961, CACM 4, 321). The pivot is a pseudo-random key. If the pivot
 * were the middle key, the time could grow with the square of the number of keys, for bodies that are stored in the
 * order of their keys. The last key is never the pivot, because the range might then not become smaller. */
static void select_key(uint64_t *keys, size_t count, size_t place)
{
    size_t low = 0, high = count - 1;
    uint32_t random = 1;
    while (low < high) {
        random = 1664525 * random + 1013904223;
        const uint64_t pivot = keys[low + (random >> 8) % (high - low)];
        size_t i = low, j = high;
        for (;;) {
            while (keys[i] < pivot)
                i++;
            while (keys[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&keys[i++], &keys[j--]);
        }
        /* now keys low to j are at most the pivot, and keys j + 1 to high at least the pivot */
        if (place <= j)
            high = j;
        else
            low = j + 1;
    }
}

/* Sets splitter[k] = keys[place[k]] of the sorted keys, for first <= k < last. These places are ascending, and lie in
 * [low, high). All keys before `low` are at most equal to the keys in this range, and all keys from `high` on at least.
 * Begins with the middle splitter, which divides the range for the others. */
static void split_range(uint64_t *keys, size_t low, size_t high, const size_t *place, int first, int last,
                        uint64_t *splitter)
{
    if (first >= last)
        return;
    const int middle = (first + last) / 2;
    const size_t at = place[middle];
    select_key(keys + low, high - low, at - low);
    splitter[middle] = keys[at];
    split_range(keys, low, at + 1, place, first, middle, splitter);
    split_range(keys, at, high, place, middle + 1, last, splitter);
}

void nb_domains_split(uint64_t *keys, size_t count, const double *bound, int parts, uint64_t *splitter)
{
    size_t place[NB_GROUP_MAX];
    for (int k = 1; k < parts; k++) {
        const size_t wanted = (size_t)(bound[k] * (double)count);
        place[k] = wanted < count ? wanted : count - 1;
    }
    split_range(keys, 0, count, place, 1, parts, splitter);
}

int nb_domains_bits(const struct nb_domains_counts *c, uint64_t most)
{
    uint64_t inside = 0;
    int bits = NB_DOMAINS_BITS;
    for (int shared = NB_DOMAINS_BITS; shared >= 0; shared--) {
        inside += c->below[shared] + c->above[shared];
        if (inside <= most)
            bits = shared;
    }
    return bits;
}

uint64_t nb_domains_first(uint64_t splitter, int bits)
{
    return bits >= NB_DOMAINS_BITS ? splitter : bits == 0 ? 0 : splitter >> (64 - bits) << (64 - bits);
}

uint64_t nb_domains_below(const struct nb_domains_counts *c, int bits)
{
    uint64_t below = 0;
    for (int shared = 0; shared < bits; shared++)
        below += c->below[shared];
    return below;
}

/* ---- nodes that are cut ---- */

static int shared_bits(uint64_t a, uint64_t b)
{
    return a == b ? NB_DOMAINS_BITS : __builtin_clzll(a ^ b);
}

/* Divides a node with the roots [first, last] into two children, between the two neighbouring roots whose keys share
 * the fewest leading bits. Returns the last root of the left child. */
static int split(const struct nb_domains_root *root, int first, int last)
{
    int least = NB_DOMAINS_BITS + 1, at = first;
    for (int k = first; k < last; k++) {
        const int shared = shared_bits(root[k].last_key, root[k + 1].first_key);
        if (shared < least) {
            least = shared;
            at = k;
        }
    }
    return at;
}

struct making {
    const struct nb_domains_root *root;
    struct nb_domains_node *node;
    uint32_t *parent;
    int made;
};

static int make(struct making *m, int first, int last);

static int make_child(struct making *m, int first, int last, int parent, int *height)
{
    if (first == last) {
        m->parent[first] = (uint32_t)parent;
        return ~first;
    }
    const int child = make(m, first, last);
    if (m->node[child].height >= *height)
        *height = m->node[child].height + 1;
    return child;
}

/* Makes the node that contains the roots [first, last], and its descendants. The recursion depth is at most the number
 * of bits of a key. */
static int make(struct making *m, int first, int last)
{
    const int me = m->made++, at = split(m->root, first, last);
    int height = 1;
    const int left = make_child(m, first, at, me, &height), right = make_child(m, at + 1, last, me, &height);
    m->node[me] = (struct nb_domains_node){left, right, height};
    return me;
}

int nb_domains_top(const struct nb_domains_root *root, int count, struct nb_domains_node *node, uint32_t *parent)
{
    struct making m = {root, node, parent, 0};
    assert(count >= 2);
    make(&m, 0, count - 1);
    return node[0].height;
}
