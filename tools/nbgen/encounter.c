#include "encounter.h"

#include <string.h>

bool encounter_parse(struct encounter *e, int key, const char *arg)
{
    switch (key) {
    case ENCOUNTER_KEY: e->pericenter = tool_positive("--pericenter", arg); return true;
    case 'e': e->eccentricity = tool_not_negative("--eccentricity", arg); return true;
    case ENCOUNTER_KEY + 1: e->separation = tool_positive("--separation", arg); return true;
    case ENCOUNTER_KEY + 2: e->tilts[0] = orbit_parse_tilt("--incline1", arg); return true;
    case ENCOUNTER_KEY + 3: e->tilts[1] = orbit_parse_tilt("--incline2", arg); return true;
    case ENCOUNTER_KEY + 4: e->of = tool_word() ? ENCOUNTER_EXTENDED : ENCOUNTER_POINTS; return true;
    default: return false;
    }
}

struct encounter encounter_or(const struct encounter *given, const struct encounter *other)
{
    struct encounter e = {
        .pericenter = isnan(given->pericenter) ? other->pericenter : given->pericenter,
        .eccentricity = isnan(given->eccentricity) ? other->eccentricity : given->eccentricity,
        .separation = isnan(given->separation) ? other->separation : given->separation,
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
