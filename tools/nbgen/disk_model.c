/* disk_model.c - the profile of a disk, and the velocities in equilibrium with its forces. */
#include "disk.h"

#include "simd/elementary.h"

#include <math.h>
#include <string.h>

#define RINGS 1024

/* ---- profile ---- */

/* Returns the fraction of the mass of an infinite exponential disk that lies within x scale lengths. */
static double exponential_share(double x)
{
    return -expm1(log1p(x) - x);
}

/* Returns the surface density of the stars at R, in disk units. */
static double surface_density(const struct disk_shape *shape, double R)
{
    double stars = 1 - shape->central_mass, h = shape->scale, exponent = 2 - shape->slope;
    if (shape->power)
        return stars * exponent / (2 * M_PI * (1 - pow(shape->inner, exponent))) * pow(R, -shape->slope);
    double share = exponential_share(1 / h) - exponential_share(shape->inner / h);
    return stars / (2 * M_PI * h * h * share) * exp(-R / h);
}

/* Solves x - log(1 + x) = L for each of the n elements of L, and replaces L by x. L >= 0, n <= GEN_TOGETHER. The first
 * guess, L + sqrt(2 L), is at most 16 % larger than x. Each step of Halley's method triples the number of correct
 * digits. The number of steps is fixed, so that the result for a body does not depend on the other bodies. */
static void solve_exponential(size_t n, double *L)
{
    double x[GEN_TOGETHER], logarithm[GEN_TOGETHER];
    for (size_t i = 0; i < n; i++)
        x[i] = L[i] + sqrt(2 * L[i]);
    for (int step = 0; step < 3; step++) {
        nb_elementary()->log1p(n, x, logarithm);
        for (size_t i = 0; i < n; i++) {
            double over = x[i] - logarithm[i] - L[i];
            x[i] -= 2 * over * x[i] * (1 + x[i]) / (2 * x[i] * x[i] - over);
        }
    }
    memcpy(L, x, n * sizeof *x);
}

static void exponential_radii(const struct disk_shape *shape, size_t n, const double *u, double *R)
{
    double h = shape->scale, from = exponential_share(shape->inner / h), to = exponential_share(1 / h);
    for (size_t i = 0; i < n; i++)
        R[i] = -fmin(from + u[i] * (to - from), 1 - 0x1p-53);
    nb_elementary()->log1p(n, R, R);
    for (size_t i = 0; i < n; i++)
        R[i] = -R[i];
    solve_exponential(n, R);
    for (size_t i = 0; i < n; i++)
        R[i] = fmin(fmax(h * R[i], shape->inner), 1); /* rounding errors must not put a star outside the disk */
}

void disk_radii(const struct disk_shape *shape, size_t n, const double *u, double *R)
{
    double exponent = 2 - shape->slope, least = pow(shape->inner, exponent);
    if (!shape->power)
        exponential_radii(shape, n, u, R);
    for (size_t i = 0; i < n && shape->power; i++)
        R[i] = pow(least + u[i] * (1 - least), 1 / exponent);
}

double disk_height(const struct disk_shape *shape, double R)
{
    return shape->thickness * R / sqrt(R * R + shape->scale * shape->scale);
}

/* ---- forces ---- */

/* Returns the inward force of a ring of mass 1 and radius a at a point at distance R from the axis. The squared
 * vertical distance between the point and the plane of the ring is eps2. Computes the complete elliptic integrals K and
 * E of the modulus k by arithmetic-geometric means, with k^2 = 4 a R / ((a + R)^2 + eps2). */
static double ring_force(double R, double a, double eps2)
{
    double far2 = (a + R) * (a + R) + eps2, near2 = (a - R) * (a - R) + eps2;
    double x = 1, y = sqrt(near2 / far2), sum = 1 - y * y, weight = 1;
    while (x - y > 1e-9 * x) {
        double difference = (x - y) / 2, mean = (x + y) / 2;
        y = sqrt(x * y);
        x = mean;
        weight *= 2;
        sum += weight * difference * difference;
    }
    double K = M_PI / (x + y), E = K * (1 - sum / 2);
    return (K + (R * R - a * a - eps2) / near2 * E) / (M_PI * R * sqrt(far2));
}

