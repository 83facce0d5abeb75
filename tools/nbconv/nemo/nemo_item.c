/* nemo_item.c - reads the items of a structured file. */
#include "nbconv/nemo/nemo.h"

#include <inttypes.h>
#include <string.h>

#define PART 4096 /* number of values converted to double at a time */

/* Returns the size in bytes of one value of this type, or 0 for a set or an unknown type. */
static size_t type_size(char type)
{
    static const char *const types[] = {[1] = "abc", [2] = "sh", [4] = "if", [8] = "ld"};
    for (size_t size = 1; size <= 8 && type; size *= 2)
        if (strchr(types[size], type))
            return size;
    return 0;
}

/* Reads a string up to its zero byte into `name`. Fails if it does not fit in `size` bytes. */
static int take_name(struct bytes *s, char *name, size_t size)
{
    size_t length = 0;
    do {
        if (length == size)
            return nb_fail("%s: damaged at byte %" PRIu64 ": a tag of more than %zu characters", s->name, s->in.at,
                           size - 1);
        if (bytes_take(s, &name[length], 1, 1, false, "an item's head"))
            return -1;
        if (name[length] && (name[length] < ' ' || name[length] > '~'))
            return nb_fail("%s: damaged at byte %" PRIu64 ": a tag that is not text", s->name, s->in.at - 1);
    } while (name[length++]);
    return 0;
}

static int fail_dims(const struct bytes *s, uint64_t at, const struct nemo_item *item)
{
    return nb_fail("%s: damaged at byte %" PRIu64 ": impossible dimensions of '%s'", s->name, at, item->tag);
}

static int take_dims(struct bytes *s, struct nemo_item *item)
{
    int32_t dim;
    do {
        if (bytes_take(s, &dim, sizeof dim, 1, item->swapped, "an item's dimensions"))
            return -1;
        if (dim < 0 || (dim > 0 && item->dim_count == NEMO_DIMS_MAX - 1) ||
            __builtin_mul_overflow(item->count, (uint64_t)(dim ? dim : 1), &item->count))
            return fail_dims(s, s->in.at, item);
        if (dim)
            item->dims[item->dim_count++] = (uint64_t)dim;
    } while (dim);
    return 0;
}

static int fail_no_item(const struct bytes *s, uint64_t at)
{
    if (at == 0)
        return nb_fail("%s: not a NEMO file: it does not begin with the magic number of an item", s->name);
    return nb_fail("%s: damaged at byte %" PRIu64 ": expected an item", s->name, at);
}

/* Reads the rest of an item's head after `magic`: type, tag and dimensions. `begin`: offset of the item in the file. */
static int take_head(struct bytes *s, struct nemo_item *item, uint16_t magic, uint64_t begin)
{
    char type[2];
    if (take_name(s, type, sizeof type))
        return -1;
    item->type = type[0];
    item->size = type_size(type[0]);
    item->count = 1;
    if (item->size == 0 && type[0] != '(' && type[0] != ')')
        return nb_fail("%s: damaged at byte %" PRIu64 ": type '%s' is not one of NEMO's", s->name, begin, type);
    if (item->type != ')' && take_name(s, item->tag, sizeof item->tag))
        return -1;
    return magic == NEMO_ARRAY ? take_dims(s, item) : 0;
}

int nemo_item_next(struct bytes *s, struct nemo_item *item)
{
    const unsigned char *at;
    const ssize_t have = bytes_peek(s, sizeof(uint16_t), &at);
    const uint64_t begin = s->in.at;
    uint16_t magic;
    *item = (struct nemo_item){0};
    if (have <= 0)
        return (int)have;
    if (have < (ssize_t)sizeof magic)
        return fail_no_item(s, begin);
    if (bytes_take(s, &magic, sizeof magic, 1, false, "an item's head"))
        return -1;
    item->swapped = magic != NEMO_SINGLE && magic != NEMO_ARRAY;
    if (item->swapped)
        bytes_swap(&magic, sizeof magic, 1);
    if (magic != NEMO_SINGLE && magic != NEMO_ARRAY)
        return fail_no_item(s, begin);
    if (take_head(s, item, magic, begin))
        return -1;
    if (__builtin_mul_overflow(item->count, (uint64_t)8, &(uint64_t){0}))
        return fail_dims(s, begin, item);
    return bytes_expect(s, item->count * item->size, item->tag) ? -1 : 1;
}

/* Skips an item, or all items of a set. Counts the depth of nested sets instead of calling itself, because a recursion
 * into very deeply nested sets would overflow the stack. */
