/* orbit.c - the Kepler orbit of a binary, its slow change by tides, and the force of its quadrupole. Declared in
 * orbit.h. */
#include "step/groups/orbit.h"

#include "step/kepler.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

void nb_tensor_times(const double t[NB_TENSOR], const double x[3], double y[3])
{
    y[0] = t[0] * x[0] + t[3] * x[1] + t[4] * x[2];
    y[1] = t[3] * x[0] + t[1] * x[1] + t[5] * x[2];
    y[2] = t[4] * x[0] + t[5] * x[1] + t[2] * x[2];
}

bool nb_orbit_set(struct nb_orbit *o, double gm, const double x[3], const double v[3])
{
    double h[3], ahead[3];
    const double r = sqrt(dot(x, x)), inverse = 2 / r - dot(v, v) / gm;
    cross(x, v, h);
    const double spin = sqrt(dot(h, h));
    if (!(inverse > 0 && spin > 0))
        return false;
    o->gm = gm;
    o->pn.order = 0;
    o->a = 1 / inverse;
    o->shape = spin * spin / (gm * o->a);
    /* e cos E and e sin E; e: eccentricity; E: eccentric anomaly */
    const double e_cos = 1 - r / o->a, e_sin = dot(x, v) / sqrt(gm * o->a);
    o->e = hypot(e_cos, e_sin);
    if (!(o->e < 1))
        return false;
    const double E = o->e > 0 ? atan2(e_sin, e_cos) : 0;
    o->anomaly = E - e_sin;
    for (int d = 0; d < 3; d++)
        o->normal[d] = h[d] / spin;
    cross(o->normal, x, ahead);
    /* The true anomaly is computed from E, not from x and v, so that the two angles agree even if e is nearly 0. The
     * formula uses half angles, which avoids cancellation if e is nearly 1. */
    const double near = sqrt(o->shape) * cos(E / 2), far = (1 + o->e) * sin(E / 2), sum = near * near + far * far;
    const double c = (near * near - far * far) / sum, s = 2 * near * far / sum;
    for (int d = 0; d < 3; d++)
        o->peri[d] = (c * x[d] - s * ahead[d]) / r;
    return true;
}

void nb_orbit_place(const struct nb_orbit *o, double x[3], double v[3])
{
    double side[3], dx[3], dv[3];
    if (o->pn.order > 0) {
        nb_orbit_place_pn(o, x, v);
        return;
    }
    const double q = o->a * o->shape / (1 + o->e), speed = sqrt(o->gm / (o->a * o->shape)) * (1 + o->e);
    cross(o->normal, o->peri, side);
    for (int d = 0; d < 3; d++) {
        x[d] = q * o->peri[d];
        v[d] = speed * side[d];
    }
    nb_kepler_advance(o->gm, o->anomaly * sqrt(o->a / o->gm) * o->a, x, v, dx, dv);
    for (int d = 0; d < 3; d++) {
        x[d] += dx[d];
        v[d] += dv[d];
    }
}

double nb_orbit_period(const struct nb_orbit *o)
{
    return 2 * M_PI * o->a * sqrt(o->a / o->gm);
}

/* Computes the time derivatives de and dj of the vectors e and j of an orbit, divided by the factor k. For the
 * vectors, the factor k and the formulas see orbit.h. */
static void rates(const double tide[NB_TENSOR], const double e[3], const double j[3], double de[3], double dj[3])
{
    const double trace = tide[0] + tide[1] + tide[2];
    double te[3], tj[3], e_te[3], e_tj[3], j_te[3], j_tj[3], j_e[3];
    nb_tensor_times(tide, e, te);
    nb_tensor_times(tide, j, tj);
    cross(e, te, e_te);
    cross(e, tj, e_tj);
    cross(j, te, j_te);
    cross(j, tj, j_tj);
    cross(j, e, j_e);
    for (int d = 0; d < 3; d++) {
        de[d] = 5 * j_te[d] - e_tj[d] - trace * j_e[d];
        dj[d] = 5 * e_te[d] - j_tj[d];
    }
}

/* Advances the vectors e and j of the orbit by a time dt in the tidal field. One classical Runge-Kutta step is
 * sufficient, because the changes are small. kt: dt times the factor k in orbit.h. */
static void turn(struct nb_orbit *o, double kt, const double tide[NB_TENSOR])
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double e[3], j[3], e_end[3], j_end[3], de[3] = {0}, dj[3] = {0};
    for (int d = 0; d < 3; d++) {
        e[d] = e_end[d] = o->e * o->peri[d];
        j[d] = j_end[d] = sqrt(o->shape) * o->normal[d];
    }
    for (int k = 0; k < 4; k++) {
        double e_now[3], j_now[3];
        for (int d = 0; d < 3; d++) {
            e_now[d] = e[d] + kt * at[k] * de[d];
            j_now[d] = j[d] + kt * at[k] * dj[d];
        }
        rates(tide, e_now, j_now, de, dj);
        for (int d = 0; d < 3; d++) {
            e_end[d] += kt * weight[k] * de[d];
            j_end[d] += kt * weight[k] * dj[d];
        }
    }
    /* Restores e^2 + j^2 = 1 and the right angle between e and j, which are only approximate after the step. */
    const double e2 = dot(e_end, e_end), j2 = dot(j_end, j_end), spin = sqrt(j2);
    if (!(j2 > 0) || !isfinite(e2 + j2))
        return;
    o->shape = j2 / (e2 + j2);
    o->e = sqrt(e2 / (e2 + j2));
    const double *to = e2 > 1e-24 ? e_end : o->peri;
    double along, size;
    for (int d = 0; d < 3; d++)
        o->normal[d] = j_end[d] / spin;
    along = dot(to, o->normal);
    for (int d = 0; d < 3; d++)
        e[d] = to[d] - along * o->normal[d];
    size = sqrt(dot(e, e));
    for (int d = 0; d < 3; d++)
        o->peri[d] = e[d] / size;
}

