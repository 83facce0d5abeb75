/* snap_header.c - formats and parses a frame's header and footer. Declared in snap_header.h and snap.h. */
#include "snap/snap_header.h"

#include "base/error.h"
#include "snap/snap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIZE_LIMIT ((size_t)1 << 62)

/* ---- sizes ---- */

size_t nb_shape_blocks(const struct nb_column *c, uint64_t n)
{
    return (nb_column_bytes_padded(c, n) + NB_SNAP_BLOCK - 1) / NB_SNAP_BLOCK;
}

int nb_shape_of(struct nb_shape *shape, const struct nb_bodies *b)
{
    *shape = (struct nb_shape){0};
    size_t text = sizeof NB_MAGIC_FOOTER - 1 + NB_HEADER_LINE + NB_CHECKSUM_LINE;
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        size_t size = nb_column_bytes_padded(c, b->n);
        if (size > SIZE_LIMIT - shape->data_bytes)
            return nb_fail("n = %" PRIu64 " bodies are too many: the columns would need more than 2^62 bytes", b->n);
        shape->data_bytes += size;
        shape->blocks += nb_shape_blocks(c, b->n);
        text += strlen(c->name) + 1;
    }
    text += 17 * shape->blocks;
    shape->footer_bytes = (text + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN;
    return nb_bodies_check_columns(b);
}

/* ---- known keys ---- */

enum kind { UNSIGNED, NUMBER, NOT_NEGATIVE, NAME };

static const struct {
    const char *key;
    enum kind kind;
    size_t offset; /* offset of the key's value in struct nb_bodies, bytes */
    bool required;
} keys[] = {
    {"n", UNSIGNED, offsetof(struct nb_bodies, n), true},
    {"time", NUMBER, offsetof(struct nb_bodies, meta.time), true},
    {"step", UNSIGNED, offsetof(struct nb_bodies, meta.step), false},
    {"G", NUMBER, offsetof(struct nb_bodies, meta.G), true},
    {"softening", NOT_NEGATIVE, offsetof(struct nb_bodies, meta.softening), false},
    {"dt", NOT_NEGATIVE, offsetof(struct nb_bodies, meta.dt), false},
    {"dt_asked", NOT_NEGATIVE, offsetof(struct nb_bodies, meta.dt_asked), false},
    {"dynamical_time", NOT_NEGATIVE, offsetof(struct nb_bodies, meta.dynamical_time), false},
    {"origin", NUMBER, offsetof(struct nb_bodies, meta.origin), false},
    {"every", NOT_NEGATIVE, offsetof(struct nb_bodies, meta.every), false},
    {"units", NAME, offsetof(struct nb_bodies, meta.units.name), false},
    {"length_cgs", NOT_NEGATIVE, offsetof(struct nb_bodies, meta.units.length_cgs), false},
    {"mass_cgs", NOT_NEGATIVE, offsetof(struct nb_bodies, meta.units.mass_cgs), false},
    {"time_cgs", NOT_NEGATIVE, offsetof(struct nb_bodies, meta.units.time_cgs), false},
};
#define KEYS ((int)(sizeof keys / sizeof *keys))

static int key_find(const char *key)
{
    for (int k = 0; k < KEYS; k++)
        if (strcmp(key, keys[k].key) == 0)
            return k;
    return -1;
}

/* ---- writing ---- */

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

static bool is_word(const char *text)
{
    return *text && is_printable(text) && !strchr(text, ' ');
}

/* Returns whether the line can be an extra header line (a line that is not part of the format): it is printable, and
 * its first word is not a key of a standard header line. */
static bool is_extra(const char *line)
{
    char key[NB_NAME_MAX] = "";
    size_t length = strcspn(line, " ");
    if (length == 0 || !is_printable(line))
        return false;
    if (length >= sizeof key)
        return true;
    memcpy(key, line, length);
    return key_find(key) < 0 && strcmp(key, "column") != 0 && strcmp(key, "history") != 0 &&
           strcmp(key, "force") != 0 && strcmp(key, "checksum") != 0 && strcmp(key, "nbs") != 0;
}

static int format_key(struct nb_text *t, const struct nb_bodies *b, int k)
{
    const void *value = (const char *)b + keys[k].offset;
    if (keys[k].kind == UNSIGNED)
        return nb_text_add_unsigned(t, keys[k].key, *(const uint64_t *)value);
    if (keys[k].kind == NAME) {
        if (!is_word(value))
            return nb_fail("%s '%s' is not a valid name", keys[k].key, (const char *)value);
        return nb_text_add_line(t, keys[k].key, value);
    }
    double number = *(const double *)value;
    if (!isfinite(number) || (keys[k].kind == NOT_NEGATIVE && number < 0))
        return nb_fail("a header cannot contain %s = %g", keys[k].key, number);
    return nb_text_add_number(t, keys[k].key, number);
}

