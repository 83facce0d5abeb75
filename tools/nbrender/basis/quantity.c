#include "nbrender/basis/basis.h"

#include "common/tool_words.h"

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
    return strcmp(name, "auto") == 0 || column_of(name, b) != NULL;
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
    /* Only on demand, so that a stream made without it is the usual case. */
    const bool nbsim_writes = tool_words_find("pressure|phi|potential|acc|acceleration", name) >= 0;
    die("%s %s: the bodies have no such column, only %s%s", option, name, names,
        nbsim_writes ? " (nbsim --write makes it)" : "");
}

const char *quantity_unit(const char *name, const struct nb_bodies *b)
{
    return column_of(name, b)->unit;
}

/* The length of a vector that does not overflow where the length itself does not. */
static double length_of(const double x[3])
{
    const double square = vector_dot(x, x);
    return square > 1e-280 && square < 1e300 ? sqrt(square) : hypot(hypot(x[0], x[1]), x[2]);
}

void quantity_fill(const char *name, const struct nb_bodies *b, uint64_t i0, int count, double *value)
{
    const struct nb_column *c = column_of(name, b);
    const bool is_real = nb_type_is_real(c->type);
    for (int k = 0; k < count; k++) {
        const uint64_t i = i0 + (uint64_t)k;
        double x[3] = {0};
        for (int d = 0; d < c->width; d++)
            x[d] = is_real ? value_of(c, i, d) : nb_column_get(c, i, d);
        value[k] = c->width == 1 ? x[0] : length_of(x);
    }
}

const uint8_t *dark_components(const struct nb_bodies *b)
{
    const struct nb_column *component = nb_bodies_find(b, "component");
    return component && component->type == NB_U8 && !tool_select_asked() ? component->data : NULL;
}
