/* force_group_job.h - the field of a force on several devices, in parts: force_group.c, and force_group_shares.c,
 * _some.c and _step.c take it. */
#pragma once

#include "device/group.h"
#include "force/force.h"

enum { ROW_M, ROW_X, ROW_V, ROW_A, ROW_RADIUS, ROW_HOLE, ROW_KINDS };

struct nb_group_part_work {     /* of a group's force, on one device */
    const struct nb_force *row; /* whose functions serve this device; what is no function is the group's row's too */
    void *work;
    void *d_own, *d_others; /* shares: the field of this one, of all bodies; what another had of this part's */
    size_t own_bytes, others_bytes;
    double seconds, sum[4];
    void *d_row[ROW_KINDS]; /* of all bodies, stride as the sources'; ROW_V on as far as they are wanted */
    size_t size_bytes[ROW_KINDS];
};

struct nb_group_force {
    struct nb_force entry; /* first: the row that the group's users see */
    const struct nb_force *row;
    unsigned flags; /* the row's, the kind's and of what was opened */
    int count;
    struct nb_group_part_work part[NB_GROUP_MAX];
    double bound[NB_GROUP_MAX + 1]; /* of the shares, 0 to 1 */
};

struct nb_group_job {
    struct nb_device *group;
    struct nb_group_force *f;
    enum nb_precision precision;
    const struct nb_sources *s;
    const struct nb_targets *t;
    const struct nb_field *out;
};

/* Bytes of one of the sources' rows; the first of part k's bodies. */
size_t nb_group_row_bytes(const struct nb_group_job *j);
uint64_t nb_group_first(const struct nb_group_job *j, int k);
/* 0 where no more than a vector and the potential is wanted; else -1 after nb_fail. */
int nb_group_check_rows(const struct nb_group_job *j);
/* At least that many bytes at *d, zeroed where they are new. */
int nb_group_reserve(struct nb_device *device, void **d, size_t *have_bytes, size_t size_bytes);
/* Work of nb_group_run, with a job: what others are to take is ready; what the force reads of all bodies is taken, its
 * own too. */
nb_group_work nb_group_make_ready, nb_group_take_all;
/* The same by a part, with its own bodies or without. */
int nb_group_take_rows(const struct nb_group_job *j, int k, bool own);
/* Bodies [i0, i1) of all that part k has taken. */
struct nb_sources nb_group_taken_sources(const struct nb_group_job *j, int k, uint64_t i0, uint64_t i1);

/* In shares that the force divides by itself (nb_force.shares), where it has them for what is wanted. */
bool nb_group_has_shares(const struct nb_group_job *j);
int nb_group_field_in_shares(const struct nb_group_job *j);
/* At some of the bodies, or at free points; or at all bodies, by the first part. */
int nb_group_field_at_some(const struct nb_group_job *j);

/* What a force with steps does, on several devices. */
extern const struct nb_force_steps nb_group_steps;
/* As nb_force.carry. */
int nb_group_carry(struct nb_device *group, void *work, uint64_t n, struct nb_pack *p);
