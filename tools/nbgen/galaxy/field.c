#include "nbgen/galaxy/galaxy.h"

#include <math.h>

/* r^2 times the softened pull at r of a shell of mass 1 and radius a, differentiated by a, negative: how much a mass
 * within a counts. The shell's potential is (s(r - a) - s(r + a)) / (2 r a) with s(x) = sqrt(x^2 + eps2). */
static double weight(double r, double a, double eps2)
{
    double far = r + a, near = r - a, s = sqrt(far * far + eps2), t = sqrt(near * near + eps2);
    double pull = s - t - r * (far / s - near / t);
    double slope = far / s + near / t - r * eps2 * (1 / (s * s * s) + 1 / (t * t * t));
    return (pull / a - slope) / (2 * a);
}

/* Radii r + eps sinh(t) in uniform steps: fine where the kernel is, and far out where it falls like a power. */
#define STEP 0.05
#define LOWEST \
    1e-3 /* softening lengths: further in the pull grows with r, and nothing but rounding is left of weight() */
static double softened(numeric_function *mass, const void *context, double eps, double r)
{
    if (r < LOWEST * eps)
        return pow(r / (LOWEST * eps), 3) * softened(mass, context, eps, LOWEST * eps);
    double sum = 0, least = asinh((1e-4 * fmin(r, eps) - r) / eps);
    for (double t = least; t < 12; t += STEP) {
        double a = r + eps * sinh(t);
        sum += (t == least ? 0.5 : 1) * weight(r, a, eps * eps) * mass(a, context) * eps * cosh(t) * STEP;
    }
    return sum;
}

struct field field_make(numeric_function *mass, const void *context, double point, double softening, double least,
                        double most)
{
    double x[FIELD_ROWS], y[FIELD_ROWS];
    if (!(mass(most, context) > 0))
        return (struct field){NULL, point, softening};
#pragma omp parallel for
    for (int k = 0; k < FIELD_ROWS; k++) {
        double r = least * pow(most / least, k / (FIELD_ROWS - 1.0));
        double inside = softening > 1e-3 * r ? softened(mass, context, softening, r) : mass(r, context);
        x[k] = log(r);
        y[k] = log(fmax(inside, 1e-300));
    }
    return (struct field){numeric_spline_make(x, y, FIELD_ROWS), point, softening};
}

double field_mass(double r, const void *context)
{
    const struct field *f = context;
    double middle = f->point * pow(1 + pow(f->softening / r, 2), -1.5);
    return middle + (f->log_mass ? exp(numeric_spline_value(f->log_mass, log(r))) : 0);
}
