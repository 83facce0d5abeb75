/* force_request.h - the forces that a user asks for, by the strings of --force, --theta, --rebuild and --pn. */
#pragma once

#include "force/force.h"

struct nb_force_request {
    struct nb_force_spec spec[NB_FORCES_MAX]; /* of --force, as given */
    int count;                                /* 0: the header's, or auto */
    const char *theta, *rebuild;              /* short forms of a tree's parameters; NULL: not given */
    const char *pn;                           /* order of post-Newtonian terms; NULL: not given */
};

#define NB_REFUSED (-2) /* what is asked for cannot be: a mistake of who asks, not of the world */

/* Parses the force NAME[:KIND][,key=value...] as one more. -1 after nb_fail. */
int nb_force_request_add(struct nb_force_request *q, const char *text);
/* Parses the post-Newtonian terms of that order. -1 after nb_fail. */
int nb_force_request_parse_pn(const char *order, struct nb_force_spec *spec);
/* NB_REFUSED after nb_fail if the forces cannot act together, or if none of them has the parameter of --theta or
 * --rebuild. */
int nb_force_request_check(const struct nb_force_request *q);
/* Chooses which forces act on a frame: those asked for, else those that its header names, else the bodies' own gravity
 * ("auto"); with the tree's parameters. "auto" of disks that touch is "contact", with the radii of their column where
 * they differ. Returns how many; -1 after nb_fail if the header names what there is not, NB_REFUSED if gravity would
 * act twice. */
int nb_force_request_choose(const struct nb_force_request *q, const struct nb_bodies *b,
                            struct nb_force_spec spec[NB_FORCES_MAX]);
