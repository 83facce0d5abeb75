/* Looking over the files of a snapshot: which types have how many bodies, and which columns the frame will have. */
#include "common/tool.h"
#include "gadget_read.h"
#include "snap/snap_foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

static bool is_unit(const char *unit)
{
    double powers[3];
    return *unit && gadget_unit_powers(unit, powers);
}

/* As GADGET-4 and AREPO, or SWIFT, describe it; "-" where nothing does. */
static void describe_unit(struct hdf *h, const char *path, char unit[NB_NAME_MAX])
{
    static const char *const gadget[] = {"mass_scaling", "length_scaling", "velocity_scaling"};
    static const char *const swift[] = {"U_M exponent", "U_L exponent", "U_t exponent"};
    double powers[3] = {0};
    int found = 0;
    for (int k = 0; k < 3; k++)
        found += hdf_get_f64(h, path, gadget[k], &powers[k], 1);
    if (found == 3) { /* of a velocity */
        powers[1] += powers[2];
        powers[2] = -powers[2];
    } else
        for (int k = 0; k < 3; k++)
            hdf_get_f64(h, path, swift[k], &powers[k], 1);
    gadget_unit_name(powers, unit);
}

bool gadget_identify(struct hdf *h, const char *path, const char *table, struct gadget_field *f)
{
    char unit[NB_NAME_MAX];
    const bool ours = hdf_get_text(h, path, "Column", f->column, sizeof f->column) && is_column_name(f->column);
    if (!ours && !gadget_column_name(table, f->column))
        return false;
    const struct nb_known *known = nb_column_known(f->column);
    if (known)
        strcpy(f->unit, known->unit);
    else if (hdf_get_text(h, path, "Unit", unit, sizeof unit) && is_unit(unit))
        strcpy(f->unit, unit);
    else
        describe_unit(h, path, f->unit);
    return !known || known->width == f->width;
}

static struct gadget_field *find_field(struct gadget_snapshot *s, const char *column)
{
    for (int k = 0; k < s->field_count; k++)
        if (strcmp(s->fields[k].column, column) == 0)
            return &s->fields[k];
    return NULL;
}

/* One that differs between types takes the larger form. */
static void add_part(struct gadget_snapshot *s, struct gadget_field *f, const struct gadget_field *found)
{
    if (f->last_part == s->parts || f->width != found->width) {
        gadget_leave_out(s, found->table);
        return;
    }
    if (f->type != found->type)
        f->type = f->type == NB_F64 || f->type == NB_F32 || found->type == NB_F64 || found->type == NB_F32 ? NB_F64
                  : f->type > found->type                                                                  ? f->type
                                          : found->type;
    f->parts++;
    f->last_part = s->parts;
}

bool gadget_is_plain(const char *column)
{
    static const char *const plain[] = {"mass", "pos", "vel", "id", "component"};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (strcmp(column, plain[k]) == 0)
            return true;
    return false;
}

/* Whatever else there is, there is room for what a frame needs. */
static bool has_room(const struct gadget_snapshot *s, const char *column)
{
    return gadget_is_plain(column) || s->field_count < GADGET_FIELDS_MAX - GADGET_PLAIN;
}

struct look { /* over one type in one file */
    struct gadget_snapshot *s;
    struct hdf *h;
    int type;
    uint64_t rows;
};

void gadget_table_path(char *path, size_t size, int type, const char *table)
{
    snprintf(path, size, "/PartType%d%s%s", type, *table ? "/" : "", table);
}

static void look_at_table(void *context, const char *table)
{
    struct look *l = context;
    struct gadget_snapshot *s = l->s;
    struct gadget_field found = {.parts = 1, .last_part = s->parts};
    struct hdf_table t;
    char path[GADGET_NAME_MAX + 16];
    if (strlen(table) >= GADGET_NAME_MAX)
        return;
    strcpy(found.table, table);
    gadget_table_path(path, sizeof path, l->type, table);
    if (!hdf_look(l->h, path, &t) || t.rows != l->rows) {
        gadget_leave_out(s, table);
        return;
    }
    found.type = t.type == NB_F32 ? NB_F64 : t.type;
    found.width = t.width;
    if (!gadget_identify(l->h, path, table, &found)) {
        gadget_leave_out(s, table);
        return;
    }
    struct gadget_field *same = find_field(s, found.column);
    if (same)
        add_part(s, same, &found);
    else if (has_room(s, found.column))
        s->fields[s->field_count++] = found;
    else
        gadget_leave_out(s, table);
}

