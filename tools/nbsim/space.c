/* space.c - prints the size of the output before the run, and dies if the disk is too small for it. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* bytes of a frame's header and footer, without the lines for history, forces and columns, and without the extra lines
 * (nb_meta.extra) */
#define HEADER_BYTES 230
#define COLUMN_BYTES 45 /* bytes of header text for a column */

static double lines_bytes(char *const *lines, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += (double)strlen(lines[k]) + (double)strlen("history \n");
    return sum;
}

/* Returns the approximate number of bytes of a frame that contains the fraction `share` of the bodies. */
static double frame_bytes(const struct nb_bodies *b, double share)
{
    const struct nb_meta *m = &b->meta;
    double sum = HEADER_BYTES + lines_bytes(m->history, m->history_count) + lines_bytes(m->forces, m->force_count) +
                 lines_bytes(m->extra, m->extra_count);
    for (int k = 0; k < b->column_count; k++) {
        const double size = share * (double)nb_column_bytes_padded(&b->columns[k], b->n);
        sum += COLUMN_BYTES + size + 17 * ceil(size / (double)NB_SNAP_BLOCK);
    }
    return sum;
}

static void say_size(const struct run *r, uint64_t frames, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t k = 0;
    double copies = sim_checkpoints_disk(r);
    char beside[64] = "";
    for (; k + 1 < sizeof units / sizeof *units && bytes >= 1000; k++, copies /= 1000)
        bytes /= 1000;
    if (copies > 0)
        snprintf(beside, sizeof beside, ", and %.3g %s for checkpoints", copies, units[k]);
    say("%s, about %.3g %s in all%s", tool_many(frames, "frame", "frames"), bytes, units[k], beside);
}

void sim_check_space(const struct run *r)
{
    const bool first_is_to_come = !r->options->resume && !r->first_is_there;
    const uint64_t frames = sim_schedule_intervals(&r->schedule) - r->place.interval + first_is_to_come;
    const double bytes = (double)frames * frame_bytes(&r->bodies, r->options->sample);
    /* without fixed steps, --every steps:K gives an unknown number of frames */
    if (r->options->every_steps > 0)
        return;
    say_size(r, frames, bytes);
    sim_checkpoints_check_space(r, bytes, tool_many(frames, "frame", "frames"));
}
