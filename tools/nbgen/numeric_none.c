/* numeric_none.c - replaces numeric.c if GSL is not available. */
#ifndef NB_HAVE_GSL
#include "numeric.h"

#include "common/tool.h"

void numeric_demand(const char *model)
{
    die("%s: this nbgen was built without the GNU Scientific Library, which this model needs (on Debian install "
        "libgsl-dev and build again)",
        model);
}

/* Never called, because numeric_demand dies first. */
static noreturn void unreachable(void)
{
    die("nothing to compute was requested");
}

struct numeric_spline *numeric_spline_make(const double *x, const double *y, size_t n)
{
    (void)x, (void)y, (void)n;
    unreachable();
}

double numeric_spline_value(const struct numeric_spline *s, double x)
{
    (void)s, (void)x;
    unreachable();
}

double numeric_spline_slope(const struct numeric_spline *s, double x)
{
    (void)s, (void)x;
    unreachable();
}

double numeric_spline_integral(const struct numeric_spline *s, double a, double b)
{
    (void)s, (void)a, (void)b;
    unreachable();
}

void numeric_spline_free(struct numeric_spline *s)
{
    (void)s;
}

void numeric_solve(numeric_slopes *f, const void *context, size_t size, double x, double end, double *y,
                   double tolerance)
{
    (void)f, (void)context, (void)size, (void)x, (void)end, (void)y, (void)tolerance;
    unreachable();
}
#endif
