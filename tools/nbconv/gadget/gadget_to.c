/* gadget_to.c - writes GADGET's HDF5 snapshots, one type of bodies after the other. The bodies' values are collected
 * from the frame, converted, and written in pieces. */

#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "nbconv/gadget/gadget.h"
#include "scene/scene.h"
#include "snap/snap_hash.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TYPES CONV_TYPES

/* ---- types and units ---- */

static int type_of(const struct gadget_file *f, uint64_t i)
{
    return conv_type_of(f->types, f->component ? f->component[i] : NB_OTHER);
}

static void count_types(struct gadget_file *f)
{
    int seen[TYPES];
    for (int t = 0; t < TYPES; t++)
        seen[t] = -1;
    for (uint64_t i = 0; i < f->b->n; i++) {
        const int t = type_of(f, i), c = f->component ? f->component[i] : NB_OTHER;
        f->count[t]++;
        f->mixed[t] = f->mixed[t] || (seen[t] >= 0 && seen[t] != c);
        seen[t] = c;
    }
}

static void say_merged(const struct gadget_file *f)
{
    static bool said[TYPES];
    bool there[256] = {false};
    for (uint64_t i = 0; f->component && i < f->b->n; i++)
        there[f->component[i]] = true;
    for (int t = 0; t < TYPES; t++) {
        char list[256] = "";
        if (!f->mixed[t] || said[t])
            continue;
        for (unsigned c = 0; c < 256; c++) {
            const char *name = nb_component_name(c);
            if (there[c] && f->types[name ? c : NB_OTHER] == t && strlen(list) < sizeof list - 40)
                sprintf(list + strlen(list), "%s%s", *list ? ", " : "", name ? name : "unknown ones");
        }
        char dataset[GADGET_NAME_MAX];
        gadget_table_name("component", f->swift, dataset);
        say("%s all become type %d (--type-map changes this); dataset %s keeps the components", list, t, dataset);
        said[t] = true;
    }
}

/* Returns `ratio`, the ratio of two units. Returns exactly 1 if the ratio differs from 1 by rounding errors only,
 * because the cgs values of equal units can differ in their last digits. */
static double clean_ratio(double ratio)
{
    return fabs(ratio - 1) < 1e-14 ? 1 : ratio;
}

static int convert_units(struct gadget_file *f, const struct conv_options *o)
{
    if (conv_physical(o, &f->b->meta, &f->unit))
        return -1;
    f->time_cgs = f->swift ? SWIFT_TIME : GADGET_TIME;
    f->factor.mass = clean_ratio(f->unit.mass / GADGET_MASS);
    f->factor.length = clean_ratio(f->unit.length / GADGET_LENGTH);
    f->factor.time = clean_ratio(f->unit.time / f->time_cgs);
    return 0;
}

double gadget_factor_of(const struct gadget_file *f, const double powers[3])
{
    return clean_ratio(conv_power(&f->factor, powers));
}

/* Chooses the side of the box in SWIFT's file: a power of two that is more than twice the largest absolute value of a
 * coordinate. All coordinates are shifted by half this side, so that all bodies are in the box. Adding a power of two
 * causes only small rounding errors. */
static int choose_box(struct gadget_file *f)
{
    const struct nb_column *pos = nb_bodies_find(f->b, "pos");
    double most = 0;
    for (uint64_t i = 0; i < f->b->n; i++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(nb_column_get(pos, i, k)) * f->factor.length);
    f->box = most > 0 ? 4 * exp2(floor(log2(most))) : 1;
    f->shift = f->box / 2;
    if (!isfinite(f->box))
        return nb_fail("positions up to %g kpc do not fit into a box", most);
    return 0;
}

/* ---- columns ---- */

struct source {                     /* a column of the stream; written as one table for each type of bodies */
    const struct nb_column *column; /* NULL: the stream has no ids, and the index of each body is its id */
    const char *name, *unit;
    enum nb_type type; /* type of the table's values */
    int width;
    double factor, shift;
    double powers[3];
    struct nb_hash *hash; /* checksum of the table's values; real numbers are hashed as doubles */
};

static void convert_rows(struct hdf *h, const struct source *s, double *rows, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const double value = rows[k];
        rows[k] = value * s->factor + s->shift;
        if (isfinite(value) && !isfinite(rows[k]) && !h->failed) {
            nb_fail("%s %g is too large for double precision after conversion to the units of the output", s->name,
                    value);
            h->failed = true;
        }
    }
}

