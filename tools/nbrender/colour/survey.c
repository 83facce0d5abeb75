#include "nbrender/colour/survey.h"

#include "nbrender/pane.h"
#include "nbrender/view/aim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct survey {
    struct render_options small; /* the film's, with smaller pictures */
    struct nb_snap_reader *reader;
    struct nb_bodies read, bodies; /* the latter with --select */
    struct panes panes;
    struct aim *aim;
    struct shade *shade;
    struct exposure *exposure;
    struct nb_light_histogram *h;
    int noted;
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
static const struct nb_bodies *read_frame(struct survey *s, int64_t k)
{
    if (nb_snap_seek(s->reader, k) != 1 || nb_snap_read(s->reader, &s->read) != 1 || nb_bodies_check(&s->read))
        return NULL;
    if (!tool_options.select)
        return &s->read;
    return tool_select(&s->read, &s->bodies) ? NULL : &s->bodies;
}

static void note_frame(struct survey *s, const struct nb_bodies *b, int64_t frame)
{
    struct nb_light_bodies light = {.share = 1};
    const struct moment moment = {.bodies = b, .frame = (double)frame};
    if (s->noted == 0)
        aim_first(s->aim, &s->panes, b);
    shade_survey(s->shade, b, NULL);
    s->noted++;
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

static void note_frames(struct survey *s, int64_t count)
{
    int64_t frames = count < SURVEY_FRAMES ? count : SURVEY_FRAMES;
    for (int64_t k = 0; k < frames && !tool_signal; k++) {
        int64_t frame = frames > 1 ? k * (count - 1) / (frames - 1) : 0;
        const struct nb_bodies *b = read_frame(s, frame);
        if (!b)
            return;
        if (k == 0) {
            int64_t affordable = (int64_t)(SURVEY_BYTES / bytes_of(&s->read));
            frames = frames <= affordable || frames <= 3 ? frames : affordable < 3 ? 3 : affordable;
        }
        if (b->n > 0)
            note_frame(s, b, frame);
    }
}

static void make_small(struct render_options *small, const struct render_options *o)
{
    *small = *o;
    if (o->height > SURVEY_HEIGHT) {
        small->height = SURVEY_HEIGHT;
        small->width = (int)fmax(lround((double)o->width * SURVEY_HEIGHT / o->height), 1);
    }
}

int survey_file(const struct render_options *o, struct nb_device *device, struct shade *shade, struct exposure *e)
{
    const char *path = tool_options.salvage ? NULL : file_of(o->input);
    struct survey s = {.shade = shade, .exposure = e, .reader = path ? nb_snap_open(path, false) : NULL};
    int64_t count = -1;
    if (!s.reader)
        return 0;
    if (nb_snap_count(s.reader, &count) == 0 && count > 0) {
        make_small(&s.small, o);
        nb_bodies_init(&s.read);
        nb_bodies_init(&s.bodies);
        s.h = malloc(sizeof *s.h);
        if (!s.h)
            die("no memory for the exposure");
        panes_open(&s.panes, &s.small, device);
        s.aim = aim_create(&s.small);
        note_frames(&s, count);
        aim_destroy(s.aim);
        panes_close(&s.panes);
        free(s.h);
        nb_bodies_free(&s.read);
        nb_bodies_free(&s.bodies);
    }
    nb_snap_close(s.reader);
    return s.noted;
}
