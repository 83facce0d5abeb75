/* group_memory.c - memory of a group: division of bodies among the parts, handles, allocation, copies. Declared in
 * group_memory.h and group.h. */
#include "device/group/group_memory.h"

#include "base/error.h"
#include "device/device_kind.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- division of the bodies ---- */

uint64_t nb_group_begin(const struct nb_device *d, uint64_t n, int k)
{
    const int count = nb_group_of(d)->count;
    const uint64_t units = (n + NB_STRIDE_UNIT - 1) / NB_STRIDE_UNIT;
    /* units * k / count without overflow */
    const uint64_t at =
        (units / (uint64_t)count * (uint64_t)k + units % (uint64_t)count * (uint64_t)k / (uint64_t)count) *
        NB_STRIDE_UNIT;
    return at < n ? at : n;
}

static uint64_t share(const struct nb_device *d, uint64_t n, int k)
{
    return nb_group_begin(d, n, k + 1) - nb_group_begin(d, n, k);
}

uint64_t nb_group_stride(const struct nb_device *d, uint64_t n, int k)
{
    return (share(d, n, k) + NB_STRIDE_UNIT - 1) / NB_STRIDE_UNIT * NB_STRIDE_UNIT;
}

/* ---- handles ---- */

const struct nb_group_memory *nb_group_find(const struct nb_device *d, const void *p)
{
    for (const struct nb_group_memory *m = nb_group_of(d)->memory; m; m = m->next)
        if ((const char *)p >= m->base && (const char *)p < m->base + m->size_bytes)
            return m;
    return NULL;
}

void *nb_group_at(const struct nb_device *d, const void *p, int k)
{
    if (!p)
        return NULL;
    const struct nb_group_memory *m = nb_group_find(d, p);
    assert(m);
    const size_t offset = (size_t)((const char *)p - m->base);
    if (!m->at[k])
        return NULL;
    if (m->n == 0)
        return (char *)m->at[k] + offset;
    assert(offset % m->row_bytes == 0);
    const size_t element = m->row_bytes / m->stride;
    return (char *)m->at[k] + offset / m->row_bytes * nb_group_stride(d, m->n, k) * element;
}

bool nb_group_is_split(const struct nb_device *d, const void *p, uint64_t n)
{
    const struct nb_group_memory *m = nb_group_find(d, p);
    return m && m->n > 0 && (n == 0 || m->n == n) && (size_t)((const char *)p - m->base) % m->row_bytes == 0;
}

uint64_t nb_group_bodies(const struct nb_device *d, const void *p)
{
    const struct nb_group_memory *m = nb_group_find(d, p);
    return m ? m->n : 0;
}

/* ---- allocation ---- */

static void release(struct nb_device *d, struct nb_group_memory *m)
{
    struct nb_group *g = nb_group_of(d);
    for (int k = 0; k < g->count; k++)
        nb_device_free(g->part[k], m->at[k]);
    if (m->base)
        munmap(m->base, m->size_bytes);
    free(m);
}

/* Allocates bytes[k] bytes on each part k; bytes[k] may be 0. Reserves a range of size_bytes addresses on the host. The
 * group's pointers to this memory are addresses in this range. Returns NULL after nb_fail. */
