/* time_scale.h - the formulas of nb_device_step_scale for one body, for C and CUDA, in double. Define TIME_SCALE_CALL
 * first: the specifiers with which the functions are declared (static inline, __device__). */
#pragma once

#include <float.h>
#include <math.h>

TIME_SCALE_CALL double time_scale_length(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

/* time_scale_pham and time_scale_aarseth return 1/tau^2 for two definitions of a body's time scale tau. They return 0
 * if tau is undefined. a, j, s, c: magnitudes of acceleration, jerk, snap and crackle. The functions compute ratios,
 * because products of high derivatives exceed the range of double in some units. */
TIME_SCALE_CALL double time_scale_pham(double a, double j, double s)
{
    return a > 0 ? 0.5 * (j / a * (j / a) + s / a) : 0; /* (j^2 + a s) / (2 a^2) */
}

TIME_SCALE_CALL double time_scale_aarseth(double a, double j, double s, double c)
{
    if (j >= s) /* (j c + s^2) / (a s + j^2), divided by the larger of j^2 and s^2 to avoid overflow */
        return j > 0 ? (c / j + s / j * (s / j)) / (a / j * (s / j) + 1) : 0;
    return a > 0 || j > 0 ? (j / s * (c / s) + 1) / (a / s + j / s * (j / s)) : 0;
}

/* Returns 1/tau^2, where tau is the longer of two time scales, those of time_scale_pham and time_scale_aarseth. size:
 * magnitudes of acceleration, jerk, snap and crackle. An acceleration below `least` is replaced by `least`. Returns 0
 * if a time scale is undefined, and INFINITY if a magnitude is not finite. */
TIME_SCALE_CALL double time_scale_rate2(double least, const double *size)
{
    const double a = size[0] > least ? size[0] : least, j = size[1], s = size[2], c = size[3];
    if (!(size[0] <= DBL_MAX && j <= DBL_MAX && s <= DBL_MAX && c <= DBL_MAX))
        return INFINITY;
    return fmin(time_scale_pham(a, j, s), time_scale_aarseth(a, j, s, c));
}
