/* tool_frames.c - reads the frames that --frame or --times names from an input. */
#include "common/tool.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- frames by time ---- */

struct found { /* search for frames whose times match `times`; `list`: the frames found so far */
    struct tool_times *times;
    struct tool_list list;
};

static int add_frame(struct tool_list *l, int64_t frame)
{
    struct tool_range *last = l->range_count > 0 ? &l->ranges[l->range_count - 1] : NULL;
    if (last && last->last == frame - 1) {
        last->last = frame;
        return 0;
    }
    struct tool_range *longer = nb_memory_grow(l->ranges, (size_t)l->range_count, sizeof *longer);
    if (!longer)
        return nb_fail("no memory for a list of frames");
    l->ranges = longer;
    l->ranges[l->range_count++] = (struct tool_range){frame, frame, 1};
    return 0;
}

static int look_at(void *context, int64_t frame, const struct nb_meta *meta)
{
    struct found *f = context;
    tool_times_note(f->times, frame, meta);
    return tool_times_has(f->times, meta) ? add_frame(&f->list, frame) : 0;
}

/* Sets *list to the frames of a file whose times match `times`. Reads only the headers. */
static int find_times(struct nb_snap_reader *r, struct tool_times *times, struct tool_list *list)
{
    struct found f = {.times = times};
    int status = nb_snap_headers(r, look_at, &f);
    if (status == 0 && tool_times_check(times))
        status = nb_fail("%s: --times: %s", nb_snap_name(r), nb_error());
    if (status)
        free(f.list.ranges);
    else
        *list = f.list;
    return status;
}

/* Sets *list to all frames. Used for --times with a pipe: the time of a frame is known only after reading. */
static int take_all(struct tool_list *list)
{
    *list = (struct tool_list){.ranges = malloc(sizeof *list->ranges), .range_count = 1};
    if (!list->ranges)
        return nb_fail("no memory for a list of frames");
    list->ranges[0] = (struct tool_range){0, -1, 1};
    return 0;
}

/* ---- counting ---- */

/* Sets *count to the number of frames, or to -1 for a pipe. If `times` is NULL, checks that the frames in `list` exist.
 * If `times` is not NULL, replaces `list`: for a file by the frames with matching times, for a pipe by all frames. */
static int count_frames(struct nb_snap_reader *r, int64_t *count, struct tool_times *times, struct tool_list *list)
{
    if (nb_snap_count(r, count))
        return -1;
    if (times)
        return *count < 0 ? take_all(list) : find_times(r, times, list);
    return tool_list_check(list, *count) ? nb_fail("%s: %s", nb_snap_name(r), nb_error()) : 0;
}

int tool_input_count(struct nb_snap_reader *r, int64_t *count)
{
    struct tool_options *o = &tool_options;
    struct tool_range *old = o->times ? o->frames.ranges : NULL;
    if (count_frames(r, count, o->times, &o->frames))
        return -1;
    free(old);
    o->times_listed = o->times && *count >= 0;
    return 0;
}

bool tool_frame_is_one(void)
{
    return tool_options.times && !tool_options.times_listed ? tool_times_is_one(tool_options.times)
                                                            : tool_list_is_one(&tool_options.frames);
}

/* Returns whether --frame or --times gives a list of frames. If there is no list, either all frames are read, or only
 * the last frame. */
static bool is_list(void)
{
    return tool_options.frame != TOOL_FRAME_ALL && tool_options.frame != NB_FRAME_LAST;
}

int tool_frames_begin(struct tool_frames *f, struct nb_snap_reader *r)
{
    *f = (struct tool_frames){.reader = r, .list = tool_options.frames, .count = -1, .last = -1};
    if (!is_list())
        return 0;
    if (!tool_options.times)
        return count_frames(r, &f->count, NULL, &f->list);
    f->times = tool_times_copy(tool_options.times);
    if (!f->times)
        return nb_fail("no memory for --times");
    if (!count_frames(r, &f->count, f->times, &f->list))
        return 0;
    tool_times_free(f->times);
    f->times = NULL;
    return -1;
}

/* ---- reading ---- */

