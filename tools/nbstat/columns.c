/* columns.c - chooses the columns of a line from the options, and sets their order. */
#include "columns.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- all columns ---- */

static void add(struct stat_columns *c, const struct stat_column *column)
{
    c->of = claimed(nb_memory_grow(c->of, (size_t)c->count, sizeof *c->of), "no memory");
    c->of[c->count++] = *column;
    c->needs |= column->needs;
}

static void add_list(struct stat_columns *c, const struct stat_column *list)
{
    for (; list->name[0]; list++)
        add(c, list);
}

static void add_extra(struct stat_columns *c, const struct stat_column *list)
{
    const int first = c->count;
    add_list(c, list);
    for (int k = first; k < c->count; k++)
        c->of[k].extra = true;
}

static void add_radii(struct stat_columns *c, const struct stat_options *o)
{
    for (int k = 0; k < o->percent_count; k++) {
        struct stat_column column = ROW("", radii, 1, NULL, NEEDS_CENTRE);
        column.offset += (size_t)k * sizeof(double);
        snprintf(column.name, sizeof column.name, "r%.12g", o->percents[k]);
        add(c, &column);
    }
}

static void add_pair(struct stat_columns *c, int i, int j, bool extra)
{
    struct stat_column pair[2] = {ROW("distance", distance, 1, NULL, NEEDS_CENTRE),
                                  ROW("speed", speed, 1, NULL, NEEDS_CENTRE)};
    for (int k = 0; k < 2; k++) {
        char *end = pair[k].name + strlen(pair[k].name);
        snprintf(end, sizeof pair[k].name - strlen(pair[k].name), "_%d_%d", i, j);
        pair[k].offset += ((size_t)i * STAT_GALAXIES_MOST + (size_t)j) * sizeof(double);
        pair[k].extra = extra;
        add(c, &pair[k]);
    }
}

void stat_columns_add_pairs(struct stat_columns *c, const bool galaxies[STAT_GALAXIES_MOST])
{
    for (int i = 0; i < STAT_GALAXIES_MOST && !c->chosen; i++)
        for (int j = i + 1; j < STAT_GALAXIES_MOST; j++)
            if (galaxies[i] && galaxies[j])
                add_pair(c, i, j, false);
}

static bool is_of_pair(const struct stat_column *c)
{
    return c->offset >= offsetof(struct stat_row, distance) &&
           c->offset < offsetof(struct stat_row, speed) + sizeof((struct stat_row *)NULL)->speed;
}

const char *stat_columns_missing_pair(const struct stat_columns *c, const struct stat_row *row)
{
    for (int k = 0; k < c->count; k++)
        if (is_of_pair(&c->of[k]) && isnan(*(const double *)((const char *)row + c->of[k].offset)))
            return c->of[k].name;
    return NULL;
}

static void add_all(struct stat_columns *c, const struct stat_options *o)
{
    static const struct stat_column *const others[] = {
        [STAT_SPHERICAL] = stat_spherical, [STAT_CYLINDRICAL] = stat_cylindrical, [STAT_PAIRS] = stat_pairs};
    if (o->kind != STAT_ROWS) {
        add_list(c, others[o->kind]);
        return;
    }
    add_list(c, stat_rows);
    add_extra(c, stat_centre);
    add_extra(c, stat_cluster);
    add_radii(c, o);
    if (o->modes)
        add_list(c, stat_modes);
    if (o->escaped)
        add_list(c, stat_escaped);
    for (int i = 0; i < STAT_GALAXIES_MOST && o->distance; i++)
        for (int j = i + 1; j < STAT_GALAXIES_MOST; j++)
            add_pair(c, i, j, true);
}

/* ---- chosen columns ---- */

/* Returns the index of a word in a tab-separated list, or -1. */
static int place_in(const char *list, const char *word, size_t length)
{
    for (int k = 0; list; k++) {
        if (strcspn(list, "\t") == length && strncmp(list, word, length) == 0)
            return k;
        list = strchr(list, '\t');
        list += list != NULL;
    }
    return -1;
}

static bool add_named(struct stat_columns *c, const struct stat_columns *all, const char *word, size_t length)
{
    for (int k = 0; k < all->count; k++) {
        struct stat_column column = all->of[k];
        const int part = place_in(column.parts, word, length);
        if (part < 0 && (strlen(column.name) != length || strncmp(column.name, word, length) != 0))
            continue;
        if (part >= 0) {
            snprintf(column.name, sizeof column.name, "%.*s", (int)length, word);
            column.offset += (size_t)part * sizeof(double);
            column.width = 1;
            column.parts = NULL;
        }
        column.extra = false;
        add(c, &column);
        return true;
    }
    return false;
}

/* ---- completion ---- */

static void offer_all(const struct stat_column *list)
{
    for (; list->name[0]; list++) {
        tool_offer_listed(list->name, NULL);
        for (const char *part = list->parts; part && *part; part += strcspn(part, "\t"), part += *part == '\t') {
            char name[sizeof list->name];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(part, "\t"), part);
            tool_offer_listed(name, NULL);
        }
    }
}

/* Offers the columns of all modes as completions of --columns, because the option that sets the mode may come later on
 * the command line. */
void stat_columns_offer(void)
{
    static const struct stat_column *const lists[] = {stat_rows,  stat_centre,  stat_cluster,   stat_pairs,
                                                      stat_modes, stat_escaped, stat_spherical, stat_cylindrical};
    tool_offer_list();
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        offer_all(lists[k]);
}

/* ---- unknown columns ---- */

