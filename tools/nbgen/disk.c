/* disk.c - the bodies of a disk of stars around a central body, its options and the model `disk`. */
#include "disk.h"

#include "simd/columns.h"
#include "simd/elementary.h"

#include <math.h>
#include <string.h>

struct disk_shape disk_shape = {
    .central_mass = 0.3,
    .scale = 0.25,
    .slope = 1,
    .inner = 0.01,
    .thickness = 0.03,
    .toomre = NAN,
    .dispersion = NAN,
};

/* ---- options ---- */

const struct tool_option disk_options[] = {
    {"central-mass", "SHARE", tool_take_not_negative, &disk_shape.central_mass,
     "fraction of a disk's mass in its central body, from 0 to below 1 (default 0.3)", 0, 1,
     "must be at least 0 and below 1", .below = true},
    {"profile", "exponential|power", tool_take_word, &disk_shape.power, "surface density (default exponential)"},
    {"scale", "L", tool_take_positive, &disk_shape.scale,
     "scale length of the exponential profile, in radii (default 0.25)", 0.001, 1000, "must be from 0.001 to 1000"},
    {"slope", "P", tool_take_not_negative, &disk_shape.slope, "slope of the power law R^-P, below 2 (default 1)", 0, 2,
     "must be at least 0 and below 2", .below = true},
    {"inner", "L", tool_take_not_negative, &disk_shape.inner, "inner radius of the stars, in radii (default 0.01)",
     0.001, 1, "must be at least 0.001 and below 1", .below = true},
    {"thickness", "L", tool_take_not_negative, &disk_shape.thickness,
     "rms height of the stars, in radii (default 0.03)", 0, 100, "must be from 0 to 100"},
    {"toomre", "Q", tool_take_not_negative, &disk_shape.toomre,
     "radial dispersion as Toomre's stability parameter (default 1.4)"},
    {"quiet-start", NULL, tool_take_flag, &disk_shape.quiet,
     "less noise: each star is placed six times around the axis, every other copy mirrored in the plane, at "
     "evenly spread radii. Fewer stars are independent"},
    {"dispersion", "SHARE", tool_take_not_negative, &disk_shape.dispersion,
     "radial dispersion as a fraction of the circular speed, instead of --toomre", 0, 1,
     "must be at least 0 and below 1", .below = true},
    {0},
};

void disk_begin(struct gen_plan *plan)
{
    if (!isnan(disk_shape.toomre) && !isnan(disk_shape.dispersion))
        die_usage("--toomre and --dispersion both set the random motions: give only one");
    if (isnan(disk_shape.toomre))
        disk_shape.toomre = 1.4;
    plan->softening = gen_plan_softening(plan, DISK_SOFTENING(&disk_shape));
}

/* ---- bodies ---- */

/* Returns the speed of rotation and the velocity dispersions at radius R, interpolated in d->rows. log_R: log(R). */
static struct disk_row row_at(const struct disk *d, double log_R)
{
    double at = fmax((1 - log_R / log(d->shape.inner)) * (DISK_ROWS - 1), 0);
    int k = at < DISK_ROWS - 2 ? (int)at : DISK_ROWS - 2;
    double t = at - k;
    const struct disk_row *a = &d->rows[k], *b = a + 1;
    return (struct disk_row){
        .rotation = a->rotation + t * (b->rotation - a->rotation),
        .radial = a->radial + t * (b->radial - a->radial),
        .azimuthal = a->azimuthal + t * (b->azimuthal - a->azimuthal),
        .vertical = a->vertical + t * (b->vertical - a->vertical),
    };
}

/* Data of up to GEN_TOGETHER stars: radius, cosine and sine of the azimuth, and four normal random numbers. */
struct stars {
    double R[GEN_TOGETHER], cosine[GEN_TOGETHER], sine[GEN_TOGETHER], normal[4][GEN_TOGETHER];
};

static void find_directions(const struct disk *d, const double *u, const double *angle, size_t n, struct stars *s)
{
    nb_elementary()->turn(n, angle, s->sine, s->cosine);
    disk_radii(&d->shape, n, u, s->R);
}

static void draw_stars(const struct disk *d, uint64_t i0, size_t n, struct stars *s)
{
    double u[4][GEN_TOGETHER];
    nb_rng_uniforms_many(&d->rng, i0, n, 0, (double *[]){u[0], u[1], u[2], u[3]});
    nb_rng_normals_many(&d->rng, i0, n, 1, (double *[]){s->normal[0], s->normal[1], s->normal[2], s->normal[3]});
    find_directions(d, u[0], u[1], n, s);
}

/* Draws stars of a quiet start. GEN_FOLD successive stars form a group: they have the same radius, and their angles are
 * equally spaced. The radius is not random: a fraction (g + 0.5) / (number of groups) of all stars is inside the radius
 * of group g. Group g uses the random numbers of body g. */
static void draw_quiet(const struct disk *d, uint64_t i0, size_t n, struct stars *s)
{
    const uint64_t central = d->shape.central_mass > 0, groups = (d->n - central + GEN_FOLD - 1) / GEN_FOLD;
    const uint64_t begin = i0 >= central ? i0 - central : 0, first = begin / GEN_FOLD;
    const size_t count = (size_t)((i0 + n - 1) / GEN_FOLD - first) + 1;
    double u[4][GEN_TOGETHER], g[4][GEN_TOGETHER], share[GEN_TOGETHER], angle[GEN_TOGETHER];
    nb_rng_uniforms_many(&d->rng, first, count, 0, (double *[]){u[0], u[1], u[2], u[3]});
    nb_rng_normals_many(&d->rng, first, count, 1, (double *[]){g[0], g[1], g[2], g[3]});
    for (size_t i = 0; i < n; i++) {
        const uint64_t star = i0 + i >= central ? i0 + i - central : 0, turn = star % GEN_FOLD;
        const size_t k = (size_t)(star / GEN_FOLD - first);
        share[i] = ((double)(first + k) + 0.5) / (double)groups;
        angle[i] = u[1][k] + (double)turn / GEN_FOLD;
        angle[i] -= floor(angle[i]);
        for (int j = 0; j < 4; j++)
            s->normal[j][i] = (turn % 2 && (j == 0 || j == 3) ? -1 : 1) * g[j][k];
    }
    find_directions(d, share, angle, n, s);
}

