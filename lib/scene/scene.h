/* scene.h - header lines of disks that touch: contact law, walls, box and flow, all in the plane z = 0.
 *
 * Lines, described in nbs(5), in the frame's units:
 *
 *   contact STIFFNESS DAMPING RADIUS     in M/T^2, M/T and L. RADIUS: radius of all disks or, if the radii of
 *                                        the disks are in a column `radius`, upper bound of these radii. The law is in
 *                                        contact.h
 *   wall NAME x0 y0 x1 y1 ...            a polyline; any number of lines with different names
 *   box X0 X1 Y0 Y1                      region of the simulation
 *   periodic DIRECTIONS                  x, y or xy: disks that leave the box in such a direction enter it again on the
 *                                        opposite side
 *   flow DENSITY SPEED MACH CHORD        a stream along +x that enters at X0: mass per area, speed, Mach number,
 *                                        reference length for force coefficients; needs box and periodic x
 *   wall_force NAME FX FY                written by nbsim: mean force of the disks on the wall since the last frame;
 *                                        in the first frame the instantaneous force
 *   inflow DENSITY STOCK COMING          written by nbsim if there is a line flow. DENSITY: mean mass per area of the
 *                                        incoming flow since the last frame. STOCK: mass in the inlet's chamber,
 *                                        a reserve of disks. COMING: mass per area in the inlet's entry, through which
 *                                        disks return to the chamber (force/contact/contact_inlet.h)
 *
 * A wall of at least three sides that ends where it begins is closed. An anticlockwise closed wall is a solid with the
 * disks outside. A clockwise closed wall is a container with the disks inside. Outward normals point towards the disks.
 * An open wall is thin, with disks on both sides. */
#pragma once

#include "base/bodies.h"
#include "base/extern_c.h"

NB_C_BEGIN

#define NB_WALLS_MAX 64
/* maximum number of points of all walls together, because a header has at most 1 MiB */
#define NB_WALL_POINTS_MAX 20000

struct nb_wall {
    char name[NB_NAME_MAX];
    bool closed;
    int count;  /* number of points, >= 2; the last point of a closed wall equals its first */
    double *xy; /* x0 y0 x1 y1 ...; owned by the scene */
    /* enclosed area: positive for a solid, negative for a container, 0 for an open wall */
    double area;
};

struct nb_scene {  /* contents of the header lines listed above; initialise with zeros */
    bool touching; /* the header has a contact line; the next three members are its values */
    double stiffness, damping, radius;
    bool boxed; /* the header has a box line, which sets `low` and `high` */
    double low[2], high[2];
    bool periodic[2];
    bool flowing; /* the header has a flow line; the next four members are its values */
    double density, speed, mach, chord;
    int wall_count;
    struct nb_wall walls[NB_WALLS_MAX];
};

/* Returns whether the header has a contact line. Does not check its values. */
bool nb_scene_is_touching(const struct nb_meta *meta);
/* Reads the header lines listed above into *scene, which the caller frees with nb_scene_free. Members without a line in
 * the header are 0. Returns 0, or -1 after nb_fail if a line is invalid. After a failure there is nothing to free. */
int nb_scene_read(const struct nb_meta *meta, struct nb_scene *scene);
/* Frees the walls. */
void nb_scene_free(struct nb_scene *scene);
/* Appends a wall with copies of the `count` points xy. The wall is closed if it has at least four points and the last
 * point equals the first. Returns 0, or -1 after nb_fail: too many walls or points, no memory, a name that is invalid
 * or in use, fewer than two points, or a point that is not finite. */
int nb_scene_add_wall(struct nb_scene *scene, const char *name, const double *xy, int count);
/* Checks whether disks of the scene's radius can move among its walls. Returns 0, or -1 after nb_fail. Defined in
 * scene_check.c. The conditions:
 * - A wall has no equal consecutive points and does not cross or touch itself. A closed wall has an area.
 * - Two walls do not cross and are at least a disk's diameter apart. This does not apply if an end of an open wall lies
 *   on another wall: these two walls are treated as one.
 * - No wall is inside a solid or outside a container.
 * - Solids are in the box, and at least a disk's radius from the box's periodic sides.
 * - A periodic box is at least four diameters wide.
 * Notches of a single wall may be narrower than a disk. */
int nb_scene_check(const struct nb_scene *scene);
/* Appends the scene's lines to the header. Returns 0, or -1 after nb_fail: no memory, or the walls do not fit in a
 * header. */
int nb_scene_write(const struct nb_scene *scene, struct nb_meta *meta);

/* Reads the force on the wall `name` from the header. Returns false if the header has no line for this wall. */
bool nb_scene_wall_force(const struct nb_meta *meta, const char *name, double force[2]);
/* Writes the line `wall_force` of the wall `name`, replacing an older one. Returns -1 if there is no memory. */
int nb_scene_put_wall_force(struct nb_meta *meta, const char *name, const double force[2]);
/* Reads DENSITY, STOCK and COMING from the line `inflow`. Returns false if the header has no such line. */
bool nb_scene_inflow(const struct nb_meta *meta, double inflow[3]);
/* Writes the line `inflow`, replacing an older one. Returns -1 if there is no memory. */
int nb_scene_put_inflow(struct nb_meta *meta, const double inflow[3]);
/* Returns whether the header has a line with one of the keys. The list `keys` ends with NULL. */
bool nb_scene_has(const struct nb_meta *meta, const char *const *keys);
/* Removes the lines with these keys. Returns whether there were any. */
bool nb_scene_drop(struct nb_meta *meta, const char *const *keys);
/* Removes the lines wall_force and inflow. Returns whether there were any. */
bool nb_scene_drop_measured(struct nb_meta *meta);

NB_C_END
