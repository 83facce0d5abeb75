/* force_group_job.h - the field of a force on several devices, in parts: force_group.c, force_group_shares.c and
 * force_group_some.c. */
#ifndef NB_FORCE_GROUP_JOB_H
#define NB_FORCE_GROUP_JOB_H

#include "device/group.h"
#include "force/force.h"

enum { ROW_M, ROW_X, ROW_V, ROW_A, ROW_RADIUS, ROW_KINDS };

struct nb_group_part_work { /* of a group's force, on one device */
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
/* At least that many bytes at *d, zeroed where they are new. */
int nb_group_reserve(struct nb_device *device, void **d, size_t *have_bytes, size_t size_bytes);
/* Work of nb_group_run, with a job: what others are to take is ready; what the force reads of all bodies is taken, its
 * own too. */
nb_group_work nb_group_make_ready, nb_group_take_all;
/* Bodies [i0, i1) of all that part k has taken. */
struct nb_sources nb_group_taken_sources(const struct nb_group_job *j, int k, uint64_t i0, uint64_t i1);

/* In shares that the force divides by itself (nb_force.shares), where it has them for what is wanted. */
bool nb_group_has_shares(const struct nb_group_job *j);
int nb_group_field_in_shares(const struct nb_group_job *j);
/* At some of the bodies, or at free points. */
int nb_group_field_at_some(const struct nb_group_job *j);

#endif