static int format_column(struct nb_text *t, const struct nb_column *c)
{
    char line[4 * NB_NAME_MAX];
    if (!is_word(c->unit))
        return nb_fail("unit '%s' of column '%s' is not a single word", c->unit, c->name);
    int size = snprintf(line, sizeof line, "column %s %s %d %s\n", c->name, nb_type_name(c->type), c->width, c->unit);
    return nb_text_add(t, line, (size_t)size);
}

static int format_lines(struct nb_text *t, const struct nb_meta *meta)
{
    for (int k = 0; k < meta->force_count; k++) {
        if (!is_word(meta->forces[k]))
            return nb_fail("force '%.60s' cannot be written into a header", meta->forces[k]);
        if (nb_text_add_line(t, "force", meta->forces[k]))
            return -1;
    }
    for (int k = 0; k < meta->history_count; k++) {
        if (!is_printable(meta->history[k]))
            return nb_fail("history line %d contains a byte that is not printable ASCII", k + 1);
        if (nb_text_add_line(t, "history", meta->history[k]))
            return -1;
    }
    for (int k = 0; k < meta->extra_count; k++) {
        if (!is_extra(meta->extra[k]))
            return nb_fail("'%.60s' cannot be an additional line of a header", meta->extra[k]);
        if (nb_text_add_string(t, meta->extra[k]) || nb_text_add_string(t, "\n"))
            return -1;
    }
    return 0;
}

/* Returns whether the header line of keys[k] is omitted. The lines `origin` and `every` are omitted if `every` is 0.
 * The lines `dt_asked` and `dynamical_time` are omitted if their value is 0. */
static bool is_left_out(const struct nb_bodies *b, int k)
{
    const char *key = keys[k].key;
    return (b->meta.every == 0 && (strcmp(key, "origin") == 0 || strcmp(key, "every") == 0)) ||
           (b->meta.dt_asked == 0 && strcmp(key, "dt_asked") == 0) ||
           (b->meta.dynamical_time == 0 && strcmp(key, "dynamical_time") == 0);
}

static int format_all(struct nb_text *t, const struct nb_bodies *b)
{
    for (int k = 0; k < KEYS; k++)
        if (!is_left_out(b, k) && format_key(t, b, k))
            return -1;
    for (int k = 0; k < b->column_count; k++)
        if (format_column(t, &b->columns[k]))
            return -1;
    return format_lines(t, &b->meta);
}

int nb_header_format(struct nb_text *t, const struct nb_bodies *b, uint64_t *checksum)
{
    size_t begin = t->size;
    if (nb_text_add_string(t, NB_MAGIC_FRAME) || format_all(t, b) || nb_text_finish(t, begin, checksum))
        return -1;
    if (t->size - begin > NB_HEADER_MAX)
        return nb_fail("the header is larger than %zu MiB", NB_HEADER_MAX >> 20);
    return 0;
}

char *nb_snap_header_lines(const struct nb_bodies *b)
{
    struct nb_text t = {0};
    if (format_all(&t, b) || nb_text_add(&t, "", 1)) {
        nb_text_free(&t);
        return NULL;
    }
    return t.data;
}

int nb_footer_format(struct nb_text *t, const struct nb_bodies *b, uint64_t header, const uint64_t *hashes,
                     uint64_t *checksum)
{
    size_t begin = t->size;
    if (nb_text_add_string(t, NB_MAGIC_FOOTER "header") || nb_text_add_hash(t, header) || nb_text_add(t, "\n", 1))
        return -1;
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        if (nb_text_add_string(t, c->name))
            return -1;
        for (size_t blocks = nb_shape_blocks(c, b->n); blocks > 0; blocks--)
            if (nb_text_add_hash(t, *hashes++))
                return -1;
        if (nb_text_add_string(t, "\n"))
            return -1;
    }
    return nb_text_finish(t, begin, checksum);
}

/* ---- reading ---- */

