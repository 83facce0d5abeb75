/* Two disks on a Kepler orbit about one another. Units: the first disk has mass 1 and radius 1. */
#include "disk.h"
#include "encounter.h"

#include <math.h>
#include <string.h>

static double mass_ratio = 1;
static struct encounter orbit = {.pericenter = 0.4, .eccentricity = 0.9, .separation = 3, .tilts = {{20, 0}, {50, 60}}};

enum { KEY_MASS_RATIO = 256 };

static const struct tool_option table[] = {
    {.about = "The orbit of the two centres, in the xy plane, anticlockwise, pericentre on the x axis; lengths in "
              "radii of the "
              "first disk:"},
    ENCOUNTER_OPTIONS("default 0.4", "default 0.9", "default 3", "default 20,0", "default 50,60"),
    {"mass-ratio", KEY_MASS_RATIO, "Q", 0,
     "mass of the second disk over that of the first; its radius goes with the square root (default 1)"},
    {.about = "Both disks:"},
    DISK_OPTIONS,
    {0},
};

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    if (key != KEY_MASS_RATIO)
        return encounter_parse(&orbit, key, arg) || disk_parse(key, arg);
    mass_ratio = gen_parse_ratio("--mass-ratio", arg);
    return true;
}

/* The bodies of the first disk: its share of the mass, and at least two in each. */
static uint64_t first_count(uint64_t n)
{
    double count = round((double)n / (1 + mass_ratio));
    return (uint64_t)fmin(fmax(count, 2), (double)(n - 2));
}

static void prepare_disk(struct disk *d, const struct gen_plan *plan, int which)
{
    uint64_t first = first_count(plan->n);
    double mass = which ? mass_ratio : 1, radius = sqrt(mass);
    *d = (struct disk){
        .shape = disk_shape,
        .rng = {plan->options->seed, NB_DISK + 256 * (uint64_t)which},
        .n = which ? plan->n - first : first,
        .softening = plan->softening / radius,
        .mass = mass,
        .radius = radius,
        .plane = orbit_tilted(orbit.tilts[which]),
    };
    disk_prepare(d);
}

static void add_disk(struct gen_plan *plan, const struct disk *d, uint8_t galaxy, const struct encounter_place *place)
{
    struct gen_part part = {.n = d->n, .fill = disk_fill, .data = d, .galaxy = galaxy, .centred = true};
    memcpy(part.pos, place->pos, sizeof part.pos);
    memcpy(part.vel, place->vel, sizeof part.vel);
    gen_plan_add(plan, part);
}

/* Once merged, stars move about both central bodies. */
static double find_step(const struct disk disks[2])
{
    double slower = sqrt(pow(disks[1].radius, 3) / disks[1].mass);
    double step = fmin(disk_step(&disks[0]), disk_step(&disks[1]) * slower);
    double central = disk_shape.central_mass * (1 + mass_ratio);
    return central > 0 ? fmin(step, gen_step_period(disk_central_frequency(&disks[0], central))) : step;
}

static void prepare(struct gen_plan *plan)
{
    static struct disk disks[2];
    struct encounter_place places[2];
    encounter_places(&orbit, 1, (const double[2]){1, mass_ratio}, places);
    plan->softening = gen_plan_softening(plan, DISK_SOFTENING(&disk_shape));
    for (int k = 0; k < 2; k++)
        prepare_disk(&disks[k], plan, k);
    for (int k = 0; k < 2; k++)
        add_disk(plan, &disks[k], (uint8_t)k, &places[k]);
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
