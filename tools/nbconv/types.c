/* --type-map: the types of particles that components become, and back. */
#include "base/error.h"
#include "nbconv.h"

#include <stdlib.h>
#include <string.h>

/* Any name of lib/base/bodies.h, and "hole" for the long one. */
static int parse_component(const char *name)
{
    return strcmp(name, "hole") == 0 ? NB_BLACK_HOLE : nb_component_parse(name);
}

static int parse_entry(const char *all, char *entry, int types[NB_COMPONENTS])
{
    char *number = strchr(entry, '=');
    if (number)
        *number++ = '\0';
    const int component = parse_component(entry);
    if (number)
        number[-1] = '='; /* whole again, for the message */
    if (!number || component < 0 || number[0] < '0' || number[0] >= '0' + CONV_TYPES || number[1])
        return conv_misused(nb_fail("--type-map %s: '%s' is not COMPONENT=TYPE with a type from 0 to %d, as disk=2",
                                    all, entry, CONV_TYPES - 1));
    types[component] = number[0] - '0';
    return 0;
}

int conv_type_map(const struct conv_options *o, int types[NB_COMPONENTS])
{
    static const int usual[NB_COMPONENTS] = {[NB_OTHER] = 1, [NB_HALO] = 1,   [NB_DISK] = 2,       [NB_BULGE] = 3,
                                             [NB_STAR] = 4,  [NB_PLANET] = 4, [NB_BLACK_HOLE] = 5, [NB_GAS] = 0};
    memcpy(types, usual, sizeof usual);
    char *list = strdup(o->type_map ? o->type_map : ""), *rest = list;
    int status = list ? 0 : nb_fail("no memory");
    for (char *entry; o->type_map && status == 0 && (entry = strsep(&rest, ","));)
        status = parse_entry(o->type_map, entry, types);
    free(list);
    return status;
}

int conv_type_of(const int types[NB_COMPONENTS], unsigned component)
{
    return types[component < NB_COMPONENTS ? component : NB_OTHER];
}

enum nb_component conv_component_of(const int types[NB_COMPONENTS], int type)
{
    for (int c = 1; c < NB_COMPONENTS; c++)
        if (types[c] == type)
            return (enum nb_component)c;
    return NB_OTHER;
}
