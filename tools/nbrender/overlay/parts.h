/* parts.h - the overlays one by one; each leaves itself out where it does not fit. */
#ifndef NBRENDER_PARTS_H
#define NBRENDER_PARTS_H

#include "measure/measure.h"
#include "nbrender/overlay/canvas.h"
#include "nbrender/overlay/overlay.h"

/* "t = 3.20", top left; with a unit where the stream has one, and as many digits as tell pictures from each other. */
void part_time(struct canvas *c, const struct overlay_moment *m);
/* Top middle, cut short where it is too long. */
void part_title(struct canvas *c, const char *title);
/* A bar of a round length, a tenth to a quarter of the pane's width, bottom left; its length above. */
void part_scale(struct canvas *c, const struct overlay_moment *m, const struct overlay_pane *pane);
/* The side of the largest box about the view's centre that is a round number or 1.5, 3, 4, 6 or 8 times a power of ten,
 * and whose corners are well inside the pane. */
double part_box_side(const struct overlay_pane *pane);
/* The edges of the box, and the names of its axes. */
void part_box(struct canvas *c, const struct overlay_moment *m, const struct overlay_pane *pane);

/* A strip of the colours with ticks at round values, or at ranks evenly, and above it what they show; or the components
 * by their names. On the right, three eighths of the picture's height. */
void part_colorbar(struct canvas *c, const struct overlay_moment *m);

struct energies {
    double *time, *error; /* error: nb_measure_energy_error against the first */
    size_t count, room;
    struct nb_energies first;
};

/* A plot of relative energy error against time with its divisor, if that is not |E0|, bottom right: from the first
 * frame's time to the present one's, and up to a round number to both sides of 0. */
void part_energy(struct canvas *c, const struct energies *e, size_t count);

#endif
