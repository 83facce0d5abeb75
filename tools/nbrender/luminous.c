/* What gives light: not a dark halo, which has most of the mass and would hide the galaxy in it. */
#include "nbrender/nbrender.h"

#include <inttypes.h>

static uint64_t dark; /* bodies of it, of the first frame, beside others */

static uint64_t count_dark(const struct nb_bodies *b)
{
    const struct nb_column *component = nb_bodies_find(b, "component");
    uint64_t count = 0;
    for (uint64_t i = 0; component && i < b->n; i++)
        count += ((const uint8_t *)component->data)[i] == NB_HALO;
    return count < b->n ? count : 0;
}

void luminous_choose(const struct render_options *o, const struct nb_bodies *first)
{
    if (tool_select_given() || dark > 0)
        return;
    dark = count_dark(first);
    if (dark > 0 && o->map.kind == MAP_NONE)
        tool_select_usually("component != halo");
}

void luminous_say(const struct render_options *o)
{
    if (dark == 0)
        return;
    const char *are = dark == 1 ? "is" : "are", *leave = "(--select 'component != halo' leaves them out)";
    const char *bodies = tool_many(dark, "body", "bodies");
    if (o->map.kind == MAP_NONE)
        say("%s of the dark halo %s not drawn (--select all draws them)", bodies, are);
    else if (map_is_of_bodies(&o->map))
        say("%s of the dark halo %s in the map %s", bodies, are, leave);
    else if (map_has_bodies(&o->map))
        say("%s of the dark halo %s drawn over the map %s", bodies, are, leave);
}
