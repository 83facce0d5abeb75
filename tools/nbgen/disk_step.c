/* disk_step.c - the time step for a disk. */
#include "disk.h"

#include <math.h>

/* Returns the probability that a number from the normal distribution with this mean and standard deviation lies in
 * [-limit, limit]. */
static double inside(double limit, double mean, double deviation)
{
    if (deviation == 0)
        return fabs(mean) <= limit;
    return (erf((limit - mean) / (deviation * M_SQRT2)) + erf((limit + mean) / (deviation * M_SQRT2))) / 2;
}

/* Returns the expected number of stars whose pericentre distance from the central body is below r, if there is no
 * softening. Near the central body, orbits are nearly parabolic. So these are the stars with less angular momentum than
 * a parabolic orbit with pericentre distance r. */
static double stars_within(const struct disk *d, double r)
{
    double limit = sqrt(2 * d->shape.central_mass * r), stars = 0;
    double step = -log(d->shape.inner) / (DISK_ROWS - 1), each = (1 - d->shape.central_mass) / (double)d->n;
    for (int k = 0; k < DISK_ROWS; k++) {
        const struct disk_row *row = &d->rows[k];
        double mass = 2 * M_PI * row->radius * row->radius * row->density * step;
        stars += mass / each * inside(limit / row->radius, row->rotation, row->azimuthal);
    }
    return stars;
}

/* Returns half of the radius r within which one star is expected to have its pericentre (stars_within). The factor of
 * one half is a margin, because random motions grow during a simulation. */
static double closest(const struct disk *d)
{
    double low = -40, high = log(d->shape.inner); /* range of log r for the bisection */
    for (int k = 0; k < 40; k++) {
        double middle = (low + high) / 2;
        *(stars_within(d, exp(middle)) < 1 ? &low : &high) = middle;
    }
    return exp(low) / 2;
}

double disk_central_frequency(const struct disk *d, double mass)
{
    double r = mass > 0 ? closest(d) : 1;
    return sqrt(mass * pow(r * r + d->softening * d->softening, -1.5));
}

/* Returns an estimate of the squared relative speed of two stars of mass `each` when they meet in this row of the disk.
 * It is the largest of three values: from the random motions of the stars, from the difference in speed of two circular
 * orbits whose radii differ by R/20, and from the mutual attraction of two neighbours that start at rest. */
static double meeting_speed2(const struct disk_row *row, double each)
{
    double random2 = pow(row->radial, 2) + pow(row->azimuthal, 2) + pow(row->vertical, 2);
    return fmax(2 * random2, fmax(pow(0.05 * row->rotation, 2), 4 * sqrt(each * row->density)));
}

/* Returns the acceleration that the stars cause at the radius of this row: the component in the plane or the vertical
 * component, whichever is larger. */
static double stars_pull(const struct disk *d, const struct disk_row *row)
{
    const double R = row->radius, distance2 = R * R + d->softening * d->softening;
    return R * (pow(row->frequency, 2) - d->shape.central_mass * pow(distance2, -1.5));
}

/* Disks of light stars allow longer steps: at most LONGER times the step for stars with 1e-3 of the total mass
 * (bench/README.md). */
#define LONGER 1.75

double disk_step(const struct disk *d)
{
    const double each = (1 - d->shape.central_mass) / (double)d->n;
    double frequency = disk_central_frequency(d, d->shape.central_mass), largest = 0, speed2 = 0;
    for (int k = 0; k < DISK_ROWS; k++) {
        frequency = fmax(frequency, d->rows[k].frequency);
        largest = fmax(largest, stars_pull(d, &d->rows[k]));
        speed2 = fmax(speed2, meeting_speed2(&d->rows[k], each));
    }
    const double longer = fmin(LONGER, fmax(1, pow(1e-3 / each, 0.2)));
    return fmin(longer * gen_step_period(frequency), gen_step_bodies(d->softening, 1, each, largest, sqrt(speed2)));
}