int nemo_item_skip(struct bytes *s, const struct nemo_item *item)
{
    struct nemo_item next;
    if (item->type != '(')
        return bytes_skip(s, item->count * item->size, item->tag);
    for (uint64_t depth = 1; depth > 0;) {
        const int status = nemo_item_next(s, &next);
        if (status <= 0)
            return status < 0 ? -1 : nb_fail("%s: truncated in set %s", s->name, item->tag);
        if (next.type == '(')
            depth++;
        else if (next.type == ')')
            depth--;
        else if (bytes_skip(s, next.count * next.size, next.tag))
            return -1;
    }
    return 0;
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

union values { /* at most PART values of an item, in the item's type */
    double d[PART];
    float f[PART];
    int64_t l[PART];
    int32_t i[PART];
    int16_t s[PART];
};

static int take_part(struct bytes *s, const struct nemo_item *item, size_t count, union values *v)
{
    return bytes_take(s, v, item->size, count, item->swapped, item->tag);
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

static int check_type(const struct bytes *s, const struct nemo_item *item, const char *types)
{
    if (strchr(types, item->type))
        return 0;
    return nb_fail("%s: item %s has type '%c', expected one of %s", s->name, item->tag, item->type, types);
}

static int take_one(struct bytes *s, const struct nemo_item *item, const char *types, union values *v)
{
    if (check_type(s, item, types))
        return -1;
    if (item->count != 1)
        return nb_fail("%s: item %s has %" PRIu64 " values, expected one", s->name, item->tag, item->count);
    return take_part(s, item, 1, v);
}

int nemo_item_integer(struct bytes *s, const struct nemo_item *item, int64_t *value)
{
    static union values v;
    if (take_one(s, item, "sil", &v))
        return -1;
    *value = integer_of(item, &v, 0);
    return 0;
}

int nemo_item_real(struct bytes *s, const struct nemo_item *item, double *value)
{
    static union values v;
    if (take_one(s, item, "dfsil", &v))
        return -1;
    *value = real_of(item, &v, 0);
    return 0;
}

int nemo_item_text(struct bytes *s, const struct nemo_item *item, char *text, size_t size)
{
    char raw[1024];
    const size_t keep = item->count < sizeof raw - 1 ? item->count : sizeof raw - 1;
    if (check_type(s, item, "c") || bytes_take(s, raw, 1, keep, false, item->tag) ||
        bytes_skip(s, item->count - keep, item->tag))
        return -1;
    raw[keep] = '\0';
    for (size_t k = 0; k < keep; k++)
        raw[k] = raw[k] & '\x80' ? '?' : raw[k];
    nb_error_escape(text, size, raw);
    return 0;
}

int nemo_item_check(const struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t width)
{
    if (item->count == n * width && (item->dim_count == 0 || item->dims[0] == n))
        return 0;
    return nb_fail("%s: item %s has %" PRIu64 " values, expected %" PRIu64 " for each of %" PRIu64 " bodies", s->name,
                   item->tag, item->count, width, n);
}

int nemo_item_reals(struct bytes *s, const struct nemo_item *item, uint64_t n, int width, double *to, double *second)
{
    static union values v;
    const uint64_t each = (uint64_t)width, all = second ? 2 * each : each;
    if (check_type(s, item, "df") || nemo_item_check(s, item, n, all))
        return -1;
    for (uint64_t done = 0; done < item->count; done += PART) {
        const size_t part = item->count - done < PART ? (size_t)(item->count - done) : PART;
        if (take_part(s, item, part, &v))
            return -1;
        for (size_t k = 0; k < part; k++) {
            const uint64_t body = (done + k) / all, place = (done + k) % all;
            double *column = place < each ? to : second;
            column[body * each + place % each] = real_of(item, &v, k);
        }
    }
    return 0;
}

int nemo_item_unsigned(struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t *to, bool *negative)
{
    static union values v;
    *negative = false;
    if (check_type(s, item, "sil") || nemo_item_check(s, item, n, 1))
        return -1;
    for (uint64_t done = 0; done < n; done += PART) {
        const size_t part = n - done < PART ? (size_t)(n - done) : PART;
        if (take_part(s, item, part, &v))
            return -1;
        for (size_t k = 0; k < part; k++) {
            const int64_t value = integer_of(item, &v, k);
            *negative = *negative || value < 0;
            to[done + k] = (uint64_t)value;
        }
    }
    return 0;
}
