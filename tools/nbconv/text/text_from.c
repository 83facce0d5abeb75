/* text_from.c - reads text. A comment line can contain a line of the header, the number of a frame, or the names of the
 * fields. The names can also be in the first line that is not a comment. Every other line is a body. */
#include "base/units.h"
#include "nbconv/text/text.h"
#include "snap/snap.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\v\f";

struct source {
    struct lines in;
    struct table table;
    const struct text_dialect *dialect;
    char separator;                  /* separator of the words in a body's line; 0: not known yet */
    bool in_header;                  /* comment lines belong to the header, which ends with the line of names */
    unsigned seen;                   /* header keys read so far, as bits */
    bool announced;                  /* a `# frame` line precedes the bodies */
    bool fields_given;               /* --fields was given: lines of names are ignored */
    char *words[FIELDS_MAX + 2];     /* words of a line */
    char copy[LINE_BYTES];           /* copy of a line, which is split into words */
    struct field fields[FIELDS_MAX]; /* fields parsed from a line of names; take_names copies them to `table` */
    /* field_count: number of elements of `fields`. parts: bits (see part_of) that show which of x, y, z, mass and
     * velocity `fields` contains. */
    int field_count, parts;
};

/* ---- names ---- */

enum { POSITION = 7, MASS = 8, VELOCITY = 16 }; /* POSITION: bit 0 for x, bit 1 for y, bit 2 for z */

static int part_of(const struct field *f)
{
    if (strcmp(f->column, "pos") == 0 && f->component >= 0)
        return 1 << f->component;
    return strcmp(f->column, "mass") == 0 ? MASS : strcmp(f->column, "vel") == 0 ? VELOCITY : 0;
}

/* Parses the first `count` elements of s->words as names, into s->fields. A word in brackets is the unit of the field
 * before it. Returns the first word that is not a name, or NULL. */
static const char *parse_words(struct source *s, int count)
{
    const char *unknown = NULL;
    s->field_count = s->parts = 0;
    for (int k = 0; k < count; k++) {
        const char *word = s->words[k];
        struct field *f = &s->fields[s->field_count];
        if (s->field_count > 0 && (word[0] == '[' || word[0] == '('))
            snprintf(f[-1].unit, sizeof f->unit, "%.*s", (int)strcspn(word + 1, "])"), word + 1);
        else if (field_parse(word, f)) {
            s->parts |= part_of(f);
            s->field_count++;
        } else if (!unknown)
            unknown = word;
    }
    return unknown;
}

static int take_names(struct source *s)
{
    if (s->table.n > 0)
        return lines_fail(&s->in, "names of fields in the middle of a frame");
    memcpy(s->table.fields, s->fields, sizeof s->table.fields);
    s->table.field_count = s->field_count;
    return table_layout(&s->table);
}

/* Returns 1 if `text` is a line of names, 0 if it is not, or -1 after nb_fail. Sets the fields of the table to these
 * names, unless --fields was given.
 *
 * A line of names must contain x, y and z. In a header it must also contain mass and velocity, because other header
 * lines may mention x, y and z. A line with x, y, z and an unknown word is an error if it is outside a header and the
 * frame has no bodies yet: the meaning of a column is then unknown. */
static int parse_names(struct source *s, const char *text)
{
    const int wanted = s->in_header ? POSITION | MASS | VELOCITY : POSITION;
    strcpy(s->copy, text);
    const int count = field_split(s->copy, field_separator(text), s->words, FIELDS_MAX);
    if (count > FIELDS_MAX)
        return 0;
    const char *unknown = parse_words(s, count);
    if ((s->parts & wanted) != wanted || (unknown && (s->table.n > 0 || s->in_header)))
        return 0;
    if (unknown)
        return lines_fail(&s->in, "'%.40s' is not a valid name of a field", unknown);
    return !s->fields_given && take_names(s) ? -1 : 1;
}

static int take_list(struct source *s, const char *list)
{
    snprintf(s->copy, sizeof s->copy, "%s", list);
    const int count = field_split(s->copy, ',', s->words, FIELDS_MAX);
    const char *unknown = count > FIELDS_MAX ? "" : parse_words(s, count);
    if (unknown)
        return conv_misused(nb_fail("--fields %s: '%s' is not a valid name of a field", list, unknown));
    return take_names(s);
}

/* ---- bodies without names ---- */

static int assume_names(struct source *s, int count)
{
    static const char *const usual[] = {[6] = "x,y,z,vx,vy,vz", [7] = "m,x,y,z,vx,vy,vz", [8] = "id,m,x,y,z,vx,vy,vz"};
    if (count < 6 || count > 8)
        return lines_fail(&s->in, "%d fields; expected m x y z vx vy vz, an id before them, or a # line with names",
                          count);
    say("%s: the fields have no names: assuming %s (--fields sets others)", s->in.file.name, usual[count]);
    return take_list(s, usual[count]);
}

/* Sets the fields for a dialect (text format) that prescribes them. `count`: number of words in the line of the first
 * body. The fields are d->more_fields if the line has one word more than d->fields, otherwise d->fields. */
