/* opencl_api.c - loads the library of OpenCL at run time. Declared in opencl_api.h. */
#include "reference/opencl/opencl_api.h"

#include "base/error.h"
#include "base/portable.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static bool find_call(void *library, const char *name, void *call)
{
    void *found = dlsym(library, name);
    *(void **)call = found;
    return found;
}

/* Loads the library, unless an earlier call has loaded it. Not thread-safe: nb_opencl_api locks a mutex around the
 * call. Returns NULL after nb_fail. */
static const struct nb_opencl_api *load(void)
{
    static struct nb_opencl_api api;
    static bool complete;
    const char *lacks = NULL;
    void *library = complete ? NULL : dlopen(NB_OPENCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (complete)
        return &api;
    if (!library)
        return nb_null(nb_fail("device opencl: " NB_OPENCL_LIBRARY " cannot be loaded (" NB_OPENCL_ADVICE ")"));
#define FIND(result, name, parameters)                        \
    if (!lacks && !find_call(library, "cl" #name, &api.name)) \
        lacks = "cl" #name;
    NB_OPENCL_CALLS(FIND)
    complete = !lacks;
    if (complete)
        return &api;
    nb_fail("device opencl: " NB_OPENCL_LIBRARY " has no %s: it is older than OpenCL 1.2", lacks);
    dlclose(library);
    return NULL;
}

const struct nb_opencl_api *nb_opencl_api(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const struct nb_opencl_api *api = load();
    pthread_mutex_unlock(&lock);
    return api;
}
