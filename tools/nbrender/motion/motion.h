/* motion.h - the moments that pictures show. */
#pragma once

#include "nbrender/basis/basis.h"

/* ---- motion_options.c: what the user says about motion ---- */

struct motion_options {
    int interpolate; /* pictures from one frame to the next, 1 or more */
    double shutter;  /* share of the time from picture to picture that it is open, 0 to 1 */
    double average;  /* a picture is the average of the frames of so much time before; 0: of one */
};

extern const struct tool_option motion_table[];

/* ---- match.c: which body of one frame is which of another ---- */

#define MATCH_NONE UINT64_MAX

struct match {
    bool same; /* body i is body i; the tables are not filled in */
    uint64_t
        *to[2]; /* to[0][i]: the second frame's body that is body i of the first, or MATCH_NONE; to[1] the way back */
    uint64_t room[2]; /* of the tables */
    uint64_t *slots;  /* of a hash table of identifiers */
    uint64_t slot_room;
};

/* By the columns `id`; where a frame has none, by the place in it, if both have the same number of bodies, and else not
 * at all. Of several with one identifier only one has a partner. `m` is zero, or what it was before: its memory is used
 * again. -1: no memory. */
int match_fill(struct match *m, const struct nb_bodies *first, const struct nb_bodies *second);
void match_free(struct match *m);

/* The partner of body i of frame `side` (0 or 1) in the other one, or MATCH_NONE. */
static inline uint64_t match_of(const struct match *m, int side, uint64_t i)
{
    return m->same ? i : m->to[side][i];
}

/* ---- period.c: boxes that are periodic by the header's lines (scene.h): what leaves on one side comes in on the
 * other. */

struct period { /* begins as zeros: none */
    bool along[2];
    double low[2], high[2];
};

/* -1 after nb_fail: a line of the header is wrong. */
int period_read(struct period *p, const struct nb_meta *meta);
/* Moves p1 to the image that is nearest to where a body from p0 was going: it has the velocities v0, v1 there and
 * there, and took the time dt. */
void period_follow(const struct period *p, const double p0[3], const double v0[3], const double v1[3], double dt,
                   double p1[3]);
/* Moves a place into the box; `shift` says by how much, for others near it. */
void period_wrap(const struct period *p, double x[3], double shift[2]);

/* ---- orbits.c: bodies about a heavy one, which turn by radians from frame to frame ---- */

#define CENTRES_MAX 16 /* heavy bodies */

struct state {
    double pos[3], vel[3];
};

struct centre { /* a heavy body of a frame */
    uint64_t id;
    double mass;
    struct state state;
};

struct centres { /* of a frame, in descending order of mass */
    double G, softening;
    int count;
    struct centre one[CENTRES_MAX];
};

struct orbit_path { /* about a centre */
    int centre;     /* in the table of pairs; -1: none */
    double mass;    /* of the centre and the body */
    int count;      /* of nodes */
    size_t first;   /* of the nodes */
};

struct centre_pair { /* a heavy body of both frames */
    double mass;
    struct state state[2], now;
    struct orbit_path path; /* about a heavier one */
};

struct orbits { /* begins as zeros */
    struct centres frame[2];
    struct centre_pair pair[CENTRES_MAX];
    int count; /* of pairs */
    double dt; /* from the first frame to the second */
    struct orbit_node *node;
    size_t node_count, node_room;
    struct orbit *orbit; /* bodies that are on one */
    size_t orbit_count, orbit_room;
};

/* Notes the heaviest bodies of frame 0 or 1, which may be bodies that are not drawn: `b` has all of the frame. */
void orbits_note(struct orbits *o, int frame, const struct nb_bodies *b);
/* Makes the second frame the first one. */
void orbits_shift(struct orbits *o);
/* Finds the bodies that move on an orbit about a heavier one from frames[0] to frames[1]: those which it makes turn by
 * a radian or more, and which have at most a tenth of its mass. -1: no memory. */
int orbits_fill(struct orbits *o, const struct nb_bodies frames[2], const struct match *match, double dt);
/* Puts these bodies at share s of the way, or above 1 behind it, into the columns, which are in the order of frame
 * `side`. */
void orbits_put(struct orbits *o, int side, double s, struct nb_column *pos, struct nb_column *vel);
void orbits_free(struct orbits *o);

/* ---- between.c: the bodies at a moment between two frames ---- */

