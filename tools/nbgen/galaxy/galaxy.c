/* galaxy.c - computes the tables of a galaxy: units, field, motions of the components, and time step. */
#include "nbgen/galaxy/galaxy.h"

#include "step/step.h"

#include <math.h>

#define BULGE_TRUNCATION 30 /* radius at which the bulge is truncated, in scale radii of the bulge */

static bool is_disk(int c)
{
    return c == GALAXY_DISK || c == GALAXY_GAS;
}

static bool is_round(int c)
{
    return c == GALAXY_BULGE || c == GALAXY_HALO;
}

static struct layer layer_of(const struct galaxy_shape *s, int c)
{
    return (struct layer){s->mass[c], s->scale[c], s->height[c]};
}

/* ---- units ---- */

static double length_unit(const struct galaxy_shape *s)
{
    for (int c = GALAXY_DISK; c < GALAXY_HALO; c++)
        if (s->mass[c] > 0 && c != GALAXY_GAS)
            return s->scale[c];
    return s->scale[GALAXY_HALO];
}

static void demand(double value, double low, double high, const char *component, const char *what)
{
    if (!(value >= low && value <= high))
        die_usage("--%s-%s: %.4g is not from %g to %g", component, what, value, low, high);
}

/* Dies (usage) if a value of a component is out of range. Lengths are in units of the galaxy. The height of a disk is
 * tested as a fraction of the disk's scale length. */
static void check_range(const struct galaxy_shape *s, int c)
{
    const char *name = galaxy_names[c];
    if (s->mass[c] == 0 || c == GALAXY_HOLE)
        return;
    if (s->weight[c] > 0)
        demand(s->weight[c], 1e-3, 1e3, name, "weight");
    demand(s->scale[c], 1e-3, 1e3, name, "scale, in scale lengths of the disk (or what stands for it)");
    if (c == GALAXY_HALO)
        demand(s->truncation * s->scale[c], 0, 1e4, name, "truncation, in scale lengths of the disk");
    if (!is_disk(c))
        return;
    demand(s->height[c] / s->scale[c], 0.005, 1, name, "height, in its scale lengths");
    if (!(s->toomre[c] >= 0.01 && s->toomre[c] <= 100))
        die_usage("--%s %.4g: must be from 0.01 to 100", c == GALAXY_GAS ? "gas-toomre" : "toomre", s->toomre[c]);
}

/* Adds the contribution of the disks to the squared circular speed at R. speed2: contribution of all other components.
 * Returns the sum. */
static double with_disks(const struct galaxy *g, double softening, double R, double speed2)
{
    for (int c = GALAXY_DISK; c <= GALAXY_GAS; c++) {
        const struct layer layer = layer_of(&g->shape, c);
        if (g->shape.mass[c] > 0)
            speed2 += R * layer_pull_plane(&layer, softening, R);
    }
    return speed2;
}

/* Returns the squared circular speed without softening. The galaxy's unit of mass is computed from this speed. With
 * softening, the unit of mass would depend on the number of bodies, because the softening length depends on this
 * number. */
static double circular_speed2(const struct galaxy *g, double R)
{
    double sum = with_disks(g, 0, R, g->shape.mass[GALAXY_HOLE] / R);
    for (int c = GALAXY_BULGE; c <= GALAXY_HALO; c++)
        if (g->shape.mass[c] > 0)
            sum += g->unscaled[c].mass(R, g->unscaled[c].context) / R;
    return sum;
}

static void make_profiles(struct galaxy *g, struct sphere_density *densities)
{
    const struct galaxy_shape *s = &g->shape;
    for (int c = GALAXY_BULGE; c <= GALAXY_HALO; c++) {
        bool nfw = c == GALAXY_HALO && !s->hernquist;
        const struct sphere_shape profile = {
            .kind = nfw ? SPHERE_NFW : SPHERE_DEHNEN,
            .mass = s->mass[c],
            .scale = s->scale[c],
            .gamma = 1,
            .truncation = c == GALAXY_HALO ? s->truncation : BULGE_TRUNCATION,
        };
        if (s->mass[c] > 0)
            densities[c] = sphere_profile(&profile);
    }
}