/* Copies the values of body i to `to`. Converts real numbers to double, but not integers. */
static void take_row(const struct source *s, uint64_t i, char *to)
{
    const size_t width = (size_t)s->width;
    if (!s->column)
        memcpy(to, &i, sizeof i);
    else if (nb_type_is_real(s->type))
        for (size_t k = 0; k < width; k++)
            ((double *)to)[k] = nb_column_get(s->column, i, (int)k);
    else
        memcpy(to, (const char *)s->column->data + i * width * nb_type_size(s->type), width * nb_type_size(s->type));
}

static void give_rows(const struct gadget_file *f, const struct source *s, uint64_t first, size_t count, void *rows)
{
    const size_t values = count * (size_t)s->width;
    if (nb_type_is_real(s->type))
        convert_rows(f->h, s, rows, values);
    nb_hash_update(s->hash, rows, values * (nb_type_is_real(s->type) ? sizeof(double) : nb_type_size(s->type)));
    hdf_table_rows(f->h, first, count, rows);
}

static void put_rows(const struct gadget_file *f, const struct source *s, int type, void *rows)
{
    const size_t stride = (size_t)s->width * (nb_type_is_real(s->type) ? sizeof(double) : nb_type_size(s->type));
    uint64_t first = 0;
    size_t count = 0;
    for (uint64_t i = 0; i < f->b->n; i++) {
        if (type_of(f, i) != type)
            continue;
        take_row(s, i, (char *)rows + count++ * stride);
        if (count == HDF_PIECE) {
            give_rows(f, s, first, count, rows);
            first += count;
            count = 0;
        }
    }
    if (count)
        give_rows(f, s, first, count, rows);
}

/* put_gadget_unit and put_swift_unit write the unit of a table in the form that readers of these files expect. GADGET's
 * files contain the size of the unit in cgs, and a text such as "[ U_V^2 ]", which pynbody reads. SWIFT's files contain
 * the powers of the base units. */
static void put_gadget_unit(const struct gadget_file *f, const char *path, const struct source *s, double cgs)
{
    const double speed = fmax(0, fmin(s->powers[1], -s->powers[2]));
    const double powers[] = {s->powers[0], s->powers[1] - speed, s->powers[2] + speed, speed};
    static const char *const words[] = {"U_M", "U_L", "U_T", "U_V"};
    char text[128] = "[";
    for (int k = 0; k < 4; k++)
        if (powers[k] != 0)
            sprintf(text + strlen(text), powers[k] == 1 ? " %s" : " %s^%g", words[k], powers[k]);
    strcat(text, " ]");
    hdf_put_text(f->h, path, "VarDescription", text);
    gadget_put_f64(f, path, "CGSConversionFactor", cgs);
    gadget_put_f64(f, path, "aexp-scale-exponent", 0);
    gadget_put_f64(f, path, "h-scale-exponent", 0);
}

static void put_swift_unit(const struct gadget_file *f, const char *path, const struct source *s, double cgs)
{
    gadget_put_f64(f, path, "U_M exponent", s->powers[0]);
    gadget_put_f64(f, path, "U_L exponent", s->powers[1]);
    gadget_put_f64(f, path, "U_t exponent", s->powers[2]);
    gadget_put_f64(f, path, "U_I exponent", 0);
    gadget_put_f64(f, path, "U_T exponent", 0);
    gadget_put_f64(f, path, "a-scale exponent", 0);
    gadget_put_f64(f, path, "h-scale exponent", 0);
    gadget_put_f64(f, path, "Conversion factor to CGS (not including cosmological corrections)", cgs);
    gadget_put_f64(f, path, "Conversion factor to physical CGS (including cosmological corrections)", cgs);
    hdf_put_text(f->h, path, "Description", s->name);
}

static void put_table(const struct gadget_file *f, struct source *s, int type, void *rows)
{
    char table[GADGET_NAME_MAX], path[GADGET_PATH_MAX];
    const struct conv_physical units = {GADGET_MASS, GADGET_LENGTH, f->time_cgs};
    gadget_table_name(s->name, f->swift, table);
    gadget_table_path(path, type, table);
    hdf_table_begin(f->h, path, s->type, f->count[type], s->width);
    s->hash = nb_hash_create();
    if (!s->hash) {
        hdf_fail(f->h, "no memory");
        return;
    }
    nb_hash_reset(s->hash);
    put_rows(f, s, type, rows);
    hdf_table_end(f->h);
    const uint64_t hash = nb_hash_digest(s->hash);
    nb_hash_destroy(s->hash);
    hdf_put(f->h, path, GADGET_HASH, NB_U64, &hash, 0);
    hdf_put_text(f->h, path, "Column", s->name);
    hdf_put_text(f->h, path, "Unit", s->unit);
    (f->swift ? put_swift_unit : put_gadget_unit)(f, path, s, conv_power(&units, s->powers));
}

