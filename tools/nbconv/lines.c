/* lines.c - reads text by lines and words. */
#include "nbconv/input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lines_open(struct lines *in, const char *path)
{
    in->number = in->unfinished = 0;
    in->failed = false;
    in->at = NULL;
    return bytes_open(&in->file, path);
}

int lines_close(struct lines *in, int status)
{
    if (in->unfinished && status == 0)
        warn("%s: line %" PRIu64 " has no newline at its end: the file may be truncated in its last number",
             in->file.name, in->unfinished);
    bytes_close(&in->file);
    return status;
}

int lines_fail(const struct lines *in, const char *format, ...)
{
    char text[NB_ERROR_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return nb_fail("%s: line %" PRIu64 ": %s", in->file.name, in->number, text);
}

int lines_ended(const struct lines *in, const char *where)
{
    return in->failed ? -1 : nb_fail("%s: ends %s", in->file.name, where);
}

static bool is_text(const char *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (iscntrl((unsigned char)bytes[k]) && !isspace((unsigned char)bytes[k]))
            return false;
    return true;
}

/* Appends `have` bytes at `from` to in->text, but stops before the first newline. Adds the number of appended bytes to
 * *length. Returns 1 if there was a newline, 0 if the line continues, or -1 after nb_fail. */
static int take_part(struct lines *in, const char *from, size_t have, size_t *length)
{
    const char *newline = memchr(from, '\n', have);
    const size_t part = newline ? (size_t)(newline - from) : have, room = LINE_BYTES - 1 - *length;
    if (!is_text(from, part < room ? part : room))
        return nb_fail("%s: line %" PRIu64 " is not text", in->file.name, in->number);
    if (part > room)
        return nb_fail("%s: line %" PRIu64 " is longer than %d bytes", in->file.name, in->number, LINE_BYTES - 1);
    memcpy(in->text + *length, from, part);
    *length += part;
    nb_input_take(&in->file.in, part + (newline != NULL));
    return newline != NULL;
}

int lines_next(struct lines *in)
{
    size_t length = 0;
    ssize_t have;
    int status = 0;
    in->number++;
    while (status == 0 && (have = nb_input_peek(&in->file.in, 1)) != 0)
        status = have < 0 ? nb_fail("%s: %s", in->file.name, nb_error())
                          : take_part(in, nb_input_bytes(&in->file.in), (size_t)have, &length);
    in->text[length] = '\0';
    in->at = in->text;
    in->failed = status < 0;
    if (in->number == 1 && strncmp(in->text, "\xef\xbb\xbf", 3) == 0) /* removes a byte order mark */
        memmove(in->text, in->text + 3, length - 2);
    if (status == 0 && length > 0)
        in->unfinished = in->number;
    return status ? status : length > 0;
}

char *lines_word(struct lines *in)
{
    static const char blanks[] = " \t\r\n\v\f";
    if (!in->at)
        return NULL;
    char *word = in->at + strspn(in->at, blanks), *end = word + strcspn(word, blanks);
    in->at = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

char *lines_next_word(struct lines *in)
{
    char *word;
    while (!(word = lines_word(in)))
        if (lines_next(in) <= 0)
            return NULL;
    return word;
}

int lines_number(const struct lines *in, const char *word, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return end == word || *end || !isfinite(*value) ? lines_fail(in, "'%.40s' is not a finite number", word) : 0;
}

int lines_unsigned(const struct lines *in, const char *word, uint64_t limit, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(word, &end, 10);
    if (!isdigit((unsigned char)*word) || *end || errno || *value > limit)
        return lines_fail(in, "'%.40s': expected a whole number from 0 to %" PRIu64, word, limit);
    return 0;
}