static void find_units(struct galaxy *g)
{
    struct galaxy_shape *s = &g->shape;
    double total = 0;
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        total += s->mass[c];
    if (!(total > s->mass[GALAXY_HOLE] && isfinite(total)))
        die_usage("the galaxy has only a black hole: no mass in disk, gas, bulge or halo");
    g->unit_length = length_unit(s);
    for (int c = 0; c < GALAXY_COMPONENTS; c++) {
        s->mass[c] /= total;
        s->scale[c] /= g->unit_length;
        s->height[c] /= g->unit_length;
        check_range(s, c);
    }
    make_profiles(g, g->unscaled);
    double speed2 = circular_speed2(g, 2.2);
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        s->mass[c] /= speed2;
    make_profiles(g, g->densities);
    g->unit_mass = total * speed2;
}

/* ---- bodies ---- */

#define HALO_SHARE 0.4
/* For n bodies, a halo body is by default at most HALO_WEIGHT times as heavy as a disk body, because heavier bodies
 * would heat the disk. If n is below HALO_MANY, this maximum is multiplied by sqrt(HALO_MANY / n), so that the
 * disk gets more bodies. */
#define HALO_WEIGHT 10
#define HALO_MANY   320000

/* Sets the weights that the user has not given. The weight of a component is (mass of its body) / (mass of a disk
 * body). The default is 1, except for the halo. The default for the halo is chosen so that HALO_SHARE of the n bodies
 * are in the halo, but limited to the range from 1 to the maximum given by HALO_WEIGHT. */
static void complete_weights(struct galaxy_shape *s, uint64_t n)
{
    const double most = HALO_WEIGHT * sqrt(fmax(HALO_MANY / (double)n, 1));
    double bodies = 0;
    for (int c = GALAXY_DISK; c < GALAXY_HALO; c++) {
        s->weight[c] = s->weight[c] > 0 ? s->weight[c] : 1;
        bodies += s->mass[c] / s->weight[c];
    }
    if (!(s->weight[GALAXY_HALO] > 0))
        s->weight[GALAXY_HALO] =
            bodies > 0 ? fmin(fmax(s->mass[GALAXY_HALO] / bodies * (1 / HALO_SHARE - 1), 1), most) : 1;
}

/* Divides the n bodies among the components, so that a body of component c has weight[c] times the mass of a disk body.
 * The bodies that remain because of rounding go to the largest component. */
static void share_bodies(struct galaxy *g, uint64_t n)
{
    complete_weights(&g->shape, n);
    const struct galaxy_shape *s = &g->shape;
    double sum = 0;
    uint64_t holes = s->mass[GALAXY_HOLE] > 0, left = n - holes, given = 0;
    int largest = GALAXY_HALO;
    for (int c = GALAXY_DISK; c < GALAXY_COMPONENTS; c++)
        sum += s->mass[c] / s->weight[c];
    g->n[GALAXY_HOLE] = holes;
    for (int c = GALAXY_DISK; c < GALAXY_COMPONENTS; c++) {
        double count = s->mass[c] / s->weight[c] / sum * (double)left;
        g->n[c] = s->mass[c] > 0 ? (uint64_t)fmax(round(count), 1) : 0;
        given += g->n[c];
        largest = g->n[c] > g->n[largest] ? c : largest;
    }
    g->n[largest] += left - given;
}

/* Returns the softening length, which is the same for all components: 0.03 (n / 10^6)^(-1/4), but at most 0.1, at most
 * 0.4 times the height of the thinnest disk, and at most 0.5 times the scale radius of the bulge. */
