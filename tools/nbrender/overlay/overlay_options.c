/* Options for overlays and walls. */
#include "nbrender/nbrender.h"

static const struct {
    const char *name;
    unsigned flag;
} known[] = {{"time", OVERLAY_TIME},   {"scale", OVERLAY_SCALE},   {"colorbar", OVERLAY_COLORBAR},
             {"title", OVERLAY_TITLE}, {"energy", OVERLAY_ENERGY}, {"box", OVERLAY_BOX},
             {"n", OVERLAY_BODIES},    {"step", OVERLAY_STEP},     {"dp", OVERLAY_MOMENTUM},
             {"dl", OVERLAY_ANGULAR}};

static void offer(void)
{
    tool_offer_list();
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        tool_offer_listed(known[k].name, NULL);
    if (!strchr(tool_offer_typed(), ','))
        tool_offer("none", NULL);
}

static unsigned flag_of(const char *name, size_t length, const char *list)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strlen(known[k].name) == length && strncmp(known[k].name, name, length) == 0)
            return known[k].flag;
    die_usage("--overlay %s: '%.*s': expected time, scale, colorbar, title, energy, box, n, step, dp or dl", list,
              (int)length, name);
}

static void take_list(const struct tool_option *o, const char *list)
{
    struct overlay_options *overlay = o->to;
    overlay->given = true;
    overlay->shown = 0;
    if (strcmp(list, "none") == 0)
        return;
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        overlay->shown |= flag_of(name, length, list);
        name += length;
        if (!*name)
            return;
    }
}

static void take_tree_of(const struct tool_option *o, const char *text)
{
    struct tree_options *tree = o->to;
    tree->of = tool_unsigned(o->name, text);
    tree->of_given = true;
}

const struct tool_option overlay_table[] = {
    {.about = "Overlays:"},
    {"overlay", "LIST", take_list, &render_given.overlay,
     "write over the picture, separated by commas: time, scale (a bar), colorbar, title, energy (its error; "
     "needs the column phi), box (a cube), n (number of bodies), step, dp and dl (errors of momentum and angular "
     "momentum). Default none; colorbar for maps",
     .offer = offer},
    {"title", "[T0:T1:]TEXT", titles_take, &render_given.overlay.titles,
     "a title in UTF-8, shown from time T0 of the stream to T1 (default: always). May be repeated"},
    {"arrows", "N", tool_take_integer, &render_given.overlay.arrows,
     "draw the mean velocities of the bodies on a grid of N columns", 1, ARROWS_MAX, "must be from 1 to 200"},
    {"axes", NULL, tool_take_flag, &render_given.overlay.axes, "add a white margin with coordinates"},
    {"draw-tree", "DEPTH", tool_take_integer, &render_given.overlay.tree.depth,
     "draw the cells of the force tree down to DEPTH levels below the root: an octree, or the tree of --force", 0,
     TREE_DEPTH_MAX, "more than 64"},
    {"draw-tree-of", "ID", take_tree_of, &render_given.overlay.tree,
     "draw the cells that act as one mass on body ID, by --theta (default 0.5) or --force"},
    {0},
};

const struct tool_option wall_table[] = {
    {"walls", "fill|lines|none", tool_take_word, &render_given.walls.style,
     "draw the header's walls filled, or only their lines (default fill)", WALLS_FILL},
    {0},
};

void overlay_options_finish(struct overlay_options *o, bool is_map)
{
    if (is_map && !o->given)
        o->shown = OVERLAY_COLORBAR;
    if (o->shown & OVERLAY_TITLE && o->titles.count == 0)
        die_usage("--overlay title: there is no title (--title TEXT)");
    if (o->arrows > 0)
        o->shown |= OVERLAY_ARROWS;
    if (titles_have_text(&o->titles))
        o->shown |= OVERLAY_TITLE;
}
