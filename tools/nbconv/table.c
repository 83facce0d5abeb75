#include "table.h"

#include "base/error.h"
#include "gadget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BODIES 1024 /* room for a first frame */

/* ---- the columns ---- */

static noreturn void die_line(const struct table *t, const char *what)
{
    die("%s: line %" PRIu64 ": %s", t->in->name, t->in->number, what);
}

static int component_bits(const struct table *t, const char *column)
{
    int bits = 0;
    for (int k = 0; k < t->field_count; k++)
        if (t->fields[k].role == FIELD_COLUMN && strcmp(t->fields[k].column, column) == 0)
            bits |= t->fields[k].component < 0 ? 8 : 1 << t->fields[k].component;
    return bits;
}

/* One component of a vector that nobody knows is a scalar. */
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

static void check_once(const struct table *t, int k)
{
    const struct field *f = &t->fields[k];
    for (int j = 0; j < k; j++)
        if (t->fields[j].role == f->role && strcmp(t->fields[j].column, f->column) == 0 &&
            t->fields[j].component == f->component && f->role != FIELD_SKIP)
            die("%s: line %" PRIu64 ": a field of '%s' is there twice", t->in->name, t->in->number,
                f->role == FIELD_FRAME  ? "frame"
                : f->role == FIELD_TIME ? "time"
                                        : f->column);
}

/* What no header gives a type may be numbers of groups, or of other bodies: a double has not all their digits. */
static bool may_be_whole(const struct table *t, const struct field *f)
{
    return !nb_column_known(f->column) && !nb_bodies_find(&t->header, f->column) && f->component < 0 && !f->unit[0];
}

/* The header's types hold unless --store was given; else those that are usual. */
static void add_column(struct table *t, const struct field *f)
{
    const struct nb_known *known = nb_column_known(f->column);
    const struct nb_column *recorded = nb_bodies_find(&t->header, f->column);
    const int width = f->component < 0 ? 1 : 3;
    enum nb_type type = known ? nb_known_type(known, NB_F64) : may_be_whole(t, f) ? NB_U64 : NB_F64;
    if (recorded && !(t->import->options->store_given && recorded->type == NB_F32))
        type = recorded->type;
    if (nb_bodies_add(&t->bodies, f->column, type, width, recorded ? recorded->unit : known ? known->unit : "-"))
        die_line(t, nb_error());
}

/* The columns that take what positions and velocities round away: with --store quad, or where the header has them. */
static void add_low(struct table *t)
{
    static const char *const names[][2] = {{"pos", "pos_lo"}, {"vel", "vel_lo"}};
    for (int k = 0; k < 2; k++) {
        const bool quad = t->import->options->quad, there = nb_bodies_find(&t->bodies, names[k][1]);
        if (quad && there)
            die("%s: line %" PRIu64 ": '%s' comes from the digits with --store quad, not from fields", t->in->name,
                t->in->number, names[k][1]);
        if (!quad && (there || t->import->options->store_given || !nb_bodies_find(&t->header, names[k][1])))
            continue;
        if (nb_bodies_add_known(&t->bodies, names[k][1], NB_F64))
            die_line(t, nb_error());
    }
}

static int place(const struct table *t, const char *name)
{
    const struct nb_column *c = nb_bodies_find(&t->bodies, name);
    return c ? (int)(c - t->bodies.columns) : -1;
}

/* Units in brackets are converted to those of the stream, which must have sizes. */
static void set_factor(const struct table *t, struct field *f, const struct nb_column *c)
{
    double powers[3];
    struct nb_bodies b;
    f->factor = 1;
    if (!f->unit[0] || strcmp(f->unit, "-") == 0)
        return;
    nb_bodies_init(&b);
    conv_import_header(t->import, &t->header.meta, &b.meta);
    if (!(b.meta.units.length_cgs > 0 && b.meta.units.mass_cgs > 0 && b.meta.units.time_cgs > 0))
        die("%s: line %" PRIu64 ": a field has the unit '%s': numbers with units need --units galactic, solar or gauss",
            t->in->name, t->in->number, f->unit);
    if (gadget_unit_powers(c->unit, powers))
        f->factor = field_unit_factor(f->unit, powers, &b.meta.units);
    else
        f->factor = 0;
    nb_bodies_free(&b);
    if (f->factor == 0)
        die("%s: line %" PRIu64 ": the unit '%s' of '%s' is not understood; wanted one such as kpc, Msun or km/s",
            t->in->name, t->in->number, f->unit, f->column);
}

