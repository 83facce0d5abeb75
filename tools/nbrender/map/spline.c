/* Bicubic splines through values on a grid. */
#include "nbrender/map/map.h"

/* Replaces the n values v by the coefficients c of the spline through them. Successive values are `stride` elements
 * apart. At both ends c = v, because the second derivative of the spline is 0 there. Between the ends, c is the
 * solution of the tridiagonal system (c[i-1] + 4 * c[i] + c[i+1]) / 6 = v[i]. The pivots of the elimination converge
 * quickly to 2 + sqrt(3). Therefore only the first 64 pivots are computed. */
static void fit_line(double *v, int n, size_t stride)
{
    double pivot[64];
    const int kept = n - 2 < 64 ? n - 2 : 64;
    pivot[0] = 4;
    for (int k = 1; k < kept; k++)
        pivot[k] = 4 - 1 / pivot[k - 1];
    double *last = v + (size_t)(n - 1) * stride;
    v[stride] = 6 * v[stride] - v[0];
    for (int i = 2; i < n - 1; i++)
        v[(size_t)i * stride] =
            6 * v[(size_t)i * stride] - v[(size_t)(i - 1) * stride] / pivot[i - 2 < kept ? i - 2 : kept - 1];
    double above = *last;
    for (int i = n - 2; i > 0; i--)
        above = v[(size_t)i * stride] = (v[(size_t)i * stride] - above) / pivot[i - 1 < kept ? i - 1 : kept - 1];
}

void spline_fit(const struct spline_grid *g, double *v)
{
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int j = 0; j < g->rows; j++)
            fit_line(v + (size_t)j * (size_t)g->columns, g->columns, 1);
#pragma omp for schedule(static)
        for (int i = 0; i < g->columns; i++)
            fit_line(v + i, g->rows, (size_t)g->columns);
    }
}

/* Computes the weights w[0] to w[3] of four successive coefficients. The weighted sum is the value of the spline at t.
 * t is 0 at the node of the second coefficient, and 1 at the node of the third. */
static void weigh(double t, double w[4])
{
    const double r = 1 - t;
    w[0] = r * r * r / 6;
    w[1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
    w[2] = (4 - 6 * r * r + 3 * r * r * r) / 6;
    w[3] = t * t * t / 6;
}

void spline_add_row(const struct spline_grid *g, const double *coefficients, int y, int width, double *work,
                    double *out)
{
    const size_t columns = (size_t)g->columns;
    double w[4], v = (y + 0.5 - g->y0) / g->step;
    const int row = (int)v;
    const double *c = coefficients + (size_t)(row - 1) * columns;
    weigh(v - row, w);
    for (size_t i = 0; i < columns; i++)
        work[i] = w[0] * c[i] + w[1] * c[i + columns] + w[2] * c[i + 2 * columns] + w[3] * c[i + 3 * columns];
    for (int x = 0; x < width; x++) {
        const double u = (x + 0.5 - g->x0) / g->step;
        const double *at = work + (int)u - 1;
        weigh(u - (int)u, w);
        out[x] += w[0] * at[0] + w[1] * at[1] + w[2] * at[2] + w[3] * at[3];
    }
}
