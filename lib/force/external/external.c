/* external.c - opens external fields and reads their files. Computes the parameters of a field at a given time, and the
 * frequency of orbits in the field. Declared in external.h. */
#include "force/external/external.h"

#include "base/error.h"
#include "base/memory.h"
#include "force/external/external_kinds.h"
#include "force/external/external_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct nb_external field; /* the field at time 0, from the values in `spec` only; values in files are not used */
    bool moves;
    struct nb_force_spec spec;
    struct nb_meta meta; /* G and the units of the header; all other members are 0 */
    struct nb_external_table centre, table;
};

struct nb_external nb_external_at(const void *work, double time)
{
    const struct work *w = work;
    if (!w->moves)
        return w->field;
    struct nb_external field;
    struct nb_force_spec spec = w->spec;
    double values[NB_EXTERNAL_COLUMNS];
    if (w->table.rows > 0)
        nb_external_table_at(&w->table, time, values);
    for (int c = 0; c < w->table.columns; c++)
        spec.value[w->table.place[c]] = values[c];
    nb_external_make(&spec, &w->meta, time, &field); /* cannot fail: the same call succeeded in nb_external_open */
    if (w->centre.rows > 0)
        nb_external_table_at(&w->centre, time, values);
    for (int k = 0; k < field.terms && w->centre.rows > 0; k++)
        for (int c = 0; c < 3; c++)
            field.term[k].centre[c] += values[c];
    return field;
}

bool nb_external_moves(const void *work)
{
    return ((const struct work *)work)->moves;
}

#define HEX         16
#define NAME_LENGTH (NB_FORCE_FILE_BYTES - HEX - 2)

/* Splits `file`, which is NAME or NAME@CHECKSUM, into the name and the checksum. The checksum has HEX hexadecimal
 * digits. Returns whether there is a checksum. If not, sets *hash to 0. */
static bool split_name(const char *file, char name[NB_FORCE_FILE_BYTES], uint64_t *hash)
{
    const char *at = strrchr(file, '@');
    const bool checked = at && at > file && strlen(at + 1) == HEX && strspn(at + 1, "0123456789abcdef") == HEX;
    snprintf(name, NB_FORCE_FILE_BYTES, "%.*s", checked ? (int)(at - file) : (int)strlen(file), file);
    *hash = checked ? strtoull(at + 1, NULL, 16) : 0;
    return checked;
}

/* Sets names[k] to the name of parameter k if a table can have a column for it, otherwise to "". The list ends with
 * NULL. A table cannot have columns for file names, for the coordinates of the centre or for omega, the angular speed.
 * The file `center` gives the coordinates, and a column `angle` replaces omega. */
static void list_names(const struct nb_force_kind *kind, const char *names[NB_PARAMETERS_MAX + 1])
{
    int k = 0;
    for (const struct nb_parameter *p = kind->parameters; p && p->name; p++, k++)
        names[k] = p->file || strchr("xyz", *p->name) || strcmp(p->name, "omega") == 0 ? "" : p->name;
    names[k] = NULL;
}

/* Checks that the interpolated values of each column stay in the allowed range of the column's parameter. */
static int check_ranges(const struct nb_external_table *t, const struct nb_force_kind *kind, const char *name)
{
    for (int c = 0; c < t->columns; c++) {
        const struct nb_parameter *p = &kind->parameters[t->place[c]];
        double range[2];
        nb_external_table_range(t, c, range);
        if (range[0] < p->least || range[1] > p->most || (p->above && range[0] == p->least))
            return nb_fail("force external:%s: %s: the interpolated %s falls to %g, which is not %s %g", kind->name,
                           name, p->name, range[0], p->above ? "above" : "from", p->least);
    }
    return 0;
}

/* Checks that each parameter has exactly one value: from the spec, from a column, or the default. */
static int check_columns(const struct nb_force_spec *spec, const struct nb_external_table *t, const char *name)
{
    unsigned columns = 0;
    for (int c = 0; c < t->columns; c++)
        columns |= 1u << t->place[c];
    for (int k = 0; spec->kind->parameters[k].name; k++) {
        const char *parameter = spec->kind->parameters[k].name;
        const bool column = columns >> k & 1;
        if (column && spec->given >> k & 1)
            return nb_fail("force external:%s: %s has a column %s, and the option has the same parameter (remove one)",
                           spec->kind->name, name, parameter);
        if (!column && isnan(spec->value[k]))
            return nb_fail("force external:%s: %s has no column %s, and the option has no such parameter either",
                           spec->kind->name, name, parameter);
    }
    return 0;
}

/* Reads file number `file` (FILE_CENTRE or FILE_TABLE) of a spec, if the spec names this file. Fails if the spec has a
 * checksum that differs from the file's checksum. */
