/* orbits_across.c - vertical motions of stars at fixed radii, and the distribution of their vertical actions. */
#include "nbgen/galaxy/orbits.h"
#include "nbgen/nbgen.h"

#include <math.h>
#include <stdlib.h>

double orbits_radius(double k, int rows, double reach)
{
    return reach * pow(k / (rows - 1), 2);
}

/* ---- motions at a fixed radius ---- */

#define ANGLES 64

/* Integrates the vertical motion of a star at radius R, from the disk's plane up to the star's maximum height `top`.
 * Step k, 0 to ANGLES, is at the height top sin(k pi / (2 ANGLES)). Sets time[k] to the time that the star needs from
 * the plane to this height, and velocity[k] to its velocity there. Returns the action. */
static double go_up(const struct orbits *o, double R, double top, double *time, double *velocity)
{
    double energy = 0, last = 0, sum = 0, pace[ANGLES + 1], step = M_PI / 2 / ANGLES;
    for (int k = ANGLES; k >= 0; k--) {
        double angle = k * step, pos[3] = {R, 0, top * sin(angle)}, acc[3];
        orbits_pull(o, pos, acc);
        if (k < ANGLES)
            energy += (last - acc[2]) / 2 * top * (sin(angle + step) - sin(angle));
        last = -acc[2];
        velocity[k] = sqrt(2 * energy);
        pace[k] = k < ANGLES ? top * cos(angle) / velocity[k] : sqrt(top / last); /* d(time)/d(angle) */
        sum += (k == 0 ? 0.5 : 1) * velocity[k] * top * cos(angle) * step;
    }
    time[0] = 0;
    for (int k = 0; k < ANGLES; k++)
        time[k + 1] = time[k] + (pace[k] + pace[k + 1]) / 2 * step;
    return 2 / M_PI * sum;
}

/* Sets rarity[k] to -log of the fraction of the stars whose vertical action is larger than action[k]. energy[k] is the
 * vertical energy of the stars with action[k]. It equals the potential Phi at their maximum height. The density of
 * stars is proportional to sech^2 of the height. The distribution function f of the energy E follows by Abel's
 * inversion:
 *     f(E) = integral of -(d density / d Phi) / (pi sqrt(2 (Phi - E))) over all values Phi > E of the potential
 * The number of stars per unit of action is 2 pi f. */
static void find_rarities(const double *energy, const float *action, float *rarity)
{
    double f[LAYER_HEIGHTS] = {0}, above[LAYER_HEIGHTS] = {0}, density[LAYER_HEIGHTS];
    for (int k = 0; k < LAYER_HEIGHTS; k++)
        density[k] = pow(cosh(layer_height(k)), -2);
    for (int k = 0; k < LAYER_HEIGHTS; k++)
        for (int i = k; i + 1 < LAYER_HEIGHTS; i++) {
            double near = energy[i] - energy[k], far = energy[i + 1] - energy[k];
            f[k] += (density[i] - density[i + 1]) * (sqrt(far) - sqrt(near)) / (far - near);
        }
    for (int k = LAYER_HEIGHTS - 2; k >= 0; k--)
        above[k] = above[k + 1] + (f[k] + f[k + 1]) / 2 * (action[k + 1] - action[k]);
    for (int k = 0; k < LAYER_HEIGHTS; k++)
        rarity[k] = (float)-log(fmax(above[k] / above[0], 1e-30));
}

static double find_row(const struct orbits *o, double R)
{
    return fmin(sqrt(R / (ORBITS_REACH * o->layer.scale)) * (ORBITS_ACROSS - 1), ORBITS_ACROSS - 1.001);
}

/* Sets phases[p] to the height and velocity at time p of ORBITS_PHASES equally spaced times, from the plane (p = 0) to
 * the maximum height `top`. `time` and `velocity` are results of go_up(). */
static void find_phases(const double *time, const double *velocity, double top, float (*phases)[2])
{
    for (int p = 0, k = 0; p < ORBITS_PHASES; p++) {
        double at = time[ANGLES] * p / (ORBITS_PHASES - 1);
        while (k < ANGLES - 1 && time[k + 1] < at)
            k++;
        double t = fmin((at - time[k]) / (time[k + 1] - time[k]), 1);
        phases[p][0] = (float)(top * sin((k + t) * M_PI / 2 / ANGLES));
        phases[p][1] = (float)mixed(velocity[k], velocity[k + 1], t);
    }
}

void orbits_find_across(struct orbits *o)
{
#pragma omp parallel for schedule(dynamic)
    for (int row = 0; row < ORBITS_ACROSS; row++) {
        double energy[LAYER_HEIGHTS] = {0}, time[ANGLES + 1], velocity[ANGLES + 1];
        const double R = orbits_radius(row, ORBITS_ACROSS, ORBITS_REACH * o->layer.scale);
        for (int level = 1; level < LAYER_HEIGHTS; level++) {
            double top = layer_height(level) * o->layer.height;
            o->actions[row][level] = (float)go_up(o, R, top, time, velocity);
            energy[level] = velocity[0] * velocity[0] / 2;
            find_phases(time, velocity, top, o->across[row][level]);
        }
        find_rarities(energy, o->actions[row], o->rarities[row]);
    }
}

/* Returns a value from column `level` of a table, interpolated between row `row` (next = 0) and row + 1 (next = 1). */
static double read_level(const float (*table)[LAYER_HEIGHTS], int row, double next, int level)
{
    return mixed(table[row][level], table[row + 1][level], next);
}

/* Finds `value` in an interpolated row of a table. The row is interpolated between row `row` (next = 0) and row + 1
 * (next = 1), and its values must increase with the column. Returns k if `value` is between the values of columns k and
 * k + 1, and sets *up to the position between these two columns, 0 to 1. */
