/* binary_from.c - reads GADGET's binary snapshots. A snapshot is one file or several files. */
#include "nbconv/gadget/binary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART      4096 /* number of values read at a time */
#define FILES_MAX 100000

const struct binary_block binary_blocks[] = {
    {"POS ", "pos", 3, "L", false},
    {"VEL ", "vel", 3, "L/T", false},
    {"ID  ", "id", 1, "-", false},
    {"MASS", "mass", 1, "M", false},
    {"POT ", "phi", 1, "L^2/T^2", true},
    {"ACCE", "acc", 3, "L/T^2", true},
    {0},
};
enum { MASS = 3, BLOCKS = sizeof binary_blocks / sizeof *binary_blocks - 1 };

struct source {
    struct bytes in;
    const struct conv_options *o;
    const char *first; /* name of the given file, for messages */
    char *opened;      /* name of the current file if the snapshot has several files; owned */
    /* swapped: the byte order of the current file differs from the byte order of this machine; named: the blocks of the
     * current file have names (format 2) */
    bool swapped, named;
    struct gadget_header head; /* header of the first file, but head.count is the number of bodies in all files */
    double redshift;
    uint64_t count[BINARY_TYPES]; /* number of bodies of each type in the current file */
    bool has_block[BINARY_TYPES]; /* whether the masses of a type are in block MASS */
    uint64_t next[BINARY_TYPES];  /* index in the frame of the next body of each type */
    uint64_t end[BINARY_TYPES];   /* index in the frame of the last body of each type, plus 1 */
    uint64_t filled[BLOCKS];      /* number of bodies read so far from each block */
    bool seen[BLOCKS];            /* blocks that were read in the current file */
    int types[NB_COMPONENTS];
    int ordinal; /* index in binary_blocks of the next block; used only in format 1, where blocks have no names */
    char left_out[256];
    struct nb_bodies b;
};

/* ---- the header ---- */

static void get(const struct source *s, const unsigned char *head, int at, size_t size, size_t count, void *to)
{
    memcpy(to, head + at, size * count);
    if (s->swapped)
        bytes_swap(to, size, count);
}

static int check_header(const struct source *s, const struct gadget_header *h)
{
    for (int t = 0; t < BINARY_TYPES; t++)
        if (h->count[t] < 0 || !(h->mass_table[t] >= 0) || !isfinite(h->mass_table[t]))
            return nb_fail("%s: a GADGET header with %g bodies of type %d, of mass %g", s->in.name, h->count[t], t,
                           h->mass_table[t]);
    if (!isfinite(h->time) || h->files < 0 || h->files > FILES_MAX)
        return nb_fail("%s: a GADGET header with time %g, of %d files", s->in.name, h->time, h->files);
    return 0;
}

static int parse_header(struct source *s, const unsigned char *at, struct gadget_header *h)
{
    int32_t count[BINARY_TYPES], files;
    *h = (struct gadget_header){.types = BINARY_TYPES};
    get(s, at, BINARY_COUNT, 4, BINARY_TYPES, count);
    get(s, at, BINARY_MASS, 8, BINARY_TYPES, h->mass_table);
    get(s, at, BINARY_TIME, 8, 1, &h->time);
    get(s, at, BINARY_REDSHIFT, 8, 1, &s->redshift);
    get(s, at, BINARY_FILES, 4, 1, &files);
    get(s, at, BINARY_BOX, 8, 1, &h->box);
    get(s, at, BINARY_MATTER, 8, 1, &h->matter);
    get(s, at, BINARY_LAMBDA, 8, 1, &h->lambda);
    get(s, at, BINARY_HUBBLE, 8, 1, &h->h);
    h->files = files > 1 ? files : files < 0 ? files : 1;
    h->cosmological = h->matter > 0 && fabs(h->time * (1 + s->redshift) - 1) < 1e-3;
    for (int t = 0; t < BINARY_TYPES; t++) {
        h->count[t] = count[t];
        s->count[t] = count[t] < 0 ? 0 : (uint64_t)count[t];
        s->has_block[t] = count[t] > 0 && h->mass_table[t] == 0;
    }
    return check_header(s, h);
}

/* Detects the format and byte order. Returns -1 after nb_fail. */
static int recognise(struct source *s)
{
    const unsigned char *at;
    uint32_t marker;
    if (bytes_peek(&s->in, 8, &at) < 8)
        return nb_fail("%s: not a GADGET file: shorter than a header", s->in.name);
    for (int swapped = 0; swapped < 2; swapped++) {
        s->swapped = swapped;
        get(s, at, 0, 4, 1, &marker);
        s->named = marker == 8 && memcmp(at + 4, "HEAD", 4) == 0;
        if (s->named || marker == BINARY_HEAD)
            return 0;
    }
    return nb_fail("%s: not a GADGET file: it does not begin with a header", s->in.name);
}