/* A mass for all of the type stands in for a table of masses. */
static void add_implied(struct gadget_snapshot *s, const struct gadget_header *head, int type)
{
    struct gadget_field *mass = find_field(s, "mass");
    if (!mass) {
        mass = &s->fields[s->field_count++];
        *mass = (struct gadget_field){.column = "mass", .table = "Masses", .unit = "M", .type = NB_F64, .width = 1};
    }
    if (mass->last_part != s->parts && !(head->mass_table[type] > 0))
        die("%s: type %d has neither a table of masses nor one mass in MassTable", s->name, type);
    if (mass->last_part != s->parts)
        mass->parts++;
    mass->last_part = s->parts;
}

static void look_at_type(struct gadget_snapshot *s, struct hdf *h, const struct gadget_header *head, int type)
{
    static const char *const needed[] = {"pos", "vel"};
    struct look look = {s, h, type, 0};
    struct hdf_table positions;
    char path[32];
    gadget_table_path(path, sizeof path, type, "Coordinates");
    const bool counted = type < head->types && head->count[type] > 0;
    if (!hdf_has(h, path)) {
        if (counted)
            die("%s: has %.0f bodies of type %d by its header, but no table %s", s->name, head->count[type], type,
                path);
        return;
    }
    if (!hdf_look(h, path, &positions) || positions.width != 3)
        die("%s: %s is not a table of vectors", s->name, path);
    look.rows = positions.rows;
    if (type < head->types && head->count[type] != (double)look.rows)
        die("%s: has %.0f bodies of type %d by its header, %" PRIu64 " in %s", s->name, head->count[type], type,
            look.rows, path);
    if (look.rows == 0)
        return;
    s->parts++;
    gadget_table_path(path, sizeof path, type, "");
    hdf_list(h, path, look_at_table, &look);
    add_implied(s, head, type);
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        const struct gadget_field *f = find_field(s, needed[k]);
        if (!f || f->last_part != s->parts)
            die("%s: %s has no %s", s->name, path, k ? "Velocities" : "Coordinates");
    }
    s->count[type] += look.rows;
}

static noreturn void die_no_hdf(const char *path, const char *name)
{
    char begin[64] = "";
    FILE *file = fopen(path, "rb");
    const size_t have = file ? fread(begin, 1, sizeof begin, file) : 0;
    const struct nb_foreign *f = nb_foreign_find(begin, have);
    if (file)
        fclose(file);
    if (f && !f->from)
        die("%s: not an HDF5 file but %s, which nbconv does not read", name, f->what);
    die("%s: not an HDF5 file", name);
}

struct hdf *gadget_open_file(struct gadget_snapshot *s, int k, struct gadget_header *head, char **path)
{
    *path = s->head.files > 1 ? gadget_file_name(s->first, k) : strdup(s->first);
    if (!*path)
        die("no memory");
    if (s->head.files > 1)
        free(gadget_find_file(*path));
    s->name = strcmp(*path, "/dev/stdin") == 0 ? "stdin" : *path;
    if (!hdf_is(*path))
        die_no_hdf(*path, s->name);
    struct hdf *h = hdf_open(*path, s->name);
    gadget_header_read(h, s->name, head);
    return h;
}

void gadget_look_over(struct gadget_snapshot *s)
{
    for (int k = 0; k < s->head.files || k == 0; k++) {
        struct gadget_header head;
        char *path;
        struct hdf *h = gadget_open_file(s, k, &head, &path);
        if (k == 0 && head.files > 1 && s->head.files == 0) { /* all of them, from the first */
            s->head = head;
            hdf_close(h);
            free(path);
            k = -1;
            continue;
        }
        if (k == 0)
            s->head = head;
        if (head.files != s->head.files || head.time != s->head.time)
            die("%s: is not of the same snapshot as %s", s->name, s->first);
        for (int type = 0; type < GADGET_TYPES; type++)
            look_at_type(s, h, &head, type);
        hdf_close(h);
        free(path);
    }
}
