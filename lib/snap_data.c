/* Reading the columns and the footer of a frame: this thread reads, the others compute checksums. */
#include "error.h"
#include "snap_hash.h"
#include "snap_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#define SCRATCH_BLOCKS 8

static int cut(struct nb_snap_reader *r)
{
    return nb_reader_trouble(r, NB_TROUBLE_CUT, nb_fail("the stream is cut in frame %" PRId64, r->next));
}

static bool is_zero(const char *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (bytes[k])
            return false;
    return true;
}

/* Reads one column block by block into data, or round and round in the scratch blocks, and has each hashed. */
static int read_column(struct nb_snap_reader *r, const struct nb_column *c, uint64_t n, uint64_t *hashes, bool parallel)
{
    size_t block = 0, used = nb_column_bytes(c, n), padded = nb_column_bytes_padded(c, n);
    for (size_t at = 0; at < padded; at += NB_SNAP_BLOCK, block++) {
        size_t size = padded - at < NB_SNAP_BLOCK ? padded - at : NB_SNAP_BLOCK;
        char *to = c->data ? (char *)c->data + at : r->scratch + block % SCRATCH_BLOCKS * NB_SNAP_BLOCK;
        if (!c->data && parallel && block % SCRATCH_BLOCKS == 0) {
#pragma omp taskwait
        }
        ssize_t got = nb_input_read(&r->in, to, size);
        if (got < 0)
            return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
        if ((size_t)got < size)
            return cut(r);
        if (at + size == padded && !is_zero(to + (used - at), padded - used))
            r->unpadded = c->name;
        uint64_t *hash = &hashes[block];
        if (!parallel)
            *hash = nb_hash_bytes(to, size);
        else {
#pragma omp task
            *hash = nb_hash_bytes(to, size);
        }
    }
    return 0;
}

static int read_columns(struct nb_snap_reader *r, const struct nb_bodies *b, bool parallel)
{
    uint64_t *hashes = r->hashes;
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        if (read_column(r, c, b->n, hashes, parallel))
            return -1;
        hashes += nb_shape_blocks(c, b->n);
        if (!c->data && parallel) { /* the next column begins with the same scratch block */
#pragma omp taskwait
        }
    }
    return 0;
}

int nb_reader_take_footer(struct nb_snap_reader *r, const struct nb_bodies *b, const uint64_t *hashes)
{
    size_t size = r->shape.footer_bytes;
    ssize_t have = nb_input_peek(&r->in, size);
    if (have < 0)
        return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    if ((size_t)have < size)
        return cut(r);
    char *text = nb_input_bytes(&r->in);
    if (memcmp(text, NB_MAGIC_FOOTER, sizeof NB_MAGIC_FOOTER - 1) != 0)
        return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, nb_fail("no footer stands behind the columns"));
    if (nb_text_verify(text, size, "footer"))
        return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, -1);
    nb_input_take(&r->in, size);
    r->at_next = true; /* whatever the comparison says, the next frame stands here */
    return nb_footer_compare(text, size, b, hashes) ? nb_reader_trouble(r, NB_TROUBLE_DAMAGED, -1) : 0;
}

/* A header on a pipe may claim anything: what this machine cannot hold is refused before it is allocated. */
static int check_memory(const struct nb_snap_reader *r, uint64_t n, bool scratch)
{
    struct sysinfo info;
    if (sysinfo(&info))
        return 0;
    double bytes = ((double)info.totalram + (double)info.totalswap) * info.mem_unit;
    double needed = (double)r->shape.blocks * sizeof *r->hashes + (scratch ? 0 : (double)r->shape.data_bytes);
    if (needed <= bytes)
        return 0;
    return nb_fail("%" PRIu64 " bodies need %.3g GB of memory; this machine has %.3g", n,
                   (double)r->shape.data_bytes * 1e-9, bytes * 1e-9);
}

static int make_room(struct nb_snap_reader *r, struct nb_bodies *b, bool scratch)
{
    if (check_memory(r, b->n, scratch) || (!scratch && nb_bodies_alloc(b)))
        return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    if (scratch && !r->scratch)
        r->scratch = aligned_alloc(NB_ALIGN, SCRATCH_BLOCKS * NB_SNAP_BLOCK);
    if (r->hash_room < r->shape.blocks) {
        free(r->hashes);
        r->hashes = malloc(r->shape.blocks * sizeof *r->hashes);
        r->hash_room = r->hashes ? r->shape.blocks : 0;
    }
    if ((scratch && !r->scratch) || (r->shape.blocks && !r->hashes))
        return nb_reader_trouble(r, NB_TROUBLE_READ, nb_fail("no memory"));
    return 0;
}

int nb_reader_take_data(struct nb_snap_reader *r, struct nb_bodies *b, bool scratch)
{
    if (make_room(r, b, scratch))
        return -1;
    int status = 0;
    r->unpadded = NULL;
    if (r->shape.data_bytes < NB_HASH_PARALLEL_MIN)
        status = read_columns(r, b, false);
    else {
#pragma omp parallel
#pragma omp master
        status = read_columns(r, b, true);
    }
    if (status || nb_reader_take_footer(r, b, r->hashes))
        return -1;
    if (r->unpadded) {
        nb_fail("column '%s' is padded with other bytes than zeros", r->unpadded);
        return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, -1);
    }
    return 0;
}
