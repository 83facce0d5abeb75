#include "encounter.h"

#include <math.h>

struct encounter encounter_given = {.pericenter = NAN,
                                    .eccentricity = NAN,
                                    .separation = NAN,
                                    .tilts = {{NAN, NAN}, {NAN, NAN}},
                                    .of = ENCOUNTER_NOT_GIVEN};

static double or (double given, double other)
{
    return isnan(given) ? other : given;
}

struct encounter encounter_or(const struct encounter *other)
{
    const struct encounter *given = &encounter_given;
    struct encounter e = {
        .pericenter = or (given->pericenter, other->pericenter),
        .eccentricity = or (given->eccentricity, other->eccentricity),
        .separation = or (given->separation, other->separation),
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

void encounter_places(const struct encounter *e, double G, const double mass[2], struct encounter_place places[2])
{
    const double total = mass[0] + mass[1], share[2] = {-mass[1] / total, mass[0] / total};
    double pos[3], vel[3]; /* of the second from the first */
    orbit_state(G * total, e->pericenter, e->eccentricity, anomaly(e), pos, vel);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 3; k++) {
            places[p].pos[k] = share[p] * pos[k];
            places[p].vel[k] = share[p] * vel[k];
        }
}

double encounter_time(const struct encounter *e, double gm)
{
    return 0 - orbit_time(gm, e->pericenter, e->eccentricity, anomaly(e));
}

double encounter_speed(const struct encounter *e, double gm)
{
    return sqrt(gm * (1 + e->eccentricity) / e->pericenter);
}

double encounter_step(double first, double second)
{
    return 1 / hypot(1 / first, 1 / second);
}
