/* chain_advance.c - advances a chain to a given time: leapfrog in regularised time with extrapolation. Declared in
 * chain.h. */
#include "step/groups/chain_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COLUMNS  9    /* number of columns of the extrapolation table; column k has 2 (k + 1) substeps */
#define LEAST    0.1  /* minimum of (next step) / (this step) */
#define MOST     4.0  /* maximum of (next step) / (this step) */
#define SAFETY   0.65 /* (error that the next step aims at) / tolerance */
#define CAUTION  0.94 /* safety factor on the next step size */
#define ATTEMPTS 200  /* maximum number of consecutive rejected steps */
#define FIRST    0.3  /* (first step) / (shortest dynamical time) */
/* if (time left) / (shortest dynamical time) is at most RESIDUAL, one leapfrog step in physical time ends the
 * advance */
#define RESIDUAL 1e-5

/* The integrated variables are stored in one array y: time, binding energy times G, positions of the links,
 * velocities of the links. A link is the vector from a body of the chain to the next body. With post-Newtonian
 * terms, the centre of mass is stored as an additional link. */
enum { TIME, BINDING, LINKS };
#define VARIABLES (LINKS + 6 * NB_CHAIN_MAX)

struct work {
    const struct nb_chain *c;
    nb_chain_pull *pull;
    nb_chain_see *see;
    void *data;
    double total; /* G times the total mass */
    double t;     /* time from the beginning of nb_chain_advance to the beginning of the step */
    int links;    /* number of links in y; includes the centre of mass if it is stored as a link */
    int count;    /* number of elements of y in use */
};

static double (*links(double *y))[3]
{
    return (double(*)[3])(y + LINKS);
}

static double (*speeds(const struct work *w, double *y))[3]
{
    return links(y) + w->links;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- the leapfrog ---- */

static void drift(const struct work *w, double *y, double h)
{
    double(*x)[3] = links(y), (*v)[3] = speeds(w, y);
    const double dt = h / (nb_chain_kinetic(w->c, (vectors)v) + y[BINDING]);
    y[TIME] += dt;
    for (int k = 0; k < w->links; k++)
        for (int d = 0; d < 3; d++)
            x[k][d] += dt * v[k][d];
}

/* Computes the external accelerations in the chain's order, relative to the acceleration of the centre of mass. */
static void pull_of(const struct work *w, double t, const double at[][3], double f[][3])
{
    const struct nb_chain *c = w->c;
    double x[NB_CHAIN_MAX][3], a[NB_CHAIN_MAX][3], mean[3] = {0};
    nb_chain_by_caller(c, at, x);
    w->pull(w->data, t, (vectors)x, a);
    for (int i = 0; i < c->n; i++)
        for (int d = 0; d < 3; d++)
            mean[d] += c->gm[i] / w->total * a[i][d];
    for (int k = 0; k < c->n; k++)
        for (int d = 0; d < 3; d++)
            f[k][d] = a[c->order[k]][d] - mean[d];
}

/* Returns G times the change of the binding energy in a time dt that the accelerations f cause. f: accelerations of
 * the bodies without the attraction between them. v: velocities of the links (vectors from each body to the next). */
static double work_done(const struct nb_chain *c, double dt, const double v[][3], const double f[][3])
{
    double at[NB_CHAIN_MAX][3], sum = 0;
    nb_chain_sum(c, v, at);
    for (int k = 0; k < c->n; k++)
        sum -= dt * c->gm[c->order[k]] * dot(at[k], f[k]);
    return sum;
}

/* Computes accelerations in the chain's order, without the Newtonian attraction between the n bodies. f[k] is for body
 * k of the chain, f[n] is for the centre of mass:
 *     f[n] = mass-weighted mean of the post-Newtonian accelerations of the bodies;
 *     f[k] = outside[k] + (post-Newtonian acceleration of body k) - f[n].
 * x: the n - 1 links. v: velocities of the links, then the velocity of the centre of mass. at: positions of the bodies
 * relative to the centre of mass. outside: external accelerations relative to the centre of mass (pull_of), or
 * zeros. */
static void add_terms(const struct work *w, const double x[][3], const double at[][3], const double v[][3],
                      const double outside[][3], double f[][3])
{
    const struct nb_chain *c = w->c;
    double *mean = f[c->n];
    nb_chain_pn(c, x, at, v, f);
    memset(mean, 0, sizeof f[0]);
    for (int k = 0; k < c->n; k++)
        for (int d = 0; d < 3; d++)
            mean[d] += c->gm[c->order[k]] / w->total * f[k][d];
    for (int k = 0; k < c->n; k++)
        for (int d = 0; d < 3; d++)
            f[k][d] += outside[k][d] - mean[d];
}

static void push(const struct nb_chain *c, double dt, const double a[][3], const double f[][3], double v[][3])
{
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k + 1 < c->n; k++)
            v[k][d] += dt * (a[k + 1][d] + f[k + 1][d] - (a[k][d] + f[k][d]));
        v[c->n - 1][d] += dt * f[c->n][d];
    }
}

