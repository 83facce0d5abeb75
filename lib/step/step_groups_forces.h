/* step_groups_forces.h - forces between the particles of hermite4-groups, on the stepper's device. A device with its
 * own memory keeps a copy (mirror) of the particles' state, receives only changes, and predicts the particles
 * itself. */
#pragma once

#include "step/groups/cluster.h"
#include "step/step_family.h"

struct nb_group_forces {
    struct nb_stepper *p; /* set by the caller before each call of nb_group_forces */
    struct nb_cluster *c;
    bool host; /* device memory is host memory, so the device uses px, pv, field_a and field_j of c directly */
    double inverse_G;
    double *mass;                         /* particles' masses, host memory */
    void *d_mass, *d_px, *d_pv, *d_field; /* d_field: 6 rows, accelerations and then jerks of the listed particles */
    /* d_x, d_v, d_a, d_j (vectors) and d_begun (a row): the mirror of all n particles; d_put: new values of the
     * particles that have changed */
    void *d_x, *d_v, *d_a, *d_j, *d_begun, *d_put;
    uint32_t *d_index;
    double *staged; /* host memory in which the rows of d_put are assembled */
    /* number of accelerations of particles that were computed but are not yet counted in p->evaluations, where n of
     * them count as 1; fewer than n */
    uint64_t kicks;
};

/* Allocates the memory of f, and px, pv, field_a and field_j of c. Returns 0, or -1 after nb_fail. Call
 * nb_group_forces_close in both cases. */
int nb_group_forces_open(struct nb_group_forces *f, struct nb_stepper *p, struct nb_cluster *c);
void nb_group_forces_close(struct nb_group_forces *f, struct nb_device *device);
/* Evaluates forces. nb_cluster.forces points to this function; `data` is a struct nb_group_forces. Writes accelerations
 * and jerks of the `count` listed particles to rows of c->stride elements. Returns 0, or -1 after nb_fail. */
int nb_group_forces(void *data, uint64_t count, const uint32_t *index, double *a, double *j);
