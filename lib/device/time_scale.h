/* time_scale.h - the formulas of nb_device_step_scale for one body, for C and CUDA, in double. TIME_SCALE_CALL, to be
 * defined before, says how a function is declared. */
#pragma once

#include <float.h>
#include <math.h>

TIME_SCALE_CALL double time_scale_length(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

/* Ratios, since products of high derivatives leave the range of double in some units. 0 where they say nothing. */
TIME_SCALE_CALL double time_scale_pham(double a, double j, double s)
{
    return a > 0 ? 0.5 * (j / a * (j / a) + s / a) : 0; /* (j^2 + a s) / (2 a^2) */
}

TIME_SCALE_CALL double time_scale_aarseth(double a, double j, double s, double c)
{
    if (j >= s) /* (j c + s^2) / (a s + j^2) */
        return j > 0 ? (c / j + s / j * (s / j)) / (a / j * (s / j) + 1) : 0;
    return a > 0 || j > 0 ? (j / s * (c / s) + 1) / (a / s + j / s * (j / s)) : 0;
}

/* 1/tau^2 of a body whose derivatives have these magnitudes, the acceleration counting as at least `least`: by the form
 * with the longer tau; 0 where they say nothing, infinite where one is not finite. */
TIME_SCALE_CALL double time_scale_rate2(double least, const double *size)
{
    const double a = size[0] > least ? size[0] : least, j = size[1], s = size[2], c = size[3];
    if (!(size[0] <= DBL_MAX && j <= DBL_MAX && s <= DBL_MAX && c <= DBL_MAX))
        return INFINITY;
    return fmin(time_scale_pham(a, j, s), time_scale_aarseth(a, j, s, c));
}
