/* set.c - --set: sets a column's values from an expression. */
#include "nbedit.h"

#include "snap/narrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- target ---- */

/* Returns the column that op->target names, or NULL if there is no such column. Sets *axis to the component: 0 to 2 if
 * op->target is a short name such as x or vy, otherwise op->axis. */
static struct nb_column *find_target(const struct edit_op *op, const struct nb_bodies *b, int *axis)
{
    struct nb_column *c = nb_bodies_find(b, op->target);
    *axis = op->axis;
    if (c || op->axis >= 0)
        return c;
    const char *column = nb_select_short_name(op->target, axis);
    /* The short names r and speed cannot be set: they are lengths of vectors. */
    const bool is_part = column && (*axis >= 0 || strcmp(column, "mass") == 0);
    return is_part ? nb_bodies_find(b, column) : NULL;
}

static int add_target(const struct edit_op *op, struct nb_bodies *b)
{
    const struct nb_known *known = nb_column_known(op->target);
    if (op->axis >= 0 || (known && known->width == 3))
        return nb_fail("unknown column '%s': a new column can have only one value for each body", op->target);
    if (nb_component_parse(op->target) >= 0 || strcmp(op->target, "r") == 0 || strcmp(op->target, "speed") == 0)
        return nb_fail("'%s' is computed from other columns and cannot be set", op->target);
    if ((known ? nb_bodies_add_known(b, op->target, NB_F64) : nb_bodies_add(b, op->target, NB_F64, 1, "-")) ||
        nb_bodies_alloc(b))
        return -1;
    struct nb_column *c = nb_bodies_find(b, op->target);
    memset(c->data, 0, nb_column_bytes(c, b->n));
    return 0;
}

/* ---- values ---- */

/* --set stores only integers below this limit in a column of this type. For 64-bit integers the limit is 2^53, because
 * doubles represent all smaller integers exactly. */
#define LIMIT(type) (type == NB_U8 ? 0x1p8 : type == NB_U32 ? 0x1p32 : 0x1p53)

/* Stores `value` as element `at` of the column's data. Returns false if the column's type cannot represent it. */
static bool put(struct nb_column *c, size_t at, double value)
{
    float narrow = 0;
    switch (c->type) {
    case NB_F64: ((double *)c->data)[at] = value; return isfinite(value);
    case NB_F32:
        if (!isfinite(value) || nb_narrow(&value, &narrow, 1, strcmp(c->name, "mass") == 0) == 0)
            return false;
        ((float *)c->data)[at] = narrow;
        return true;
    default:
        if (!(value >= 0 && value < LIMIT(c->type) && value == floor(value)))
            return false;
        if (c->type == NB_U8)
            ((uint8_t *)c->data)[at] = (uint8_t)value;
        else if (c->type == NB_U32)
            ((uint32_t *)c->data)[at] = (uint32_t)value;
        else
            ((uint64_t *)c->data)[at] = (uint64_t)value;
        return true;
    }
}

static int fail_put(const struct nb_column *c, uint64_t i, double value)
{
    if (!isfinite(value))
        return nb_fail("body %" PRIu64 ": %s would become %g, which is not finite", i, c->name, value);
    if (c->type == NB_U64 && value >= LIMIT(NB_U64))
        return nb_fail("body %" PRIu64 ": %s cannot become %.17g: whole numbers of 2^53 and above are rounded", i,
                       c->name, value);
    return nb_fail("body %" PRIu64 ": %s of %s cannot become %.17g", i, c->name, nb_type_name(c->type), value);
}

static int put_all(struct nb_column *c, int axis, uint64_t n, const double *value, const unsigned char *mask)
{
    const size_t width = (size_t)c->width, part = axis < 0 ? 0 : (size_t)axis;
    uint64_t bad = n;
#pragma omp parallel for schedule(static) reduction(min : bad) if (n > 4096)
    for (uint64_t i = 0; i < n; i++)
        if ((!mask || mask[i]) && !put(c, i * width + part, value[i]) && i < bad)
            bad = i;
    return bad == n ? 0 : fail_put(c, bad, value[bad]);
}

static int put_whole(struct nb_column *c, uint64_t n, const struct nb_column *from, const unsigned char *mask)
{
    const uint64_t *value = from->data;
    for (uint64_t i = 0; i < n; i++)
        if (!mask || mask[i])
            ((uint64_t *)c->data)[i] = value[i];
    return 0;
}

/* Sets the rounding errors of column c (pos_lo or vel_lo) to 0 for the bodies whose values --set has changed. */
static void clear_low(struct edit_op *op, struct nb_bodies *b, const struct nb_column *c, int axis,
                      const unsigned char *mask)
{
    const struct nb_column *low = edit_low_of(b, c->name);
    if (!low)
        return;
    for (uint64_t i = 0; i < b->n; i++)
        if (!mask || mask[i])
            ((double *)low->data)[3 * i + (uint64_t)axis] = 0;
    edit_say(op, EDIT_SAID_OTHER, "values are set in double precision: their low parts in %s become 0", low->name);
}

