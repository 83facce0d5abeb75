/* quantity.h - a number of each body, for colours and maps: its speed, or what a column holds. */
#ifndef NBRENDER_QUANTITY_H
#define NBRENDER_QUANTITY_H

#include "base/bodies.h"

#include <stdbool.h>

/* By the name of a column, for a vector column its length; where there is no such column, speed, potential and
 * acceleration are those of vel, phi and acc. */

/* Can the name be one of a column at all? */
bool quantity_is_name(const char *name);
/* Whether bodies have it. */
bool quantity_is_there(const char *name, const struct nb_bodies *b);
/* Dies with one line, which names the columns that there are, where these bodies have none of that name. `option` is
 * the one that asks for it. */
void quantity_check(const char *name, const struct nb_bodies *b, const char *option);
/* Of bodies [i0, i0 + count), as they are: a value may be NaN or infinite. quantity_check has found no fault. */
void quantity_fill(const char *name, const struct nb_bodies *b, uint64_t i0, int count, double *value);
/* Its unit, as columns have it ("L/T"). */
const char *quantity_unit(const char *name, const struct nb_bodies *b);

#endif