double galaxy_softening(const struct galaxy *g, uint64_t n)
{
    const struct galaxy_shape *s = &g->shape;
    double most = 0.1;
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        if (s->mass[c] > 0 && is_disk(c))
            most = fmin(most, 0.4 * s->height[c]);
    if (s->mass[GALAXY_BULGE] > 0)
        most = fmin(most, 0.5 * s->scale[GALAXY_BULGE]);
    return fmin(0.03 * pow(1e6 / (double)n, 0.25), most);
}

/* ---- field ---- */

#define FIELD_ROWS 400

/* Returns w(a) = -dF/da. F(a) is r^2 times the softened attraction at radius r of a shell of mass 1 and radius a. The
 * shell's potential is (s(r - a) - s(r + a)) / (2 r a) with s(x) = sqrt(x^2 + eps2). eps2 is the squared softening
 * length.
 * For a sphere that has mass(a) within radius a, the integral of mass(a) w(a) da is r^2 times the attraction. */
static double weight(double r, double a, double eps2)
{
    double far = r + a, near = r - a, s = sqrt(far * far + eps2), t = sqrt(near * near + eps2);
    double pull = s - t - r * (far / s - near / t);
    double slope = far / s + near / t - r * eps2 * (1 / (s * s * s) + 1 / (t * t * t));
    return (pull / a - slope) / (2 * a);
}

#define STEP 0.05 /* step of the integration variable t in softened() */
/* Below this radius, in softening lengths, softened() treats the attraction as proportional to r, because weight()
 * would contain only rounding errors. */
#define LOWEST 1e-3
/* Returns r^2 times the softened attraction at r of a spherical mass distribution. `mass` returns the mass within a
 * radius. Integrates over the radii r + eps * sinh(t) in uniform steps of t. These radii are dense near r, and sparse
 * far from r, where weight() is small. */
static double softened(numeric_function *mass, const void *context, double eps, double r)
{
    if (r < LOWEST * eps)
        return pow(r / (LOWEST * eps), 3) * softened(mass, context, eps, LOWEST * eps);
    double sum = 0, least = asinh((1e-4 * fmin(r, eps) - r) / eps);
    for (double t = least; t < 12; t += STEP) {
        double a = r + eps * sinh(t);
        sum += (t == least ? 0.5 : 1) * weight(r, a, eps * eps) * mass(a, context) * eps * cosh(t) * STEP;
    }
    return sum;
}

/* Makes the field of a spherical mass distribution and a central point of mass `point`. `mass` returns the mass within
 * a radius. Forces are softened with Plummer's kernel; `softening` may be 0. The table goes from radius `least` to
 * radius `most`. All mass must be within radius `most`. */
static struct field make_field(numeric_function *mass, const void *context, double point, double softening,
                               double least, double most)
{
    double x[FIELD_ROWS], y[FIELD_ROWS];
    if (!(mass(most, context) > 0))
        return (struct field){NULL, point, softening};
#pragma omp parallel for
    for (int k = 0; k < FIELD_ROWS; k++) {
        double r = least * pow(most / least, k / (FIELD_ROWS - 1.0));
        double inside = softening > 1e-3 * r ? softened(mass, context, softening, r) : mass(r, context);
        x[k] = log(r);
        y[k] = log(fmax(inside, 1e-300));
    }
    return (struct field){numeric_spline_make(x, y, FIELD_ROWS), point, softening};
}

/* Returns r^2 times the attraction at r > 0 in the struct field to which `context` points. */
static double field_mass(double r, const void *context)
{
    const struct field *f = context;
    double middle = f->point * pow(1 + pow(f->softening / r, 2), -1.5);
    return middle + (f->log_mass ? exp(numeric_spline_value(f->log_mass, log(r))) : 0);
}

static double round_mass(double r, const void *context)
{
    const struct galaxy *g = context;
    double sum = 0;
    for (int c = GALAXY_BULGE; c <= GALAXY_HALO; c++)
        if (g->shape.mass[c] > 0)
            sum += g->densities[c].mass(r, g->densities[c].context);
    return sum;
}

