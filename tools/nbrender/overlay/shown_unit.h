/* shown_unit.h - in which unit people are told a length or a time of the stream. */
#ifndef NBRENDER_SHOWN_UNIT_H
#define NBRENDER_SHOWN_UNIT_H

#include "base/bodies.h"

struct shown_unit {
    double factor;    /* from the stream's unit to this one */
    const char *name; /* "kpc", lives as long as what was given; "" where the stream's units have no physical size */
};

/* Mpc, kpc, pc, AU or km: in which a length is a handy number, in the stream's units. */
struct shown_unit shown_unit_of_length(const struct nb_units *units, double length);
/* Gyr, Myr, kyr, yr, d, h or s: in which times so far apart differ by 0.02 or more. */
struct shown_unit shown_unit_of_time(const struct nb_units *units, double apart);

/* Of a quantity whose unit is a product of powers as columns have it ("M/L^2"), about `value` large: km/s for L/T,
 * km^2/s^2, km/s/Myr, Msun, Msun/pc^2, Msun/pc^3, lengths and times as above; other products as they are. "" also for
 * "-". */
struct shown_unit shown_unit_of(const struct nb_units *units, const char *unit, double value);

#endif
