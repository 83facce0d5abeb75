/* numeric.c - splines and differential equations by the GNU Scientific Library. */

#ifdef NB_HAVE_GSL /* defined by the Makefile for this file */
#include "numeric.h"

#include "common/tool.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_spline.h>
#include <math.h>
#include <stdlib.h>

static const char *demanding = "a model";

static void check(int status, const char *what)
{
    if (status)
        die("%s: %s: %s: its parameters are out of range", demanding, what, gsl_strerror(status));
}

void numeric_demand(const char *model)
{
    demanding = model;
    gsl_set_error_handler_off();
}

/* ---- splines ---- */

struct numeric_spline {
    gsl_spline *spline;
    double from, to;
};

struct numeric_spline *numeric_spline_make(const double *x, const double *y, size_t n)
{
    struct numeric_spline *s = claimed(malloc(sizeof *s), "no memory");
    *s = (struct numeric_spline){claimed(gsl_spline_alloc(gsl_interp_steffen, n), "no memory"), x[0], x[n - 1]};
    check(gsl_spline_init(s->spline, x, y, n), "a spline");
    return s;
}

static double inside(const struct numeric_spline *s, double x)
{
    return fmin(fmax(x, s->from), s->to);
}

double numeric_spline_value(const struct numeric_spline *s, double x)
{
    return gsl_spline_eval(s->spline, inside(s, x), NULL);
}

double numeric_spline_slope(const struct numeric_spline *s, double x)
{
    return gsl_spline_eval_deriv(s->spline, inside(s, x), NULL);
}

double numeric_spline_integral(const struct numeric_spline *s, double a, double b)
{
    return gsl_spline_eval_integ(s->spline, inside(s, a), inside(s, b), NULL);
}

void numeric_spline_free(struct numeric_spline *s)
{
    if (!s)
        return;
    gsl_spline_free(s->spline);
    free(s);
}

/* ---- differential equations ---- */

struct slopes {
    numeric_slopes *f;
    const void *context;
};

static int slopes(double x, const double y[], double out[], void *from)
{
    const struct slopes *s = from;
    s->f(x, y, out, s->context);
    return GSL_SUCCESS;
}

void numeric_solve(numeric_slopes *f, const void *context, size_t size, double x, double end, double *y,
                   double tolerance)
{
    struct slopes s = {f, context};
    gsl_odeiv2_system system = {slopes, NULL, size, &s};
    gsl_odeiv2_driver *d =
        claimed(gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-6 * (end - x), tolerance, tolerance),
                "no memory");
    check(gsl_odeiv2_driver_apply(d, &x, end, y), "a differential equation");
    gsl_odeiv2_driver_free(d);
}
#endif
