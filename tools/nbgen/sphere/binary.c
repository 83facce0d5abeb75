#include "cluster.h"

#include "nbgen/spheres.h"

#include <math.h>

/* Kepler's equation by Newton's method with a bound; M from 0 to pi. */
static double eccentric_anomaly(double M, double e)
{
    double E = M + 0.85 * e; /* Danby (1987) */
    for (int k = 0; k < 20; k++)
        E -= (E - e * sin(E) - M) / (1 - e * cos(E));
    return E;
}

/* Axes of equal numbers per octave (Opik 1924), eccentricities e^2 of equal numbers (Jeans 1919) up to a largest one,
 * any phase and orientation. */
void binary_orbit(double mass, const double u[6], double pos[3], double vel[3])
{
    double a = mass * BINARY_CLOSEST * pow(BINARY_WIDEST / BINARY_CLOSEST, u[0]);
    double e = BINARY_ECCENTRICITY * sqrt(u[1]), turned = 2 * M_PI * u[2] - M_PI, minor = sqrt(1 - e * e);
    double E = copysign(eccentric_anomaly(fabs(turned), e), turned);
    double x = a * (cos(E) - e), y = a * minor * sin(E), rate = sqrt(mass / a) / (1 - e * cos(E));
    double vx = -rate * sin(E), vy = rate * minor * cos(E), axis[3], normal[3];
    /* Two directions at right angles: any one, and any one across. */
    sphere_direction(u + 3, 1, axis);
    double turn = 2 * M_PI * u[5], across = hypot(axis[0], axis[1]), c = axis[0] / across, s = axis[1] / across;
    double p = cos(turn), q = sin(turn);
    normal[0] = -s * p - c * axis[2] * q;
    normal[1] = c * p - s * axis[2] * q;
    normal[2] = across * q;
    for (int k = 0; k < 3; k++) {
        pos[k] = x * axis[k] + y * normal[k];
        vel[k] = vx * axis[k] + vy * normal[k];
    }
}
