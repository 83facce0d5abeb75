/* orbits.c - computes the tables of a disk's orbits: the forces, and for each guiding radius the number of stars and
 * the dispersion of their radial velocities. */
#include "nbgen/galaxy/orbits.h"

#include "nbgen/nbgen.h"

#include <math.h>
#include <stdlib.h>

#define FINE_ROWS 640 /* number of radii in the tables o->pull and o->potential */
#define STEPS     256 /* number of intervals of R in the table row->below */
/* The radius R of stars with guiding radius row->x has a probability density, which is largest near R = row->x
 * (rarity()). The table row->below covers the radii where this density is at least exp(-DEVIATIONS^2 / 2) times the
 * density at row->x, within the limits that lay_row() sets. */
#define DEVIATIONS 5

/* Returns the speed of the circular orbit at R. The attraction is averaged over the heights of the disk's stars. */
static double circular(const struct orbits *o, double R)
{
    return sqrt(R * numeric_spline_value(o->pull, R));
}

/* Returns the epicyclic frequency at R, with the same averaged attraction as in circular(). */
static double epicyclic(const struct orbits *o, double R)
{
    return sqrt(fmax(numeric_spline_slope(o->pull, R) + 3 * numeric_spline_value(o->pull, R) / R, 0));
}

/* Returns the fraction of the stars of a truncated exponential disk that lies within R. */
static double share_within(const struct orbits *o, double R)
{
    double x = fmin(R / o->layer.scale, ORBITS_CUT), all = -expm1(log1p(ORBITS_CUT) - ORBITS_CUT);
    return -expm1(log1p(x) - x) / all;
}

static double density(const struct orbits *o, double R)
{
    double x = R / o->layer.scale, all = -expm1(log1p(ORBITS_CUT) - ORBITS_CUT);
    return o->layer.mass / all / (2 * M_PI * o->layer.scale * o->layer.scale) * exp(-x);
}

/* ---- forces ---- */

/* Returns the inward attraction of the spherical components at R, averaged over the heights of the disk's stars. */
static double round_mean(const struct orbits *o, const struct orbits_field *f, double R)
{
    double inward[LAYER_HEIGHTS];
    for (int k = 0; k < LAYER_HEIGHTS; k++) {
        double r = hypot(R, layer_height(k) * o->layer.height);
        inward[k] = r > 0 ? R * f->round(r, f->context) / (r * r * r) : 0;
    }
    return layer_mean(inward);
}

/* Computes o->pull, the inward attraction of all components as a function of R, averaged over the heights of the disk's
 * stars. Computes o->potential, the integral of o->pull over R. `mean`: averaged attraction of the disks only. */
static void find_plane(struct orbits *o, const struct orbits_field *f, const double mean[ORBITS_RADII])
{
    double R[ORBITS_RADII + 1] = {0}, disks[ORBITS_RADII + 1] = {0}, x[FINE_ROWS], pull[FINE_ROWS], sum[FINE_ROWS];
    for (int k = 0; k < ORBITS_RADII; k++) {
        R[k + 1] = orbits_table_radius(o, k);
        disks[k + 1] = mean[k];
    }
    struct numeric_spline *layers = numeric_spline_make(R, disks, ORBITS_RADII + 1);
    for (int k = 0; k < FINE_ROWS; k++) {
        x[k] = orbits_radius(k, FINE_ROWS, ORBITS_REACH * o->layer.scale);
        pull[k] = numeric_spline_value(layers, x[k]) + round_mean(o, f, x[k]);
    }
    o->pull = numeric_spline_make(x, pull, FINE_ROWS);
    sum[0] = 0;
    for (int k = 1; k < FINE_ROWS; k++)
        sum[k] = sum[k - 1] + numeric_spline_integral(o->pull, x[k - 1], x[k]);
    o->potential = numeric_spline_make(x, sum, FINE_ROWS);
    numeric_spline_free(layers);
}

