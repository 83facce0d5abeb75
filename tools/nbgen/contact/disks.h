/* disks.h - what the models of disks that touch share (lib/force/contact/contact.h): of one density, in the plane z =
 * 0, on a lattice between the walls of a scene but for a reserve. Their plans have no gravity and no units. */
#pragma once

#include "nbgen/nbgen.h"

/* ---- disks on rows of a jittered lattice, in what a scene's walls leave free of a rectangle: exactly as many as asked
 * for, evenly spread, none that touches another or a wall: lattice.c ----
 *
 * A row has the same height everywhere. Its *spans* are the stretches of x where a disk anywhere in the middle of the
 * row is at least its radius from every wall, outside of solids and inside of containers. The spans of all rows, one
 * behind the other, are divided evenly among the disks, so that a disk is found from its number alone. Memory goes with
 * the rows, as the square root of the number of disks. */

struct lattice_span { /* a stretch of a row */
    size_t row;
    double from, to;
};

struct lattice_spans {
    struct lattice_span *span;
    size_t count;
};

struct lattice {
    double low[2], high[2]; /* of the rectangle */
    double radius;
    uint64_t n;
    size_t rows;
    double height;    /* from row to row */
    double jitter;    /* greatest distance from the middle of the row */
    uint64_t *before; /* disks in the rows before; rows + 1 of them */
    double *length;   /* of a row's spans together */
    size_t *first;    /* span of a row; rows + 1 of them */
    struct lattice_spans spans;
};

/* Sets all but low, high, radius and n, which are given. Dies (usage) where so many do not fit. Lives until the tool
 * ends. */
void lattice_make(struct lattice *lattice, const struct nb_scene *scene);
/* Places disks first .. first + n - 1 by uniform numbers: vectors with z = 0. */
void lattice_place(const struct lattice *lattice, uint64_t first, size_t n, double *const u[2], double *pos);

/* ---- the outline of a body in a flow: a closed polygon, anticlockwise, in units of its chord, the leading edge at x =
 * 0, the trailing edge at 1: outline.c ---- */

struct outline {
    int count;    /* of points, the last is the first; 0: no body */
    double *xy;   /* x0 y0 x1 y1 ...; lives until the tool ends */
    double pivot; /* x of the axis that it is turned about, at y = 0 */
};

#define OUTLINE_NAMES      "naca and 4 or 5 digits (Jacobs, Ward & Pinkerton 1933; 1935), cylinder, plate, wedge, none"
#define OUTLINE_POINTS_MAX 10000

/* The outline that --airfoil asks for: a profile by its name, with `points` sides where it is curved, else a file of
 * two columns. Dies: usage where there is no such profile, 1 where the file is none. */
struct outline outline_find(const char *airfoil, int points);

/* From the text of a file; outline_file.c */
struct outline outline_read(const char *path);
/* A NACA profile of those digits; dies (usage) where there is none. outline_naca.c */
struct outline outline_naca(const char *digits, int points);
/* Memory for so many points, none of them set. */
struct outline outline_new(int count, double pivot);

/* ---- disks of a plan ---- */

struct disks {
    struct nb_scene scene; /* its contact line too, once disks_plan has been called */
    struct lattice lattice;
    struct nb_rng rng; /* draw 0: places, 2 uniforms, and then the radius; draw 1: velocities, 2 normals */
    double spread;     /* radii are evenly spread by so much about the mean, relative; 0: all are the scene's */
    double mass;       /* of a disk of the mean radius */
    double speed, sigma;
    uint64_t reserve;  /* the last of the plan's disks, anywhere in: */
    double chamber[4]; /* x from chamber[0] to [1], y from [2] to [3]; where there is no reserve, unused */
};

/* The stiffness with which a disk of that speed and of the mean radius comes to rest against a wall at the depth of its
 * radius. */
double disks_stiffness(const struct disks *disks, double fastest);

/* Sets stiffness and damping, so that disks of the fastest speed that is to be expected come to rest against a wall at
 * the depth of its radius, and restitution is that of two of the mean radius; checks the scene, places the disks and
 * makes the plan. Given: spread, mass, speed, sigma, reserve and chamber, the scene's walls, box and (largest) radius,
 * the lattice's rectangle. Dies (usage) where the scene is none. */
void disks_plan(struct gen_plan *plan, struct disks *disks, double fastest, double restitution);

/* nb_scene_add_wall; dies (usage) where it is none. */
void disks_add_wall(struct nb_scene *scene, const char *name, const double *xy, int count);

#define DISKS_RESTITUTION(to, usual)                                                                       \
    {                                                                                                      \
        "restitution", "E", tool_take_positive, to,                                                        \
            "fraction of its speed that a disk keeps in a head-on contact, above 0, up to 1 " usual, 0, 1, \
            "disks do not come back faster than they came"                                                 \
    }
