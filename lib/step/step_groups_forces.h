/* step_groups_forces.h - the forces between particles of hermite4-groups, on the stepper's device. A device that has
 * memory of its own keeps what particles move by (a mirror), gets only what has changed, and predicts them itself. */
#pragma once

#include "step/groups/cluster.h"
#include "step/step_family.h"

struct nb_group_forces {
    struct nb_stepper *p; /* the caller sets it before each call */
    struct nb_cluster *c;
    bool host; /* the device's memory is the host's: c's own px, pv, field_a and field_j serve */
    double inverse_G;
    double *mass;                                  /* of particles, host memory */
    void *d_mass, *d_px, *d_pv, *d_field;          /* d_field: acceleration, then jerk, of a list */
    void *d_x, *d_v, *d_a, *d_j, *d_begun, *d_put; /* the mirror */
    uint32_t *d_index;
    double *staged; /* 13 rows of n, host memory */
    uint64_t kicks; /* of single bodies that make no whole evaluation yet */
};

/* Allocates, also px, pv, field_a and field_j of the cluster. 0, or -1 after nb_fail; close it also then. */
int nb_group_forces_open(struct nb_group_forces *f, struct nb_stepper *p, struct nb_cluster *c);
void nb_group_forces_close(struct nb_group_forces *f, struct nb_device *device);
/* nb_cluster.forces; data: nb_group_forces. */
int nb_group_forces(void *data, uint64_t count, const uint32_t *index, double *a, double *j);
