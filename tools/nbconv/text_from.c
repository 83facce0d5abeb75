/* Reading text: lines of comment with a header, a frame's number or names, then a body a line. */
#include "base/error.h"
#include "base/units.h"
#include "lines.h"
#include "snap/snap.h"
#include "table.h"
#include "text.h"

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
    char separator;              /* of the words of a body; 0: not known yet */
    bool in_header;              /* lines of comment are the header's, up to the names */
    unsigned seen;               /* of its keys */
    bool announced;              /* a `# frame` line precedes the bodies */
    bool fields_given;           /* by --fields: lines of names say nothing */
    char *words[FIELDS_MAX + 2]; /* of a line */
};

/* ---- names ---- */

static int pos_bits(const struct field *f)
{
    return f->role == FIELD_COLUMN && strcmp(f->column, "pos") == 0 && f->component >= 0 ? 1 << f->component : 0;
}

/* Names in words, a unit in brackets being a part of the word before. The first that is none, or NULL. */
static const char *parse_words(char **words, int count, struct field *fields, int *field_count, int *positions)
{
    const char *unknown = NULL;
    *field_count = *positions = 0;
    for (int k = 0; k < count; k++) {
        if (*field_count > 0 && (words[k][0] == '[' || words[k][0] == '(')) {
            struct field *f = &fields[*field_count - 1];
            snprintf(f->unit, sizeof f->unit, "%.*s", (int)strcspn(words[k] + 1, "])"), words[k] + 1);
            continue;
        }
        struct field *f = &fields[*field_count];
        if (!field_parse(words[k], f)) {
            unknown = unknown ? unknown : words[k];
            continue;
        }
        *positions |= pos_bits(f);
        ++*field_count;
    }
    return unknown;
}

static void take_names(struct source *s, const struct field *fields, int count)
{
    if (s->table.n > 0)
        die("%s: line %" PRIu64 ": names of fields in the middle of a frame", s->in.name, s->in.number);
    memcpy(s->table.fields, fields, sizeof s->table.fields);
    s->table.field_count = count;
    table_layout(&s->table);
}

/* Whether mass and velocity are there too: then it is no line of a header that speaks of x, y and z. */
static bool is_snapshot(const struct field *fields, int count)
{
    bool mass = false, vel = false;
    for (int k = 0; k < count; k++) {
        mass = mass || strcmp(fields[k].column, "mass") == 0;
        vel = vel || strcmp(fields[k].column, "vel") == 0;
    }
    return mass && vel;
}

/* Cuts a line of names into words and takes them. A line of comment is one of names where x, y and z are among its
 * words; one with a word besides that is no name is an error: taken as a comment it would give the numbers other
 * meanings. */
static bool parse_names(struct source *s, char *text)
{
    static struct field fields[FIELDS_MAX];
    int field_count, positions, count;
    count = field_split(text, field_separator(text), s->words, FIELDS_MAX);
    if (count > FIELDS_MAX)
        return false;
    const char *unknown = parse_words(s->words, count, fields, &field_count, &positions);
    if (positions != 7 || (unknown && (s->table.n > 0 || s->in_header)))
        return false;
    if (s->in_header && !is_snapshot(fields, field_count))
        return false;
    if (unknown)
        die("%s: line %" PRIu64 ": '%.40s' is not the name of a field", s->in.name, s->in.number, unknown);
    if (!s->fields_given)
        take_names(s, fields, field_count);
    return true;
}

static void take_list(struct source *s, const char *list)
{
    static struct field fields[FIELDS_MAX];
    char *copy = strdup(list);
    int field_count, positions, count;
    if (!copy)
        die("no memory");
    count = field_split(copy, ',', s->words, FIELDS_MAX);
    const char *unknown = count > FIELDS_MAX ? "" : parse_words(s->words, count, fields, &field_count, &positions);
    if (unknown)
        die_usage("--fields %s: '%s' is not the name of a field", list, unknown);
    take_names(s, fields, field_count);
    free(copy);
}

/* ---- bodies without names ---- */

