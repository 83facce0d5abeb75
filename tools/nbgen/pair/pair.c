/* pair.c - two galaxies on an orbit. Energies and angular momenta are divided by the reduced
 * mass, m1 m2 / (m1 + m2). */
#include "pair.h"

#include <math.h>

struct encounter encounter_given = {.pericenter = NAN,
                                    .eccentricity = NAN,
                                    .separation = NAN,
                                    .tilts = {{NAN, NAN}, {NAN, NAN}},
                                    .of = ENCOUNTER_NOT_GIVEN};

static double given_or(double given, double other)
{
    return isnan(given) ? other : given;
}

struct encounter encounter_or(const struct encounter *other)
{
    const struct encounter *given = &encounter_given;
    struct encounter e = {
        .pericenter = given_or(given->pericenter, other->pericenter),
        .eccentricity = given_or(given->eccentricity, other->eccentricity),
        .separation = given_or(given->separation, other->separation),
        .of = given->of == ENCOUNTER_NOT_GIVEN ? other->of : given->of,
    };
    for (int k = 0; k < 2; k++)
        e.tilts[k] = isnan(given->tilts[k].inclination) ? other->tilts[k] : given->tilts[k];
    return e;
}

static double anomaly(const struct encounter *o)
{
    const double q = o->pericenter, e = o->eccentricity, nu = orbit_anomaly_in(q, e, o->separation);
    if (isnan(nu) && o->separation < q)
        die_usage("--separation %g: less than --pericenter %g", o->separation, q);
    if (isnan(nu))
        die_usage("--separation %g: the orbit reaches from %g to %g", o->separation, q, q * (1 + e) / (1 - e));
    return nu;
}

void encounter_check(const struct encounter *e)
{
    anomaly(e);
}

double encounter_step(double first, double second)
{
    return 1 / hypot(1 / first, 1 / second);
}

/* ---- extended galaxies ---- */

/* Returns the potential energy of the two galaxies, divided by the reduced mass. from: position of the second galaxy
 * relative to the first. */
static double potential_at(const struct rigid *r, const double from[3])
{
    double at[3] = {from[0], from[1], from[2]};
    const double reduced = r->clouds[0].mass / (r->clouds[0].mass + r->clouds[1].mass) * r->clouds[1].mass;
    orbit_turn(&r->plane, at);
    return r->G / reduced * cloud_potential(&r->clouds[0], &r->clouds[1], at, r->softening);
}

/* The line through the initial centres of the galaxies. The potential energy is computed only for galaxies on this
 * line, as a function of their distance. It hardly depends on the direction from one galaxy to the other, even without
 * halos. */
struct line {
    const struct rigid *rigid;
    double direction[3];
};

static double potential(const struct line *l, double distance)
{
    const double from[3] = {distance * l->direction[0], distance * l->direction[1], distance * l->direction[2]};
    return potential_at(l->rigid, from);
}

struct motion {
    double energy, momentum;
};

/* The apocentre is at least (1 + CIRCLE) times the pericentre. These distances must differ, because the energy is
 * computed from the difference of the potentials at the two distances. */
#define CIRCLE 1e-4

/* Computes energy and angular momentum from the potentials at the turning points. If no orbit has these turning points,
 * the angular momentum is 0 or NAN. */
static struct motion find_motion(const struct line *l, const struct encounter *e)
{
    const double q = e->pericenter, inner = potential(l, q);
    const double gm = l->rigid->G * (l->rigid->clouds[0].mass + l->rigid->clouds[1].mass);
    struct motion motion = {(e->eccentricity - 1) * gm / (2 * q), 0};
    if (e->eccentricity < 1) {
        const double far = fmax(q * (1 + e->eccentricity) / (1 - e->eccentricity), q * (1 + CIRCLE));
        const double outer = potential(l, far), ratio2 = (q / far) * (q / far);
        motion.energy = (outer - ratio2 * inner) / (1 - ratio2);
    }
    motion.momentum = q * sqrt(2 * (motion.energy - inner));
    return motion;
}

static struct line line_of(const struct rigid *r, const struct encounter_place places[2])
{
    struct line l = {.rigid = r};
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        l.direction[k] = places[1].pos[k] - places[0].pos[k];
        r2 += l.direction[k] * l.direction[k];
    }
    for (int k = 0; k < 3; k++)
        l.direction[k] /= sqrt(r2);
    return l;
}