void nb_orbit_advance(struct nb_orbit *o, double dt, const double tide[NB_TENSOR])
{
    const double period = nb_orbit_period(o), orbits = dt / period;
    if (o->pn.order > 0)
        nb_orbit_advance_pn(o, dt);
    else
        o->anomaly = remainder(o->anomaly + 2 * M_PI * (orbits - rint(orbits)), 2 * M_PI);
    if (tide)
        turn(o, dt * o->a * sqrt(o->a / o->gm) / 2, tide);
}

void nb_orbit_spread(const struct nb_orbit *o, double s[NB_TENSOR])
{
    static const int row[NB_TENSOR] = {0, 1, 2, 0, 0, 1}, column[NB_TENSOR] = {0, 1, 2, 1, 2, 2};
    const double half = o->a * o->a / 2;
    for (int k = 0; k < NB_TENSOR; k++) {
        const int i = row[k], l = column[k];
        s[k] = half * ((i == l ? o->shape : 0) - o->shape * o->normal[i] * o->normal[l] +
                       5 * o->e * o->e * o->peri[i] * o->peri[l]);
    }
}

void nb_pull_weights(const struct nb_changeover *split, double r2, double w[4])
{
    const double inner2 = split->inner * split->inner, width = split->outer * split->outer - inner2;
    w[0] = 1 / (r2 * sqrt(r2));
    for (int k = 1; k < 4; k++)
        w[k] = -(k + 0.5) / r2 * w[k - 1];
    if (!(width > 0) || r2 <= inner2)
        return;
    const double y = fmin(1, (r2 - inner2) / width), z = y * (1 - y);
    const double n0 = 1 - NB_CHANGEOVER(y), n1 = -NB_CHANGEOVER_RATE(y) / width,
                 n2 = -420 * z * z * (1 - 2 * y) / (width * width),
                 n3 = -840 * z * (1 - 5 * z) / (width * width * width);
    w[3] = n0 * w[3] + 3 * n1 * w[2] + 3 * n2 * w[1] + n3 * w[0];
    w[2] = n0 * w[2] + 2 * n1 * w[1] + n2 * w[0];
    w[1] = n0 * w[1] + n1 * w[0];
    w[0] *= n0;
}

void nb_quadrupole_pull(double gm, const double w[4], const double s[NB_TENSOR], const double d[3], const double v[3],
                        double a[3], double j[3])
{
    double sd[3], sv[3];
    nb_tensor_times(s, d, sd);
    nb_tensor_times(s, v, sv);
    const double dv = dot(d, v), trace = s[0] + s[1] + s[2], q = dot(d, sd), dq = 2 * dot(v, sd);
    /* d: position of the target relative to the quadrupole. A point mass at the origin causes at d the acceleration
     * f(d) = -gm w[0] d. Without a changeover, w[0] = 1 / |d|^3. w[1] to w[3]: derivatives of w[0] with respect to
     * |d|^2. A quadrupole with the tensor gm s causes half of the sum, over k and l, of s_kl times the second
     * derivative of f with respect to d_k and d_l. */
    const double along = w[1] * trace + 2 * w[2] * q, slope = 2 * dv * (w[2] * trace + 2 * w[3] * q) + 2 * w[2] * dq;
    for (int i = 0; i < 3; i++) {
        a[i] -= gm * (2 * w[1] * sd[i] + along * d[i]);
        j[i] -= gm * (2 * w[1] * sv[i] + 4 * dv * w[2] * sd[i] + along * v[i] + slope * d[i]);
    }
}

void nb_tide_add(double gm, const double w[4], const double d[3], const double v[3], double tide[NB_TENSOR],
                 double rate[NB_TENSOR])
{
    static const int row[NB_TENSOR] = {0, 1, 2, 0, 0, 1}, column[NB_TENSOR] = {0, 1, 2, 1, 2, 2};
    const double dv = dot(d, v);
    for (int k = 0; k < NB_TENSOR; k++) {
        const double both = d[row[k]] * d[column[k]], moves = d[row[k]] * v[column[k]] + v[row[k]] * d[column[k]];
        const int same = row[k] == column[k];
        tide[k] -= gm * (w[0] * same + 2 * w[1] * both);
        rate[k] -= gm * (2 * w[1] * (dv * same + moves) + 4 * dv * w[2] * both);
    }
}
