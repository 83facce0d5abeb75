/* gadget_from.c - reads HDF5 snapshots of GADGET and similar codes. A first pass over the files finds out which columns
 * exist for each type of particles in each file (gadget_look.c). A second pass reads the tables of the columns into the
 * frame, type by type. */

#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "nbconv/gadget/gadget.h"
#include "snap/snap_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the frame ---- */

static bool is_kept(const struct gadget_snapshot *s, const struct gadget_field *f)
{
    return f->parts == s->parts && (gadget_is_plain(f->column) || !s->head.cosmological);
}

static int count_plain(const struct gadget_snapshot *s, int k)
{
    int count = 0;
    for (; k < s->field_count; k++)
        count += gadget_is_plain(s->fields[k].column);
    return count;
}

static int add_columns(struct gadget_snapshot *s)
{
    int status = nb_bodies_add_known(&s->b, "component", NB_U8);
    for (int k = 0; k < s->field_count; k++) {
        const struct gadget_field *f = &s->fields[k];
        const struct nb_known *known = nb_column_known(f->column);
        if (strcmp(f->column, "component") == 0)
            continue;
        const bool room = gadget_is_plain(f->column) || s->b.column_count + count_plain(s, k) < NB_COLUMNS_MAX;
        if (!is_kept(s, f) || !room)
            gadget_leave_out(s, f->table);
        else
            status = status ||
                     nb_bodies_add(&s->b, f->column, known ? nb_known_type(known, NB_F64) : f->type, f->width, f->unit);
    }
    return status ? nb_fail("%s: %s", s->first, nb_error()) : 0;
}

static int allocate(struct gadget_snapshot *s)
{
    for (int t = 0; t < GADGET_TYPES; t++) {
        s->next[t] = s->b.n;
        s->b.n += s->count[t];
    }
    if (s->b.n == 0)
        return nb_fail("%s: no bodies", s->first);
    return add_columns(s) ? -1 : conv_alloc(&s->b, s->first);
}

/* A part (the bodies of one type in one file) that is being read into the frame. at: index in the frame of the first
 * body of the part. */
struct filling {
    struct gadget_part *part;
    uint64_t at;
    bool filled[NB_COLUMNS_MAX];
};

/* Returns whether the data contain the fill value (NaN, or all bits 1). HDF5 returns this value for rows that it cannot
 * find in the file (hdf.h). */
static bool has_lost_rows(const struct nb_column *c, const void *data, size_t values)
{
    const size_t size = nb_type_size(c->type);
    for (size_t k = 0; k < values; k++) {
        uint64_t bits = UINT64_MAX;
        memcpy(&bits, (const char *)data + k * size, size);
        if (c->type == NB_F64 ? isnan(((const double *)data)[k]) : bits == UINT64_MAX)
            return true;
    }
    return false;
}

/* Verifies the checksum of a table that nbconv wrote. If the checksum is wrong and rows are missing, fails. If it is
 * wrong but no row is missing, another program may have changed values: prints a message and accepts the table. */
static void check_hash(const struct gadget_part *p, const char *path, const struct nb_column *c, const void *data)
{
    const size_t values = p->rows * (size_t)c->width;
    uint64_t hash;
    if (!hdf_get_u64(p->h, path, GADGET_HASH, &hash) || hash == nb_hash_bytes(data, values * nb_type_size(c->type)))
        return;
    if (has_lost_rows(c, data, values))
        hdf_fail(p->h, "%s has fewer rows than before: it is damaged", path);
    else
        say("%s: %s was changed after nbconv wrote it", p->h->name, path);
}

static void fill_table(void *context, const char *table)
{
    struct filling *f = context;
    const struct nb_bodies *b = &f->part->s->b;
    struct gadget_field found;
    struct hdf_table t;
    char path[GADGET_PATH_MAX];
    if (!gadget_find_table(f->part, table, &found, path, &t))
        return;
    const struct nb_column *c = nb_bodies_find(b, found.column);
    if (!c || c->width != t.width || f->filled[c - b->columns])
        return;
    char *data = (char *)c->data + f->at * (uint64_t)c->width * nb_type_size(c->type);
    hdf_read(f->part->h, path, &t, c->type, data);
    check_hash(f->part, path, c, data);
    f->filled[c - b->columns] = true;
}

