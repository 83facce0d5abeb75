#include "nbrender/nbrender.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct walk { /* through frames of a file */
    struct nb_snap_reader *reader;
    struct nb_bodies read, bodies; /* the latter with --select */
    const struct render_options *options;
    survey_note *note;
    void *context;
    int noted;
};

struct survey {
    struct render_options small; /* the film's, with smaller pictures */
    struct panes panes;
    struct aim *aim;
    struct shade *shade;
    struct exposure *exposure;
    struct nb_light_histogram *h;
    double enlarged; /* the film's pictures over these */
    bool is_aimed, has_discs;
};

static uint64_t bytes_of(const struct nb_bodies *b)
{
    uint64_t bytes = 1;
    for (int k = 0; k < b->column_count; k++)
        bytes += (uint64_t)nb_column_bytes(&b->columns[k], b->n);
    return bytes;
}

/* Of its bodies those that are selected; NULL where a column is missing, which the film says when it is there. */
static const struct nb_bodies *take_selected(struct walk *w)
{
    errno = 0;
    if (tool_select(&w->read, &w->bodies) == 0)
        return &w->bodies;
    must(errno == ENOMEM);
    return NULL;
}

/* Reads frame k; NULL where it cannot be drawn. */
static const struct nb_bodies *read_frame(struct walk *w, int64_t k)
{
    if (nb_snap_seek(w->reader, k) != 1 || nb_snap_read(w->reader, &w->read) != 1) {
        if (!nb_snap_is_damaged(w->reader))
            die("%s", nb_error());
        return NULL;
    }
    if (nb_bodies_check(&w->read) || source_lacks(w->options, &w->read))
        return NULL;
    if (k == 0)
        luminous_choose(w->options, &w->read);
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
        w->note(w->context, b, &w->read, frame);
        w->noted++;
    }
}

int survey_walk(const struct render_options *o, int most, survey_note *note, void *context)
{
    struct walk w = {.options = o, .note = note, .context = context};
    int64_t count;
    if (tool_options.salvage || !source_is_file(o->input))
        return 0;
    const off_t stdin_at = lseek(STDIN_FILENO, 0, SEEK_CUR); /* which the film reads from */
    w.reader = tool_input_open(o->input);
    nb_bodies_init(&w.read);
    nb_bodies_init(&w.bodies);
    must(nb_snap_count(w.reader, &count));
    if (count > 1)
        go(&w, count, most);
    nb_bodies_free(&w.read);
    nb_bodies_free(&w.bodies);
    nb_snap_close(w.reader);
    if (stdin_at >= 0 && lseek(STDIN_FILENO, stdin_at, SEEK_SET) < 0)
        die("stdin: cannot seek: %s", strerror(errno));
    return w.noted;
}

/* ---- light ---- */

static void note_light(void *context, const struct nb_bodies *b, const struct nb_bodies *all, int64_t frame)
{
    struct survey *s = context;
    struct nb_light_bodies light = {.share = 1};
    const struct moment moment = {.bodies = b, .frame = (double)frame, .all = all};
    if (!s->is_aimed) {
        aim_first(s->aim, &s->panes, b);
        const double scale = s->enlarged * s->panes.main->view.scale;
        s->has_discs = scene_has_discs(&s->small, b, scale);
        shade_blend(s->shade, scene_blend(&s->small, b, scale));
    }
    s->is_aimed = true;
    shade_survey(s->shade, b, NULL);
    if (s->has_discs)
        return;
    aim_at(s->aim, &s->panes, &moment);
    shade_fill(s->shade, b, NULL, &light);
    panes_clear(&s->panes);
    panes_shine(&s->panes, &light);
    panes_finish(&s->panes);
    memset(s->h, 0, sizeof *s->h);
    panes_measure(&s->panes, s->h);
    exposure_note(s->exposure, s->h);
}

void survey_small(struct render_options *small, const struct render_options *o, int height)
{
    *small = *o;
    if (o->height > height) {
        small->height = height;
        small->width = (int)fmax(lround((double)o->width * height / o->height), 1);
    }
}

int survey_file(const struct render_options *o, struct nb_device *device, struct shade *shade, struct exposure *e)
{
    struct survey s = {.shade = shade, .exposure = e, .h = claimed(malloc(sizeof *s.h), "no memory for the exposure")};
    survey_small(&s.small, o, SURVEY_HEIGHT);
    s.enlarged = (double)o->height / s.small.height;
    panes_open(&s.panes, &s.small, device);
    s.aim = aim_create(&s.small);
    int noted = survey_walk(o, SURVEY_FRAMES, note_light, &s);
    aim_destroy(s.aim);
    panes_close(&s.panes);
    free(s.h);
    return noted;
}
