#include "cluster.h"

#include "nbgen/orbit.h"

#include <math.h>

/* Axes of equal numbers per octave (Opik 1924), eccentricities e^2 of equal numbers (Jeans 1919) up to a largest one,
 * any phase and orientation. */
void binary_orbit(double mass, const double u[6], double pos[3], double vel[3])
{
    double a = mass * BINARY_CLOSEST * pow(BINARY_WIDEST / BINARY_CLOSEST, u[0]);
    double e = BINARY_ECCENTRICITY * sqrt(u[1]), turn = 2 * M_PI;
    struct orbit_plane plane = orbit_plane(turn * u[3], acos(2 * u[4] - 1), turn * u[5]);
    orbit_state(mass, a * (1 - e), e, orbit_true_anomaly(turn * u[2], e), pos, vel);
    orbit_turn(&plane, pos);
    orbit_turn(&plane, vel);
}
