/* table.c - makes frames from lines of values: chooses the columns of a frame, and adds a body for each line. */
#include "base/units.h"
#include "nbconv/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BODIES 1024 /* initial capacity of the first frame, in bodies */

/* ---- the columns ---- */

static int component_bits(const struct table *t, const char *column)
{
    int bits = 0;
    for (int k = 0; k < t->field_count; k++)
        if (t->fields[k].role == FIELD_COLUMN && strcmp(t->fields[k].column, column) == 0)
            bits |= t->fields[k].component < 0 ? 8 : 1 << t->fields[k].component;
    return bits;
}

/* If the fields give only one or two components of a vector, makes each of these components a scalar column, such as
 * NAME_x. Does not change vectors with a name that nbtools defines, such as pos. */
static void keep_single(struct table *t)
{
    for (int k = 0; k < t->field_count; k++) {
        struct field *f = &t->fields[k];
        const size_t length = strlen(f->column);
        if (f->role != FIELD_COLUMN || f->component < 0 || nb_column_known(f->column) ||
            component_bits(t, f->column) >= 7)
            continue;
        f->column[length] = '_';
        f->column[length + 1] = (char)('x' + f->component);
        f->component = -1;
    }
}

static int check_once(const struct table *t, int k)
{
    const struct field *f = &t->fields[k];
    for (int j = 0; j < k; j++)
        if (t->fields[j].role == f->role && strcmp(t->fields[j].column, f->column) == 0 &&
            t->fields[j].component == f->component && f->role != FIELD_SKIP)
            return lines_fail(t->in, "a field of '%s' appears twice", field_name(f));
    return 0;
}

/* Returns whether the column of a field may have the type u64: it is a scalar without unit, and neither its name nor
 * the header determines its type. (The type u64 is useful because a double could round large whole numbers, such as ids
 * of groups.) */
static bool may_be_whole(const struct table *t, const struct field *f)
{
    return !nb_column_known(f->column) && !nb_bodies_find(&t->header, f->column) && f->component < 0 && !f->unit[0];
}

static int add_known(struct table *t, const char *name)
{
    return nb_bodies_add_known(&t->bodies, name, NB_F64) ? lines_fail(t->in, "%s", nb_error()) : 0;
}

/* Adds the column of a field. The column gets the type that the header gives. There are two exceptions, in which it
 * gets its default type: the header does not list the column, or the header gives f32 and --store was given. */
static int add_column(struct table *t, const struct field *f)
{
    const struct nb_known *known = nb_column_known(f->column);
    const struct nb_column *recorded = nb_bodies_find(&t->header, f->column);
    const int width = f->component < 0 ? 1 : 3;
    enum nb_type type = known ? nb_known_type(known, NB_F64) : may_be_whole(t, f) ? NB_U64 : NB_F64;
    if (recorded && !(tool_given("store") && recorded->type == NB_F32))
        type = recorded->type;
    if (nb_bodies_add(&t->bodies, f->column, type, width, recorded ? recorded->unit : known ? known->unit : "-"))
        return lines_fail(t->in, "%s", nb_error());
    return 0;
}

/* With --store quad, adds the columns pos_lo and vel_lo, the rounding errors of pos and vel. Without --store, adds each
 * of these two columns that the header lists but no field gives. */
static int add_low(struct table *t)
{
    static const char *const names[] = {"pos_lo", "vel_lo"};
    for (int k = 0; k < 2; k++) {
        const bool quad = t->import->options->quad, there = nb_bodies_find(&t->bodies, names[k]);
        if (quad && there)
            return lines_fail(t->in, "'%s' comes from the digits with --store quad, not from fields", names[k]);
        if (!quad && (there || tool_given("store") || !nb_bodies_find(&t->header, names[k])))
            continue;
        if (add_known(t, names[k]))
            return -1;
    }
    return 0;
}

static int place(const struct table *t, const char *name)
{
    const struct nb_column *c = nb_bodies_find(&t->bodies, name);
    return c ? (int)(c - t->bodies.columns) : -1;
}

/* Sets f->factor. This factor converts the field's numbers from the unit in brackets after the field's name to the unit
 * of the column, `unit`. It is 1 if there are no brackets. With brackets, the stream's units must be known in cgs. */
static int set_factor(const struct table *t, struct field *f, const char *unit)
{
    double powers[3];
    const struct nb_units units = conv_units(t->import, &t->header.meta);
    f->factor = 1;
    if (!f->unit[0] || strcmp(f->unit, "-") == 0)
        return 0;
    if (!(units.length_cgs > 0 && units.mass_cgs > 0 && units.time_cgs > 0))
        return lines_fail(t->in, "a field has the unit '%s': numbers with units need --units galactic, solar or gauss",
                          f->unit);
    f->factor = nb_unit_powers(unit, powers) ? conv_unit_factor(f->unit, powers, &units) : 0;
    if (f->factor == 0)
        return lines_fail(t->in, "unknown unit '%s' of '%s'; expected a unit such as kpc, Msun or km/s", f->unit,
                          f->column);
    return 0;
}

