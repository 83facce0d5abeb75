/* solar.c - the models `solar` (the Sun, eight planets and Pluto at J2000) and `outer-solar`. */
#include "nbgen.h"

#include <math.h>

#define BODIES 10
#define DEG    (M_PI / 180)
/* G times the mass of the Sun, AU^3 / yr^2. */
#define SUN_GM  (NB_GM_SUN_CGS * NB_YEAR_CGS * NB_YEAR_CGS / (NB_AU_CGS * NB_AU_CGS * NB_AU_CGS))
#define MERCURY 0.2408 /* Mercury's period in years */

/* Elements at J2000 in AU and degrees, for the ecliptic and mean equinox of J2000: E. M. Standish, "Keplerian elements
 * for approximate positions of the major planets", JPL, table 1 (valid 1800 to 2050). In these years, positions from
 * the elements differ from the ephemeris DE200 by at most 50 arc seconds (Jupiter: 400, Saturn: 600).
 *
 * Each orbit is about the centre of mass of the Sun and of all planets that are closer to the Sun. If the orbits were
 * about the Sun, the errors of Uranus to Pluto would be ten times larger, because Jupiter moves the Sun.
 * `sun_over_mass` is the ratio (mass of the Sun) / (mass of the planet with its moons) from the IAU (2009) constants,
 * Luzum et al. (2011). */
static const struct elements {
    double sun_over_mass;
    double a, e, inclination, mean_longitude, perihelion, node;
} planets[BODIES - 1] = {
    {6.0236e6, 0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593},
    {4.08523719e5, 0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255},
    {3.329460487e5 / 1.0123000371, 1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0},
    {3.09870359e6, 1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891},
    {1.047348644e3, 5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909},
    {3.4979018e3, 9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448},
    {2.290298e4, 19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503},
    {1.941226e4, 30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574},
    {1.36566e8, 39.48211675, 0.24882730, 17.14001206, 238.92903833, 224.06891629, 110.30393684},
};

/* Returns a planet. Its orbit is about the centre of mass of the Sun and the planets inside the orbit. On entry,
 * `inside` contains their total mass, and the position and velocity of their centre of mass. The new planet is added to
 * `inside`. Units: AU, AU/yr, solar masses. */
static struct gen_body planet(const struct elements *p, struct gen_body *inside)
{
    struct gen_body body = {.mass = 1 / p->sun_over_mass, .component = NB_PLANET};
    double mass = inside->mass + body.mass;
    struct orbit_plane plane = orbit_plane(p->node * DEG, p->inclination * DEG, (p->perihelion - p->node) * DEG);
    double nu = orbit_true_anomaly((p->mean_longitude - p->perihelion) * DEG, p->e);
    orbit_state(SUN_GM * mass, p->a * (1 - p->e), p->e, nu, body.pos, body.vel);
    orbit_turn(&plane, body.pos);
    orbit_turn(&plane, body.vel);
    for (int k = 0; k < 3; k++) {
        body.pos[k] += inside->pos[k];
        body.vel[k] += inside->vel[k];
        inside->pos[k] += body.mass / mass * (body.pos[k] - inside->pos[k]);
        inside->vel[k] += body.mass / mass * (body.vel[k] - inside->vel[k]);
    }
    inside->mass = mass;
    return body;
}

static void prepare(struct gen_plan *plan)
{
    static struct gen_listed listed;
    struct gen_body inside = {.mass = 1, .component = NB_STAR};
    listed = (struct gen_listed){.n = BODIES, .bodies = {inside}};
    for (int i = 1; i < BODIES; i++)
        listed.bodies[i] = planet(&planets[i - 1], &inside);
    gen_plan_list(plan, &listed, MERCURY / 100);
    plan->parts[0].centred = true;
}

const struct gen_model gen_solar = {
    .name = "solar",
    .about = "the Sun, eight planets and Pluto on 1 January 2000",
    .doc = "Epoch J2000 (JD 2451545.0), barycentric. The xy plane is the ecliptic of J2000, and x points to its "
           "equinox. Elements of Standish (JPL, valid 1800 to 2050, errors of a few arc seconds to 10 arc "
           "minutes) and masses of the IAU (2009), moons included. Order: Sun, Mercury to Neptune, Pluto; body 3 "
           "is the Earth with its Moon."
           "\n\nNo softening. Suggested time step: 1/100 of Mercury's year.",
    .physical = true,
    .units = "solar",
    .usual_n = BODIES,
    .least_n = BODIES,
    .prepare = prepare,
};

/* The Sun, the four giant planets and Pluto. The Sun's mass includes the four inner planets. Data of Ahnert's calendar
 * (1994), as used by Hairer, Lubich & Wanner, "Geometric Numerical Integration" (2006), I.2.4. Units: AU, Msun, day. */
#define G_AU_DAY 2.95912208286e-4

/* clang-format off */
static const struct gen_listed outer = {
    .n = 6,
    .bodies = {
        {1.00000597682,     {0, 0, 0}, {0, 0, 0}, NB_STAR},
        {0.000954786104043, {-3.5023653, -3.8169847, -1.5507963}, {0.00565429, -0.00412490, -0.00190589}, NB_PLANET},
        {0.000285583733151, {9.0755314, -3.0458353, -1.6483708}, {0.00168318, 0.00483525, 0.00192462}, NB_PLANET},
        {0.0000437273164546, {8.3101420, -16.2901086, -7.2521278}, {0.00354178, 0.00137102, 0.00055029}, NB_PLANET},
        {0.0000517759138449, {11.4707666, -25.7294829, -10.8169456}, {0.00288930, 0.00114527, 0.00039677}, NB_PLANET},
        {1 / 1.3e8, {-15.5387357, -25.2225594, -3.1902382}, {0.00276725, -0.00170702, -0.00136504}, NB_PLANET},
    },
};
/* clang-format on */

static void prepare_outer(struct gen_plan *plan)
{
    plan->units = (struct nb_units){"au-day", NB_AU_CGS, 0, NB_DAY_CGS};
    plan->units.mass_cgs = G_AU_DAY * NB_AU_CGS * NB_AU_CGS * NB_AU_CGS / (NB_DAY_CGS * NB_DAY_CGS) / NB_G_CGS;
    plan->G = G_AU_DAY;
    plan->scale = (struct gen_scale){1, 1, 1};
    gen_plan_list(plan, &outer, 10);
}

const struct gen_model gen_outer_solar = {
    .name = "outer-solar",
    .about = "the Sun, Jupiter to Neptune, and Pluto (Hairer, Lubich & Wanner)",
    .doc = "The problem of Hairer, Lubich & Wanner (2006), in AU, day and the mass of the Sun, to which the inner "
           "planets are added. G is 2.95912208286e-4. Heliocentric, equatorial, for 5 September 1994. `nbgen "
           "solar' has all planets."
           "\n\nNo softening. Suggested time step: 10 days.",
    .own_units = true,
    .usual_n = 6,
    .least_n = 6,
    .prepare = prepare_outer,
};
