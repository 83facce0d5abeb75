/* snap_data.c - reads the columns and the footer of a frame, and verifies the columns by the footer's checksums. */
#include "base/error.h"
#include "base/memory.h"
#include "snap/snap_hash.h"
#include "snap/snap_reader.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* If the columns of a frame in a file have at least this number of bytes, several threads read them. Starting the
 * threads takes about 10 microseconds. */
#define PARALLEL_BYTES ((size_t)4 << 20)
/* If the columns of a frame in a pipe have at least this number of bytes, several threads hash them. */
#define PIPE_BYTES ((size_t)16 << 20)

static bool is_zero(const char *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (bytes[k])
            return false;
    return true;
}

/* A block of a column. Blocks are numbered consecutively through all columns of a frame. */
struct block {
    const struct nb_column *column;
    size_t from, size; /* bytes [from, from + size) of the column, padding included */
    size_t padding;    /* number of padding bytes at the end of the block */
    uint64_t at;       /* offset of the block in the frame's data */
};

static struct block block_at(const struct nb_bodies *b, size_t index)
{
    struct block block = {.column = b->columns};
    for (;; block.column++) {
        size_t blocks = nb_shape_blocks(block.column, b->n), padded = nb_column_bytes_padded(block.column, b->n);
        if (index < blocks) {
            block.from = index * NB_SNAP_BLOCK;
            block.at += block.from;
            block.size = index + 1 < blocks ? NB_SNAP_BLOCK : padded - block.from;
            block.padding = index + 1 < blocks ? 0 : padded - nb_column_bytes(block.column, b->n);
            return block;
        }
        index -= blocks;
        block.at += padded;
    }
}

static void examine(struct nb_snap_reader *r, const struct block *block, size_t index, const char *bytes)
{
    r->hashes[index] = nb_hash_bytes(bytes, block->size);
    if (is_zero(bytes + block->size - block->padding, block->padding))
        return;
#pragma omp critical(nb_unpadded)
    r->unpadded = index < r->unpadded ? index : r->unpadded;
}

/* Returns the address to which a block is read. This is its place in the column's data or, if the column has no data or
 * is mapped, this thread's scratch memory. A mapped column is verified by reading the file and not through the mapping.
 * Pages that are not used are then never loaded. If the file is truncated meanwhile, reading fails without the signal
 * SIGBUS. */
static char *place_of(const struct nb_snap_reader *r, const struct block *block)
{
    return block->column->data && !block->column->mapped ? (char *)block->column->data + block->from
                                                         : r->scratch + (size_t)omp_get_thread_num() * NB_SNAP_BLOCK;
}

static bool is_tallied(const struct nb_snap_reader *r, const struct nb_column *c)
{
    return r->tallied && c->type == NB_U8 && c->width == 1 && strcmp(c->name, r->tallied) == 0;
}

static void tally(struct nb_snap_reader *r, const struct block *block, const char *bytes)
{
    for (size_t i = 0; i < block->size - block->padding; i++)
        r->tally[(unsigned char)bytes[i]]++;
}

/* Writes to each page of a block's memory, so that the kernel provides the pages now. Reading into memory that has no
 * pages yet is much slower. The last page of a column may be missed. */
static void touch(const struct block *block)
{
    for (size_t at = 0; at < block->size; at += 4096)
        ((volatile char *)block->column->data)[block->from + at] = 0;
}

/* Reads the blocks [first, last) with one thread. Hashes each block just after reading it, while it is in the cache, or
 * not at all if `later` is true. */
static int read_blocks(struct nb_snap_reader *r, const struct nb_bodies *b, size_t first, size_t last, bool later)
{
    for (size_t k = first; k < last; k++) {
        struct block block = block_at(b, k);
        char *to = place_of(r, &block);
        ssize_t got = nb_input_read(&r->in, to, block.size);
        if (got < 0)
            return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
        if ((size_t)got < block.size)
            return nb_reader_cut(r);
        if (!later)
            examine(r, &block, k, to);
        if (is_tallied(r, block.column))
            tally(r, &block, to);
    }
    return 0;
}

/* Reads the columns from a pipe in groups of blocks, with one thread. At the same time, other threads touch the memory
 * of the group after, and hash the group before. */