/* Applies a kick with post-Newtonian terms, which depend on the velocities. Two copies of the velocities make the kick
 * symmetric in time: v (in y) and `other`, equal at the beginning of a step. The kick of v is computed from `other`,
 * and the kick of `other` from v. `other` gets half of its kick before the kick of v, and half after it. */
static void kick_with_terms(const struct work *w, double *y, double other[][3], double h)
{
    const struct nb_chain *c = w->c;
    double at[NB_CHAIN_MAX][3], a[NB_CHAIN_MAX][3], outside[NB_CHAIN_MAX][3] = {{0}}, f[NB_CHAIN_MAX + 1][3];
    double(*x)[3] = links(y), (*v)[3] = speeds(w, y);
    nb_chain_sum(c, (vectors)x, at);
    const double dt = h / nb_chain_potential(c, (vectors)x, (vectors)at, a, NULL);
    if (w->pull)
        pull_of(w, w->t + y[TIME], (vectors)at, outside);
    add_terms(w, (vectors)x, (vectors)at, (vectors)v, (vectors)outside, f);
    push(c, dt / 2, (vectors)a, (vectors)f, other);
    add_terms(w, (vectors)x, (vectors)at, (vectors)other, (vectors)outside, f);
    push(c, dt, (vectors)a, (vectors)f, v);
    y[BINDING] += work_done(c, dt, (vectors)other, (vectors)f);
    add_terms(w, (vectors)x, (vectors)at, (vectors)v, (vectors)outside, f);
    push(c, dt / 2, (vectors)a, (vectors)f, other);
}

static void kick(const struct work *w, double *y, double h)
{
    const struct nb_chain *c = w->c;
    double at[NB_CHAIN_MAX][3], a[NB_CHAIN_MAX][3], f[NB_CHAIN_MAX][3], mean[NB_CHAIN_MAX - 1][3];
    double(*x)[3] = links(y), (*v)[3] = speeds(w, y);
    nb_chain_sum(c, (vectors)x, at);
    const double dt = h / nb_chain_potential(c, (vectors)x, (vectors)at, a, NULL);
    if (w->pull) {
        pull_of(w, w->t + y[TIME], (vectors)at, f);
        for (int k = 0; k < c->n; k++)
            for (int d = 0; d < 3; d++)
                a[k][d] += f[k][d];
    }
    for (int k = 0; k + 1 < c->n; k++)
        for (int d = 0; d < 3; d++) {
            const double change = dt * (a[k + 1][d] - a[k][d]);
            mean[k][d] = v[k][d] + change / 2;
            v[k][d] += change;
        }
    if (w->pull)
        y[BINDING] += work_done(c, dt, (vectors)mean, (vectors)f);
}

static void leapfrog(const struct work *w, double *y, double step, int substeps)
{
    const double h = step / substeps;
    double other[NB_CHAIN_MAX][3];
    const bool terms = w->c->pn.order > 0;
    if (terms)
        memcpy(other, speeds(w, y), (size_t)w->links * sizeof *other);
    drift(w, y, h / 2);
    for (int k = 0; k < substeps; k++) {
        if (terms)
            kick_with_terms(w, y, other, h);
        else
            kick(w, y, h);
        drift(w, y, k + 1 < substeps ? h : h / 2);
    }
}

/* ---- extrapolation ---- */

static int substeps_of(int column)
{
    return 2 * (column + 1);
}

/* Extrapolates the results of leapfrog to infinitely short substeps, by the Aitken-Neville scheme. Called once for
 * each number of substeps: column 0 has the fewest. y: on entry, the result with substeps_of(column) substeps; on
 * return, the extrapolated values. before[]: set to the values extrapolated without column 0, for the error
 * estimate. table: extrapolated values of the earlier calls, replaced by those of this call. */
static void extrapolate(int column, int count, double table[][VARIABLES], double *y, double *before)
{
    for (int i = 0; i < count; i++) {
        double now = y[i], less = now;
        for (int m = 1; m <= column; m++) {
            const double ratio = (double)substeps_of(column) / substeps_of(column - m), older = table[m - 1][i];
            table[m - 1][i] = less = now;
            now += (now - older) / (ratio * ratio - 1);
        }
        table[column][i] = now;
        before[i] = less;
        y[i] = now;
    }
}

