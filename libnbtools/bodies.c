/* bodies.c - adds bodies to a system and removes bodies from it. Declared in nbtools.h. */
#include "system.h"

#include "select/select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Checks in a sorted copy that no id occurs twice among `count` ids. `wrong` is the end of the error message. Returns
 * -1 on error. */
static int check_unique(const uint64_t *id, uint64_t count, const char *wrong)
{
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted), twice = count;
    if (!sorted)
        return nb_fail("no memory for %" PRIu64 " ids", count);
    memcpy(sorted, id, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_number);
    for (uint64_t i = 1; i < count && twice == count; i++)
        if (sorted[i] == sorted[i - 1])
            twice = i;
    const int status = twice == count ? 0 : nb_fail("id %" PRIu64 " %s", sorted[twice], wrong);
    free(sorted);
    return status;
}

/* Copies the columns of b to `to`, with `count` additional bodies at the end whose values are 0. Returns -1 on
 * error. */
static int grow(const struct nb_bodies *b, uint64_t count, struct nb_bodies *to)
{
    nb_bodies_init(to);
    if (nb_bodies_copy_layout(to, b))
        return -1;
    to->n = b->n + count;
    if (nb_bodies_alloc(to))
        return -1;
    for (int k = 0; k < b->column_count; k++) {
        const size_t old = nb_column_bytes(&b->columns[k], b->n);
        memcpy(to->columns[k].data, b->columns[k].data, old);
        memset((char *)to->columns[k].data + old, 0, nb_column_bytes(&to->columns[k], to->n) - old);
    }
    return 0;
}

/* Copies `values` into the column called `name`, from body `from` on. Each of these bodies has as many values as the
 * column has components. */
static void put(struct nb_bodies *b, uint64_t from, const char *name, const double *values)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    const uint64_t width = (uint64_t)c->width;
    for (uint64_t i = from; i < b->n; i++)
        for (uint64_t k = 0; k < width; k++)
            nb_column_set(c, i, (int)k, values[(i - from) * width + k]);
}

/* Sets the ids of the new bodies [from, b->n). If `given` is NULL, the ids are consecutive numbers above all present
 * ids. Returns -1 if an id occurs twice, or if the consecutive numbers would exceed UINT64_MAX. */
static int put_ids(struct nb_bodies *b, uint64_t from, const uint64_t *given)
{
    uint64_t *id = nb_bodies_find(b, "id")->data, most = 0;
    for (uint64_t i = 0; i < from; i++)
        most = id[i] > most ? id[i] : most;
    if (!given && from > 0 && b->n - from > UINT64_MAX - most)
        return nb_fail("no ids are left above the highest, %" PRIu64, most);
    const uint64_t next = from > 0 ? most + 1 : 0;
    for (uint64_t i = from; i < b->n; i++)
        id[i] = given ? given[i - from] : next + (i - from);
    return given ? check_unique(id, b->n, "would be there twice") : 0;
}

static int put_values(struct nb_bodies *b, uint64_t from, const double *mass, const double *pos, const double *vel)
{
    put(b, from, "mass", mass);
    put(b, from, "pos", pos);
    put(b, from, "vel", vel);
    const struct nb_column *softening = nb_bodies_find(b, "softening");
    for (uint64_t i = from; softening && from > 0 && i < b->n; i++) /* the new bodies get the softening of body 0 */
        nb_column_set(softening, i, 0, nb_column_get(softening, 0, 0));
    return b->n > 0 ? nb_bodies_check(b) : 0;
}

int nbt_add(struct nbt_system *s, uint64_t count, const double *mass, const double *pos, const double *vel,
            const uint64_t *id)
{
    struct nb_bodies *b = &s->frame.bodies, more;
    if (system_take(s) || nb_bodies_check_columns(b) || nb_bodies_number(b))
        return -1;
    if (count > VECTORS_MAX - b->n)
        return nb_fail("no memory for %" PRIu64 " more bodies", count);
    if (count > 0 && (!mass || !pos || !vel))
        return nb_fail("new bodies need masses, positions and velocities");
    if (grow(b, count, &more) || put_ids(&more, b->n, id) || put_values(&more, b->n, mass, pos, vel)) {
        nb_bodies_free(&more);
        return -1;
    }
    system_reset(s, OPEN);
    nb_bodies_swap(b, &more);
    nb_bodies_free(&more);
    return 0;
}

/* Sets mask[i] to 0 for the bodies with the given ids, which are sorted, and to 1 for all others. Fails if an id does
 * not exist. */
static int mark(const struct nb_bodies *b, const uint64_t *sorted, uint64_t count, unsigned char *mask)
{
    const uint64_t *id = nb_bodies_find(b, "id")->data;
    uint64_t found = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        mask[i] = !bsearch(&id[i], sorted, count, sizeof *sorted, by_number);
        found += !mask[i];
    }
    return found == count ? 0
                          : nb_fail("only %" PRIu64 " of the %" PRIu64 " ids to remove belong to bodies", found, count);
}

/* Removes the bodies with the given ids. On failure, returns -1 and leaves the system unchanged. */
static int remove_sorted(struct nbt_system *s, const uint64_t *sorted, uint64_t count)
{
    struct nb_bodies *b = &s->frame.bodies, left;
    unsigned char *mask = malloc(b->n + 1);
    if (!mask)
        return nb_fail("no memory to remove bodies");
    nb_bodies_init(&left);
    int status = mark(b, sorted, count, mask);
    if (!status)
        status = nb_select_take(b, mask, b->n - count, &left);
    if (!status) {
        system_reset(s, OPEN);
        nb_bodies_swap(b, &left);
    }
    nb_bodies_free(&left);
    free(mask);
    return status;
}

int nbt_remove(struct nbt_system *s, uint64_t count, const uint64_t *id)
{
    struct nb_bodies *b = &s->frame.bodies;
    if (system_take(s) || nb_bodies_check_columns(b) || nb_bodies_number(b))
        return -1;
    if (count > b->n)
        return nb_fail("%" PRIu64 " ids to remove, but only %" PRIu64 " bodies", count, b->n);
    if (check_unique(nb_bodies_find(b, "id")->data, b->n, "belongs to two bodies") ||
        check_unique(id, count, "is to be removed twice"))
        return -1;
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return nb_fail("no memory to remove bodies");
    memcpy(sorted, id, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_number);
    const int status = remove_sorted(s, sorted, count);
    free(sorted);
    return status;
}