static void put_places(const struct disk *d, const struct stars *s, size_t n, double *pos)
{
    for (size_t i = 0; i < n; i++) {
        pos[3 * i] = s->R[i] * s->cosine[i];
        pos[3 * i + 1] = s->R[i] * s->sine[i];
        pos[3 * i + 2] = disk_height(&d->shape, s->R[i]) * s->normal[0][i];
    }
}

static void put_motions(const struct disk *d, const struct stars *s, size_t n, double *vel)
{
    double log_R[GEN_TOGETHER];
    nb_elementary()->log(n, s->R, log_R);
    for (size_t i = 0; i < n; i++) {
        struct disk_row row = row_at(d, log_R[i]);
        double outward = row.radial * s->normal[1][i], along = row.rotation + row.azimuthal * s->normal[2][i];
        vel[3 * i] = outward * s->cosine[i] - along * s->sine[i];
        vel[3 * i + 1] = outward * s->sine[i] + along * s->cosine[i];
        vel[3 * i + 2] = row.vertical * s->normal[3][i];
    }
}

static void place(const struct disk *d, size_t n, double *vectors, double factor)
{
    for (size_t i = 0; i < n; i++)
        orbit_turn(&d->plane, vectors + 3 * i);
    nb_columns()->move(n, NULL, factor, vectors);
}

/* Computes positions and velocities of n <= GEN_TOGETHER bodies from body i0 on. If body 0 is the central body, it is
 * first computed as a star and then moved to the centre. */
static void fill_together(const struct disk *d, uint64_t i0, size_t n, double *pos, double *vel)
{
    static const double rest[3];
    const bool has_central = i0 == 0 && d->shape.central_mass > 0;
    struct stars s;
    (d->shape.quiet ? draw_quiet : draw_stars)(d, i0, n, &s);
    if (pos) {
        put_places(d, &s, n, pos);
        place(d, n, pos, d->radius);
    }
    if (vel) {
        put_motions(d, &s, n, vel);
        place(d, n, vel, sqrt(d->mass / d->radius));
    }
    if (pos && has_central)
        memcpy(pos, rest, sizeof rest);
    if (vel && has_central)
        memcpy(vel, rest, sizeof rest);
}

static void fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct disk *d = part;
    double central = d->shape.central_mass;
    double star_mass = d->mass * (1 - central) / (double)(d->n - (central > 0));
    for (uint64_t i = i0; i < i1; i++) {
        bool is_central = i == 0 && central > 0;
        if (out->component)
            out->component[i - i0] = is_central ? NB_BLACK_HOLE : NB_DISK;
        if (out->mass)
            out->mass[i - i0] = is_central ? d->mass * central : star_mass;
    }
    for (uint64_t i = i0; i < i1 && (out->pos || out->vel); i += GEN_TOGETHER)
        fill_together(d, i, i1 - i < GEN_TOGETHER ? i1 - i : GEN_TOGETHER, out->pos ? out->pos + 3 * (i - i0) : NULL,
                      out->vel ? out->vel + 3 * (i - i0) : NULL);
}

void disk_warn(const struct disk *d)
{
    const struct disk_range *capped = &d->capped, *unbalanced = &d->unbalanced;
    if (capped->from <= capped->to)
        warn("--toomre %g: Q is smaller from R = %.2g to %.2g radii (%.2g at %.2g), because random motions are "
             "limited to half of the circular speed",
             d->shape.toomre, capped->from, capped->to, d->least_Q, d->least_at);
    if (unbalanced->from <= unbalanced->to)
        warn("no equilibrium from R = %.2g to %.2g radii: random motions are too strong for the gravity there",
             unbalanced->from, unbalanced->to);
}

void disk_add(struct gen_plan *plan, struct disk *d, uint64_t n, double mass, struct orbit_tilt tilt)
{
    const int number = plan->part_count;
    const double radius = sqrt(mass);
    *d = (struct disk){
        .shape = disk_shape,
        .rng = {plan->options->seed, NB_DISK + 256 * (uint64_t)number},
        .n = n,
        .softening = plan->softening / radius,
        .mass = mass,
        .radius = radius,
        .plane = orbit_tilted(tilt),
    };
    disk_prepare(d);
    gen_plan_add(plan, (struct gen_part){.n = n, .fill = fill, .data = d, .galaxy = (uint8_t)number, .centred = true});
}

/* ---- the model of one disk ---- */

static void prepare(struct gen_plan *plan)
{
    static struct disk disk;
    disk_begin(plan);
    disk_add(plan, &disk, plan->n, 1, gen_tilt);
    disk_warn(&disk);
    plan->dt = disk_step(&disk);
    plan->dynamical_time = disk_turn(&disk);
}

const struct gen_model gen_disk = {
    .name = "disk",
    .about = "a disk of stars around a central body",
    .doc = "Total mass 1 and radius 1. The central body comes first. The centre of mass rests at the origin."
           " " DISK_DOC,
    .options = {disk_options, gen_incline},
    .random = true,
    .usual_n = 10000,
    .least_n = 2,
    .prepare = prepare,
};