/* Returns the inward force of the central body and the stars at radius R in the plane. The stars are treated as RINGS
 * rings. The rms height and the width of a ring act like additional softening lengths. */
static double force(const struct disk *d, double R)
{
    const struct disk_shape *shape = &d->shape;
    double eps2 = d->softening * d->softening, step = -log(shape->inner) / RINGS;
    double total = shape->central_mass * R * pow(R * R + eps2, -1.5);
    for (int k = 0; k < RINGS; k++) {
        double a = shape->inner * exp((k + 0.5) * step), height = disk_height(shape, a);
        double blur = eps2 + height * height + a * a * step * step;
        total += 2 * M_PI * a * a * step * surface_density(shape, a) * ring_force(R, a, blur);
    }
    return total;
}

/* Returns the mean of u^2 / sqrt(u^2 + eps^2), where u is normally distributed with variance s2. u is the vertical
 * distance of two stars. This mean is needed for the virial theorem, which contains the mean of u times the attraction:
 * the attraction of two thin layers at the distance u is proportional to u / sqrt(u^2 + eps^2). */
static double layer_pull(double s2, double eps2)
{
    double sum = 0, weights = 0;
    for (double t = 0.02; t < 6; t += 0.04) {
        double u2 = t * t * s2, weight = exp(-t * t / 2);
        weights += weight;
        sum += u2 > 0 ? weight * u2 / sqrt(u2 + eps2) : 0;
    }
    return sum / weights;
}

/* ---- velocities ---- */

struct orbits { /* values at one radius */
    /* angular2 and epicyclic2: squared frequencies of circular and of epicyclic motion */
    double R, density, angular2, epicyclic2;
    double radial2; /* sigma_R^2, the squared radial velocity dispersion */
};

/* Returns d log f / d log R from the values of f at two radii. */
static double slope(double before, double after, double R_before, double R_after)
{
    return before > 0 && after > 0 ? log(after / before) / log(R_after / R_before) : 0;
}

static void find_orbits(const struct disk *d, struct orbits *o)
{
#pragma omp parallel for schedule(static)
    for (int k = 0; k < DISK_ROWS; k++) {
        o[k].R = pow(d->shape.inner, 1 - (double)k / (DISK_ROWS - 1));
        o[k].density = surface_density(&d->shape, o[k].R);
        o[k].angular2 = fmax(force(d, o[k].R), 1e-12) / o[k].R;
    }
    for (int k = 0; k < DISK_ROWS; k++) {
        int a = k > 0 ? k - 1 : k, b = k < DISK_ROWS - 1 ? k + 1 : k;
        double s = slope(o[a].angular2, o[b].angular2, o[a].R, o[b].R);
        o[k].epicyclic2 = o[k].angular2 * fmin(fmax(4 + s, 1), 4);
    }
}

#define DISPERSION_MAX 0.5
/* Returns the radial velocity dispersion: --dispersion times the circular speed. Without --dispersion, returns the
 * dispersion for which Toomre's (1964) Q is shape->toomre, but at most DISPERSION_MAX times the circular speed. With a
 * larger dispersion, epicycles would not be small. Sets *Q to the value of Q for the returned dispersion. */
static double radial_dispersion(const struct disk_shape *shape, const struct orbits *o, double *Q)
{
    double circular = o->R * sqrt(o->angular2), toomre1 = 3.36 * o->density / sqrt(o->epicyclic2);
    double asked = isnan(shape->dispersion) ? shape->toomre * toomre1 : shape->dispersion * circular;
    double had = isnan(shape->dispersion) ? fmin(asked, DISPERSION_MAX * circular) : asked;
    *Q = had / toomre1;
    return had;
}

/* Returns the squared frequency of small vertical motions: own2, due to the disk's own gravity, plus a term due to the
 * central body. For own2, the disk is treated as a layer of surface density Sigma and radius R. Its attraction is
 * softened with the length `blur`, which combines the softening length and the rms height. If R is much larger than
 * `blur`, own2 is 2 pi Sigma / blur. Without softening, 2 pi Sigma / blur is 4 pi times the density in the plane, which
 * is correct for normally distributed heights. */
