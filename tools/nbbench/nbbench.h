/* nbbench.h - a line of nbbench's table, and the function that measures its values. */
#pragma once

#include "common/tool.h"
#include "force/force.h"

#define FEW_SHARE 0.01

struct bench_row {
    const char *force;
    enum nb_precision precision;
    uint64_t n;
    double force_s, step_s; /* time of one evaluation of all accelerations, and time of one leapfrog step, seconds */
    double few_s;           /* seconds for an evaluation of the n * FEW_SHARE bodies nearest to the centre */
    double error;           /* median relative error of the accelerations */
};

/* Sets force_s, step_s, few_s and error of *row. The force, precision and n to measure are in *row. Returns false
 * after nb_fail if the device has too little memory or does not offer the force in this precision. */
bool bench_measure(struct nb_device *device, struct bench_row *row);
