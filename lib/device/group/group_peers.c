/* group_peers.c - copies between the parts of a group. Declared in group.h. */
#include "device/group/group_memory.h"

int nb_group_ready(struct nb_device *d, int k)
{
    struct nb_device *part = nb_group_part(d, k);
    return part->kind->peer_ready ? part->kind->peer_ready(part) : 0;
}

int nb_group_copy(struct nb_device *d, int k, void *d_to, int h, const void *d_from, size_t size_bytes)
{
    struct nb_device *part = nb_group_part(d, k);
    return part->kind->peer_copy(part, d_to, nb_group_part(d, h), d_from, size_bytes);
}

/* Copies `rows` rows of size_bytes bytes within the memory of part k. `p`: the source, a pointer to memory of the
 * group; `to`: the destination. Rows begin row_bytes apart. */
static int take_own(struct nb_device *d, int k, size_t size_bytes, const void *p, int rows, size_t row_bytes, char *to)
{
    const char *from = nb_group_at(d, p, k);
    for (int r = 0; r < rows; r++)
        if (nb_group_copy(d, k, to + (size_t)r * row_bytes, k, from + (size_t)r * row_bytes, size_bytes))
            return -1;
    return 0;
}

int nb_group_take(struct nb_device *d, int k, enum nb_precision precision, uint64_t n, const void *p, int rows,
                  uint64_t stride, void *d_full, bool own)
{
    const size_t element = nb_precision_size(precision);
    const struct nb_group_memory *m = nb_group_find(d, p);
    if (m->n == 0)
        return take_own(d, k, n * element, p, rows, stride * element, d_full);
    const size_t offset = (size_t)((const char *)p - m->base), within = offset % m->row_bytes;
    const uint64_t i0 = within / element, i1 = i0 + n;
    for (int h = 0; h < nb_group_count(d); h++) {
        const uint64_t begin = nb_group_begin(d, m->n, h), end = nb_group_begin(d, m->n, h + 1);
        const uint64_t first = begin > i0 ? begin : i0, last = end < i1 ? end : i1;
        const char *from = nb_group_at(d, (const char *)p - within, h);
        for (int r = 0; r < rows && first < last && (own || h != k); r++) {
            char *to = (char *)d_full + ((uint64_t)r * stride + first - i0) * element;
            const char *row = from + ((uint64_t)r * nb_group_stride(d, m->n, h) + first - begin) * element;
            if (nb_group_copy(d, k, to, h, row, (last - first) * element))
                return -1;
        }
    }
    return 0;
}

int nb_group_taken(struct nb_device *d, int k)
{
    struct nb_group *g = nb_group_of(d);
    struct nb_device *part = g->part[k];
    return part->kind->peer_taken ? part->kind->peer_taken(part, g->part, g->count) : 0;
}
