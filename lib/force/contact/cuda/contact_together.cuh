/* contact_together.cuh - contact-grid on several GPUs: functions of nb_force_shares. */
#pragma once

#include "force/force.h"

bool contact_serves_together(const void *work, enum nb_precision precision, uint64_t n, const struct nb_field *out);
int contact_together(struct nb_device *group, void *const *work, const double *bound, enum nb_precision precision,
                     const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                     double *seconds);