static void assume_names(struct source *s, int count)
{
    static const char *const usual[] = {[6] = "x,y,z,vx,vy,vz", [7] = "m,x,y,z,vx,vy,vz", [8] = "id,m,x,y,z,vx,vy,vz"};
    if (count < 6 || count > 8)
        die("%s: line %" PRIu64 ": %d fields; wanted m x y z vx vy vz, an id before them, or a # line with names",
            s->in.name, s->in.number, count);
    say("%s: no names of fields: taken as %s (--fields says otherwise)", s->in.name, usual[count]);
    take_list(s, usual[count]);
}

/* Fields that every line of the dialect has. */
static void set_fixed(struct source *s, int count)
{
    char list[128];
    int usual = 1;
    for (const char *c = s->dialect->fields; *c; c++)
        usual += *c == ',';
    const bool more = s->dialect->optional && count == usual + 1;
    snprintf(list, sizeof list, "%s%s%s", s->dialect->fields, more ? "," : "", more ? s->dialect->optional : "");
    take_list(s, list);
}

/* A field of words is left out, and so is the name of a row, which stands under no name. */
static void look_at_first(struct source *s, int count)
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
        say("%s: line %" PRIu64 ": '%s' holds words and is left out", s->in.name, s->in.number, f->column);
        f->role = FIELD_SKIP;
        words = true;
    }
    if (changed || words)
        table_layout(t);
}

static bool are_names(char **words, int count)
{
    for (int k = 0; k < count; k++)
        if (words[k][0] &&
            (isdigit((unsigned char)words[k][0]) || strchr("+-.", words[k][0]) || field_is_number(words[k])))
            return false;
    return true;
}

static void die_count(const struct source *s, int count)
{
    const int wanted = s->table.field_count;
    if (count > wanted)
        die("%s: line %" PRIu64 ": more than %d fields", s->in.name, s->in.number, wanted);
    die("%s: line %" PRIu64 ": %d fields instead of %d", s->in.name, s->in.number, count, wanted);
}

/* The first line that is no comment: names, or a body from which everything is known that was not said before. True: it
 * was names. */
static bool begin_bodies(struct source *s)
{
    if (field_has_decimal_commas(s->in.text))
        die("%s: line %" PRIu64 ": numbers with a decimal comma; wanted a decimal point", s->in.name, s->in.number);
    const char separator = field_separator(s->in.text);
    char *copy = strdup(s->in.text);
    if (!copy)
        die("no memory");
    const int count = field_split(copy, separator, s->words, FIELDS_MAX);
    const bool names = !s->dialect->fields && count <= FIELDS_MAX && are_names(s->words, count);
    if (names && !s->fields_given && !parse_names(s, s->in.text))
        die("%s: line %" PRIu64 ": names of fields without x, y and z", s->in.name, s->in.number);
    if (!names) {
        s->separator = separator;
        if (s->table.field_count == 0 && s->dialect->fields)
            set_fixed(s, count);
        else if (s->table.field_count == 0)
            assume_names(s, count);
        /* the words were those of other lists meanwhile */
        strcpy(copy, s->in.text);
        field_split(copy, separator, s->words, FIELDS_MAX);
        look_at_first(s, count);
    }
    free(copy);
    return names;
}

static void parse_body(struct source *s)
{
    if (!s->separator && begin_bodies(s))
        return;
    s->in_header = false;
    const int count = field_split(s->in.text, s->separator, s->words, FIELDS_MAX);
    if (count != s->table.field_count)
        die_count(s, count);
    table_take(&s->table, s->words);
}

/* ---- comments ---- */

/* A new header: what follows is said anew, and a frame that came before ends. */
static void begin_header(struct source *s)
{
    table_end_frame(&s->table);
    nb_bodies_free(&s->table.header);
    s->in_header = s->table.has_header = true;
    s->seen = 0;
    s->separator = 0;
    if (!s->fields_given)
        s->table.field_count = 0;
}

