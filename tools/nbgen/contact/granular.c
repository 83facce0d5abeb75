/* granular.c - the model `granular`: disks that fall through the hole of an hourglass and settle. */
#include "nbgen/contact/disks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shape of the hourglass in units of its width. The hole is at height 0. */
#define HALF   0.5 /* half of the width */
#define HEIGHT 1.5 /* height of each of the two chambers, including the slopes to the hole */
#define SLOPES 0.5 /* height at which the slopes to the hole begin */

/* The disks' stiffness is computed for collisions at STIFFER times the speed of a fall through the entire glass, so
 * that disks overlap only a little. */
#define STIFFER 2
#define WIDE    4 /* minimum width of the hole in diameters of a disk; disks may block narrower holes */

static struct {
    double size, hole, fraction, spread, restitution, gravity;
} parameters = {1, NAN, 0.5, 0, 0.5, 1};

static const struct tool_option table[] = {
    {"size", "L", tool_take_positive, &parameters.size, "width of the hourglass, a third of its height (default 1)"},
    {"hole", "L", tool_take_positive, &parameters.hole,
     "width of the hole between the chambers (default 0.15 of the size)"},
    {"fraction", "F", tool_take_positive, &parameters.fraction,
     "fraction of the upper chamber that the disks cover, up to 0.7, which sets their radius (default 0.5)", 0, 0.7,
     "more than 0.7"},
    {"spread", "S", tool_take_number, &parameters.spread,
     "radii are uniform from 1 - S to 1 + S of their mean, 0 to 0.9 (default 0: equal). 0.2 keeps disks from "
     "settling into a lattice",
     0, 0.9, "must be from 0 to 0.9"},
    DISKS_RESTITUTION(&parameters.restitution, "(default 0.5)"),
    {"gravity", "A", tool_take_positive, &parameters.gravity, "acceleration along -y (default 1)"},
    {0},
};

/* Adds the wall of the hourglass to the scene. Its corners begin at the upper left and go clockwise. */
static void make_scene(struct nb_scene *scene, double hole)
{
    const double h = hole / 2 / parameters.size;
    double xy[][2] = {{-HALF, HEIGHT}, {HALF, HEIGHT},  {HALF, SLOPES},   {h, 0},
                      {HALF, -SLOPES}, {HALF, -HEIGHT}, {-HALF, -HEIGHT}, {-HALF, -SLOPES},
                      {-h, 0},         {-HALF, SLOPES}, {-HALF, HEIGHT}};
    const int count = sizeof xy / sizeof *xy;
    for (int k = 0; k < count; k++)
        xy[k][0] *= parameters.size, xy[k][1] *= parameters.size;
    *scene = (struct nb_scene){.boxed = true};
    for (int c = 0; c < 2; c++)
        scene->low[c] = xy[6][c], scene->high[c] = xy[1][c];
    disks_add_wall(scene, "glass", xy[0], count);
}

static void check_hole(double hole, double radius)
{
    if (hole < 2 * radius)
        die_usage("a hole of width %.4g is too narrow for disks of radius %.4g (use more bodies or a larger --hole)",
                  hole, radius);
    if (hole < WIDE * 2 * radius)
        warn("the hole is %.1f disks wide: they may block it", hole / (2 * radius));
}

/* Sets the forces that the header names for nbsim: contact between disks, and the uniform field of gravity. */
static void set_forces(struct gen_plan *plan)
{
    static char field[64];
    snprintf(field, sizeof field, "external:uniform,gy=%.17g", -parameters.gravity);
    plan->forces[0] = "auto";
    plan->forces[1] = field;
}

static void prepare(struct gen_plan *plan)
{
    static struct disks d;
    const double size = parameters.size, hole = isnan(parameters.hole) ? 0.15 * size : parameters.hole;
    if (hole >= size)
        die_usage("--hole %g: as wide as the hourglass (--size %g)", hole, size);
    make_scene(&d.scene, hole);
    const double area = size * size * (HEIGHT - SLOPES) + (size + hole) / 2 * SLOPES * size;
    const double spread = parameters.spread;
    const double mean = sqrt(parameters.fraction * area / (M_PI * (double)plan->n * (1 + spread * spread / 3)));
    d.spread = spread;
    /* The maximum of the radii is rounded to f32, because the radii in the output are f32. Otherwise rounding could
     * make a radius in the output larger than this maximum. */
    d.scene.radius = spread > 0 ? (double)(float)(mean * (1 + spread)) : mean;
    check_hole(hole, d.scene.radius);
    const double kept = d.scene.radius / (1 + spread);
    d.mass = M_PI * kept * kept;
    d.rng = (struct nb_rng){plan->options->seed, NB_OTHER};
    memcpy(d.lattice.low, (const double[]){-HALF * size, 0}, sizeof d.lattice.low);
    memcpy(d.lattice.high, d.scene.high, sizeof d.lattice.high);
    set_forces(plan);
    disks_plan(plan, &d, STIFFER * sqrt(2 * parameters.gravity * 2 * HEIGHT * size), parameters.restitution);
}

const struct gen_model gen_granular = {
    .name = "granular",
    .about = "disks that settle and pour through the hole of an hourglass",
    .doc = "Disks with dissipative contacts (nbsim --force contact) in the plane z = 0. They start at rest in the "
           "upper chamber, on a jittered lattice. The header has the wall 'glass' and the lines 'force auto' and "
           "'force external:uniform', so nbsim needs no option. A disk has the mass pi r^2. There is no friction: "
           "settled disks move like a liquid, and holes of a few disks' width seldom block."
           "\n\nStiffness: a disk at twice the speed of a fall through the entire glass stops at a wall at the depth "
           "of a radius. Suggested time step: 1/25 of the contact time of two disks, or the time in which this "
           "disk moves by a tenth of the least radius if that is less. No softening.",
    .options = {table},
    .random = true,
    .disks = true,
    .usual_n = 5000,
    .least_n = 1,
    .prepare = prepare,
};
