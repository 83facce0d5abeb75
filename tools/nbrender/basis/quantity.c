#include "nbrender/basis/basis.h"

#include <math.h>
#include <stdio.h>

bool quantity_is_name(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' && strlen(name) < NB_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static const struct nb_column *column_of(const char *name, const struct nb_bodies *b)
{
    static const char *const same[][2] = {{"speed", "vel"}, {"potential", "phi"}, {"acceleration", "acc"}};
    const struct nb_column *c = nb_bodies_find(b, name);
    for (size_t k = 0; k < sizeof same / sizeof same[0] && !c; k++)
        if (strcmp(name, same[k][0]) == 0)
            c = nb_bodies_find(b, same[k][1]);
    return c;
}

bool quantity_is_there(const char *name, const struct nb_bodies *b)
{
    return column_of(name, b) != NULL;
}

/* Only on demand, so that a stream made without it is the usual case. */
static bool nbsim_writes(const char *name)
{
    static const char *const on_demand[] = {"pressure", "phi", "potential", "acc", "acceleration"};
    for (size_t k = 0; k < sizeof on_demand / sizeof *on_demand; k++)
        if (strcmp(name, on_demand[k]) == 0)
            return true;
    return false;
}

void quantity_check(const char *name, const struct nb_bodies *b, const char *option)
{
    char names[NB_COLUMNS_MAX * NB_NAME_MAX] = "";
    if (column_of(name, b))
        return;
    for (int k = 0; k < b->column_count; k++) {
        strcat(names, k ? " " : "");
        strcat(names, b->columns[k].name);
    }
    die("%s %s: the bodies have no such column, only %s%s", option, name, names,
        nbsim_writes(name) ? " (nbsim --write makes it)" : "");
}

const char *quantity_unit(const char *name, const struct nb_bodies *b)
{
    return column_of(name, b)->unit;
}

/* The length of a vector that does not overflow where the length itself does not. */
static double length_of(double x, double y, double z)
{
    double square = x * x + y * y + z * z;
    return square > 1e-280 && square < 1e300 ? sqrt(square) : hypot(hypot(x, y), z);
}

/* Called with `single` constant, so that each type of column gets a loop of its own. */
static inline __attribute__((always_inline)) double at(const void *data, bool single, uint64_t k)
{
    return single ? (double)((const float *)data)[k] : ((const double *)data)[k];
}

static inline __attribute__((always_inline)) void fill(const void *data, bool single, int width, uint64_t i0, int count,
                                                       double *value)
{
    for (int k = 0; k < count; k++) {
        uint64_t i = (i0 + (uint64_t)k) * (uint64_t)width;
        value[k] = width == 1 ? at(data, single, i)
                              : length_of(at(data, single, i), at(data, single, i + 1), at(data, single, i + 2));
    }
}

void quantity_fill(const char *name, const struct nb_bodies *b, uint64_t i0, int count, double *value)
{
    const struct nb_column *c = column_of(name, b);
    if (c->type == NB_F64 && c->width == 3)
        fill(c->data, false, 3, i0, count, value);
    else if (c->type == NB_F32 && c->width == 3)
        fill(c->data, true, 3, i0, count, value);
    else if (c->type == NB_F64 || c->type == NB_F32)
        fill(c->data, c->type == NB_F32, 1, i0, count, value);
    else
        for (int k = 0; k < count; k++) {
            uint64_t i = i0 + (uint64_t)k;
            value[k] = c->width == 1
                           ? nb_column_get(c, i, 0)
                           : length_of(nb_column_get(c, i, 0), nb_column_get(c, i, 1), nb_column_get(c, i, 2));
        }
}