static void bind_field(struct table *t, struct field *f)
{
    char low[NB_NAME_MAX + 3];
    const struct nb_known *known = nb_column_known(f->column);
    f->at = place(t, f->column);
    f->type = t->bodies.columns[f->at].type;
    f->any = !known || known->kind == NB_DERIVED;
    f->guessed = may_be_whole(t, f);
    f->low_at = place(t, strcat(strcpy(low, f->column), "_lo"));
    if (f->low_at >= 0 && (f->component < 0 || component_bits(t, low) || !nb_column_known(low)))
        f->low_at = -1;
    set_factor(t, f, &t->bodies.columns[f->at]);
}

/* A number in the place of an id that the stream did not have, says its header. */
static void drop_number(struct table *t)
{
    for (int k = 0; k < t->field_count && t->has_header; k++)
        if (t->fields[k].role == FIELD_COLUMN && strcmp(t->fields[k].column, "id") == 0 &&
            !nb_bodies_find(&t->header, "id"))
            t->fields[k].role = FIELD_SKIP;
}

static void add_rest(struct table *t)
{
    if (nb_bodies_find(&t->bodies, "pos") && !nb_bodies_find(&t->bodies, "vel")) {
        if (t->frames == 0)
            warn("%s: line %" PRIu64 ": no field gives the velocities: all are 0 (--fields LIST names the fields)",
                 t->in->name, t->in->number);
        if (nb_bodies_add_known(&t->bodies, "vel", NB_F64))
            die_line(t, nb_error());
    }
}

static void check_required(struct table *t)
{
    add_rest(t);
    if (!nb_bodies_find(&t->bodies, "mass") && nb_bodies_find(&t->bodies, "pos") && nb_bodies_find(&t->bodies, "vel")) {
        if (t->frames == 0)
            say("%s: no field gives the masses: all bodies have the same, 1 together", t->in->name);
        if (nb_bodies_add_known(&t->bodies, "mass", NB_F64))
            die_line(t, nb_error());
    }
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->required && !nb_bodies_find(&t->bodies, k->name))
            die("%s: line %" PRIu64 ": no field gives '%s' (wanted: m x y z vx vy vz)", t->in->name, t->in->number,
                k->name);
}

void table_layout(struct table *t)
{
    nb_bodies_free(&t->bodies);
    t->capacity = 0;
    drop_number(t);
    keep_single(t);
    for (int k = 0; k < t->field_count; k++) {
        const struct field *f = &t->fields[k];
        check_once(t, k);
        if (f->role != FIELD_COLUMN)
            continue;
        if (component_bits(t, f->column) != (f->component >= 0 ? 7 : 8))
            die("%s: line %" PRIu64 ": '%s' has not its three fields", t->in->name, t->in->number, f->column);
        if (!nb_bodies_find(&t->bodies, f->column))
            add_column(t, f);
    }
    check_required(t);
    add_low(t);
    if (nb_bodies_check_columns(&t->bodies))
        die_line(t, nb_error());
    for (int k = 0; k < t->field_count; k++)
        if (t->fields[k].role == FIELD_COLUMN)
            bind_field(t, &t->fields[k]);
}

/* ---- frames ---- */

static void make_room(struct table *t)
{
    struct nb_bodies more;
    if (t->n < t->capacity)
        return;
    nb_bodies_init(&more);
    if (nb_bodies_copy_layout(&more, &t->bodies))
        die("%s", nb_error());
    more.n = t->capacity = t->capacity > 0 ? 2 * t->capacity : FIRST_BODIES;
    if (nb_bodies_alloc(&more))
        die("%s: %s", t->in->name, nb_error());
    for (int k = 0; k < more.column_count && t->n > 0; k++) {
        memcpy(more.columns[k].data, t->bodies.columns[k].data, nb_column_bytes(&more.columns[k], t->n));
        free(t->bodies.columns[k].data);
        t->bodies.columns[k].data = NULL;
    }
    nb_bodies_free(&t->bodies);
    t->bodies = more;
}

