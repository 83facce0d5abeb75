/* Options for maps, and the checks on their combinations. */

#include "nbrender/nbrender.h"

static void take_map(const struct tool_option *o, const char *text)
{
    tool_take_text(o, text);
    render_given.map.kind = strcmp(text, "density") == 0        ? MAP_DENSITY
                            : strcmp(text, "potential") == 0    ? MAP_POTENTIAL
                            : strcmp(text, "acceleration") == 0 ? MAP_ACCELERATION
                                                                : MAP_MEAN;
}

const struct tool_option map_table[] = {
    {.about = "Maps:"},
    {"map", "density|speed|potential|acceleration|COLUMN", take_map, &render_given.map.what,
     "draw a quantity instead of light: mass per area, the mean of speed or a column along the line of sight "
     "(such as vz), or potential or acceleration in the plane through the centre"},
    {"contours", "N", tool_take_integer, &render_given.map.contours,
     "draw contours at up to N round values (default 12 for potential and acceleration, otherwise 0)", 0,
     MAP_CONTOURS_MAX, "more than 200"},
    {"map-bodies", "X", tool_take_not_negative, &render_given.map.bodies,
     "opacity of the bodies over a potential or an acceleration, 0 to 1 (default 0.5)", 0, 1, "must be from 0 to 1"},
    {"force", "NAME[:key=value,...]", tool_forces_take, &render_given.map.forces,
     "method for potential and acceleration, as in nbsim (default: the header's, otherwise direct for up to "
     "65536 bodies and tree for more). For --draw-tree octree or kdtree",
     .flags = TOOL_REPEATED, .offer = tool_forces_offer},
    {"theta", "X", tool_forces_take_short, &render_given.map.forces.theta,
     "short for --force tree:theta=X, the opening criterion (default " PLANE_THETA
     "), or for octree:theta=X of --draw-tree"},
    {"softening", "L", tool_take_not_negative, &render_given.map.softening,
     "Plummer softening length for potential and acceleration, 0 for none (default: the input's)"},
    {0},
};

/* Returns the name of an option that the user gave but that has no effect on maps, only on bodies drawn as light.
 * Returns NULL if there is none. --exposure adapt is not such an option, because it also adapts the scale of a map. */
static const char *of_light(const struct render_options *o)
{
    return o->colour.color != render_defaults.colour.color     ? "color"
           : o->colour.weight != render_defaults.colour.weight ? "weight"
           : o->light.stars != render_defaults.light.stars     ? "stars"
           : o->light.bloom != render_defaults.light.bloom     ? "bloom"
           : o->light.exposure != 1                            ? "exposure"
           : o->map.bodies != render_defaults.map.bodies       ? "map-bodies"
                                                               : NULL;
}

void map_options_finish(const struct render_options *o)
{
    const struct map_options *map = &o->map;
    const bool forces = map->forces.count > 0 || map->forces.theta || !isnan(map->softening);
    const bool discs =
        o->discs.style == STYLE_DISCS || o->discs.trails > 0 || o->discs.labels || o->discs.point_size > 0;
    if (map->contours >= 0 && map->kind == MAP_NONE)
        die_usage("--contours needs --map");
    const bool of_tree = tree_is_drawn(o) && isnan(map->softening);
    if (forces && !map_is_field(map) && !of_tree)
        die_usage("--force, --theta and --softening need --map potential or acceleration");
    if (map_is_field(map))
        tool_forces_check(&map->forces);
    if (map->kind != MAP_NONE && o->view.stereo_base > 0)
        die_usage("--map %s shows values by colour, and --stereo uses colours for the eyes: give only one", map->what);
    if (discs && map->kind != MAP_NONE && !map_has_bodies(map))
        die_usage("--map %s shows no bodies: remove --style discs, --point-size, --trails and --labels", map->what);
    if (map_is_field(map) && tool_options.select && (o->motion.interpolate > 1 || o->motion.shutter > 0))
        die_usage("--map %s uses all bodies, but --interpolate and --shutter move only selected bodies", map->what);
    if (map_is_field(map) && o->motion.average > 0)
        die_usage("--average works for light and maps of bodies, not for --map %s", map->what);
    if (map->kind != MAP_NONE && !map_is_field(map) && of_light(o))
        die_usage("--%s cannot be used with --map %s, which shows values, not light or bodies", of_light(o), map->what);
    if (map->kind == MAP_NONE && map->bodies != render_defaults.map.bodies)
        die_usage("--map-bodies needs --map");
    if (map->kind == MAP_MEAN && !quantity_is_name(map->what))
        die_usage("--map %s: expected density, potential, acceleration, speed or the name of a column", map->what);
}