/* ---- records ---- */

static int take_count(struct source *s, uint32_t *count)
{
    return bytes_take(&s->in, count, sizeof *count, 1, s->swapped, "the count before or after a block");
}

/* The file has the size of a record in bytes before the record and after it. Reads the size after the record. Fails if
 * this size differs from `before`, the size before the record. */
static int end_record(struct source *s, uint32_t before)
{
    uint32_t behind;
    if (take_count(s, &behind))
        return -1;
    return behind == before
               ? 0
               : nb_fail("%s: damaged: a block of %" PRIu32 " bytes ends, at byte %" PRIu64 ", as one of %" PRIu32,
                         s->in.name, before, s->in.in.at, behind);
}

static bool is_left_out(const struct source *s, int block)
{
    if (block != MASS)
        return binary_blocks[block].optional;
    bool any = false;
    for (int t = 0; t < BINARY_TYPES; t++)
        any = any || s->has_block[t];
    return !any;
}

/* Reads the name of the next block and the size of its data in bytes. Files of format 1 contain no names, but their
 * blocks are in the order of the table binary_blocks. So the names are taken from this table. Blocks after the last
 * entry get the name "?". Returns 1 if there is a block, 0 at the end of the file, or -1 after nb_fail. */
static int begin_record(struct source *s, char name[5], uint32_t *bytes)
{
    const unsigned char *at;
    uint32_t count, next;
    const ssize_t have = bytes_peek(&s->in, 1, &at);
    if (have <= 0)
        return (int)have;
    strcpy(name, "?");
    if (s->named) {
        if (take_count(s, &count))
            return -1;
        if (count != 8)
            return nb_fail("%s: damaged: expected the name of a block at byte %" PRIu64, s->in.name, s->in.in.at - 4);
        if (bytes_take(&s->in, name, 1, 4, false, "a block's name") || take_count(s, &next) || end_record(s, 8))
            return -1;
        name[4] = '\0';
    } else {
        while (s->ordinal < BLOCKS && is_left_out(s, s->ordinal))
            s->ordinal++;
        if (s->ordinal < BLOCKS)
            strcpy(name, binary_blocks[s->ordinal++].name);
    }
    return take_count(s, bytes) ? -1 : 1;
}

static int take_header(struct source *s, struct gadget_header *h)
{
    unsigned char head[BINARY_HEAD];
    char name[5];
    uint32_t bytes;
    if (recognise(s))
        return -1;
    s->ordinal = BLOCKS; /* begin_record then takes no name from the table binary_blocks: the header is not a block */
    if (begin_record(s, name, &bytes) <= 0)
        return nb_fail("%s: truncated in the header", s->in.name);
    s->ordinal = 0;
    memset(s->seen, 0, sizeof s->seen);
    if (bytes != BINARY_HEAD)
        return nb_fail("%s: damaged: the header has %" PRIu32 " bytes, expected %d", s->in.name, bytes, BINARY_HEAD);
    return bytes_take(&s->in, head, 1, BINARY_HEAD, false, "the header") || end_record(s, bytes) ||
                   parse_header(s, head, h)
               ? -1
               : 0;
}

/* ---- blocks ---- */

static bool has_type(const struct source *s, const struct binary_block *block, int type)
{
    return strcmp(block->name, "MASS") == 0 ? s->has_block[type] : s->count[type] > 0;
}

static uint64_t values_of(const struct source *s, const struct binary_block *block)
{
    uint64_t bodies = 0;
    for (int t = 0; t < BINARY_TYPES; t++)
        bodies += has_type(s, block, t) ? s->count[t] : 0;
    return bodies * (uint64_t)block->width;
}

/* Returns the size of one value in a block of `values` values: 4 or 8 bytes, or 0 if the block has another size. bytes:
 * the lower 32 bits of the size of the block; the file does not contain the other bits. */
static size_t value_size(uint64_t values, uint32_t bytes)
{
    return (uint32_t)(4 * values) == bytes ? 4 : (uint32_t)(8 * values) == bytes ? 8 : 0;
}

static int take_values(struct source *s, const struct nb_column *c, uint64_t at, uint64_t count, size_t size,
                       const char *name)
{
    static union {
        float single[PART];
        double real[PART];
        uint32_t half[PART];
        uint64_t whole[PART];
    } part;
    for (uint64_t done = 0; done < count;) {
        const size_t here = count - done < PART ? (size_t)(count - done) : PART;
        if (bytes_take(&s->in, &part, size, here, s->swapped, name))
            return -1;
        for (size_t k = 0; k < here; k++, done++)
            if (c->type == NB_U64)
                ((uint64_t *)c->data)[at + done] = size == 4 ? part.half[k] : part.whole[k];
            else
                ((double *)c->data)[at + done] = size == 4 ? (double)part.single[k] : part.real[k];
    }
    return 0;
}

