/* frame.c - functions on frames that importers and exporters of several formats share. */
#include "base/io.h"
#include "base/memory.h"
#include "nbconv/nbconv.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool misused;

int conv_misused(int failed)
{
    misused = true;
    return failed;
}

bool conv_is_misused(void)
{
    return misused;
}

struct nb_units conv_units(const struct conv_import *import, const struct nb_meta *own)
{
    return import->options->units ? import->options->meta.units : own->units;
}

int conv_import_header(const struct conv_import *import, const struct nb_meta *own, struct nb_meta *meta)
{
    const struct conv_options *o = import->options;
    if (nb_meta_copy(meta, own))
        return -1;
    meta->units = conv_units(import, own);
    if (o->units || tool_given("G"))
        meta->G = o->meta.G;
    if (tool_given("softening"))
        meta->softening = o->meta.softening;
    if (tool_given("time"))
        meta->time = o->meta.time;
    return 0;
}

int conv_alloc(struct nb_bodies *b, const char *where)
{
    double bytes = 0;
    for (int k = 0; k < b->column_count; k++)
        bytes += (double)nb_column_bytes_padded(&b->columns[k], b->n);
    return nb_memory_check(b->n, bytes) || nb_bodies_alloc(b) ? nb_fail("%s: %s", where, nb_error()) : 0;
}

void conv_set_whole(const struct nb_column *c, uint64_t at, uint64_t value)
{
    if (c->type == NB_U8)
        ((uint8_t *)c->data)[at] = (uint8_t)value;
    else if (c->type == NB_U32)
        ((uint32_t *)c->data)[at] = (uint32_t)value;
    else
        ((uint64_t *)c->data)[at] = value;
}

void conv_one_softening(struct nb_bodies *b)
{
    double length;
    if (nb_bodies_find(b, "softening") && nb_bodies_softening(b, &length) == 0) {
        b->meta.softening = length;
        nb_bodies_drop(b, "softening");
    }
}

void conv_write(struct tool_output *output, const void *bytes, size_t size)
{
    if (nb_io_write(tool_output_fd(output), tool_output_name(output), bytes, size))
        tool_output_failed();
}

void conv_say_lost(const struct nb_bodies *b, const char *kept, const char *format)
{
    static bool said;
    char lost[NB_COLUMNS_MAX * (NB_NAME_MAX + 1)] = "";
    if (said)
        return;
    said = true;
    for (int k = 0; k < b->column_count; k++)
        if (tool_words_find(kept, b->columns[k].name) < 0)
            strcat(strcat(lost, " "), b->columns[k].name);
    if (lost[0])
        say("lost, because %s cannot contain them:%s", format, lost);
    if (nb_scene_is_touching(&b->meta))
        say("%s cannot contain the contact law, walls and box of disks: they are lost", format);
    if (b->meta.force_count > 0)
        say("%s cannot contain external forces: they are lost", format);
}

/* ---- types of particles ---- */

static int parse_entry(const char *all, char *entry, int types[NB_COMPONENTS])
{
    char *number = strchr(entry, '=');
    if (number)
        *number++ = '\0';
    /* the names of components (lib/base/bodies.h) are accepted, and also "hole" instead of black_hole */
    const int component = strcmp(entry, "hole") == 0 ? NB_BLACK_HOLE : nb_component_parse(entry);
    if (number)
        number[-1] = '='; /* restores the text of `entry` for the message */
    if (!number || component < 0 || number[0] < '0' || number[0] >= '0' + CONV_TYPES || number[1])
        return conv_misused(
            nb_fail("--type-map %s: '%s': expected COMPONENT=TYPE with a type from 0 to %d, such as disk=2", all, entry,
                    CONV_TYPES - 1));
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

uint64_t *conv_order_by_type(const struct conv_options *o, const struct nb_bodies *b, const int group[CONV_TYPES],
                             int groups, uint64_t *count)
{
    int types[NB_COMPONENTS];
    const struct nb_column *component = nb_bodies_find(b, "component");
    if (conv_type_map(o, types))
        return NULL;
    uint64_t at = 0, *order = malloc(b->n * sizeof *order);
    if (!order)
        return nb_null(nb_fail("no memory for the order of %" PRIu64 " bodies", b->n));
    for (int g = 0; g < groups; g++) {
        const uint64_t begin = at;
        for (uint64_t i = 0; i < b->n; i++)
            if (group[conv_type_of(types, component ? ((const uint8_t *)component->data)[i] : NB_OTHER)] == g)
                order[at++] = i;
        count[g] = at - begin;
    }
    return order;
}

enum nb_component conv_component_of(const int types[NB_COMPONENTS], int type)
{
    for (int c = 1; c < NB_COMPONENTS; c++)
        if (types[c] == type)
            return (enum nb_component)c;
    return NB_OTHER;
}
