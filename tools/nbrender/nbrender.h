/* nbrender.h - what was asked for, and the parts of nbrender that main joins: source, scene, output. */
#pragma once

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

/* Pictures a second of the film. */
static inline double render_rate(const struct render_options *o)
{
    return (double)o->output.fps_num / o->output.fps_den;
}

extern const struct render_options render_defaults;
extern struct render_options render_given; /* the tables' */
void render_options_parse(struct render_options *o, int argc, char **argv);
/* Opens what --device names; dies if that cannot be. */
struct nb_device *render_device(const struct render_options *o);

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

/* ---- source.c: without --select, what is drawn ---- */

/* By the input's first frame: in pictures of light, and where there are other bodies too, none of component halo. For
 * one thread, before others read frames. */
void luminous_choose(const struct render_options *o, const struct nb_bodies *first);
/* Says what becomes of a dark halo, where there is one and --select does not. */
void luminous_say(const struct render_options *o);

/* ---- painters: what a picture is made of, from the bottom up ---- */

/* What the painters of a film share. */
struct stage {
    const struct render_options *options;
    struct nb_device *device;
    struct panes panes;
    struct aim *aim;
    struct curve extents;          /* of the film, if --extent does not say one and frames are known ahead */
    struct colour_options colours; /* of the bodies: a map has those of the options */
    struct shade *shade;           /* light and colour of each body */
    struct nb_light_bodies light;  /* as the shade has filled it in */
    bool is_surveyed;              /* the shade knows bodies of the whole film before the first frame */
    double share; /* of the way to what a picture alone would have, that exposure and colours go with each; 0: none */
};

/* A painter has a table in its own file, and a place in painters.c. Functions may be NULL that do not say otherwise.
 * `state` is what `prepare` has returned. They die on failure. */
struct painter {
    /* Whether it draws a part of such pictures: of the first frame, seen with `scale` pixels a length unit, or, if that
     * is NULL, of any frame. Not NULL. */
    bool (*takes_part)(const struct render_options *o, const struct nb_bodies *first, double scale);
    void *(*prepare)(struct stage *stage); /* not NULL; before the stage has a shade */
    /* Over how many bodies the colours of those that touch are means; NULL: each has its own. */
    double (*blend)(const struct render_options *o, const struct nb_bodies *first);
    void (*survey)(void *state, bool is_single); /* before the first frame; `is_single`: of a film of one picture */
    void (*begin)(void *state, const struct nb_bodies *first); /* the camera and the shade are known */
    void (*pass)(void *state, const struct moment *now);       /* a frame that nobody sees, instead of drawing it */
    bool draws_all;                                            /* such frames are drawn nevertheless */
    bool at_once; /* paints from bodies that are gone after the next frame is read: right after drawing */
    void (*draw)(void *state, const struct moment *now, struct motion *m); /* not NULL; `now` is the picture's begin */
    /* Paints a pane as it was drawn last: over what is in the picture, or all of it. Not NULL. */
    void (*paint)(void *state, const struct pane *pane, struct picture *picture, bool over);
    void (*fetch)(void *state, struct picture *picture); /* fills in a linear picture; of the lowest one only */
    struct legend (*legend)(const void *state);          /* of the lowest one; NULL: that of the shade */
    void (*finish)(void *state);                         /* not NULL */
};

extern const struct painter *const painters[]; /* from the bottom up, NULL at the end */
extern const struct painter map_painter, light_painter, discs_painter;

/* Whether bodies are drawn, as light or as discs: without a map, or over it. */
static inline bool stage_has_bodies(const struct render_options *o)
{
    return o->map.kind == MAP_NONE || map_has_bodies(&o->map);
}

/* Whether a film is drawn of discs whose first frame this is, with `scale` pixels a length unit: where it has few
 * bodies, or bodies with a radius (scene.h) that is seen. Dies where the header's lines are wrong. */
/* The radius of bodies that touch, in the header; 0 of others. */
double touching_radius(const struct nb_meta *meta);
bool discs_are_drawn(const struct render_options *o, const struct nb_bodies *first, double scale);

/* ---- survey.c: a first pass over frames of a file, for one exposure and one range of colours of the whole film ----
 */

#define SURVEY_FRAMES 16         /* at most, the first and the last among them */
#define SURVEY_MOVING 64         /* the same for what changes over the film */
#define SURVEY_BYTES  1073741824 /* and no more than of so many bytes in all, but three */
#define SURVEY_HEIGHT 540        /* pixels of the pictures that are measured, at most */

/* `small` is a stage with the film's shade and its own panes, whose cameras are set up; aim_at points them. */
typedef void survey_note(void *context, struct stage *small, const struct moment *now);

/* Notes `most` frames that are spread over the file, or fewer, for pictures of that height. None where there is no file
 * to go about in (a pipe, no index, --salvage) or one frame alone. A frame that cannot be drawn ends it; it is for the
 * film to say so. Dies where the file cannot be read or memory fails: a film without this would have another look.
 * Returns how many were noted. Before the film's first frame is read, for stdin is read from where it stands, and left
 * there. */
int survey_walk(const struct stage *s, int height, int most, survey_note *note, void *context);

/* ---- scene.c: from bodies to a picture ---- */

struct scene;

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
void scene_develop(struct scene *s, struct picture *p);
void scene_destroy(struct scene *s);
