/* Reads the frames of the input in the order in which pictures need them, and selects bodies. */
#include "nbrender/nbrender.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

bool source_is_file(const char *input)
{
    struct stat st;
    const bool is_stdin = !input || strcmp(input, "-") == 0;
    if (is_stdin ? fstat(STDIN_FILENO, &st) : stat(input, &st))
        die("%s: %s", is_stdin ? "stdin" : input, strerror(errno));
    return S_ISREG(st.st_mode);
}

struct nb_snap_reader *source_input(const char *input)
{
    struct nb_snap_reader *r = tool_input_open(input);
    nb_snap_map(r, SOURCE_MAPPED);
    return r;
}

void source_watch(const struct nb_snap_reader *r, const struct nb_bodies *b)
{
    bool mapped = false;
    for (int k = 0; k < b->column_count; k++)
        mapped |= b->columns[k].mapped > 0;
    if (mapped)
        tool_watch_mapping(nb_snap_name(r));
}

/* ---- default selection: bodies of a dark halo are not drawn, because they have most of the mass and would hide the
 * galaxy ---- */

/* Number of bodies of the dark halo in the first frame; 0 if there are no other bodies. */
static uint64_t dark;
/* Number of black holes in the first frame. Set to 0 if they are drawn as discs, or if there are no other bodies. */
static uint64_t holes;

static uint64_t count_dark(const struct nb_bodies *b, enum nb_component dark_one)
{
    const struct nb_column *component = nb_bodies_find(b, "component");
    uint64_t count = 0;
    if (!component)
        return 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (uint64_t i = 0; i < b->n; i++)
        count += ((const uint8_t *)component->data)[i] == dark_one;
    return count < b->n ? count : 0;
}

void luminous_choose(const struct render_options *o, const struct nb_bodies *first)
{
    if (tool_select_given() || dark > 0)
        return;
    dark = count_dark(first, NB_HALO);
    holes = discs_are_drawn(o, first, 0) ? 0 : count_dark(first, NB_BLACK_HOLE);
    if (dark > 0 && o->map.kind == MAP_NONE)
        tool_select_usually("component != halo");
}

/* Prints a note if the first frame has black holes and the pictures do not show them. */
static void say_holes(const struct render_options *o)
{
    if (holes > 0 && (o->map.kind == MAP_NONE || map_is_of_bodies(&o->map)) && o->discs.style != STYLE_DISCS)
        say("%s %s no light (--select all draws %s)", tool_many(holes, "black hole", "black holes"),
            holes == 1 ? "gives" : "give", holes == 1 ? "it" : "them");
}

void luminous_say(const struct render_options *o)
{
    say_holes(o);
    if (dark == 0)
        return;
    const char *are = dark == 1 ? "is" : "are", *leave = "(--select 'component != halo' leaves them out)";
    const char *bodies = tool_many(dark, "body", "bodies");
    if (o->map.kind == MAP_NONE)
        say("%s of the dark halo %s not drawn (--select all draws them)", bodies, are);
    else if (map_is_of_bodies(&o->map))
        say("%s of the dark halo %s in the map %s", bodies, are, leave);
    else if (map_has_bodies(&o->map))
        say("%s of the dark halo %s drawn over the map %s", bodies, are, leave);
}

/* ---- reading ---- */

/* Dies if the input has no frame with the wanted number. Called before anything is drawn or printed. */
static void check_wanted(const struct source *s)
{
    struct tool_range one = {s->wanted, s->wanted, 1};
    const struct tool_list list = {&one, 1};
    if (s->wanted >= 0 && tool_list_check(&list, s->length))
        die("%s: %s", nb_snap_name(s->reader), nb_error());
}

