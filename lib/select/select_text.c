/* select_text.c - splits the text of a condition into words: numbers, names and signs. Declared in select_text.h. */
#include "select/select_text.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* ---- numbers ---- */

/* Returns the end of the decimal number that begins at s (digits, a point, an exponent), or s if there is none. */
static const char *end_of_decimal(const char *s)
{
    const char *at = s;
    while (is_digit(*at) || *at == '.')
        at++;
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        while (is_digit(*exponent))
            at = ++exponent;
    }
    return at;
}

static uint64_t take_factor(const char **at)
{
    static const struct {
        const char *suffix;
        uint64_t factor;
    } suffixes[] = {{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},  {"k", 1000},
                    {"K", 1000},     {"M", 1000000},  {"G", 1000000000}};
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
        const size_t length = strlen(suffixes[k].suffix);
        if (strncmp(*at, suffixes[k].suffix, length) == 0 && !is_name((*at)[length])) {
            *at += length;
            return suffixes[k].factor;
        }
    }
    return 1;
}

/* Reads an integer, written with digits only, and sets *whole to its product with `factor`. Returns false if there is
 * another character before `end` or the product does not fit in 64 bits. */
static bool take_whole(const char *s, const char *end, uint64_t factor, uint64_t *whole)
{
    *whole = 0;
    for (; s < end; s++)
        if (!is_digit(*s) || __builtin_mul_overflow(*whole, 10, whole) ||
            __builtin_add_overflow(*whole, (uint64_t)(*s - '0'), whole))
            return false;
    return !__builtin_mul_overflow(*whole, factor, whole);
}

static void read_number(const char *text, struct nb_word *w)
{
    const char *begin = text + w->place, *end = end_of_decimal(begin), *at = end;
    char *read;
    const uint64_t factor = take_factor(&at);
    w->number = strtod(begin, &read) * (double)factor;
    w->is_whole = take_whole(begin, end, factor, &w->whole);
    w->length = (size_t)(at - begin);
    w->kind = read == end && isfinite(w->number) && !is_name(*at) ? NB_WORD_NUMBER : NB_WORD_BAD;
    while (w->kind == NB_WORD_BAD && (is_name(text[w->place + w->length]) || text[w->place + w->length] == '.'))
        w->length++;
}

/* ---- names and signs ---- */

static void read_name(const char *text, struct nb_word *w)
{
    const char *begin = text + w->place, *at = begin;
    while (is_name(*at))
        at++;
    w->kind = NB_WORD_NAME;
    w->base_length = w->length = (size_t)(at - begin);
    if (*at != '.')
        return;
    if (at[1] >= 'x' && at[1] <= 'z' && !is_name(at[2]))
        w->axis = at[1] - 'x';
    else
        w->kind = NB_WORD_BAD;
    for (at++; is_name(*at);)
        at++;
    w->length = (size_t)(at - begin);
}

static void read_sign(const char *text, struct nb_word *w)
{
    static const char *const signs[] = {"&&", "||", "==", "!=", "<=", ">=", "<", ">", "!",
                                        "+",  "-",  "*",  "/",  "%",  "^",  "(", ")", ","};
    for (size_t k = 0; k < sizeof signs / sizeof *signs && w->kind == NB_WORD_BAD; k++)
        if (strncmp(text + w->place, signs[k], strlen(signs[k])) == 0) {
            w->kind = NB_WORD_SIGN;
            w->sign = signs[k];
            w->length = strlen(signs[k]);
        }
    if (w->kind == NB_WORD_BAD) /* the invalid word is one character, which may have several bytes in UTF-8 */
        for (w->length = 1; (text[w->place + w->length] & 0xc0) == 0x80;)
            w->length++;
}

struct nb_word nb_word_read(const char *text, size_t place)
{
    while (text[place] && strchr(" \t\r\n", text[place]))
        place++;
    struct nb_word w = {.kind = NB_WORD_BAD, .place = place, .axis = -1};
    const char *at = text + place;
    if (!*at)
        w.kind = NB_WORD_END;
    else if (is_digit(*at) || (*at == '.' && is_digit(at[1])))
        read_number(text, &w);
    else if (is_name(*at))
        read_name(text, &w);
    else
        read_sign(text, &w);
    return w;
}

int nb_word_wanted(const char *text, const struct nb_word *word, const char *wanted)
{
    const int shown = word->length < 40 ? (int)word->length : 40;
    if (word->kind == NB_WORD_END)
        return nb_fail("character %zu: expected %s, found the end", word->place + 1, wanted);
    return nb_fail("character %zu: expected %s, found '%.*s%s'%s", word->place + 1, wanted, shown, text + word->place,
                   word->length > 40 ? "..." : "",
                   strchr("=&|", text[word->place]) ? " (== && and || are of two)" : "");
}
