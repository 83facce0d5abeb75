/* reference.h - methods that serve for comparisons and run only if the user asks for them: textbook methods, the
 * contact force with a bounding volume hierarchy, and methods in OpenCL. Only lib/backends.c includes this header. */
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
