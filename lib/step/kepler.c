/* kepler.c - motion of two bodies on a Kepler orbit in universal variables, and the time at which their distance falls
 * to a given value. Declared in kepler.h. */
#include "step/kepler.h"

#include <math.h>

struct orbit {
    double r, eta, zeta, beta; /* r = |x|, eta = x . v, zeta = mu - beta r, beta = 2 mu / r - v^2; mu = G * mass */
};

struct universal { /* values of the functions G_0(X) to G_3(X) of kepler.h at a given X */
    double g0, g1, g2, g3;
};

/* Computes G_0 to G_3 at X = x. They are power series in z = beta X^2. If |z| > 1, the series are computed for z / 4^k,
 * with k such that |z / 4^k| <= 1. Then double-angle formulas are applied k times. */
static struct universal universal_at(double beta, double x)
{
    double z = beta * x * x;
    int quarters = 0;
    if (!isfinite(z))
        return (struct universal){NAN, NAN, NAN, NAN};
    for (; fabs(z) > 1; quarters++)
        z /= 4;
    double c2 = 0, c3 = 0;
    for (int k = 8; k >= 0; k--) {
        c2 = (1 - z * c2) / ((2 * k + 1) * (2 * k + 2));
        c3 = (1 - z * c3) / ((2 * k + 2) * (2 * k + 3));
    }
    double c0 = 1 - z * c2, c1 = 1 - z * c3;
    for (; quarters > 0; quarters--) {
        c3 = (c2 + c0 * c3) / 4;
        c2 = c1 * c1 / 2;
        c1 = c0 * c1;
        c0 = 2 * c0 * c0 - 1;
    }
    return (struct universal){c0, x * c1, x * x * c2, x * x * x * c3};
}

/* Returns t(X) - dt for the function t(X) = r X + eta G_2 + zeta G_3 of kepler.h. x: the value of X; g: G_0 to G_3 at
 * this X. */
static double excess(const struct orbit *o, const struct universal *g, double x, double dt)
{
    return o->r * x + o->eta * g->g2 + o->zeta * g->g3 - dt;
}

/* Returns an X with t(X) >= dt, for dt > 0. t(X) is the time at the value X of the universal variable (kepler.h). On
 * an ellipse, returns the X of one full period. On other orbits, X is doubled until t(X) reaches dt or overflows. */
static double upper_bound(const struct orbit *o, double dt)
{
    if (o->beta > 0)
        return 2 * M_PI / sqrt(o->beta);
    double x = dt / o->r;
    for (int k = 0; k < 2100; k++, x *= 2) {
        const struct universal g = universal_at(o->beta, x);
        if (!(excess(o, &g, x, dt) < 0))
            break;
    }
    return x;
}

/* Solves t(X) = dt for X, where t(X) is the time at the value X of the universal variable (kepler.h), and 0 <= dt <=
 * period / 2. Returns G_0 to G_3 at this X. A Newton step that leaves the known bounds of X, or that is longer than
 * half of the previous step, is replaced by bisection. */
static struct universal solve(const struct orbit *o, double dt)
{
    double low = 0, high = upper_bound(o, dt), x = fmin(dt / o->r, high / 2), before = high;
    for (int k = 0; k < 2100; k++) {
        const struct universal g = universal_at(o->beta, x);
        const double f = excess(o, &g, x, dt), slope = o->r + o->eta * g.g1 + o->zeta * g.g2;
        if (f < 0)
            low = x;
        else
            high = x;
        double next = x - f / slope;
        const bool newton = next >= low && next <= high && fabs(next - x) <= before / 2;
        if (!newton)
            next = low + (high - low) / 2;
        before = fabs(next - x);
        x = next;
        /* After a Newton step, the error of x is about the square of the step, so the iteration ends after a small
         * step. After bisection, it ends only if x does not change any more. */
        if (before <= (newton ? 1e-9 : 1e-16) * fabs(x) || f == 0 || isnan(x))
            break;
    }
    return universal_at(o->beta, x);
}

