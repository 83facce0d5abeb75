
#include "nbrender/nbrender.h"

enum { KEY_MAP = 0x600, KEY_CONTOURS, KEY_BODIES, KEY_FORCE, KEY_THETA, KEY_SOFTENING };

static const struct tool_option options[] = {
    {.about = "Maps:"},
    {"map", KEY_MAP, "density|speed|potential|acceleration|COLUMN", 0,
     "instead of light a quantity: density (mass per area), speed or a column (the mean by mass along the line of "
     "sight; of a vector its magnitude), potential or acceleration (on the plane through the centre, of all bodies)"},
    {"contours", KEY_CONTOURS, "N", 0,
     "lines at N values, evenly spaced over the colours (default 12 for potential and acceleration, else 0)"},
    {"map-bodies", KEY_BODIES, "X", 0,
     "opacity of the bodies over a potential or an acceleration, from 0 (none) to 1 (default 0.5)"},
    {"force", KEY_FORCE, "NAME[:key=value,...]", TOOL_REPEATED,
     "what computes them, as in nbsim (default: the header's, else direct for up to 65536 bodies and tree for more)",
     tool_forces_offer},
    {"theta", KEY_THETA, "X", 0, "short for tree:theta=X, its opening parameter (default " PLANE_THETA ")"},
    {"softening", KEY_SOFTENING, "L", 0, "their Plummer softening length, 0 for none (default: the input's)"},
    {0},
};

static void parse_map(struct map_options *o, const char *text)
{
    o->what = text;
    o->kind = strcmp(text, "density") == 0        ? MAP_DENSITY
              : strcmp(text, "potential") == 0    ? MAP_POTENTIAL
              : strcmp(text, "acceleration") == 0 ? MAP_ACCELERATION
                                                  : MAP_MEAN;
}

static int parse_contours(const char *text)
{
    const uint64_t n = tool_unsigned("--contours", text);
    if (n > MAP_CONTOURS_MAX)
        die_usage("--contours %s: more than %d", text, MAP_CONTOURS_MAX);
    return (int)n;
}

static bool parse(int key, const char *arg, void *context)
{
    struct map_options *o = &((struct render_options *)context)->map;
    switch (key) {
    case KEY_MAP: parse_map(o, arg); return true;
    case KEY_CONTOURS: o->contours = parse_contours(arg); return true;
    case KEY_BODIES: o->bodies = render_share("--map-bodies", arg); return true;
    case KEY_FORCE: tool_forces_add(&o->forces, arg); return true;
    case KEY_THETA: o->forces.theta = tool_forces_short("theta", arg); return true;
    case KEY_SOFTENING: o->softening = tool_not_negative("--softening", arg); return true;
    default: return false;
    }
}

const struct tool_table map_table = {options, parse};

/* What is for light, and asks for nothing where values are shown; an exposure that adapts is for their range too. */
static const char *of_light(const struct render_options *o)
{
    return o->colour.color != render_defaults.colour.color     ? "color"
           : o->colour.weight != render_defaults.colour.weight ? "weight"
           : o->light.stars > 0                                ? "stars"
           : o->light.bloom != render_defaults.light.bloom     ? "bloom"
           : o->light.exposure != 1                            ? "exposure"
           : o->map.bodies != render_defaults.map.bodies       ? "map-bodies"
                                                               : NULL;
}

void map_options_finish(const struct render_options *o)
{
    const struct map_options *map = &o->map;
    const bool forces = map->forces.count > 0 || map->forces.theta || !isnan(map->softening);
    const bool discs = o->discs.style == STYLE_DISCS || o->discs.trails > 0 || o->discs.labels;
    if (map->contours >= 0 && map->kind == MAP_NONE)
        die_usage("--contours: lines of which quantity? (--map)");
    if (forces && !map_is_field(map))
        die_usage("--force, --theta and --softening are for --map potential and acceleration");
    if (map_is_field(map))
        tool_forces_check(&map->forces);
    if (map->kind != MAP_NONE && o->view.stereo_base > 0)
        die_usage("--map %s: is told by colours, which --stereo takes for the eyes", map->what);
    if (discs && map->kind != MAP_NONE && !map_has_bodies(map))
        die_usage("--map %s: shows no bodies; without --style discs, --trails and --labels", map->what);
    if (map_is_field(map) && tool_options.select && (o->motion.interpolate > 1 || o->motion.shutter > 0))
        die_usage("--map %s is of all bodies, and --interpolate and --shutter move those of --select alone", map->what);
    if (map->kind != MAP_NONE && !map_is_field(map) && of_light(o))
        die_usage("--%s: --map %s shows values, no light and no bodies", of_light(o), map->what);
    if (map->kind == MAP_NONE && map->bodies != render_defaults.map.bodies)
        die_usage("--map-bodies: over which quantity? (--map)");
    if (map->kind == MAP_MEAN && !quantity_is_name(map->what))
        die_usage("--map %s: not density, potential, acceleration, speed or a column's name", map->what);
}
