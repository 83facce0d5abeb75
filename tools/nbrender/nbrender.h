/* nbrender.h - what was asked for, and the parts of nbrender that main joins: source, scene, output. */
#ifndef NBRENDER_H
#define NBRENDER_H

#include "nbrender/colour/colour.h"
#include "nbrender/discs/discs.h"
#include "nbrender/light/light.h"
#include "nbrender/map/map.h"
#include "nbrender/motion/motion.h"
#include "nbrender/output/output.h"
#include "nbrender/overlay/overlay.h"
#include "nbrender/view/view.h"

#define RENDER_SIZE_MAX 16384 /* pixels in width and in height */

struct render_options {
    const char *input;
    int width, height;  /* pixels */
    const char *device; /* as --device takes it */
    struct view_options view;
    struct light_options light;
    struct colour_options colour;
    struct map_options map;
    struct disc_options discs;
    struct motion_options motion;
    struct output_options output;
    struct overlay_options overlay;
    struct wall_options walls;
};

void render_options_parse(struct render_options *o, int argc, char **argv);

/* ---- source.c: the frames of the input, in the order in which the picture needs them ---- */

struct source {
    const struct render_options *options;
    struct nb_snap_reader *reader;
    struct nb_bodies bodies; /* the frame read last, checked: of its bodies those that --select takes, perhaps none */
    struct nb_bodies whole;  /* with --select, all of them */
    int64_t frame;           /* its number in the input, -1 before the first */
    int64_t wanted;          /* a frame's number, NB_FRAME_LAST, TOOL_FRAME_ALL or TOOL_FRAME_LIST */
    int64_t length;          /* frames of the input, -1 where that is not known */
    struct overlay *overlay; /* is told of every frame; or NULL */
    bool history;            /* frames before one that is wanted are read too: a picture shows what they hold */
    bool listed;             /* one of TOOL_FRAME_LIST was read */
    bool warned;             /* of a frame in which nothing is selected */
    uint64_t count;          /* frames read */
    size_t bytes;            /* of the first one */
    bool is_file;            /* left at the first signal, a pipe at the second */
    bool interrupted;        /* by a signal, before the end */
    const char *error;       /* why there are no more, NULL at a regular end: in message */
    char message[NB_ERROR_MAX];
    struct ahead *ahead;  /* the thread that reads, or NULL */
    struct ahead *within; /* of that thread's own source; then `notes` has what is to be warned of, a line each */
    char *notes;
};

/* Whether the input, one that could be opened, is a regular file; NULL and - are stdin. */
bool source_is_file(const char *input);
/* Opens the input; dies when it cannot be read. */
void source_open(struct source *s, const struct render_options *o, int64_t wanted);
/* Reads on: the first frame always (it sets the scene), then those that are wanted. False at the end, when interrupted,
 * or with s->error set when the input is cut, damaged or holds a frame that cannot be drawn. */
bool source_next(struct source *s);
/* The same, by the thread that reads; it is what source_next does itself where there is none. */
bool source_read(struct source *s);
/* Whether the frame read is to be shown; for NB_FRAME_LAST that is known only at the end. */
bool source_wants(const struct source *s);
/* How many frames it will show, 0 where that is not known: of a pipe, or of one without an end. */
uint64_t source_expects(const struct source *s);
/* Exchanges the frame read last for one whose memory may be used for those to come. */
void source_take(struct source *s, struct nb_bodies *b);
/* How many frames the input has, -1 where it does not say. Dies where the list of those wanted has others. */
int64_t source_length(struct source *s);
/* Whether a signal has ended the input: that of a file, not that of a pipe. */
bool source_stopped(struct source *s);
/* The frame read last with all its bodies: what acts on those that are drawn. */
const struct nb_bodies *source_whole(const struct source *s);
/* A column that the pictures need and that bodies do not have, or NULL. */
const char *source_lacks(const struct render_options *o, const struct nb_bodies *b);
void source_close(struct source *s);

/* ---- ahead.c: a thread that reads and verifies frames while those before are drawn ---- */

struct ahead;

/* Starts to read on behind the frame that s holds, into as many frames as memory is given; NULL where they would be too
 * large, or there is one thread only. The reader is then the thread's until ahead_end. Dies where there are no threads.
 */
struct ahead *ahead_begin(const struct source *s);
/* The next frame, into s as source_read has it, in the same order and with the same warnings. */
bool ahead_next(struct ahead *a, struct source *s);
/* Whether the thread is to stop. */
bool ahead_is_ending(struct ahead *a);
void ahead_end(struct ahead *a); /* NULL is allowed */

/* ---- luminous.c: without --select, what is drawn ---- */

/* By the input's first frame: in pictures of light, and where there are other bodies too, none of component halo. For
 * one thread, before others read frames. */
void luminous_choose(const struct render_options *o, const struct nb_bodies *first);
/* Says what becomes of a dark halo, where there is one and --select does not. */
void luminous_say(const struct render_options *o);

/* ---- survey.c: a first pass over frames of a file, for one exposure and one range of colours of the whole film ----
 */

#define SURVEY_FRAMES 16         /* at most, the first and the last among them */
#define SURVEY_BYTES  1073741824 /* and no more than of so many bytes in all, but three */
#define SURVEY_HEIGHT 540        /* pixels of the pictures that are measured, at most */

/* A frame's bodies (with --select those that are selected), all of them, and its number. */
typedef void survey_note(void *context, const struct nb_bodies *b, const struct nb_bodies *all, int64_t frame);

/* Notes `most` frames that are spread over the file, or fewer. None where there is no file to go about in (a pipe, no
 * index, --salvage) or one frame alone. A frame that cannot be drawn ends it; it is for the film to say so. Dies where
 * the file cannot be read or memory fails: a film without this would have another look. Returns how many were noted.
 * Before the film's first frame is read, for stdin is read from where it stands, and left there. */
int survey_walk(const struct render_options *o, int most, survey_note *note, void *context);
/* The same picture with that many pixels in height, or fewer. */
void survey_small(struct render_options *small, const struct render_options *o, int height);

/* Draws frames that are spread over the file, small, with the cameras that the film has: notes their light in `e` and
 * what their colours show in `shade`, by survey_walk. Returns how many were noted. */
int survey_file(const struct render_options *o, struct nb_device *device, struct shade *shade, struct exposure *e);

/* ---- scene.c: from bodies to a picture ---- */

struct scene;

/* Whether a film is drawn of discs whose first frame this is, with `scale` pixels a length unit. */
bool scene_has_discs(const struct render_options *o, const struct nb_bodies *first, double scale);
/* Over how many bodies the colours of light are means where they touch; 0 of discs, and of light of one size. */
double scene_blend(const struct render_options *o, const struct nb_bodies *first, double scale);
struct scene *scene_create(const struct render_options *o);
/* What draws, for people. */
const char *scene_device(const struct scene *s);
/* What is written over its pictures, or NULL. */
struct overlay *scene_overlay(const struct scene *s);
/* Finds exposure and colours in a first pass over the input where it is a file, unless they are to adapt. Of a pipe
 * they come from the first picture and adapt, unless they are to be fixed; to `is_single` picture at once. */
void scene_survey(struct scene *s, bool is_single);
/* Draws a picture. The first one with a body sets, for all, where the camera stands; what comes before it is black. */
void scene_draw(struct scene *s, struct motion *m);
/* The picture drawn last, as it is shown or its light, whichever the picture is for. */
void scene_develop(const struct scene *s, struct picture *p);
void scene_destroy(struct scene *s);

#endif