static int take_block(struct source *s, int block, uint32_t bytes)
{
    const struct binary_block *k = &binary_blocks[block];
    const uint64_t values = values_of(s, k);
    const size_t size = value_size(values, bytes);
    const struct nb_column *c = nb_bodies_find(&s->b, k->column);
    if (s->seen[block])
        return nb_fail("%s: has two blocks %s", s->in.name, k->name);
    s->seen[block] = true;
    if (size == 0)
        return nb_fail("%s: block %s has %" PRIu32 " bytes, which is neither 4 nor 8 for each of %" PRIu64 " values",
                       s->in.name, k->name, bytes, values);
    if (bytes_expect(&s->in, size * values, k->name))
        return -1;
    for (int t = 0; t < BINARY_TYPES; t++)
        if (has_type(s, k, t) &&
            take_values(s, c, s->next[t] * (uint64_t)k->width, s->count[t] * (uint64_t)k->width, size, k->name))
            return -1;
    s->filled[block] += values / (uint64_t)k->width;
    return 0;
}

static void leave_out(struct source *s, const char *name)
{
    const size_t length = strlen(s->left_out), own = strcspn(name, " ");
    char word[8];
    snprintf(word, sizeof word, " %.*s ", (int)own, own > 0 ? name : "?");
    if (!strstr(s->left_out, word) && length + sizeof word < sizeof s->left_out)
        strcpy(s->left_out + (length > 0 ? length - 1 : 0), word);
}

/* Returns the index of block `name` in binary_blocks. Returns -1 if binary_blocks does not contain this name, or if the
 * frame has no column for the block. */
static int find_block(const struct source *s, const char *name)
{
    for (int k = 0; k < BLOCKS; k++)
        if (strcmp(binary_blocks[k].name, name) == 0)
            return nb_bodies_find(&s->b, binary_blocks[k].column) ? k : -1;
    return -1;
}

static int take_blocks(struct source *s)
{
    char name[5];
    uint32_t bytes;
    int status;
    while ((status = begin_record(s, name, &bytes)) > 0) {
        const int block = find_block(s, name);
        /* Skips an optional block that does not have a value for every body. (Some codes write it for gas only.) */
        const uint64_t values = block >= 0 ? values_of(s, &binary_blocks[block]) : 0;
        const bool taken = block >= 0 && (values > 0 || bytes == 0) &&
                           (!binary_blocks[block].optional || value_size(values, bytes) > 0);
        if (!taken)
            leave_out(s, name);
        if ((taken ? take_block(s, block, bytes) : bytes_skip(&s->in, bytes, name)) || end_record(s, bytes))
            return -1;
    }
    for (int k = 0; k < BLOCKS && status == 0; k++) {
        const struct binary_block *block = &binary_blocks[k];
        if (!s->seen[k] && !block->optional && strcmp(block->column, "id") != 0 && values_of(s, block) > 0)
            return nb_fail("%s: block %s is missing", s->in.name, block->name);
    }
    return status;
}

/* ---- files ---- */

/* Returns a pointer to the number in a file name such as NAME.12, or NULL if the name has no number. */
static const char *find_number(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1) ? dot + 1 : NULL;
}

/* Opens file k of the snapshot and reads its header. */
static int open_file(struct source *s, const char *path, int k, int files, struct gadget_header *h)
{
    const char *number = find_number(path);
    free(s->opened);
    s->opened = NULL;
    if (files > 1 && !number)
        return nb_fail("%s: is one of %d files, but its name has no number as in NAME.0", s->first, files);
    if (files > 1 && asprintf(&s->opened, "%.*s%d", (int)(number - path), path, k) < 0)
        return nb_fail("no memory");
    if (bytes_open(&s->in, s->opened ? s->opened : path) || take_header(s, h))
        return -1;
    return files == 1 || h->files == files
               ? 0
               : nb_fail("%s: says that the snapshot has %d files, not %d", s->in.name, h->files, files);
}

static int count_all(struct source *s, const char *path)
{
    struct gadget_header h;
    for (int t = 0; t < BINARY_TYPES; t++)
        s->head.count[t] = 0;
    for (int k = 0; k < s->head.files; k++) {
        const int status = open_file(s, path, k, s->head.files, &h);
        bytes_close(&s->in);
        if (status)
            return -1;
        for (int t = 0; t < BINARY_TYPES; t++)
            s->head.count[t] += h.count[t];
    }
    return 0;
}

/* ---- the frame ---- */