static void find_forces(struct orbits *o, const struct orbits_field *f)
{
    double mean[ORBITS_RADII], acc[3], fastest = 0;
    orbits_find_pull(o, f, mean);
    find_plane(o, f, mean);
    for (int k = 0; k < ORBITS_RADII; k++) {
        double pos[3] = {orbits_table_radius(o, k), 0, o->layer.height / 8};
        orbits_pull(o, pos, acc);
        fastest = fmax(fastest, -acc[2] / pos[2]);
    }
    o->vertical_frequency = sqrt(fastest);
    orbits_find_across(o);
}

/* ---- one guiding radius ---- */

struct row {
    double x, momentum, sigma;
    double usual;     /* requested radial dispersion at the guiding radius x */
    double potential; /* potential at the guiding radius x */
    double low, high; /* first and last radius of the table `below` */
    /* Fraction of the stars with guiding radius x that are at radii below R, for STEPS + 1 radii R from `low` to
     * `high`. */
    double below[STEPS + 1];
};

/* Returns -log(p(R) / p(x)), where p is the probability density of R for the stars with guiding radius x. */
static double rarity(const struct orbits *o, const struct row *row, double R)
{
    double turning = row->momentum * row->momentum / 2 * (1 / (R * R) - 1 / (row->x * row->x));
    double rise = numeric_spline_value(o->potential, R) - row->potential;
    return (rise + turning) / (row->sigma * row->sigma);
}

/* Returns the radius between x and `end` at which rarity() reaches `most`. Returns `end` if rarity() is below `most` at
 * `end`. */
static double reach(const struct orbits *o, const struct row *row, double most, double end)
{
    double inside = row->x, outside = end;
    if (rarity(o, row, end) < most)
        return end;
    for (int k = 0; k < 30; k++) {
        double middle = (inside + outside) / 2;
        *(rarity(o, row, middle) < most ? &inside : &outside) = middle;
    }
    return inside;
}

static void lay_row(const struct orbits *o, struct row *row)
{
    const double most = DEVIATIONS * DEVIATIONS / 2.0;
    row->low = reach(o, row, most, 1e-6 * row->x);
    row->high = reach(o, row, most, ORBITS_REACH * o->layer.scale);
    double step = (row->high - row->low) / STEPS, last = exp(-rarity(o, row, row->low)), sum = 0;
    row->below[0] = 0;
    for (int k = 1; k <= STEPS; k++) {
        double next = exp(-rarity(o, row, row->low + k * step));
        row->below[k] = sum += (last + next) / 2;
        last = next;
    }
    for (int k = 1; k <= STEPS; k++)
        row->below[k] /= sum;
}

static double row_share(const struct row *row, double R)
{
    double at = (R - row->low) / (row->high - row->low) * STEPS;
    if (at <= 0 || at >= STEPS)
        return at > 0;
    int k = (int)at;
    return row->below[k] + (at - k) * (row->below[k + 1] - row->below[k]);
}

static void find_places(const struct row *row, double *place)
{
    int k = 0;
    for (int p = 0; p < ORBITS_PLACES; p++) {
        double share = erfc(-(9.6 * p / (ORBITS_PLACES - 1) - 4.8) / M_SQRT2) / 2;
        while (k < STEPS - 1 && row->below[k + 1] < share)
            k++;
        double t = (share - row->below[k]) / (row->below[k + 1] - row->below[k]);
        place[p] = row->low + (k + fmin(fmax(t, 0), 1)) * (row->high - row->low) / STEPS;
    }
}

/* Returns the time from pericentre `nearest` to apocentre `farthest`: the integral of dR / v_R. The integration
 * variable is not R, because the radial speed v_R is 0 at both ends. It is an angle from 0 to pi, with R = middle -
 * half * cos(angle). energy: (energy of the orbit - energy of the circular orbit) / sigma^2. */
static double half_turn(const struct orbits *o, const struct row *row, double energy, double nearest, double farthest)
{
    enum { ANGLES = 24 };
    double sum = 0, half = (farthest - nearest) / 2, middle = (farthest + nearest) / 2;
    for (int k = 0; k < ANGLES; k++) {
        double angle = M_PI * (k + 0.5) / ANGLES, left = energy - rarity(o, row, middle - half * cos(angle));
        sum += half * sin(angle) / (row->sigma * sqrt(2 * fmax(left, 1e-6 * energy)));
    }
    return sum * M_PI / ANGLES;
}