static bool begin_frame(struct source *s, const char *text)
{
    double time;
    uint64_t number;
    int end = 0;
    if (sscanf(text, " frame %" SCNu64 " time %lf %n", &number, &time, &end) != 2 || !end || text[end] ||
        !isfinite(time))
        return false;
    if (s->table.n == 0 && s->announced)
        die("%s: line %" PRIu64 ": the frame before has no bodies", s->in.name, s->in.number);
    table_end_frame(&s->table);
    s->announced = s->table.time_known = true;
    s->table.time = time;
    return true;
}

static bool take_units(struct source *s, const char *name)
{
    const struct nb_unit_system *system = nb_units_find(name);
    if (!system)
        return false;
    s->table.header.meta.units = system->units;
    if (s->seen == 0) /* no line has said G */
        s->table.header.meta.G = system->G;
    return true;
}

struct spoken { /* a value that a line of comment gives */
    const char *key;
    double *to;
    bool signs; /* it may be below 0 */
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

/* `# G 39.4`, `# softening = 0.1` and `# units solar` of a text without a whole header, and the step of a frame. */
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
        say("%s: line %" PRIu64 ": %s is taken as %s", s->in.name, s->in.number, key, value);
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

/* A line of the header, behind a blank; what cannot be one is a comment. */
static void take_header(struct source *s, char *text)
{
    if (text[0] != ' ' || text[1] == ' ' || !text[1] || !is_printable(text))
        return;
    if (nb_snap_header_line(text + 1, &s->table.header, &s->seen))
        die("%s: line %" PRIu64 ": %s", s->in.name, s->in.number, nb_error());
}

/* As parse_names, which divides its text into words. */
static bool parse_names_of(struct source *s, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        die("no memory");
    const bool names = parse_names(s, copy);
    free(copy);
    return names;
}

static void parse_comment(struct source *s, char *text)
{
    char *end = text + strlen(text);
    while (end > text && strchr(blanks, end[-1]))
        *--end = '\0';
    if (s->dialect->header && strcmp(text + strspn(text, blanks), TEXT_MAGIC) == 0)
        begin_header(s);
    else if (s->in_header && strncmp(text, " history ", strlen(" history ")) == 0)
        take_header(s, text); /* its command may name fields */
    else if (!begin_frame(s, text) && (s->dialect->fields || !parse_names_of(s, text))) {
        if (s->in_header)
            take_header(s, text);
        else if (s->table.n == 0)
            take_value(s, text);
    } else
        s->in_header = false;
}

/* ---- all of it ---- */

/* The writer of a text with our header ends each line, so a last line without a newline has lost something. */
static void check_line_end(const struct source *s)
{
    if (s->table.has_header && s->in.unfinished)
        die("%s: line %" PRIu64 " has no newline at its end: the file is truncated", s->in.name, s->in.number);
}

static void check_units(const struct source *s)
{
    const struct nb_unit_system *units = s->dialect->units;
    const struct nb_units *u = &s->table.header.meta.units;
    if (units && strcmp(u->name, units->units.name) != 0)
        die("%s: its header has units '%s', which are not those of --from %s", s->in.name, u->name,
            s->table.import->options->from->name);
}

void text_from(struct conv_import *import, const char *path, const struct text_dialect *d)
{
    static struct source s;
    const size_t length = strlen(d->comment);
    s = (struct source){.dialect = d, .table = {.import = import, .in = &s.in}};
    nb_bodies_init(&s.table.header);
    nb_bodies_init(&s.table.bodies);
    if (d->units) {
        s.table.header.meta.units = d->units->units;
        s.table.header.meta.G = d->units->G;
    }
    lines_open(&s.in, path);
    if (import->options->fields) {
        take_list(&s, import->options->fields);
        s.fields_given = true;
    }
    while (lines_next(&s.in)) {
        char *first = s.in.text + strspn(s.in.text, blanks);
        check_line_end(&s);
        if (strncmp(first, d->comment, length) == 0)
            parse_comment(&s, first + length);
        else if (*first) {
            check_units(&s);
            parse_body(&s);
        }
    }
    if (s.table.n == 0)
        die("%s: no bodies", s.in.name);
    table_end_frame(&s.table);
    table_free(&s.table);
    lines_close(&s.in);
}