static int parse_column(char *rest, struct nb_bodies *b)
{
    const bool blank_ends = *rest && rest[strlen(rest) - 1] == ' ';
    char *name = nb_parse_word(&rest), *type = nb_parse_word(&rest), *width = nb_parse_word(&rest);
    char *unit = nb_parse_word(&rest);
    if (blank_ends || !unit || *rest || !*unit)
        return nb_fail("a column line does not have the form 'column NAME TYPE WIDTH UNIT'");
    if (nb_type_parse(type) < 0)
        return nb_fail("column '%.40s' has an unknown type '%.40s'", name, type);
    if (strcmp(width, "1") != 0 && strcmp(width, "3") != 0)
        return nb_fail("column '%.40s' has width %.40s, not 1 or 3", name, width);
    return nb_bodies_add(b, name, (enum nb_type)nb_type_parse(type), *width - '0', unit);
}

static int parse_key(int k, const char *text, struct nb_bodies *b)
{
    void *value = (char *)b + keys[k].offset;
    bool good;
    if (keys[k].kind == UNSIGNED)
        good = nb_parse_unsigned(text, value);
    else if (keys[k].kind == NAME) {
        good = is_word(text) && strlen(text) < NB_NAME_MAX;
        if (good)
            strcpy(value, text);
    } else
        good = nb_parse_number(text, value) && (keys[k].kind == NUMBER || *(double *)value >= 0);
    return good ? 0 : nb_fail("the header contains an invalid line '%s %.60s'", keys[k].key, text);
}

/* Bit k of *seen means that a line with keys[k] was read. */
int nb_snap_header_line(char *line, struct nb_bodies *b, unsigned *seen)
{
    size_t length = strcspn(line, " ");
    char *rest = line[length] ? line + length + 1 : line + length;
    if (length == 7 && strncmp(line, "history", 7) == 0)
        return nb_meta_add_history(&b->meta, rest);
    if (length == 5 && strncmp(line, "force", 5) == 0)
        return is_word(rest) ? nb_meta_add_force(&b->meta, rest)
                             : nb_fail("the header contains an invalid line 'force %.60s'", rest);
    if (length == 6 && strncmp(line, "column", 6) == 0)
        return parse_column(rest, b);
    if (is_extra(line))
        return nb_meta_add_extra(&b->meta, line);
    line[length] = '\0';
    int k = key_find(line);
    if (k < 0)
        return nb_fail("the header contains a line without a key");
    if (*seen >> k & 1)
        return nb_fail("the header contains '%s' twice", line);
    *seen |= 1u << k;
    return parse_key(k, rest, b);
}

/* Returns the second line of a verified text block. The first is the magic line. Writes '\0' to the beginning of the
 * checksum line, so that the text ends before this line. */
static char *lines_of(char *text, size_t block_size)
{
    char *end = memmem(text, block_size, "\nchecksum ", 10);
    end[1] = '\0';
    nb_parse_line(&text);
    return text;
}

int nb_header_parse(char *text, size_t block_size, struct nb_bodies *b)
{
    unsigned seen = 0;
    nb_bodies_free(b);
    text = lines_of(text, block_size);
    for (char *line; (line = nb_parse_line(&text));)
        if (nb_snap_header_line(line, b, &seen))
            return -1;
    for (int k = 0; k < KEYS; k++)
        if (keys[k].required && !(seen >> k & 1))
            return nb_fail("the header lacks '%s'", keys[k].key);
    return 0;
}

bool nb_footer_is_of(const char *text, size_t have, uint64_t header)
{
    char expected[] = NB_MAGIC_FOOTER "header 0123456789abcdef\n";
    size_t size = sizeof expected - 1;
    nb_format_hash(expected + size - 1 - NB_HASH_DIGITS, header);
    return have >= size && memcmp(text, expected, size) == 0;
}

int nb_footer_compare(char *text, size_t block_size, const struct nb_bodies *b, const uint64_t *hashes)
{
    text = lines_of(text, block_size);
    nb_parse_line(&text); /* skips the line with the header's checksum; nb_footer_is_of checks that line */
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        size_t blocks = nb_shape_blocks(c, b->n);
        char *line = nb_parse_line(&text);
        const bool fits = line && strlen(line) == strlen(c->name) + 17 * blocks;
        char *name = fits ? nb_parse_word(&line) : NULL;
        if (!name || strcmp(name, c->name) != 0)
            return nb_fail("the footer is damaged: it does not list the columns of the header");
        for (size_t j = 0; j < blocks; j++) {
            uint64_t hash;
            if (!nb_parse_hash(line + 17 * j, &hash) || (line[17 * j + 16] != (j + 1 < blocks ? ' ' : '\0')))
                return nb_fail("the footer is damaged: it does not list the columns of the header");
            if (hashes && hash != *hashes++)
                return nb_fail("column '%s' is damaged: the checksum of block %zu is wrong", c->name, j);
        }
    }
    return *text ? nb_fail("the footer is damaged: it does not list the columns of the header") : 0;
}
