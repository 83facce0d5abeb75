/* backends.c - lists what is compiled in: devices, forces, renderers and message transports. Only this file depends on
 * whether CUDA or MPI is compiled in. A new force or renderer needs one line here. */
#include "device/device_kind.h"
#include "device/ranks.h"
#include "force/force.h"
#include "light/light.h"
#include "reference/reference.h"

extern const struct nb_device_kind nb_device_cpu, nb_device_cuda;
extern const struct nb_force nb_force_direct_cpu, nb_force_direct_cuda, nb_force_tree_cpu, nb_force_tree_cuda;
extern const struct nb_force nb_force_external_cpu, nb_force_external_cuda;
extern const struct nb_force nb_force_pn_cpu, nb_force_pn_cuda;
extern const struct nb_force nb_force_contact_grid_cpu, nb_force_contact_grid_cuda;
extern const struct nb_light_backend nb_light_cpu, nb_light_cuda;
extern const struct nb_transport nb_transport_mpi;

const struct nb_device_kind *const nb_device_kinds[] = {
#ifdef NB_HAVE_CUDA
    &nb_device_cuda,
#endif
    &nb_device_cpu,
    &nb_device_opencl,
    NULL,
};

/* clang-format off */
const struct nb_force *const nb_forces[] = {
#ifdef NB_HAVE_CUDA
    &nb_force_direct_cuda,
    &nb_force_tree_cuda,
    &nb_force_external_cuda,
    &nb_force_pn_cuda,
    &nb_force_contact_grid_cuda,
#endif
    &nb_force_direct_cpu,
    &nb_force_tree_cpu,
    &nb_force_external_cpu,
    &nb_force_pn_cpu,
    &nb_force_contact_grid_cpu,
#include "reference/reference_forces.h"
    NULL,
};
/* clang-format on */

const struct nb_light_backend *const nb_light_backends[] = {
#ifdef NB_HAVE_CUDA
    &nb_light_cuda,
#endif
    &nb_light_cpu,
    NULL,
};

#ifdef NB_HAVE_MPI
const struct nb_transport *const nb_transport_compiled = &nb_transport_mpi;
#else
const struct nb_transport *const nb_transport_compiled = NULL;
#endif
