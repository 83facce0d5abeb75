/* snap_index.c - the index of a stream (the list of its frames), the trailer that contains the index, and the close
 * line after the trailer. Declared in snap_index.h. */
#include "snap/snap_index.h"

#include "base/bodies.h"
#include "base/error.h"
#include "snap/snap_hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nb_index_free(struct nb_index *index)
{
    free(index->marks);
    *index = (struct nb_index){0};
}

void nb_streams_free(struct nb_stream *s)
{
    while (s) {
        struct nb_stream *next = s->next;
        nb_index_free(&s->index);
        free(s);
        s = next;
    }
}

int nb_index_reserve(struct nb_index *index, size_t count)
{
    if (count <= index->capacity)
        return 0;
    size_t capacity = 2 * count + 64, bytes;
    struct nb_snap_mark *longer =
        __builtin_mul_overflow(capacity, sizeof *longer, &bytes) ? NULL : realloc(index->marks, bytes);
    if (!longer)
        return nb_fail("no memory for the index");
    index->marks = longer;
    index->capacity = capacity;
    return 0;
}

int nb_index_add(struct nb_index *index, struct nb_snap_mark mark)
{
    if (nb_index_reserve(index, index->count + 1))
        return -1;
    index->marks[index->count++] = mark;
    return 0;
}

bool nb_index_fits(const struct nb_snap_mark *marks, size_t count, uint64_t frames_end)
{
    if (frames_end % NB_ALIGN || (count == 0) != (frames_end == 0))
        return false;
    for (size_t k = 0; k < count; k++) {
        uint64_t at = marks[k].offset, next = k + 1 < count ? marks[k + 1].offset : frames_end;
        if ((k == 0 && at != 0) || at % NB_ALIGN || next < at || next - at < NB_FRAME_LEAST)
            return false;
    }
    return true;
}

/* ---- trailer ---- */

static int add_mark(struct nb_text *t, struct nb_snap_mark mark)
{
    char line[64];
    int size = snprintf(line, sizeof line, "frame %" PRIu64, mark.offset);
    return nb_text_add(t, line, (size_t)size) || nb_text_add_hash(t, mark.checksum) || nb_text_add(t, "\n", 1) ? -1 : 0;
}

int nb_trailer_format(struct nb_text *t, const struct nb_index *index)
{
    size_t begin = t->size;
    if (nb_text_add_string(t, NB_MAGIC_TRAILER) || nb_text_add_unsigned(t, "frames", index->count))
        return -1;
    for (size_t k = 0; k < index->count; k++)
        if (add_mark(t, index->marks[k]))
            return -1;
    return nb_text_finish(t, begin, NULL);
}

/* Returns the text after the key in the line that begins at *text, or NULL if this line has another key. In both cases
 * moves *text to the following line. */
static char *take_line(char **text, const char *key)
{
    char *line = nb_parse_line(text), *word = line ? nb_parse_word(&line) : NULL;
    return word && strcmp(word, key) == 0 ? line : NULL;
}

bool nb_trailer_begin(char **text, uint64_t *count)
{
    nb_parse_line(text);
    char *value = take_line(text, "frames");
    return value && nb_parse_unsigned(value, count);
}

bool nb_trailer_next(char **text, struct nb_snap_mark *mark)
{
    char *rest = take_line(text, "frame"), *offset = rest ? nb_parse_word(&rest) : NULL;
    return offset && nb_parse_unsigned(offset, &mark->offset) && strlen(rest) == NB_HASH_DIGITS &&
           nb_parse_hash(rest, &mark->checksum);
}

bool nb_trailer_ends(const char *text)
{
    return strncmp(text, "checksum ", 9) == 0;
}

/* ---- close line ---- */

void nb_close_format(char *line, uint64_t stream_size, uint64_t trailer_size)
{
    char text[NB_CLOSE_SIZE + 32];
    snprintf(text, sizeof text, NB_MAGIC_CLOSE "%017" PRIu64 " %016" PRIu64 " ", stream_size, trailer_size);
    nb_format_hash(text + 47, nb_hash_bytes(text, 47));
    text[NB_CLOSE_SIZE - 1] = '\n';
    memcpy(line, text, NB_CLOSE_SIZE);
}

bool nb_close_parse(const char *line, uint64_t *stream_size, uint64_t *trailer_size)
{
    char numbers[2][18] = {"", ""}, expected[NB_CLOSE_SIZE];
    memcpy(numbers[0], line + 12, 17);
    memcpy(numbers[1], line + 30, 16);
    if (!nb_parse_unsigned(numbers[0], stream_size) || !nb_parse_unsigned(numbers[1], trailer_size))
        return false;
    nb_close_format(expected, *stream_size, *trailer_size);
    return memcmp(line, expected, sizeof expected) == 0;
}