void nb_kepler_advance(double mu, double dt, const double x[3], const double v[3], double dx[3], double dv[3])
{
    const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const double beta = 2 * mu / r - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    struct orbit o = {r, x[0] * v[0] + x[1] * v[1] + x[2] * v[2], mu - beta * r, beta};
    const double period = beta > 0 ? 2 * M_PI * mu / (beta * sqrt(beta)) : (double)INFINITY;
    if (fabs(dt) > period / 2)
        dt = fma(-rint(dt / period), period, dt);
    const double sign = dt < 0 ? -1 : 1; /* dt < 0: reverse the velocity */
    o.eta *= sign;
    const struct universal g = solve(&o, fabs(dt));
    const double r_end = o.r + o.eta * g.g1 + o.zeta * g.g2;
    /* new position f x + g v, new velocity f' x + g' v; f1 = f - 1, gt = g, df = f', dg1 = g' - 1 */
    const double f1 = -mu * g.g2 / r, gt = dt - sign * mu * g.g3, df = -sign * mu * g.g1 / (r * r_end),
                 dg1 = -mu * g.g2 / r_end;
    for (int k = 0; k < 3; k++) {
        dx[k] = f1 * x[k] + gt * v[k];
        dv[k] = df * x[k] + dg1 * v[k];
    }
}

/* ---- time at which the distance falls to a given value ---- */

struct conic {
    /* mu: G times the central mass; inverse: 1 / (semi-major axis), negative for hyperbolas; e: eccentricity; q:
     * pericentre distance */
    double mu, inverse, e, q;
};

#define PARABOLA 1e-12 /* minimum |r / a| (distance r, semi-major axis a), to avoid divisions by 0 on parabolas */

static struct conic conic_of(double mu, double r, const double x[3], const double v[3])
{
    const double h[3] = {x[1] * v[2] - x[2] * v[1], x[2] * v[0] - x[0] * v[2], x[0] * v[1] - x[1] * v[0]};
    const double spin2 = h[0] * h[0] + h[1] * h[1] + h[2] * h[2], xv = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
    const double inverse = 2 / r - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / mu, e_cos = 1 - r * inverse;
    struct conic o = {.mu = mu, .inverse = fabs(inverse * r) > PARABOLA ? inverse : PARABOLA / r};
    o.e = o.inverse > 0 ? sqrt(e_cos * e_cos + xv * xv / mu * o.inverse) : sqrt(1 - spin2 / mu * o.inverse);
    o.q = spin2 / (mu * (1 + o.e));
    return o;
}

/* Returns angle - sin(angle) for sign = 1, sinh(angle) - angle for sign = -1, without cancellation near 0. */
static double less_sine(double angle, double sign)
{
    const double z = sign * angle * angle;
    if (fabs(z) > 0.1)
        return sign > 0 ? angle - sin(angle) : sinh(angle) - angle;
    return angle * fabs(z) / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110))));
}

/* Returns the time from the pericentre to the point at distance r: (E - e sin E) / (mean motion), with the
 * eccentricity e and the eccentric anomaly E. To avoid cancellation, E - e sin E is computed as (q / a) sin E + (E -
 * sin E), where q = a (1 - e) is the pericentre distance. On hyperbolas, e sinh F - F is transformed in the same
 * way. */
static double time_of(const struct conic *o, double r)
{
    const double size = fabs(o->inverse), s = sqrt(fmax(0, size * (r - o->q) / (2 * o->e)));
    const double motion = sqrt(o->mu * size) * size;
    const double angle = o->inverse > 0 ? 2 * asin(fmin(1, s)) : 2 * asinh(s);
    return o->inverse > 0 ? (o->q * size * sin(angle) + less_sine(angle, 1)) / motion
                          : (o->q * size * sinh(angle) + less_sine(angle, -1)) / motion;
}

bool nb_kepler_comes_near(double mu, double dt, const double x[3], const double v[3], double r, double *t)
{
    const double now = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const double sign = dt < 0 ? -1 : 1, xv = sign * (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]);
    *t = 0;
    if (now <= r)
        return true;
    const struct conic o = conic_of(mu, now, x, v);
    if (!(o.q <= r) || (o.inverse < 0 && xv >= 0))
        return false;
    const double since = time_of(&o, now), contact = time_of(&o, r);
    const double period = o.inverse > 0 ? 2 * M_PI / (sqrt(mu * o.inverse) * o.inverse) : 0;
    *t = sign * fmax(0, xv < 0 ? since - contact : period - since - contact);
    return fabs(*t) <= fabs(dt);
}
