/* gadget_look.c - first pass over the files of a snapshot: counts the bodies of each type, and finds the columns of the
 * frame. */

#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "nbconv/gadget/gadget.h"

#include "common/tool_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void gadget_leave_out(struct gadget_snapshot *s, const char *table)
{
    const size_t used = strlen(s->left_out), length = strlen(table);
    const char *at = strstr(s->left_out, table);
    if (at && (at[length] == ' ' || !at[length]) && at[-1] == ' ')
        return;
    if (used + length + 8 < sizeof s->left_out)
        sprintf(s->left_out + used, " %s", table);
    else if (!strstr(s->left_out, " ..."))
        strcat(s->left_out, " ...");
}

static bool is_column_name(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static bool is_product(const char *unit)
{
    double powers[3];
    return *unit && nb_unit_powers(unit, powers);
}

/* Sets `unit` to the unit of a table, which is in attributes of GADGET-4, AREPO or SWIFT. Sets it to "-" if the table
 * has no such attributes. */
static void describe_unit(struct hdf *h, const char *path, char unit[NB_NAME_MAX])
{
    static const char *const gadget[] = {"mass_scaling", "length_scaling", "velocity_scaling"};
    static const char *const swift[] = {"U_M exponent", "U_L exponent", "U_t exponent"};
    double powers[3] = {0};
    int found = 0;
    for (int k = 0; k < 3; k++)
        found += hdf_get_f64(h, path, gadget[k], &powers[k], 1);
    if (found == 3) { /* GADGET: powers of mass, length and velocity. Velocity is length / time */
        powers[1] += powers[2];
        powers[2] = -powers[2];
    } else
        for (int k = 0; k < 3; k++)
            hdf_get_f64(h, path, swift[k], &powers[k], 1);
    conv_unit_name(powers, unit);
}

/* Finds the column into which a table is read. The name of the column is in the table's attribute Column. If nbconv
 * did not write the table, there is no such attribute, and the column follows from the table's name. */
static bool identify(struct hdf *h, const char *path, const char *table, struct gadget_field *f)
{
    char unit[NB_NAME_MAX];
    const bool ours = hdf_get_text(h, path, "Column", f->column, sizeof f->column) && is_column_name(f->column);
    if (!ours && !gadget_column_name(table, f->column))
        return false;
    const struct nb_known *known = nb_column_known(f->column);
    if (known)
        strcpy(f->unit, known->unit);
    else if (hdf_get_text(h, path, "Unit", unit, sizeof unit) && is_product(unit))
        strcpy(f->unit, unit);
    else
        describe_unit(h, path, f->unit);
    return !known || known->width == f->width;
}

bool gadget_find_table(const struct gadget_part *p, const char *table, struct gadget_field *f,
                       char path[GADGET_PATH_MAX], struct hdf_table *t)
{
    if (strlen(table) >= GADGET_NAME_MAX)
        return false;
    gadget_table_path(path, p->type, table);
    if (!hdf_look(p->h, path, t) || t->rows != p->rows)
        return false;
    *f = (struct gadget_field){.type = t->type == NB_F32 ? NB_F64 : t->type, .width = t->width};
    strcpy(f->table, table);
    return identify(p->h, path, table, f);
}

static struct gadget_field *find_field(struct gadget_snapshot *s, const char *column)
{
    for (int k = 0; k < s->field_count; k++)
        if (strcmp(s->fields[k].column, column) == 0)
            return &s->fields[k];
    return NULL;
}

/* Notes that the current part (the bodies of one type in one file) has the column f. `found` describes the part's table
 * for this column. Two tables are left out: a table whose width is not the width of the column, and a second table of
 * the part for the same column. If table and column have different types, the column gets the larger integer type, or
 * NB_F64 if one of the types is real. */
static void add_part(struct gadget_snapshot *s, struct gadget_field *f, const struct gadget_field *found)
{
    if (f->last_part == s->parts || f->width != found->width) {
        gadget_leave_out(s, found->table);
        return;
    }
    if (f->type != found->type)
        f->type = nb_type_is_real(f->type) || nb_type_is_real(found->type) ? NB_F64
                  : f->type > found->type                                  ? f->type
                                                                           : found->type;
    f->parts++;
    f->last_part = s->parts;
}

bool gadget_is_plain(const char *column)
{
    return tool_words_find("mass|pos|vel|id|component", column) >= 0;
}

/* Returns whether s->fields has space for another column. GADGET_PLAIN entries are reserved for columns for which
 * gadget_is_plain returns true. */
static bool has_room(const struct gadget_snapshot *s, const char *column)
{
    return gadget_is_plain(column) || s->field_count < GADGET_FIELDS_MAX - GADGET_PLAIN;
}

static void look_at_table(void *context, const char *table)
{
    const struct gadget_part *p = context;
    struct gadget_snapshot *s = p->s;
    struct gadget_field found;
    struct hdf_table t;
    char path[GADGET_PATH_MAX];
    if (!gadget_find_table(p, table, &found, path, &t)) {
        gadget_leave_out(s, table);
        return;
    }
    found.parts = 1;
    found.last_part = s->parts;
    struct gadget_field *same = find_field(s, found.column);
    if (same)
        add_part(s, same, &found);
    else if (has_room(s, found.column))
        s->fields[s->field_count++] = found;
    else
        gadget_leave_out(s, table);
}

/* If part p has no table of masses, all its bodies have the mass given in the header's MassTable. So the part is
 * counted as a part that has the column mass. Fails if MassTable has no mass for the type. */
static void add_implied(const struct gadget_part *p)
{
    struct gadget_snapshot *s = p->s;
    struct gadget_field *mass = find_field(s, "mass");
    if (!mass) {
        mass = &s->fields[s->field_count++];
        *mass = (struct gadget_field){.column = "mass", .table = "Masses", .unit = "M", .type = NB_F64, .width = 1};
    }
    if (mass->last_part == s->parts)
        return;
    if (!(p->head->mass_table[p->type] > 0))
        hdf_fail(p->h, "type %d has neither a table of masses nor one mass in MassTable", p->type);
    mass->parts++;
    mass->last_part = s->parts;
}

static void look_at_part(struct gadget_part *p)
{
    static const char *const needed[] = {"pos", "vel"};
    struct gadget_snapshot *s = p->s;
    char path[GADGET_PATH_MAX];
    s->parts++;
    gadget_table_path(path, p->type, "");
    hdf_list(p->h, path, look_at_table, p);
    add_implied(p);
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        const struct gadget_field *f = find_field(s, needed[k]);
        if (!f || f->last_part != s->parts)
            hdf_fail(p->h, "%s has no %s", path, k ? "Velocities" : "Coordinates");
    }
    s->count[p->type] += p->rows;
}

