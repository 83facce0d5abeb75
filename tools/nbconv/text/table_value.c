/* table_value.c - converts the text of one field of a line to a value of a frame's column. */
#include "nbconv/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail_value(const struct table *t, int k, const char *word, const char *wanted)
{
    const struct field *f = &t->fields[k];
    static const char *const axes[] = {"", "_x", "_y", "_z"};
    return nb_fail("%s: line %" PRIu64 ", field %d (%s%s): '%.40s' is not %s", t->in->file.name, t->in->number, k + 1,
                   field_name(f), axes[f->component + 1], word, wanted);
}

int table_take_real(const struct table *t, int k, const char *word, double *value)
{
    const struct field *f = &t->fields[k];
    char *end;
    *value = NAN;
    if (f->any && field_is_missing(word))
        return 0;
    *value = f->type == NB_F32 && f->role == FIELD_COLUMN ? (double)strtof(word, &end) : strtod(word, &end);
    if (end == word || *end)
        return fail_value(t, k, word, "a number");
    return f->any || isfinite(*value) ? 0 : fail_value(t, k, word, "a finite number");
}

static bool parse_whole(const char *word, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(word, &end, 10);
    return isdigit((unsigned char)*word) && !*end && !errno;
}

static int take_whole(const struct table *t, int k, const char *word, uint64_t *value)
{
    static const char *const wanted[NB_TYPES] = {[NB_U8] = "a whole number from 0 to 255",
                                                 [NB_U32] = "a whole number from 0 to 4294967295",
                                                 [NB_U64] = "a whole number from 0 to 18446744073709551615"};
    const struct field *f = &t->fields[k];
    const uint64_t limit = f->type == NB_U8 ? UINT8_MAX : f->type == NB_U32 ? UINT32_MAX : UINT64_MAX;
    const int component = strcmp(f->column, "component") == 0 ? nb_component_parse(word) : -1;
    if (component >= 0)
        *value = (uint64_t)component;
    else if (!parse_whole(word, value) || *value > limit)
        return fail_value(t, k, word, wanted[f->type]);
    return 0;
}

/* Called for each value when a column of whole numbers becomes a column of doubles. Warns once if a value `whole` is
 * rounded. */
static void warn_rounded(const struct table *t, const struct field *f, uint64_t whole)
{
    static bool said;
    if (said || (whole < UINT64_MAX - 1024 && (uint64_t)(double)whole == whole))
        return;
    said = true;
    warn("%s: line %" PRIu64 ": column '%s' has numbers that are not whole, so it is stored as f64: %" PRIu64
         " and other whole numbers above 2^53 are rounded",
         t->in->file.name, t->in->number, f->column, whole);
}

/* Converts a column of whole numbers to doubles, in the same memory. Called when a number that is not whole is read. */
static void make_real(struct table *t, struct field *f)
{
    struct nb_column *c = &t->bodies.columns[f->at];
    _Static_assert(sizeof(double) == sizeof(uint64_t), "one takes the place of the other");
    for (uint64_t i = 0; i < t->n; i++) {
        uint64_t whole;
        memcpy(&whole, (char *)c->data + i * sizeof whole, sizeof whole);
        const double value = (double)whole;
        memcpy((char *)c->data + i * sizeof value, &value, sizeof value);
        warn_rounded(t, f, whole);
    }
    c->type = f->type = NB_F64;
    f->guessed = false;
}

int table_take_value(struct table *t, int k, const char *word)
{
    struct field *f = &t->fields[k];
    const struct nb_column *c = &t->bodies.columns[f->at];
    uint64_t whole;
    double value;
    if (f->guessed && !parse_whole(word, &whole))
        make_real(t, f);
    const size_t at = (size_t)t->n * (size_t)c->width + (size_t)(f->component > 0 ? f->component : 0);
    if (!nb_type_is_real(f->type)) {
        if (take_whole(t, k, word, &whole))
            return -1;
        conv_set_whole(c, at, whole);
        return 0;
    }
    if (table_take_real(t, k, word, &value))
        return -1;
    if (f->any && value >= 9007199254740992. && parse_whole(word, &whole))
        warn_rounded(t, f, whole);
    if (f->type == NB_F32)
        ((float *)c->data)[at] = (float)(value * f->factor);
    else
        ((double *)c->data)[at] = value * f->factor;
    if (f->low_at >= 0)
        ((double *)t->bodies.columns[f->low_at].data)[at] = f->factor == 1 ? decimal_rest(word, value) : 0;
    return 0;
}
