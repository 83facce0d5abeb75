/* external_table_read.c - reads a table from a text or a stream. Declared in external_table.h. */
#include "force/external/external_table_read.h"

#include "base/error.h"
#include "snap/snap_hash.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ROW_MAX      (2 * NB_EXTERNAL_COLUMNS)
#define LINE_MAX     4096 /* size of the buffer for a line, bytes */
#define STREAM_MAGIC "nbs "

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static const char *const orbit_names[] = {"x", "y", "z", "vx", "vy", "vz", NULL};

/* A text file that is being read, and the rows read so far. */
struct text {
    const char *file;
    FILE *from;
    unsigned long line; /* number of the current line */
    char bytes[LINE_MAX];
    const char *const *names;
    bool orbit;
    struct nb_external_rows rows;
};

int nb_external_rows_add(struct nb_external_rows *r, const char *file, const double *row)
{
    const size_t columns = (size_t)r->columns;
    if ((r->rows & (r->rows - 1)) == 0) {
        double *more = realloc(r->value, (r->rows ? 2 * r->rows : 1) * columns * sizeof *more);
        if (!more)
            return nb_fail("%s: no memory for the table", file);
        r->value = more;
    }
    memcpy(r->value + r->rows++ * columns, row, columns * sizeof *row);
    return 0;
}

