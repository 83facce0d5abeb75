/* snap_text.c - formats and parses text blocks. Declared in snap_text.h. */
#include "snap/snap_text.h"

#include "base/bodies.h"
#include "base/error.h"
#include "snap/snap_hash.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char checksum_key[] = "\nchecksum ";

/* ---- writing ---- */

void nb_text_free(struct nb_text *t)
{
    free(t->data);
    *t = (struct nb_text){0};
}

/* Makes room in t for `more` bytes after its t->size bytes. */
static int reserve(struct nb_text *t, size_t more)
{
    if (t->capacity - t->size >= more)
        return 0;
    size_t capacity = (t->size + more) * 2;
    char *data = capacity > more ? realloc(t->data, capacity) : NULL;
    if (!data)
        return nb_fail("no memory for %zu bytes", more);
    t->data = data;
    t->capacity = capacity;
    return 0;
}

int nb_text_add(struct nb_text *t, const void *bytes, size_t size)
{
    if (reserve(t, size))
        return -1;
    if (size)
        memcpy(t->data + t->size, bytes, size);
    t->size += size;
    return 0;
}

int nb_text_add_string(struct nb_text *t, const char *string)
{
    return nb_text_add(t, string, strlen(string));
}

void nb_format_hash(char *hex, uint64_t hash)
{
    for (int k = 0; k < 16; k++)
        hex[k] = "0123456789abcdef"[hash >> (60 - 4 * k) & 15];
}

int nb_text_add_hash(struct nb_text *t, uint64_t hash)
{
    char text[17] = " ";
    nb_format_hash(text + 1, hash);
    return nb_text_add(t, text, sizeof text);
}

int nb_text_add_line(struct nb_text *t, const char *key, const char *value)
{
    return nb_text_add_string(t, key) || nb_text_add(t, " ", 1) || nb_text_add_string(t, value) ||
                   nb_text_add(t, "\n", 1)
               ? -1
               : 0;
}

int nb_text_add_unsigned(struct nb_text *t, const char *key, uint64_t value)
{
    char digits[24] = "", *at = digits + sizeof digits - 1;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    return nb_text_add_line(t, key, at);
}

int nb_text_add_number(struct nb_text *t, const char *key, double value)
{
    if (value >= 0 && value < 1e15 && value == floor(value) && !signbit(value))
        return nb_text_add_unsigned(t, key, (uint64_t)value); /* most values are integers, and printf is slow */
    char text[32];
    for (int digits = 15; digits <= 17; digits++) { /* 15 digits write 0.1 as 0.1; 17 digits always read back exactly */
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return nb_text_add_line(t, key, text);
}

static void format_checksum(char *line, uint64_t hash)
{
    memcpy(line, "checksum ", 9);
    nb_format_hash(line + 9, hash);
    line[NB_CHECKSUM_LINE - 1] = '\n';
}

int nb_text_finish(struct nb_text *t, size_t begin, uint64_t *checksum)
{
    char line[NB_CHECKSUM_LINE + NB_ALIGN] = "";
    uint64_t hash = nb_hash_bytes(t->data + begin, t->size - begin);
    if (checksum)
        *checksum = hash;
    format_checksum(line, hash);
    size_t size = t->size - begin + NB_CHECKSUM_LINE;
    return nb_text_add(t, line, NB_CHECKSUM_LINE + (NB_ALIGN - size % NB_ALIGN) % NB_ALIGN);
}

/* ---- reading ---- */

/* Called if no complete text block begins in the first `count` bytes. Sets *hopeless to `count`, unless `hopeless` is
 * NULL. Returns -1, the value that nb_text_find_end then returns. */
static ssize_t no_end(size_t *hopeless, size_t count)
{
    if (hopeless)
        *hopeless = count;
    return -1;
}

ssize_t nb_text_find_end(const char *data, size_t from, size_t size, size_t *hopeless)
{
    size_t overlap = sizeof checksum_key - 2; /* the key may begin in the last bytes before data[from] */
    from = from > overlap ? from - overlap : 0;
    size_t text = strnlen(data + from, size - from);
    const char *at = memmem(data + from, text, checksum_key, sizeof checksum_key - 1);
    /* A line that begins with "nbs 1" before the end of the text block means that the block was truncated. The search
     * stops here, so that the time of salvage remains proportional to the size of the input. */
    const char *magic = memmem(data + from, at ? (size_t)(at - data) - from : text, "\nnbs 1 ", 7);
    if (magic)
        return no_end(hopeless, (size_t)(magic + 1 - data));
    if (!at)
        return from + text < size ? no_end(hopeless, from + text) : 0;
    size_t end = (size_t)(at + 1 - data) + NB_CHECKSUM_LINE;
    return (ssize_t)((end + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN);
}

int nb_text_verify(const char *data, size_t block_size, const char *what, uint64_t *checksum)
{
    const char *line = memmem(data, block_size, checksum_key, sizeof checksum_key - 1);
    if (!line || (size_t)(++line - data) + NB_CHECKSUM_LINE > block_size)
        return nb_fail("the %s has no checksum line", what);
    char expected[NB_CHECKSUM_LINE];
    uint64_t hash = nb_hash_bytes(data, (size_t)(line - data));
    format_checksum(expected, hash);
    if (memcmp(line, expected, sizeof expected) != 0)
        return nb_fail("the %s is damaged: its checksum is wrong", what);
    for (const char *c = data; c < line; c++)
        if ((*c < ' ' || *c > '~') && *c != '\n')
            return nb_fail("the %s contains a byte that is not printable ASCII", what);
    for (const char *c = line + NB_CHECKSUM_LINE; c < data + block_size; c++)
        if (*c)
            return nb_fail("the %s has padding that is not zero", what);
    if (checksum)
        *checksum = hash;
    return 0;
}

bool nb_parse_unsigned(const char *text, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return !*end && !errno;
}

bool nb_parse_number(const char *text, double *value)
{
    char *end;
    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text)) /* excludes hexadecimal numbers, inf, nan and
                                                                      spaces */
        return false;
    *value = strtod(text, &end);
    return !*end && isfinite(*value);
}

bool nb_parse_hash(const char *text, uint64_t *hash)
{
    *hash = 0;
    for (int k = 0; k < 16; k++) {
        char c = text[k];
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f'))
            return false;
        *hash = *hash << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

char *nb_parse_word(char **at)
{
    char *word = *at, *end = word + strcspn(word, " ");
    if (!*word)
        return NULL;
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

char *nb_parse_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line;
}
