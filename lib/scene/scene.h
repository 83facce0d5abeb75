/* scene.h - what a frame's header says of disks that touch: their law, walls, a box and a flow, all in the plane z = 0.
 *
 * Lines of keys that nbs(5) describes, in the frame's units:
 *
 *   contact STIFFNESS DAMPING RADIUS     M/T^2, M/T, L of every disk, or the bound of a column's radii; contact.h has
 *                                        the law
 *   wall NAME x0 y0 x1 y1 ...            a polyline; any number of lines, each of a name of its own
 *   box X0 X1 Y0 Y1                      the region that a run is about
 *   periodic DIRECTIONS                  x, y or xy: what leaves the box there comes in on its other side
 *   flow DENSITY SPEED MACH CHORD        a stream along +x that comes in at X0: mass per area, speed, its share of the
 *                                        speed of sound, length of the body for coefficients; needs box, periodic in x
 *   wall_force NAME FX FY                by nbsim: the force that the disks exerted on the wall, its mean since the
 * last frame, or in the first frame the force there
 *   inflow DENSITY STOCK COMING          by nbsim, of a flow: the mass per area that its inlet let in, its mean since
 * the last frame; the mass in the inlet's chamber; and the mass per area that comes round (force/contact/contact.h)
 *
 * A wall that ends where it begins is closed. Anticlockwise it is a solid with the disks outside, clockwise a container
 * with the disks inside; its outward normal points to where the disks are. An open wall is thin, with disks on both
 * sides. */
#pragma once

#include "base/bodies.h"
#include "base/extern_c.h"

NB_C_BEGIN

#define NB_WALLS_MAX       64
#define NB_WALL_POINTS_MAX 20000 /* of all walls: a header has at most 1 MiB */

struct nb_wall {
    char name[NB_NAME_MAX];
    bool closed;
    int count;   /* of points, 2 or more; of a closed wall the last is the first */
    double *xy;  /* x0 y0 x1 y1 ...; owned by the scene */
    double area; /* of a closed wall, L^2: positive of a solid, negative of a container; else 0 */
};

struct nb_scene {  /* begins as zeros */
    bool touching; /* has the contact line, and: */
    double stiffness, damping, radius;
    bool boxed; /* has the box line, and: */
    double low[2], high[2];
    bool periodic[2];
    bool flowing; /* has the flow line, and: */
    double density, speed, mach, chord;
    int wall_count;
    struct nb_wall walls[NB_WALLS_MAX];
};

/* Whether the header has a contact line, whatever its values. */
bool nb_scene_is_touching(const struct nb_meta *meta);
/* The header's lines as a scene, to be freed; without any of them all is false. -1 after nb_fail with the line that is
 * wrong; nothing is to be freed then. */
int nb_scene_read(const struct nb_meta *meta, struct nb_scene *scene);
void nb_scene_free(struct nb_scene *scene);
/* Appends a wall, its points copied, and says whether it is closed. -1: too many, no memory, a name that is none or
 * taken, fewer than two points, one that is not finite. */
int nb_scene_add_wall(struct nb_scene *scene, const char *name, const double *xy, int count);
/* Whether disks of the scene's radius can be among its walls; -1 after nb_fail with what is wrong. A wall has no point
 * twice in a row and does not cross or touch itself; a closed one has an area. Two walls do not cross, and are a disk's
 * diameter apart at least; those that join, an end of an open one lying on the other, are as one and are not measured.
 * None is inside of a solid or outside of a container. Solids are in the box, and a radius from where it is periodic.
 * A periodic box is as wide as four disks at least. Notches of one wall may be narrower than a disk. scene_check.c */
int nb_scene_check(const struct nb_scene *scene);
/* Appends the scene's lines to the header's others. -1: no memory, or the walls do not fit a header. */
int nb_scene_write(const struct nb_scene *scene, struct nb_meta *meta);

/* The force that was exerted on the wall of that name, by the header. False: it has no such line. */
bool nb_scene_wall_force(const struct nb_meta *meta, const char *name, double force[2]);
/* Puts that line, in the place of the wall's older one. */
int nb_scene_put_wall_force(struct nb_meta *meta, const char *name, const double force[2]);
/* That line's numbers, by the header; false: it has no such line. */
bool nb_scene_inflow(const struct nb_meta *meta, double inflow[3]);
/* Puts that line, in the place of the older one. */
int nb_scene_put_inflow(struct nb_meta *meta, const double inflow[3]);
/* Whether the header has a line of one of these keys, a list that ends with NULL. */
bool nb_scene_has(const struct nb_meta *meta, const char *const *keys);
/* Takes those lines out of the header. Returns whether there were any. */
bool nb_scene_drop(struct nb_meta *meta, const char *const *keys);
/* The same of the lines of wall_force and inflow. */
bool nb_scene_drop_measured(struct nb_meta *meta);

NB_C_END
