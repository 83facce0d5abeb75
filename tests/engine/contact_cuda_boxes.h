/* contact_cuda_boxes.h - reads the tree that contact-bvh builds on the GPU. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NB_CONTACT_LEAF 0x80000000u

/* Of the last field of n >= 2 disks: order[n], the disk at each place; of n - 1 inner nodes, of which 0 is the root,
 * the children, each an inner node or NB_CONTACT_LEAF and a place; and the boxes, four numbers each, low and high x y.
 * Waits. 0, or -1 after nb_fail. */
int nb_contact_cuda_boxes(const void *work, uint32_t *order, uint32_t (*children)[2], double *boxes);

#ifdef __cplusplus
}
#endif
