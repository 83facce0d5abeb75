/* motion.h - the moments that pictures show: frames of the input, and moments between frames. */
#pragma once

#include "nbrender/basis/basis.h"

/* ---- motion_options.c: options for motion ---- */

struct motion_options {
    int interpolate; /* number of pictures from one frame to the next, 1 or more */
    double shutter;  /* fraction of the time between two pictures during which the shutter is open, 0 to 1 */
    double average;  /* a picture averages all frames up to this number of time units before it; 0: no averaging */
};

extern const struct tool_option motion_table[];

/* ---- match.c: finds the same body in two frames ---- */

#define MATCH_NONE UINT64_MAX

struct match {
    bool same;       /* each body has the same index in both frames, and `to` is not filled in */
    uint64_t *to[2]; /* to[0][i]: index in the second frame of body i of the first, or MATCH_NONE; to[1]: the inverse */
    uint64_t room[2]; /* capacity of the tables */
    uint64_t *slots;  /* hash table that finds the index of a body by its id */
    uint64_t slot_room;
};

/* Matches the bodies of two frames by their column `id`. If a frame has no ids, matches by index if both have the same
 * number of bodies, otherwise matches none. If several bodies have one id, at most one pair of them is matched. `m`
 * must be zero or the result of an earlier call, whose memory is reused. Returns 0, or -1 after nb_fail if there is no
 * memory. */
int match_fill(struct match *m, const struct nb_bodies *first, const struct nb_bodies *second);
void match_free(struct match *m); /* frees the tables */

/* Returns the index in the other frame of body i of frame `side` (0 or 1), or MATCH_NONE. */
static inline uint64_t match_of(const struct match *m, int side, uint64_t i)
{
    return m->same ? i : m->to[side][i];
}

/* ---- period.c: periodic boxes, from the header's lines (scene.h). A body that leaves one side enters at the opposite
 * side. ---- */

struct period { /* periodic box; if all members are 0, there is no periodic box */
    bool along[2];
    double low[2], high[2];
};

/* Reads the periodic box from the header. Returns 0, or -1 after nb_fail if a line is invalid. */
int period_read(struct period *p, const struct nb_meta *meta);
/* Moves p1 to its periodic image closest to p0 + (v0 + v1) * dt / 2, the expected position after time dt. */
void period_follow(const struct period *p, const double p0[3], const double v0[3], const double v1[3], double dt,
                   double p1[3]);
/* Moves x into the box. Sets `shift` to the displacement, so that other points can be moved with x. */
void period_wrap(const struct period *p, double x[3], double shift[2]);

/* ---- orbits.c: bodies that orbit a heavy body and turn around it by a radian or more between two frames ---- */

#define CENTRES_MAX 16 /* maximum number of heavy bodies */

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
    int centre;     /* index into orbits.pair; -1: no orbit */
    double mass;    /* mass of the centre plus mass of the body */
    int count;      /* number of nodes of the orbit (struct orbit_node) */
    size_t first;   /* index of the first node in orbits.node */
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
    struct orbit *orbit; /* bodies on orbits */
    size_t orbit_count, orbit_room;
};

/* Stores the heaviest bodies of frame 0 or 1 as possible centres of orbits. `b` contains all bodies of the frame, also
 * bodies that are not drawn. */
void orbits_note(struct orbits *o, int frame, const struct nb_bodies *b);
/* Moves the stored centres of frame 1 to frame 0, because frame 1 becomes frame 0 of the next pair of frames. */
void orbits_shift(struct orbits *o);
/* Finds the bodies that move on orbits around a heavier body from frames[0] to frames[1]. Such a body turns around the
 * heavier body by a radian or more. Its mass is at most a tenth of the mass of the heavier body. Returns 0, or -1 after
 * nb_fail if there is no memory. */
int orbits_fill(struct orbits *o, const struct nb_bodies frames[2], const struct match *match, double dt);
/* Writes to `pos` and `vel` the positions and velocities of the bodies on orbits at time s: 0 is the first frame, 1 the
 * second, and above 1 is after the second. The columns have one element for each body of frame `side`, in its order. */
void orbits_put(struct orbits *o, int side, double s, struct nb_column *pos, struct nb_column *vel);
void orbits_free(struct orbits *o); /* frees the arrays */

/* ---- between.c: the bodies at a time between two frames ---- */

struct between {
    struct period period; /* periodic box of both frames, filled in by the caller */
    struct orbits orbits; /* filled in by the caller */
    /* result of between_fill, read only; columns that are not interpolated point to the memory of the nearer frame */
    struct nb_bodies bodies;
    struct {
        void *data;
        size_t room_bytes;
    } own[NB_COLUMNS_MAX]; /* memory of interpolated columns, by index of the column */
};

