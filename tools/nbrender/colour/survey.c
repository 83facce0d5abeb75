#include "nbrender/colour/survey.h"

#include "nbrender/pane.h"
#include "nbrender/view/aim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct walk { /* through frames of a file */
    struct nb_snap_reader *reader;
    struct nb_bodies read, bodies; /* the latter with --select */
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
    bool is_aimed;
};

/* The name by which an input that is a regular file is opened once more; NULL: it is none. */
static const char *file_of(const char *input)
{
    struct stat st;
    const char *path = input && strcmp(input, "-") != 0 ? input : "/dev/stdin";
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? path : NULL;
}

static uint64_t bytes_of(const struct nb_bodies *b)
{
    uint64_t bytes = 1;
    for (int k = 0; k < b->column_count; k++)
        bytes += (uint64_t)nb_column_bytes(&b->columns[k], b->n);
    return bytes;
}

/* Reads frame k, of its bodies those that are selected. */
static const struct nb_bodies *read_frame(struct walk *w, int64_t k)
{
    if (nb_snap_seek(w->reader, k) != 1 || nb_snap_read(w->reader, &w->read) != 1 || nb_bodies_check(&w->read))
        return NULL;
    if (!tool_options.select)
        return &w->read;
    return tool_select(&w->read, &w->bodies) ? NULL : &w->bodies;
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
    const char *path = tool_options.salvage ? NULL : file_of(o->input);
    struct walk w = {.note = note, .context = context, .reader = path ? nb_snap_open(path, false) : NULL};
    int64_t count = -1;
    if (!w.reader)
        return 0;
    nb_bodies_init(&w.read);
    nb_bodies_init(&w.bodies);
    if (nb_snap_count(w.reader, &count) == 0 && count > 1)
        go(&w, count, most);
    nb_bodies_free(&w.read);
    nb_bodies_free(&w.bodies);
    nb_snap_close(w.reader);
    return w.noted;
}

/* ---- light ---- */

static void note_light(void *context, const struct nb_bodies *b, const struct nb_bodies *all, int64_t frame)
{
    struct survey *s = context;
    struct nb_light_bodies light = {.share = 1};
    const struct moment moment = {.bodies = b, .frame = (double)frame, .all = all};
    if (!s->is_aimed)
        aim_first(s->aim, &s->panes, b);
    s->is_aimed = true;
    shade_survey(s->shade, b, NULL);
    if (!s->small.output.linear && discs_wanted(&s->small.discs, b->n))
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
    struct survey s = {.shade = shade, .exposure = e, .h = malloc(sizeof *s.h)};
    if (!s.h)
        die("no memory for the exposure");
    survey_small(&s.small, o, SURVEY_HEIGHT);
    panes_open(&s.panes, &s.small, device);
    s.aim = aim_create(&s.small);
    int noted = survey_walk(o, SURVEY_FRAMES, note_light, &s);
    aim_destroy(s.aim);
    panes_close(&s.panes);
    free(s.h);
    return noted;
}
