/* select_run.c - evaluates a condition, bound to columns by nb_select_bind, on blocks of bodies. Declared in
 * select_program.h. */
#include "select/select_program.h"

#include <math.h>
#include <string.h>

/* ---- columns ---- */

#define LOAD_STRIDED(type)                                              \
    do {                                                                \
        const type *from = (const type *)c->data + i0 * width + (axis); \
        for (size_t i = 0; i < n; i++)                                  \
            out[i] = (double)from[i * width];                           \
    } while (0)

static void load_strided(const struct nb_column *c, size_t axis, size_t i0, size_t n, double *out)
{
    const size_t width = (size_t)c->width;
    switch (c->type) {
    case NB_F32: LOAD_STRIDED(float); break;
    case NB_F64: LOAD_STRIDED(double); break;
    case NB_U8: LOAD_STRIDED(uint8_t); break;
    case NB_U32: LOAD_STRIDED(uint32_t); break;
    default: LOAD_STRIDED(uint64_t); break;
    }
}

/* Stores the lengths of the vectors i0 to i0 + n - 1 in `out`. Calls hypot, which is slow, only if the square of a
 * length may overflow or underflow. */
static void load_length(const struct nb_column *c, size_t i0, size_t n, double *out)
{
    double part[3][NB_SELECT_BLOCK];
    int odd = 0;
    for (size_t d = 0; d < 3; d++)
        load_strided(c, d, i0, n, part[d]);
    for (size_t i = 0; i < n; i++) {
        const double square = part[0][i] * part[0][i] + part[1][i] * part[1][i] + part[2][i] * part[2][i];
        odd |= !(square > 1e-280) | !(square < 1e300);
        out[i] = sqrt(square);
    }
    for (size_t i = 0; i < n && odd; i++)
        out[i] = hypot(hypot(part[0][i], part[1][i]), part[2][i]);
}

static void load(const struct nb_step *s, size_t i0, size_t n, double *out)
{
    if (s->column->width == 3 && s->axis < 0)
        load_length(s->column, i0, n, out);
    else
        load_strided(s->column, s->axis < 0 ? 0 : (size_t)s->axis, i0, n, out);
}

static void load_rest(const struct nb_step *s, size_t i0, size_t n, double *out)
{
    const uint64_t *from = (const uint64_t *)s->column->data + i0;
    for (size_t i = 0; i < n; i++)
        out[i] = (double)(from[i] % s->whole);
}

/* ---- numbers ---- */

#define EACH(expression)           \
    for (size_t i = 0; i < n; i++) \
        a[i] = expression;         \
    break

static void change(enum nb_select_code code, size_t n, double *a)
{
    switch (code) {
    case OP_NEGATE: EACH(-a[i]);
    case OP_ABS: EACH(fabs(a[i]));
    case OP_SQRT: EACH(sqrt(a[i]));
    case OP_EXP: EACH(exp(a[i]));
    case OP_LOG: EACH(log(a[i]));
    case OP_SIN: EACH(sin(a[i]));
    case OP_COS: EACH(cos(a[i]));
    case OP_FLOOR: EACH(floor(a[i]));
    default: EACH(log10(a[i]));
    }
}

static void combine(enum nb_select_code code, size_t n, double *restrict a, const double *restrict b)
{
    switch (code) {
    case OP_ADD: EACH(a[i] + b[i]);
    case OP_SUBTRACT: EACH(a[i] - b[i]);
    case OP_MULTIPLY: EACH(a[i] * b[i]);
    case OP_DIVIDE: EACH(a[i] / b[i]);
    case OP_REMAINDER: EACH(fmod(a[i], b[i]));
    case OP_MIN: EACH(a[i] < b[i] ? a[i] : b[i] <= a[i] ? b[i] : (double)NAN);
    case OP_MAX: EACH(a[i] > b[i] ? a[i] : b[i] >= a[i] ? b[i] : (double)NAN);
    case OP_ATAN2: EACH(atan2(a[i], b[i]));
    default: EACH(pow(a[i], b[i]));
    }
}

/* ---- conditions ---- */

