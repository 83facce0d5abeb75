/* Labels of discs: ids, values of a column, or names. */
#include "nbrender/discs/discs.h"

struct named {
    uint64_t id;
    const char *name;
};

struct labels {
    const char *column;  /* name of the column whose values are the labels, or "id"; NULL: labels are names */
    char *words;         /* the names, each ending with NUL */
    struct named *named; /* bodies with names, in ascending order of id */
    size_t count;
};

static uint64_t number_of(const struct nb_bodies *b, uint64_t i)
{
    const struct nb_column *id = nb_bodies_find(b, "id");
    return id ? id_of(id, i) : i;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t *sorted_ids(const struct nb_bodies *b)
{
    uint64_t *ids = claimed(calloc(b->n + !b->n, sizeof *ids), "no memory for the labels");
    for (uint64_t i = 0; i < b->n; i++)
        ids[i] = number_of(b, i);
    qsort(ids, b->n, sizeof *ids, by_number);
    return ids;
}

static size_t count_names(const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    return count;
}

static void take_names(struct labels *l, const char *text, const struct nb_bodies *b)
{
    l->count = count_names(text);
    if (l->count > b->n)
        die("--labels: %s for %s", tool_many(l->count, "name", "names"), tool_many(b->n, "body", "bodies"));
    l->words = claimed(strdup(text), "no memory for the labels");
    l->named = claimed(calloc(l->count, sizeof *l->named), "no memory for the labels");
    uint64_t *ids = sorted_ids(b);
    char *rest = l->words;
    for (size_t k = 0; k < l->count; k++)
        l->named[k] = (struct named){ids[k], strsep(&rest, ",")};
    free(ids);
}

struct labels *labels_create(const char *what, const struct nb_bodies *b)
{
    struct labels *l = claimed(calloc(1, sizeof *l), "no memory for the labels");
    if (strcmp(what, "id") == 0 || nb_bodies_find(b, what))
        l->column = what;
    else if (strchr(what, ','))
        take_names(l, what, b);
    else
        die("--labels %s: expected id, a column of the input, or names separated by commas", what);
    return l;
}

void labels_destroy(struct labels *l)
{
    if (l) {
        free(l->words);
        free(l->named);
    }
    free(l);
}

static int by_id(const void *key, const void *named)
{
    return by_number(key, &((const struct named *)named)->id);
}

static void value_text(const struct nb_column *c, uint64_t i, char text[LABEL_MAX])
{
    size_t used = 0;
    for (int d = 0; d < c->width; d++)
        used += (size_t)snprintf(text + used, LABEL_MAX - used, "%s%.4g", d ? ", " : "", nb_column_get(c, i, d));
}

void labels_text(const struct labels *l, const struct nb_bodies *b, uint64_t i, char text[LABEL_MAX])
{
    uint64_t id = number_of(b, i);
    const struct nb_column *column = l->column ? nb_bodies_find(b, l->column) : NULL;
    const struct named *named = l->count ? bsearch(&id, l->named, l->count, sizeof *l->named, by_id) : NULL;
    text[0] = '\0';
    if (l->column && strcmp(l->column, "id") == 0)
        snprintf(text, LABEL_MAX, "%llu", (unsigned long long)id);
    else if (column)
        value_text(column, i, text);
    else if (named)
        snprintf(text, LABEL_MAX, "%s", named->name);
}
