/* Finds the column that a quantity is read from, and reads the quantity of each body from this column. */
#include "nbrender/basis/basis.h"

#include "select/select.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyz0123456789_"

/* the column that a quantity is read from; `axis` is the component (0, 1, 2) of a vector column, or -1 if the name has
 * no .x, .y or .z */
struct quantity {
    char column[NB_NAME_MAX];
    int axis;
};

/* Returns the length of the column's name, without .x, .y or .z. Returns 0 if the text cannot be a column's name. */
static size_t column_length(const char *name)
{
    const size_t length = strspn(name, LETTERS);
    const char *part = name + length;
    const bool fits = !*part || (*part == '.' && part[1] >= 'x' && part[1] <= 'z' && !part[2]);
    return fits && length < NB_NAME_MAX && name[0] >= 'a' && name[0] <= 'z' ? length : 0;
}

bool quantity_is_name(const char *name)
{
    return column_length(name) > 0;
}

static struct quantity split(const char *name)
{
    const size_t length = column_length(name);
    struct quantity q = {.axis = name[length] == '.' ? name[length + 1] - 'x' : -1};
    memcpy(q.column, name, length);
    return q;
}

/* Returns the column for a name that is not a column's name. Examples: phi for `potential`; vel with axis 0 for `vx`.
 * If the name is unknown, the returned column name is empty. */
static struct quantity renamed(const char *name)
{
    static const char *const same[][2] = {{"potential", "phi"}, {"acceleration", "acc"}};
    struct quantity q = {.axis = -1};
    const char *column = nb_select_short_name(name, &q.axis);
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
        if (strcmp(name, same[k][0]) == 0)
            column = same[k][1];
    snprintf(q.column, sizeof q.column, "%s", column ? column : "");
    return q;
}

bool quantity_is_of(const char *name, const char *column)
{
    return strcmp(split(name).column, column) == 0 || strcmp(renamed(name).column, column) == 0;
}

/* Returns the column of the quantity, or NULL if there is no such column. Sets *axis to the component (0, 1, 2) that
 * the name selects from a vector, or to -1 if the name selects none. */
static const struct nb_column *column_of(const char *name, const struct nb_bodies *b, int *axis)
{
    struct quantity q = split(name);
    if (!nb_bodies_find(b, q.column))
        q = renamed(name);
    const struct nb_column *c = nb_bodies_find(b, q.column);
    *axis = q.axis;
    return c && (q.axis < 0 || c->width == 3) ? c : NULL;
}

bool quantity_is_there(const char *name, const struct nb_bodies *b)
{
    int axis;
    return strcmp(name, "auto") == 0 || column_of(name, b, &axis) != NULL;
}

void quantity_check(const char *name, const struct nb_bodies *b, const char *option)
{
    char names[NB_COLUMNS_MAX * NB_NAME_MAX] = "";
    int axis;
    if (column_of(name, b, &axis))
        return;
    if (nb_bodies_find(b, split(name).column))
        die("%s %s: column %s is not a vector", option, name, split(name).column);
    for (int k = 0; k < b->column_count; k++) {
        strcat(names, k ? " " : "");
        strcat(names, b->columns[k].name);
    }
    /* nbsim writes pressure, phi and acc only with --write, so the message names this option. */
    const bool nbsim_writes =
        quantity_is_of(name, "pressure") || quantity_is_of(name, "phi") || quantity_is_of(name, "acc");
    die("%s %s: unknown column%s; columns: %s", option, name, nbsim_writes ? " (nbsim --write adds it)" : "", names);
}

const char *quantity_unit(const char *name, const struct nb_bodies *b)
{
    int axis;
    return column_of(name, b, &axis)->unit;
}

/* Returns the length of a vector. Uses hypot if the square of the length would overflow or underflow. */
static double length_of(const double x[3])
{
    const double square = vector_dot(x, x);
    return square > 1e-280 && square < 1e300 ? sqrt(square) : hypot(hypot(x[0], x[1]), x[2]);
}

void quantity_fill(const char *name, const struct nb_bodies *b, uint64_t i0, int count, double *value)
{
    int axis;
    const struct nb_column *c = column_of(name, b, &axis);
    const bool is_real = nb_type_is_real(c->type);
    if (is_real && c->width == 1) { /* a faster loop for scalar columns, which are the most frequent */
        for (int k = 0; k < count; k++)
            value[k] = value_of(c, i0 + (uint64_t)k, 0);
        return;
    }
    for (int k = 0; k < count; k++) {
        const uint64_t i = i0 + (uint64_t)k;
        double x[3] = {0};
        for (int d = 0; d < c->width; d++)
            x[d] = is_real ? value_of(c, i, d) : nb_column_get(c, i, d);
        value[k] = c->width == 1 ? x[0] : axis >= 0 ? x[axis] : length_of(x);
    }
}

const uint8_t *dark_components(const struct nb_bodies *b)
{
    const struct nb_column *component = nb_bodies_find(b, "component");
    return component && component->type == NB_U8 && !tool_select_asked() ? component->data : NULL;
}
