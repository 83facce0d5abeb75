/* tool_select.c - the option --select: a tool reads only the bodies that satisfy a condition. */
#include "common/tool.h"

#include "scene/events.h"
#include "select/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 200 }; /* maximum number of bytes of a condition in a message */

/* true: --select was given, or the tool has set a default condition. (tool_options.select does not show this: it is
 * NULL without --select, but also with `--select all`.) */
static bool given;
/* true: tool_options.select is the tool's default condition. In a frame without the columns that this condition needs,
 * all bodies are selected */
static bool usual;

void tool_select_refuse(const char *option, const char *text, const char *why)
{
    die_usage("--%s %.*s%s: %s", option, SHOWN, text, strlen(text) > SHOWN ? "..." : "", why);
}

struct nb_select *tool_select_checked(const char *option, const char *text, struct nb_select *select)
{
    if (!select && errno == ENOMEM)
        die("--%s: %s", option, nb_error());
    if (!select)
        tool_select_refuse(option, text, nb_error());
    return select;
}

static void take(const struct tool_option *o, const char *arg)
{
    given = true;
    nb_select_free(tool_options.select);
    tool_options.select = strcmp(arg, "all") == 0 ? NULL : tool_select_checked(o->name, arg, nb_select_parse(arg));
}

void tool_select_offer(void)
{
    tool_offer_list();
    for (unsigned k = 0; k < NB_COMPONENTS; k++)
        tool_offer_listed(nb_component_name(k), NULL);
    if (!strchr(tool_offer_typed(), ','))
        tool_offer("all", "all bodies");
}

const struct tool_option tool_table_select[] = {
    {.about = "Bodies:"},
    {"select", "EXPR", take, NULL,
     "take only the bodies that satisfy a condition, such as 'component == disk && speed < 0.5' or 'id < 1000', "
     "or that belong to components: disk,star (default all)",
     .offer = tool_select_offer},
    {0},
};

bool tool_select_given(void)
{
    return given;
}

bool tool_select_asked(void)
{
    return given && !usual;
}

bool tool_select_usually(const char *condition)
{
    if (given)
        return false;
    tool_options.select = must_have(nb_select_parse(condition));
    return given = usual = true;
}

/* If there is no column `id`, adds one, so that bodies can be identified. Its values are the indices of the bodies in
 * the frame. */
static int number(struct nb_bodies *selected, const unsigned char *mask, uint64_t n)
{
    if (nb_bodies_find(selected, "id") || selected->column_count == NB_COLUMNS_MAX)
        return 0;
    if (nb_bodies_add_known(selected, "id", NB_F64) || nb_bodies_alloc(selected))
        return -1;
    uint64_t *id = nb_bodies_find(selected, "id")->data;
    for (uint64_t i = 0; i < n; i++)
        if (mask[i])
            *id++ = i;
    return 0;
}

int tool_select_mask(const struct nb_bodies *all, unsigned char **mask, uint64_t *count)
{
    *mask = malloc((size_t)all->n + 1);
    if (!*mask)
        return nb_fail("no memory to select from %llu bodies", (unsigned long long)all->n);
    errno = 0;
    if (nb_select_apply(tool_options.select, all, *mask, count) == 0)
        return 0;
    if (usual && errno != ENOMEM) {
        memset(*mask, 1, (size_t)all->n);
        *count = all->n;
        return 0;
    }
    free(*mask);
    *mask = NULL;
    return nb_fail("--select: %s", nb_error());
}

int tool_select_take(const struct nb_bodies *all, const unsigned char *mask, uint64_t count, struct nb_bodies *selected)
{
    if (nb_select_take(all, mask, count, selected) || number(selected, mask, all->n))
        return -1;
    if (count < all->n)
        /* removes the counts of escaped stars from the header, because they refer to all bodies of the frame */
        nb_booked_drop(&selected->meta);
    return 0;
}

int tool_select(const struct nb_bodies *all, struct nb_bodies *selected)
{
    unsigned char *mask;
    uint64_t count;
    if (tool_select_mask(all, &mask, &count))
        return -1;
    const int status = tool_select_take(all, mask, count, selected);
    free(mask);
    return status;
}
