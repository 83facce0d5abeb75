/* reference_forces.h - entries of lib/reference in the table of forces; included by lib/backends.c within the table. */
/* clang-format off */
#ifdef NB_HAVE_CUDA
    &nb_force_contact_bvh_cuda,
    &nb_force_pairs_matrix_cuda,
    &nb_force_shared_tiles_cuda,
    &nb_force_pairs_symmetric_cuda,
    &nb_force_kdtree_cuda,
    &nb_force_octree_cuda,
#endif
    &nb_force_contact_bvh_cpu,
    &nb_force_naive_cpu,
    &nb_force_openmp_cpu,
    &nb_force_tiled_cpu,
    &nb_force_pairs_matrix_cpu,
    &nb_force_shared_tiles_cpu,
    &nb_force_pairs_symmetric_cpu,
    &nb_force_kdtree_cpu,
    &nb_force_octree_cpu,
    &nb_force_direct_opencl,
    &nb_force_kdtree_opencl,
