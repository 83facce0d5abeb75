/* error.c - the error message of each thread, and escaping of control characters. Declared in error.h. */
#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[NB_ERROR_MAX];

/* Returns whether byte k belongs to a control character: C0, DEL, or C1. C1 characters (two bytes in UTF-8) are
 * included, because terminals may interpret them. */
static bool is_control(const char *text, size_t k)
{
    const unsigned char *c = (const unsigned char *)text;
    return c[k] < ' ' || c[k] == 0x7f || (c[k] == 0xc2 && c[k + 1] >= 0x80 && c[k + 1] < 0xa0) ||
           (c[k] >= 0x80 && c[k] < 0xa0 && k > 0 && c[k - 1] == 0xc2);
}

/* Writes byte k of text, escaped if it is in a control character. Returns the number of bytes written, at most 4. */
static size_t put(char *to, const char *text, size_t k)
{
    if (!is_control(text, k)) {
        *to = text[k];
        return 1;
    }
    to[0] = '\\';
    if (text[k] == '\n' || text[k] == '\t' || text[k] == '\r') {
        to[1] = text[k] == '\n' ? 'n' : text[k] == '\t' ? 't' : 'r';
        return 2;
    }
    to[1] = 'x';
    to[2] = "0123456789abcdef"[(unsigned char)text[k] >> 4];
    to[3] = "0123456789abcdef"[text[k] & 15];
    return 4;
}

/* Writes bytes [from, end) of text in escaped form. Returns the number of bytes written. */
static size_t put_range(char *to, const char *text, size_t from, size_t end)
{
    size_t used = 0;
    for (size_t k = from; k < end; k++)
        used += put(to + used, text, k);
    return used;
}

static size_t printed_size(const char *text, size_t k)
{
    char printed[4];
    return put(printed, text, k);
}

char *nb_error_escape(char *out, size_t size_bytes, const char *text)
{
    size_t length = strlen(text), total = 0, head = 0, tail = length, half = (size_bytes - 4) / 2;
    assert(size_bytes >= 32);
    for (size_t k = 0; k < length; k++)
        total += printed_size(text, k);
    if (total < size_bytes) {
        out[put_range(out, text, 0, length)] = '\0';
        return out;
    }
    for (size_t used = 0; (used += printed_size(text, head)) <= half;)
        head++;
    for (size_t used = 0; (used += printed_size(text, tail - 1)) <= half;)
        tail--;
    size_t used = put_range(out, text, 0, head);
    memcpy(out + used, "...", 3);
    used += 3;
    out[used + put_range(out + used, text, tail, length)] = '\0';
    return out;
}

int nb_fail(const char *format, ...)
{
    char text[NB_ERROR_MAX]; /* an argument may be nb_error(), so format into another buffer first */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    nb_error_escape(message, sizeof message, text);
    return -1;
}

const char *nb_error(void)
{
    return message;
}
