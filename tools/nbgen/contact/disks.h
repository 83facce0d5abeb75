/* disks.h - what the models of disks that touch share (lib/force/contact/contact.h): of one density, in the plane z =
 * 0, on a lattice between the walls of a scene but for a reserve. Their plans have no gravity and no units. */
#ifndef DISKS_H
#define DISKS_H

#include "nbgen/contact/lattice.h"
#include "nbgen/nbgen.h"
#include "scene/scene.h"

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

#define DISKS_RESTITUTION(to, usual)                                                                           \
    {                                                                                                          \
        "restitution", "E",                                                                                    \
            "share of its speed that a disk keeps in a head-on contact with another, above 0, up to 1 " usual, \
            gen_positive, to, 0, 1, "disks do not come back faster than they came"                             \
    }

#endif
