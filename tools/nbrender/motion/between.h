/* between.h - the bodies at a moment between two frames. */
#ifndef NBRENDER_BETWEEN_H
#define NBRENDER_BETWEEN_H

#include "nbrender/motion/match.h"
#include "nbrender/motion/period.h"

struct between {
    struct period period;    /* of both frames, by the caller */
    struct nb_bodies bodies; /* read only; what is not interpolated is the nearer frame's own memory */
    struct {
        void *data;
        size_t room_bytes;
    } own[NB_COLUMNS_MAX]; /* of what is interpolated, by the column's place */
};

/* The bodies at share s (0 to 1) of the way from the first frame to the second, those of the nearer frame in its order.
 * Of one that is in both:
 *
 * - pos is on the cubic through both places with both velocities (Hermite), its error at most dt^4/384 of the fourth
 *   derivative; where these four do not fit together, since the body turned round several times in between, on the
 *   straight line; where it left a periodic box it comes in on the other side;
 * - vel has a direction and a size that change linearly, so that speed does not sag on the way;
 * - other columns of type f32 and f64 change linearly.
 *
 * One that is in the nearer frame alone moves straight on with its velocity. Whatever is not a number there or has
 * another form, and all other columns, are the nearer frame's. `dt` is the time from the first to the second. -1: no
 * memory. */
int between_fill(struct between *b, const struct nb_bodies frames[2], const struct match *match, double dt, double s);
void between_free(struct between *b);

/* The same of one body's place alone: from p0 with velocity v0 to p1 with v1. */
void between_place(const double p0[3], const double p1[3], const double v0[3], const double v1[3], double dt, double s,
                   double p[3]);

#endif
