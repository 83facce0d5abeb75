#include "nbrender/nbrender.h"

enum { KEY_OVERLAY = 0x500, KEY_TITLE };

static const struct {
    const char *name;
    unsigned flag;
} known[] = {{"time", OVERLAY_TIME},   {"scale", OVERLAY_SCALE},   {"colorbar", OVERLAY_COLORBAR},
             {"title", OVERLAY_TITLE}, {"energy", OVERLAY_ENERGY}, {"box", OVERLAY_BOX}};

static void offer(const char *typed)
{
    tool_offer_list(typed);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        tool_offer_listed(known[k].name, NULL);
    if (!strchr(typed, ','))
        tool_offer("none", NULL);
}

static const struct tool_option options[] = {
    {.about = "Overlays:"},
    {"overlay", KEY_OVERLAY, "LIST", 0,
     "time, scale (a bar), colorbar (what colours mean), title, energy (its error so far; needs the column phi), box (a cube), separated by commas; or none (default; of a map colorbar)",
     offer},
    {"title", KEY_TITLE, "TEXT", 0, "the title, UTF-8; it is shown without --overlay too"},
    {0},
};

static unsigned flag_of(const char *name, size_t length, const char *list)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strlen(known[k].name) == length && strncmp(known[k].name, name, length) == 0)
            return known[k].flag;
    die_usage("--overlay %s: '%.*s' is not time, scale, colorbar, title, energy or box", list, (int)length, name);
}

static void parse_list(struct overlay_options *o, const char *list)
{
    o->given = true;
    o->shown = 0;
    if (strcmp(list, "none") == 0)
        return;
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        o->shown |= flag_of(name, length, list);
        name += length;
        if (!*name)
            return;
    }
}

static bool parse(int key, const char *arg, void *context)
{
    struct overlay_options *o = &((struct render_options *)context)->overlay;
    switch (key) {
    case KEY_OVERLAY: parse_list(o, arg); return true;
    case KEY_TITLE: o->title = arg; return true;
    default: return false;
    }
}

void overlay_options_finish(struct overlay_options *o, bool is_map)
{
    if (is_map && !o->given)
        o->shown = OVERLAY_COLORBAR;
    if (o->shown & OVERLAY_TITLE && !o->title)
        die_usage("--overlay title: there is none (--title TEXT)");
    if (o->title && *o->title)
        o->shown |= OVERLAY_TITLE;
}

const struct tool_table overlay_table = {options, parse};