/* Sets `vel` to the initial velocity of the second galaxy relative to the first, in the orbital plane. */
static void find_velocity(const struct rigid *r, const struct encounter *e, const struct encounter_place places[2],
                          double vel[3])
{
    const struct line l = line_of(r, places);
    const struct motion motion = find_motion(&l, e);
    if (!(motion.momentum > 0 && isfinite(motion.momentum)))
        die_usage("--orbit-of extended: these galaxies have no orbit with that pericentre");
    const double across = motion.momentum / e->separation;
    const double inward2 = 2 * (motion.energy - potential(&l, e->separation)) - across * across;
    const double radial = -sqrt(fmax(inward2, 0)); /* at a turning point, rounding may make inward2 negative */
    vel[0] = radial * l.direction[0] - across * l.direction[1];
    vel[1] = radial * l.direction[1] + across * l.direction[0];
    vel[2] = 0;
}

void rigid_places(const struct rigid *r, const struct encounter *e, struct encounter_place places[2])
{
    const double mass[2] = {r->clouds[0].mass, r->clouds[1].mass}, total = mass[0] + mass[1];
    const double share[2] = {-mass[1] / total, mass[0] / total};
    double pos[3], vel[3]; /* position and velocity of the second galaxy relative to the first */
    orbit_state(r->G * total, e->pericenter, e->eccentricity, anomaly(e), pos, vel);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 3; k++)
            places[p].pos[k] = share[p] * pos[k];
    if (e->of == ENCOUNTER_EXTENDED)
        find_velocity(r, e, places, vel);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 3; k++)
            places[p].vel[k] = share[p] * vel[k];
}

/* ---- messages ---- */

#define FEW  512 /* maximum number of bodies of a cloud in rigid_time */
#define ROWS 128

/* Returns the time from the start to the pericentre: the integral of dr / v_r, by the midpoint rule. v_r is 0 at the
 * pericentre, so the integration variable is not r:
 * - on a bound orbit it is an angle E, with r = q + 2 a e sin^2(E/2);
 * - on an open orbit it is u, with r = q + u^2.
 * q: pericentre distance; a: semi-major axis; e: eccentricity. */
static double rigid_time(const struct rigid *r, const struct encounter *e, const struct encounter_place places[2])
{
    struct rigid few = *r;
    for (int k = 0; k < 2; k++)
        few.clouds[k] = cloud_thinned(&r->clouds[k], FEW);
    const struct line l = line_of(&few, places);
    const struct motion motion = find_motion(&l, e);
    const double q = e->pericenter, rise = e->separation - q;
    const double width = e->eccentricity < 1 ? 2 * q * e->eccentricity / (1 - e->eccentricity) : 0;
    const double end = width > 0 ? 2 * asin(sqrt(fmin(rise / width, 1))) : sqrt(rise);
    double time = motion.momentum > 0 ? 0 : NAN;
    for (int k = 0; k < ROWS; k++) {
        const double at = end * (k + 0.5) / ROWS;
        const double d = q + (width > 0 ? width * pow(sin(at / 2), 2) : at * at);
        const double slope = width > 0 ? width / 2 * sin(at) : 2 * at, across = motion.momentum / d;
        const double speed2 = 2 * (motion.energy - potential(&l, d)) - across * across;
        time += speed2 > 0 ? slope / sqrt(speed2) * end / ROWS : 0;
    }
    for (int k = 0; k < 2; k++)
        cloud_free(&few.clouds[k]);
    return time;
}

/* Fraction of the kinetic energy. If `extended` exceeds `points` by this fraction or less, warn_of_parting does not
 * warn, because dynamical friction in the first passage removes about this much energy. */
#define HARDLY 0.05

/* Warns if the orbit of two point masses is bound or parabolic, but the galaxies are unbound or have less than half of
 * the binding energy of the point masses, because they overlap at the start. Does not warn if `extended` exceeds
 * `points` by at most HARDLY * kinetic.
 * - points, extended: orbital energies of the point masses and of the galaxies, negative if bound;
 * - kinetic: kinetic energy of the orbit. These three energies are not divided by the reduced mass;
 * - unit: factor from these energies to the units of the stream. */
