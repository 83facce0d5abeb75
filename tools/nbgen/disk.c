/* A disk of stars around a central body. */
#include "disk.h"

#include <math.h>
#include <string.h>

struct disk_shape disk_shape = {
    .central_mass = 0.3,
    .scale = 0.25,
    .slope = 1,
    .inner = 0.01,
    .thickness = 0.03,
    .toomre = 1.4,
    .dispersion = NAN,
};

/* ---- options ---- */

static double share(const char *option, const char *arg, double least)
{
    double value = tool_not_negative(option, arg);
    if (value >= 1 || value < least)
        die_usage("%s %s: not from %g on and below 1", option, arg, least);
    return value;
}

static bool parse_profile(const char *arg)
{
    if (strcmp(arg, "exponential") && strcmp(arg, "power"))
        die_usage("--profile %s: not exponential or power", arg);
    return strcmp(arg, "power") == 0;
}

static double parse_slope(const char *arg)
{
    double slope = tool_not_negative("--slope", arg);
    if (slope >= 2)
        die_usage("--slope %s: not from 0 on and below 2", arg);
    return slope;
}

bool disk_parse(int key, const char *arg)
{
    switch (key) {
    case DISK_KEY: disk_shape.central_mass = share("--central-mass", arg, 0); return true;
    case DISK_KEY + 1: disk_shape.power = parse_profile(arg); return true;
    case DISK_KEY + 2: disk_shape.scale = tool_positive("--scale", arg); return true;
    case DISK_KEY + 3: disk_shape.slope = parse_slope(arg); return true;
    case DISK_KEY + 4: disk_shape.inner = share("--inner", arg, 0.001); return true;
    case DISK_KEY + 5: disk_shape.thickness = tool_not_negative("--thickness", arg); return true;
    case DISK_KEY + 6: disk_shape.toomre = tool_not_negative("--toomre", arg); return true;
    case DISK_KEY + 7: disk_shape.dispersion = share("--dispersion", arg, 0); return true;
    default: return false;
    }
}

/* ---- bodies ---- */

static struct disk_row row_at(const struct disk *d, double R)
{
    double at = fmax((1 - log(R) / log(d->shape.inner)) * (DISK_ROWS - 1), 0);
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

static void make_star(const struct disk *d, uint64_t i, double pos[3], double vel[3])
{
    double u[4], g[4];
    nb_rng_uniforms(&d->rng, i, 0, u);
    nb_rng_normals(&d->rng, i, 1, g);
    double R = disk_radius(&d->shape, u[0]), c = cos(2 * M_PI * u[1]), s = sin(2 * M_PI * u[1]);
    if (pos) {
        pos[0] = R * c;
        pos[1] = R * s;
        pos[2] = disk_height(&d->shape, R) * g[0];
    }
    if (vel) {
        struct disk_row row = row_at(d, R);
        double outward = row.radial * g[1], along = row.rotation + row.azimuthal * g[2];
        vel[0] = outward * c - along * s;
        vel[1] = outward * s + along * c;
        vel[2] = row.vertical * g[3];
    }
}

static void place(const struct disk *d, double v[3], double factor)
{
    if (!v)
        return;
    orbit_turn(&d->plane, v);
    for (int k = 0; k < 3; k++)
        v[k] *= factor;
}

void disk_fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct disk *d = part;
    double velocity = sqrt(d->mass / d->radius), central = d->shape.central_mass;
    double star_mass = d->mass * (1 - central) / (double)(d->n - (central > 0));
    for (uint64_t i = i0; i < i1; i++) {
        uint64_t at = i - i0;
        bool is_central = i == 0 && central > 0;
        double *pos = out->pos ? out->pos + 3 * at : NULL, *vel = out->vel ? out->vel + 3 * at : NULL;
        if (out->component)
            out->component[at] = is_central ? NB_BLACK_HOLE : NB_DISK;
        if (out->mass)
            out->mass[at] = is_central ? d->mass * central : star_mass;
        if (!is_central)
            make_star(d, i, pos, vel);
        for (int k = 0; k < 3 && is_central; k++) {
            if (pos)
                pos[k] = 0;
            if (vel)
                vel[k] = 0;
        }
        place(d, pos, d->radius);
        place(d, vel, velocity);
    }
}

void disk_warn(const struct disk *d)
{
    const struct disk_range *capped = &d->capped, *unbalanced = &d->unbalanced;
    if (capped->from <= capped->to)
        warn("--toomre %g: Q is less from R = %.2g to %.2g radii (%.2g at %.2g), where stars move at random with half "
             "the circular speed already",
             d->shape.toomre, capped->from, capped->to, d->least_Q, d->least_at);
    if (unbalanced->from <= unbalanced->to)
        warn("no balance from R = %.2g to %.2g radii: random motions push outwards more than gravity holds",
             unbalanced->from, unbalanced->to);
}

/* ---- the model of one disk ---- */

static struct orbit_tilt tilt;

enum { KEY_INCLINE = 256 };

static const struct tool_option table[] = {
    DISK_OPTIONS,
    {"incline", KEY_INCLINE, "I,NODE", 0,
     "degrees from the z axis to the spin, and from x to the line of nodes (default 0,0: anticlockwise seen from +z)"},
    {0},
};

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    if (key != KEY_INCLINE)
        return disk_parse(key, arg);
    tilt = orbit_parse_tilt("--incline", arg);
    return true;
}

static void prepare(struct gen_plan *plan)
{
    static struct disk disk;
    plan->softening = gen_plan_softening(plan, DISK_SOFTENING(&disk_shape));
    disk = (struct disk){
        .shape = disk_shape,
        .rng = {plan->options->seed, NB_DISK},
        .n = plan->n,
        .softening = plan->softening,
        .mass = 1,
        .radius = 1,
        .plane = orbit_tilted(tilt),
    };
    disk_prepare(&disk);
    disk_warn(&disk);
    plan->dt = disk_step(&disk);
    gen_plan_add(plan, (struct gen_part){.n = plan->n, .fill = disk_fill, .data = &disk, .centred = true});
}

const struct gen_model gen_disk = {
    .name = "disk",
    .about = "a disk of stars around a central body",
    .doc = "Total mass 1, radius 1, the central body first. The centre of mass rests at the origin. " DISK_DOC,
    .table = {table, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 2,
    .prepare = prepare,
};
