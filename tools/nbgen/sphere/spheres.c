/* spheres.c - functions that the models of spheres share. */
#include "cluster.h"

#include <math.h>

void sphere_direction(const double u[2], double length, double out[3])
{
    double z = 2 * u[0] - 1, across = sqrt(1 - z * z), angle = 2 * M_PI * u[1];
    out[0] = length * across * cos(angle);
    out[1] = length * across * sin(angle);
    out[2] = length * z;
}

double sphere_softening(double radius, uint64_t n)
{
    return 0.5 * radius * cbrt(4 * M_PI / 3 / (double)n);
}

/* ---- a sphere in its own gravity ---- */

double sphere_density_radius(const struct sphere_density *d, double share)
{
    double low = d->scale * 1e-12, high = d->scale * 1e12, total = d->mass(fmin(d->limit, high), d->context);
    while (high / low > 1 + 1e-12) {
        double middle = sqrt(low * high);
        *(d->mass(middle, d->context) < share * total ? &low : &high) = middle;
    }
    return high;
}

double sphere_dynamical_time(double half_mass_radius)
{
    return 2 * M_PI * pow(half_mass_radius, 1.5);
}

double sphere_largest_pull(const struct sphere *s)
{
    double most = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const double r = s->nodes[k].r;
        most = fmax(most, s->pull.mass(r, s->pull.context) / (r * r));
    }
    return most;
}

const struct sphere *sphere_alone(const struct sphere_density *density, double softening, double anisotropy_radius)
{
    struct sphere_pull pull = sphere_soften(density, softening);
    const struct sphere *s = sphere_make(density, &pull, anisotropy_radius);
    if (s)
        return s;
    if (isinf(anisotropy_radius))
        die_usage("--softening %g: %s", softening, nb_error());
    die_usage("--anisotropy-radius %g: %s; try a larger one", anisotropy_radius, nb_error());
}

void sphere_alone_make(const void *sphere, double *const place[3], const struct nb_rng *rng, uint64_t first, size_t n,
                       double *pos, double *vel)
{
    for (size_t i = 0; i < n; i++) {
        const double here[3] = {place[0][i], place[1][i], place[2][i]};
        double unused[3];
        sphere_draw_at(sphere, here, rng, first + i, pos ? pos + 3 * i : unused, vel ? vel + 3 * i : NULL);
    }
}