static int find_level(const float (*table)[LAYER_HEIGHTS], int row, double next, double value, double *up)
{
    int low = 0, high = LAYER_HEIGHTS - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(read_level(table, row, next, middle) <= value ? &low : &high) = middle;
    }
    double below = read_level(table, row, next, low), above = read_level(table, row, next, high);
    *up = fmin((value - below) / (above - below), 1);
    return low;
}

double orbits_action(const struct orbits *o, double R, double rarity)
{
    double at = find_row(o, R), next = at - floor(at), up;
    int row = (int)at, level = find_level(o->rarities, row, next, rarity, &up);
    return mixed(read_level(o->actions, row, next, level), read_level(o->actions, row, next, level + 1), up);
}

void orbits_rise(const struct orbits *o, double R, double action, double phase, double *z, double *velocity)
{
    double at = find_row(o, R), quarter = 4 * phase, part = quarter - floor(quarter);
    double up, state[2];
    int row = (int)at, quadrant = (int)quarter & 3, level = find_level(o->actions, row, at - row, action, &up);
    up = level > 0 ? up : sqrt(up); /* height and velocity of small motions are proportional to sqrt(action) */
    double place = (quadrant & 1 ? 1 - part : part) * (ORBITS_PHASES - 1);
    int p = (int)fmin(place, ORBITS_PHASES - 2);
    for (int k = 0; k < 2; k++) {
        double of_row[2];
        for (int r = 0; r < 2; r++) {
            const float(*low)[2] = o->across[row + r][level] + p, (*high)[2] = o->across[row + r][level + 1] + p;
            of_row[r] = mixed(mixed(low[0][k], low[1][k], place - p), mixed(high[0][k], high[1][k], place - p), up);
        }
        state[k] = mixed(of_row[0], of_row[1], at - row);
    }
    *z = quadrant >= 2 ? -state[0] : state[0];
    *velocity = quadrant == 1 || quadrant == 2 ? -state[1] : state[1];
}

/* ---- fit of the actions. Each of ROUNDS iterations draws stars, and multiplies `lift` by the ratio (requested mean
 * squared height) / (obtained mean squared height) ---- */

#define ROUNDS 4
#define STARS  8192
#define PLACES 4
#define BINS   16
/* if a bin of R has at most this number of sampled positions, compare() takes the ratio of a neighbouring bin */
#define LEAST 500

struct sample {
    double R[STARS][PLACES], square[STARS][PLACES]; /* R and z^2 of each star at PLACES phases of its orbit */
};

/* Chooses the random numbers u (uniform) and g (normal) of star i. The numbers are quasi-random, so that the stars are
 * distributed evenly. g[3] is 0, because only the sum g[2]^2 + g[3]^2 is used. */
static void choose(const struct gen_even *even, uint64_t i, double u[4], double g[4])
{
    double swing = sqrt(-2 * log(gen_even_at(even, 0, i))), angle = 2 * M_PI * gen_even_at(even, 1, i);
    u[0] = ((double)i + 0.5) / STARS;
    u[1] = 0;
    u[2] = gen_even_at(even, 2, i);
    u[3] = gen_even_at(even, 3, i);
    g[0] = swing * cos(angle);
    g[1] = swing * sin(angle);
    g[2] = sqrt(-2 * log(gen_even_at(even, 4, i)));
    g[3] = 0;
}

static void draw_sample(const struct orbits *o, struct sample *s)
{
    const struct nb_rng rng = {0, 0};
    const struct gen_even even = gen_even_begin(&rng, 5);
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < STARS; i++) {
        double u[4], g[4], pos[PLACES][3], vel[PLACES][3];
        choose(&even, (uint64_t)i, u, g);
        orbits_place(o, u, g, PLACES, pos, vel);
        for (int k = 0; k < PLACES; k++) {
            s->R[i][k] = hypot(pos[k][0], pos[k][1]);
            s->square[i][k] = pos[k][2] * pos[k][2];
        }
    }
}

/* Computes, for each bin of R, the ratio (requested mean squared height) / (mean squared height of the sample). */
static void compare(const struct orbits *o, const struct sample *s, double factor[BINS])
{
    double sum[BINS] = {0}, count[BINS] = {0}, wanted = pow(M_PI * o->layer.height, 2) / 12;
    int most = 0;
    for (int i = 0; i < STARS; i++)
        for (int k = 0; k < PLACES; k++) {
            int b = (int)fmin(sqrt(s->R[i][k] / (ORBITS_CUT * o->layer.scale)) * BINS, BINS - 1);
            sum[b] += s->square[i][k];
            count[b]++;
        }
    for (int b = 0; b < BINS; b++)
        most = count[b] > count[most] ? b : most;
    for (int b = most; b >= 0; b--)
        factor[b] = count[b] > LEAST || b == most ? wanted * count[b] / sum[b] : factor[b + 1];
    for (int b = most + 1; b < BINS; b++)
        factor[b] = count[b] > LEAST ? wanted * count[b] / sum[b] : factor[b - 1];
}

void orbits_find_actions(struct orbits *o)
{
    struct sample *s = gen_memory(sizeof *s);
    for (int j = 0; j < ORBITS_ROWS; j++)
        o->lift[j] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double factor[BINS];
        draw_sample(o, s);
        compare(o, s, factor);
        for (int j = 0; j < ORBITS_ROWS; j++) {
            double at = fmin(fmax((j + 0.5) * BINS / ORBITS_ROWS - 0.5, 0), BINS - 1.001);
            o->lift[j] *= mixed(factor[(int)at], factor[(int)at + 1], at - (int)at);
        }
    }
    free(s);
}
