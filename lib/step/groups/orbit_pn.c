/* orbit_pn.c - the orbit of a binary with post-Newtonian terms: the quasi-Keplerian orbit of 1PN (Damour & Deruelle
 * 1985, Ann. Inst. Henri Poincare Phys. Theor. 43, 107),
 *     r = a (1 - e cos u),   l = u - e_t sin u,   phi = peri + w + k (w - l).
 * - r, phi: polar coordinates in the orbital plane; a: semi-major axis
 * - u: eccentric anomaly; l: mean anomaly; w: true anomaly, computed from u with the eccentricity e_phi
 * - e, e_t, e_phi: three slightly different eccentricities
 * - peri: direction of the pericentre; k dl/dt: rate at which the pericentre advances
 *
 * The orbit shrinks by the orbit-averaged losses to gravitational waves (Peters 1964, Phys. Rev. 136, B1224). Relative
 * errors are of the order of (s / (1 - e^2))^2, where s = G M / (c^2 a). */
#include "step/groups/orbit.h"

#include <math.h>
#include <string.h>

#define FAST  1e-3 /* maximum of G M / (c^2 a (1 - e^2)) for which these formulas are used (orbital elements a, e) */
#define SHARE 0.01 /* maximum relative decay of the semi-major axis in a step */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct motion { /* constants of the orbit */
    double n;   /* mean motion */
    double k;   /* pericentre advance per orbit, divided by 2 pi */
    double e_t, e_phi;
};

static struct motion motion_of(const struct nb_orbit *o, double a, double e)
{
    const double s = o->gm / (a * o->pn.c * o->pn.c);
    return (struct motion){.n = sqrt(o->gm / a) / a * (1 + s * (o->nu - 9) / 2),
                           .k = 3 * s / (1 - e * e),
                           .e_t = e * (1 - s * (8 - 3 * o->nu) / 2),
                           .e_phi = e * (1 + s * o->nu / 2)};
}

/* Returns the true anomaly minus the eccentric anomaly u, for the eccentricity e. */
static double beyond(double e, double u)
{
    const double b = e / (1 + sqrt(1 - e * e));
    return 2 * atan2(b * sin(u), 1 - b * cos(u));
}

/* Turns the pericentre by an angle in the orbital plane. */
static void turn(struct nb_orbit *o, double angle)
{
    const double *z = o->normal, *p = o->peri, c = cos(angle), s = sin(angle);
    const double side[3] = {z[1] * p[2] - z[2] * p[1], z[2] * p[0] - z[0] * p[2], z[0] * p[1] - z[1] * p[0]};
    for (int d = 0; d < 3; d++)
        o->peri[d] = c * o->peri[d] + s * side[d];
}

bool nb_orbit_set_pn(struct nb_orbit *o, const struct nb_pn *pn, double nu, const double x[3], const double v[3])
{
    const double c2 = pn->c * pn->c, r = sqrt(dot(x, x)), v2 = dot(v, v), rate = dot(x, v) / r, g = o->gm / r;
    const double post = 3.0 / 8 * (1 - 3 * nu) * v2 * v2 + g / 2 * ((3 + nu) * v2 + nu * rate * rate) + g * g / 2;
    const double twice = 2 * g - v2 - 2 * post / c2; /* 2 * (binding energy) / (reduced mass) */
    if (!(twice > 0))
        return false;
    o->pn = *pn;
    o->nu = nu;
    o->a = o->gm / twice * (1 + twice / c2 * (nu - 7) / 4);
    const struct motion unit = motion_of(o, o->a, 0), of_one = motion_of(o, o->a, 1);
    const double e_cos = 1 - r / o->a, e_sin = rate * (1 - of_one.e_t * e_cos) / (o->a * unit.n);
    o->e = hypot(e_cos, e_sin);
    o->shape = 1 - o->e * o->e;
    if (!(o->shape > 0) || nb_orbit_is_fast(o))
        return false;
    const struct motion m = motion_of(o, o->a, o->e);
    const double u = o->e > 0 ? atan2(e_sin, e_cos) : 0, w = u + beyond(m.e_phi, u);
    o->anomaly = u - m.e_t * sin(u);
    for (int d = 0; d < 3; d++)
        o->peri[d] = x[d] / r;
    turn(o, -(w + m.k * (w - o->anomaly)));
    return true;
}

/* Solves u - e sin u = l for u with Newton's method; |l| <= pi. The initial |u| is larger than |u| of the solution, so
 * that the method does not overshoot. */
static double eccentric_anomaly(double e, double l)
{
    const double sign = l < 0 ? -1 : 1, size = fabs(l);
    double u = fmin(M_PI, size + e);
    for (int k = 0; k < 100; k++) {
        const double less = (u - e * sin(u) - size) / (1 - e * cos(u));
        u -= less;
        if (fabs(less) <= 1e-15 * u)
            break;
    }
    return sign * u;
}

