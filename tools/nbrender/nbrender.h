/* nbrender.h - what was asked for, and the parts of nbrender that main joins: source, scene, output. */
#ifndef NBRENDER_H
#define NBRENDER_H

#include "base/error.h"
#include "common/tool.h"
#include "nbrender/colour/colour_options.h"
#include "nbrender/discs/discs.h"
#include "nbrender/light_options.h"
#include "nbrender/map/map_options.h"
#include "nbrender/motion/motion.h"
#include "nbrender/output/output_options.h"
#include "nbrender/output/picture.h"
#include "nbrender/overlay/overlay.h"
#include "nbrender/view/view.h"
#include "nbrender/walls/walls.h"

#include <stdbool.h>
#include <stdint.h>

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

/* ---- luminous.c: without --select, what is drawn ---- */

/* By the input's first frame: in pictures of light, and where there are other bodies too, none of component halo. For
 * one thread, before others read frames. */
void luminous_choose(const struct render_options *o, const struct nb_bodies *first);
/* Says what becomes of a dark halo, where there is one and --select does not. */
void luminous_say(const struct render_options *o);

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

/* ---- output.c: where pictures go ---- */

struct output;

/* Chooses the kind by tool_options.output and checks what it needs; dies (usage) where that cannot be. */
struct output *output_open(struct render_options *o);
/* The kind holds one picture only: the last one, unless --frame says another. */
bool output_is_single(const struct output *out);
/* A free picture to be filled in; waits for one. Dies when writing an earlier one has failed. */
struct picture *output_picture(struct output *out);
/* Hands over what output_picture gave last, as that frame's, with its header. */
void output_put(struct output *out, const struct nb_meta *meta, int64_t frame);
/* How many pictures were handed over. */
uint64_t output_count(const struct output *out);
/* Where the pictures go until the output is closed: FILE.part, or the path itself. */
const char *output_place(const struct output *out);
/* Writes what is left and ends the files; a video that is not `whole` stays where it is. Dies on failure. */
void output_close(struct output *out, bool whole);

#endif
