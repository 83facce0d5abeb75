/* motion.h - the times (moments) that pictures show: times of frames of the input, and times between frames. */
#pragma once

#include "nbrender/basis/basis.h"

/* ---- motion_options.c: options for motion ---- */

struct motion_options {
    int interpolate; /* number of pictures per interval between two frames, 1 or more */
    double shutter;  /* fraction of the time between two pictures during which the shutter is open, 0 to 1 */
    double average;  /* a picture averages the frames of the last `average` time units; 0: no averaging */
};

extern const struct tool_option motion_table[];

/* ---- match.c: finds the same body in two frames ---- */

#define MATCH_NONE UINT64_MAX

struct match {
    bool same; /* each body has the same index in both frames, and `to` is not filled in */
    /* to[0][i]: index in the second frame of the body that has index i in the first frame, or MATCH_NONE if the second
     * frame does not have this body; to[1]: from the second to the first frame */
    uint64_t *to[2];
    uint64_t room[2]; /* capacity of the tables */
    uint64_t *slots;  /* hash table: finds the index of a body of the second frame by its id */
    uint64_t slot_room;
};

/* Matches the bodies of two frames by their column `id`. If a frame has no ids, matches bodies by index if both frames
 * have the same number of bodies, otherwise matches no bodies. If several bodies have the same id, at most one pair of
 * them is matched, except if both frames have the same ids in the same order. Initialise *m with zeros before the first
 * call; later calls reuse its memory. Returns 0, or -1 after nb_fail if there is no memory. */
int match_fill(struct match *m, const struct nb_bodies *first, const struct nb_bodies *second);
void match_free(struct match *m); /* frees the tables */

/* For body i of frame `side` (0 or 1), returns its index in the other frame, or MATCH_NONE. */
static inline uint64_t match_of(const struct match *m, int side, uint64_t i)
{
    return m->same ? i : m->to[side][i];
}

/* ---- period.c: periodic boxes, from lines of the frame header (scene.h). A body that leaves the box enters again at
 * the opposite side. ---- */

struct period { /* periodic box; if all members are 0, there is no periodic box */
    bool along[2];
    double low[2], high[2];
};

/* Reads the periodic box from the header. Returns 0, or -1 after nb_fail if a line is invalid. */
int period_read(struct period *p, const struct nb_meta *meta);
/* Moves p1 to the periodic image that is closest to p0 + (v0 + v1) * dt / 2, the position expected for p1. p0, p1:
 * positions of a body in two frames; v0, v1: velocities in these frames; dt: time from p0 to p1, may be negative. */
void period_follow(const struct period *p, const double p0[3], const double v0[3], const double v1[3], double dt,
                   double p1[3]);
/* Moves x into the box. Sets `shift` to the displacement, so that the caller can move other points by it. */
void period_wrap(const struct period *p, double x[3], double shift[2]);

/* ---- orbits.c: bodies that orbit a heavy body and turn around it by a radian or more between two frames ---- */

#define CENTRES_MAX 16 /* maximum number of heavy bodies that can be centres of orbits */

struct state {
    double pos[3], vel[3];
};

struct centre { /* a heavy body of a frame */
    uint64_t id;
    double mass;
    struct state state;
};

struct centres { /* heavy bodies of a frame, in descending order of mass */
    double G, softening;
    int count;
    struct centre one[CENTRES_MAX];
};

struct orbit_path { /* orbit around a centre */
    int centre;     /* index of the centre in the array `pair` of struct orbits; -1: no orbit */
    double mass;    /* mass of the centre plus mass of the body */
    int count;      /* number of stored points of the orbit (struct orbit_node) */
    size_t first;   /* index of the first of these points in orbits.node */
};

struct centre_pair { /* a heavy body that is in both frames */
    double mass;
    struct state state[2], now;
    struct orbit_path path; /* orbit of this body around a heavier body */
};

