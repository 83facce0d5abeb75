/* precision.c - names and element sizes of the precisions. Declared in precision.h. */
#include "device/precision.h"

#include "base/error.h"
#include "device/quad.h"

#include <string.h>

static const char *const precision_names[NB_PRECISIONS] = {"single", "mixed", "double", "quad"};

int nb_precision_parse(const char *name)
{
    for (int p = 0; p < NB_PRECISIONS; p++)
        if (strcmp(name, precision_names[p]) == 0)
            return p;
    return nb_fail("unknown precision '%s': expected single, mixed, double or quad", name);
}

const char *nb_precision_name(enum nb_precision precision)
{
    return precision_names[precision];
}

size_t nb_precision_size(enum nb_precision precision)
{
    return precision == NB_SINGLE ? sizeof(float) : precision == NB_QUAD ? sizeof(nb_quad) : sizeof(double);
}
