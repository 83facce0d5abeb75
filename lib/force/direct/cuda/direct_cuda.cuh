/* direct_cuda.cuh - what the parts of the direct sum on the GPU share.
 *
 *   direct_plain.cu      any targets, all precisions, acceleration and potential: FP32 or FP64 pipe
 *   direct_symmetric.cu  all bodies on all by Newton's third law, acceleration and potential
 *   direct_jerk.cu       the same with the jerk, or jerk and snap
 *   direct_own.cu        bodies with steps of their own, many times at which some of these end in one kernel
 *   neighbours_step.cu   the scheme of neighbours (force/neighbours.h), a base step in one kernel
 *   direct_order.cu      bodies along a space-filling curve, boxes of tiles and groups, which tiles are far
 *   direct_tensor.cu     all bodies on all, single and mixed, tile by tile (direct_tiles.cuh):
 *                        direct_far.cuh takes far pairs through the tensor cores,
 *                        direct_near.cuh near ones through the FP32 pipe
 *
 * force_direct_cuda.cu, the entry of the table of forces, chooses between them. */
#pragma once

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "force/direct/cuda/direct_symmetric.cuh"

/* Sources of a tile and targets of a group in the ordered part. */
#define NB_DIRECT_TILE  64
#define NB_DIRECT_GROUP 256
/* Evaluations that one order serves: sorting costs some 1 % of one, and bodies move little in 16 steps. */
#define NB_DIRECT_ORDER_SERVES 16

/* ---- working memory ---- */

struct direct_box {
    double low[3], high[3];
};

struct direct_work { /* begins as zeros */
    struct nb_device *device;
    cudaStream_t stream;    /* the device's */
    nb_cuda_buffer partial; /* sums of parts of the sources, to be added in order */
    nb_cuda_buffer own;     /* what direct_own or direct_neighbours needs */
    nb_cuda_buffer bodies;  /* packed, in order */
    struct morton_sorted sort;
    nb_cuda_buffer tile_boxes, group_boxes;
    nb_cuda_buffer far_bits; /* groups x words of 32 tiles: bit set where the tile is far from the group */
    nb_cuda_buffer count;    /* of far pairs (tile, group) */
    uint64_t ordered_n;      /* bodies in `order`, 0: none yet */
    int calls_until_order;   /* evaluations that the order still serves */
    bool worth_it;           /* enough pairs are far */
    bool has_tensor_cores;   /* that take TF32 */
    bool has_room;           /* there has been memory for the faster ways */
    direct_symmetric symmetric;
    double share[2];          /* of the groups, 0 and 1, but for one of several devices */
    cudaEvent_t began, ended; /* of a share; NULL before the first */
};

/* ---- the ways: each puts its work on the device's stream; 0, or -1 after nb_fail ---- */

/* Acceleration and potential of any targets. */
int direct_plain(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                 const nb_field *out);

/* With the jerk, and the snap where it is wanted; s->v and t->v are given, and for the snap s->a and t->a. */
int direct_jerk(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                const nb_field *out);

/* Bodies with steps of their own (direct_own.cu). */
extern const struct nb_force_own direct_own;
/* Steps of neighbours and of all others (neighbours_step.cu). */
extern const struct nb_force_neighbours direct_neighbours;

/* Puts the sources in order, if the last order has served long enough, packs them, and finds boxes and far tiles.
 * Afterwards work->worth_it says whether direct_tensor should follow; otherwise direct_plain. */
int direct_order(direct_work *work, enum nb_precision precision, const nb_sources *s);
/* Acceleration of all sources on each other, after direct_order. */
int direct_tensor(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_field *out);