struct orbits { /* initialise with zeros */
    struct centres frame[2];
    struct centre_pair pair[CENTRES_MAX];
    int count; /* number of pairs */
    double dt; /* time from the first frame to the second */
    struct orbit_node *node;
    size_t node_count, node_room;
    struct orbit *orbit; /* bodies that orbit a centre */
    size_t orbit_count, orbit_room;
};

/* Stores the heaviest bodies of a frame as possible centres of orbits. `frame` is 0 for the first frame of a pair, and
 * 1 for the second. `b` contains all bodies of the frame, also bodies that are not drawn. */
void orbits_note(struct orbits *o, int frame, const struct nb_bodies *b);
/* Copies the centres of frame 1 to frame 0: the second frame of a pair is the first frame of the next pair. */
void orbits_shift(struct orbits *o);
/* Finds the bodies that orbit a heavier body. Such a body turns around the heavier body by a radian or more between
 * frames[0] and frames[1]. Its mass is at most a tenth of the mass of the heavier body. Returns 0, or -1 after nb_fail
 * if there is no memory. */
int orbits_fill(struct orbits *o, const struct nb_bodies frames[2], const struct match *match, double dt);
/* Computes the positions and velocities of the bodies on orbits, and writes them to the columns `pos` and `vel`. s is
 * the time: 0 at the first frame, 1 at the second frame, above 1 after the second frame. The columns have an element
 * for each body of frame `side` (0 or 1). The elements of bodies without an orbit do not change. */
void orbits_put(struct orbits *o, int side, double s, struct nb_column *pos, struct nb_column *vel);
void orbits_free(struct orbits *o); /* frees the arrays */

/* ---- between.c: the bodies at a time between two frames ---- */

struct between {
    struct period period; /* periodic box of both frames, filled in by the caller */
    struct orbits orbits; /* filled in by the caller */
    /* Result of between_fill, read only. Columns that are not interpolated point to the memory of the frame that
     * is nearer in time. */
    struct nb_bodies bodies;
    struct {
        void *data;
        size_t room_bytes;
    } own[NB_COLUMNS_MAX]; /* own[k]: memory of column k, if it is interpolated */
};

/* Computes the bodies at time s, where 0 is the first frame and 1 the second. These are the bodies of the frame that is
 * nearer in time, in the order of that frame. For a body that is in both frames:
 *
 * - A body in `orbits` moves on its orbit.
 * - Other bodies move on the cubic Hermite curve through both positions and velocities. The error of the position is at
 *   most dt^4/384 times its fourth time derivative.
 * - If a body turned several times between the frames, no cubic fits its positions and velocities. Then the body moves
 *   on a straight line.
 * - A body that leaves a periodic box enters again at the opposite side.
 * - The direction and the magnitude of vel change linearly. (If the components of vel changed linearly, the speed could
 *   be too small between the frames.)
 * - Other columns of type f32 and f64 change linearly.
 *
 * A body that is only in the nearer frame moves on a straight line with its velocity. Values that are not finite are
 * copied from the nearer frame. Columns of integers, and columns that are missing or have another width in the other
 * frame, are also copied from the nearer frame. `dt` is the time from the first to the second frame. Returns 0, or -1
 * after nb_fail if there is no memory.
 *
 * For s > 1 the bodies of the second frame continue on their orbits or on straight lines. */
int between_fill(struct between *b, const struct nb_bodies frames[2], const struct match *match, double dt, double s);
void between_free(struct between *b); /* frees its own columns and orbits */

/* Computes the position p of a body at time s between two frames. At s = 0 the body is at p0 with velocity v0, at s = 1
 * at p1 with velocity v1. dt: time between the frames. */
void between_place(const double p0[3], const double p1[3], const double v0[3], const double v1[3], double dt, double s,
                   double p[3]);
/* Computes the velocity of one body at time s (0 to 1), from v0 at s = 0 to v1 at s = 1. */
void between_velocity(const double v0[3], const double v1[3], double s, double v[3]);