static double vertical2(const struct disk *d, const struct orbits *o, double height2, double eps2)
{
    double blur = sqrt(eps2 + M_PI / 2 * height2);
    double own2 = blur > 0 ? 2 * M_PI * o->density * (1 / blur - 1 / hypot(blur, o->R)) : 0;
    return own2 + d->shape.central_mass * pow(o->R * o->R + eps2, -1.5);
}

static void extend(struct disk_range *range, double R)
{
    range->from = fmin(range->from, R);
    range->to = fmax(range->to, R);
}

/* minimum of (mean rotation) / (circular speed); used if Jeans's equations give a smaller ratio */
#define ROTATION_MIN 0.2
/* Computes mean rotation and dispersions at one radius. The rotation follows from Jeans's equations in the plane
 * (Binney & Tremaine 2008, 4.8), so it includes the asymmetric drift. `pressure_slope` is d log(density * sigma_R^2) /
 * d log R. The vertical dispersion follows from the virial theorem for a layer with normally distributed heights, in
 * the gravity of the layer and of the central body. */
static struct disk_row balance(struct disk *d, const struct orbits *o, double pressure_slope)
{
    double eps2 = d->softening * d->softening, height2 = pow(disk_height(&d->shape, o->R), 2);
    double ratio2 = o->epicyclic2 / (4 * o->angular2), circular2 = o->R * o->R * o->angular2;
    double rotation2 = circular2 + o->radial2 * (1 - ratio2 + pressure_slope);
    double central2 = d->shape.central_mass * pow(o->R * o->R + eps2, -1.5);
    if (rotation2 < ROTATION_MIN * ROTATION_MIN * circular2)
        extend(&d->unbalanced, o->R);
    return (struct disk_row){
        .rotation = sqrt(fmax(rotation2, ROTATION_MIN * ROTATION_MIN * circular2)),
        .radial = sqrt(o->radial2),
        .azimuthal = sqrt(o->radial2 * ratio2),
        .vertical = sqrt(central2 * height2 + M_PI * o->density * layer_pull(2 * height2, eps2)),
        .radius = o->R,
        .density = o->density,
        .frequency = sqrt(fmax(o->angular2, vertical2(d, o, height2, eps2))),
    };
}

/* Adds R to the range d->capped if Q at R is below --toomre, because the dispersion is limited to its maximum. Ignores
 * radii below `innermost`: few stars are there, and without a central body they are hardly bound. */
static void note_cap(struct disk *d, double R, double Q, double innermost)
{
    if (Q >= 0.999 * d->shape.toomre || R < innermost)
        return;
    extend(&d->capped, R);
    d->least_at = Q < d->least_Q ? R : d->least_at;
    d->least_Q = fmin(d->least_Q, Q);
}

static void find_dispersions(struct disk *d, struct orbits *o)
{
    double share = 0.01, innermost, Q;
    disk_radii(&d->shape, 1, &share, &innermost);
    d->capped = d->unbalanced = (struct disk_range){1, 0};
    d->least_Q = INFINITY;
    for (int k = 0; k < DISK_ROWS; k++) {
        o[k].radial2 = pow(radial_dispersion(&d->shape, &o[k], &Q), 2);
        if (isnan(d->shape.dispersion))
            note_cap(d, o[k].R, Q, innermost);
    }
}

void disk_prepare(struct disk *d)
{
    struct orbits o[DISK_ROWS];
    find_orbits(d, o);
    find_dispersions(d, o);
    for (int k = 0; k < DISK_ROWS; k++) {
        int a = k > 0 ? k - 1 : k, b = k < DISK_ROWS - 1 ? k + 1 : k;
        double pressure_slope = slope(o[a].density * o[a].radial2, o[b].density * o[b].radial2, o[a].R, o[b].R);
        d->rows[k] = balance(d, &o[k], pressure_slope);
    }
}

double disk_turn(const struct disk *d)
{
    const double R = d->shape.power ? 1 : fmin(2.2 * d->shape.scale, 1);
    return 2 * M_PI * sqrt(R / fmax(force(d, R), 1e-12)) * sqrt(pow(d->radius, 3) / d->mass);
}