static int read_in_groups(struct nb_snap_reader *r, const struct nb_bodies *b, int threads)
{
    const size_t blocks = r->shape.blocks, size = NB_HASH_BLOCKS, groups = (blocks + size - 1) / size;
    size_t failed = SIZE_MAX; /* group that cannot be read */
#pragma omp parallel num_threads(threads)
    for (size_t g = 0; g < groups + 2; g++) { /* touches group g, reads group g - 1, hashes group g - 2 */
#pragma omp master
        if (g >= 1 && g <= groups && read_blocks(r, b, (g - 1) * size, g < groups ? g * size : blocks, true)) {
#pragma omp atomic write
            failed = g;
        }
#pragma omp for schedule(dynamic)
        for (size_t k = 0; k < 2 * size; k++) {
            const bool hashes = k >= size;
            const size_t index = hashes ? (g - 2) * size + k - size : g * size + k;
            if ((hashes && g < 2) || index >= blocks)
                continue;
            const struct block block = block_at(b, index);
            if (hashes)
                examine(r, &block, index, place_of(r, &block));
            else
                touch(&block);
        }
        size_t at;
#pragma omp atomic read
        at = failed;
        if (at == g)
            break;
    }
    return failed == SIZE_MAX ? 0 : -1;
}

/* Reads the columns from a pipe, or from a file if they are small. */
static int read_sequential(struct nb_snap_reader *r, const struct nb_bodies *b, bool scratch)
{
    const int threads = r->threads < NB_HASH_THREADS ? r->threads : NB_HASH_THREADS;
    if (scratch || r->in.seekable || r->shape.data_bytes < PIPE_BYTES || threads == 1)
        return read_blocks(r, b, 0, r->shape.blocks, false);
    return read_in_groups(r, b, threads);
}

/* Reads the columns from a file. Each thread reads and hashes different blocks. */
static int read_parallel(struct nb_snap_reader *r, const struct nb_bodies *b)
{
    int failure = 0;
#pragma omp parallel for schedule(dynamic) num_threads(r->threads)
    for (size_t k = 0; k < r->shape.blocks; k++) {
        struct block block = block_at(b, k);
        char *to = place_of(r, &block);
        int status = nb_input_read_at(&r->in, r->in.at + block.at, to, block.size);
        if (status == 0)
            examine(r, &block, k, to);
        else {
#pragma omp atomic write
            failure = status;
        }
    }
    if (failure)
        return nb_reader_unread(r, failure);
    if (nb_input_seek(&r->in, r->in.at + r->shape.data_bytes))
        return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    return 0;
}

/* Returns whether a development version before the first release wrote the footer. Such footers began with the lines of
 * the columns, without the line `header`. */
static bool is_old_footer(const char *text, size_t have)
{
    static const char begin[] = NB_MAGIC_FOOTER "header ";
    if (have < sizeof begin || memcmp(text, begin, sizeof begin - 1) == 0)
        return false;
    ssize_t size = nb_text_find_end(text, 0, have, NULL);
    return size > 0 && (size_t)size <= have && nb_text_verify(text, (size_t)size, "footer", NULL) == 0;
}

/* Checks that the footer's text block is complete, intact, and belongs to the header just read. `have` bytes of the
 * input are available at `text`. */
static int check_footer(struct nb_snap_reader *r, const char *text, size_t have)
{
    if (have < r->shape.footer_bytes)
        return nb_reader_cut(r);
    if (memcmp(text, NB_MAGIC_FOOTER, sizeof NB_MAGIC_FOOTER - 1) != 0)
        return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, nb_fail("no footer follows the columns"));
    if (is_old_footer(text, have))
        return nb_reader_trouble(
            r, NB_TROUBLE_FORMAT,
            nb_fail(
                "written by a development version whose footers do not name their header; create the stream again"));
    if (nb_text_verify(text, r->shape.footer_bytes, "footer", &r->mark.checksum))
        return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, -1);
    if (!nb_footer_is_of(text, have, r->head_checksum))
        return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, nb_fail("the footer belongs to another header"));
    return 0;
}

int nb_reader_take_footer(struct nb_snap_reader *r, const struct nb_bodies *b, const uint64_t *hashes)
{
    size_t size = r->shape.footer_bytes;
    ssize_t have = nb_reader_peek(r, size);
    if (have < 0)
        return -1;
    char *text = nb_input_bytes(&r->in);
    if (check_footer(r, text, (size_t)have))
        return -1;
    nb_input_take(&r->in, size);
    r->at_next = true; /* the reader is at the next frame, even if the comparison below fails */
    return nb_footer_compare(text, size, b, hashes) ? nb_reader_trouble(r, NB_TROUBLE_DAMAGED, -1) : 0;
}

