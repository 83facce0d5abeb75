/* step_touch_pair.c - finds the contact of two bodies whose relative path is a polynomial. Declared in step_touch.h. */
#include "step/step_touch.h"

#include <math.h>

/* Computes relative position and velocity (per unit of u) at the fraction u of the step. */
static void locate(const struct nb_touch_path *p, double u, double x[3], double v[3])
{
    for (int k = 0; k < 3; k++) {
        x[k] = v[k] = 0;
        for (int q = NB_TOUCH_TERMS - 1; q >= 0; q--) {
            v[k] = v[k] * u + x[k];
            x[k] = x[k] * u + p->c[k][q];
        }
    }
}

/* Returns (distance of the pair)^2 - r^2 at the fraction u of the step. Sets *slope to half of the derivative of this
 * value with respect to u. */
static double gap(const struct nb_touch_path *p, double r, double u, double *slope)
{
    double x[3], v[3];
    locate(p, u, x, v);
    *slope = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - r * r;
}

/* Returns the time of contact. The pair is separate at the time `apart`, and touches at the time `touching`. Times are
 * fractions of the step. */
static double bisect_contact(const struct nb_touch_path *p, double r, double apart, double touching)
{
    for (int k = 0; k < 60; k++) {
        const double middle = (apart + touching) / 2;
        double slope;
        *(gap(p, r, middle, &slope) > 0 ? &apart : &touching) = middle;
    }
    return touching;
}

/* Returns a time at which the pair touches, or the time of the closest approach if the pair does not touch. Times are
 * fractions of the step. The distance decreases at the time `nearing`, and increases at the later time `parting`. */
static double bisect_nearest(const struct nb_touch_path *p, double r, double nearing, double parting)
{
    double middle = nearing;
    for (int k = 0; k < 60; k++) {
        double slope;
        middle = (nearing + parting) / 2;
        if (gap(p, r, middle, &slope) <= 0)
            break;
        *(slope < 0 ? &nearing : &parting) = middle;
    }
    return middle;
}

#define PIECES 16 /* number of equal parts of a step; in each part, at most one minimum of the distance is found */

bool nb_touch_comes_near(const struct nb_touch_path *p, double r, double *u)
{
    double slope, before, way = 0;
    double f = gap(p, r, 0, &before);
    *u = 0;
    if (f <= 0)
        return true;
    for (int q = 1; q < NB_TOUCH_TERMS; q++)
        way += sqrt(p->c[0][q] * p->c[0][q] + p->c[1][q] * p->c[1][q] + p->c[2][q] * p->c[2][q]);
    if (f > way * way + 2 * way * r) /* the distance is above r + way, and the path is at most `way` long: no contact */
        return false;
    for (int k = 1; k <= PIECES; k++, before = slope) {
        const double from = (k - 1) / (double)PIECES, to = k / (double)PIECES;
        f = gap(p, r, to, &slope);
        double nearest = to;
        if (f > 0 && before < 0 && slope > 0) {
            double ignored;
            nearest = bisect_nearest(p, r, from, to);
            f = gap(p, r, nearest, &ignored);
        }
        if (f <= 0) {
            *u = bisect_contact(p, r, from, nearest);
            return true;
        }
    }
    return false;
}

void nb_touch_note(struct nb_touch_watch *w, uint64_t i, uint64_t j, nb_quad after)
{
    const struct nb_touch touch = {i < j ? i : j, i < j ? j : i, after};
    const nb_quad before = nb_quad_abs(w->first.after), now = nb_quad_abs(after);
    /* If several contacts have the same time, the pair with the lowest indices is kept. The result is then the same in
     * any order of the search. */
    const bool as_early = w->found && now == before;
    if ((w->found && now > before) ||
        (as_early && (touch.i > w->first.i || (touch.i == w->first.i && touch.j >= w->first.j))))
        return;
    w->first = touch;
    w->found = true;
}

static bool is_passed(const struct nb_touch_watch *w, uint64_t i, uint64_t j)
{
    for (int k = 0; k < w->passed_count; k++)
        if ((w->passed[k].i == i && w->passed[k].j == j) || (w->passed[k].i == j && w->passed[k].j == i))
            return true;
    return false;
}

bool nb_touch_may(const struct nb_touch_watch *w, uint64_t i, uint64_t j)
{
    return w->mass[i] + w->mass[j] > 0 && w->radius[i] + w->radius[j] > 0 && !is_passed(w, i, j);
}

void nb_touch_attract(double gm, double eps, const double x[3], const double v[3], double a[3], double jerk[3])
{
    const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + eps * eps;
    const double xv = x[0] * v[0] + x[1] * v[1] + x[2] * v[2], pull = gm / (r2 * sqrt(r2));
    for (int k = 0; k < 3; k++) {
        a[k] -= pull * x[k];
        jerk[k] -= pull * (v[k] - 3 * xv / r2 * x[k]);
    }
}

void nb_touch_look_back(struct nb_touch_watch *w, uint64_t i, uint64_t j, const struct nb_touch_motion *m, double h,
                        nb_quad now)
{
    struct nb_touch_path p;
    double u;
    for (int k = 0; k < 3; k++) {
        /* coefficients of the path as a polynomial in 1 - u, where u is the fraction of the step that has passed */
        const double q[4] = {m->x[k], -h * m->v[k], h * h / 2 * m->a[k], -h * h * h / 6 * m->jerk[k]};
        p.c[k][0] = q[0] + q[1] + q[2] + q[3];
        p.c[k][1] = -(q[1] + 2 * q[2] + 3 * q[3]);
        p.c[k][2] = q[2] + 3 * q[3];
        p.c[k][3] = -q[3];
        p.c[k][4] = p.c[k][5] = 0;
    }
    if (nb_touch_comes_near(&p, w->radius[i] + w->radius[j], &u))
        nb_touch_note(w, i, j, now - (nb_quad)(h * (1 - u)));
}