void source_open(struct source *s, const struct render_options *o, int64_t wanted)
{
    *s = (struct source){.options = o,
                         .wanted = wanted,
                         .frame = -1,
                         .history = o->discs.trails > 0 || o->motion.average > 0 || o->overlay.shown & OVERLAY_ENERGY ||
                                    (o->view.follow && o->view.followed.kind == FOCUS_DENSEST)};
    nb_bodies_init(&s->bodies);
    nb_bodies_init(&s->whole);
    s->reader = source_input(o->input);
    s->is_file = source_is_file(o->input);
    if (wanted == TOOL_FRAME_LIST)
        must(tool_input_count(s->reader, &s->length));
    else if (nb_snap_count(s->reader, &s->length))
        s->length = -1; /* reading will report the error */
    check_wanted(s);
    /* Pictures that depend on earlier frames (s->history) need all frames, although only the last frame is drawn. With
     * NB_FRAME_LAST the reader would jump to the last frame, so the number of the last frame is used instead. */
    if (wanted == NB_FRAME_LAST && s->history && s->length > 0)
        s->wanted = s->length - 1;
}

/* Stores the message of nb_error() in s->error, which ends the reading of the input. Returns false. */
static bool fail(struct source *s)
{
    snprintf(s->message, sizeof s->message, "%s", nb_error());
    s->error = s->message;
    return false;
}

/* Prints a warning. In the thread that reads frames in advance (s->within is set), only stores the warning in s->notes.
 * The warning is printed later, when the frame is taken for drawing, so that warnings appear in the order of frames. */
static void note(struct source *s, const char *line)
{
    char *notes = NULL;
    if (!s->within)
        warn("%s", line);
    else if (asprintf(&notes, "%s%s%s", s->notes ? s->notes : "", s->notes ? "\n" : "", line) >= 0) {
        free(s->notes);
        s->notes = notes;
    }
}

static void warn_of_damage(struct source *s)
{
    const char *damage = nb_snap_damage(s->reader);
    if (damage)
        note(s, damage);
}

/* Returns whether a signal ends the reading of a file. A signal does not end the reading of a pipe: the writer of the
 * pipe received the same signal and ends the stream. */
bool source_stopped(struct source *s)
{
    s->interrupted |= s->within ? ahead_is_ending(s->within) : tool_signal && s->is_file;
    return s->interrupted;
}

/* Returns the bodies into which a frame is read: s->whole with --select, otherwise s->bodies. */
static struct nb_bodies *target(struct source *s)
{
    return tool_options.select ? &s->whole : &s->bodies;
}

const struct nb_bodies *source_whole(const struct source *s)
{
    return tool_options.select ? &s->whole : &s->bodies;
}

static void note_empty(struct source *s)
{
    char line[80];
    snprintf(line, sizeof line, "frame %lld: no body is selected; such frames are drawn black", (long long)s->frame);
    note(s, line);
}

/* If --select was not given, chooses the default selection from the first frame, which was read into s->bodies. If the
 * selection leaves out bodies, moves the frame to s->whole. After that, take_selected copies the selected bodies from
 * s->whole to s->bodies. */
static void choose_luminous(struct source *s)
{
    if (tool_options.select)
        return;
    luminous_choose(s->options, &s->bodies);
    if (tool_options.select)
        source_take(s, &s->whole);
}

static int take_selected(struct source *s)
{
    if (!tool_options.select)
        return 0;
    if (tool_select(&s->whole, &s->bodies))
        return -1;
    if (s->bodies.n == 0 && !s->warned)
        note_empty(s);
    s->warned |= s->bodies.n == 0;
    return 0;
}

const char *source_lacks(const struct render_options *o, const struct nb_bodies *b)
{
    const struct {
        /* name: argument of an option, NULL if the option is not used. It names a quantity that the bodies must have,
         * except if it is equal to `other`. */
        const char *name, *other;
    } asked[] = {{o->colour.color, "density"},
                 {strcmp(o->colour.weight, "auto") == 0 ? "mass" : o->colour.weight, "count"},
                 {o->map.kind == MAP_MEAN ? o->map.what : NULL, ""}};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        if (asked[k].name && strcmp(asked[k].name, asked[k].other) != 0 && !quantity_is_there(asked[k].name, b))
            return asked[k].name;
    return NULL;
}

/* Checks that a frame after the first has the columns that pictures need. Returns 0, or -1 after nb_fail. Does not
 * check the first frame: a column missing there is reported elsewhere, as an error in an option. */
static int check_columns(const struct source *s)
{
    const char *missing = s->count > 1 ? source_lacks(s->options, &s->bodies) : NULL;
    return missing ? nb_fail("the bodies no longer have a column %s", missing) : 0;
}