static int place_of(const char *const *names, const char *name)
{
    for (int k = 0; names[k]; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    return -1;
}

static int take_name(struct text *t, const char *name)
{
    struct nb_external_rows *r = &t->rows;
    const int place = place_of(t->names, name);
    if (place < 0)
        return nb_fail("%s: line %lu: unknown column '%.20s'", t->file, t->line, name);
    for (int c = 1; c < r->columns; c++)
        if (r->place[c - 1] == place)
            return nb_fail("%s: line %lu: column '%.20s' appears twice", t->file, t->line, name);
    r->place[r->columns++ - 1] = place;
    return 0;
}

/* Returns whether `words`, the text of a comment, consists of two or more column names. */
static bool is_names(const struct text *t, const char *words)
{
    static const char *const times[] = {"t", "time", NULL};
    int count = 0;
    for (size_t length; *(words += strspn(words, " ")); words += length, count++) {
        char name[16];
        length = strcspn(words, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        if (length >= sizeof name ||
            (place_of(times, name) < 0 && place_of(orbit_names, name) < 0 && place_of(t->names, name) < 0))
            return false;
    }
    return count > 1;
}

/* Reads the names of the columns from `words`, the text of a line that begins with '#'. Ignores the line if the first
 * word is not t, the time. */
static int take_names(struct text *t, char *words)
{
    const char *name = strsep(&words, " ");
    if (strcmp(name, "t") != 0)
        return 0;
    t->rows.columns = 1;
    while ((name = strsep(&words, " ")))
        if (*name && take_name(t, name))
            return -1;
    return t->rows.columns > 1 ? 0 : nb_fail("%s: line %lu names no column except t", t->file, t->line);
}

/* Reads the numbers of the current line into row[], and returns how many there are. Returns -1 after nb_fail if a
 * number is not finite, or if there are more than ROW_MAX numbers. */
static int take_numbers(const struct text *t, double row[ROW_MAX])
{
    int count = 0;
    const char *at = t->bytes;
    for (; *(at += strspn(at, " ")); count++) {
        char *end;
        if (count == ROW_MAX)
            return nb_fail("%s: line %lu has more than %d numbers", t->file, t->line, ROW_MAX);
        row[count] = strtod(at, &end);
        if (end == at || (*end && *end != ' ') || !isfinite(row[count]))
            return nb_fail("%s: line %lu: '%.*s' is not a finite number", t->file, t->line,
                           (int)(strcspn(at, " ") < 20 ? strcspn(at, " ") : 20), at);
        at = end;
    }
    return count;
}

/* Chooses the names of the columns if the text describes an orbit and does not contain names: t x y z for 4 columns,
 * t x y z vx vy vz for 7 columns. `count`: number of columns. */
static void choose_names(struct text *t, int count)
{
    struct nb_external_rows *r = &t->rows;
    if (r->columns > 0 || !t->orbit || (count != 4 && count != 7))
        return;
    r->columns = count;
    for (int c = 0; c < count - 1; c++)
        r->place[c] = c;
}

static int take_row(struct text *t)
{
    struct nb_external_rows *r = &t->rows;
    double row[ROW_MAX];
    const int count = take_numbers(t, row);
    if (count < 0)
        return -1;
    choose_names(t, count);
    if (r->columns == 0)
        return nb_fail(t->orbit ? "%s: line %lu: neither t x y z nor t x y z vx vy vz, and no line '# t ...' before it"
                                : "%s: line %lu: a line '# t ...' with the columns' names is needed before it",
                       t->file, t->line);
    if (count != r->columns)
        return nb_fail("%s: line %lu has %d numbers, expected %d", t->file, t->line, count, r->columns);
    const double *before = r->rows > 0 ? r->value + (r->rows - 1) * (size_t)r->columns : NULL;
    if (before && !(row[0] > *before))
        return nb_fail("%s: line %lu: times must increase (%.9g follows %.9g)", t->file, t->line, row[0], *before);
    return nb_external_rows_add(r, t->file, row);
}

/* Reads one line into t->bytes, and replaces the line end and tabs by spaces. Returns 1 if a line was read, 0 at the
 * end of the file, or -1 after nb_fail. */
static int take_line(struct text *t)
{
    t->line++;
    memset(t->bytes, ' ', sizeof t->bytes);
    if (!fgets(t->bytes, sizeof t->bytes, t->from))
        return ferror(t->from) ? nb_fail("%s: %s", t->file, strerror(errno)) : 0;
    const size_t length = strlen(t->bytes);
    if (length + 1 == sizeof t->bytes && t->bytes[length - 1] != '\n')
        return nb_fail("%s: line %lu is longer than %d bytes", t->file, t->line, LINE_MAX - 2);
    size_t end = sizeof t->bytes - 1;
    /* Finds the zero byte that fgets wrote at the end of the line. It is the last zero byte of the buffer, because all
     * bytes after it are still spaces. */
    while (t->bytes[end])
        end--;
    if (end != length)
        return nb_fail("%s: line %lu contains a zero byte, so it is not text", t->file, t->line);
    if (t->line == 1 && strncmp(t->bytes, BYTE_ORDER_MARK, 3) == 0)
        memset(t->bytes, ' ', 3);
    for (char *c = t->bytes; *c; c++)
        if (strchr("\t\r\n", *c))
            *c = ' ';
    return 1;
}

static int read_text(struct text *t)
{
    int more;
    while ((more = take_line(t)) > 0) {
        char *first = t->bytes + strspn(t->bytes, " ");
        char *words = *first == '#' ? first + 1 + strspn(first + 1, " ") : NULL;
        if (words && t->rows.columns > 0 && is_names(t, words))
            return nb_fail("%s: line %lu: name the columns once, before the first row", t->file, t->line);
        if (words && strncmp(words, "t ", 2) != 0 && is_names(t, words))
            return nb_fail("%s: line %lu: the first named column must be t", t->file, t->line);
        if (words && t->rows.columns == 0 && take_names(t, words))
            return -1;
        if (*first && *first != '#' && take_row(t))
            return -1;
    }
    return more;
}

/* Copies column c of the rows r to `to`, an array of r->rows elements. */
static void put(const struct nb_external_rows *r, int c, double *to)
{
    for (size_t k = 0; k < r->rows; k++)
        to[k] = r->value[k * (size_t)r->columns + (size_t)c];
}

/* Checks that there are columns x, y and z, and either all or none of vx, vy and vz. */
static int check_orbit(const char *file, const struct nb_external_rows *r)
{
    int has = 0;
    for (int c = 0; c < r->columns - 1; c++)
        has |= 1 << r->place[c];
    if (has == 7 || has == 63)
        return 0;
    return nb_fail("%s: an orbit needs the columns t x y z, or t x y z vx vy vz", file);
}

static int make(struct nb_external_table *t, const char *file, const struct nb_external_rows *r, bool orbit)
{
    const size_t rows = r->rows;
    const bool slopes = orbit && r->columns == 7;
    t->rows = rows;
    t->columns = orbit ? 3 : r->columns - 1;
    t->time = malloc(rows * sizeof(double));
    t->value = malloc((size_t)t->columns * rows * sizeof(double));
    t->slope = malloc((size_t)t->columns * rows * sizeof(double));
    if (!t->time || !t->value || !t->slope)
        return nb_fail("%s: no memory for the table", file);
    put(r, 0, t->time);
    for (int c = 0; c < r->columns - 1; c++) {
        const size_t to = (size_t)(orbit ? r->place[c] % 3 : c) * rows;
        put(r, c + 1, (orbit && r->place[c] >= 3 ? t->slope : t->value) + to);
    }
    for (int c = 0; c < t->columns; c++)
        t->place[c] = orbit ? c : r->place[c];
    const uint64_t parts[] = {nb_hash_bytes(r->place, (size_t)(r->columns - 1) * sizeof *r->place),
                              nb_hash_bytes(r->value, rows * (size_t)r->columns * sizeof(double))};
    t->hash = nb_hash_bytes(parts, sizeof parts);
    return slopes ? 0 : nb_external_table_slopes(t, file, !orbit);
}

static int read_rows(struct nb_external_rows *r, const char *file, FILE *from, const char *const *names, bool orbit,
                     const struct nb_meta *meta)
{
    char magic[sizeof STREAM_MAGIC - 1] = "";
    const bool is_stream = fread(magic, sizeof magic, 1, from) == 1 && memcmp(magic, STREAM_MAGIC, sizeof magic) == 0;
    if (is_stream && !orbit)
        return nb_fail("%s: is a stream, expected a text", file);
    if (is_stream)
        return nb_external_rows_of_stream(r, file, meta);
    struct text t = {.file = file, .from = from, .names = orbit ? orbit_names : names, .orbit = orbit};
    rewind(from);
    const int status = read_text(&t);
    *r = t.rows;
    return status;
}

static int read_file(struct nb_external_rows *r, const char *file, const char *const *names, bool orbit,
                     const struct nb_meta *meta)
{
    FILE *from = fopen(file, "r");
    struct stat s;
    if (!from)
        return nb_fail(errno == ENOENT && *file != '/' ? "%s: %s (the name is relative to the working directory)"
                                                       : "%s: %s",
                       file, strerror(errno));
    int status = fstat(fileno(from), &s) || !S_ISREG(s.st_mode) ? nb_fail("%s: not a regular file", file)
                                                                : read_rows(r, file, from, names, orbit, meta);
    fclose(from);
    if (status == 0 && r->rows < 2)
        status = nb_fail("%s: a table needs at least two rows, this one has %zu", file, r->rows);
    return status || !orbit ? status : check_orbit(file, r);
}

int nb_external_table_read(struct nb_external_table *t, const char *file, const char *const *names, bool orbit,
                           const struct nb_meta *meta)
{
    struct nb_external_rows r = {0};
    *t = (struct nb_external_table){0};
    int status = read_file(&r, file, names, orbit, meta) || make(t, file, &r, orbit) ? -1 : 0;
    free(r.value);
    const size_t bad = status == 0 ? nb_external_table_first_bad(t) : 0;
    if (status == 0 && bad < t->rows)
        status = nb_fail("%s: from t = %.9g to %.9g the curve has values or slopes beyond 1e150", file, t->time[bad],
                         t->time[bad + 1]);
    if (status)
        nb_external_table_free(t);
    errno = status ? EDOM : errno;
    return status;
}