/* Returns the largest relative error of the time, the links and the velocities of the links. The error of a variable is
 * the difference between y and `before`. The error of a link is divided by its length. The error of the velocity of a
 * link is divided by (relative speed of its two bodies) + (their circular speed). Returns INFINITY if a value is not
 * finite. */
static double error_of(const struct work *w, double *y, double *before)
{
    const struct nb_chain *c = w->c;
    double(*x)[3] = links(y), (*v)[3] = speeds(w, y), (*x0)[3] = links(before), (*v0)[3] = speeds(w, before);
    double error = fabs(y[TIME] - before[TIME]) / fabs(y[TIME]);
    for (int k = 0; k + 1 < c->n; k++) {
        const double r = sqrt(dot(x[k], x[k])), gm = c->gm[c->order[k]] + c->gm[c->order[k + 1]];
        const double speed = sqrt(dot(v[k], v[k])) + sqrt(gm / r);
        for (int d = 0; d < 3; d++)
            error = fmax(error, fmax(fabs(x[k][d] - x0[k][d]) / r, fabs(v[k][d] - v0[k][d]) / speed));
        if (!(r > 0 && speed <= DBL_MAX))
            return INFINITY;
    }
    return isfinite(y[TIME]) && isfinite(y[BINDING]) ? error : INFINITY;
}

/* Tries a step from the variables y0. Adds columns to the extrapolation table until the error of the result y is within
 * the tolerance. Returns false if the tolerance is not reached.
 * Sets *next to the size of the next step. For each number of columns, the error gives an allowed step size, and the
 * number of substeps so far is the cost. *next is the step size with the smallest ratio of cost to step size. */
static bool attempt(const struct work *w, const double *y0, double step, double tolerance, double *y, double *next)
{
    double table[COLUMNS][VARIABLES], before[VARIABLES], cost = 0, cheapest = INFINITY;
    const double size = fabs(step);
    *next = LEAST * size;
    for (int k = 0; k < COLUMNS; k++) {
        memcpy(y, y0, (size_t)w->count * sizeof *y);
        leapfrog(w, y, step, substeps_of(k));
        cost += substeps_of(k);
        extrapolate(k, w->count, table, y, before);
        if (k == 0)
            continue;
        const double error = error_of(w, y, before);
        if (!(error <= DBL_MAX))
            return false;
        const double allowed = CAUTION * pow(SAFETY * tolerance / fmax(error, 1e-30), 1.0 / (2 * k + 1));
        const double longest = size * fmin(MOST, fmax(LEAST, allowed));
        if (cost / longest < cheapest) {
            cheapest = cost / longest;
            *next = longest;
        }
        if (error <= tolerance) {
            /* If the last column had the smallest ratio of cost to step size, one more column may have a smaller ratio.
             * The next step is then made longer, so that it needs one more column. */
            if (*next == longest && k + 1 < COLUMNS)
                *next *= (cost + substeps_of(k + 1)) / cost;
            return true;
        }
    }
    *next = fmin(*next, size / 2);
    return false;
}

/* ---- steps to a given time ---- */

/* Sets y to the integrated variables at the beginning of a step, w->links to the number of links, and w->count to the
 * number of variables. */
static void open_step(struct work *w, double *y)
{
    const struct nb_chain *c = w->c;
    double at[NB_CHAIN_MAX][3];
    w->links = c->n - 1 + (c->pn.order > 0);
    w->count = LINKS + 6 * w->links;
    y[TIME] = 0;
    memcpy(links(y), c->x, (size_t)w->links * sizeof *c->x);
    memcpy(speeds(w, y), c->v, (size_t)w->links * sizeof *c->v);
    nb_chain_sum(c, c->x, at);
    y[BINDING] = nb_chain_potential(c, c->x, (vectors)at, NULL, NULL) - nb_chain_kinetic(c, c->v);
}

static void end_step(struct work *w, struct nb_chain *c, double *y)
{
    memcpy(c->x, links(y), (size_t)w->links * sizeof *c->x);
    memcpy(c->v, speeds(w, y), (size_t)w->links * sizeof *c->v);
    w->t += y[TIME];
    c->steps++;
    nb_chain_choose_again(c);
}

