/* quantity.h - in which unit people are told a length or a time of the stream. */
#ifndef NBRENDER_QUANTITY_H
#define NBRENDER_QUANTITY_H

#include "bodies.h"

struct quantity {
    double factor;    /* from the stream's unit to this one */
    const char *name; /* "kpc"; "" where the stream's units have no physical size */
};

/* Mpc, kpc, pc, AU or km: in which a length is a handy number, in the stream's units. */
struct quantity quantity_length(const struct nb_units *units, double length);
/* Gyr, Myr, kyr, yr, d, h or s: in which times so far apart differ by 0.02 or more. */
struct quantity quantity_time(const struct nb_units *units, double apart);

#endif