void nb_orbit_place_pn(const struct nb_orbit *o, double x[3], double v[3])
{
    const struct motion m = motion_of(o, o->a, o->e);
    const double u = eccentric_anomaly(m.e_t, o->anomaly), w = u + beyond(m.e_phi, u), r = o->a * (1 - o->e * cos(u));
    const double du = m.n / (1 - m.e_t * cos(u)), dr = o->a * o->e * sin(u) * du;
    const double dw = sqrt(1 - m.e_phi * m.e_phi) / (1 - m.e_phi * cos(u)) * du;
    struct nb_orbit out = *o, ahead;
    turn(&out, w + m.k * (w - o->anomaly));
    ahead = out;
    turn(&ahead, M_PI / 2);
    for (int d = 0; d < 3; d++) {
        x[d] = r * out.peri[d];
        v[d] = dr * out.peri[d] + r * (1 + m.k) * dw * ahead.peri[d];
    }
}

bool nb_orbit_is_fast(const struct nb_orbit *o)
{
    return o->pn.order > 0 && o->gm > FAST * o->pn.c * o->pn.c * o->a * o->shape;
}

enum { AXIS, ECCENTRICITY, ANOMALY, PERICENTRE, CHANGES };

static void rates_of(const struct nb_orbit *o, double a, double e, double rate[CHANGES])
{
    const struct motion m = motion_of(o, a, e);
    const double e2 = e * e, q = 1 - e2, c = o->pn.c, s = o->gm / (a * c * c);
    const double waves = o->pn.order >= 5 ? o->nu * s * s * s * c / (a * q * q * sqrt(q)) : 0;
    rate[AXIS] = -64.0 / 5 * waves * a / q * (1 + 73.0 / 24 * e2 + 37.0 / 96 * e2 * e2);
    rate[ECCENTRICITY] = -304.0 / 15 * waves * e * (1 + 121.0 / 304 * e2);
    rate[ANOMALY] = m.n;
    rate[PERICENTRE] = m.k * m.n;
}

double nb_orbit_decay(const struct nb_orbit *o)
{
    double rate[CHANGES];
    if (o->pn.order < 5)
        return INFINITY;
    rates_of(o, o->a, o->e, rate);
    return -o->a / rate[AXIS];
}

void nb_orbit_advance_pn(struct nb_orbit *o, double dt)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double left = dt;
    while (left != 0) {
        const double most = SHARE * nb_orbit_decay(o), h = fabs(left) <= most ? left : copysign(most, left);
        double rate[CHANGES] = {0}, sum[CHANGES] = {0};
        for (int s = 0; s < 4; s++) {
            rates_of(o, o->a + at[s] * h * rate[AXIS], o->e + at[s] * h * rate[ECCENTRICITY], rate);
            for (int k = 0; k < CHANGES; k++)
                sum[k] += weight[s] * h * rate[k];
        }
        o->a += sum[AXIS];
        o->e += sum[ECCENTRICITY];
        o->shape = 1 - o->e * o->e;
        o->anomaly = remainder(o->anomaly + sum[ANOMALY], 2 * M_PI);
        turn(o, sum[PERICENTRE]);
        left -= h;
        if (nb_orbit_is_fast(o) && left * dt > 0 && nb_orbit_decay(o) < fabs(left))
            break;
    }
}

void nb_pn_centre(double c, const double gm[2], const double x[2][3], const double v[2][3], const double frame[3],
                  double dx[3], double dv[3])
{
    double y[3], w[3], all = 0, extra[2], grows[2];
    for (int d = 0; d < 3; d++) {
        y[d] = x[0][d] - x[1][d];
        w[d] = v[0][d] - v[1][d];
        dx[d] = dv[d] = 0;
    }
    const double r = sqrt(dot(y, y)), rate = dot(y, w) / r;
    for (int k = 0; k < 2; k++) {
        const double moves[3] = {frame[0] + v[k][0], frame[1] + v[k][1], frame[2] + v[k][2]};
        const double pull = gm[1 - k] / (r * r), along = (k ? 1 : -1) * dot(moves, y) / r;
        extra[k] = gm[k] * (dot(moves, moves) - pull * r) / (2 * c * c);
        grows[k] = gm[k] * pull * (along + rate / 2) / (c * c);
        all += gm[k] + extra[k];
    }
    for (int d = 0; d < 3; d++)
        dx[d] = (extra[0] * x[0][d] + extra[1] * x[1][d]) / all;
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < 2; k++)
            dv[d] += (extra[k] * v[k][d] + grows[k] * (x[k][d] - dx[d])) / all;
}