/* Returns whether frames are selected by time from an input whose times are not known in advance. */
static bool is_timed(const struct source *s)
{
    return s->wanted == TOOL_FRAME_LIST && tool_options.times && s->length < 0;
}

/* Stores the frame's number, checks the frame and selects bodies. Returns false with s->error set if the frame is
 * invalid. */
static bool accept(struct source *s)
{
    s->frame = nb_snap_frame(s->reader);
    s->count++;
    source_watch(s->reader, target(s));
    if (is_timed(s))
        tool_times_note(tool_options.times, s->frame, &target(s)->meta);
    const bool good = nb_bodies_check(target(s)) == 0;
    if (good && s->count == 1)
        choose_luminous(s);
    if (!good || take_selected(s) || check_columns(s)) {
        nb_fail("%s: frame %lld: %s", nb_snap_name(s->reader), (long long)s->frame, nb_error());
        return fail(s);
    }
    return true;
}

/* Reads and checks the next frame. Returns false at the end of the input. On failure, also sets s->error. */
static bool read_frame(struct source *s)
{
    int status = nb_snap_read(s->reader, target(s));
    warn_of_damage(s);
    if (status <= 0)
        return status < 0 ? fail(s) : false;
    return accept(s);
}

/* Reads and verifies the rest of a pipe, so that its writer does not fail. Returns false. */
static bool drain(struct source *s)
{
    int status = 1;
    while (!s->is_file && status > 0 && !source_stopped(s)) {
        status = nb_snap_verify(s->reader);
        warn_of_damage(s);
    }
    return status < 0 ? fail(s) : false;
}

/* Stores in s->error why frame `wanted` was not found: --salvage skipped it as damaged, or the input ends before it.
 * Returns false. */
static bool fail_without(struct source *s, long long wanted)
{
    long long at = nb_snap_frame(s->reader);
    nb_fail(at > wanted ? "%s: frame %lld is damaged" : "%s: no whole frame %lld: the last one is %lld",
            nb_snap_name(s->reader), wanted, at);
    return fail(s);
}

/* Reads frame `wanted`, which is after the current one. Returns false if the frame was not read. If the input ends
 * before frame `wanted`, this is an error unless `optional` is true. */
static bool read_wanted(struct source *s, int64_t wanted, bool optional)
{
    int placed = nb_snap_seek(s->reader, wanted), status = 1;
    if (placed < 0)
        return fail(s);
    while (!placed && status > 0 && !source_stopped(s) && nb_snap_frame(s->reader) + 1 < wanted) {
        /* With --salvage, damaged frames are skipped, and the next complete frame may already be the wanted one. Its
         * bodies are therefore read. Without --salvage, the frames before the wanted one are only verified. */
        status = tool_options.salvage ? nb_snap_read(s->reader, target(s)) : nb_snap_verify(s->reader);
        warn_of_damage(s);
    }
    if (status < 0)
        return fail(s);
    if (s->interrupted)
        return false;
    int64_t at = nb_snap_frame(s->reader);
    if (status > 0 && (at == wanted ? accept(s) : at < wanted && read_frame(s)) && s->frame == wanted)
        return true;
    return s->error || optional ? false : fail_without(s, wanted);
}

/* Called at the end of the input. Always returns false; sets s->error if a requested time has no frame. */
static bool check_times(struct source *s)
{
    if (tool_times_check(tool_options.times) == 0)
        return false;
    nb_fail("%s: --times: %s", nb_snap_name(s->reader), nb_error());
    return fail(s);
}

/* Reads the next frame of --frame's list. With --salvage it reads every frame, so that it warns of every damaged
 * frame. */
static bool read_listed(struct source *s)
{
    const int64_t next = tool_list_after(&tool_options.frames, s->frame, s->length);
    const int64_t required = tool_list_required(&tool_options.frames, s->length);
    if (next < 0)
        return drain(s);
    if (next > s->frame + 1 && !tool_options.salvage && !s->history)
        return read_wanted(s, next, next > required);
    while (!source_stopped(s) && read_frame(s)) {
        s->listed |= source_wants(s);
        if (!is_timed(s) || s->history || source_wants(s))
            return true;
    }
    if (s->error || s->interrupted)
        return false;
    if (is_timed(s))
        return check_times(s);
    return s->listed && s->frame >= required ? false : fail_without(s, required);
}