static double all_mass(double r, const void *context)
{
    const struct galaxy *g = context;
    double sum = round_mass(r, context);
    for (int c = GALAXY_DISK; c <= GALAXY_GAS; c++)
        if (g->shape.mass[c] > 0)
            sum -= g->shape.mass[c] * expm1(log1p(r / g->shape.scale[c]) - r / g->shape.scale[c]);
    return sum;
}

/* Ratio (minimum radius of the fields' tables) / (smallest scale length). */
#define NEAREST 1e-5
/* Maximum radius of the fields' tables, in units of the galaxy. */
#define FARTHEST 1e5

static void make_fields(struct galaxy *g)
{
    double hole = g->shape.mass[GALAXY_HOLE], least = INFINITY;
    for (int c = GALAXY_DISK; c < GALAXY_COMPONENTS; c++)
        if (g->shape.mass[c] > 0)
            least = fmin(least, NEAREST * g->shape.scale[c]);
    g->round = make_field(round_mass, g, hole, g->softening, least, FARTHEST);
    g->all = make_field(all_mass, g, hole, g->softening, least, FARTHEST);
    g->pull = (struct sphere_pull){field_mass, &g->all};
}

static void make_sphere(struct galaxy *g, int c)
{
    g->spheres[c] = sphere_make(&g->densities[c], &g->pull, INFINITY);
    if (!g->spheres[c])
        die_usage("the %s cannot be in equilibrium in this galaxy: %s (change --%s-scale or the masses of the other "
                  "components)",
                  galaxy_names[c], nb_error(), galaxy_names[c]);
}

/* A warning is printed if more than this fraction of a disk's stars is beyond its truncation. The disk is then out of
 * equilibrium: its virial ratio (1 in equilibrium) may be 1.06. */
#define LOST      0.03
#define LOST_MOST 0.1 /* larger fractions of stars beyond the truncation are an error: the virial ratio may be 1.3 */

static noreturn void refuse_disk(const struct galaxy *g, int c)
{
    const char *option = c == GALAXY_GAS ? "gas-toomre" : "toomre", *name = galaxy_names[c];
    double share = 100 * g->orbits[c]->lost, Q = g->shape.toomre[c];
    if (g->shape.toomre_asked[c])
        die_usage(
            "--%s %.4g: %.0f %% of the stars of the %s would be beyond %d scale lengths: gravity cannot hold them "
            "with this value and a softening of %.3g scale lengths",
            option, Q, share, name, ORBITS_CUT, g->softening);
    die_usage(
        "gravity cannot hold the %s: with the default Q of %.4g and a softening of %.3g scale lengths, %.0f %% of "
        "its stars would be beyond %d (use a heavier halo or bulge, --halo-mass, --bulge-mass, or a lower --%s)",
        name, Q, g->softening, share, ORBITS_CUT, option);
}

static void make_disk(struct galaxy *g, int c)
{
    struct layer layers[2];
    struct orbits_field field = {
        .layers = layers, .round = field_mass, .context = &g->round, .softening = g->softening};
    for (int k = GALAXY_DISK; k <= GALAXY_GAS; k++)
        if (g->shape.mass[k] > 0)
            layers[field.layer_count++] = layer_of(&g->shape, k);
    g->orbits[c] = gen_memory(sizeof *g->orbits[c]);
    g->orbits[c]->layer = layer_of(&g->shape, c);
    g->orbits[c]->toomre = g->shape.toomre[c];
    orbits_make(g->orbits[c], &field);
    if (g->orbits[c]->lost > LOST_MOST)
        refuse_disk(g, c);
}

/* ---- time step ---- */

/* Returns the maximum time step for encounters of two bodies of mass `heaviest`. Such bodies accelerate each other to
 * high speeds if the softening is small. Returns INFINITY (no maximum) if there is no softening, or if all bodies are
 * light (at most GEN_LIGHT times the total mass). */