static int read_file(const struct nb_force_spec *spec, int file, const struct nb_meta *meta,
                     struct nb_external_table *t)
{
    const char *names[NB_PARAMETERS_MAX + 1];
    char name[NB_FORCE_FILE_BYTES];
    uint64_t hash;
    *t = (struct nb_external_table){0};
    if (!*spec->file[file - 1])
        return 0;
    const bool checked = split_name(spec->file[file - 1], name, &hash);
    if (strlen(name) > NAME_LENGTH)
        return nb_fail("force external:%s: the name of a file can have at most %d characters", spec->kind->name,
                       NAME_LENGTH);
    list_names(spec->kind, names);
    if (nb_external_table_read(t, name, names, file == FILE_CENTRE, meta))
        return nb_fail("force external:%s: %s", spec->kind->name, nb_error());
    if (checked && hash != t->hash)
        return nb_fail("force external:%s: %s has changed since the bodies were advanced with it", spec->kind->name,
                       name);
    return file == FILE_TABLE && (check_columns(spec, t, name) || check_ranges(t, spec->kind, name)) ? -1 : 0;
}

static int read_files(const struct nb_force_spec *spec, const struct nb_meta *meta, struct work *w)
{
    const int status = read_file(spec, FILE_CENTRE, meta, &w->centre) || read_file(spec, FILE_TABLE, meta, &w->table);
    if (status)
        errno = EDOM;
    return status ? -1 : 0;
}

static void free_files(struct work *w)
{
    nb_external_table_free(&w->centre);
    nb_external_table_free(&w->table);
}

/* Returns true if the spec already has the checksum of file number `file`, or does not name this file. */
static bool is_noted(const struct nb_force_spec *spec, int file)
{
    char name[NB_FORCE_FILE_BYTES];
    uint64_t hash;
    return !*spec->file[file - 1] || split_name(spec->file[file - 1], name, &hash);
}

static void note(struct nb_force_spec *spec, int file, const struct nb_external_table *t)
{
    char name[NB_FORCE_FILE_BYTES];
    uint64_t hash;
    if (t->rows == 0)
        return;
    split_name(spec->file[file - 1], name, &hash);
    snprintf(spec->file[file - 1], sizeof spec->file[0], "%.*s@%016" PRIx64, NAME_LENGTH, name, t->hash);
}

int nb_external_note_files(struct nb_force_spec *spec, const struct nb_meta *meta)
{
    struct work w = {.moves = false};
    if (is_noted(spec, FILE_CENTRE) && is_noted(spec, FILE_TABLE))
        return 0;
    const int status = read_files(spec, meta, &w);
    if (status == 0) {
        note(spec, FILE_CENTRE, &w.centre);
        note(spec, FILE_TABLE, &w.table);
    }
    free_files(&w);
    return status;
}

static int check_cover(const struct work *w, const struct nb_external_table *t, int file, double begin, double end)
{
    char name[NB_FORCE_FILE_BYTES];
    uint64_t hash;
    if (t->rows == 0)
        return 0;
    const double first = t->time[0], last = t->time[t->rows - 1], slack = 1e-9 * (last - first);
    if (fmin(begin, end) >= first - slack && fmax(begin, end) <= last + slack)
        return 0;
    split_name(w->spec.file[file - 1], name, &hash);
    nb_fail("force external:%s: %s covers times from %.9g to %.9g, not %.9g", w->spec.kind->name, name, first, last,
            fmin(begin, end) < first - slack ? fmin(begin, end) : fmax(begin, end));
    errno = EDOM;
    return -1;
}

int nb_external_covers(const void *work, double begin, double end)
{
    const struct work *w = work;
    return check_cover(w, &w->centre, FILE_CENTRE, begin, end) || check_cover(w, &w->table, FILE_TABLE, begin, end) ? -1
                                                                                                                    : 0;
}

double nb_external_grain(const void *work, double begin, double end)
{
    const struct work *w = work;
    return fmin(nb_external_table_grain(&w->centre, begin, end), nb_external_table_grain(&w->table, begin, end));
}

void *nb_external_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    struct work *w = nb_memory_new(sizeof *w);
    (void)device;
    if (!w)
        return NULL;
    w->spec = *spec;
    w->meta = (struct nb_meta){.G = meta->G, .units = meta->units};
    if (nb_external_make(spec, meta, 0, &w->field) || read_files(spec, meta, w)) {
        nb_external_close(device, w);
        return NULL;
    }
    w->moves = w->centre.rows > 0 || w->table.rows > 0 || nb_external_value(spec, "omega") != 0;
    return w;
}

void nb_external_close(struct nb_device *device, void *work)
{
    (void)device;
    free_files(work);
    free(work);
}

/* Estimates the squared angular frequency of orbits in the field of one term, at offset d from its centre. In a
 * spherical field, this is the frequency of a circular orbit. In a flat field, it is the frequency of motion along the
 * short axis, which is higher. For drag, returns the square of the drag rate. */
