/* --select: a tool sees only the bodies for which a condition holds. */
#include "common/tool.h"

#include "base/error.h"
#include "select/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SELECT = 0x1100, SHOWN = 200 };

static bool given; /* --select was; with `all', that sets no condition */
static bool usual; /* the condition is a tool's own, which holds where its columns are not there */

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    if (key != KEY_SELECT)
        return false;
    given = true;
    nb_select_free(tool_options.select);
    tool_options.select = NULL;
    if (strcmp(arg, "all") == 0)
        return true;
    tool_options.select = nb_select_parse(arg);
    if (!tool_options.select && errno == ENOMEM)
        die("--select: %s", nb_error());
    if (!tool_options.select)
        die_usage("--select %.*s%s: %s", SHOWN, arg, strlen(arg) > SHOWN ? "..." : "", nb_error());
    return true;
}

void tool_select_offer(const char *typed)
{
    tool_offer_list(typed);
    for (unsigned k = 0; k < NB_COMPONENTS; k++)
        tool_offer_listed(nb_component_name(k), NULL);
    if (!strchr(typed, ','))
        tool_offer("all", "all bodies");
}

static const struct tool_option table[] = {
    {.about = "Bodies:"},
    {"select", KEY_SELECT, "EXPR", 0,
     "take only the bodies for which a condition on their columns holds, such as 'component == disk && speed < 0.5' or 'id < 1000', or of some components: disk,star; or all",
     tool_select_offer},
    {0},
};
const struct tool_table tool_table_select = {table, parse};

bool tool_select_given(void)
{
    return given;
}

bool tool_select_usually(const char *condition)
{
    if (given)
        return false;
    tool_options.select = nb_select_parse(condition);
    if (!tool_options.select)
        die("%s", nb_error());
    return given = usual = true;
}

/* Bodies without an id are told from one another by their place in the frame. */
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
        return nb_fail("no memory to select of %llu bodies", (unsigned long long)all->n);
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

int tool_select(const struct nb_bodies *all, struct nb_bodies *selected)
{
    unsigned char *mask;
    uint64_t count;
    if (tool_select_mask(all, &mask, &count))
        return -1;
    const int status = nb_select_take(all, mask, count, selected) || number(selected, mask, all->n) ? -1 : 0;
    free(mask);
    return status;
}
