/* The frames that --frame names, as they come from an input. */
#include "tool.h"

#include "error.h"

#include <inttypes.h>

static void warn_of_damage(struct nb_snap_reader *r)
{
    const char *damage = nb_snap_damage(r);
    if (damage)
        warn("%s", damage);
}

int tool_input_count(struct nb_snap_reader *r, int64_t *count)
{
    if (nb_snap_count(r, count))
        return -1;
    return tool_list_check(&tool_options.frames, *count) ? nb_fail("%s: %s", nb_snap_name(r), nb_error()) : 0;
}

/* Else all frames, or the last. */
static bool is_list(void)
{
    return tool_options.frame != TOOL_FRAME_ALL && tool_options.frame != NB_FRAME_LAST;
}

int tool_frames_begin(struct tool_frames *f, struct nb_snap_reader *r)
{
    *f = (struct tool_frames){.reader = r, .count = -1, .last = -1};
    return is_list() ? tool_input_count(r, &f->count) : 0;
}

/* Reads on until frame k or the end. Frames before it are verified; where salvage has to find the next, read, and those
 * may spoil what is kept. */
static int read_on(struct nb_snap_reader *r, int64_t k, struct nb_bodies *b)
{
    int status = 1;
    while (status > 0 && nb_snap_frame(r) < k) {
        const bool pass = !tool_options.salvage && nb_snap_frame(r) + 1 < k;
        status = pass ? nb_snap_verify(r) : nb_snap_read(r, b);
        warn_of_damage(r);
    }
    return status;
}

static int read_placed(struct nb_snap_reader *r, struct nb_bodies *b)
{
    const int status = nb_snap_read(r, b);
    warn_of_damage(r);
    return status;
}

/* Nothing more is wanted: what a pipe still brings is verified. */
static int finish(struct tool_frames *f)
{
    struct nb_snap_reader *r = f->reader;
    const int64_t wanted = tool_list_required(&tool_options.frames, f->count);
    int status = f->ended ? 0 : 1;
    while (f->count < 0 && status > 0) {
        status = nb_snap_verify(r);
        warn_of_damage(r);
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
    warn_of_damage(f->reader);
    f->ended = true;
    return status;
}

int tool_frames_next(struct tool_frames *f, struct nb_bodies *b)
{
    if (!is_list())
        return tool_options.frame == TOOL_FRAME_ALL ? read_placed(f->reader, b) : read_last(f, b);
    struct nb_snap_reader *r = f->reader;
    int64_t k = tool_list_after(&tool_options.frames, f->last, f->count);
    while (k >= 0 && nb_snap_frame(r) != k) {
        const int placed = nb_snap_seek(r, k), status = placed > 0 ? read_placed(r, b) : placed ? -1 : read_on(r, k, b);
        f->ended = status == 0;
        if (status < 0)
            return -1;
        if (status == 0)
            return finish(f);
        k = tool_list_after(&tool_options.frames, nb_snap_frame(r) - 1,
                            f->count); /* k was damaged where it is another */
    }
    if (k < 0)
        return finish(f);
    f->last = k;
    return 1;
}
