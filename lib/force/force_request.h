/* force_request.h - the forces requested by a user with --force, --theta, --rebuild and --pn, and the choice of forces
 * for a frame. */
#pragma once

#include "force/force.h"

struct nb_force_request {
    struct nb_force_spec spec[NB_FORCES_MAX]; /* values of --force */
    int count;                                /* 0: use the header's forces, or auto */
    const char *theta, *rebuild;              /* values of --theta and --rebuild; NULL: not given */
    const char *pn; /* value of --pn, the order of the post-Newtonian terms; NULL: not given */
};

#define NB_REFUSED (-2) /* return value if the request is wrong (for failures of files, memory or devices: -1) */

/* Parses NAME[:KIND][,key=value...] and appends it to the requested forces. Returns -1 after nb_fail. */
int nb_force_request_add(struct nb_force_request *q, const char *text);
/* Parses the order of post-Newtonian terms into a spec of force "pn". Returns -1 after nb_fail. */
int nb_force_request_parse_pn(const char *order, struct nb_force_spec *spec);
/* Checks a request. Returns NB_REFUSED after nb_fail if the forces cannot be combined, or if no force has the parameter
 * that --theta or --rebuild sets. */
int nb_force_request_check(const struct nb_force_request *q);
/* Chooses the forces for a frame, and writes them to `spec`:
 * - the requested forces, otherwise the forces in the frame's header, otherwise "auto";
 * - the post-Newtonian terms of --pn.
 * Sets the tree's parameters from --theta and --rebuild. For colliding disks, replaces "auto" by "contact", with
 * radius=column if nb_force_radii_differ returns true. Returns the number of forces. If the header's forces are wrong,
 * returns -1 after nb_fail. If the request is wrong, returns NB_REFUSED after nb_fail. */
int nb_force_request_choose(const struct nb_force_request *q, const struct nb_bodies *b,
                            struct nb_force_spec spec[NB_FORCES_MAX]);