static void find_turns(struct orbits *o, const struct row *row, int j)
{
    o->farthest[j][0] = row->x;
    o->half_turn[j][0] = M_PI / epicyclic(o, row->x);
    for (int k = 1; k < ORBITS_SWINGS; k++) {
        double energy = pow(k * ORBITS_SWING, 2) / 2, nearest = reach(o, row, energy, 1e-6 * row->x);
        o->farthest[j][k] = reach(o, row, energy, ORBITS_REACH * o->layer.scale);
        o->half_turn[j][k] = half_turn(o, row, energy, nearest, o->farthest[j][k]);
    }
}

/* ---- number of stars and dispersion at each guiding radius ---- */

struct fit {
    struct row rows[ORBITS_ROWS];
    /* cell[j]: fraction of an exponential disk's stars with R from orbits.edge[j] to orbits.edge[j + 1] (cell j) */
    double cell[ORBITS_ROWS];
    /* cell[j] * factor[j]: fraction of the stars with guiding radii in cell j. factor[j] is fitted so that the density
     * of the disk is exponential. */
    double factor[ORBITS_ROWS];
    double into[ORBITS_ROWS][ORBITS_BINS]; /* into[j][b]: fraction of the stars of row j whose radius R is in bin b */
    double wanted[ORBITS_BINS], had[ORBITS_BINS];    /* requested and obtained fraction of the stars in each bin */
    double heat[ORBITS_BINS], heat_had[ORBITS_BINS]; /* requested and obtained sigma_R^2 in each bin */
};

#define ROUNDS_HEAT  6
#define ROUNDS_STARS 20

static double bin_edge(const struct orbits *o, int b)
{
    return o->edge[b * (ORBITS_ROWS / ORBITS_BINS)];
}

static void lay_rows(const struct orbits *o, struct fit *fit)
{
#pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < ORBITS_ROWS; j++) {
        lay_row(o, &fit->rows[j]);
        for (int b = 0; b < ORBITS_BINS; b++)
            fit->into[j][b] = row_share(&fit->rows[j], bin_edge(o, b + 1)) - row_share(&fit->rows[j], bin_edge(o, b));
    }
}

static void add_up(struct fit *fit)
{
    for (int b = 0; b < ORBITS_BINS; b++) {
        double stars = 1e-300, heat = 0;
        for (int j = 0; j < ORBITS_ROWS; j++) {
            double part = fit->cell[j] * fit->factor[j] * fit->into[j][b];
            stars += part;
            heat += part * pow(fit->rows[j].sigma, 2);
        }
        fit->had[b] = stars;
        fit->heat_had[b] = heat / stars;
    }
}

/* Returns the factor by which the fit multiplies the number of stars with guiding radii in cell j, or their sigma^2.
 * wanted[b] and had[b] are the requested and the obtained value in bin b of R. The factor is the mean of wanted[b] /
 * had[b] over the bins, weighted by the number of stars of cell j in each bin. */
static double lacking(const struct fit *fit, int j, const double *wanted, const double *had)
{
    double sum = 0, weight = 1e-300;
    for (int b = 0; b < ORBITS_BINS; b++)
        if (fit->into[j][b] > 0 && had[b] > 0) {
            sum += fit->into[j][b] * wanted[b] / had[b];
            weight += fit->into[j][b];
        }
    return sum / weight;
}

static void fit_stars(struct fit *fit)
{
    for (int round = 0; round < ROUNDS_STARS; round++) {
        add_up(fit);
        for (int j = 0; j < ORBITS_ROWS; j++)
            fit->factor[j] *= lacking(fit, j, fit->wanted, fit->had);
    }
    add_up(fit);
}

/* Minimum ratio (sigma of a row) / (requested dispersion at its guiding radius). At large R most of the dispersion
 * comes from a few hot stars of smaller guiding radius. Without this limit, the fit would reduce the dispersion of the
 * stars with large guiding radii too much. */
#define COOLEST 0.75
static void fit_heat(struct fit *fit)
{
    for (int j = 0; j < ORBITS_ROWS; j++) {
        struct row *row = &fit->rows[j];
        row->sigma = fmax(row->sigma * sqrt(lacking(fit, j, fit->heat, fit->heat_had)), COOLEST * row->usual);
    }
}

