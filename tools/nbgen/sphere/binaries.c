/* binaries.c - distributions of the orbits of binaries. */
#include "cluster.h"

#include <math.h>

/* Draws a semi-major axis whose logarithm is uniform (Opik 1924), and an eccentricity whose square is uniform (Jeans
 * 1919). */
struct binary binary_flat(double mass, const double u[2])
{
    return (struct binary){mass * BINARY_CLOSEST * pow(BINARY_WIDEST / BINARY_CLOSEST, u[0]),
                           BINARY_ECCENTRICITY * sqrt(u[1])};
}

void binary_state(double mass, const struct binary *b, const double u[4], double pos[3], double vel[3])
{
    const double e = b->eccentricity, turn = 2 * M_PI;
    struct orbit_plane plane = orbit_plane(turn * u[1], acos(2 * u[2] - 1), turn * u[3]);
    orbit_state(mass, b->axis * (1 - e), e, orbit_true_anomaly(turn * u[0], e), pos, vel);
    orbit_turn(&plane, pos);
    orbit_turn(&plane, vel);
}

/* ---- distributions of observed binaries, by the period in days ---- */

/* A distribution whose density is proportional to x^power for x between low and high. */
struct power_law {
    double low, high, power;
};

static double from_power_law(const struct power_law *p, double u)
{
    const double k = p->power + 1, low = pow(p->low, k);
    return pow(low + u * (pow(p->high, k) - low), 1 / k);
}

/* A normal distribution between low and high. Numbers outside this range are drawn again. */
struct bell {
    double mean, sigma, low, high;
};

static double from_bell(const struct bell *b, const struct nb_rng *rng, uint64_t body, uint64_t draw)
{
    for (;; draw++) {
        double g[4];
        nb_rng_normals(rng, body, draw, g);
        for (int k = 0; k < 4; k++)
            if (b->mean + b->sigma * g[k] >= b->low && b->mean + b->sigma * g[k] <= b->high)
                return b->mean + b->sigma * g[k];
    }
}

/* Duquennoy & Mayor (1991, A&A 248, 485), for stars like the Sun: the normal distribution of log10(period / days). The
 * distribution of eccentricities depends on the period. For periods from CIRCULAR to THERMAL, the eccentricity has
 * the mean BETWEEN (from the text of the paper) and the dispersion BETWEEN_WIDE (read from a figure). */
static const struct bell log_periods = {4.8, 2.3, 0, 10};
#define CIRCULAR     11. /* maximum period in days at which tides make orbits circular */
#define THERMAL      1e3 /* minimum period in days at which the distribution of e^2 is uniform */
#define BETWEEN      0.31
#define BETWEEN_WIDE 0.15

/* Sana et al. (2012, Science 337, 444), for stars of spectral type O: distributions of log10(period / days), of the
 * mass ratio and of the eccentricity. */
static const struct power_law log_periods_massive = {0.15, 3.5, -0.55}, ratios = {0.1, 1, 0};
#define ECCENTRIC_POWER (-0.45)
#define ECCENTRIC_MOST  0.9

/* Minimum mass of the primary of a massive binary, in solar masses, as in McLuster (Kuepper et al. 2011, MNRAS 417,
 * 2300). */
#define MASSIVE 5.

bool binary_is_massive(enum binary_periods periods, double primary)
{
    return periods == PERIODS_SANA || (periods == PERIODS_FIELD && primary >= MASSIVE);
}

double binary_mass_ratio(double primary, double u)
{
    const double least = fmin(IMF_LEAST / primary, 1);
    return from_power_law(&(struct power_law){fmax(ratios.low, least), ratios.high, ratios.power}, u);
}

double binary_period(enum binary_periods periods, double primary, double u, const struct nb_rng *rng, uint64_t body,
                     uint64_t draw)
{
    return pow(10, binary_is_massive(periods, primary) ? from_power_law(&log_periods_massive, u)
                                                       : from_bell(&log_periods, rng, body, draw));
}

/* Returns the largest eccentricity of a binary with this period. With a larger eccentricity the stars would overfill
 * their Roche lobes at the pericentre (Moe & Di Stefano 2017, ApJS 230, 15, equation 3). If the period is above 2 days,
 * this limit has another effect: at the pericentre, the angular speed is at most as large as in a circular orbit with a
 * period of 1.4 days. */
static double largest_eccentricity(double days)
{
    return days > 2 ? 1 - pow(days / 2, -2. / 3) : 0;
}

double binary_eccentricity(enum binary_periods periods, double primary, double days, double u, const struct nb_rng *rng,
                           uint64_t body, uint64_t draw)
{
    const double most = largest_eccentricity(days);
    if (binary_is_massive(periods, primary))
        return from_power_law(&(struct power_law){0, fmin(most, ECCENTRIC_MOST), ECCENTRIC_POWER}, u);
    if (days <= CIRCULAR)
        return 0;
    if (days > THERMAL)
        return most * sqrt(u);
    return from_bell(&(struct bell){BETWEEN, BETWEEN_WIDE, 0, most}, rng, body, draw);
}

double binary_shortest(enum binary_periods periods)
{
    return pow(10, periods == PERIODS_SANA ? log_periods_massive.low : log_periods.low);
}

double binary_median(enum binary_periods periods)
{
    return pow(10, periods == PERIODS_SANA ? from_power_law(&log_periods_massive, 0.5) : log_periods.mean);
}
