/* disks.c - plans a model of colliding disks: sizes, velocities, positions, stiffness and time step. */

#include "nbgen/contact/disks.h"

#include "force/contact/contact.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Dies with the error of a scene function that has failed. The exit status is that of a usage error, unless there was
 * too little memory (errno ENOMEM). */
static noreturn void refuse(void)
{
    if (errno == ENOMEM)
        die("%s", nb_error());
    die_usage("%s", nb_error());
}

void disks_add_wall(struct nb_scene *scene, const char *name, const double *xy, int count)
{
    errno = 0;
    if (nb_scene_add_wall(scene, name, xy, count))
        refuse();
}

static double mean_radius(const struct disks *d)
{
    return d->scene.radius / (1 + d->spread);
}

/* Computes the radii and the masses of n disks from `first` on. All disks have the same density. `radius` or `mass` may
 * be NULL. */
static void put_sizes(const struct disks *d, uint64_t first, size_t n, double *radius, double *mass)
{
    double u[4][GEN_TOGETHER];
    nb_rng_uniforms_many(&d->rng, first, n, 0, (double *[]){u[0], u[1], u[2], u[3]});
    for (size_t i = 0; i < n; i++) {
        const double share = 1 + d->spread * (2 * u[2][i] - 1);
        if (radius)
            radius[i] = mean_radius(d) * share;
        if (mass)
            mass[i] = d->mass * share * share;
    }
}

static void put_velocities(const struct disks *d, uint64_t first, size_t n, double *vel)
{
    double g[4][GEN_TOGETHER];
    nb_rng_normals_many(&d->rng, first, n, 1, (double *[]){g[0], g[1], g[2], g[3]});
    for (size_t i = 0; i < n; i++) {
        vel[3 * i] = d->speed + d->sigma * g[0][i];
        vel[3 * i + 1] = d->sigma * g[1][i];
        vel[3 * i + 2] = 0;
    }
}

/* Computes the positions of n disks from `first` on. Disks below index d->lattice.n are placed on the lattice. The
 * others are placed at random in the rectangle `chamber` of the inlet and may overlap. During a simulation, nbsim
 * places the disks in the chamber at random again and again (contact_inlet.h). */
static void put_places(const struct disks *d, uint64_t first, size_t n, double *pos)
{
    double u[4][GEN_TOGETHER], *const numbers[4] = {u[0], u[1], u[2], u[3]};
    nb_rng_uniforms_many(&d->rng, first, n, 0, numbers);
    if (first < d->lattice.n) {
        lattice_place(&d->lattice, first, n, numbers, pos);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 2; k++)
            pos[3 * i + k] = d->chamber[2 * k] + u[k][i] * (d->chamber[2 * k + 1] - d->chamber[2 * k]);
        pos[3 * i + 2] = 0;
    }
}

static void fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct disks *d = part;
    if (out->component)
        memset(out->component, (int)d->rng.stream, i1 - i0);
    for (uint64_t i = i0; out->mass && d->spread == 0 && i < i1; i++)
        out->mass[i - i0] = d->mass;
    for (uint64_t i = i0, end; i < i1; i = end) {
        end = i < d->lattice.n && d->lattice.n < i1 ? d->lattice.n : i1;
        end = end - i < GEN_TOGETHER ? end : i + GEN_TOGETHER;
        const size_t n = end - i;
        if (d->spread > 0 && (out->radius || out->mass))
            put_sizes(d, i, n, out->radius ? out->radius + (i - i0) : NULL, out->mass ? out->mass + (i - i0) : NULL);
        if (out->pos)
            put_places(d, i, n, out->pos + 3 * (i - i0));
        if (out->vel)
            put_velocities(d, i, n, out->vel + 3 * (i - i0));
    }
}

double disks_stiffness(const struct disks *d, double fastest)
{
    const double rate = fastest / mean_radius(d);
    return d->mass * rate * rate;
}

void disks_plan(struct gen_plan *plan, struct disks *d, double fastest, double restitution)
{
    struct nb_contact contact = {0};
    struct nb_scene *s = &d->scene;
    const double least = 1 - d->spread, decay = log(1 / restitution) / M_PI;
    s->touching = true;
    s->stiffness = disks_stiffness(d, fastest);
    s->damping = d->mass * decay * sqrt(2 * s->stiffness / d->mass / (1 + decay * decay));
    d->lattice.radius = s->radius;
    d->lattice.n = plan->n - d->reserve;
    if (!(isfinite(s->stiffness) && s->stiffness > 0 && isfinite(s->damping)))
        die_usage("the mass, radius or speed of the disks makes the stiffness or damping too large or too small");
    errno = 0;
    if (nb_scene_check(s))
        refuse();
    lattice_make(&d->lattice, s);
    contact.scene = *s;
    plan->dt = nb_contact_longest_step(&contact, least * mean_radius(d), least * least * d->mass, fastest);
    plan->radii = d->spread > 0;
    plan->scene = s;
    plan->softening = 0;
    gen_plan_add(plan, (struct gen_part){.n = plan->n, .fill = fill, .data = d});
}