static bool is_called(const struct stat_column *column, const char *name)
{
    return strcmp(column->name, name) == 0 || place_in(column->parts, name, strlen(name)) >= 0;
}

static bool is_in(const struct stat_column *list, const char *name)
{
    while (list->name[0] && !is_called(list, name))
        list++;
    return list->name[0];
}

/* Returns whether the name consists of the letter r and a percentage, like the columns that --lagrange adds. */
static bool is_radius(const char *name)
{
    char again[32];
    const double percent = name[0] == 'r' ? strtod(name + 1, NULL) : 0;
    snprintf(again, sizeof again, "r%.12g", percent);
    return percent > 0 && percent <= 100 && strcmp(again, name) == 0;
}

static bool is_pair(const char *name)
{
    struct stat_columns pairs = {0};
    bool found = false;
    for (int i = 0; i < STAT_GALAXIES_MOST; i++)
        for (int j = i + 1; j < STAT_GALAXIES_MOST; j++)
            add_pair(&pairs, i, j, true);
    for (int k = 0; k < pairs.count; k++)
        found = found || strcmp(pairs.of[k].name, name) == 0;
    free(pairs.of);
    return found;
}

static bool is_of_row(const char *name)
{
    return is_in(stat_rows, name) || is_in(stat_centre, name) || is_in(stat_cluster, name);
}

/* Returns the option that adds the column `name`, for an error message about --columns. Returns "" for a column
 * that every line of a frame has, and NULL if there is no such column. */
static const char *option_of(const char *name)
{
    return is_in(stat_spherical, name)     ? "--radial spherical"
           : is_in(stat_cylindrical, name) ? "--radial cylindrical"
           : is_in(stat_pairs, name)       ? "--binaries"
           : is_of_row(name)               ? ""
           : is_in(stat_modes, name)       ? "--modes"
           : is_in(stat_escaped, name)     ? "--escaped"
           : is_pair(name)                 ? "--distance"
                                           : NULL;
}

static void refuse_known(const struct stat_options *o, const char *name)
{
    const bool radius = is_radius(name), pairs = o->kind == STAT_PAIRS;
    const char *option = radius ? "--lagrange " : option_of(name), *given = pairs ? "--binaries" : "--radial";
    const bool without = o->kind != STAT_ROWS && option && (pairs || strncmp(option, given, strlen(given)) != 0);
    if (option && !*option)
        die_usage("--columns: column %s exists only without %s", name, given);
    if (option)
        die_usage("--columns: column %s exists only with %s%s%s%s", name, option, radius ? name + 1 : "",
                  without ? ", without " : "", without ? given : "");
}

static void refuse(const struct stat_options *o, const struct stat_columns *all, const char *word, size_t length)
{
    char list[4096] = "", name[32] = "";
    bool pairs = false;
    struct tool_guess guess;
    if (length < sizeof name)
        refuse_known(o, memcpy(name, word, length));
    tool_guess_begin(&guess, name);
    for (int k = 0; k < all->count; k++) {
        const bool pair = all->of[k].extra && is_of_pair(&all->of[k]);
        const size_t used = strlen(list);
        if (!pair)
            snprintf(list + used, sizeof list - used, " %s", all->of[k].name);
        tool_guess_try(&guess, all->of[k].name, strlen(all->of[k].name));
        pairs = pairs || pair;
    }
    die_usage("--columns: unknown column '%.*s'%s; columns:%s%s%s", length < 80 ? (int)length : 80, word,
              tool_guess_hint(&guess, ""), list, pairs ? " distance_0_1 speed_0_1 and so on" : "",
              o->kind == STAT_ROWS
                  ? "; --lagrange, --modes, --escaped, --distance, --binaries and --radial bring others"
                  : "");
}

static void choose(struct stat_columns *c, const struct stat_columns *all, const struct stat_options *o)
{
    const char *list = o->columns;
    for (;; list++) {
        const size_t length = strcspn(list, ",");
        if (!add_named(c, all, list, length))
            refuse(o, all, list, length);
        list += length;
        if (!*list)
            return;
    }
}

static void add_columns(struct stat_columns *c, const struct stat_columns *more)
{
    for (int k = 0; k < more->count; k++)
        if (!more->of[k].extra)
            add(c, &more->of[k]);
}

static bool has_name(const struct stat_columns *c, const char *name)
{
    for (int k = 0; k < c->count; k++)
        if (is_called(&c->of[k], name))
            return true;
    return false;
}

/* Adds the columns of --params before all other columns, because their values show to which run a line belongs. */
static void add_params(struct stat_columns *c, const struct stat_columns *others, const struct stat_options *o)
{
    for (int k = 0; k < o->param_count; k++) {
        struct stat_column column = {.type = STAT_PARAM, .width = 1};
        const size_t params = o->kind == STAT_ROWS    ? offsetof(struct stat_row, params)
                              : o->kind == STAT_PAIRS ? offsetof(struct stat_pair, params)
                                                      : offsetof(struct stat_bin, params);
        column.offset = params + (size_t)k * sizeof(const char *);
        const bool taken = has_name(others, o->params[k]);
        snprintf(column.name, sizeof column.name, "%s%s", taken ? "param_" : "", o->params[k]);
        add(c, &column);
    }
}

void stat_columns_make(struct stat_columns *c, const struct stat_options *o)
{
    struct stat_columns all = {0}, others = {0};
    add_all(&all, o);
    if (o->columns)
        choose(&others, &all, o);
    else
        add_columns(&others, &all);
    *c = (struct stat_columns){.chosen = o->columns != NULL};
    add_params(c, &others, o);
    add_columns(c, &others);
    free(all.of);
    free(others.of);
}
