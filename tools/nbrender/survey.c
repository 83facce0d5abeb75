/* Reads some frames spread over a file before the film, to find its exposure, colours and extent. */
#include "nbrender/nbrender.h"

#include <errno.h>
#include <unistd.h>

struct walk { /* state of a survey */
    struct nb_snap_reader *reader;
    struct nb_bodies read,         /* all bodies of the frame */
        bodies;                    /* the bodies that --select selects from `read` */
    struct render_options options; /* copy of the film's options, with a smaller width and height */
    struct stage small;
    survey_note *note;
    void *context;
    int noted;
};

static uint64_t bytes_of(const struct nb_bodies *b)
{
    uint64_t bytes = 1;
    for (int k = 0; k < b->column_count; k++)
        bytes += (uint64_t)nb_column_bytes(&b->columns[k], b->n);
    return bytes;
}

/* Returns the bodies selected by --select. Returns NULL if a column that --select needs is missing. The error is
 * reported later, when the frame is read again for the film. */
static const struct nb_bodies *take_selected(struct walk *w)
{
    errno = 0;
    if (tool_select(&w->read, &w->bodies) == 0)
        return &w->bodies;
    if (errno == ENOMEM)
        die("%s", nb_error());
    return NULL;
}

/* Returns the bodies of frame k that are drawn. Returns NULL if the frame is damaged, invalid or lacks a column. */
static const struct nb_bodies *read_frame(struct walk *w, int64_t k)
{
    if (nb_snap_seek(w->reader, k) != 1 || nb_snap_read(w->reader, &w->read) != 1) {
        if (!nb_snap_is_damaged(w->reader))
            die("%s", nb_error());
        return NULL;
    }
    source_watch(w->reader, &w->read);
    if (nb_bodies_check(&w->read) || source_lacks(&w->options, &w->read))
        return NULL;
    if (k == 0)
        luminous_choose(&w->options, &w->read);
    return tool_options.select ? take_selected(w) : &w->read;
}

static void go(struct walk *w, int64_t count, int most)
{
    int64_t frames = count < most ? count : most;
    for (int64_t k = 0; k < frames && !tool_signal; k++) {
        int64_t frame = frames > 1 ? k * (count - 1) / (frames - 1) : 0;
        const struct nb_bodies *b = read_frame(w, frame);
        if (!b)
            return;
        if (k == 0) {
            int64_t affordable = (int64_t)(SURVEY_BYTES / bytes_of(&w->read));
            frames = frames <= affordable || frames <= 3 ? frames : affordable < 3 ? 3 : affordable;
        }
        if (b->n == 0)
            continue;
        const struct moment now = {.bodies = b, .frame = (double)frame, .all = &w->read};
        if (w->noted++ == 0)
            aim_first(w->small.aim, &w->small.panes, b);
        w->note(w->context, &w->small, &now);
    }
}

static void open_stage(struct walk *w, const struct stage *s, int height)
{
    struct render_options *o = &w->options;
    *o = *s->options;
    if (o->height > height) {
        o->width = (int)fmax(lround((double)o->width * height / o->height), 1);
        o->height = height;
    }
    w->small = (struct stage){.options = o, .device = s->device, .shade = s->shade};
    panes_open(&w->small.panes, o, s->device);
    w->small.aim = aim_create(o, &s->extents);
}

static void walk(struct walk *w, int most)
{
    int64_t count;
    /* The survey may move the file position of stdin. The film needs the old position, which is restored below. */
    const off_t stdin_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    w->reader = source_input(w->options.input);
    nb_bodies_init(&w->read);
    nb_bodies_init(&w->bodies);
    must(nb_snap_count(w->reader, &count));
    if (count > 1)
        go(w, count, most);
    nb_bodies_free(&w->read);
    nb_bodies_free(&w->bodies);
    nb_snap_close(w->reader);
    if (stdin_at >= 0 && lseek(STDIN_FILENO, stdin_at, SEEK_SET) < 0)
        die("stdin: cannot seek: %s", strerror(errno));
}

int survey_walk(const struct stage *s, int height, int most, survey_note *note, void *context)
{
    struct walk w = {.note = note, .context = context};
    if (tool_options.salvage || !source_is_file(s->options->input))
        return 0;
    open_stage(&w, s, height);
    walk(&w, most);
    aim_destroy(w.small.aim);
    panes_close(&w.small.panes);
    return w.noted;
}