int nb_reader_expect_footer(struct nb_snap_reader *r)
{
    size_t size = r->shape.footer_bytes;
    char *text = malloc(size);
    if (!text)
        return nb_reader_trouble(r, NB_TROUBLE_READ, nb_fail("no memory for %zu bytes of text", size));
    int failure = nb_input_read_at(&r->in, r->in.at + r->shape.data_bytes, text, size);
    int status = failure ? nb_reader_unread(r, failure) : check_footer(r, text, size);
    free(text);
    return status;
}

/* Returns the number of bytes that must be allocated to read a frame. These are the bytes of the checksums and of the
 * columns of b that have no memory yet. If `scratch` is true, the columns are only verified and need no memory. */
static double bytes_needed(const struct nb_snap_reader *r, const struct nb_bodies *b, bool scratch)
{
    double bytes = r->hash_capacity < r->shape.blocks ? (double)r->shape.blocks * sizeof *r->hashes : 0;
    for (int k = 0; k < b->column_count && !scratch; k++)
        if (!b->columns[k].data)
            bytes += (double)nb_column_bytes_padded(&b->columns[k], b->n);
    return bytes;
}

static int reserve_scratch(struct nb_snap_reader *r)
{
    if (!r->scratch)
        r->scratch = aligned_alloc(NB_ALIGN, (size_t)r->threads * NB_SNAP_BLOCK);
    return r->scratch ? 0 : nb_reader_trouble(r, NB_TROUBLE_READ, nb_fail("no memory"));
}

/* Lets the columns of b point into the file (mmap). Changes nothing if the input is not a file, if the columns are
 * smaller than nb_snap_map requires, or if they are not aligned in the file. If mmap fails, the data of the column are
 * NULL. */
static void map_columns(struct nb_snap_reader *r, struct nb_bodies *b)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t at = (uint64_t)r->in.base + r->in.at; /* position of the column in the file */
    if (!r->in.seekable || r->shape.data_bytes < r->map_least || at % NB_ALIGN)
        return;
    for (int k = 0; k < b->column_count; at += nb_column_bytes_padded(&b->columns[k++], b->n)) {
        struct nb_column *c = &b->columns[k];
        const size_t before = at % page, size = before + nb_column_bytes_padded(c, b->n);
        if (size == before)
            continue;
        nb_column_free(c);
        char *pages = mmap(NULL, size, PROT_READ, MAP_PRIVATE, r->in.fd, (off_t)(at - before));
        if (pages == MAP_FAILED)
            continue;
        c->data = pages + before;
        c->mapped = size;
    }
}

static int reserve(struct nb_snap_reader *r, struct nb_bodies *b, bool scratch)
{
    if (!scratch)
        map_columns(r, b);
    /* A header read from a pipe may state any size. Frames too large for this machine are refused before reading. */
    if (nb_memory_check(b->n, bytes_needed(r, b, scratch)) || (!scratch && nb_bodies_alloc(b)))
        return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    if ((scratch || r->shape.data_bytes >= r->map_least) && reserve_scratch(r))
        return -1;
    if (r->hash_capacity < r->shape.blocks) {
        free(r->hashes);
        r->hashes = malloc(r->shape.blocks * sizeof *r->hashes);
        r->hash_capacity = r->hashes ? r->shape.blocks : 0;
    }
    if (r->shape.blocks && !r->hashes)
        return nb_reader_trouble(r, NB_TROUBLE_READ, nb_fail("no memory"));
    return 0;
}

int nb_reader_tally(struct nb_snap_reader *r, const struct nb_bodies *b)
{
    int failure = 0;
    for (size_t k = 0; k < r->shape.blocks && failure == 0; k++) {
        struct block block = block_at(b, k);
        if (!is_tallied(r, block.column))
            continue;
        if (reserve_scratch(r))
            return -1;
        failure = nb_input_read_at(&r->in, r->in.at + block.at, r->scratch, block.size);
        if (failure == 0)
            tally(r, &block, r->scratch);
    }
    return failure ? nb_reader_unread(r, failure) : 0;
}

int nb_reader_take_data(struct nb_snap_reader *r, struct nb_bodies *b, bool scratch)
{
    if (reserve(r, b, scratch))
        return -1;
    bool threads = r->in.seekable && r->shape.data_bytes >= PARALLEL_BYTES && r->threads > 1;
    r->unpadded = SIZE_MAX;
    int status = threads ? read_parallel(r, b) : read_sequential(r, b, scratch);
    if (status || nb_reader_take_footer(r, b, r->hashes))
        return -1;
    if (r->unpadded < SIZE_MAX) {
        nb_fail("column '%s' has padding that is not zero", block_at(b, r->unpadded).column->name);
        return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, -1);
    }
    return 0;
}
