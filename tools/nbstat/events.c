/* events.c - --events: reads the headers of frames, and prints a line for each star that merged or left, and for each
 * event of a binary. */
#include "nbstat.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line { /* data of an event; a member that is NULL or NAN has no value for this event */
    const char *file;
    int64_t frame;
    const char *event;
    uint64_t count;
    double time;
    const char *id, *other;
    double mass, other_mass, energy, x[3], v[3];
    const char *former;
};

struct session {
    struct stat_output out;
    struct stat_columns columns;
    struct stat_print print;
};

static struct stat_column all[] = {
    {.name = "file", .type = STAT_NAME, .offset = offsetof(struct line, file), .width = 1},
    {.name = "frame", .type = STAT_FRAME, .offset = offsetof(struct line, frame), .width = 1},
    {.name = "event", .type = STAT_NAME, .offset = offsetof(struct line, event), .width = 1},
    {.name = "count", .type = STAT_COUNT, .offset = offsetof(struct line, count), .width = 1},
    {.name = "time", .type = STAT_NUMBER, .offset = offsetof(struct line, time), .width = 1},
    {.name = "id", .type = STAT_PARAM, .offset = offsetof(struct line, id), .width = 1},
    {.name = "other", .type = STAT_PARAM, .offset = offsetof(struct line, other), .width = 1},
    {.name = "mass", .type = STAT_NUMBER, .offset = offsetof(struct line, mass), .width = 1},
    {.name = "other_mass", .type = STAT_NUMBER, .offset = offsetof(struct line, other_mass), .width = 1},
    {.name = "energy", .type = STAT_NUMBER, .offset = offsetof(struct line, energy), .width = 1},
    {.name = "pos", .parts = "x\ty\tz", .type = STAT_NUMBER, .offset = offsetof(struct line, x), .width = 3},
    {.name = "vel", .parts = "vx\tvy\tvz", .type = STAT_NUMBER, .offset = offsetof(struct line, v), .width = 3},
    {.name = "former", .type = STAT_PARAM, .offset = offsetof(struct line, former), .width = 1},
};

static void clear(double v[3])
{
    v[0] = v[1] = v[2] = NAN;
}

static void print(struct session *s, struct line line, const struct nb_event *e)
{
    const int stars = nb_event_stars(e->kind);
    const bool single = stars > 0, pair = stars > 1;
    char id[24], other[24], former[24];
    snprintf(id, sizeof id, "%" PRIu64, e->id);
    snprintf(other, sizeof other, "%" PRIu64, e->other);
    snprintf(former, sizeof former, "%" PRIu64, e->former);
    line.event = nb_event_name(e->kind);
    line.count = e->count;
    line.energy = e->energy;
    line.time = single ? e->time : NAN;
    line.id = single ? id : NULL;
    line.other = pair ? other : NULL;
    line.former = stars > 2 ? former : NULL;
    line.mass = single ? e->mass : NAN;
    line.other_mass = pair ? e->other_mass : NAN;
    memcpy(line.x, e->x, sizeof line.x);
    memcpy(line.v, e->v, sizeof line.v);
    if (!single) {
        clear(line.x);
        clear(line.v);
    }
    stat_print_line(&s->print, &s->columns, &line);
    stat_output_flush(&s->out);
}

static int take_frame(struct session *s, const struct nb_snap_reader *r, const struct nb_meta *meta)
{
    const struct line line = {.file = nb_snap_name(r), .frame = nb_snap_frame(r)};
    struct nb_event *events = NULL;
    struct nb_booked booked;
    size_t count = 0;
    const int status = nb_events_read(meta, &events, &count) || nb_booked_read(meta, &booked) ? -1 : 0;
    for (size_t k = 0; k < count && status == 0; k++)
        print(s, line, &events[k]);
    free(events);
    return status ? complain("%s: frame %" PRId64 ": %s", line.file, line.frame, nb_error()) : 0;
}

static int take_input(struct session *s, const char *path)
{
    struct nb_snap_reader *r = stat_input_open(path);
    struct nb_bodies b;
    uint64_t components[256];
    int status;
    if (!r)
        return -1;
    nb_bodies_init(&b);
    while ((status = stat_input_skip(r, &b, components)) > 0)
        if ((status = take_frame(s, r, &b.meta)))
            break;
    nb_bodies_free(&b);
    nb_snap_close(r);
    return status;
}

int stat_events(const struct stat_options *o)
{
    struct session s = {.columns = {.of = all, .count = sizeof all / sizeof *all}};
    int failures = 0;
    stat_output_open(&s.out);
    stat_print_begin(&s.print, o, &s.out);
    for (int k = 0; k < o->input_count; k++)
        failures += take_input(&s, o->inputs[k]) != 0;
    if (failures == 0)
        stat_print_names(&s.print, &s.columns); /* printed even if there are no lines */
    stat_output_flush(&s.out);
    stat_output_close(&s.out, failures == 0);
    return failures ? TOOL_FAILED : TOOL_OK;
}
