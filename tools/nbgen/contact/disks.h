/* disks.h - code that the models of colliding disks share (lib/force/contact/contact.h).
 *
 * - All disks have the same density and lie in the plane z = 0.
 * - At the start, the disks are on a lattice between the walls. If there is an inlet, some disks can be in its chamber.
 * - There is no gravity, and there are no units. */
#pragma once

#include "nbgen/nbgen.h"

/* ---- a jittered lattice of disks: lattice.c ----
 *
 * Places exactly n disks evenly in the part of a rectangle that is free of walls. No disk touches another disk or a
 * wall. The rectangle is divided into rows of equal height. The *spans* of a row are intervals of x. If the centre of a
 * disk has its x in a span and its y near the middle of the row, the disk touches no wall, and is outside solids and
 * inside containers. The spans of all rows, one after another, are divided evenly among the disks, so that a disk's
 * place follows from its number. Memory grows as the square root of the number of disks. */

struct lattice_span { /* the interval of x from `from` to `to`, in row number `row` */
    size_t row;
    double from, to;
};

struct lattice_spans {
    struct lattice_span *span;
    size_t count;
};

struct lattice {
    double low[2], high[2]; /* corners of the rectangle */
    double radius;
    uint64_t n;
    size_t rows;
    double height;    /* height of a row */
    double jitter;    /* largest distance in y between a disk's centre and the middle of its row */
    uint64_t *before; /* before[j]: number of disks in rows below j; rows + 1 values */
    double *length;   /* length[j]: total length of the spans (where disks can be) of row j; `rows` values */
    size_t *first;    /* first[j]: index in `spans` of the first span (where disks can be) of row j; rows + 1 values */
    struct lattice_spans spans;
};

/* Sets all members except low, high, radius and n, which the caller has set. Dies with a usage error if n disks do not
 * fit. The memory is kept until the tool ends. */
void lattice_make(struct lattice *lattice, const struct nb_scene *scene);
/* Places n disks, from number `first` on, and writes their positions (with z = 0) to `pos`. u[0] and u[1] have n
 * uniform random numbers each, which shift the disks in x and in y. */
void lattice_place(const struct lattice *lattice, uint64_t first, size_t n, double *const u[2], double *pos);

/* ---- the outline of a body in a flow: outline.c ----
 *
 * A closed polygon, anticlockwise, in units of its chord, with the leading edge at x = 0 and the trailing edge at x =
 * 1. */

struct outline {
    int count;    /* number of points, the last equals the first; 0: no body */
    double *xy;   /* x0 y0 x1 y1 ...; kept until the tool ends */
    double pivot; /* x of the axis of rotation, at y = 0 */
};

#define OUTLINE_NAMES      "naca and 4 or 5 digits (Jacobs, Ward & Pinkerton 1933; 1935), cylinder, plate, wedge, none"
#define OUTLINE_POINTS_MAX 10000

/* Returns the outline for `airfoil`, the value of --airfoil: the name of a profile, or of a file with two columns.
 * Curved profiles get `points` sides. Dies with a usage error if `airfoil` is neither a profile nor a file. Dies with
 * exit status 1 if the file is invalid. */
struct outline outline_find(const char *airfoil, int points);

/* Reads an outline from a text file. Dies if the file is invalid. Defined in outline_file.c. */
struct outline outline_read(const char *path);
/* Returns the NACA profile with these digits. It has `points` sides, or one more if `points` is odd. Dies with a usage
 * error if there is no such profile. Defined in outline_naca.c. */
struct outline outline_naca(const char *digits, int points);
/* Returns a new outline of `count` points. The caller sets the points. */
struct outline outline_new(int count, double pivot);

/* ---- the disks of a plan ---- */

struct disks {
    struct nb_scene scene; /* walls and box; disks_plan adds the contact law */
    struct lattice lattice;
    /* Generator of random numbers. Each disk uses two draws (rng.h). Draw 0 gives two uniform numbers for the position
     * and one for the radius. Draw 1 gives two normal numbers for the velocity. */
    struct nb_rng rng;
    double spread; /* ratio (half width of the uniform distribution of radii) / (mean radius); 0: equal radii */
    double mass;   /* mass of a disk of mean radius */
    double speed, sigma;
    /* Number of disks that start in the chamber of the inlet and not on the lattice. They are the last disks of the
     * plan. */
    uint64_t reserve;
    double chamber[4]; /* chamber of the inlet: x from chamber[0] to [1], y from [2] to [3]; unused if `reserve` is 0 */
};

/* Returns the stiffness with which a disk of mean radius r that hits a wall at speed `fastest` overlaps the wall by at
 * most r. */
double disks_stiffness(const struct disks *disks, double fastest);

/* Adds the disks to the plan. Sets the stiffness of contacts to disks_stiffness(disks, fastest). Sets the damping so
 * that `restitution` is the coefficient of restitution of two disks of mean radius. Dies with a usage error if the
 * scene is invalid.
 *
 * The caller must have set
 *   - spread, mass, speed, sigma, reserve and chamber of `disks`;
 *   - low and high of the lattice;
 *   - the walls, the box and the largest disk radius of the scene. */
void disks_plan(struct gen_plan *plan, struct disks *disks, double fastest, double restitution);

/* Adds a wall with nb_scene_add_wall. Dies with a usage error if the wall is invalid. */
void disks_add_wall(struct nb_scene *scene, const char *name, const double *xy, int count);

#define DISKS_RESTITUTION(to, usual)                                                                       \
    {                                                                                                      \
        "restitution", "E", tool_take_positive, to,                                                        \
            "fraction of its speed that a disk keeps in a head-on contact, above 0, up to 1 " usual, 0, 1, \
            "disks do not come back faster than they came"                                                 \
    }
