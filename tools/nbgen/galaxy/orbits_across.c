/* Across the plane: how stars swing as they go in and out, and how high and fast those of each guiding radius are. */
#include "nbgen/galaxy/orbits_across.h"

#include <math.h>

#define ROUNDS   30
#define STEEPEST 0.7 /* tilt, where the centre is so steep that the first order means nothing */
#define THINNEST 0.3 /* height of a guiding radius over the layer's: far out most stars are guests from further in */

double orbits_radius(double k, int rows, double reach)
{
    return reach * pow(k / (rows - 1), 2);
}

/* Pull across of all at R, and `up` fourths of a height. Beyond its table, where few stars are, the pull of disks is
 * that at its end. */
static double pull_across(const struct orbits *o, const struct orbits_field *f, double R, double up)
{
    double z = up / 4 * o->layer.height, r = hypot(R, z), top = fmin(up, LAYER_HEIGHTS - 1.001);
    double at = fmin(sqrt(R / (ORBITS_REACH * o->layer.scale)) * (ORBITS_RADII - 1), ORBITS_RADII - 1.001);
    int k = (int)at, j = (int)top;
    double inner = o->across[k][j] + (top - j) * (o->across[k][j + 1] - o->across[k][j]);
    double outer = o->across[k + 1][j] + (top - j) * (o->across[k + 1][j + 1] - o->across[k + 1][j]);
    return inner + (at - k) * (outer - inner) + (r > 0 ? f->round(r, f->context) / (r * r * r) * z : 0);
}

/* Mean squares of the velocity across at each height of a layer at R, from Jeans's equation: the weight of what is
 * above. Returns their mean over the heights. */
static double find_squares(const struct orbits *o, const struct orbits_field *f, double R, double height,
                           double *square)
{
    double weight = 0, mean = 0, last = 0;
    for (int k = LAYER_HEIGHTS - 1; k >= 0; k--) {
        double pull = pull_across(o, f, R, k * height / o->layer.height);
        double density = 1 - pow(tanh(k / 4.0), 2); /* sech^2; its integral from z on is height (1 - tanh) */
        if (k == LAYER_HEIGHTS - 1)
            weight = pull * (1 - tanh(k / 4.0));
        else
            weight += layer_share(k) * (pull + last) / 2;
        square[k] = fmax(height * weight / density, 0);
        last = pull;
    }
    for (int k = 0; k + 1 < LAYER_HEIGHTS; k++)
        mean += layer_share(k) * (square[k] + square[k + 1]) / 2;
    return mean;
}

/* Let nu^2 = <v_z^2> / <z^2>, and <v_z^2> ~ height^p in layers of other heights: 2 where the pull is as z, 1 where it
 * is constant. <z^2> of phase-mixed stars then swings with the square (p + 2) nu^2 of its own frequency about its
 * balance, and the swing of R with the epicyclic frequency kappa drives it: to first order d ln(height)/dR = -(d ln
 * nu^2/dR) / (p + 2 - kappa^2 / nu^2). With p = 2 that is a constant vertical action where kappa << nu, and 1 / R in a
 * round field; but kappa ~ nu in thick disks. */