static struct nb_group_memory *allocate(struct nb_device *d, size_t size_bytes, const size_t *bytes)
{
    struct nb_group *g = nb_group_of(d);
    struct nb_group_memory *m = calloc(1, sizeof *m);
    if (!m) {
        nb_fail("no memory");
        return NULL;
    }
    m->size_bytes = size_bytes;
    void *base = mmap(NULL, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool good = base != MAP_FAILED;
    if (good)
        m->base = base;
    else
        nb_fail("cannot reserve addresses for %.3g GB", 1e-9 * (double)size_bytes);
    for (int k = 0; k < g->count && good; k++) {
        good = bytes[k] == 0 || (m->at[k] = nb_device_alloc(g->part[k], bytes[k])) != NULL;
        if (!good)
            nb_group_failed(d, k);
    }
    if (!good) {
        release(d, m);
        return NULL;
    }
    m->next = g->memory;
    g->memory = m;
    return m;
}

void *nb_group_alloc(struct nb_device *d, size_t size_bytes)
{
    size_t bytes[NB_GROUP_MAX];
    size_bytes = size_bytes ? size_bytes : 1;
    for (int k = 0; k < nb_group_count(d); k++)
        bytes[k] = size_bytes;
    struct nb_group_memory *m = allocate(d, size_bytes, bytes);
    return m ? m->base : NULL;
}

void *nb_group_alloc_rows(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int rows)
{
    const size_t element = nb_precision_size(precision), row_bytes = stride * element;
    size_t bytes[NB_GROUP_MAX];
    if (n == 0)
        return nb_group_alloc(d, (size_t)rows * row_bytes);
    for (int k = 0; k < nb_group_count(d); k++)
        bytes[k] = (size_t)rows * nb_group_stride(d, n, k) * element;
    struct nb_group_memory *m = allocate(d, (size_t)rows * row_bytes, bytes);
    if (!m)
        return NULL;
    m->n = n;
    m->stride = stride;
    m->row_bytes = row_bytes;
    return m->base;
}

void nb_group_free(struct nb_device *d, void *p)
{
    for (struct nb_group_memory **at = &nb_group_of(d)->memory; p && *at; at = &(*at)->next)
        if ((*at)->base == p) {
            struct nb_group_memory *m = *at;
            *at = m->next;
            release(d, m);
            return;
        }
    assert(!p);
}

/* ---- copies to and from the host ---- */

struct copy {
    struct nb_device *d;
    const struct nb_group_memory *m;
    size_t offset, size_bytes; /* copied range, in bytes from the beginning of the group's memory */
    char *host;
    bool to_device;
};

/* Copies the rows of part k to or from host memory. In host memory a row contains all n bodies. */
static int copy_rows(void *context, int k)
{
    const struct copy *c = context;
    struct nb_device *part = nb_group_part(c->d, k);
    const size_t element = c->m->row_bytes / c->m->stride, bytes = share(c->d, c->m->n, k) * element;
    const size_t begin = nb_group_begin(c->d, c->m->n, k) * element, rows = c->size_bytes / c->m->row_bytes;
    char *at = nb_group_at(c->d, c->m->base + c->offset, k), *host = c->host + begin;
    for (size_t r = 0; r < rows && bytes > 0; r++) {
        if (c->to_device ? nb_device_to(part, at, host, bytes) : nb_device_from(part, host, at, bytes))
            return -1;
        at += nb_group_stride(c->d, c->m->n, k) * element;
        host += c->m->row_bytes;
    }
    return 0;
}

static int copy_same(void *context, int k)
{
    const struct copy *c = context;
    char *at = (char *)c->m->at[k] + c->offset;
    return nb_device_to(nb_group_part(c->d, k), at, c->host, c->size_bytes);
}

int nb_group_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes)
{
    const struct nb_group_memory *m = nb_group_find(d, d_to);
    struct copy c = {d, m, (size_t)((char *)d_to - m->base), size_bytes, (char *)from, true};
    assert(m->n == 0 || size_bytes % m->row_bytes == 0);
    return nb_group_run(d, m->n ? copy_rows : copy_same, &c);
}

int nb_group_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes)
{
    const struct nb_group_memory *m = nb_group_find(d, d_from);
    struct copy c = {d, m, (size_t)((const char *)d_from - m->base), size_bytes, to, false};
    if (m->n == 0)
        return nb_device_from(nb_group_part(d, 0), to, (const char *)m->at[0] + c.offset, size_bytes)
                   ? nb_group_failed(d, 0)
                   : 0;
    assert(size_bytes % m->row_bytes == 0);
    memset(to, 0, size_bytes); /* clears the padding, which copy_rows does not write */
    return nb_group_run(d, copy_rows, &c);
}