static double frequency2(const struct nb_external_term *p, const double *d)
{
    const double x2 = d[0] * d[0], y2 = d[1] * d[1], z2 = d[2] * d[2], r2 = x2 + y2 + z2, s = sqrt(r2 + p->a * p->a);
    const double r = fmax(sqrt(r2), 0.01 * p->a), u = r / p->a, height = sqrt(z2 + p->b * p->b), reach = p->a + height;
    const double far = sqrt(x2 + y2 + reach * reach), p2 = p->p * p->p, q2 = p->q * p->q;
    const double bar_height = sqrt(z2 + p->c * p->c), bar_reach = p->b + bar_height;
    const double beside2 = y2 + bar_reach * bar_reach + pow(fmax(fabs(d[0]) - p->a, 0), 2);
    switch (p->shape) {
    case NB_EXTERNAL_PLUMMER: return p->strength / (s * s * s);
    case NB_EXTERNAL_HERNQUIST: return p->strength / (r * (r + p->a) * (r + p->a));
    case NB_EXTERNAL_NFW: return p->strength * (log1p(u) - u / (1 + u)) / (r * r * r);
    case NB_EXTERNAL_LOGARITHMIC: return p->strength / (p->a * p->a + x2 + y2 / p2 + z2 / q2) / fmin(1, fmin(p2, q2));
    case NB_EXTERNAL_MIYAMOTO_NAGAI: return p->strength / (far * far * far) * (reach / height);
    case NB_EXTERNAL_BAR: return p->strength / (beside2 * sqrt(beside2 + p->a * p->a)) * (bar_reach / bar_height);
    case NB_EXTERNAL_DRAG: return p->strength * p->strength;
    default: return 0;
    }
}

/* Returns the maximum frequency of orbits at the points 0, stride, 2 stride, ... of the n points x[]. */
static double field_frequency(const struct nb_external *field, uint64_t n, uint64_t stride, const double *x)
{
    double most = 0;
    for (uint64_t i = 0; i < n; i += stride) {
        double sum = 0;
        for (int k = 0; k < field->terms; k++) {
            const struct nb_external_term *p = &field->term[k];
            const double u[3] = {x[3 * i] - p->centre[0], x[3 * i + 1] - p->centre[1], x[3 * i + 2] - p->centre[2]};
            const double d[3] = {p->turn[0] * u[0] + p->turn[1] * u[1], p->turn[0] * u[1] - p->turn[1] * u[0], u[2]};
            const double here = frequency2(p, d);
            /* At the position of a point mass without softening, the frequency is infinite, so the term is skipped. The
             * acceleration is not finite there either, which is reported as an error. */
            sum += isfinite(here) ? here : 0;
        }
        most = fmax(most, sqrt(sum));
    }
    return most;
}

/* Returns the largest angular speed of the field: |omega| or, if the table has a column `angle`, the maximum of |omega|
 * and |omega + d(angle)/dt|. */
static double turn_speed(const struct work *w)
{
    const struct nb_external_table *t = &w->table;
    const double omega = nb_external_value(&w->spec, "omega"), degree = acos(-1.0) / 180;
    double most = fabs(omega);
    for (int c = 0; c < t->columns; c++)
        for (size_t k = 0; k < t->rows && strcmp(w->spec.kind->parameters[t->place[c]].name, "angle") == 0; k++)
            most = fmax(most, fabs(omega + degree * t->slope[(size_t)c * t->rows + k]));
    return most;
}

/* the frequency is computed at TIMES + 1 equidistant times between the first and last row of a table */
#define TIMES  64
#define PLACES 64 /* at each of these times, the frequency is computed for about this number of bodies */

double nb_external_frequency(const void *work, uint64_t n, const double *x, double time)
{
    const struct work *w = work;
    const struct nb_external_table *t = &w->table;
    const struct nb_external now = nb_external_at(w, time);
    double most = fmax(turn_speed(w), field_frequency(&now, n, 1, x));
    for (int k = 0; k <= TIMES && t->rows > 0; k++) {
        const double first = t->time[0], last = t->time[t->rows - 1];
        struct nb_external then = nb_external_at(w, first + (last - first) * k / TIMES);
        /* x contains the positions of the bodies at the time `time`. The bodies follow the centre of the field.
         * Therefore their offsets from the centre are computed with the centre at the time `time`, not at the time of
         * `then`. */
        for (int j = 0; j < then.terms; j++)
            memcpy(then.term[j].centre, now.term[j].centre, sizeof now.term[j].centre);
        most = fmax(most, field_frequency(&then, n, 1 + n / PLACES, x));
    }
    return most;
}

const char *nb_external_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & (NB_WANT_JERK | NB_WANT_SNAP) ? "an external field has no jerk" : NULL;
}
