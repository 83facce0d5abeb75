/* period.h - boxes that are periodic by the header's lines (scene.h): what leaves on one side comes in on the other. */
#ifndef NBRENDER_PERIOD_H
#define NBRENDER_PERIOD_H

#include "base/bodies.h"

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

#endif
