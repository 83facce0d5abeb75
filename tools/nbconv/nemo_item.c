/* Reading the items of a structured file. */
#include "base/error.h"
#include "nemo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PART 4096 /* values that are turned into doubles at a time */

static size_t type_size(char type)
{
    switch (type) {
    case 'a':
    case 'b':
    case 'c': return 1;
    case 's':
    case 'h': return 2;
    case 'i':
    case 'f': return 4;
    case 'l':
    case 'd': return 8;
    default: return 0;
    }
}

/* Letters up to a zero. */
static void take_name(struct bytes *s, char *name, size_t size)
{
    size_t length = 0;
    do {
        if (length == size)
            die("%s: damaged at byte %" PRIu64 ": a tag of more than %zu letters", s->name, s->in.at, size - 1);
        bytes_take(s, &name[length], 1, "an item's head");
        if (name[length] && (name[length] < ' ' || name[length] > '~'))
            die("%s: damaged at byte %" PRIu64 ": a tag that is no text", s->name, s->in.at - 1);
    } while (name[length++]);
}

static void take_dims(struct bytes *s, struct nemo_item *item)
{
    for (item->dim_count = 0, item->count = 1;; item->dim_count++) {
        int32_t dim;
        bytes_take(s, &dim, sizeof dim, "an item's dimensions");
        if (item->swapped)
            bytes_swap(&dim, sizeof dim, 1);
        if (dim == 0)
            break;
        if (dim < 0 || item->dim_count == NEMO_DIMS_MAX - 1 ||
            __builtin_mul_overflow(item->count, (uint64_t)dim, &item->count))
            die("%s: damaged at byte %" PRIu64 ": dimensions of '%s' that cannot be", s->name, s->in.at, item->tag);
        item->dims[item->dim_count] = (uint64_t)dim;
    }
}

static noreturn void die_no_item(const struct bytes *s, uint64_t at)
{
    if (at == 0)
        die("%s: not a NEMO file: it does not begin with the magic number of an item", s->name);
    die("%s: damaged at byte %" PRIu64 ": an item should begin there", s->name, at);
}

bool nemo_item_next(struct bytes *s, struct nemo_item *item)
{
    const unsigned char *at;
    const size_t have = bytes_peek(s, sizeof(uint16_t), &at);
    const uint64_t begin = s->in.at;
    uint16_t magic;
    char type[2];
    *item = (struct nemo_item){0};
    if (have == 0)
        return false;
    if (have < sizeof magic)
        die_no_item(s, begin);
    bytes_take(s, &magic, sizeof magic, "an item's head");
    item->swapped = magic != NEMO_SINGLE && magic != NEMO_ARRAY;
    if (item->swapped)
        bytes_swap(&magic, sizeof magic, 1);
    if (magic != NEMO_SINGLE && magic != NEMO_ARRAY)
        die_no_item(s, begin);
    take_name(s, type, sizeof type);
    item->type = type[0];
    item->size = type_size(type[0]);
    if (item->size == 0 && type[0] != '(' && type[0] != ')')
        die("%s: damaged at byte %" PRIu64 ": type '%s' is not one of NEMO's", s->name, begin, type);
    if (item->type != ')')
        take_name(s, item->tag, sizeof item->tag);
    item->count = 1;
    if (magic == NEMO_ARRAY)
        take_dims(s, item);
    if (__builtin_mul_overflow(item->count, (uint64_t)8, &(uint64_t){0}))
        die("%s: damaged at byte %" PRIu64 ": dimensions of '%s' that cannot be", s->name, begin, item->tag);
    bytes_expect(s, item->count * item->size, item->tag);
    return true;
}

/* Sets in sets are counted, not called: a file may hold any number of heads. */
void nemo_item_skip(struct bytes *s, const struct nemo_item *item)
{
    struct nemo_item next;
    if (item->type != '(') {
        bytes_take(s, NULL, item->count * item->size, item->tag);
        return;
    }
    for (uint64_t depth = 1; depth > 0;) {
        if (!nemo_item_next(s, &next))
            die("%s: cut in set %s", s->name, item->tag);
        if (next.type == '(')
            depth++;
        else if (next.type == ')')
            depth--;
        else
            nemo_item_skip(s, &next);
    }
}