static void fill_implied(const struct filling *f)
{
    const struct gadget_part *p = f->part;
    const struct nb_bodies *b = &p->s->b;
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *component = nb_bodies_find(b, "component");
    if (!f->filled[mass - b->columns])
        for (uint64_t i = f->at; i < f->at + p->rows; i++)
            ((double *)mass->data)[i] = p->head->mass_table[p->type];
    if (!f->filled[component - b->columns])
        memset((uint8_t *)component->data + f->at, (int)conv_component_of(p->s->types, p->type), p->rows);
}

static void fill_part(struct gadget_part *p)
{
    struct filling f = {.part = p, .at = p->s->next[p->type]};
    char group[GADGET_PATH_MAX];
    if (p->rows > p->s->count[p->type]) {
        hdf_fail(p->h, "changed during reading");
        return;
    }
    gadget_table_path(group, p->type, "");
    hdf_list(p->h, group, fill_table, &f);
    fill_implied(&f);
    p->s->next[p->type] += p->rows;
    p->s->count[p->type] -= p->rows; /* count[]: bodies that are still to be read */
}

/* ---- the header ---- */

static void set_times(struct gadget_snapshot *s)
{
    struct nb_meta *meta = &s->b.meta;
    if (!s->head.cosmological)
        meta->time = s->head.time;
    if (tool_given("time"))
        meta->time = s->o->meta.time;
    if (!s->head.ours)
        return;
    meta->dt = s->head.dt;
    meta->origin = s->head.origin;
    meta->every = s->head.every;
    meta->step = (uint64_t)fmin(s->head.step, 9e15);
    if (meta->softening == 0)
        meta->softening = s->head.softening;
}

/* Reads the data that nbconv stored in group Provenance: the history, header lines and forces. Header lines and forces
 * contain numbers in the units of the stream from which the file was made. They are not read if the units of the file
 * differ from the units of that stream. */
static int set_provenance(struct gadget_snapshot *s)
{
    struct gadget_header head;
    struct nb_meta *meta = &s->b.meta;
    if (!s->head.ours)
        return 0;
    struct hdf *h = gadget_open_first(s, &head);
    if (!h)
        return -1;
    hdf_get_lines(h, "/Provenance/History", nb_meta_add_history, meta);
    if (s->head.same_units) {
        hdf_get_lines(h, "/Provenance/HeaderLines", nb_meta_add_extra, meta);
        hdf_get_lines(h, "/Provenance/Forces", nb_meta_add_force, meta);
    }
    return hdf_close(h);
}

static void say_what_is_lost(const struct gadget_snapshot *s)
{
    const bool full = s->b.column_count == NB_COLUMNS_MAX;
    if (*s->left_out)
        say("%s: left out%s%s:%s", s->first,
            s->head.cosmological ? ", because they are comoving"
                                 : ", because not all types have them or they are not columns",
            full ? ", of which a frame has 64 at most" : "", s->left_out);
    if (s->head.box > 0 && !s->head.ours)
        say("%s: its periodic box of width %g is left out: gravity is not periodic in nbtools", s->first, s->head.box);
}

static int finish(struct gadget_snapshot *s, struct conv_import *import)
{
    if (nb_meta_copy(&s->b.meta, &s->o->meta) || gadget_set_units(s->o, s->first, &s->head, &s->b.meta))
        return -1;
    set_times(s);
    if (set_provenance(s))
        return -1;
    gadget_scale(&s->b, "pos", 1, s->head.shift);
    if (s->head.cosmological && gadget_make_physical(s->first, &s->head, &s->b))
        return -1;
    if (tool_given("time"))
        s->b.meta.time = s->o->meta.time;
    say_what_is_lost(s);
    return conv_import_frame(import, &s->b, s->first);
}

int gadget_from(struct conv_import *import, const char *path)
{
    struct gadget_snapshot *s = calloc(1, sizeof *s);
    const bool from_stdin = !path || strcmp(path, "-") == 0;
    if (!s)
        return nb_fail("no memory");
    nb_bodies_init(&s->b);
    s->o = import->options;
    s->first = gadget_find_file(from_stdin ? "/dev/stdin" : path);
    const int status = !s->first || hdf_begin() || conv_type_map(s->o, s->types) || gadget_look_over(s) ||
                       allocate(s) || gadget_each_part(s, fill_part) || finish(s, import);
    nb_bodies_free(&s->b);
    free(s->first);
    free(s);
    return -status;
}
#endif
