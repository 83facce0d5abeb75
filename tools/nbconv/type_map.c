#include "type_map.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_TYPE_MAP = 0x100 + 64 };

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    if (key != KEY_TYPE_MAP)
        return false;
    o->type_map = arg;
    return true;
}

static const struct tool_option table[] = {
    {.about = "Types of particles:"},
    {"type-map", KEY_TYPE_MAP, "NAME=TYPE,...", 0,
     "the types 0 to 5 that components become, and back (default gas=0, halo=1, disk=2, bulge=3, star=4, hole=5, planet=4, other=1)"},
    {0},
};

const struct tool_table type_map_options = {table, parse};

/* Any name of lib/base/bodies.h, and "hole" for the long one. */
static int parse_component(const char *name)
{
    return strcmp(name, "hole") == 0 ? NB_BLACK_HOLE : nb_component_parse(name);
}

static void parse_entry(const char *all, char *entry, int types[NB_COMPONENTS])
{
    char *number = strchr(entry, '=');
    if (number)
        *number++ = '\0';
    const int component = parse_component(entry);
    if (number)
        number[-1] = '='; /* whole again, for the message */
    if (!number || component < 0 || number[0] < '0' || number[0] >= '0' + TYPE_MAP_TYPES || number[1])
        die_usage("--type-map %s: '%s' is not COMPONENT=TYPE with a type from 0 to %d, as disk=2", all, entry,
                  TYPE_MAP_TYPES - 1);
    types[component] = number[0] - '0';
}

void type_map_read(const struct conv_options *o, int types[NB_COMPONENTS])
{
    static const int usual[NB_COMPONENTS] = {[NB_OTHER] = 1, [NB_HALO] = 1,   [NB_DISK] = 2,       [NB_BULGE] = 3,
                                             [NB_STAR] = 4,  [NB_PLANET] = 4, [NB_BLACK_HOLE] = 5, [NB_GAS] = 0};
    memcpy(types, usual, sizeof usual);
    if (!o->type_map)
        return;
    char *list = strdup(o->type_map), *rest = list;
    if (!list)
        die("no memory");
    for (char *entry; (entry = strsep(&rest, ","));)
        parse_entry(o->type_map, entry, types);
    free(list);
}

enum nb_component type_map_component(const int types[NB_COMPONENTS], int type)
{
    for (int c = 1; c < NB_COMPONENTS; c++)
        if (types[c] == type)
            return (enum nb_component)c;
    return NB_OTHER;
}