#undef EACH
#define EACH(expression)           \
    for (size_t i = 0; i < n; i++) \
        out[i] = expression;       \
    break

static void compare(enum nb_select_code code, size_t n, const double *a, const double *b, unsigned char *restrict out)
{
    switch (code) {
    case OP_EQUAL: EACH(a[i] == b[i]);
    case OP_UNEQUAL: EACH((a[i] < b[i]) | (a[i] > b[i]));
    case OP_LESS: EACH(a[i] < b[i]);
    case OP_LESS_EQUAL: EACH(a[i] <= b[i]);
    case OP_GREATER: EACH(a[i] > b[i]);
    default: EACH(a[i] >= b[i]);
    }
}

/* Compares a[i] with other[i], and writes the result to out[i]. If `other` is NULL, compares all a[i] with `one`. */
static void compare_u64(enum nb_select_code code, size_t n, const uint64_t *a, const uint64_t *other, uint64_t one,
                        unsigned char *restrict out)
{
    const uint64_t *b = other ? other : &one;
    const size_t stride = other ? 1 : 0;
    switch (code) {
    case OP_EQUAL: EACH(a[i] == b[i * stride]);
    case OP_UNEQUAL: EACH(a[i] != b[i * stride]);
    case OP_LESS: EACH(a[i] < b[i * stride]);
    case OP_LESS_EQUAL: EACH(a[i] <= b[i * stride]);
    case OP_GREATER: EACH(a[i] > b[i * stride]);
    default: EACH(a[i] >= b[i * stride]);
    }
}

static void compare_step(const struct nb_step *s, size_t i0, size_t n, unsigned char *out)
{
    const uint64_t *a = (const uint64_t *)s->column->data + i0;
    compare_u64(s->compare, n, a, s->other ? (const uint64_t *)s->other->data + i0 : NULL, s->whole, out);
}

static void join(enum nb_select_code code, size_t n, unsigned char *restrict out, const unsigned char *restrict b)
{
    switch (code) {
    case OP_AND: EACH(out[i] & b[i]);
    default: EACH(out[i] | b[i]);
    }
}

static void invert(size_t n, unsigned char *a)
{
    for (size_t i = 0; i < n; i++)
        a[i] = !a[i];
}

/* ---- the program ---- */

static void fill(size_t n, double value, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = value;
}

void nb_select_run(const struct nb_step *steps, int count, uint64_t i0, uint64_t i1, struct nb_select_stacks *w)
{
    /* `number` and `condition` point to the next free entries of their stacks */
    double(*number)[NB_SELECT_BLOCK] = w->numbers;
    unsigned char(*condition)[NB_SELECT_BLOCK] = w->conditions;
    const size_t begin = (size_t)i0, n = (size_t)(i1 - i0);
    for (const struct nb_step *s = steps; s < steps + count; s++)
        switch (s->code) {
        case OP_NUMBER: fill(n, s->number, *number++); break;
        case OP_LOAD: load(s, begin, n, *number++); break;
        case OP_REST: load_rest(s, begin, n, *number++); break;
        case OP_NEGATE:
        case OP_ABS:
        case OP_SQRT:
        case OP_LOG10:
        case OP_EXP:
        case OP_LOG:
        case OP_SIN:
        case OP_COS:
        case OP_FLOOR: change(s->code, n, number[-1]); break;
        case OP_EQUAL:
        case OP_UNEQUAL:
        case OP_LESS:
        case OP_LESS_EQUAL:
        case OP_GREATER:
        case OP_GREATER_EQUAL:
            number -= 2;
            compare(s->code, n, number[0], number[1], *condition++);
            break;
        case OP_WHOLE:
        case OP_COLUMNS: compare_step(s, begin, n, *condition++); break;
        case OP_ALWAYS:
        case OP_NEVER: memset(*condition++, s->code == OP_ALWAYS, n); break;
        case OP_AND:
        case OP_OR:
            condition--;
            join(s->code, n, condition[-1], condition[0]);
            break;
        case OP_NOT: invert(n, condition[-1]); break;
        default:
            number--;
            combine(s->code, n, number[-1], number[0]);
            break;
        }
}
