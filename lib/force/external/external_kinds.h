/* external_kinds.h - computes an external field at a given time from its specification. Private to this folder. */
#pragma once

#include "force/external/external.h"

/* values of nb_parameter.file: the parameter names a file with the orbit of the centre, or a table of parameters */
enum { FILE_CENTRE = 1, FILE_TABLE };

/* Returns the value of the parameter `name`. Returns 0 if there is no parameter of this name, or if `name` is NULL. */
double nb_external_value(const struct nb_force_spec *spec, const char *name);
/* Sets *field to the field of `spec` at `time`. Uses the parameters in spec->value, and does not read the files of the
 * parameters `center` and `table`. Returns 0, or -1 after nb_fail. */
int nb_external_make(const struct nb_force_spec *spec, const struct nb_meta *meta, double time,
                     struct nb_external *field);
