/* emden.c - solves Poisson's equation for spheres whose density depends on the potential only:
 * W'' + 2 W'/r = -9 rho(W) / rho(W(0)). W(r) is the depth of the potential divided by the squared velocity dispersion,
 * and r is in core radii. The integration variable is W, not r, so that the last node is exactly at the edge, W = 0.
 * Quintic polynomials interpolate between the nodes. */
#include "sphere.h"

#include <math.h>

#define NODES   1600
#define NEAREST 1e-10 /* (W(0) - W at node 0) / (W(0) - W at the last node); inside node 0, W(0) - W is 3/2 r^2 */
#define DEEPEST 60    /* potential W(0) - W at the last node of an isothermal sphere, where r = 2e12 core radii */

struct emden {
    double w0, edge, centre;
    struct node {
        double r, w, slope, curve; /* slope: dw/dr; curve: d2w/dr2 */
    } nodes[NODES];
};

/* Returns the density of King's sphere at the depth w: exp(w) erf(sqrt(w)) - sqrt(4 w/pi) (1 + 2w/3). The two terms
 * cancel near the edge, so a series is used for w up to 2. */
static double king(double w)
{
    double term = 8 / (15 * sqrt(M_PI)) * w * w * sqrt(w), sum = 0;
    if (w <= 0)
        return 0;
    if (w > 2)
        return exp(w) * erf(sqrt(w)) - sqrt(4 * w / M_PI) * (1 + 2 * w / 3);
    for (int k = 0; k < 40; term *= w / (k + 3.5), k++)
        sum += term;
    return sum;
}

static double density(const struct emden *e, double w)
{
    return isinf(e->w0) ? exp(w) : king(w) / e->centre;
}

/* Computes the derivatives of y = {ln r, ln m} with respect to s = W(0) - W. They follow from dW/dr = -9 m / r^2, where
 * m is the integral of density * r^2 dr from 0 to r. */
static void slopes(double s, const double *y, double *out, const void *context)
{
    const struct emden *e = context;
    double w = (isinf(e->w0) ? 0 : e->w0) - s;
    out[0] = exp(y[0] - y[1]) / 9;
    out[1] = density(e, w) * exp(3 * y[0] - y[1]) * out[0];
}

static struct node make_node(const struct emden *e, double w, const double *y)
{
    double r = exp(y[0]), slope = -9 * exp(y[1] - 2 * y[0]);
    return (struct node){r, w, slope, -9 * density(e, w) - 2 * slope / r};
}

const struct emden *emden_make(double w0)
{
    struct emden *e = gen_memory(sizeof *e);
    *e = (struct emden){.w0 = w0, .centre = isinf(w0) ? 1 : king(w0), .edge = INFINITY};
    double top = isinf(w0) ? 0 : w0, depth = isinf(w0) ? DEEPEST : w0, s = NEAREST * depth;
    double r = sqrt(s / 1.5), y[2] = {log(r), log(r * r * r / 3)};
    e->nodes[0] = make_node(e, top - s, y);
    /* The depths of the first half of the nodes are a geometric sequence, up to 1/20 of the total depth. The depths of
     * the second half are an arithmetic sequence. */
    for (int k = 1; k < NODES; k++) {
        double to = k < NODES / 2 ? depth * NEAREST * pow(0.05 / NEAREST, k / (NODES / 2 - 1.))
                                  : depth * (0.05 + 0.95 * (k - NODES / 2 + 1) / (NODES / 2));
        numeric_solve(slopes, e, 2, s, to, y, 1e-13);
        s = to;
        e->nodes[k] = make_node(e, k == NODES - 1 && isfinite(w0) ? 0 : top - s, y);
    }
    if (isfinite(w0))
        e->edge = e->nodes[NODES - 1].r;
    return e;
}

double emden_edge(const struct emden *e)
{
    return e->edge;
}

/* Returns the value at r of the quintic polynomial that has the values, slopes and curvatures of the nodes a and b. */
static double quintic(const struct node *a, const struct node *b, double r)
{
    double h = b->r - a->r, t = (r - a->r) / h, u = 1 - t;
    double va = a->w + t * (h * a->slope + 3 * a->w + t * (h * h * a->curve / 2 + 3 * h * a->slope + 6 * a->w));
    double vb = b->w - u * (h * b->slope - 3 * b->w - u * (h * h * b->curve / 2 - 3 * h * b->slope + 6 * b->w));
    return u * u * u * va + t * t * t * vb;
}

double emden_density(const struct emden *e, double r)
{
    int low = 0, high = NODES - 1;
    if (r >= e->edge)
        return 0;
    if (r < e->nodes[0].r)
        return density(e, (isinf(e->w0) ? 0 : e->w0) - 1.5 * r * r);
    if (r >= e->nodes[high].r)
        return density(e, e->nodes[high].w) * pow(e->nodes[high].r / r, 2);
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(e->nodes[middle].r <= r ? &low : &high) = middle;
    }
    return density(e, quintic(&e->nodes[low], &e->nodes[high], r));
}
