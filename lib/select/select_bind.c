/* select_bind.c - binds a condition to the columns of a frame, and makes comparisons of u64 columns exact. Declared in
 * select_program.h. */
#include "base/error.h"
#include "select/select_program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static const struct {
    const char *name, *column;
    int axis;
} short_names[] = {{"x", "pos", 0},  {"y", "pos", 1},  {"z", "pos", 2},      {"vx", "vel", 0},
                   {"vy", "vel", 1}, {"vz", "vel", 2}, {"ax", "acc", 0},     {"ay", "acc", 1},
                   {"az", "acc", 2}, {"r", "pos", -1}, {"speed", "vel", -1}, {"m", "mass", -1}};

const char *nb_select_short_name(const char *name, int *axis)
{
    for (size_t k = 0; k < sizeof short_names / sizeof *short_names; k++)
        if (strcmp(name, short_names[k].name) == 0) {
            *axis = short_names[k].axis;
            return short_names[k].column;
        }
    return NULL;
}

static int no_column(const struct nb_bodies *b, const struct nb_select_op *op, const char *name)
{
    char known[NB_COLUMNS_MAX * (NB_NAME_MAX + 1)] = "", *at = known;
    for (int k = 0; k < b->column_count; k++)
        at += sprintf(at, " %s", b->columns[k].name);
    return nb_fail(
        "character %zu: unknown column '%.40s'; columns:%s, and from these x y z vx vy vz ax ay az r speed m",
        op->place + 1, name, known);
}

static int bind_column(const struct nb_bodies *b, const struct nb_select_op *op, const char *name, int axis,
                       struct nb_step *step)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    if (!c)
        return no_column(b, op, name);
    if (axis >= 0 && c->width != 3)
        return nb_fail("character %zu: column '%s' is not a vector, so it has no .%c", op->place + 1, name, 'x' + axis);
    *step = (struct nb_step){.code = OP_LOAD, .column = c, .axis = axis};
    return 0;
}

static int bind_name(const struct nb_bodies *b, const struct nb_select_op *op, struct nb_step *step)
{
    const int component = nb_component_parse(op->name);
    if (op->axis >= 0 || nb_bodies_find(b, op->name))
        return bind_column(b, op, op->name, op->axis, step);
    int axis;
    const char *column = nb_select_short_name(op->name, &axis);
    if (column)
        return bind_column(b, op, column, axis, step);
    if (component < 0)
        return no_column(b, op, op->name);
    *step = (struct nb_step){.code = OP_NUMBER, .number = component};
    return 0;
}

/* ---- exact comparisons ---- */

static bool is_u64(const struct nb_step *s)
{
    return s->code == OP_LOAD && s->column->type == NB_U64 && s->column->width == 1;
}

/* Returns the comparison that is equivalent to `code` with exchanged operands: b > a for a < b. */
static enum nb_select_code mirrored(enum nb_select_code code)
{
    switch (code) {
    case OP_LESS: return OP_GREATER;
    case OP_LESS_EQUAL: return OP_GREATER_EQUAL;
    case OP_GREATER: return OP_LESS;
    case OP_GREATER_EQUAL: return OP_LESS_EQUAL;
    default: return code;
    }
}

static struct nb_step constant(bool holds)
{
    return (struct nb_step){.code = holds ? OP_ALWAYS : OP_NEVER};
}

/* Returns the step that compares a u64 column with `number`, which is negative, 2^64 or more, or not an integer. */
static struct nb_step compare_odd(const struct nb_column *c, enum nb_select_code code, double number)
{
    const bool less = code == OP_LESS || code == OP_LESS_EQUAL,
               greater = code == OP_GREATER || code == OP_GREATER_EQUAL;
    if (code == OP_EQUAL || code == OP_UNEQUAL)
        return constant(code == OP_UNEQUAL);
    if (number < 0 || number >= 0x1p64)
        return constant(number < 0 ? greater : less);
    return (struct nb_step){
        .code = OP_WHOLE, .compare = less ? OP_LESS_EQUAL : OP_GREATER, .column = c, .whole = (uint64_t)number};
}

static struct nb_step compare_whole(const struct nb_column *c, enum nb_select_code code, const struct nb_step *number,
                                    bool is_whole)
{
    const double value = number->number;
    if (!is_whole && (value < 0 || value >= 0x1p64 || value != floor(value)))
        return compare_odd(c, code, value);
    return (struct nb_step){
        .code = OP_WHOLE, .compare = code, .column = c, .whole = is_whole ? number->whole : (uint64_t)value};
}

/* Tries to replace three steps by one exact step, *joined. The three steps load a, load b, and compute `code` (a
 * comparison, or the remainder of a division). a_whole: whether `a` is a number that is also stored as an integer,
 * a->whole; b_whole: the same for `b`. Returns false if there is no such step, for example if neither operand is a u64
 * column. */
static bool join(const struct nb_step *a, const struct nb_step *b, bool a_whole, bool b_whole, enum nb_select_code code,
                 struct nb_step *joined)
{
    const bool compares = code >= OP_EQUAL && code <= OP_GREATER_EQUAL;
    if (code == OP_REMAINDER && is_u64(a) && b_whole && b->whole > 0 && b->whole < 1ull << 53)
        *joined = (struct nb_step){.code = OP_REST, .column = a->column, .whole = b->whole};
    else if (compares && is_u64(a) && is_u64(b))
        *joined = (struct nb_step){.code = OP_COLUMNS, .compare = code, .column = a->column, .other = b->column};
    else if (compares && is_u64(a) && b->code == OP_NUMBER)
        *joined = compare_whole(a->column, code, b, b_whole);
    else if (compares && a->code == OP_NUMBER && is_u64(b))
        *joined = compare_whole(b->column, mirrored(code), a, a_whole);
    else
        return false;
    return true;
}

static bool is_leaf(const struct nb_select_op *op)
{
    return op->code == OP_NAME || op->code == OP_NUMBER;
}

int nb_select_bind(const struct nb_select *s, const struct nb_bodies *b, struct nb_step *steps)
{
    int count = 0;
    for (int k = 0; k < s->count; k++) {
        const struct nb_select_op *op = &s->ops[k];
        struct nb_step *step = &steps[count];
        *step = (struct nb_step){.code = op->code, .number = op->number, .whole = op->whole};
        if (op->code == OP_NAME && bind_name(b, op, step))
            return -1;
        if (k >= 2 && is_leaf(op - 1) && is_leaf(op - 2) && !is_leaf(op) &&
            join(step - 2, step - 1, op[-2].is_whole, op[-1].is_whole, op->code, step - 2))
            count -= 2;
        count++;
    }
    return count;
}
