/* move.c - --shift, --boost and --center: change positions and velocities. */
#include "nbedit.h"

#include "measure/measure_structure.h"
#include "scene/events.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

/* ---- by given numbers ---- */

/* Fails if touching disks would leave their plane z = 0, or if the frame has external fields, walls or a box. */
static int check_plane(const struct nb_bodies *b, const struct edit_affine *t)
{
    if (nb_scene_is_touching(&b->meta) && t->d[2] != 0)
        return nb_fail("its bodies are colliding disks, which stay in the plane z = 0");
    return edit_check_free(b);
}

static int shift_events(struct nb_bodies *b, const struct edit_affine *t)
{
    struct edit_change c = edit_change_none();
    for (int k = 0; k < 3; k++)
        c.shift[k] = (double)t->d[k];
    return edit_change_events(b, &c);
}

/* Drops the header lines of merged and escaped stars. A boost changes the values in these lines by amounts that depend
 * on the positions at which the stars merged or escaped, and these positions are unknown. */
static int boost_events(struct edit_op *op, struct nb_bodies *b)
{
    if (nb_events_drop(&b->meta, true))
        edit_say(op, EDIT_SAID_EVENTS, "removed: the header lines of merged and escaped stars");
    return 0;
}

static int apply_move(struct edit_op *op, struct nb_bodies *b)
{
    if (check_plane(b, &op->affine))
        return -1;
    if (strcmp(op->target, "vel") == 0)
        edit_spoil_pairs(op, b);
    if (edit_transform(b, op->target, &op->affine))
        return -1;
    return strcmp(op->target, "pos") == 0 ? shift_events(b, &op->affine) : boost_events(op, b);
}

/* Appends an operation that adds `sign` times the three numbers in `text` to a column. `wanted`: names of the numbers,
 * for the error message. */
static void take_move(const struct tool_option *o, const char *text, double sign, const char *column,
                      const char *wanted)
{
    struct edit_op *op = edit_op_add(o, text);
    const char *at = text;
    double v[3];
    if (!edit_take_numbers(&at, v, 3) || *at)
        die_usage("--%s %s: expected three numbers %s", o->name, text, wanted);
    op->apply = apply_move;
    op->affine = edit_affine_none();
    for (int k = 0; k < 3; k++)
        op->affine.d[k] = sign * v[k];
    strcpy(op->target, column);
}

void edit_take_shift(const struct tool_option *o, const char *text)
{
    take_move(o, text, 1, "pos", o->value);
}

void edit_take_boost(const struct tool_option *o, const char *text)
{
    take_move(o, text, 1, "vel", o->value);
}

/* ---- to a centre ---- */

static int find_centre(bool densest, const struct nb_bodies *b, double x[3], double v[3])
{
    const struct nb_fields none = {0};
    struct nb_measures m;
    if (nb_measure(b, &none, densest ? NB_ABOUT_DENSITY : NB_ABOUT_NOTHING, &m))
        return -1;
    memcpy(x, densest ? m.centre : m.com, sizeof m.com);
    memcpy(v, m.com_velocity, sizeof m.com_velocity);
    if (densest && nb_measure_velocity(b, m.centre, m.half_mass_radius, v))
        return -1;
    for (int k = 0; k < 3; k++)
        if (!isfinite(x[k]) || !isfinite(v[k]))
            return nb_fail("the bodies have no centre: they have no mass, or positions are out of range");
    return 0;
}

static int apply_center(struct edit_op *op, struct nb_bodies *b)
{
    double x[3], v[3];
    struct edit_affine shift = edit_affine_none(), boost = edit_affine_none();
    if (b->n == 0)
        return edit_check_free(b);
    if (find_centre(strcmp(op->about, "densest") == 0, b, x, v))
        return -1;
    for (int k = 0; k < 3; k++) {
        shift.d[k] = -x[k];
        boost.d[k] = -v[k];
    }
    if (check_plane(b, &shift) || check_plane(b, &boost) || edit_transform(b, "pos", &shift))
        return -1;
    edit_spoil_pairs(op, b);
    if (shift_events(b, &shift) || edit_transform(b, "vel", &boost))
        return -1;
    return v[0] != 0 || v[1] != 0 || v[2] != 0 ? boost_events(op, b) : 0;
}

void edit_take_center(const struct tool_option *o, const char *text)
{
    if (strcmp(text, "com") != 0 && strcmp(text, "densest") != 0) {
        take_move(o, text, -1, "pos", "X,Y,Z, or com, or densest");
        return;
    }
    struct edit_op *op = edit_op_add(o, text);
    op->apply = apply_center;
    op->about = text;
}
