/* windtunnel.c - a gas of disks that flows past a body along x. Lift, drag and shocks result from collisions only. */
#include "nbgen/contact/disks.h"

#include "force/contact/contact.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The speed of the fastest disk is estimated as (speed of the flow) + FASTEST * (velocity dispersion). About one disk
 * in a million is faster. */
#define FASTEST 5
/* Reserve disks wait in a chamber until they enter the tunnel through the inlet. Their default number is at most
 * RESERVE_MOST times the number of disks in the tunnel. More disks would overlap too much in the chamber. */
#define RESERVE_MOST 0.4

static struct {
    const char *airfoil;
    double alpha_deg, fraction, restitution;
    double reserve; /* ratio (disks in the reserve) / (other disks); negative: not given, usual_reserve() computes it */
    int points;
    int periodic;
} parameters = {.airfoil = "naca0012", .fraction = 0.1, .restitution = 1, .reserve = -1, .points = 200};

static struct disks gas = {.scene = {.boxed = true,
                                     .low = {-2, -2.5},
                                     .high = {6, 2.5},
                                     .periodic = {true},
                                     .flowing = true,
                                     .density = 1,
                                     .speed = 1,
                                     .mach = 2,
                                     .chord = 1}};

static void take_box(const struct tool_option *o, const char *arg)
{
    double b[4];
    if (!gen_numbers(arg, b, 4))
        die_usage("--%s %s: expected 4 numbers X0,X1,Y0,Y1", o->name, arg);
    if (!(b[0] < b[1]) || !(b[2] < b[3]))
        die_usage("--%s %s: expected X0 < X1 and Y0 < Y1", o->name, arg);
    for (int k = 0; k < 2; k++)
        gas.scene.low[k] = b[2 * k], gas.scene.high[k] = b[2 * k + 1];
}

static const struct tool_option table[] = {
    {.about = "The body, wall 'body' of the header:"},
    {"airfoil", "PROFILE", tool_take_text, &parameters.airfoil,
     OUTLINE_NAMES ", or a file of two columns (default naca0012)"},
    {"alpha", "DEG", tool_take_number, &parameters.alpha_deg,
     "angle of attack, positive for nose up, from -180 to 180 (default 0)", -180, 180,
     "must be from -180 to 180 degrees"},
    {"chord", "L", tool_take_positive, &gas.scene.chord, "length of the body (default 1)"},
    {"points", "N", gen_take_some, &parameters.points, "number of sides of a NACA profile or a cylinder (default 200)",
     8, OUTLINE_POINTS_MAX, "must be from 8 to 10000"},
    {.about = "The gas:"},
    {"density", "D", tool_take_positive, &gas.scene.density, "mass per area (default 1)"},
    {"speed", "V", tool_take_positive, &gas.scene.speed, "speed of the flow, along x (default 1)"},
    {"mach", "M", tool_take_positive, &gas.scene.mach, "speed of the flow over the speed of sound (default 2)"},
    {"fraction", "F", tool_take_positive, &parameters.fraction,
     "fraction of the area that the disks cover, up to 0.6, which sets their radius (default 0.1)", 0, 0.6,
     "more than 0.6, at which disks are no gas"},
    DISKS_RESTITUTION(&parameters.restitution, "(default 1); below 1 the gas cools and clumps"),
    {"reserve", "SHARE", tool_take_number, &parameters.reserve,
     "disks that wait at the inlet and replace those that pile up around the body, over those that fill the "
     "tunnel, from 0 to 1 (default: from the body's height and bluntness)",
     0, 1, "must be from 0 to 1"},
    {"box", "X0,X1,Y0,Y1", take_box, NULL, "limits of the tunnel (default -2,6,-2.5,2.5)"},
    {"sides", "walls|periodic", tool_take_word, &parameters.periodic,
     "boundaries at Y0 and Y1: walls ('bottom' and 'top') or periodic (default walls)"},
    {0},
};

/* ---- the scene ---- */

/* Adds the body as a wall. A positive angle of attack rotates clockwise, because the flow comes from the left. */
static void add_body(struct nb_scene *scene)
{
    const struct outline o = outline_find(parameters.airfoil, parameters.points);
    const double a = parameters.alpha_deg * M_PI / 180, c = cos(a), s = sin(a);
    for (int k = 0; k < o.count; k++) {
        const double x = o.xy[2 * k] - o.pivot, y = o.xy[2 * k + 1];
        o.xy[2 * k] = scene->chord * (o.pivot + c * x + s * y);
        o.xy[2 * k + 1] = scene->chord * (c * y - s * x);
    }
    if (o.count > 0)
        disks_add_wall(scene, "body", o.xy, o.count);
    free(o.xy);
}