static int bind_field(struct table *t, struct field *f)
{
    char low[NB_NAME_MAX + 3];
    const struct nb_known *known = nb_column_known(f->column);
    f->at = place(t, f->column);
    f->type = t->bodies.columns[f->at].type;
    f->any = !known || known->role == NB_DERIVED;
    f->guessed = may_be_whole(t, f);
    f->low_at = place(t, strcat(strcpy(low, f->column), "_lo"));
    if (f->low_at >= 0 && (f->component < 0 || component_bits(t, low) || !nb_column_known(low)))
        f->low_at = -1;
    return set_factor(t, f, t->bodies.columns[f->at].unit);
}

/* Skips the field id if the text has a header but the header does not list a column id. The field was then added by
 * nbconv and contains the index of the body. */
static void drop_number(struct table *t)
{
    for (int k = 0; k < t->field_count && t->has_header; k++)
        if (t->fields[k].role == FIELD_COLUMN && strcmp(t->fields[k].column, "id") == 0 &&
            !nb_bodies_find(&t->header, "id"))
            t->fields[k].role = FIELD_SKIP;
}

/* If there are positions but no velocities or no masses, adds the missing columns vel and mass. The function trim sets
 * their values later. */
static int add_rest(struct table *t)
{
    if (!nb_bodies_find(&t->bodies, "pos"))
        return 0;
    if (!nb_bodies_find(&t->bodies, "vel")) {
        if (t->frames == 0)
            warn("%s: line %" PRIu64 ": no field contains the velocities: all are 0 (--fields LIST names the fields)",
                 t->in->file.name, t->in->number);
        if (add_known(t, "vel"))
            return -1;
    }
    if (!nb_bodies_find(&t->bodies, "mass")) {
        if (t->frames == 0)
            say("%s: no field contains the masses: all bodies get 1/N", t->in->file.name);
        return add_known(t, "mass");
    }
    return 0;
}

static int check_required(const struct table *t)
{
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->required && !nb_bodies_find(&t->bodies, k->name))
            return lines_fail(t->in, "no field contains '%s' (expected m x y z vx vy vz)", k->name);
    return 0;
}

static int add_columns(struct table *t)
{
    for (int k = 0; k < t->field_count; k++) {
        const struct field *f = &t->fields[k];
        if (check_once(t, k))
            return -1;
        if (f->role != FIELD_COLUMN)
            continue;
        if (component_bits(t, f->column) != (f->component >= 0 ? 7 : 8))
            return lines_fail(t->in, "'%s' does not have three fields", f->column);
        if (!nb_bodies_find(&t->bodies, f->column) && add_column(t, f))
            return -1;
    }
    return 0;
}

int table_layout(struct table *t)
{
    nb_bodies_free(&t->bodies);
    t->capacity = 0;
    drop_number(t);
    keep_single(t);
    if (add_columns(t) || add_rest(t) || check_required(t) || add_low(t))
        return -1;
    if (nb_bodies_check_columns(&t->bodies))
        return lines_fail(t->in, "%s", nb_error());
    for (int k = 0; k < t->field_count; k++)
        if (t->fields[k].role == FIELD_COLUMN && bind_field(t, &t->fields[k]))
            return -1;
    return 0;
}

/* ---- frames ---- */

static int make_room(struct table *t)
{
    struct nb_bodies more;
    if (t->n < t->capacity)
        return 0;
    t->capacity = t->capacity > 0 ? 2 * t->capacity : FIRST_BODIES;
    nb_bodies_init(&more);
    int status = nb_bodies_copy_layout(&more, &t->bodies);
    more.n = t->capacity;
    if (status || nb_bodies_alloc(&more)) {
        nb_bodies_free(&more);
        return nb_fail("%s: %s", t->in->file.name, nb_error());
    }
    for (int k = 0; k < more.column_count && t->n > 0; k++) {
        memcpy(more.columns[k].data, t->bodies.columns[k].data, nb_column_bytes(&more.columns[k], t->n));
        free(t->bodies.columns[k].data);
        t->bodies.columns[k].data = NULL;
    }
    nb_bodies_free(&t->bodies);
    t->bodies = more;
    return 0;
}

