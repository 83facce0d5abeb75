/* opencl.c - turns error codes of OpenCL into messages, and checks which precisions a device supports. Declared in
 * opencl.h. */
#include "reference/opencl/opencl.h"

#include "base/error.h"

#include <errno.h>

int nb_opencl_check(cl_int status, const char *call)
{
    static const struct {
        cl_int status;
        const char *text;
    } known[] = {{CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory on the device"},
                 {CL_OUT_OF_RESOURCES, "out of resources"},
                 {CL_OUT_OF_HOST_MEMORY, "no memory on the host"},
                 {CL_INVALID_BUFFER_SIZE, "a buffer is larger than the device allows"}};
    if (status == CL_SUCCESS)
        return 0;
    nb_fail("OpenCL: error %d (%s)", (int)status, call);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].status == status)
            nb_fail("OpenCL: %s (%s)", known[k].text, call);
    errno = EIO;
    return -1;
}

int nb_opencl_offers(const struct nb_opencl *o, enum nb_precision precision)
{
    if (precision == NB_QUAD)
        return nb_fail("device %s does not support quad precision", o->base.name);
    return precision == NB_SINGLE || o->has_double
               ? 0
               : nb_fail("device %s:%d (%s) supports single precision only: it has no cl_khr_fp64", o->base.name,
                         o->base.index, o->base.description);
}