/* Computes the bodies at time s, where 0 is the first frame and 1 the second. They are the bodies of the nearer frame,
 * in its order. For a body in both frames:
 *
 * - pos and vel of bodies in `orbits` are on their orbits.
 * - pos of other bodies is on the cubic Hermite curve through both positions and velocities. Its error is at most
 *   dt^4/384 times the fourth derivative.
 * - If positions and velocities do not fit a cubic (the body turned several times in between), pos is on the straight
 *   line. If the body left a periodic box, pos is inside the box at the other side.
 * - The direction and the magnitude of vel change linearly, so that the speed does not dip in between.
 * - Other columns of type f32 and f64 change linearly.
 *
 * A body that is only in the nearer frame moves on a straight line with its velocity. A value that is not finite, and a
 * column of another type or width, is copied from the nearer frame. `dt` is the time from the first to the second
 * frame. Returns 0, or -1 after nb_fail if there is no memory.
 *
 * For s > 1 the bodies of the second frame move on, on their orbits or on straight lines. */
int between_fill(struct between *b, const struct nb_bodies frames[2], const struct match *match, double dt, double s);
void between_free(struct between *b); /* frees its own columns and orbits */

/* Computes the position of one body at time s (0 to 1) between two frames with time step dt. At s = 0 it is p0 with
 * velocity v0, at s = 1 it is p1 with velocity v1. */
void between_place(const double p0[3], const double p1[3], const double v0[3], const double v1[3], double dt, double s,
                   double p[3]);
/* Computes the velocity of one body at time s (0 to 1), from v0 at s = 0 to v1 at s = 1. */
void between_velocity(const double v0[3], const double v1[3], double s, double v[3]);

/* ---- shutter.c: the number of moments in a picture with motion blur ---- */

#define SHUTTER_MOMENTS_MOST 16

/* Returns the number of moments for a picture, from 2 to SHUTTER_MOMENTS_MOST. It is chosen so that 90 % of the bodies
 * move at most 1.5 pixels from one moment to the next. The shutter is open for `open` time units. `opens` and `closes`
 * are the views when it opens and when it closes. */
int shutter_moments(const struct nb_view *opens, const struct nb_view *closes, const struct nb_bodies *b, double open);

/* ---- average.c: copies of recent frames, for pictures that average frames ---- */

struct average { /* initialise with zeros, except span */
    double span; /* a picture averages all frames up to this number of time units before it */
    double forwards;
    int count;
    struct nb_bodies *frame; /* copies of the frames within the time span, the oldest first */
};

/* Adds a copy of a frame. Removes frames older than the time span, and frames of an earlier stream. Dies if there is no
 * memory. */
void average_note(struct average *a, const struct nb_bodies *now);
void average_free(struct average *a); /* frees the copies */

/* ---- motion.c: the sequence of pictures: frames of the input and moments between frames ---- */

struct source;
struct motion;

struct moment {
    const struct nb_bodies *bodies; /* meta.time is the moment's time; valid until motion_at or motion_next is called */
    double frame;                   /* fractional frame number: 3.25 is a quarter of the way from frame 3 to the next */
    /* all bodies of the frame, also those that --select excludes; with interpolation or motion blur, only the selected
     * bodies */
    const struct nb_bodies *all;
};

/* Creates the sequence of pictures from a source, which belongs to the caller. With K = o->interpolate, N frames give
 * (N - 1) * K + 1 pictures. One frame selected with --frame gives one picture. If the time from one frame to the next
 * is 0 or changes its sign (concatenated streams), pictures between these frames show the nearer frame. Dies if there
 * is no memory. */
struct motion *motion_create(const struct motion_options *o, struct source *source);
void motion_destroy(struct motion *m); /* does not close the source */

/* Advances to the next picture. Returns false at the end of the input, or if an error or a signal ended it
 * (source_next). */
bool motion_next(struct motion *m);
/* Returns whether the current picture is output. Pictures that are not output only set up the scene or belong to a
 * trail. With NB_FRAME_LAST the answer is known only at the end of the input. */
bool motion_wants(const struct motion *m);
/* Returns whether the current picture is certainly not output. */
bool motion_passes(const struct motion *m);
/* Returns the number in the file name of the picture: the number of the frame, or with interpolation the number of
 * earlier pictures. */
int64_t motion_number(const struct motion *m);
/* Returns the header of the frame nearer to the picture, with the time replaced by the picture's time. Valid until the
 * next call. */
const struct nb_meta *motion_meta(struct motion *m);

/* Returns the moment at a fraction `share` of the exposure: 0 when the shutter opens, 1 when it closes. The shutter
 * opens at the time of the picture. In the last picture, bodies move on after the last frame. */
struct moment motion_at(struct motion *m, double share);
/* motion_frames returns the number of frames that the picture averages (1 without --average). motion_frame returns
 * frame k of these frames, where 0 is the oldest. */
int motion_frames(const struct motion *m);
const struct nb_bodies *motion_frame(const struct motion *m, int k);
/* Returns the exposure time in time units, negative if time runs backwards. 0 means that the picture shows one moment.
 */
double motion_open(const struct motion *m);
