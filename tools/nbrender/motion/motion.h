/* motion.h - the moments that pictures show: those of the frames, and moments between them. */
#ifndef NBRENDER_MOTION_H
#define NBRENDER_MOTION_H

#include "base/bodies.h"
#include "nbrender/motion/motion_options.h"

#include <stdbool.h>
#include <stdint.h>

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

/* A moment while the shutter is open, from share 0, when it opens, to 1. It opens at the moment that is shown, but for
 * the last picture, where it closes there. */
struct moment motion_at(struct motion *m, double share);
/* How long it is open, time units, negative where time runs backwards; 0: all of the picture is one moment. */
double motion_open(const struct motion *m);

#endif
