#include "device/device.h"

#include "error.h"

#include <string.h>

static const char *const precision_names[NB_PRECISIONS] = {"single", "mixed", "double", "quad"};

int nb_precision_parse(const char *name)
{
    for (int p = 0; p < NB_PRECISIONS; p++)
        if (strcmp(name, precision_names[p]) == 0)
            return p;
    return nb_fail("precision '%s' is not single, mixed, double or quad", name);
}

const char *nb_precision_name(enum nb_precision precision)
{
    return precision_names[precision];
}

size_t nb_precision_size(enum nb_precision precision)
{
    return precision == NB_SINGLE ? sizeof(float) : precision == NB_QUAD ? sizeof(nb_quad) : sizeof(double);
}

const struct nb_device *nb_device_choose(const char *name, char *description, size_t size)
{
    for (const struct nb_device *const *d = nb_devices; *d; d++)
        if (strcmp(name, "auto") == 0) {
            if ((*d)->open(description, size) == 0)
                return *d;
        } else if (strcmp(name, (*d)->name) == 0)
            return (*d)->open(description, size) == 0 ? *d : NULL;
    if (strcmp(name, "cuda") == 0)
        nb_fail("device cuda: this program was built without CUDA");
    else if (strcmp(name, "auto") != 0)
        nb_fail("device '%s' is not auto, cpu or cuda", name);
    return NULL;
}