/* Sets the target of the fit: the fraction of the stars, and sigma_R^2, in each bin. sigma_R^2 is proportional to
 * exp(-R / scale), as in a disk of constant thickness, and the minimum of Toomre's Q is o->toomre. Also sets the
 * initial values of the rows. */
static void ask(const struct orbits *o, struct fit *fit)
{
    double least = INFINITY;
    for (int b = 0; b < ORBITS_BINS; b++) {
        double R = (bin_edge(o, b) + bin_edge(o, b + 1)) / 2;
        fit->wanted[b] = share_within(o, bin_edge(o, b + 1)) - share_within(o, bin_edge(o, b));
        fit->heat[b] = exp(-R / o->layer.scale);
        least = fmin(least, sqrt(fit->heat[b]) * epicyclic(o, R) / (3.36 * density(o, R)));
    }
    for (int b = 0; b < ORBITS_BINS; b++)
        fit->heat[b] *= pow(o->toomre / least, 2);
    for (int j = 0; j < ORBITS_ROWS; j++) {
        double x = (o->edge[j] + o->edge[j + 1]) / 2;
        fit->cell[j] = share_within(o, o->edge[j + 1]) - share_within(o, o->edge[j]);
        fit->factor[j] = 1;
        fit->rows[j] = (struct row){.x = x,
                                    .momentum = x * circular(o, x),
                                    .potential = numeric_spline_value(o->potential, x),
                                    .usual = o->toomre / least * exp(-x / 2 / o->layer.scale)};
        fit->rows[j].sigma = fit->rows[j].usual;
    }
}

static void take(struct orbits *o, const struct fit *fit)
{
    o->below[0] = 0;
#pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < ORBITS_ROWS; j++)
        find_turns(o, &fit->rows[j], j);
    for (int j = 0; j < ORBITS_ROWS; j++) {
        o->below[j + 1] = o->below[j] + fit->cell[j] * fit->factor[j];
        o->momentum[j] = fit->rows[j].momentum;
        o->sigma[j] = fit->rows[j].sigma;
        o->energy[j] = fit->rows[j].potential + pow(circular(o, fit->rows[j].x), 2) / 2;
        find_places(&fit->rows[j], o->place[j]);
    }
    o->lost = 1;
    for (int b = 0; b < ORBITS_BINS; b++)
        o->lost -= fit->had[b] / o->below[ORBITS_ROWS];
    for (int j = 0; j <= ORBITS_ROWS; j++)
        o->below[j] /= o->below[ORBITS_ROWS];
    o->least_Q = INFINITY;
    o->misfit = 0;
    for (int b = 0; b < ORBITS_BINS; b++) {
        double R = (bin_edge(o, b) + bin_edge(o, b + 1)) / 2;
        o->dispersion[b] = sqrt(fit->heat_had[b]);
        double Q = o->dispersion[b] * epicyclic(o, R) / (3.36 * density(o, R));
        if (R > 0.2 * o->layer.scale && R < 5 * o->layer.scale && Q < o->least_Q) {
            o->least_Q = Q;
            o->least_at = R;
        }
        if (R > 0.1 * o->layer.scale && R < 5 * o->layer.scale)
            o->misfit = fmax(o->misfit, fabs(fit->had[b] / fit->wanted[b] - 1));
    }
}

void orbits_make(struct orbits *o, const struct orbits_field *field)
{
    struct fit *fit = gen_memory(sizeof *fit);
    for (int j = 0; j <= ORBITS_ROWS; j++)
        o->edge[j] = orbits_radius(j, ORBITS_ROWS + 1, ORBITS_CUT * o->layer.scale);
    find_forces(o, field);
    ask(o, fit);
    for (int round = 0; round < ROUNDS_HEAT; round++) {
        lay_rows(o, fit);
        fit_stars(fit);
        if (round < ROUNDS_HEAT - 1)
            fit_heat(fit);
    }
    take(o, fit);
    orbits_find_actions(o);
    free(fit);
}