/* Sets p->rows to the number of bodies of type p->type in the file. */
static void find_part(struct gadget_part *p)
{
    struct hdf_table positions;
    char path[GADGET_PATH_MAX];
    const bool counted = p->type < p->head->types;
    const double count = counted ? p->head->count[p->type] : 0;
    p->rows = 0;
    gadget_table_path(path, p->type, "Coordinates");
    if (!hdf_has(p->h, path)) {
        if (count > 0)
            hdf_fail(p->h, "the header says %.0f bodies of type %d, but there is no table %s", count, p->type, path);
        return;
    }
    if (!hdf_look(p->h, path, &positions) || positions.width != 3)
        hdf_fail(p->h, "%s is not a table of vectors", path);
    else if (counted && count != (double)positions.rows)
        hdf_fail(p->h, "the header says %.0f bodies of type %d, but there are %" PRIu64 " in %s", count, p->type,
                 positions.rows, path);
    else
        p->rows = positions.rows;
}

/* ---- files ---- */

static struct hdf *open_file(char *path, struct gadget_header *head)
{
    struct hdf *h = path ? hdf_open(path) : NULL;
    if (h && gadget_header_read(h, head)) {
        hdf_close(h);
        return NULL;
    }
    return h;
}

int gadget_each_part(struct gadget_snapshot *s, void (*take)(struct gadget_part *p))
{
    for (int k = 0; k < s->head.files; k++) {
        struct gadget_header head;
        char *path = s->head.files > 1 ? gadget_file_name(s->first, k) : strdup(s->first);
        struct gadget_part p = {.s = s, .h = open_file(path, &head), .head = &head};
        if (!p.h)
            return -1;
        if (head.files != s->head.files || head.time != s->head.time)
            hdf_fail(p.h, "does not belong to the same snapshot as %s", s->first);
        for (p.type = 0; p.type < GADGET_TYPES && !p.h->failed; p.type++) {
            find_part(&p);
            if (p.rows > 0)
                take(&p);
        }
        if (hdf_close(p.h))
            return -1;
    }
    return 0;
}

struct hdf *gadget_open_first(const struct gadget_snapshot *s, struct gadget_header *head)
{
    return open_file(strdup(s->first), head);
}

int gadget_look_over(struct gadget_snapshot *s)
{
    struct hdf *h = gadget_open_first(s, &s->head);
    return h && hdf_close(h) == 0 ? gadget_each_part(s, look_at_part) : -1;
}
#endif
