/* external_kinds.h - the field of a specification at a given time; private to the external force. */
#pragma once

#include "force/external/external.h"

enum { FILE_CENTRE = 1, FILE_TABLE }; /* values of nb_parameter.file */

/* Returns the value of the parameter `name`; 0 if the kind has no parameter of this name, or `name` is NULL. */
double nb_external_value(const struct nb_force_spec *spec, const char *name);
/* Computes the terms of the spec's field at this time from its parameters. Does not read the files that the parameters
 * name (`center` and `table`). Returns -1 after nb_fail. */
int nb_external_make(const struct nb_force_spec *spec, const struct nb_meta *meta, double time,
                     struct nb_external *field);
