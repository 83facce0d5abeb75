/* Two disks on a Kepler orbit about one another. Units: the first disk has mass 1 and radius 1. */
#include "disk.h"

#include <math.h>

static struct {
    double pericenter, eccentricity, separation, mass_ratio;
    struct disk_tilt tilts[2];
} parameters = {.pericenter = 0.4, .eccentricity = 0.9, .separation = 3, .mass_ratio = 1, .tilts = {{20, 0}, {50, 60}}};

enum { KEY_PERICENTER = 256, KEY_SEPARATION, KEY_MASS_RATIO, KEY_INCLINE1, KEY_INCLINE2 };

static const struct tool_option table[] = {
    {.about = "The orbit of the two centres, in the xy plane, anticlockwise, pericentre on the x axis; lengths in "
              "radii of the "
              "first disk:"},
    {"pericenter", KEY_PERICENTER, "L", 0, "their distance at pericentre, were they points (default 0.4)"},
    {"eccentricity", 'e', "E", 0, "below 1 an ellipse, 1 a parabola, more a hyperbola (default 0.9)"},
    {"separation", KEY_SEPARATION, "L", 0, "their distance at the start, on the way in (default 3)"},
    {"incline1", KEY_INCLINE1, "I,NODE", 0,
     "degrees from the orbit's axis to the spin of the first disk, and from x to its line of nodes (default 20,0)"},
    {"incline2", KEY_INCLINE2, "I,NODE", 0, "the same for the second disk (default 50,60)"},
    {"mass-ratio", KEY_MASS_RATIO, "Q", 0,
     "mass of the second disk over that of the first; its radius goes with the square root (default 1)"},
    {.about = "Both disks:"},
    DISK_OPTIONS,
    {0},
};

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case KEY_PERICENTER: parameters.pericenter = tool_positive("--pericenter", arg); return true;
    case 'e': parameters.eccentricity = tool_not_negative("--eccentricity", arg); return true;
    case KEY_SEPARATION: parameters.separation = tool_positive("--separation", arg); return true;
    case KEY_INCLINE1: parameters.tilts[0] = disk_parse_tilt("--incline1", arg); return true;
    case KEY_INCLINE2: parameters.tilts[1] = disk_parse_tilt("--incline2", arg); return true;
    case KEY_MASS_RATIO: parameters.mass_ratio = tool_positive("--mass-ratio", arg); return true;
    default: return disk_parse(key, arg);
    }
}

/* The bodies of the first disk: its share of the mass, and at least two in each. */
static uint64_t first_count(uint64_t n)
{
    double count = round((double)n / (1 + parameters.mass_ratio));
    return (uint64_t)fmin(fmax(count, 2), (double)(n - 2));
}

static void prepare_disk(struct disk *d, const struct gen_plan *plan, int which)
{
    uint64_t first = first_count(plan->n);
    double mass = which ? parameters.mass_ratio : 1, radius = sqrt(mass);
    *d = (struct disk){
        .shape = disk_shape,
        .rng = {plan->options->seed, NB_DISK + 256 * (uint64_t)which},
        .n = which ? plan->n - first : first,
        .softening = plan->softening / radius,
        .mass = mass,
        .radius = radius,
        .plane = disk_plane(parameters.tilts[which]),
    };
    disk_prepare(d);
}

/* Relative state of the centres, the second from the first. */
static void find_orbit(double gm, double pos[3], double vel[3])
{
    double q = parameters.pericenter, e = parameters.eccentricity, separation = parameters.separation;
    double nu = orbit_anomaly_in(q, e, separation);
    if (isnan(nu) && separation < q)
        die_usage("--separation %g: less than --pericenter %g", separation, q);
    if (isnan(nu))
        die_usage("--separation %g: the orbit reaches from %g to %g", separation, q, q * (1 + e) / (1 - e));
    orbit_state(gm, q, e, nu, pos, vel);
}

static void add_disk(struct gen_plan *plan, const struct disk *d, uint8_t galaxy, double share, const double pos[3],
                     const double vel[3])
{
    struct gen_part part = {.n = d->n, .fill = disk_fill, .data = d, .galaxy = galaxy, .centred = true};
    for (int k = 0; k < 3; k++) {
        part.pos[k] = share * pos[k];
        part.vel[k] = share * vel[k];
    }
    gen_plan_add(plan, part);
}

/* Once merged, stars move about both central bodies. */
static double find_step(const struct disk disks[2])
{
    double slower = sqrt(pow(disks[1].radius, 3) / disks[1].mass);
    double step = fmin(disk_step(&disks[0]), disk_step(&disks[1]) * slower);
    double central = disk_shape.central_mass * (1 + parameters.mass_ratio);
    return central > 0 ? fmin(step, gen_step_period(disk_central_frequency(&disks[0], central))) : step;
}

static void prepare(struct gen_plan *plan)
{
    static struct disk disks[2];
    double mass = 1 + parameters.mass_ratio, pos[3], vel[3];
    find_orbit(mass, pos, vel);
    plan->softening = gen_plan_softening(plan, DISK_SOFTENING(&disk_shape));
    for (int k = 0; k < 2; k++)
        prepare_disk(&disks[k], plan, k);
    add_disk(plan, &disks[0], 0, -parameters.mass_ratio / mass, pos, vel);
    add_disk(plan, &disks[1], 1, 1 / mass, pos, vel);
    plan->galaxies = true;
    disk_warn(&disks[0]);
    plan->dt = find_step(disks);
}

const struct gen_model gen_collision = {
    .name = "collision",
    .about = "two disks of stars on a Kepler orbit about one another",
    .doc = "The first disk has mass 1 and radius 1, so that the total is 2 for equal ones. Its bodies come first, each "
           "disk's "
           "central one before its stars, and the column galaxy says which it is, 0 or 1; the stars of the two are "
           "different random ones. The centre of mass rests at "
           "the origin. " DISK_DOC,
    .table = {table, parse},
    .random = true,
    .usual_n = 20000,
    .least_n = 4,
    .prepare = prepare,
};
