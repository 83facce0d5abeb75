/* direct_cuda.cuh - declarations shared by the files of direct summation on the GPU.
 *
 *   direct_plain.cu      any targets, all precisions, acceleration and potential, on the FP32 or FP64 pipe
 *   direct_symmetric.cu  all bodies as targets, each pair once (Newton's third law), acceleration and potential
 *   direct_together.cu   the same on several GPUs
 *   direct_jerk.cu       any targets, with the jerk, or jerk and snap
 *   direct_own.cu        individual time steps: one kernel computes many steps without the host
 *   neighbours_step.cu   neighbour scheme (force/neighbours.h): a base step in one kernel
 *
 * In force/direct/tensor:
 *   direct_order.cu      sorts bodies along a space-filling curve, divides them into groups, and finds the groups that
 *                        are far from each other
 *   direct_tensor.cu     all bodies as targets, single and mixed precision, group by group (direct_groups.cuh):
 *                        direct_far.cuh computes far pairs with the tensor cores, each pair once,
 *                        direct_near.cuh near pairs with the FP32 pipe
 *
 * force_direct_cuda.cu, the entry of the table of forces, chooses between them. */
#pragma once

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "force/direct/cuda/direct_symmetric.cuh"

/* Number of bodies in a group: consecutive bodies in sorted order. */
#define NB_DIRECT_GROUP 128

/* ---- working memory ---- */

struct direct_box { /* bounding box of a group */
    double low[3], high[3];
    double diagonal2; /* square of the diagonal */
    double mass;      /* sum of the absolute values of the masses; NaN if a mass or position is not finite */
};

struct direct_work { /* working memory of direct summation; initially all zeros */
    struct nb_device *device;
    cudaStream_t stream;    /* the device's stream */
    nb_cuda_buffer partial; /* for each part of the sources, the sums of its forces on the targets */
    nb_cuda_buffer own;     /* memory of individual time steps, or of the neighbour scheme (direct_neighbours) */
    nb_cuda_buffer bodies;  /* packed bodies, sorted by direct_order along a space-filling curve */
    struct morton_sorted sort;
    nb_cuda_buffer boxes; /* direct_box of each group */
    /* tables with a line for each group a, and in a line one bit for each group b:
     * - owned: 1 if the groups are far from each other and a owns the pair: it computes the forces on both groups
     * - near: 1 if the groups are near; a computes the forces on a only */
    nb_cuda_buffer owned, near;
    /* for each body, its acceleration by far groups that own the pair: three rows of 64-bit integers, because sums of
     * integers do not depend on the order. They are in units of 1 / (the scale of the body's group), a power of two */
    nb_cuda_buffer reactions, scales;
    bool has_tensor_cores; /* true: the card has tensor cores with TF32 numbers */
    /* false: there was not enough memory for the algorithms with tensor cores or Newton's third law */
    bool has_room;
    direct_symmetric symmetric;
    nb_cuda_buffer together; /* partial field (4 rows), x, y, z and masses of all bodies (direct_together.cu) */
    /* events for other devices (direct_together.cu). After `ready`, other devices can read this device's bodies. After
     * `summed`, other devices can read the field that this device has computed. After `added`, this device has read the
     * fields of the other devices. NULL before the first use */
    cudaEvent_t ready, summed, added;
    /* this device computes the groups from share[0] * (number of groups) to share[1] * (number of groups): the pairs
     * that they own, and the forces of groups that are near to them */
    double share[2];
};

/* ---- algorithms: these functions queue work on the device's stream and return 0, or -1 after nb_fail ---- */

/* Computes acceleration and potential of any targets. */
int direct_plain(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                 const nb_field *out);

/* Computes acceleration, potential and jerk, and the snap if it is wanted. Needs velocities (s->v and t->v). For the
 * snap it also needs accelerations (s->a and t->a). */
int direct_jerk(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                const nb_field *out);

/* Number of threads of a block for direct_symmetric_sum. */
#define DIRECT_SYMMETRIC_THREADS 128
/* Returns whether several devices compute the forces between n bodies by dividing the pairs (Newton's third law). The
 * result is valid for evaluations without jerk and snap. */
bool direct_shares_pairs(const direct_work *w, enum nb_precision precision, uint64_t n);
/* Releases all memory, to use algorithms that need less of it. */
void direct_release_all(direct_work *w);
/* Implements nb_force_shares.together. */
int direct_together(struct nb_device *group, void *const *work, const double *bound, enum nb_precision precision,
                    const nb_sources *s, const nb_targets *t, const nb_field *out, double *seconds);

/* Individual time steps (direct_own.cu). */
extern const struct nb_force_own direct_own;
/* Neighbour scheme (neighbours_step.cu). */
extern const struct nb_force_neighbours direct_neighbours;

/* Sorts the sources along a space-filling curve, copies them to work->bodies in this order, and computes the boxes,
 * owners and scales of the groups. */
int direct_order(direct_work *work, enum nb_precision precision, const nb_sources *s);
/* Returns whether the tensor cores serve n bodies, and there is enough memory as far as is known. */
bool direct_tensor_serves(const direct_work *w, enum nb_precision precision, uint64_t n);
/* Returns whether direct_tensor computes the outputs in `out`: accelerations only. */
bool direct_tensor_computes(const direct_work *w, enum nb_precision precision, uint64_t n, const nb_field *out);
/* Allocates the memory for direct_tensor. Returns 0, or -1 after nb_fail. */
int direct_tensor_reserve(direct_work *work, enum nb_precision precision, uint64_t n);
/* Computes the acceleration of each source by all other sources, from the pairs in work->share. Call direct_order
 * first. */
int direct_tensor(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_field *out);