/* Reads frame k into b. Returns 0 if the input ends before frame k. Without --salvage, only verifies the frames before
 * k. With --salvage, reads every frame into b: the reader skips damaged frames, so each read may return frame k or a
 * later frame. */
static int read_on(struct nb_snap_reader *r, int64_t k, struct nb_bodies *b)
{
    int status = 1;
    while (status > 0 && nb_snap_frame(r) < k) {
        const bool pass = !tool_options.salvage && nb_snap_frame(r) + 1 < k;
        status = pass ? nb_snap_verify(r) : nb_snap_read(r, b);
        tool_input_warn(r);
    }
    return status;
}

static int read_placed(struct nb_snap_reader *r, struct nb_bodies *b)
{
    const int status = nb_snap_read(r, b);
    tool_input_warn(r);
    return status;
}

/* Called when no frame of the list is left to read. Verifies the remaining frames of a pipe. Returns -1 if one of them
 * is damaged, or if the last frame of the list is missing or damaged. */
static int finish(struct tool_frames *f)
{
    struct nb_snap_reader *r = f->reader;
    const int64_t wanted = tool_list_required(&f->list, f->count);
    int status = f->ended ? 0 : 1;
    while (f->count < 0 && status > 0) {
        status = nb_snap_verify(r);
        tool_input_warn(r);
    }
    const int64_t at = nb_snap_frame(r);
    if (status < 0 || (f->last >= 0 && at >= wanted))
        return status < 0 ? -1 : 0;
    return nb_fail(at > wanted ? "%s: frame %" PRId64 " is damaged" : "%s: no frame %" PRId64 ": the last is %" PRId64,
                   nb_snap_name(r), wanted, at);
}

static int read_last(struct tool_frames *f, struct nb_bodies *b)
{
    if (f->ended)
        return 0;
    const int status = nb_snap_read_frame(f->reader, NB_FRAME_LAST, !tool_options.frame_given, b);
    tool_input_warn(f->reader);
    f->ended = true;
    return status;
}

static int next_listed(struct tool_frames *f, struct nb_bodies *b)
{
    struct nb_snap_reader *r = f->reader;
    int64_t k = tool_list_after(&f->list, f->last, f->count);
    while (k >= 0 && nb_snap_frame(r) != k) {
        const int placed = nb_snap_seek(r, k), status = placed > 0 ? read_placed(r, b) : placed ? -1 : read_on(r, k, b);
        f->ended = status == 0;
        if (status < 0)
            return -1;
        if (status == 0)
            return finish(f);
        /* If frame k was damaged, b now contains a later frame. k becomes the number of the first listed frame from
         * that frame on. */
        k = tool_list_after(&f->list, nb_snap_frame(r) - 1, f->count);
    }
    if (k < 0)
        return finish(f);
    f->last = k;
    return 1;
}

static void end_times(struct tool_frames *f)
{
    tool_times_free(f->times);
    f->times = NULL;
    free(f->list.ranges);
    f->list = (struct tool_list){0};
    f->ended = true;
}

/* Reads the next frame with a time that --times selects, and stores it in b. For a file, these frames are already
 * listed. The frames of a pipe are read until one matches. */
static int next_timed(struct tool_frames *f, struct nb_bodies *b)
{
    int status = f->ended && !f->times ? 0 : 1;
    bool has = status == 0;
    while (!has && (status = next_listed(f, b)) > 0) {
        has = f->count >= 0 || tool_times_has(f->times, &b->meta);
        if (f->count < 0)
            tool_times_note(f->times, nb_snap_frame(f->reader), &b->meta);
    }
    if (status == 0 && f->times && f->count < 0 && tool_times_check(f->times))
        status = nb_fail("%s: --times: %s", nb_snap_name(f->reader), nb_error());
    if (status <= 0 && f->times)
        end_times(f);
    return status;
}

int tool_frames_next(struct tool_frames *f, struct nb_bodies *b)
{
    if (!is_list())
        return tool_options.frame == TOOL_FRAME_ALL ? read_placed(f->reader, b) : read_last(f, b);
    return tool_options.times ? next_timed(f, b) : next_listed(f, b);
}
