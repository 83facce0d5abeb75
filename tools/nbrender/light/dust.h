/* dust.h - dust before stars: how much of each body's light comes through it, redder than it was.
 *
 * Dust is where the gas is, or if there is none in the disks of galaxies, in a layer a quarter as thick as the stars.
 * It is drawn as light is, with footprints that follow its density, in half of the picture's resolution: of each pixel
 * the column, and the mean and the spread of its depth along the line of sight. A normal distribution of that mean and
 * spread says how much of the column lies before a body. */
#pragma once

#include "light/light.h"
#include "nbrender/basis/basis.h"

struct panes;
struct render_options;
struct dust;

/* Extinction in blue and red over that in V, by the mean law of Cardelli, Clayton & Mathis (1989, ApJ 345, 245, table
 * 3: A_B/A_V = 1.32 for R_V = 3.1, A_R/A_V = 0.75). Green is V. */
#define DUST_BLUE 1.32
#define DUST_RED  0.75

/* For pictures in these panes of a film whose first frame this is, which sets how much light a mass of dust absorbs;
 * NULL where --dust asks for none. Dies where there can be no dust, or without memory. */
struct dust *dust_create(const struct render_options *o, struct nb_device *device, const struct panes *p,
                         const struct nb_bodies *first);
void dust_destroy(struct dust *d); /* NULL is allowed */

/* The dust of a frame; then, for the view of pane k: changes light and colours of its bodies, which the shade has
 * filled in, to what comes through. The arrays are the dust's until the next call. Equal results for any number of
 * threads. */
void dust_take(struct dust *d, const struct nb_bodies *b);
void dust_dim(struct dust *d, int k, const struct nb_view *view, struct nb_light_bodies *to);

/* ---- dust_layer.c: the places of the dust ---- */

struct dust_places {
    uint64_t n, room;
    double (*x)[3];
    double *mass;
};

/* Whether there is a body of that component. */
bool dust_has(const struct nb_bodies *b, enum nb_component kind);
/* Those of the bodies of a component, NB_GAS or NB_DISK; of the latter in the layer. Dies without memory. */
void dust_places_fill(struct dust_places *p, const struct nb_bodies *b, enum nb_component kind);
void dust_places_free(struct dust_places *p);
/* The mean column, mass per area, through each galaxy's dust seen face-on, within the radius that holds half of it; of
 * several galaxies the mean by mass. 0: there is no mass. */
double dust_column(const struct nb_bodies *b, enum nb_component kind);
