/* nbbench.h - a row of the table, and how it is measured. */
#pragma once

#include "common/tool.h"
#include "force/force.h"

#define FEW_SHARE 0.01

struct bench_row {
    const char *force;
    enum nb_precision precision;
    uint64_t n;
    double force_s, step_s; /* an evaluation of all accelerations; a leapfrog step */
    double few_s;           /* an evaluation of those of FEW_SHARE of the bodies, the ones nearest to the middle */
    double error;           /* median relative error of the accelerations */
};

/* Fills in times and error for force, precision and n. False after nb_fail if the device has not enough memory or does
 * not offer the force in this precision. */
bool bench_measure(struct nb_device *device, struct bench_row *row);