static double passage_step(const struct galaxy *g, double heaviest, double total)
{
    if (g->softening == 0 || heaviest <= GEN_LIGHT * total)
        return INFINITY;
    return 2 * g->softening / sqrt(1 + 4 * heaviest / g->softening);
}

/* If there are many bodies, the step is multiplied by a factor of up to LONGER (bench/steps.sh). */
#define LONGER 1.4

/* Sets g->step to the smaller of two limits:
 * - The limit for orbits: gen_step_period for the highest frequency in the softened field. With many bodies it is
 *   multiplied by a factor from 1 to LONGER.
 * - The limit for encounters: passage_step, but at most the time in which a body of speed 1 moves by two thirds of L. L
 *   is the softening length, but at least 0.01. With many bodies, the limit for encounters is at least 1.5 times
 *   nb_step_softened, the step for the largest attraction. The factor 1.5 is possible because only few bodies feel the
 *   largest attraction. */
static void find_step(struct galaxy *g)
{
    double frequency = 0, finest = fmax(g->softening, 0.01), largest = 0, heaviest = 0, total = 0;
    for (int c = GALAXY_DISK; c < GALAXY_COMPONENTS; c++) {
        total += g->shape.mass[c];
        if (g->n[c])
            heaviest = fmax(heaviest, g->shape.mass[c] / (double)g->n[c]);
    }
    for (double r = finest / 4; r < 10; r *= 1.1) {
        const double pull = field_mass(r, &g->all) / (r * r);
        frequency = fmax(frequency, sqrt(pull / r));
        largest = fmax(largest, pull);
    }
    for (int c = GALAXY_DISK; c <= GALAXY_GAS; c++)
        if (g->orbits[c])
            frequency = fmax(frequency, g->orbits[c]->vertical_frequency);
    const bool many = g->softening > 0 && total >= NB_MANY_BODIES * heaviest;
    const double passed = fmin(finest * 2 / 3, passage_step(g, heaviest, total));
    const double step = many ? fmax(passed, 1.5 * nb_step_softened(1, total, heaviest, g->softening, largest)) : passed;
    const double longer = many ? fmin(LONGER, fmax(1, pow(total / heaviest / 100000, 0.2))) : 1;
    g->step = fmin(longer * gen_step_period(frequency), step);
}

void galaxy_begin(struct galaxy *g, const struct galaxy_shape *shape)
{
    *g = (struct galaxy){.shape = *shape};
    find_units(g);
}

#define MISFIT 0.1
void galaxy_warn(const struct galaxy *g)
{
    for (int c = GALAXY_DISK; c <= GALAXY_GAS; c++) {
        if (g->orbits[c] && g->orbits[c]->lost > LOST)
            warn("the %s is too hot for equilibrium: %.0f %% of its stars are beyond %d scale lengths", galaxy_names[c],
                 100 * g->orbits[c]->lost, ORBITS_CUT);
        if (g->orbits[c] && g->orbits[c]->misfit > MISFIT)
            warn("the %s is too hot to keep its profile: the error of its surface density is up to %.0f %%",
                 galaxy_names[c], 100 * g->orbits[c]->misfit);
    }
}

void galaxy_prepare(struct galaxy *g, uint64_t n, double softening)
{
    g->softening = softening;
    share_bodies(g, n);
    make_fields(g);
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        if (g->shape.mass[c] > 0 && is_round(c))
            make_sphere(g, c);
        else if (g->shape.mass[c] > 0 && is_disk(c))
            make_disk(g, c);
    g->circular = sqrt(with_disks(g, g->softening, 2.2, field_mass(2.2, &g->round) / 2.2));
    find_step(g);
}

double galaxy_turn(const struct galaxy *g)
{
    return 2 * M_PI * 2.2 / g->circular;
}