/* ---- shutter.c: the number of moments in a picture with motion blur ---- */

#define SHUTTER_MOMENTS_MOST 16

/* Returns at how many instants of time (moments) the bodies are drawn into one picture with motion blur. The result is
 * the smallest number for which 90 % of the bodies move at most 1.5 pixels from one moment to the next, but at least 2
 * and at most SHUTTER_MOMENTS_MOST. `opens` and `closes` are the views when the shutter opens and when it closes.
 * `open` is the exposure time, in time units. */
int shutter_moments(const struct nb_view *opens, const struct nb_view *closes, const struct nb_bodies *b, double open);

/* ---- average.c: copies of recent frames, for pictures that average frames ---- */

struct average { /* initialise with zeros, except span */
    double span; /* a picture averages the frames of the last `span` time units */
    double forwards;
    int count;
    struct nb_bodies *frame; /* copies of the frames within the time span, the oldest first */
};

/* Adds a copy of a frame. Removes frames older than the time span. If the time between two frames is 0 or changes its
 * sign, another stream has begun: removes all earlier frames. Dies if there is no memory. */
void average_note(struct average *a, const struct nb_bodies *now);
void average_free(struct average *a); /* frees the copies */

/* ---- motion.c: the sequence of pictures: frames of the input and moments between frames ---- */

struct source;
struct motion;

struct moment {
    const struct nb_bodies *bodies; /* meta.time is the moment's time; valid until motion_at or motion_next is called */
    double frame;                   /* fractional frame number: 3.25 is a quarter of the way from frame 3 to the next */
    /* All bodies of the frame, also those that --select excludes. Excluded bodies are not available with interpolated
     * pictures or motion blur; `all` is then the same as `bodies`. */
    const struct nb_bodies *all;
};

/* Creates the sequence of pictures from a source of frames, which belongs to the caller. N frames give
 * (N - 1) * o->interpolate + 1 pictures. A frame selected with --frame gives one picture. Pictures between two frames
 * show interpolated bodies. But if the time between the frames is 0 or has another sign than before (concatenated
 * streams), these pictures show the nearer frame. Dies if there is no memory. */
struct motion *motion_create(const struct motion_options *o, struct source *source);
void motion_destroy(struct motion *m); /* does not close the source */

/* Advances to the next picture. Returns false at the end of the input, and after an error or a signal (source_next). */
bool motion_next(struct motion *m);
/* Returns whether the user wants the current picture. (Other frames are also read, to set up the scene and for trails.)
 * If the user wants the last frame (NB_FRAME_LAST), returns false for every frame, because the last frame is known only
 * at the end of the input. */
bool motion_wants(const struct motion *m);
/* Returns true if the user certainly does not want the current picture. With NB_FRAME_LAST this is not certain, so both
 * motion_wants and motion_passes return false. */
bool motion_passes(const struct motion *m);
/* Returns the number for the picture's file name. Without interpolation, this is the number of its frame. With
 * interpolation, it is the number of pictures before this picture. */
int64_t motion_number(const struct motion *m);
/* Returns the header of the frame nearest in time to the picture, but with the time of the picture. Valid until the
 * next call. */
const struct nb_meta *motion_meta(struct motion *m);

/* Returns the bodies at a moment of the exposure. `share` is 0 when the shutter opens, and 1 when it closes. The
 * shutter opens at the time of the picture. For the last picture of a film, the exposure ends after the last frame, and
 * the positions are extrapolated (between_fill). */
struct moment motion_at(struct motion *m, double share);
/* motion_frames returns the number of frames that the picture averages (1 without --average). motion_frame returns
 * frame k of these frames, where 0 is the oldest. */
int motion_frames(const struct motion *m);
const struct nb_bodies *motion_frame(const struct motion *m, int k);
/* Returns the exposure time in time units, negative if time runs backwards. 0 means that the picture shows one moment.
 */
double motion_open(const struct motion *m);