void orbits_find_flare(struct orbits *o, const struct orbits_field *field)
{
    double R[ORBITS_RADII], nu2[ORBITS_RADII], p[ORBITS_RADII], tilt[ORBITS_RADII], sum[ORBITS_RADII] = {0};
    double ignored[LAYER_HEIGHTS];
    for (int k = 0; k < ORBITS_RADII; k++) {
        double height = o->layer.height;
        R[k] = orbits_radius(k, ORBITS_RADII, ORBITS_REACH * o->layer.scale);
        double square = find_squares(o, field, R[k], height, ignored);
        nu2[k] = square * 12 / (M_PI * M_PI * height * height);
        p[k] = log(find_squares(o, field, R[k], 1.1 * height, ignored) / square) / log(1.1);
    }
    struct numeric_spline *all = numeric_spline_make(R, nu2, ORBITS_RADII);
    tilt[0] = 0;
    for (int k = 1; k < ORBITS_RADII; k++) {
        double ratio = fmin(pow(orbits_epicyclic(o, R[k]), 2) / nu2[k], p[k] + 1.9);
        tilt[k] =
            fmin(fmax(-numeric_spline_slope(all, R[k]) / nu2[k] / (p[k] + 2 - ratio), 0), STEEPEST / o->layer.scale);
    }
    o->tilt = numeric_spline_make(R, tilt, ORBITS_RADII);
    for (int k = 1; k < ORBITS_RADII; k++)
        sum[k] = sum[k - 1] + numeric_spline_integral(o->tilt, R[k - 1], R[k]);
    o->flare = numeric_spline_make(R, sum, ORBITS_RADII);
    numeric_spline_free(all);
}

/* Beyond the first order stars that go far out go higher: fitted to orbits in the smooth field of milkyway. */
#define SECOND 0.7
#define MOST   3.0 /* and least its inverse */
double orbits_flare(const struct orbits *o, double R, double x, double *tilt)
{
    double first = numeric_spline_value(o->flare, R) - numeric_spline_value(o->flare, x), out = fmin(fmax(first, 0), 1);
    *tilt = numeric_spline_value(o->tilt, R) * (1 + SECOND * out);
    return fmin(fmax(exp(first + SECOND * out * (first - out / 2)), 1 / MOST), MOST);
}

struct heights {
    double home[ORBITS_ROWS];                /* square of height over the layer's, at the guiding radius */
    double flare2[ORBITS_ROWS][ORBITS_BINS]; /* by which it is more at the bin's R */
};

/* Mean over the bins where a row's stars are of wanted / had, the squares of heights: by how much it should change. */
static double lacking(const double *into, const double *square)
{
    double sum = 0, weight = 0;
    for (int b = 0; b < ORBITS_BINS; b++)
        if (into[b] > 0 && square[b] > 0) {
            sum += into[b] / square[b];
            weight += into[b];
        }
    return weight > 0 ? sum / weight : 1;
}

/* Of the stars at each R, the mean square of their heights over the layer's, with the squares `home` of the rows. */
static void add_squares(const struct heights *h, const double *stars, double (*into)[ORBITS_BINS], double *square)
{
    for (int b = 0; b < ORBITS_BINS; b++) {
        double sum = 0, weight = 1e-300;
        for (int j = 0; j < ORBITS_ROWS; j++) {
            sum += stars[j] * into[j][b] * h->home[j] * h->flare2[j][b];
            weight += stars[j] * into[j][b];
        }
        square[b] = sum / weight;
    }
}

void orbits_find_heights(struct orbits *o, const struct orbits_field *field, const double stars[ORBITS_ROWS],
                         double (*into)[ORBITS_BINS], const double R[ORBITS_BINS])
{
    struct heights h;
    double square[ORBITS_BINS], tilt;
    for (int j = 0; j < ORBITS_ROWS; j++) {
        h.home[j] = 1;
        for (int b = 0; b < ORBITS_BINS; b++)
            h.flare2[j][b] = pow(orbits_flare(o, R[b], (o->edge[j] + o->edge[j + 1]) / 2, &tilt), 2);
    }
    for (int round = 0; round < ROUNDS; round++) {
        add_squares(&h, stars, into, square);
        for (int j = 0; j < ORBITS_ROWS; j++)
            h.home[j] = fmax(h.home[j] * lacking(into[j], square), THINNEST * THINNEST);
    }
    for (int j = 0; j < ORBITS_ROWS; j++) {
        o->height[j] = o->layer.height * sqrt(h.home[j]);
        find_squares(o, field, (o->edge[j] + o->edge[j + 1]) / 2, o->height[j], o->vertical[j]);
        for (int k = 0; k < LAYER_HEIGHTS; k++)
            o->vertical[j][k] = sqrt(o->vertical[j][k]);
    }
}
