/* contact_together.cuh - contact-grid on several GPUs. */
#pragma once

#include "force/force.h"

/* Implements nb_force_shares.together. */
int contact_together(struct nb_device *group, void *const *work, const double *bound, enum nb_precision precision,
                     const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                     double *seconds);