/* ---- an operation ---- */

static unsigned changed_by(const char *column)
{
    static const struct {
        const char *name;
        unsigned what;
    } bits[] = {{"mass", EDIT_MASS},          {"pos", EDIT_POS},    {"vel", EDIT_VEL},
                {"pos_lo", EDIT_POS},         {"vel_lo", EDIT_VEL}, {"radius", EDIT_RADIUS},
                {"softening", EDIT_SOFTENING}};
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
        if (strcmp(column, bits[k].name) == 0)
            return bits[k].what;
    return 0;
}

/* Applies the operation op (--set) to b. `value` and `mask` are work space with one element per body. mask is NULL if
 * there is no condition. All values are computed before any is set, because the expression may use the target. */
static int compute(struct edit_op *op, struct nb_bodies *b, double *value, unsigned char *mask)
{
    uint64_t count;
    bool negative;
    int axis;
    if (mask && nb_select_apply(op->condition, b, mask, &count))
        return -1;
    const struct nb_column *whole = nb_select_whole(op->number, b, &negative);
    if ((!whole || negative) && nb_select_compute(op->number, b, value))
        return -1;
    if (!find_target(op, b, &axis) && add_target(op, b))
        return -1;
    struct nb_column *c = find_target(op, b, &axis);
    /* add_target may have moved the columns in memory, so the pointer `whole` is set again */
    whole = nb_select_whole(op->number, b, &negative);
    if (c->width == 3 && axis < 0)
        return nb_fail("'%s' is a vector: set its components %s.x, %s.y and %s.z", c->name, c->name, c->name, c->name);
    if (axis >= 0 && c->width != 3)
        return nb_fail("'%s' is not a vector, so it has no .%c", c->name, 'x' + axis);
    if (whole && !negative && c->type == NB_U64 && axis < 0)
        return put_whole(c, b->n, whole, mask);
    if (whole && !negative && nb_select_compute(op->number, b, value))
        return -1;
    if (put_all(c, axis, b->n, value, mask))
        return -1;
    clear_low(op, b, c, axis, mask);
    return 0;
}

/* Removes two times from the header, the suggested time step and the dynamical time, if they depend on a changed
 * column: sets them to 0 (unknown). `changed`: the changed columns (EDIT_MASS and so on, joined by |). */
static void drop_times(struct edit_op *op, struct nb_bodies *b, unsigned changed)
{
    if (changed & (EDIT_MASS | EDIT_POS) && b->meta.dynamical_time > 0) {
        edit_say(op, EDIT_SAID_TIME, "the header's dynamical time %g is removed: it no longer applies",
                 b->meta.dynamical_time);
        b->meta.dynamical_time = 0;
    }
    if (!(changed & (EDIT_MASS | EDIT_POS | EDIT_VEL | EDIT_SOFTENING)) || b->meta.dt == 0)
        return;
    edit_say(op, EDIT_SAID_THIRD, "the header's suggested step dt = %g is removed: it no longer applies", b->meta.dt);
    b->meta.dt = b->meta.dt_asked = 0;
}

static int apply_set(struct edit_op *op, struct nb_bodies *b)
{
    double *value = malloc((size_t)b->n * sizeof *value + 1);
    unsigned char *mask = op->condition ? malloc((size_t)b->n + 1) : NULL;
    int axis, status = -1;
    if (!value || (op->condition && !mask))
        nb_fail("no memory to compute values of %" PRIu64 " bodies", b->n);
    else
        status = compute(op, b, value, mask);
    free(value);
    free(mask);
    if (status)
        return -1;
    const unsigned changed = changed_by(find_target(op, b, &axis)->name);
    if (changed)
        edit_spoil(op, b, changed);
    drop_times(op, b, changed);
    return 0;
}

/* ---- the command line ---- */

void edit_take_set(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    static const char wanted[] = "expected COLUMN = EXPR, such as 'mass = 0.5 * mass'";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz", others[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const char *at = text + strspn(text, " ");
    const size_t length = strspn(at, others);
    if (length == 0 || length >= NB_NAME_MAX || !strchr(letters, *at))
        tool_select_refuse(o->name, text, wanted);
    memcpy(op->target, at, length);
    op->target[length] = '\0';
    op->axis = -1;
    at += length;
    if (*at == '.' && at[1] >= 'x' && at[1] <= 'z')
        op->axis = at[1] - 'x', at += 2;
    at += strspn(at, " ");
    if (*at != '=' || at[1] == '=')
        tool_select_refuse(o->name, text, wanted);
    op->number =
        tool_select_checked(o->name, text, nb_select_parse_number(text, (size_t)(at + 1 - text), &op->condition));
    op->apply = apply_set;
}
