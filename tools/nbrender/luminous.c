/* What gives light: not a dark halo, which has most of the mass and would hide the galaxy in it. */
#include "nbrender/nbrender.h"

#include <inttypes.h>

void luminous_choose(const struct render_options *o, const struct nb_bodies *first)
{
    const struct nb_column *component = nb_bodies_find(first, "component");
    uint64_t dark = 0;
    if (tool_options.select || o->map.kind != MAP_NONE || !component)
        return;
    for (uint64_t i = 0; i < first->n; i++)
        dark += ((const uint8_t *)component->data)[i] == NB_HALO;
    if (dark > 0 && dark < first->n && tool_select_usually("component != halo"))
        say("%" PRIu64 " bodies of the dark halo are not drawn (--select all draws them)", dark);
}
