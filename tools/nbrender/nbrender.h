/* nbrender.h - the options of nbrender, and its main parts: source, painters, survey, scene. */
#pragma once

#include "nbrender/colour/colour.h"
#include "nbrender/discs/discs.h"
#include "nbrender/light/light.h"
#include "nbrender/map/map.h"
#include "nbrender/motion/motion.h"
#include "nbrender/output/output.h"
#include "nbrender/overlay/overlay.h"
#include "nbrender/view/view.h"

#define RENDER_SIZE_MAX 16384 /* maximum width and height of a picture, pixels */

struct render_options {
    const char *input;
    int width, height;  /* size of the picture, pixels */
    const char *device; /* the argument of --device */
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

/* Returns the pictures per second of a film. */
static inline double render_rate(const struct render_options *o)
{
    return (double)o->output.fps_num / o->output.fps_den;
}

extern const struct render_options render_defaults;
extern struct render_options render_given; /* options that the user gave; the functions of the option tables set them */
/* Reads the command line and sets defaults. Dies (usage error) if options are invalid or contradict each other. */
void render_options_parse(struct render_options *o, int argc, char **argv);
/* Opens the device that --device selects. Dies if that fails. */
struct nb_device *render_device(const struct render_options *o);

/* ---- source.c: the frames of the input, in the order in which pictures need them ---- */

/* Frames of a file with at least this many bytes of columns are mapped into memory (mmap). Smaller frames are read into
 * memory, so that a later change of the file cannot change them. */
#define SOURCE_MAPPED ((size_t)64 << 20)

struct source {
    const struct render_options *options;
    struct nb_snap_reader *reader;
    struct nb_bodies bodies; /* the current frame; with --select only the selected bodies, possibly none */
    struct nb_bodies whole;  /* all bodies of the frame; used only with --select */
    int64_t frame;           /* number of the current frame in the input; -1 before the first frame */
    /* frames that the user wants: one frame (its number), NB_FRAME_LAST, TOOL_FRAME_ALL or TOOL_FRAME_LIST */
    int64_t wanted;
    int64_t length;          /* number of frames of the input; -1: not known */
    struct overlay *overlay; /* each frame that was read is passed to this overlay; NULL: no overlay */
    /* true: also read the frames before a wanted frame, because its picture depends on them (trails, energy) */
    bool history;
    bool listed;    /* with TOOL_FRAME_LIST: a frame of the user's list (--frame, --times) was read */
    bool warned;    /* a warning about a frame without selected bodies was printed */
    uint64_t count; /* number of frames read */
    size_t bytes;   /* size of the first frame in memory */
    /* true: the input is a regular file, and the first signal ends the reading. false: the input is a pipe. It is read
     * to its end even after a first signal; a second signal kills the program */
    bool is_file;
    bool interrupted;  /* a signal ended the input early */
    const char *error; /* error that ended reading, stored in `message`; NULL if the input ended regularly */
    char message[NB_ERROR_MAX];
    struct ahead *ahead; /* thread that reads frames in advance; NULL: none */
    /* within: state of the thread that reads frames in advance; notes: its warnings, one per line. The thread has its
     * own copy of this struct. Only that copy uses these two members; in the main thread they are NULL. */
    struct ahead *within;
    char *notes;
};

/* Opens the input and returns its reader, which maps large frames (SOURCE_MAPPED). Dies if the input cannot be read. */
struct nb_snap_reader *source_input(const char *input);
/* Call this function before you read the columns of frame `b`, which may be mapped. If another program truncates the
 * file later, the program then dies with an error message that names the file. */
void source_watch(const struct nb_snap_reader *r, const struct nb_bodies *b);
/* Returns whether the input is a regular file. NULL and - mean stdin. Dies if the input does not exist. */
bool source_is_file(const char *input);
/* Initialises s, sets s->wanted to `wanted`, and opens the input. Dies if the input cannot be read. */
void source_open(struct source *s, const struct render_options *o, int64_t wanted);
/* Reads the next frame. The first call reads the first frame of the input, which sets up the scene. Later calls read
 * the frames that s->wanted names. Returns false at the end, after a signal, or on an error. s->error is set if the
 * input is truncated, damaged or has a frame that cannot be drawn. */
bool source_next(struct source *s);
/* Reads the next frame as source_next does, but in the calling thread and without reading ahead. */
bool source_read(struct source *s);
/* Returns whether the current frame is to be shown. Returns false if s->wanted is NB_FRAME_LAST: the last frame is not
 * known before the input ends. */
bool source_wants(const struct source *s);
/* Returns the number of frames to be shown. Returns 0 if it is not known (pipes, endless streams). */
uint64_t source_expects(const struct source *s);
/* Moves the current frame to b. Later frames are read into the memory that b had before. */
void source_take(struct source *s, struct nb_bodies *b);
/* Returns the number of frames of the input, or -1 if it is not known. Dies if --frame lists frames that do not exist.
 */
int64_t source_length(struct source *s);
/* Returns whether a signal has ended the input. A signal ends the reading of a file, but not of a pipe. */
bool source_stopped(struct source *s);
/* Returns all bodies of the current frame, including those that --select excludes. */
const struct nb_bodies *source_whole(const struct source *s);
/* Returns the name of a column that the pictures need but `b` does not have. Returns NULL if no column is missing. */
const char *source_lacks(const struct render_options *o, const struct nb_bodies *b);
/* Stops the reading thread, closes the input and frees all frames. */
void source_close(struct source *s);

/* ---- ahead.c: a thread that reads and verifies frames while earlier ones are drawn ---- */

struct ahead;

/* Starts a thread that reads the frames after the current frame of s, as many as fit into a memory limit. The thread
 * owns the reader until ahead_end. Returns NULL, and starts no thread, if two frames do not fit into the limit or if
 * OpenMP has only one thread. Dies if the thread cannot be started. */
struct ahead *ahead_begin(const struct source *s);
/* Moves to s the next frame that the thread has read, and prints the warnings about this frame. Returns false at the
 * end of the input, as source_read does. The order of frames, warnings and errors is the same as without the thread. */
bool ahead_next(struct ahead *a, struct source *s);
/* Returns whether the thread must stop. */
bool ahead_is_ending(struct ahead *a);
void ahead_end(struct ahead *a); /* Stops the thread. a may be NULL */

/* ---- source.c: the default selection of bodies ---- */

/* Chooses the default selection from the first frame. In pictures of light, bodies of the component halo are not drawn
 * if there are other bodies. Call it before other threads read frames, because they use the selection. */
void luminous_choose(const struct render_options *o, const struct nb_bodies *first);
/* Unless --select was given, prints how many black holes are not drawn, and how many bodies a dark halo has. The
 * message also says what happens to the halo: not drawn, included in the map (density, mean), or drawn over the map
 * (potential, acceleration). */
void luminous_say(const struct render_options *o);

/* ---- painters: the layers of a picture, from the bottom up ---- */

/* Data that the painters of a film share. */
struct stage {
    const struct render_options *options;
    struct nb_device *device;
    struct panes panes;
    struct aim *aim;
    /* extents of the view at several frames, found in a first pass over the file (scene_survey). Empty without such a
     * pass, or if the user gave the extent or the camera */
    struct curve extents;
    /* options for the colours of bodies (for the colours of a map: options->colour) */
    struct colour_options colours;
    struct shade *shade;          /* light and colour of each body */
    struct nb_light_bodies light; /* filled in by shade_fill */
    bool is_surveyed;             /* the colours were chosen before the first picture, from frames of the whole film */
    /* How far exposure and colours adapt to each new picture, from 0 to 1. 0: they are fixed; 1: each picture gets its
     * own exposure and colours, independent of earlier pictures. */
    double share;
};

/* A painter draws one layer. Each painter is a constant of this type in its own file, and has an entry in painters.c.
 * Functions may be NULL unless marked as required. `state` is the result of `prepare`. All functions die on failure. */
struct painter {
    /* Returns whether the painter draws a layer of the film. `first` is the film's first frame, drawn with `scale`
     * pixels per length unit. If this frame is not known yet, `first` is NULL, and the function returns whether the
     * painter may draw a layer with these options. Required. */
    bool (*takes_part)(const struct render_options *o, const struct nb_bodies *first, double scale);
    /* Creates the painter's state. Called before stage->shade exists. Required. */
    void *(*prepare)(struct stage *stage);
    /* returns the number of neighbours over which shade_blend averages the colours of colliding disks. NULL: 0 */
    double (*blend)(const struct render_options *o, const struct nb_bodies *first);
    void (*survey)(void *state, bool is_single); /* called before the first frame; is_single: the film is one picture */
    /* called after the camera and stage->shade were set up */
    void (*begin)(void *state, const struct nb_bodies *first);
    /* called instead of `draw` for a frame that the user does not want, for example to store positions for trails */
    void (*pass)(void *state, const struct moment *now);
    /* true: if the painter draws the lowest layer, `draw` is also called for frames that the user does not want, and
     * `pass` is never called */
    bool draws_all;
    /* true: `paint` must be called right after `draw`, because it uses bodies that the next frame overwrites */
    bool at_once;
    /* Draws the picture that begins at moment `now`. Required. */
    void (*draw)(void *state, const struct moment *now, struct motion *m);
    /* Copies one pane of the layer to `picture`, as the last call of `draw` drew it. If `over` is true, paints over the
     * lower layers in `picture`. If it is false, replaces the content of `picture`. Required. */
    void (*paint)(void *state, const struct pane *pane, struct picture *picture, bool over);
    /* fills in a picture of linear values (not display colours); called only for the lowest layer */
    void (*fetch)(void *state, struct picture *picture);
    struct legend (*legend)(const void *state); /* called for the lowest layer; NULL: shade_legend() is called */
    void (*finish)(void *state);                /* frees the state; required */
};

extern const struct painter *const painters[]; /* all painters, from the bottom layer up, ended by NULL */
extern const struct painter map_painter, light_painter, discs_painter;

/* Returns whether bodies are drawn, as light or as discs. They are not drawn if the picture is a map without bodies. */
static inline bool stage_has_bodies(const struct render_options *o)
{
    return o->map.kind == MAP_NONE || map_has_bodies(&o->map);
}

/* Returns the radius of colliding disks, from the frame's header (scene.h). If the disks have different radii (column
 * `radius`), this is an upper bound. Returns 0 if bodies do not collide. Dies if the header's lines about the scene are
 * invalid. */
double touching_radius(const struct nb_meta *meta);
/* Returns whether the bodies of a film are drawn as discs, not as light. first: the film's first frame. scale: pixels
 * per length unit. With `--style auto`, bodies are drawn as discs if there are at most DISCS_FEW bodies, or if they are
 * colliding disks with a visible radius. Dies if the header's lines about the scene are invalid. */
bool discs_are_drawn(const struct render_options *o, const struct nb_bodies *first, double scale);

/* ---- survey.c: a first pass over some frames of a file, for exposure, colours and extent of the film ---- */

#define SURVEY_FRAMES 16 /* maximum number of surveyed frames, including the first and the last */
/* maximum number of surveyed frames if the camera moves or if the extent adapts to the frames */
#define SURVEY_MOVING 64
/* maximum number of bytes of all surveyed frames together. At least three frames are surveyed, even if they are
 * larger */
#define SURVEY_BYTES  1073741824
#define SURVEY_HEIGHT 540 /* maximum height of the survey's pictures, pixels */

/* Function that survey_walk calls for each frame that it reads. `now` contains the bodies of the frame. `small` is a
 * stage for small pictures. It has the colours of the film (shade), but its own panes and cameras. The function must
 * call aim_at, which sets these cameras, before it draws. */
typedef void survey_note(void *context, struct stage *small, const struct moment *now);

/* Reads at most `most` frames spread over the file, and calls `note` for each. The panes passed to `note` are for
 * pictures that are at most `height` pixels high. Call survey_walk before the film's first frame is read.
 * - Returns the number of calls of `note`. Returns 0 if frames cannot be read in arbitrary order (a pipe, no index,
 *   --salvage), or if there is only one frame.
 * - Stops silently at a frame that cannot be drawn, because drawing the film will report the error.
 * - Dies if the file cannot be read or there is no memory.
 * - If the input is stdin, restores its position. */
int survey_walk(const struct stage *s, int height, int most, survey_note *note, void *context);

/* ---- scene.c: from bodies to a picture ---- */

struct scene;

/* Opens the device and prepares all painters. The options are copied. Dies on failure. */
struct scene *scene_create(const struct render_options *o);
/* Returns a description of the device. */
const char *scene_device(const struct scene *s);
/* Returns the scene's overlays, or NULL if there are none. */
struct overlay *scene_overlay(const struct scene *s);
/* Finds exposure, colours and extent of the film in a first pass over the input.
 * - With --exposure adapt, the first pass finds only the extent.
 * - If the input is not a file, there is no first pass, and the first picture sets exposure and colours. Later exposure
 *   and colours adapt to each picture, except with --exposure fixed.
 * - is_single: the film is a single picture, and exposure and colours are chosen for this picture. */
void scene_survey(struct scene *s, bool is_single);
/* Draws a picture. The first picture with a body sets up the camera for the film. Pictures before it are black. */
void scene_draw(struct scene *s, struct motion *m);
/* Fills in p with the picture drawn last: its colours, or its linear values (light or a map) if p is linear. */
void scene_develop(struct scene *s, struct picture *p);
void scene_destroy(struct scene *s); /* also closes the device */