static int add_columns(struct source *s)
{
    int status = nb_bodies_add_known(&s->b, "component", NB_U8);
    for (int k = 0; k < BLOCKS; k++) {
        const struct binary_block *block = &binary_blocks[k];
        if (!block->optional || (s->named && !s->head.cosmological))
            status = status || nb_bodies_add(&s->b, block->column, strcmp(block->column, "id") == 0 ? NB_U64 : NB_F64,
                                             block->width, block->unit);
    }
    return status ? nb_fail("%s: %s", s->first, nb_error()) : 0;
}

static int allocate(struct source *s)
{
    double all = 0;
    for (int t = 0; t < BINARY_TYPES; t++) {
        s->next[t] = (uint64_t)all;
        all += s->head.count[t];
        s->end[t] = (uint64_t)all;
    }
    if (all < 1)
        return nb_fail("%s: no bodies", s->first);
    s->b.n = (uint64_t)all;
    if (s->head.files == 1 && bytes_expect(&s->in, 6 * sizeof(float) * s->b.n, "its blocks"))
        return -1;
    return add_columns(s) || conv_alloc(&s->b, s->first) ? -1 : 0;
}

/* Sets the column `component` of the bodies in this file. Sets the column `mass` of the types whose mass is in the
 * header and not in block MASS. Advances s->next to the bodies of the next file. */
static void fill_implied(struct source *s, const struct gadget_header *h)
{
    const struct nb_column *mass = nb_bodies_find(&s->b, "mass"), *component = nb_bodies_find(&s->b, "component");
    for (int t = 0; t < BINARY_TYPES; t++) {
        memset((uint8_t *)component->data + s->next[t], (int)conv_component_of(s->types, t), s->count[t]);
        for (uint64_t i = s->next[t]; !s->has_block[t] && i < s->next[t] + s->count[t]; i++)
            ((double *)mass->data)[i] = h->mass_table[t];
        s->filled[MASS] += s->has_block[t] ? 0 : s->count[t];
        s->next[t] += s->count[t];
    }
}

/* Drops columns that were not read for all bodies. */
static void drop_unfilled(struct source *s)
{
    for (int k = 0; k < BLOCKS; k++) {
        const struct binary_block *block = &binary_blocks[k];
        if (!nb_bodies_find(&s->b, block->column) || s->filled[k] == s->b.n)
            continue;
        if (s->filled[k] > 0)
            leave_out(s, block->name);
        nb_bodies_drop(&s->b, block->column);
    }
}

static int finish(struct source *s, struct conv_import *import)
{
    struct nb_meta *meta = &s->b.meta;
    drop_unfilled(s);
    if (nb_meta_copy(meta, &s->o->meta) || gadget_set_units(s->o, s->first, &s->head, meta))
        return -1;
    meta->time = s->head.time;
    if (s->head.cosmological && gadget_make_physical(s->first, &s->head, &s->b))
        return -1;
    if (tool_given("time"))
        meta->time = s->o->meta.time;
    if (*s->left_out && s->named)
        say("%s: blocks left out:%.*s", s->first, (int)strlen(s->left_out) - 1, s->left_out);
    else if (*s->left_out)
        say("%s: the blocks after the masses are left out: format 1 does not name them", s->first);
    if (s->head.box > 0)
        say("%s: its periodic box of width %g is left out: gravity is not periodic in nbtools", s->first, s->head.box);
    return conv_import_frame(import, &s->b, s->first);
}

/* Reads the blocks of all files. If the snapshot has several files, opens each of them. A single file is already open,
 * and its header has been read. */
static int take_files(struct source *s, const char *path)
{
    struct gadget_header h = s->head;
    const int files = s->head.files;
    for (int k = 0; k < files; k++) {
        if (files > 1 && open_file(s, path, k, files, &h))
            return -1;
        for (int t = 0; t < BINARY_TYPES; t++)
            if (s->next[t] + s->count[t] > s->end[t])
                return nb_fail("%s: changed during reading", s->first);
        if (take_blocks(s))
            return -1;
        fill_implied(s, &h);
        if (files > 1)
            bytes_close(&s->in);
    }
    return 0;
}

int binary_from(struct conv_import *import, const char *path)
{
    static struct source s;
    char *with_number = NULL;
    s = (struct source){.o = import->options, .in = {.in = {.fd = -1}}};
    if (path && access(path, F_OK) != 0 && asprintf(&with_number, "%s.0", path) >= 0 && access(with_number, F_OK) == 0)
        path = with_number;
    s.first = path && strcmp(path, "-") != 0 ? path : "stdin";
    nb_bodies_init(&s.b);
    int status = conv_type_map(s.o, s.types) || open_file(&s, path, 0, 1, &s.head);
    if (status == 0 && s.head.files > 1) {
        bytes_close(&s.in);
        status = count_all(&s, path);
    }
    status = status || allocate(&s) || take_files(&s, path) || finish(&s, import);
    bytes_close(&s.in);
    nb_bodies_free(&s.b);
    free(with_number);
    free(s.opened);
    return -status;
}
