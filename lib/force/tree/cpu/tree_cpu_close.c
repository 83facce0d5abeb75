/* tree_cpu_close.c - selects the close pairs (nb_close_pairs) from lists of candidates. Declared in tree_simd.h. Each
 * thread has its own list, to which the near kernels (tree_simd.h) write all close pairs and some other pairs. Each
 * candidate pair is listed twice, once for each of its bodies as the target. All pairs with the same target are in the
 * same list. The functions of this file remove the pairs that are not close, and keep each close pair once. Distances
 * are computed in double, from the tree's positions. */
#include "force/tree/cpu/tree_simd.h"

#include "base/error.h"
#include "force/put.h"

#include <stdlib.h>
#include <string.h>

#define SERIAL      10000
#define INSERT_UPTO 32

struct listing {
    const struct nb_tree *t;
    /* A pair is close if its distance is below `near`. A pair is also close if its distance is below `reach` and the
     * two bodies, moving at constant velocities, come within the distance `outer` of each other during the time `time`.
     * near, reach and outer are in internal units. `time` is scaled, so that a velocity in the caller's units times
     * `time` is a length in internal units. */
    double near, reach, outer, time;
    bool single;     /* velocities are floats */
    uint64_t stride; /* stride of the velocities */
    /* The pairs {i, j} with j > i belong to body i. end[i] changes its meaning:
     * - choose sets it to the number of pairs of body i;
     * - make_room replaces this by the position of the first of these pairs in pairs->pair;
     * - put increases it with each pair that it writes. At the end it is the position after the last pair of body i. */
    uint64_t *end;
    struct nb_close_pairs *pairs;
};

static bool is_close(const struct listing *l, uint32_t k, uint32_t with)
{
    if (with == NB_TREE_NO_BODY || l->t->order[k] >= l->t->order[with])
        return false;
    const uint64_t i = l->t->order[k], j = l->t->order[with];
    double d[3], move[3];
    for (int c = 0; c < 3; c++)
        d[c] = nb_tree_x(l->t, c, with) - nb_tree_x(l->t, c, k);
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 < l->near * l->near || !(r2 < l->reach * l->reach))
        return r2 < l->near * l->near;
    for (uint64_t c = 0; c < 3; c++)
        move[c] = l->time * (nb_field_get(l->pairs->v, l->single, c * l->stride + j) -
                             nb_field_get(l->pairs->v, l->single, c * l->stride + i));
    return nb_comes_within(d, move, l->outer);
}

/* Removes from `noted` all pairs that are not close. In the remaining pairs, replaces the bodies' sorted indices by
 * their indices i < j in the input. Counts the pairs of each body i in l->end[i]. */
static void choose(const struct listing *l, struct nb_tree_list *noted)
{
    size_t kept = 0;
    for (size_t k = 0; k < noted->count; k += 2)
        if (is_close(l, noted->id[k], noted->id[k + 1])) {
            const uint32_t i = l->t->order[noted->id[k]], j = l->t->order[noted->id[k + 1]];
            noted->id[kept++] = i;
            noted->id[kept++] = j;
            l->end[i]++;
        }
    noted->count = kept;
}

/* Converts the number of pairs of each body (l->end) to the position of its first pair, and allocates memory for all
 * pairs. Returns false if there is no memory. */
static bool make_room(const struct listing *l)
{
    struct nb_close_pairs *pairs = l->pairs;
    uint64_t total = 0;
    for (uint64_t i = 0; i < l->t->bodies; i++) {
        const uint64_t count = l->end[i];
        l->end[i] = total;
        total += count;
    }
    if (total > pairs->room) {
        const uint64_t room = total + total / 8;
        void *larger = realloc(pairs->pair, room * sizeof *pairs->pair);
        if (!larger)
            return false;
        pairs->pair = larger;
        pairs->room = room;
    }
    pairs->count = total;
    return true;
}

static void put(const struct listing *l, const struct nb_tree_list *chosen)
{
    for (size_t k = 0; k < chosen->count; k += 2)
        memcpy(l->pairs->pair[l->end[chosen->id[k]]++], chosen->id + k, sizeof *l->pairs->pair);
}

static int rising(const void *a, const void *b)
{
    const uint32_t *p = a, *q = b;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

/* Sorts the pairs of one body by j. */
static void sort(uint32_t (*pair)[2], uint64_t count)
{
    if (count > INSERT_UPTO) {
        qsort(pair, count, sizeof *pair, rising);
        return;
    }
    for (uint64_t k = 1; k < count; k++) {
        const uint32_t j = pair[k][1];
        uint64_t to = k;
        for (; to > 0 && pair[to - 1][1] > j; to--)
            pair[to][1] = pair[to - 1][1];
        pair[to][1] = j;
    }
}

static int list(const struct listing *l, struct nb_tree_team *team)
{
    const uint64_t n = l->t->bodies;
#pragma omp parallel for schedule(static, 1) if (n > SERIAL)
    for (int k = 0; k < team->threads; k++)
        choose(l, nb_tree_noted(team, k));
    if (!make_room(l))
        return -1;
#pragma omp parallel for schedule(static, 1) if (n > SERIAL)
    for (int k = 0; k < team->threads; k++)
        put(l, nb_tree_noted(team, k));
#pragma omp parallel for schedule(dynamic, 4096) if (n > SERIAL)
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t begin = i > 0 ? l->end[i - 1] : 0;
        sort(l->pairs->pair + begin, l->end[i] - begin);
    }
    return 0;
}

int nb_tree_close(const struct nb_tree_walk *w, struct nb_tree_team *team, bool single, const struct nb_field *out)
{
    struct nb_close_pairs *pairs = out->close;
    const double length = w->t->length;
    const struct listing l = {.t = w->t,
                              .near = pairs->near * length,
                              .reach = w->close,
                              .outer = w->far.outer,
                              .time = pairs->time * length,
                              .single = single,
                              .stride = out->stride,
                              .end = calloc(w->t->bodies, sizeof *l.end),
                              .pairs = pairs};
    const int status = l.end ? list(&l, team) : -1;
    free(l.end);
    return status ? nb_fail("no memory for the list of pairs of close bodies (force tree)") : 0;
}