static int set_fixed(struct source *s, int count)
{
    const struct text_dialect *d = s->dialect;
    if (take_list(s, d->fields))
        return -1;
    return d->more_fields && count == s->field_count + 1 ? take_list(s, d->more_fields) : 0;
}

/* Adapts the fields to the line of the first body, whose `count` words are in s->words.
 * - The line may begin with the name of the body: a quoted word, or a word that is not a number. If the line has one
 *   word more than there are fields, inserts a field for this name, which is skipped.
 * - Skips each field that has no known column, if its word in this line is not a number. */
static int look_at_first(struct source *s, int count)
{
    struct table *t = &s->table;
    const bool named = s->in.text[strspn(s->in.text, blanks)] == '"' || !field_is_number(s->words[0]);
    const bool changed = named && t->field_count == count - 1 && count <= FIELDS_MAX && !s->fields_given;
    if (changed) {
        memmove(t->fields + 1, t->fields, (FIELDS_MAX - 1) * sizeof *t->fields);
        field_parse("", &t->fields[0]);
        t->field_count++;
    }
    bool words = false;
    for (int k = 0; k < count && count == t->field_count; k++) {
        struct field *f = &t->fields[k];
        if (f->role != FIELD_COLUMN || nb_column_known(f->column) || field_is_number(s->words[k]) ||
            field_is_missing(s->words[k]))
            continue;
        say("%s: line %" PRIu64 ": '%s' contains words and is left out", s->in.file.name, s->in.number, f->column);
        f->role = FIELD_SKIP;
        words = true;
    }
    return changed || words ? table_layout(t) : 0;
}

static bool are_names(char **words, int count)
{
    for (int k = 0; k < count; k++)
        if (words[k][0] &&
            (isdigit((unsigned char)words[k][0]) || strchr("+-.", words[k][0]) || field_is_number(words[k])))
            return false;
    return true;
}

static int take_body(struct source *s)
{
    const int wanted = s->table.field_count, count = field_split(s->in.text, s->separator, s->words, FIELDS_MAX);
    if (count > wanted)
        return lines_fail(&s->in, "more than %d fields", wanted);
    if (count < wanted)
        return lines_fail(&s->in, "%d fields, expected %d", count, wanted);
    return table_take(&s->table, s->words);
}

/* Handles the first line that is not a comment, and finds the separator and the fields. Returns 1 if the line contains
 * names, 0 if the line is a body, or -1 after nb_fail. */
static int begin_bodies(struct source *s)
{
    if (field_has_decimal_commas(s->in.text))
        return lines_fail(&s->in, "numbers with a decimal comma; expected a decimal point");
    const char separator = field_separator(s->in.text);
    strcpy(s->copy, s->in.text);
    const int count = field_split(s->copy, separator, s->words, FIELDS_MAX);
    if (!s->dialect->fields && count <= FIELDS_MAX && are_names(s->words, count)) {
        const int names = s->fields_given ? 1 : parse_names(s, s->in.text);
        return names ? names : lines_fail(&s->in, "names of fields without x, y and z");
    }
    s->separator = separator;
    if (s->table.field_count == 0 && (s->dialect->fields ? set_fixed(s, count) : assume_names(s, count)))
        return -1;
    strcpy(s->copy, s->in.text); /* set_fixed and assume_names have overwritten the words */
    field_split(s->copy, separator, s->words, FIELDS_MAX);
    return look_at_first(s, count);
}

static int parse_body(struct source *s)
{
    const int names = s->separator ? 0 : begin_bodies(s);
    if (names)
        return names < 0 ? -1 : 0;
    s->in_header = false;
    return take_body(s);
}

/* ---- comments ---- */

/* Ends the previous frame and begins a new header. */
static int begin_header(struct source *s)
{
    if (table_end_frame(&s->table))
        return -1;
    nb_bodies_free(&s->table.header);
    s->in_header = s->table.has_header = true;
    s->seen = 0;
    s->separator = 0;
    if (!s->fields_given)
        s->table.field_count = 0;
    return 0;
}

/* Begins a frame if the line is a `# frame` line. Returns 1 if it is, 0 if it is another line, or -1 after nb_fail. */
static int begin_frame(struct source *s, const char *text)
{
    double time;
    uint64_t number;
    int end = 0;
    if (sscanf(text, " frame %" SCNu64 " time %lf %n", &number, &time, &end) != 2 || !end || text[end] ||
        !isfinite(time))
        return 0;
    if (s->table.n == 0 && s->announced)
        return lines_fail(&s->in, "the frame before has no bodies");
    if (table_end_frame(&s->table))
        return -1;
    s->announced = s->table.time_known = true;
    s->table.time = time;
    return 1;
}

static bool take_units(struct source *s, const char *name)
{
    const struct nb_unit_system *system = nb_units_find(name);
    if (!system)
        return false;
    s->table.header.meta.units = system->units;
    if (s->seen == 0) /* no header line has set G */
        s->table.header.meta.G = system->G;
    return true;
}

struct spoken { /* a value that a comment line can give */
    const char *key;
    double *to;
    bool signs; /* true: the value may be negative */
};