/* Reads the last frame of the input. With --salvage, reads only the next frame; the caller calls it again until the
 * input ends. Returns false if no frame was read. */
static bool read_last(struct source *s)
{
    uint64_t before = s->count;
    int placed = tool_options.frame_given && before == 1 ? nb_snap_seek(s->reader, NB_FRAME_LAST) : 0;
    if (placed < 0)
        return fail(s);
    /* With --salvage, the attempt to read a damaged frame at the end may overwrite the bodies of the last good frame.
     * So this function returns after each good frame. */
    while (!source_stopped(s) && read_frame(s))
        if (tool_options.salvage)
            return true;
    return !s->error && !s->interrupted && s->count > before;
}

bool source_read(struct source *s)
{
    if (s->error || source_stopped(s))
        return false;
    if (s->count == 0 || s->wanted == TOOL_FRAME_ALL || (s->wanted == NB_FRAME_LAST && s->history))
        return read_frame(s);
    if (s->wanted == NB_FRAME_LAST)
        return read_last(s);
    if (s->wanted == TOOL_FRAME_LIST)
        return read_listed(s);
    if (s->frame > s->wanted)
        return fail_without(s, s->wanted);
    if (s->frame == s->wanted)
        return drain(s);
    if (!s->history)
        return read_wanted(s, s->wanted, false);
    /* Pictures that depend on earlier frames (s->history) need all frames up to the wanted one. */
    return read_frame(s) || (!s->error && !s->interrupted && fail_without(s, s->wanted));
}

static size_t frame_bytes(const struct source *s)
{
    const struct nb_bodies *frames[] = {&s->bodies, &s->whole};
    size_t bytes = 0;
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < frames[k]->column_count; c++)
            bytes += nb_column_bytes_padded(&frames[k]->columns[c], frames[k]->n);
    return bytes;
}

/* Reads the first frame and stores its size in s->bytes. With this size, ahead.c limits the frames read in advance. */
static bool read_first(struct source *s)
{
    bool more = source_read(s);
    s->bytes = more ? frame_bytes(s) : 0;
    return more;
}

static bool read_next(struct source *s)
{
    const bool several = s->wanted == TOOL_FRAME_ALL || s->wanted == TOOL_FRAME_LIST;
    if (s->error || source_stopped(s))
        return false;
    if (s->count == 0)
        return read_first(s);
    if (s->count == 1 && several && !s->ahead)
        s->ahead = ahead_begin(s);
    return s->ahead ? ahead_next(s->ahead, s) : source_read(s);
}

bool source_next(struct source *s)
{
    if (!read_next(s))
        return false;
    overlay_note(s->overlay, source_whole(s));
    return true;
}

bool source_wants(const struct source *s)
{
    if (is_timed(s))
        return tool_times_has(tool_options.times, &s->bodies.meta);
    if (s->wanted == TOOL_FRAME_LIST)
        return tool_list_after(&tool_options.frames, s->frame - 1, s->length) == s->frame;
    return s->wanted == TOOL_FRAME_ALL || s->wanted == s->frame;
}

uint64_t source_expects(const struct source *s)
{
    uint64_t count = 0;
    if (s->length <= 0)
        return 0;
    if (s->wanted != TOOL_FRAME_LIST)
        return s->wanted == TOOL_FRAME_ALL ? (uint64_t)s->length : 1;
    for (int64_t k = -1; (k = tool_list_after(&tool_options.frames, k, s->length)) >= 0;)
        count++;
    return count;
}

int64_t source_length(struct source *s)
{
    int64_t length;
    must(tool_input_count(s->reader, &length));
    return length;
}

void source_take(struct source *s, struct nb_bodies *b)
{
    nb_bodies_swap(&s->bodies, b);
}

void source_close(struct source *s)
{
    ahead_end(s->ahead);
    nb_snap_close(s->reader);
    nb_bodies_free(&s->bodies);
    nb_bodies_free(&s->whole);
}
