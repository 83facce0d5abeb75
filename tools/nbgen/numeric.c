#ifdef NB_HAVE_GSL /* by the Makefile, for this file */
#include "numeric.h"

#include "tool.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_spline.h>
#include <math.h>
#include <stdlib.h>

#define INTERVALS 1000 /* of a quadrature, at most */
#define ROUNDS    200  /* of a search */

static const char *demanding = "a model";

static void check(int status, const char *what)
{
    if (status)
        die("%s: %s: %s: its parameters are out of reach", demanding, what, gsl_strerror(status));
}

static void *checked(void *memory)
{
    if (!memory)
        die("no memory");
    return memory;
}

void numeric_demand(const char *model)
{
    demanding = model;
    gsl_set_error_handler_off();
}

/* What GSL takes: its functions get a pointer to what is not const. */
struct call {
    numeric_function *f;
    const void *context;
};

static double call(double x, void *from)
{
    const struct call *c = from;
    return c->f(x, c->context);
}

double numeric_integral(numeric_function *f, const void *context, double a, double b, double tolerance)
{
    struct call c = {f, context};
    gsl_function function = {call, &c};
    gsl_integration_workspace *w = checked(gsl_integration_workspace_alloc(INTERVALS));
    double result = 0, error;
    int status;
    if (isinf(a) && isinf(b))
        status = gsl_integration_qagi(&function, 1e-300, tolerance, INTERVALS, w, &result, &error);
    else if (isinf(a))
        status = gsl_integration_qagil(&function, b, 1e-300, tolerance, INTERVALS, w, &result, &error);
    else if (isinf(b))
        status = gsl_integration_qagiu(&function, a, 1e-300, tolerance, INTERVALS, w, &result, &error);
    else
        status = gsl_integration_qags(&function, a, b, 1e-300, tolerance, INTERVALS, w, &result, &error);
    gsl_integration_workspace_free(w);
    /* Rounding may hinder the last digits asked for: what is left of the error is then as small as it can be. */
    check(status == GSL_EROUND && error <= 1e3 * tolerance * fabs(result) ? GSL_SUCCESS : status, "an integral");
    return result;
}

double numeric_root(numeric_function *f, const void *context, double low, double high)
{
    struct call c = {f, context};
    gsl_function function = {call, &c};
    gsl_root_fsolver *s = checked(gsl_root_fsolver_alloc(gsl_root_fsolver_brent));
    check(gsl_root_fsolver_set(s, &function, low, high), "a root");
    for (int k = 0; k < ROUNDS; k++) {
        check(gsl_root_fsolver_iterate(s), "a root");
        low = gsl_root_fsolver_x_lower(s);
        high = gsl_root_fsolver_x_upper(s);
        if (gsl_root_test_interval(low, high, 0, 4e-16) != GSL_CONTINUE)
            break;
    }
    double root = gsl_root_fsolver_root(s);
    gsl_root_fsolver_free(s);
    return root;
}

/* ---- splines ---- */

struct numeric_spline {
    gsl_spline *spline;
    double from, to;
};

struct numeric_spline *numeric_spline_make(const double *x, const double *y, size_t n)
{
    struct numeric_spline *s = checked(malloc(sizeof *s));
    *s = (struct numeric_spline){checked(gsl_spline_alloc(gsl_interp_steffen, n)), x[0], x[n - 1]};
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
    return s->f(x, y, out, s->context) ? GSL_EBADFUNC : GSL_SUCCESS;
}

double numeric_solve(numeric_slopes *f, const void *context, size_t size, double x, double end, double *y,
                     double tolerance)
{
    struct slopes s = {f, context};
    gsl_odeiv2_system system = {slopes, NULL, size, &s};
    gsl_odeiv2_driver *d =
        checked(gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-6 * (end - x), tolerance, tolerance));
    int status = gsl_odeiv2_driver_apply(d, &x, end, y);
    gsl_odeiv2_driver_free(d);
    check(status == GSL_EBADFUNC ? GSL_SUCCESS : status, "a differential equation");
    return x;
}
#endif
