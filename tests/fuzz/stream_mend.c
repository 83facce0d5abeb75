/* Corrects checksums and index of a changed stream, so that the fuzzer reaches the code that reads the data after
 * them. */
#include "fuzz_stream.h"

#include <string.h>

enum { MARKS_MAX = 1024, NAME = 31 };

struct mark {
    size_t offset;
    uint64_t checksum;
};

struct mend {
    uint8_t *out; /* of `max` bytes */
    size_t size, max;
    bool full;
    int level;
    size_t stream_begin, trailer_begin, frame_begin;
    char *header; /* text of the last one, a copy */
    uint64_t header_checksum;
    size_t data_begin;
    struct mark marks[MARKS_MAX];
    int mark_count;
};

static void put(struct mend *m, const void *bytes, size_t size)
{
    if (size > m->max - m->size)
        m->full = true;
    if (m->full)
        return;
    memcpy(m->out + m->size, bytes, size);
    m->size += size;
}

static void put_string(struct mend *m, const char *text)
{
    put(m, text, strlen(text));
}

static bool begins(const uint8_t *text, size_t size, const char *magic)
{
    return size >= strlen(magic) && memcmp(text, magic, strlen(magic)) == 0;
}

static size_t type_size(const char *type)
{
    return strcmp(type, "u8") == 0 ? 1 : strcmp(type, "f32") == 0 || strcmp(type, "u32") == 0 ? 4 : 8;
}

/* The footer's line of a column that begins at *at, if all of it is there. */
static bool put_column_line(struct mend *m, const char *line, uint64_t n, size_t *at, size_t data_end)
{
    char name[NAME + 1], type[8], text[NAME + 32];
    unsigned width;
    if (sscanf(line, "column %31s %7s %u ", name, type, &width) != 3)
        return true;
    unsigned __int128 bytes = (unsigned __int128)n * width * type_size(type);
    if (bytes > data_end - *at || ((size_t)bytes + 63) / 64 * 64 > data_end - *at)
        return false;
    size_t padded = ((size_t)bytes + 63) / 64 * 64;
    if (padded > 0)
        snprintf(text, sizeof text, "%s %016" PRIx64 "\n", name, (uint64_t)XXH3_64bits(m->out + *at, padded));
    else
        snprintf(text, sizeof text, "%s\n", name);
    put_string(m, text);
    *at += padded;
    return true;
}

/* The footer that the last header and what follows it ought to have; false, and nothing, where there is too little. */
static bool put_footer(struct mend *m)
{
    size_t begin = m->size, at = m->data_begin;
    const char *n_line = strstr(m->header, "\nn ");
    uint64_t n = n_line ? strtoull(n_line + 3, NULL, 10) : 0;
    char text[64];
    snprintf(text, sizeof text, "nbs 1 footer\nheader %016" PRIx64 "\n", m->header_checksum);
    put_string(m, text);
    for (const char *line = m->header; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!m->full && !put_column_line(m, line, n, &at, begin)) {
            m->size = begin;
            return false;
        }
    }
    return true;
}

static void put_trailer(struct mend *m)
{
    char line[64];
    snprintf(line, sizeof line, "nbs 1 trailer\nframes %d\n", m->mark_count);
    put_string(m, line);
    for (int k = 0; k < m->mark_count; k++) {
        snprintf(line, sizeof line, "frame %zu %016" PRIx64 "\n", m->marks[k].offset, m->marks[k].checksum);
        put_string(m, line);
    }
}

static void put_close(struct mend *m)
{
    char line[96];
    snprintf(line, sizeof line, "nbs 1 close %017zu %016zu ", m->size + 64 - m->stream_begin,
             m->size - m->trailer_begin);
    snprintf(line + 47, sizeof line - 47, "%016" PRIx64 "\n", (uint64_t)XXH3_64bits(line, 47));
    put(m, line, 64);
    m->stream_begin = m->size;
    m->mark_count = 0;
}

/* The checksum line and the padding of the block that began there. */
static uint64_t put_end(struct mend *m, size_t begin)
{
    static const uint8_t zeros[64];
    char line[32];
    uint64_t checksum = XXH3_64bits(m->out + begin, m->size - begin);
    snprintf(line, sizeof line, "checksum %016" PRIx64 "\n", checksum);
    put_string(m, line);
    put(m, zeros, (64 - (m->size - begin) % 64) % 64);
    return checksum;
}

/* A text block, of which `text` bytes stand before its checksum line. */
static void put_block(struct mend *m, const uint8_t *block, size_t text)
{
    size_t begin = m->size;
    bool frame = begins(block, text, "nbs 1 frame\n"), footer = begins(block, text, "nbs 1 footer\n");
    bool trailer = begins(block, text, "nbs 1 trailer\n");
    if (trailer && m->level >= 3)
        put_trailer(m);
    else if (!footer || m->level < 2 || !m->header || !put_footer(m))
        put(m, block, text);
    size_t end = m->size;
    uint64_t checksum = put_end(m, begin);
    if (m->full)
        return;
    if (trailer)
        m->trailer_begin = begin;
    if (footer && m->header && m->mark_count < MARKS_MAX)
        m->marks[m->mark_count++] = (struct mark){m->frame_begin - m->stream_begin, checksum};
    if (!frame)
        return;
    free(m->header);
    m->header = strndup((char *)m->out + begin, end - begin);
    m->header_checksum = checksum;
    m->frame_begin = begin;
    m->data_begin = m->size;
}

/* Takes what begins with a magic word; how many bytes of the input that is. */
static size_t take_part(struct mend *m, const uint8_t *at, size_t left)
{
    const uint8_t *line = memmem(at, left, "\nchecksum ", 10);
    if (begins(at, left, "nbs 1 close ")) {
        size_t size = left < 64 ? left : 64;
        if (m->level >= 3)
            put_close(m);
        else
            put(m, at, size);
        return size;
    }
    if (!line || (size_t)(line - at) + 27 > left) {
        put(m, at, 6);
        return 6;
    }
    size_t text = (size_t)(line - at) + 1, taken = text + 26, padded = (taken + 63) / 64 * 64;
    put_block(m, at, text);
    while (taken < padded && taken < left && at[taken] == 0)
        taken++;
    return taken;
}

size_t fuzz_stream_mend(uint8_t *data, size_t size, size_t max, int level)
{
    struct mend m = {.out = malloc(max + 1), .max = max, .level = level};
    for (size_t at = 0; m.out && at < size && !m.full;) {
        const uint8_t *magic = memmem(data + at, size - at, "nbs 1 ", 6);
        size_t before = magic ? (size_t)(magic - (data + at)) : size - at;
        put(&m, data + at, before);
        at += before;
        if (magic)
            at += take_part(&m, data + at, size - at);
    }
    memcpy(data, m.out, m.size);
    free(m.header);
    free(m.out);
    return m.size;
}
