/* layer.c - computes the attraction of a layer of mass whose surface density is an exponential function of R.
 *
 * Potential, with lengths divided by the scale length:
 *     phi(R, z) = -mass / scale * (integral over k of J0(k R) (1 + k^2)^(-3/2) Z(k, z))
 *     Z(k, z)   = mean of exp(-k sqrt((z - z')^2 + softening^2)) over the heights z' of the mass
 *
 * The derivatives of this integral are computed as sums over uniform steps in k. For the inward attraction such a sum
 * is accurate. For the vertical attraction, the integrand has a term that is linear in k: tilt() * k. This term causes
 * an error of the sum, which is corrected with the Euler-Maclaurin formula. */
#include "nbgen/galaxy/orbits.h"

#include "nbgen/nbgen.h"

#include <math.h>
#include <stdlib.h>

#define WAVES     3000
#define WAVE_STEP 0.04
/* number of heights z' over which Z(k, z) is averaged; each stands for the same fraction of the mass */
#define POINTS 48

struct wave { /* for one k and one z: `plane` is Z(k, z), and `across` is -dZ/dz */
    double plane, across;
};

double layer_height(int k)
{
    return octaves_value(k, LAYER_BITS) - 1;
}

/* Returns the fraction of the layer's mass whose distance from the plane is between layer_height(k) and
 * layer_height(k + 1). */
static double layer_share(int k)
{
    double low = layer_height(k), high = layer_height(k + 1);
    return sinh(high - low) / (cosh(low) * cosh(high)); /* tanh(high) - tanh(low), accurate also if both round to 1 */
}

double layer_mean(const double values[LAYER_HEIGHTS])
{
    double sum = 0;
    for (int z = 0; z + 1 < LAYER_HEIGHTS; z++)
        sum += layer_share(z) * (values[z] + values[z + 1]) / 2;
    return sum;
}

static double point(int k)
{
    return atanh((2 * k + 1.0) / POINTS - 1);
}

/* Returns Z and -dZ/dz at the wave number k and the height z. Z is the mean of exp(-k sqrt((z - z')^2 + eps^2)) over
 * the heights z' of the layer's mass. Lengths are in scale lengths. */
static struct wave thickness(const struct layer *s, double eps, double k, double z)
{
    struct wave w = {0, 0};
    for (int i = 0; i < POINTS; i++) {
        double across = z - s->height / s->scale * point(i), distance = hypot(across, eps);
        double part = exp(-k * distance) / POINTS;
        w.plane += part;
        w.across += distance > 0 ? part * k * across / distance : 0;
    }
    return w;
}

/* Returns the limit of (-dZ/dz) / k for k -> 0 (see thickness): the mean of (z - z') / sqrt((z - z')^2 + eps^2) over
 * the heights z' of the layer's mass. */
static double tilt(const struct layer *s, double eps, double z)
{
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double across = z - s->height / s->scale * point(i), distance = hypot(across, eps);
        sum += distance > 0 ? across / distance / POINTS : 0;
    }
    return sum;
}

static double spectrum(double k)
{
    return pow(1 + k * k, -1.5) * WAVE_STEP;
}

/* At radii above FAR scale lengths, J0(k R) and J1(k R) vary too much within one step in k. So far_pull() is used there
 * instead of the integrals. */
#define FAR 20

/* Approximates the layer by a point mass with a quadrupole moment. Computes the inward and vertical attraction at
 * radius R and height z. If R is above FAR scale lengths, the relative error is 5e-4. */
static void far_pull(const struct layer *s, double softening, double R, double z, double *inward, double *across)
{
    /* Quadrupole moment per unit of mass: the mean of z^2 - R^2 / 2 over the layer's mass. */
    double moment = M_PI * M_PI / 12 * s->height * s->height - 3 * s->scale * s->scale;
    double r2 = R * R + z * z + softening * softening, point = s->mass / (r2 * sqrt(r2));
    double lift = 5 * (z * z - R * R / 2) / r2, quadrupole = point * moment / r2;
    *inward = R * (point + quadrupole * (lift + 1));
    *across = z * (point + quadrupole * (lift - 2));
}

double layer_pull_plane(const struct layer *s, double softening, double R)
{
    double sum = 0, eps = softening / s->scale, across;
    if (R > FAR * s->scale) {
        far_pull(s, softening, R, 0, &sum, &across);
        return sum;
    }
    for (int i = 1; i < WAVES; i++) {
        double k = i * WAVE_STEP;
        sum += k * j1(k * R / s->scale) * spectrum(k) * thickness(s, eps, k, 0).plane;
    }
    return s->mass / (s->scale * s->scale) * sum;
}

/* Returns a table of Z and -dZ/dz of layer s (see thickness) at the heights of another layer, `at`. Element z * WAVES +
 * k is for the height layer_height(z) of `at` and the wave number k * WAVE_STEP. For k = 0, -dZ/dz is 0, and the table
 * contains tilt() instead, which the Euler-Maclaurin formula needs. The caller frees the table. */
static struct wave *make_waves(const struct layer *s, const struct layer *at, double softening)
{
    struct wave *waves = gen_memory(sizeof *waves * LAYER_HEIGHTS * WAVES);
#pragma omp parallel for
    for (int i = 0; i < LAYER_HEIGHTS * WAVES; i++) {
        int z = i / WAVES, k = i % WAVES;
        waves[i] = thickness(s, softening / s->scale, k * WAVE_STEP, layer_height(z) * at->height / s->scale);
        if (k == 0)
            waves[i].across = tilt(s, softening / s->scale, layer_height(z) * at->height / s->scale);
    }
    return waves;
}

static void add_far_row(const struct layer *s, const struct layer *at, double softening, double R, double *inward,
                        double *across)
{
    for (int z = 0; z < LAYER_HEIGHTS; z++) {
        double in, towards;
        far_pull(s, softening, R, layer_height(z) * at->height, &in, &towards);
        inward[z] += in;
        across[z] += towards;
    }
}

static void add_row(const struct layer *s, const struct wave *waves, double R, double *inward, double *across)
{
    double at0[WAVES], at1[WAVES], unit = s->mass / (s->scale * s->scale);
    const double missed = WAVE_STEP * WAVE_STEP / 12 * (1 + pow(WAVE_STEP * R / s->scale, 2) / 40);
    for (int i = 0; i < WAVES; i++) {
        double k = i * WAVE_STEP;
        at0[i] = j0(k * R / s->scale) * spectrum(k);
        at1[i] = j1(k * R / s->scale) * spectrum(k) * k;
    }
    for (int z = 0; z < LAYER_HEIGHTS; z++) {
        const struct wave *w = waves + (size_t)z * WAVES;
        double in = 0, towards = missed * w[0].across;
        for (int i = 1; i < WAVES; i++) {
            in += at1[i] * w[i].plane;
            towards += at0[i] * w[i].across;
        }
        inward[z] += unit * in;
        across[z] += unit * towards;
    }
}

void layer_add_pull(const struct layer *source, const struct layer *at, double softening, size_t n, const double *R,
                    double (*inward)[LAYER_HEIGHTS], double (*across)[LAYER_HEIGHTS])
{
    struct wave *waves = make_waves(source, at, softening);
#pragma omp parallel for
    for (size_t row = 0; row < n; row++)
        if (R[row] > FAR * source->scale)
            add_far_row(source, at, softening, R[row], inward[row], across[row]);
        else
            add_row(source, waves, R[row], inward[row], across[row]);
    free(waves);
}