static void warn_of_parting(double kinetic, double points, double extended, double unit)
{
    if (points <= 0 && extended > points / 2 && extended - points > HARDLY * kinetic)
        warn(
            "the galaxies overlap at the start: their orbital energy is %.3g, but that of point masses %.3g, and the galaxies %s "
            "(--orbit-of extended, or a larger --separation)",
            unit * extended, unit * points, extended > 0 ? "may part for good" : "go much farther out");
}

/* Returns `energy`, or 0 if it is only a rounding error, as on a parabola. */
static double without_rounding(double energy, double kinetic)
{
    return fabs(energy) < 1e-12 * kinetic ? 0 : energy;
}

static void say_passage(const struct rigid *r, const struct encounter *e, const struct encounter_place places[2],
                        const struct gen_scale *scale)
{
    const bool of_points = e->of != ENCOUNTER_EXTENDED;
    const double gm = r->G * (r->clouds[0].mass + r->clouds[1].mass);
    const struct line l = line_of(r, places);
    const double time =
        of_points ? 0 - orbit_time(gm, e->pericenter, e->eccentricity, anomaly(e)) : rigid_time(r, e, places);
    const double speed =
        of_points ? sqrt(gm * (1 + e->eccentricity) / e->pericenter) : find_motion(&l, e).momentum / e->pericenter;
    say("orbit: eccentricity %.4g, pericentre %.4g, initial separation %.4g; as %s, the two would reach pericentre at "
        "t = %.4g with relative speed %.4g",
        e->eccentricity, scale->length * e->pericenter, scale->length * e->separation,
        of_points ? "point masses" : "rigid bodies", scale->length / scale->velocity * time, scale->velocity * speed);
}

void rigid_say(const struct rigid *r, const struct encounter *e, const struct encounter_place places[2],
               const struct gen_scale *scale)
{
    const double mass[2] = {r->clouds[0].mass, r->clouds[1].mass}, total = mass[0] + mass[1];
    const double reduced = mass[0] / total * mass[1], unit = scale->mass * scale->velocity * scale->velocity;
    double from[3], v2 = 0;
    for (int k = 0; k < 3; k++) {
        from[k] = places[1].pos[k] - places[0].pos[k];
        v2 += pow(places[1].vel[k] - places[0].vel[k], 2);
    }
    const double kinetic = reduced * v2 / 2;
    const double points = without_rounding(kinetic - reduced * r->G * total / e->separation, kinetic);
    const double extended = without_rounding(kinetic + reduced * potential_at(r, from), kinetic);
    if (!tool_options.quiet)
        say_passage(r, e, places, scale);
    if (isfinite(unit * extended) && isfinite(unit * points))
        say("orbital energy %.4g, for points %.4g, of which kinetic %.4g", unit * extended, unit * points,
            unit * kinetic);
    if (e->of != ENCOUNTER_EXTENDED)
        warn_of_parting(kinetic, points, extended, unit);
}

void rigid_free(struct rigid *r)
{
    for (int k = 0; k < 2; k++)
        cloud_free(&r->clouds[k]);
}

/* ---- in a plan ---- */

void pair_read(const void *context, uint64_t i0, uint64_t i1, double *mass, double *pos)
{
    const struct pair_bodies *b = context;
    const struct gen_scale *s = &b->plan->scale;
    gen_fill_plan(b->plan, b->begin + i0, b->begin + i1, &(struct gen_block){.mass = mass, .pos = pos});
    for (uint64_t i = 0; mass && i < i1 - i0; i++)
        mass[i] /= s->mass;
    for (uint64_t i = 0; pos && i < 3 * (i1 - i0); i++)
        pos[i] /= s->length;
}

void pair_place(struct gen_plan *plan, struct rigid *r, const struct encounter *e)
{
    struct encounter_place places[2];
    rigid_places(r, e, places);
    rigid_say(r, e, places, &plan->scale);
    rigid_free(r);
    for (int k = 0; k < 2; k++) {
        orbit_turn(&r->plane, places[k].pos);
        orbit_turn(&r->plane, places[k].vel);
    }
    for (int p = 0; p < plan->part_count; p++)
        for (int k = 0; k < 3; k++) {
            plan->parts[p].pos[k] = places[plan->parts[p].galaxy].pos[k];
            plan->parts[p].vel[k] = places[plan->parts[p].galaxy].vel[k];
        }
}
