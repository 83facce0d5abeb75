/* reference.h - what the product can do without: textbook methods, the contact force by boxes, OpenCL. No default takes
 * any of it; it is there to be compared with. For lib/backends.c, and nobody else. */
#pragma once

#include "device/device_kind.h"
#include "force/force.h"

extern const struct nb_device_kind nb_device_opencl;
extern const struct nb_force nb_force_direct_opencl, nb_force_kdtree_opencl;
extern const struct nb_force nb_force_contact_bvh_cpu, nb_force_contact_bvh_cuda;
extern const struct nb_force nb_force_naive_cpu, nb_force_openmp_cpu, nb_force_tiled_cpu;
extern const struct nb_force nb_force_pairs_matrix_cpu, nb_force_pairs_matrix_cuda;
extern const struct nb_force nb_force_shared_tiles_cpu, nb_force_shared_tiles_cuda;
extern const struct nb_force nb_force_pairs_symmetric_cpu, nb_force_pairs_symmetric_cuda;
extern const struct nb_force nb_force_kdtree_cpu, nb_force_kdtree_cuda;
extern const struct nb_force nb_force_octree_cpu, nb_force_octree_cuda;