/* Describes in *s how column c is written: its name, its type and the conversion of its unit. Returns false if c must
 * not be written: c is pos_lo or vel_lo (the rounding errors of pos and vel), and units are converted or positions are
 * shifted. */
static bool choose_source(const struct gadget_file *f, const struct nb_column *c, struct source *s)
{
    /* known columns have fixed units, which some streams omit */
    const struct nb_known *known = nb_column_known(c->name);
    *s = (struct source){.column = c, .name = c->name, .type = c->type, .width = c->width};
    s->unit = known ? known->unit : c->unit;
    s->factor = nb_unit_powers(s->unit, s->powers) ? gadget_factor_of(f, s->powers) : 1;
    if (strcmp(c->name, "pos") == 0) {
        s->type = NB_F64;
        s->shift = f->shift;
    }
    if (s->type == NB_F32 && s->factor != 1)
        s->type = NB_F64;
    const bool low = strcmp(c->name, "pos_lo") == 0 || strcmp(c->name, "vel_lo") == 0;
    return !low || (s->factor == 1 && f->shift == 0);
}

static void put_type(const struct gadget_file *f, int type, void *rows)
{
    char path[GADGET_PATH_MAX];
    struct source s;
    gadget_table_path(path, type, "");
    hdf_group(f->h, path);
    for (int k = 0; k < f->b->column_count; k++) {
        const struct nb_column *c = &f->b->columns[k];
        const bool needless = strcmp(c->name, "component") == 0 && !f->mixed[type];
        if (!needless && choose_source(f, c, &s))
            put_table(f, &s, type, rows);
    }
    if (!nb_bodies_find(f->b, "id")) {
        s = (struct source){.name = "id", .unit = "-", .type = NB_U64, .width = 1, .factor = 1};
        put_table(f, &s, type, rows);
    }
}

static void put_types(const struct gadget_file *f)
{
    void *rows = malloc((size_t)HDF_PIECE * 3 * sizeof(double));
    if (!rows)
        hdf_fail(f->h, "no memory");
    for (int t = 0; t < TYPES && rows; t++)
        if (f->count[t])
            put_type(f, t, rows);
    free(rows);
}

/* ---- a file ---- */

static int check_output(const struct gadget_file *f, struct tool_output *output)
{
    struct stat st;
    double size = 0;
    char what[64];
    if (fstat(tool_output_fd(output), &st) || !S_ISREG(st.st_mode))
        return nb_fail("%s: HDF5 needs a file, not a device or a pipe", tool_output_name(output));
    for (int k = 0; k < f->b->column_count; k++)
        size += (double)f->b->n * f->b->columns[k].width * 8;
    snprintf(what, sizeof what, "%" PRIu64 " bodies", f->b->n);
    tool_check_space(tool_output_fd(output), tool_output_name(output), size, what);
    return 0;
}

static int check_counts(const struct gadget_file *f)
{
    for (int t = 0; t < TYPES && !f->swift; t++)
        if (f->count[t] > INT32_MAX)
            return nb_fail(
                "%" PRIu64
                " bodies of type %d are more than a file of this format can contain, 2147483647 (use --to swift, or "
                "divide them with --type-map)",
                f->count[t], t);
    return 0;
}

/* If pos_lo or vel_lo (rounding errors of positions and velocities) are not written, prints a message once. */
static void say_rounded(const struct gadget_file *f)
{
    static bool said;
    struct source s;
    for (int k = 0; k < f->b->column_count && !said; k++)
        if (!choose_source(f, &f->b->columns[k], &s)) {
            say("quadruple precision is reduced to double, because units or positions are converted");
            said = true;
        }
}

static int write_file(struct gadget_file *f, struct tool_output *output)
{
    f->h = hdf_create(tool_output_part(output), tool_output_name(output));
    if (!f->h)
        return -1;
    gadget_put_header(f);
    put_types(f);
    gadget_put_provenance(f);
    return hdf_close(f->h);
}

int gadget_to(const struct conv_export *e, const struct nb_bodies *b)
{
    const struct nb_column *component = nb_bodies_find(b, "component");
    struct gadget_file f = {
        .b = b, .swift = e->options->to->dialect != NULL, .component = component ? component->data : NULL};
    if (hdf_begin() || conv_type_map(e->options, f.types) || convert_units(&f, e->options))
        return -1;
    count_types(&f);
    if (check_counts(&f) || check_output(&f, e->output))
        return -1;
    say_merged(&f);
    if (nb_scene_is_touching(&b->meta) && f.factor.length != 1)
        warn("the header's contact law and walls are written as text in the stream's units, and cannot be read back");
    if (f.swift && choose_box(&f))
        return -1;
    say_rounded(&f);
    return write_file(&f, e->output);
}
#endif
