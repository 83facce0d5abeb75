/* put.h - how a force on the CPU writes one result: into a row of floats or doubles, over what stands there or
 * added to it (nb_field.add). */
#ifndef NB_PUT_H
#define NB_PUT_H

#include <stdbool.h>
#include <stdint.h>

static inline void nb_field_put(void *row, bool single, bool add, uint64_t i, double value)
{
    if (single)
        ((float *)row)[i] = (float)((add ? (double)((float *)row)[i] : 0) + value);
    else
        ((double *)row)[i] = (add ? ((double *)row)[i] : 0) + value;
}

#endif
