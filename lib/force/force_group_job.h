/* force_group_job.h - the evaluation of a force on several devices: declarations shared by force_group.c,
 * force_group_shares.c, force_group_some.c and force_group_step.c. */
#pragma once

#include "device/group.h"
#include "force/force.h"

enum { ROW_M, ROW_X, ROW_V, ROW_A, ROW_RADIUS, ROW_HOLE, ROW_KINDS };

struct nb_group_part_work { /* data of the force on one device (part) of the group */
    /* Functions of the force on this device. If the device belongs to this rank, they are nb_group_force.row. Otherwise
     * they send each call to the device's rank (nb_force_remote_open). */
    const struct nb_force *row;
    void *work;
    /* d_own: rows of the field that this part computed, with an element for each target of this part. If the parts
     * compute shares of the work (nb_force_shares), the rows have an element for each body of the group. d_others:
     * values received from other parts */
    void *d_own, *d_others;
    size_t own_bytes, others_bytes;
    double seconds, sum[4];
    /* copies of the sources of all parts, with the sources' stride. Velocity, acceleration, radius and black hole are
     * copied only if the force reads them */
    void *d_row[ROW_KINDS];
    size_t size_bytes[ROW_KINDS];
};

struct nb_group_force {
    struct nb_force entry; /* the force for callers, who see the group as one device */
    const struct nb_force *row;
    /* flags of the method, of the chosen kind (KIND in NAME:KIND) and of the opened force, combined by bitwise or */
    unsigned flags;
    int count;
    struct nb_group_part_work part[NB_GROUP_MAX];
    double bound[NB_GROUP_MAX + 1]; /* part k computes the range of the work from bound[k] to bound[k + 1] (0 to 1) */
};

struct nb_group_job {
    struct nb_device *group;
    struct nb_group_force *f;
    enum nb_precision precision;
    const struct nb_sources *s;
    const struct nb_targets *t;
    const struct nb_field *out;
};

/* nb_group_row_bytes returns the size in bytes of one row of the sources. nb_group_first returns the index of the first
 * body of part k. */
size_t nb_group_row_bytes(const struct nb_group_job *j);
uint64_t nb_group_first(const struct nb_group_job *j, int k);
/* Returns -1 after nb_fail if the job requests jerk, snap or pressure, otherwise 0. */
int nb_group_check_rows(const struct nb_group_job *j);
/* Makes sure that *d has at least size_bytes bytes. If new memory is needed, it is zeroed, and the old contents are
 * lost. */
int nb_group_reserve(struct nb_device *device, void **d, size_t *have_bytes, size_t size_bytes);
/* Functions for nb_group_run, with a job as context. nb_group_make_ready allocates memory for part k, and allows the
 * other parts to read the sources of part k. nb_group_take_all copies the sources of all parts to part k. It copies
 * only the rows that the force reads. */
nb_group_work nb_group_make_ready, nb_group_take_all;
/* Copies the sources of the other parts to part k; with `own`, also the sources of part k itself. */
int nb_group_take_rows(const struct nb_group_job *j, int k, bool own);
/* Returns sources that point to bodies i0 to i1 - 1 in part k's copy of all sources. */
struct nb_sources nb_group_taken_sources(const struct nb_group_job *j, int k, uint64_t i0, uint64_t i1);

/* Computes the field of all bodies on all parts: with nb_force_shares.together or, if that function does not support
 * this job, with nb_force_shares.field, which computes one share of the work on each part. Returns 1 if the force
 * supports neither. */
int nb_group_field_in_shares(const struct nb_group_job *j);
/* Computes the accelerations of a list of targets with nb_force_shares.together. Returns 1 if that function does not
 * support these targets. */
int nb_group_list_in_shares(const struct nb_group_job *j);
/* Computes the field at a list of bodies or at points without bodies. If the force can compute fields at all bodies
 * only (NB_ALL_BODIES), the first part computes the field at all bodies. */
int nb_group_field_at_some(const struct nb_group_job *j);

/* Implements nb_force_steps for a group of devices. */
extern const struct nb_force_steps nb_group_steps;
/* Implements nb_force.carry for a group of devices. */
int nb_group_carry(struct nb_device *group, void *work, uint64_t n, struct nb_pack *p);