static bool has_field(const struct table *t, const char *column)
{
    return component_bits(t, column) != 0;
}

/* Whether it is a column of velocities that no field gave. */
static bool is_at_rest(const struct table *t, const char *column)
{
    return strncmp(column, "vel", 3) == 0 && (!column[3] || strcmp(column, "vel_lo") == 0) && !has_field(t, "vel") &&
           !has_field(t, column);
}

/* What is behind the bodies is the columns' padding; masses that nobody gave are equal, velocities 0. */
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
        if (strcmp(c->name, "mass") == 0 && !has_field(t, "mass"))
            for (uint64_t i = 0; i < b->n; i++)
                ((double *)c->data)[i] = 1 / (double)b->n;
    }
}

static void next_frame(struct table *t)
{
    t->n = t->capacity = 0;
    t->frames++;
    t->time_known = t->frame_known = false;
    nb_bodies_free_data(&t->bodies);
    table_layout(t);
}

/* A text that is cut at the end of a line shows it in nothing else. */
static void check_count(const struct table *t)
{
    if (t->has_header && t->header.n > 0 && t->header.n != t->n)
        die("%s: line %" PRIu64 ": %" PRIu64 " bodies, and its header says %" PRIu64
            ": it is cut, or of other bodies by now (then the line '# n %" PRIu64 "' has to go)",
            t->in->name, t->in->number, t->n, t->header.n, t->header.n);
}

void table_end_frame(struct table *t)
{
    if (t->n == 0)
        return;
    check_count(t);
    trim(t);
    conv_import_header(t->import, &t->header.meta, &t->bodies.meta);
    if (t->import->options->time_given && t->frames > 0)
        die_usage("--time goes with one frame; %s has several", t->in->name);
    if (t->time_known && !t->import->options->time_given)
        t->bodies.meta.time = t->time;
    conv_import_frame(t->import, &t->bodies, t->in->name);
    next_frame(t);
}

void table_free(struct table *t)
{
    nb_bodies_free(&t->header);
    nb_bodies_free(&t->bodies);
}

/* Whether a field's number leaves the frame's; it may go in one direction alone. */
static bool leaves(struct table *t, double before, double now)
{
    const int direction = (now > before) - (now < before);
    if (direction && t->direction && direction != t->direction)
        die("%s: line %" PRIu64 ": the lines of a frame are not together: they are to be sorted by frame or time",
            t->in->name, t->in->number);
    t->direction = direction ? direction : t->direction;
    return direction;
}

/* Fields that say which frame the body is of, or when. */
static void take_frame(struct table *t, char *const *words)
{
    double number = 0, time = 0;
    bool numbered = false, timed = false, another = false;
    for (int k = 0; k < t->field_count; k++)
        if (t->fields[k].role == FIELD_FRAME)
            number = table_take_real(t, k, words[k]), numbered = true;
        else if (t->fields[k].role == FIELD_TIME)
            time = table_take_real(t, k, words[k]), timed = true;
    if (!numbered && !timed)
        return;
    if (t->n > 0)
        another = numbered ? leaves(t, t->frame_number, number) : leaves(t, t->time, time);
    if (another)
        table_end_frame(t);
    if (t->n > 0 && timed && time != t->time)
        die_line(t, "the bodies of a frame have different times");
    t->frame_number = number;
    if (timed) {
        t->time = time;
        t->time_known = true;
    }
}

void table_take(struct table *t, char *const *words)
{
    take_frame(t, words);
    make_room(t);
    for (int k = 0; k < t->field_count; k++)
        if (t->fields[k].role == FIELD_COLUMN)
            table_take_value(t, k, words[k]);
    t->n++;
}
