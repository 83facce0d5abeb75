/* step_groups_forces.h - forces between the particles of hermite4-groups, on the stepper's device. A device with its
 * own memory keeps a copy of the particles' state and predicts the particles. Only the state of particles that have
 * changed is sent to the device. */
#pragma once

#include "step/groups/cluster.h"
#include "step/step_family.h"

struct nb_group_forces {
    struct nb_stepper *p; /* set by the caller before each call of nb_group_forces */
    struct nb_cluster *c;
    bool host; /* device memory is host memory, so the device uses px, pv, field_a and field_j of c directly */
    double inverse_G;
    double *mass;                         /* particles' masses, host memory */
    void *d_mass, *d_px, *d_pv, *d_field; /* d_field: 3 rows of accelerations, then 3 rows of jerks */
    /* The device's copy of all n particles: position, velocity, acceleration, jerk, and time at which the step began.
     * d_put: new values of the particles that have changed */
    void *d_x, *d_v, *d_a, *d_j, *d_begun, *d_put;
    uint32_t *d_index;
    double *staged; /* host memory in which the rows of d_put are assembled */
    /* number of particle accelerations that p->evaluations does not include yet; n of them count as one evaluation */
    uint64_t kicks;
};

/* Allocates the memory of f, and the arrays px, pv, field_a and field_j of c. Returns 0, or -1 after nb_fail. Call
 * nb_group_forces_close even after a failure. */
int nb_group_forces_open(struct nb_group_forces *f, struct nb_stepper *p, struct nb_cluster *c);
void nb_group_forces_close(struct nb_group_forces *f, struct nb_device *device);
/* Evaluates the accelerations a and jerks j of the `count` particles in index[]. a and j have three rows of c->stride
 * elements each. `data` is a struct nb_group_forces. nb_cluster.forces points to this function. Returns 0, or -1 after
 * nb_fail. */
int nb_group_forces(void *data, uint64_t count, const uint32_t *index, double *a, double *j);
