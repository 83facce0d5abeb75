/* Frames on their way in and out: what the importers and exporters of several formats do. */
#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"
#include "nbconv.h"
#include "scene/scene.h"

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

int conv_import_header(const struct conv_import *import, const struct nb_meta *own, struct nb_meta *meta)
{
    const struct conv_options *o = import->options;
    if (nb_meta_copy(meta, own))
        return -1;
    if (o->units)
        meta->units = o->meta.units;
    if (o->units || o->G_given)
        meta->G = o->meta.G;
    if (o->softening_given)
        meta->softening = o->meta.softening;
    if (o->time_given)
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

static bool is_kept(const char *name, const char *const *kept)
{
    while (*kept && strcmp(name, *kept) != 0)
        kept++;
    return *kept;
}

void conv_say_lost(const struct nb_bodies *b, const char *const *kept, const char *format)
{
    static bool said;
    char lost[NB_COLUMNS_MAX * (NB_NAME_MAX + 1)] = "";
    if (said)
        return;
    said = true;
    for (int k = 0; k < b->column_count; k++)
        if (!is_kept(b->columns[k].name, kept))
            strcat(strcat(lost, " "), b->columns[k].name);
    if (lost[0])
        say("left out, as %s has no place for them:%s", format, lost);
    if (nb_scene_is_touching(&b->meta))
        say("%s has no place for the contact law, walls and box of disks: they are lost", format);
    if (b->meta.force_count > 0)
        say("%s has no place for external forces: they are lost", format);
}