struct between {
    struct period period;    /* of both frames, by the caller */
    struct orbits orbits;    /* the same */
    struct nb_bodies bodies; /* read only; what is not interpolated is the nearer frame's own memory */
    struct {
        void *data;
        size_t room_bytes;
    } own[NB_COLUMNS_MAX]; /* of what is interpolated, by the column's place */
};

/* The bodies at share s (0 to 1) of the way from the first frame to the second, those of the nearer frame in its order.
 * Of one that is in both:
 *
 * - pos and vel of bodies in `orbits` are on their orbits;
 * - pos is on the cubic through both places with both velocities (Hermite), its error at most dt^4/384 of the fourth
 *   derivative; where these four do not fit together, since the body turned round several times in between, on the
 *   straight line; where it left a periodic box it comes in on the other side;
 * - vel has a direction and a size that change linearly, so that speed does not sag on the way;
 * - other columns of type f32 and f64 change linearly.
 *
 * One that is in the nearer frame alone moves straight on with its velocity. Whatever is not a number there or has
 * another form, and all other columns, are the nearer frame's. `dt` is the time from the first to the second. -1: no
 * memory.
 *
 * Above s = 1 bodies of the second frame go on behind it: on their orbits, or straight on. */
int between_fill(struct between *b, const struct nb_bodies frames[2], const struct match *match, double dt, double s);
void between_free(struct between *b);

/* The same of one body's place alone: from p0 with velocity v0 to p1 with v1. */
void between_place(const double p0[3], const double p1[3], const double v0[3], const double v1[3], double dt, double s,
                   double p[3]);
/* The same of its velocity. */
void between_velocity(const double v0[3], const double v1[3], double s, double v[3]);

/* ---- shutter.c: of how many moments a picture is put together while the shutter is open ---- */

#define SHUTTER_MOMENTS_MOST 16

/* So many that most bodies, in the view of the moment when it opens and that when it closes `open` time units later,
 * go at most a pixel and a half from one to the next, as far as SHUTTER_MOMENTS_MOST does it. At least 2. */
int shutter_moments(const struct nb_view *opens, const struct nb_view *closes, const struct nb_bodies *b, double open);

/* ---- average.c: copies of the frames of the last time of an input ---- */

struct average { /* begins as zeros, but for the span */
    double span; /* time units */
    double forwards;
    int count;
    struct nb_bodies *frame; /* the oldest first */
};

/* Adds a frame, and forgets those that are older than the span by now, or of another stream. Dies without memory. */
void average_note(struct average *a, const struct nb_bodies *now);
void average_free(struct average *a);

/* ---- motion.c: the moments that pictures show: those of the frames, and moments between them ---- */

struct source;
struct motion;

struct moment {
    const struct nb_bodies *bodies; /* with meta.time of the moment; good until the next call */
    double frame;                   /* 3.25: a quarter of the way from frame 3 of the input to the next one */
    const struct nb_bodies *all;    /* with those that --select leaves out, where frames are shown as they come */
};

/* Frames come from the source, which stays the caller's. With K = o->interpolate, N frames make (N - 1) K + 1 pictures;
 * one frame that is asked for is one picture. Where time stands still or turns back between two frames (streams one
 * after the other), the nearer one is shown. Dies without memory. */
struct motion *motion_create(const struct motion_options *o, struct source *source);
void motion_destroy(struct motion *m);

/* Goes to the next picture. False at the end, or as source_next says. */
bool motion_next(struct motion *m);
/* Whether it is to be shown; else it sets the scene, or is part of a path. For NB_FRAME_LAST known at the end. */
bool motion_wants(const struct motion *m);
/* Whether it is certain that nobody sees it. */
bool motion_passes(const struct motion *m);
/* The picture's number for its name: the frame's, or with K > 1 pictures counted from 0. */
int64_t motion_number(const struct motion *m);
/* What the header of the nearer frame says, at the picture's time. Good until the next call. */
const struct nb_meta *motion_meta(struct motion *m);

/* A moment while the shutter is open, from share 0, when it opens, to 1. It opens at the moment that is shown. In the
 * last picture bodies move on behind the last frame. */
struct moment motion_at(struct motion *m, double share);
/* Of how many frames a picture is the average, and the k-th of them, the oldest first; without --average the one. */
int motion_frames(const struct motion *m);
const struct nb_bodies *motion_frame(const struct motion *m, int k);
/* How long it is open, time units, negative where time runs backwards; 0: all of the picture is one moment. */
double motion_open(const struct motion *m);