/* Returns the wall of the body, or NULL if there is none. */
static const struct nb_wall *body_of(const struct nb_scene *s)
{
    return s->wall_count > 0 && s->walls[0].closed ? &s->walls[0] : NULL;
}

/* Sets extent to the smallest and the largest coordinate of the body along an axis (0: x, 1: y). */
static void find_extent(const struct nb_scene *s, int axis, double extent[2])
{
    const struct nb_wall *body = body_of(s);
    extent[0] = INFINITY, extent[1] = -INFINITY;
    for (int k = 0; body && k < body->count; k++) {
        extent[0] = fmin(extent[0], body->xy[2 * k + axis]);
        extent[1] = fmax(extent[1], body->xy[2 * k + axis]);
    }
}

/* Dies with a usage error if the body begins inside the inlet, where disks get new velocities. */
static void check_inlet(const struct nb_scene *s)
{
    const double end = nb_contact_fringe(s);
    double x[2];
    find_extent(s, 0, x);
    if (x[0] < end + s->radius)
        die_usage("the body begins at x = %.4g, inside the inlet, which ends at %.4g (--box)", x[0], end);
}

/* Returns the largest fraction of the tunnel's height that a body may block so that a flow with Mach number `mach` > 1
 * can start. When the flow starts, there is a shock ahead of the body, and the gas behind the shock is subsonic. This
 * gas must pass the body, where its speed can be at most the speed of sound. At the returned fraction, it has exactly
 * the speed of sound there (Kantrowitz & Donaldson 1945, NACA ACR L5D20). The ratio of specific heats is 2, because
 * disks have two degrees of freedom. */
static double starting_share(double mach)
{
    const double behind2 = (mach * mach + 2) / (4 * mach * mach - 1); /* squared Mach number behind the shock */
    return 1 - sqrt(behind2) / pow((2 + behind2) / 3, 1.5);
}

/* Returns the fraction of the tunnel's height that the body blocks. */
static double height_share(const struct nb_scene *s)
{
    double y[2];
    find_extent(s, 1, y);
    return fmax(y[1] - y[0], 0) / (s->high[1] - s->low[1]);
}

static void warn_of_choking(const struct nb_scene *s)
{
    const double share = height_share(s), most = starting_share(s->mach);
    if (s->mach > 1 && round(1000 * share) > round(1000 * most)) /* rounded like the numbers in the message */
        warn("the body blocks %.1f %% of the tunnel's height, above the %.1f %% at which a flow of Mach %g can start: "
             "its shock moves upstream (use a smaller --chord or a higher --box)",
             100 * share, 100 * most, s->mach);
}

/* Returns the default reserve as a fraction of the tunnel's disks: (2 + C) * height_share, but at most RESERVE_MOST.
 * The reserve must replace the disks that collect at the body. C is the body's drag coefficient in Newtonian flow: the
 * mean of 2 n_x^2 over the frontal height, where n_x is the x component of the surface's unit normal. The factor 2 + C
 * includes a margin: in tests at Mach 2 to 4, in tunnels of 3 to 8 chords, a factor of 1 was enough for wedges and thin
 * wings, a factor of 1.6 for cylinders, and a factor of 3.5 for plates across the flow. */
static double usual_reserve(const struct nb_scene *s)
{
    const struct nb_wall *body = body_of(s);
    double drag = 0;
    for (int k = 0; body && k + 1 < body->count; k++) {
        const double *p = body->xy + 2 * k, dx = p[2] - p[0], dy = p[3] - p[1];
        /* The outline is anticlockwise: on sides that face the flow, y decreases (dy < 0). */
        drag += 2 * fmax(-dy, 0) * dy * dy / (dx * dx + dy * dy);
    }
    return fmin(2 * height_share(s) + drag / (s->high[1] - s->low[1]), RESERVE_MOST);
}

static void finish_scene(struct nb_scene *scene)
{
    const double *low = scene->low, *high = scene->high;
    scene->periodic[1] = parameters.periodic;
    add_body(scene);
    if (parameters.periodic)
        return;
    disks_add_wall(scene, "bottom", (const double[]){low[0], low[1], high[0], low[1]}, 2);
    disks_add_wall(scene, "top", (const double[]){low[0], high[1], high[0], high[1]}, 2);
}

static double free_area(const struct nb_scene *s)
{
    double area = (s->high[0] - s->low[0]) * (s->high[1] - s->low[1]);
    for (int k = 0; k < s->wall_count; k++)
        area -= fmax(s->walls[k].area, 0);
    return area;
}