/* Returns whether `column` is vel or vel_lo and no field gives velocities. All bodies are then at rest. */
static bool is_at_rest(const struct table *t, const char *column)
{
    return (strcmp(column, "vel") == 0 || strcmp(column, "vel_lo") == 0) && !component_bits(t, "vel") &&
           !component_bits(t, column);
}

/* Clears the padding after the bodies. If no field gives masses, sets all masses to 1 / n. If no field gives
 * velocities, sets all velocities to 0. */
static void trim(struct table *t)
{
    struct nb_bodies *b = &t->bodies;
    b->n = t->n;
    for (int k = 0; k < b->column_count; k++) {
        struct nb_column *c = &b->columns[k];
        const size_t used = nb_column_bytes(c, b->n);
        memset((char *)c->data + used, 0, nb_column_bytes_padded(c, b->n) - used);
        if (is_at_rest(t, c->name))
            memset(c->data, 0, used);
        if (strcmp(c->name, "mass") == 0 && !component_bits(t, "mass"))
            for (uint64_t i = 0; i < b->n; i++)
                ((double *)c->data)[i] = 1 / (double)b->n;
    }
}

static int next_frame(struct table *t)
{
    t->n = t->capacity = 0;
    t->frames++;
    t->time_known = false;
    nb_bodies_free_data(&t->bodies);
    return table_layout(t);
}

/* Compares the number of bodies with the header. This is the only way to detect a text that is truncated at the end of
 * a line. */
static int check_count(const struct table *t)
{
    if (t->has_header && t->header.n > 0 && t->header.n != t->n)
        return lines_fail(t->in,
                          "%" PRIu64 " bodies, but the header says %" PRIu64
                          ": the file is truncated, or was edited (then remove the line '# n %" PRIu64 "')",
                          t->n, t->header.n, t->header.n);
    return 0;
}

int table_end_frame(struct table *t)
{
    const bool time_given = tool_given("time");
    if (t->n == 0)
        return 0;
    if (check_count(t))
        return -1;
    trim(t);
    if (conv_import_header(t->import, &t->header.meta, &t->bodies.meta))
        return -1;
    if (time_given && t->frames > 0)
        return conv_misused(nb_fail("--time works for one frame only; %s has several", t->in->file.name));
    if (t->time_known && !time_given)
        t->bodies.meta.time = t->time;
    return conv_import_frame(t->import, &t->bodies, t->in->file.name) || next_frame(t) ? -1 : 0;
}

void table_free(struct table *t)
{
    nb_bodies_free(&t->header);
    nb_bodies_free(&t->bodies);
}

/* Returns 1 if a line belongs to another frame than the current one, otherwise 0. `before` is the number (or time) of
 * the current frame, `now` the number (or time) of the line. Returns -1 after nb_fail if the numbers increase in one
 * part of the text and decrease in another part. */
static int leaves(struct table *t, double before, double now)
{
    const int direction = (now > before) - (now < before);
    if (direction && t->direction && direction != t->direction)
        return lines_fail(t->in, "the lines of a frame are not adjacent: sort the file by frame or time");
    t->direction = direction ? direction : t->direction;
    return direction != 0;
}

/* Reads the field with role `role` into *value. Returns 1, or 0 if no field has the role, or -1 after nb_fail. */
static int find_value(const struct table *t, char *const *words, enum field_role role, double *value)
{
    *value = 0;
    for (int k = 0; k < t->field_count; k++)
        if (t->fields[k].role == role)
            return table_take_real(t, k, words[k], value) ? -1 : 1;
    return 0;
}

/* Reads the number and the time of the frame, if the line has these fields. If the number differs from the number of
 * the current frame, ends the current frame first. If the line has no number, compares the times instead. */
static int take_frame(struct table *t, char *const *words)
{
    double number, time;
    const int numbered = find_value(t, words, FIELD_FRAME, &number), timed = find_value(t, words, FIELD_TIME, &time);
    int another = 0;
    if (numbered < 0 || timed < 0)
        return -1;
    if (t->n > 0 && (numbered || timed))
        another = numbered ? leaves(t, t->frame_number, number) : leaves(t, t->time, time);
    if (another < 0 || (another && table_end_frame(t)))
        return -1;
    if (t->n > 0 && timed && time != t->time)
        return lines_fail(t->in, "the bodies of a frame have different times");
    if (numbered)
        t->frame_number = number;
    if (timed) {
        t->time = time;
        t->time_known = true;
    }
    return 0;
}

int table_take(struct table *t, char *const *words)
{
    if (take_frame(t, words) || make_room(t))
        return -1;
    for (int k = 0; k < t->field_count; k++)
        if (t->fields[k].role == FIELD_COLUMN && table_take_value(t, k, words[k]))
            return -1;
    t->n++;
    return 0;
}
