/* dust.h - dust, which dims and reddens the light of the bodies behind it.
 *
 * - Dust lies where the gas is. If there is no gas, it lies in the disks of galaxies, in a layer with a quarter of the
 *   thickness of the disk.
 * - Dust is drawn as a map, like light, with adaptive smoothing lengths, at half the picture's resolution. Each pixel
 *   of the map has the column density of the dust, and the mean and standard deviation of the dust's depth along the
 *   line of sight.
 * - The fraction of the dust that lies in front of a body is computed from a normal distribution with this mean and
 *   standard deviation. */
#pragma once

#include "light/light.h"
#include "nbrender/basis/basis.h"

struct panes;
struct render_options;
struct dust;

/* Extinction in blue and red relative to V, from the mean law of Cardelli, Clayton & Mathis (1989, ApJ 345, 245, table
 * 3: A_B/A_V = 1.32 for R_V = 3.1, A_R/A_V = 0.75). Green has the extinction of V. */
#define DUST_BLUE 1.32
#define DUST_RED  0.75

/* Allocates the dust and its maps for the panes p. Finds the opacity (area per mass) from the first frame. Returns NULL
 * if --dust was not given. Dies if the frame has neither gas nor a disk, if the dust has no mass, or if there is no
 * memory. */
struct dust *dust_create(const struct render_options *o, struct nb_device *device, const struct panes *p,
                         const struct nb_bodies *first);
void dust_destroy(struct dust *d); /* d may be NULL */

/* dust_take stores the dust of a frame. dust_dim then dims and reddens the bodies in `to` by this dust, in the view of
 * pane k. It replaces the arrays `light`, `step` and `ramp` of `to` by new arrays, which belong to the dust and are
 * valid until the next call. Results are the same for any number of threads. Both functions die if there is no
 * memory. */
void dust_take(struct dust *d, const struct nb_bodies *b);
void dust_dim(struct dust *d, int k, const struct nb_view *view, struct nb_light_bodies *to);

/* ---- dust_layer.c: positions of the dust ---- */

struct dust_places {
    uint64_t n, room;
    double (*x)[3];
    double *mass;
};

/* Returns whether the frame has a body of component `kind`. */
bool dust_has(const struct nb_bodies *b, enum nb_component kind);
/* Fills in positions and masses of the dust from the bodies of a component, NB_GAS or NB_DISK. Bodies of disks are
 * moved into the thin layer of dust. Dies if there is no memory. */
void dust_places_fill(struct dust_places *p, const struct nb_bodies *b, enum nb_component kind);
void dust_places_free(struct dust_places *p); /* frees the arrays, not p */
/* Returns the mean column density (mass per area) of the dust, seen face-on, inside the radius that contains half of
 * the dust. If there are several galaxies, returns the mean over them, weighted by mass. Returns 0 if there is no mass.
 */
double dust_column(const struct nb_bodies *b, enum nb_component kind);