static double fastest(const struct disks *d)
{
    return d->speed + FASTEST * d->sigma;
}

/* Computes the velocity dispersion `sigma` and the stiffness. The dispersion depends on the stiffness through the
 * effective radius of the disks, and the stiffness depends on the dispersion. So both are iterated. */
static void set_dispersion(struct disks *d)
{
    struct nb_scene *s = &d->scene;
    d->sigma = 0;
    for (int k = 0; k < 50; k++) {
        s->stiffness = disks_stiffness(d, fastest(d));
        d->sigma = nb_contact_sigma(s, s->radius, d->mass);
    }
}

/* Prints properties of the gas at rest, from the theory of hard disks. In the formulas, d is the effective diameter of
 * a disk, m its mass, n the number of disks per area, and f the fraction of the area that disks of diameter d cover.
 *
 *   pair distribution at contact  chi = (1 - 7 f / 16) / (1 - f)^2 (Henderson 1975, Mol. Phys. 30, 971)
 *   mean free path                1 / (2 sqrt(2) n d chi)
 *   viscosity of a dilute gas     1.022 / (2 d) sqrt(m k T / pi), k T = m sigma^2 (Gass 1971, J. Chem. Phys. 54, 1898)
 */
static void tell(const struct disks *d)
{
    const struct nb_scene *s = &d->scene;
    const double radius = nb_contact_effective(s, s->radius, d->mass, d->sigma);
    const double f = s->density / d->mass * M_PI * radius * radius;
    const double chi = (1 - 7 * f / 16) / ((1 - f) * (1 - f));
    const double path = d->mass / (s->density * 4 * M_SQRT2 * radius * chi);
    const double viscosity = 1.022 / (4 * radius) * d->mass * d->sigma / sqrt(M_PI);
    say("disks of radius %.3g (effective %.3g), Mach %.3g, Knudsen number %.3g, Reynolds number %.3g; %" PRIu64
        " of the disks are a reserve at the inlet",
        s->radius, radius, s->mach, path / s->chord, s->density * s->speed * s->chord / viscosity, d->reserve);
}

static void prepare(struct gen_plan *plan)
{
    struct nb_scene *s = &gas.scene;
    finish_scene(s);
    const double area = free_area(s);
    const double reserve = parameters.reserve < 0 ? usual_reserve(s) : parameters.reserve;
    const uint64_t n = (uint64_t)fmax(1, (double)plan->n / (1 + reserve) + 0.5);
    struct nb_contact_inlet inlet;
    s->radius = sqrt(parameters.fraction * area / (M_PI * (double)n));
    gas.mass = s->density * area / (double)n;
    gas.reserve = plan->n - n;
    nb_contact_inlet_make(s, &inlet);
    memcpy(gas.chamber, (const double[]){inlet.chamber, inlet.nozzle, inlet.low[1], inlet.high}, sizeof gas.chamber);
    gas.speed = s->speed;
    set_dispersion(&gas);
    gas.rng = (struct nb_rng){plan->options->seed, NB_GAS};
    memcpy(gas.lattice.low, s->low, sizeof s->low);
    memcpy(gas.lattice.high, s->high, sizeof s->high);
    check_inlet(s);
    disks_plan(plan, &gas, fastest(&gas), parameters.restitution);
    tell(&gas);
    warn_of_choking(s);
}

const struct gen_model gen_windtunnel = {
    .name = "windtunnel",
    .about = "a gas of disks that flows past an airfoil, by collisions only",
    .doc = "Disks that repel each other on contact (nbsim --force contact), in the plane z = 0, without gravity: "
           "G is 0. The gas flows along x. Disks that leave the tunnel enter again with the density, speed and "
           "temperature of the flow, while the reserve lasts. Velocities are Maxwellian, with a dispersion from "
           "the speed of sound of hard disks with the effective radius (Barker & Henderson 1967)."
           "\n\nThe body lies on the x axis from 0 to the chord before it is rotated, an airfoil about its quarter "
           "chord, others about their middle. The plate is 0.04 chords thick, the wedge has a half angle of 10 "
           "degrees. A name that is not a profile is taken as a file."
           "\n\nStiffness: a disk five standard deviations faster than the flow stops at a wall at the depth of a "
           "radius. Suggested time step: 1/25 of the contact time of two disks, or the time in which this disk "
           "moves by a tenth of the radius if that is less. No softening.",
    .options = {table},
    .random = true,
    .disks = true,
    .usual_n = 100000,
    .least_n = 1,
    .prepare = prepare,
};
