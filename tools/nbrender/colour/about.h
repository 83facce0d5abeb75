/* about.h - the mean of a quantity over the bodies about each, in the plane z = 0. What a disk of a gas has at a moment
 * is chance, and of its contacts mostly 0; the mean of those about it is the gas's. */
#ifndef NBRENDER_ABOUT_H
#define NBRENDER_ABOUT_H

#include "base/bodies.h"

/* Whether means of it are wanted of such bodies: of those that touch (scene.h), where it is a speed or comes from their
 * contacts. */
bool about_has(const char *name, const struct nb_meta *meta);

/* To where, in x, such a quantity is not the gas's: in the first tenth of a box with a flow bodies are mixed and get
 * new velocities (nbs(5)), and are pushed apart there. -INFINITY without a flow, and of other quantities. Dies where
 * the header's lines are wrong. */
double about_inlet(const char *name, const struct nb_meta *meta);

struct about {
    double *sum; /* work space: of each cell, of weights and of weighted values in turn */
    double *mean;
    uint64_t cells, bodies; /* for which there is room */
};

/* Fills in mean[i] of each body: of a quantity (quantity.h) with the weights of quadratic B-splines on square cells of
 * which 3 by 3 hold about `count` bodies, where they are as dense as in the header's box, without one as in their own
 * extent. Values that are no finite numbers are left out, and NAN where there is no other. Equal results for any number
 * of threads. Dies without memory, or where the header's lines are wrong. */
void about_fill(struct about *a, const struct nb_bodies *b, const char *name, double count);
void about_free(struct about *a);

#endif