static bool take_number(struct source *s, const char *key, const char *text)
{
    struct nb_meta *meta = &s->table.header.meta;
    const struct spoken known[] = {{"G", &meta->G, true},
                                   {"softening", &meta->softening, false},
                                   {"dt", &meta->dt, false},
                                   {"time", &s->table.time, true}};
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return false;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(key, known[k].key) == 0 && (known[k].signs || value >= 0)) {
            *known[k].to = value;
            s->seen |= known[k].to == &meta->G;
            s->table.time_known = s->table.time_known || known[k].to == &s->table.time;
            return true;
        }
    return false;
}

/* Sets a header value from a comment such as `# G 39.4`, `# softening = 0.1` or `# units solar`. If the text has a
 * header, also accepts `# step N`, which gives the number of steps before the frame. */
static void take_value(struct source *s, const char *text)
{
    char key[16], value[64];
    uint64_t step;
    int end = 0;
    if (s->table.has_header && sscanf(text, " step %" SCNu64 "%n", &step, &end) == 1 && !text[end]) {
        s->table.header.meta.step = step;
        return;
    }
    if (sscanf(text, " %15[A-Za-z] %*1[=:] %63s %n", key, value, &end) != 2 &&
        sscanf(text, " %15[A-Za-z] %63s %n", key, value, &end) != 2)
        return;
    if (end && !text[end] && (strcmp(key, "units") == 0 ? take_units(s, value) : take_number(s, key, value)))
        say("%s: line %" PRIu64 " sets %s to %s", s->in.file.name, s->in.number, key, value);
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

/* Parses a comment that contains a line of the stream's header. `text`: the line after the sign that begins a comment.
 * Ignores comments that do not begin with exactly one space. */
static int take_header(struct source *s, char *text)
{
    if (text[0] != ' ' || text[1] == ' ' || !text[1] || !is_printable(text))
        return 0;
    if (nb_snap_header_line(text + 1, &s->table.header, &s->seen))
        return lines_fail(&s->in, "%s", nb_error());
    return 0;
}

static int parse_comment(struct source *s, char *text)
{
    char *end = text + strlen(text);
    while (end > text && strchr(blanks, end[-1]))
        *--end = '\0';
    if (s->dialect->header && strcmp(text + strspn(text, blanks), TEXT_MAGIC) == 0)
        return begin_header(s);
    if (s->in_header && strncmp(text, " history ", strlen(" history ")) == 0)
        return take_header(s, text); /* a history line contains a command line, which could look like a line of names */
    int taken = begin_frame(s, text);
    if (taken == 0 && !s->dialect->fields)
        taken = parse_names(s, text);
    if (taken == 0 && s->in_header)
        return take_header(s, text);
    if (taken == 0 && s->table.n == 0)
        take_value(s, text);
    if (taken)
        s->in_header = false;
    return taken < 0 ? -1 : 0;
}

/* ---- reading ---- */

static int check_units(const struct source *s)
{
    const struct nb_unit_system *units = s->dialect->units;
    const struct nb_units *u = &s->table.header.meta.units;
    if (units && strcmp(u->name, units->units.name) != 0)
        return nb_fail("%s: the units '%s' of its header differ from those of --from %s", s->in.file.name, u->name,
                       s->table.import->options->from->name);
    return 0;
}

static int parse_line(struct source *s)
{
    const size_t length = strlen(s->dialect->comment);
    char *first = s->in.text + strspn(s->in.text, blanks);
    /* A text that has a stream's header was written by nbconv, which ends every line with a newline. If the newline is
     * missing, the last line is truncated. */
    if (s->table.has_header && s->in.unfinished)
        return nb_fail("%s: line %" PRIu64 " has no newline at its end: the file is truncated", s->in.file.name,
                       s->in.number);
    if (strncmp(first, s->dialect->comment, length) == 0)
        return parse_comment(s, first + length);
    return *first && (check_units(s) || parse_body(s)) ? -1 : 0;
}

static int read_lines(struct source *s)
{
    int status = 1;
    while (status > 0 && (status = lines_next(&s->in)) > 0)
        status = parse_line(s) ? -1 : 1;
    if (status == 0 && s->table.n == 0)
        return nb_fail("%s: no bodies", s->in.file.name);
    return status ? status : table_end_frame(&s->table);
}

int text_from(struct conv_import *import, const char *path)
{
    static struct source s;
    const char *fields = import->options->fields;
    s = (struct source){.dialect = import->options->from->dialect, .table = {.import = import, .in = &s.in}};
    nb_bodies_init(&s.table.header);
    nb_bodies_init(&s.table.bodies);
    if (s.dialect->units) {
        s.table.header.meta.units = s.dialect->units->units;
        s.table.header.meta.G = s.dialect->units->G;
    }
    s.fields_given = fields != NULL;
    int status = lines_open(&s.in, path);
    if (status == 0 && fields)
        status = take_list(&s, fields);
    if (status == 0)
        status = read_lines(&s);
    table_free(&s.table);
    return lines_close(&s.in, status);
}