bool nemo_item_is_set(const struct nemo_item *item, const char *tag)
{
    return item->type == '(' && strcmp(item->tag, tag) == 0;
}

bool nemo_item_is(const struct nemo_item *item, const char *tag)
{
    return item->size > 0 && strcmp(item->tag, tag) == 0;
}

/* ---- values ---- */

union values { /* a part of them as they stand in the file */
    double d[PART];
    float f[PART];
    int64_t l[PART];
    int32_t i[PART];
    int16_t s[PART];
};

static void take_part(struct bytes *s, const struct nemo_item *item, size_t count, union values *v)
{
    bytes_take(s, v, count * item->size, item->tag);
    if (item->swapped)
        bytes_swap(v, item->size, count);
}

static double real_of(const struct nemo_item *item, const union values *v, size_t k)
{
    switch (item->type) {
    case 'd': return v->d[k];
    case 'f': return (double)v->f[k];
    case 'l': return (double)v->l[k];
    case 'i': return v->i[k];
    default: return v->s[k];
    }
}

static int64_t integer_of(const struct nemo_item *item, const union values *v, size_t k)
{
    return item->type == 'l' ? v->l[k] : item->type == 'i' ? v->i[k] : v->s[k];
}

static void check_type(const struct bytes *s, const struct nemo_item *item, const char *types)
{
    if (!strchr(types, item->type))
        die("%s: item %s has type '%c', wanted: one of %s", s->name, item->tag, item->type, types);
}

static void take_one(struct bytes *s, const struct nemo_item *item, const char *types, union values *v)
{
    check_type(s, item, types);
    if (item->count != 1)
        die("%s: item %s has %" PRIu64 " values, wanted: one", s->name, item->tag, item->count);
    take_part(s, item, 1, v);
}

int64_t nemo_item_integer(struct bytes *s, const struct nemo_item *item)
{
    static union values v;
    take_one(s, item, "sil", &v);
    return integer_of(item, &v, 0);
}

double nemo_item_real(struct bytes *s, const struct nemo_item *item)
{
    static union values v;
    take_one(s, item, "dfsil", &v);
    return real_of(item, &v, 0);
}

void nemo_item_text(struct bytes *s, const struct nemo_item *item, char *text, size_t size)
{
    char raw[1024];
    const size_t keep = item->count < sizeof raw - 1 ? item->count : sizeof raw - 1;
    check_type(s, item, "c");
    bytes_take(s, raw, keep, item->tag);
    bytes_take(s, NULL, item->count - keep, item->tag);
    raw[keep] = '\0';
    for (size_t k = 0; k < keep; k++)
        raw[k] = raw[k] & '\x80' ? '?' : raw[k];
    nb_error_escape(text, size, raw);
}

void nemo_item_check(const struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t width)
{
    if (item->count != n * width || (item->dim_count > 0 && item->dims[0] != n))
        die("%s: item %s has %" PRIu64 " values, wanted: %" PRIu64 " of each of %" PRIu64 " bodies", s->name, item->tag,
            item->count, width, n);
}

void nemo_item_reals(struct bytes *s, const struct nemo_item *item, uint64_t n, int width, double *to, double *second)
{
    static union values v;
    const uint64_t each = (uint64_t)width, all = second ? 2 * each : each;
    check_type(s, item, "df");
    nemo_item_check(s, item, n, all);
    for (uint64_t done = 0; done < item->count;) {
        const size_t part = item->count - done < PART ? (size_t)(item->count - done) : PART;
        take_part(s, item, part, &v);
        for (size_t k = 0; k < part; k++) {
            const uint64_t body = (done + k) / all, place = (done + k) % all;
            double *column = place < each ? to : second;
            column[body * each + place % each] = real_of(item, &v, k);
        }
        done += part;
    }
}

bool nemo_item_unsigned(struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t *to)
{
    static union values v;
    bool all = true;
    check_type(s, item, "sil");
    nemo_item_check(s, item, n, 1);
    for (uint64_t done = 0; done < n;) {
        const size_t part = n - done < PART ? (size_t)(n - done) : PART;
        take_part(s, item, part, &v);
        for (size_t k = 0; k < part; k++) {
            const int64_t value = integer_of(item, &v, k);
            all = all && value >= 0;
            to[done + k] = (uint64_t)value;
        }
        done += part;
    }
    return all;
}
