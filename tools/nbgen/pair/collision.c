/* collision.c - the model `collision`: two disks on a Kepler orbit about one another. Units: the first disk has mass 1
 * and radius 1. */
#include "nbgen/disk.h"
#include "pair.h"

#include <math.h>

static double mass_ratio = 1;
static struct encounter orbit;

static const struct tool_option table[] = {
    {.about =
         "The orbit of the two centres, in the xy plane, anticlockwise, pericentre on the x axis; lengths in radii "
         "of the first disk:"},
    ENCOUNTER_OPTIONS("default 0.4", "default 0.9", "default 3", "default 20,0", "default 50,60", "default points"),
    {"mass-ratio", "Q", gen_take_ratio, &mass_ratio,
     "mass of the second disk over that of the first (default 1). Its radius is proportional to the square root"},
    {.about = "Both disks:"},
    {0},
};

/* Returns the number of bodies of the first disk. It is proportional to the disk's mass, but each disk has at least two
 * bodies. */
static uint64_t first_count(uint64_t n)
{
    double count = round((double)n / (1 + mass_ratio));
    return (uint64_t)fmin(fmax(count, 2), (double)(n - 2));
}

/* Maximum number of bodies that represent the gravity of a disk when the orbit is computed. This number is enough,
 * because most pairs of disks start far apart. */
#define ENOUGH 2048

/* The central body of a disk, and a sample of its stars. The sample has the total mass of all stars. */
struct some {
    struct pair_bodies bodies;
    const struct disk *disk;
    uint64_t count;
};

static void read_some(const void *context, uint64_t i0, uint64_t i1, double *mass, double *pos)
{
    const struct some *s = context;
    const uint64_t central = s->disk->shape.central_mass > 0, stars = s->disk->n - central, taken = s->count - central;
    for (uint64_t i = i0; i < i1; i++) {
        const uint64_t body = i < central ? i : central + (i - central) * stars / taken;
        double m, x[3];
        pair_read(&s->bodies, body, body + 1, &m, pos ? pos + 3 * (i - i0) : x);
        if (mass)
            mass[i - i0] = m * (i < central ? 1 : (double)stars / (double)taken);
    }
}

static void find_places(struct gen_plan *plan, const struct disk disks[2])
{
    struct rigid rigid = {.G = 1, .softening = plan->softening, .plane = orbit_plane(0, 0, 0)};
    for (int k = 0; k < 2; k++) {
        const uint64_t count = disks[k].n < ENOUGH ? disks[k].n : ENOUGH;
        const struct some some = {{plan, k ? disks[0].n : 0}, &disks[k], count};
        rigid.clouds[k] = cloud_make(count, ENOUGH, read_some, &some);
        rigid.clouds[k].mass = disks[k].mass; /* the disk's mass, without the rounding error of the cloud's sum */
    }
    pair_place(plan, &rigid, &orbit);
}

/* Returns a time step that is short enough for both disks, and for the time after they merge. After the merger, stars
 * move about both central bodies, which orbit one another. */
static double find_step(const struct disk disks[2])
{
    double slower = sqrt(pow(disks[1].radius, 3) / disks[1].mass);
    double step = fmin(disk_step(&disks[0]), disk_step(&disks[1]) * slower);
    double central = disk_shape.central_mass * (1 + mass_ratio);
    return central > 0 ? fmin(step, 2.0 / 3 * gen_step_period(disk_central_frequency(&disks[0], central))) : step;
}

static void prepare(struct gen_plan *plan)
{
    static struct disk disks[2];
    const uint64_t first = first_count(plan->n);
    disk_begin(plan);
    orbit = encounter_or(&encounter_presets[ENCOUNTER_DISKS].orbit);
    encounter_check(&orbit);
    disk_add(plan, &disks[0], first, 1, orbit.tilts[0]);
    disk_add(plan, &disks[1], plan->n - first, mass_ratio, orbit.tilts[1]);
    plan->galaxies = true;
    disk_warn(&disks[0]);
    find_places(plan, disks);
    plan->dt = find_step(disks);
    plan->dynamical_time = disk_turn(&disks[mass_ratio > 1]); /* rotation period of the heavier disk */
}

const struct gen_model gen_collision = {
    .name = "collision",
    .about = "two disks of stars on a Kepler orbit around each other",
    .doc = "The first disk has mass 1 and radius 1. Its bodies come first, each central body before its stars. "
           "The column galaxy is 0 or 1. The centre of mass rests at the origin."
           " " DISK_DOC,
    .options = {table, disk_options},
    .random = true,
    .usual_n = 20000,
    .least_n = 4,
    .prepare = prepare,
};
