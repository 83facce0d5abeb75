/* orbit.c - Kepler orbits and rotations. */

#include "orbit.h"

#include <math.h>

void orbit_state(double gm, double q, double e, double nu, double pos[3], double vel[3])
{
    double p = q * (1 + e), r = p / (1 + e * cos(nu)), w = sqrt(gm / p);
    pos[0] = r * cos(nu);
    pos[1] = r * sin(nu);
    vel[0] = -w * sin(nu);
    vel[1] = w * (e + cos(nu));
    pos[2] = vel[2] = 0;
}

double orbit_anomaly_in(double q, double e, double r)
{
    if (r == q)
        return -0.0;
    double cosine = (q * (1 + e) / r - 1) / e;
    return r > q && cosine >= -1 ? -acos(cosine) : NAN;
}

/* An orbit is treated as a parabola if (distance from the focus) / (2 * semi-major axis) is below this value, because
 * the formulas for ellipses and hyperbolas would have large rounding errors. */
#define PARABOLA 1e-6

double orbit_time(double gm, double q, double e, double nu)
{
    const double s = sin(nu / 2), c = cos(nu / 2), a = q / fabs(1 - e);
    if (fabs(e - 1) < PARABOLA * fmin(1 + e * (c * c - s * s), 1))
        return sqrt(2 * q * q * q / gm) * (s / c + pow(s / c, 3) / 3);
    if (e < 1) {
        const double eccentric = 2 * atan2(sqrt(1 - e) * s, sqrt(1 + e) * c);
        return sqrt(a * a * a / gm) * (eccentric - e * sin(eccentric));
    }
    const double hyperbolic = 2 * atanh(sqrt((e - 1) / (e + 1)) * s / c);
    return sqrt(a * a * a / gm) * (e * sinh(hyperbolic) - hyperbolic);
}

double orbit_true_anomaly(double mean_anomaly, double e)
{
    double m = remainder(mean_anomaly, 2 * M_PI), eccentric = m + copysign(0.85 * e, sin(m));
    for (int k = 0; k < 20; k++)
        eccentric -= (eccentric - e * sin(eccentric) - m) / (1 - e * cos(eccentric));
    return 2 * atan2(sqrt(1 + e) * sin(eccentric / 2), sqrt(1 - e) * cos(eccentric / 2));
}

struct orbit_plane orbit_plane(double node, double inclination, double argument)
{
    double cn = cos(node), sn = sin(node), ci = cos(inclination), si = sin(inclination);
    double ca = cos(argument), sa = sin(argument);
    return (struct orbit_plane){{
        {cn * ca - sn * ci * sa, -cn * sa - sn * ci * ca, sn * si},
        {sn * ca + cn * ci * sa, -sn * sa + cn * ci * ca, -cn * si},
        {si * sa, si * ca, ci},
    }};
}

void orbit_turn(const struct orbit_plane *plane, double v[3])
{
    double x = v[0], y = v[1], z = v[2];
    for (int k = 0; k < 3; k++)
        v[k] = plane->matrix[k][0] * x + plane->matrix[k][1] * y + plane->matrix[k][2] * z;
}

struct orbit_plane orbit_tilted(struct orbit_tilt tilt)
{
    return orbit_plane(tilt.node * M_PI / 180, tilt.inclination * M_PI / 180, 0);
}