static void close_step(struct work *w, struct nb_chain *c, double *y)
{
    if (!w->see) {
        end_step(w, c, y);
        return;
    }
    const struct nb_chain begin = *c;
    const double t = w->t;
    end_step(w, c, y);
    w->see(w->data, &begin, c, t, y[TIME]);
}

/* Returns dt/ds, the change of physical time t for a change of the chain's regularised time s. */
static double rate(const struct work *w, double *y)
{
    double at[NB_CHAIN_MAX][3];
    nb_chain_sum(w->c, (vectors)links(y), at);
    return 1 / nb_chain_potential(w->c, (vectors)links(y), (vectors)at, NULL, NULL);
}

/* Returns the step size between 0 and s that advances the physical time by t. t1: time by which a step of size s
 * advances, |t1| > |t|. r0, r1: dt/ds at the beginning and at the end of this step. Interpolates the time with a cubic
 * polynomial. */
static double part_of_step(double s, double t, double t1, double r0, double r1)
{
    double low = 0, high = 1;
    for (int k = 0; k < 60; k++) {
        const double q = low + (high - low) / 2, p = 1 - q;
        const double at = q * q * (3 - 2 * q) * t1 + s * (q * p * p * r0 - q * q * p * r1);
        if (fabs(at) < fabs(t))
            low = q;
        else
            high = q;
    }
    return s * high;
}

static double shortest_time(const struct nb_chain *c)
{
    double at[NB_CHAIN_MAX][3], squared = INFINITY;
    nb_chain_sum(c, c->x, at);
    nb_chain_potential(c, c->x, (vectors)at, NULL, &squared);
    return sqrt(squared);
}

/* Advances by a short time dt with one leapfrog step in physical time. */
static void finish(struct work *w, struct nb_chain *c, double dt)
{
    double y[VARIABLES], other[NB_CHAIN_MAX][3];
    open_step(w, y);
    for (int half = 0; half < 2; half++) {
        for (int k = 0; k < w->links; k++)
            for (int d = 0; d < 3; d++)
                links(y)[k][d] += dt / 2 * speeds(w, y)[k][d];
        memcpy(other, speeds(w, y), (size_t)w->links * sizeof *other);
        if (half == 0 && c->pn.order > 0)
            kick_with_terms(w, y, other, dt / rate(w, y));
        else if (half == 0)
            kick(w, y, dt / rate(w, y));
    }
    y[TIME] = dt;
    close_step(w, c, y);
}

/* Returns whether a body is within the horizon of a black hole, where post-Newtonian terms have no meaning. */
static bool is_swallowed(const struct nb_chain *c)
{
    for (int k = 0; k + 1 < c->n && c->pn.order > 0; k++) {
        const int i = c->order[k], j = c->order[k + 1];
        const double horizon = 2 * (c->gm[i] + c->gm[j]) / (c->pn.c * c->pn.c);
        if ((c->hole[i] || c->hole[j]) && dot(c->x[k], c->x[k]) < horizon * horizon)
            return true;
    }
    return false;
}

bool nb_chain_advance(struct nb_chain *c, double dt, double tolerance, nb_chain_pull *pull, nb_chain_see *see,
                      void *data)
{
    struct work w = {.c = c, .pull = pull, .see = see, .data = data};
    double y0[VARIABLES], y[VARIABLES], next, part = 0;
    int failures = 0;
    for (int k = 0; k < c->n; k++)
        w.total += c->gm[k];
    while (failures < ATTEMPTS && !is_swallowed(c)) {
        /* left: remaining part of dt; its sign is opposite to the sign of dt if the last step went beyond dt */
        const double left = dt - w.t, sign = left < 0 ? -1 : 1;
        if (fabs(left) <= RESIDUAL * shortest_time(c)) {
            finish(&w, c, left);
            return true;
        }
        open_step(&w, y0);
        const double r0 = rate(&w, y0), all = fabs(left) / r0,
                     wanted = c->step > 0 ? c->step : FIRST * shortest_time(c) / r0;
        const double step = part > 0 ? part : fmin(all, wanted);
        part = 0;
        if (!attempt(&w, y0, sign * step, tolerance, y, &next)) {
            c->step = next;
            failures++;
            continue;
        }
        /* the step went beyond dt: repeat it with a smaller size */
        if (sign * (y[TIME] - left) > RESIDUAL * shortest_time(c)) {
            part = fabs(part_of_step(sign * step, left, y[TIME], r0, rate(&w, y)));
            failures++;
            continue;
        }
        close_step(&w, c, y);
        if (step >= 0.999 * wanted || next > c->step)
            c->step = next;
        failures = 0;
    }
    return false;
}
