/* step_radau.c - computes the coefficients of Gauss-Radau steps with eight nodes. Declared in step_radau.h. */
#include "step/step_radau.h"

#include <math.h>

#define N NB_RADAU_NODES

/* Computes the Legendre polynomials of degree N - 1 and N at x, and the derivative of their sum. x must not be -1 or
 * 1. */
static void legendre(nb_quad x, nb_quad p[2], nb_quad *slope)
{
    nb_quad before = 1, now = x, earlier = 0;
    for (int k = 2; k <= N; k++) {
        earlier = before;
        before = now;
        now = ((2 * k - 1) * x * before - (k - 1) * earlier) / k;
    }
    p[0] = before;
    p[1] = now;
    *slope = (N * (x * now - before) + (N - 1) * (x * before - earlier)) / (x * x - 1);
}

/* Finds the N nodes: the roots of P_(N-1) + P_N, mapped from [-1, 1) to [0, 1). The first root is -1. The other roots
 * are found by a change of sign and Newton's method. Also computes the weights of Radau quadrature on [0, 1]. */
static void find_nodes(struct nb_radau *r, nb_quad *quadrature)
{
    enum { PIECES = 400 };
    nb_quad p[2], slope, sum = 0;
    int found = 0;
    r->node[found++] = 0;
    quadrature[0] = 1 / (nb_quad)(N * N);
    for (int i = 1; i < PIECES && found < N; i++) {
        nb_quad x = -1 + (2 * i + 1) / (nb_quad)PIECES;
        legendre(x - 2 / (nb_quad)PIECES, p, &slope);
        sum = p[0] + p[1];
        legendre(x, p, &slope);
        if ((sum < 0) == (p[0] + p[1] < 0))
            continue;
        for (int k = 0; k < 12; k++) {
            legendre(x, p, &slope);
            x -= (p[0] + p[1]) / slope;
        }
        quadrature[found] = (1 - x) / (2 * N * N * p[0] * p[0]);
        r->node[found++] = (1 + x) / 2;
    }
    r->node[N] = 1;
}

/* Returns the value at t of the polynomial that is 1 at node j and 0 at the other nodes. */
static nb_quad basis(const struct nb_radau *r, int j, nb_quad t)
{
    nb_quad product = r->weight[j];
    for (int k = 0; k < N; k++)
        product *= k == j ? 1 : t - r->node[k];
    return product;
}

/* Computes the basis polynomial of node j (1 at node j, 0 at the other nodes) and its first three derivatives at t = 1.
 * They are computed from the derivatives of the polynomial's logarithm. */
static void differentiate(struct nb_radau *r, int j)
{
    nb_quad sum[4] = {0};
    for (int k = 0; k < N; k++)
        if (k != j) {
            const nb_quad q = 1 / (1 - r->node[k]);
            sum[1] += q;
            sum[2] += q * q;
            sum[3] += q * q * q;
        }
    const nb_quad value = basis(r, j, 1);
    r->derivative[0][j] = value;
    r->derivative[1][j] = value * sum[1];
    r->derivative[2][j] = value * (sum[1] * sum[1] - sum[2]);
    r->derivative[3][j] = value * (sum[1] * sum[1] * sum[1] - 3 * sum[1] * sum[2] + 2 * sum[3]);
}

void nb_radau_make(struct nb_radau *r)
{
    nb_quad quadrature[N];
    find_nodes(r, quadrature);
    for (int j = 0; j < N; j++) {
        r->weight[j] = 1;
        for (int k = 0; k < N; k++)
            r->weight[j] /= k == j ? 1 : r->node[j] - r->node[k];
    }
    for (int j = 0; j < N; j++) {
        differentiate(r, j);
        /* Integrates the basis polynomial p of node j from 0 to `end`: once for the velocity, twice for the position.
         * The double integral is the integral of (end - t) p(t). The quadrature is exact up to degree 14. */
        for (int s = 0; s <= N; s++) {
            const nb_quad end = r->node[s];
            r->velocity[s][j] = r->position[s][j] = 0;
            for (int k = 0; k < N; k++) {
                const nb_quad term = end * quadrature[k] * basis(r, j, end * r->node[k]);
                r->velocity[s][j] += term;
                r->position[s][j] += term * end * (1 - r->node[k]);
            }
        }
    }
}
