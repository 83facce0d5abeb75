/* columns.c - --columns: keeps or drops columns. */
#include "nbedit.h"

#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

/* Returns the name that begins at *at in a list, sets *length to its length, and moves *at to the next name. Returns
 * NULL at the end of the list. `drops`: each name has a minus before it. */
static const char *next_name(const char **at, bool drops, size_t *length)
{
    const char *name = *at + drops;
    if (!**at)
        return NULL;
    *length = strcspn(name, ",");
    *at = name + *length + (name[*length] == ',');
    return name;
}

static bool is_listed(const char *list, bool drops, const char *column)
{
    size_t length;
    for (const char *name; (name = next_name(&list, drops, &length));)
        if (strlen(column) == length && strncmp(name, column, length) == 0)
            return true;
    return false;
}

static int check_list(const char *list, bool drops, const struct nb_bodies *b)
{
    size_t length;
    for (const char *name; (name = next_name(&list, drops, &length));) {
        char known[NB_COLUMNS_MAX * (NB_NAME_MAX + 1)] = "", word[NB_NAME_MAX] = "";
        for (int k = 0; k < b->column_count; k++)
            strcat(strcat(known, " "), b->columns[k].name);
        strncat(word, name, length < sizeof word ? length : sizeof word - 1);
        if (length >= sizeof word || !nb_bodies_find(b, word))
            return nb_fail("unknown column '%s'; columns:%s", word, known);
    }
    return 0;
}

/* ---- columns that the header can replace ---- */

/* Returns the value that all n bodies have in the column. Returns NAN if bodies have different values, or if n is 0. */
static double one_value(const struct nb_column *c, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++)
        if (nb_column_get(c, i, 0) != nb_column_get(c, 0, 0))
            return NAN;
    return n > 0 ? nb_column_get(c, 0, 0) : NAN;
}

/* Called before the column of softening lengths is removed. If all bodies have the same softening length, copies it to
 * the header. If not, prints that the softening length in the header now applies to all bodies. */
static void leave_softening(struct edit_op *op, struct nb_bodies *b, const struct nb_column *c)
{
    const double one = one_value(c, b->n);
    if (one >= 0)
        b->meta.softening = one;
    else if (b->n > 0)
        edit_say(op, EDIT_SAID_OTHER,
                 "the column with different softening lengths is removed: the header's %g holds for all bodies",
                 b->meta.softening);
}

/* Fails if removing the column of radii would change any radius: without this column, all disks have the radius that
 * the header gives. */
static int leave_radius(const struct nb_bodies *b, const struct nb_column *c)
{
    struct nb_scene scene;
    if (!nb_scene_is_touching(&b->meta) || b->n == 0)
        return 0;
    if (nb_scene_read(&b->meta, &scene))
        return -1;
    const double radius = scene.radius;
    nb_scene_free(&scene);
    if (one_value(c, b->n) != radius)
        return nb_fail("without the column 'radius' all disks would have the radius %g", radius);
    return 0;
}

static int leave(struct edit_op *op, struct nb_bodies *b, const char *name)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    if (strcmp(name, "softening") == 0)
        leave_softening(op, b, c);
    if (strcmp(name, "radius") == 0 && leave_radius(b, c))
        return -1;
    nb_bodies_drop(b, name);
    return 0;
}

static bool is_required(const char *name)
{
    const struct nb_known *known = nb_column_known(name);
    return known && known->required;
}

static int apply_columns(struct edit_op *op, struct nb_bodies *b)
{
    const bool drops = *op->text == '-';
    if (check_list(op->text, drops, b))
        return -1;
    for (int k = b->column_count - 1; k >= 0; k--) {
        char name[NB_NAME_MAX];
        strcpy(name, b->columns[k].name);
        if (!is_required(name) && is_listed(op->text, drops, name) == drops && leave(op, b, name))
            return -1;
    }
    return 0;
}

void edit_take_columns(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    const bool drops = *text == '-';
    size_t length;
    for (const char *at = text, *name; *at;) {
        const bool has_minus = *at == '-';
        name = next_name(&at, has_minus, &length);
        if (has_minus != drops || length == 0 || *name == '-' || (name[length] && !*at))
            die_usage("--%s %s: expected NAME,NAME (columns to keep) or -NAME,-NAME (columns to remove)", o->name,
                      text);
    }
    if (drops && (is_listed(text, drops, "mass") || is_listed(text, drops, "pos") || is_listed(text, drops, "vel")))
        die_usage("--%s %s: a stream needs the columns mass, pos and vel", o->name, text);
    op->apply = apply_columns;
}
