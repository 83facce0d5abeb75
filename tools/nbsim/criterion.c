/* criterion.c - tests at every output whether the fixed step is short enough for each body. The energy error cannot
 * show this, because light bodies have hardly any share of the total energy. Each body has a longest allowed step:
 *
 * 1. In galaxies, and in models without dominating bodies, the longest allowed step is the longer of two times:
 *
 *     (eps / |a|)^(1/2)      in this time the acceleration moves a body by half the softening length eps
 *     0.3 |phi|^(1/2) / |a|  in this time the acceleration changes the velocity by a fifth of the escape speed
 *
 * The acceleration a and the potential phi are due to self-gravity only, because an external field can accelerate all
 * bodies equally without any effect on their relative motion. Steps of this size do not resolve encounters of two
 * bodies. This does not matter, because the bodies are a sample of a smooth model. nbgen suggests steps of at most a
 * third of this limit.
 *
 * 2. In other models, in which at most NB_HEAVY bodies have most of the mass, orbits about these heavy bodies must be
 * accurate. With the longest allowed step h, the phase error is 0.01 radian at the end of the run. An integrator of
 * order p has the phase error (h w)^p / 12 per radian of mean anomaly, where w is the angular speed at the pericentre.
 * With leapfrog, a phase error of 0.01 displaces the body by 0.0025 to 0.04 semi-major axes, for eccentricities from 0
 * to 0.99 and a start that is not near the pericentre. */
#include "run.h"

#include <inttypes.h>
#include <math.h>

#define SOFTENING_SHARE 1
#define ESCAPE_SHARE    0.3
#define ORBIT_OFF       0.01
#define OFF_PER_RADIAN  (1 / 12.0)
/* Body i moves nearly on a Kepler orbit about one heavy body if the tidal field of this heavy body at body i is more
 * than NESTED times as strong as the tidal field of any other heavy body. */
#define NESTED 10

bool sim_criterion_serves(const struct run *r)
{
    return r->watch.judges && nb_prepare_steps_are_fixed(&r->options->run) && nb_force_set_has_own(&r->forces) &&
           !(nb_force_set_flags(&r->forces) & NB_CONTACT) &&
           !(r->stepper.scheme->traits & (NB_PLANETARY | NB_OWN_STEPS | NB_SPLIT));
}

bool sim_criterion_of_orbits(const struct run *r)
{
    return nb_has_heavy(&r->bodies) && !nb_is_galaxy(&r->bodies);
}

/* Returns the longest step allowed for body i, if most of the mass is not in a few bodies. */
static double longest_in_field(const struct run *r, uint64_t i)
{
    const struct nb_column *acc = &r->watch.acc;
    const double a[3] = {nb_column_get(acc, i, 0), nb_column_get(acc, i, 1), nb_column_get(acc, i, 2)};
    const double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    return fmax(SOFTENING_SHARE * sqrt(r->stepper.softening / size),
                ESCAPE_SHARE * sqrt(fabs(((double *)r->watch.own.high.data)[i])) / size);
}

struct heavy {
    int count;
    uint64_t body[NB_HEAVY]; /* indices of the heavy bodies, in order of descending mass */
    double m[NB_HEAVY], x[NB_HEAVY][3];
};

static struct heavy find_heavy(const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    struct heavy o;
    double share;
    o.count = nb_find_heavy(b, o.body, &share);
    for (int k = 0; k < o.count; k++) {
        o.m[k] = nb_column_get(mass, o.body[k], 0);
        nb_column_get_f64(pos, o.body[k], o.body[k] + 1, o.x[k]);
    }
    return o;
}

/* Returns the angular speed of a Kepler orbit at its pericentre. With softening, returns at most
 * (mu / softening^3)^(1/2), where mu is G times the mass of the two bodies. The result is not finite if the bodies meet
 * head-on without softening. */
static double pericentre_rate(const struct nb_relative *o, double energy, double softening)
{
    const double spin2 = o->r2 * o->v2 - o->rv * o->rv, e = sqrt(fmax(0, 1 + 2 * energy * spin2 / (o->mu * o->mu)));
    const double rate = o->mu * o->mu * (1 + e) * (1 + e) / (spin2 * sqrt(spin2));
    return fmin(rate, sqrt(o->mu / (softening * softening * softening)));
}

/* Finds the heavy body whose tidal field at body i is strongest, and sets *about to its index. Returns the longest
 * allowed step for the orbit of body i about this heavy body. Ignores heavy bodies with less mass than body i. */
static double longest_about(const struct run *r, const struct heavy *h, uint64_t i, uint64_t *about)
{
    const double G = r->stepper.G, eps = r->stepper.softening, span = fabs(r->schedule.end - r->schedule.begin);
    const double m = nb_column_get(nb_bodies_find(&r->bodies, "mass"), i, 0);
    double first = 0, second = 0, x[3];
    nb_column_get_f64(nb_bodies_find(&r->bodies, "pos"), i, i + 1, x);
    for (int k = 0; k < h->count; k++) {
        if (h->body[k] == i || h->m[k] < m)
            continue;
        const double d[3] = {x[0] - h->x[k][0], x[1] - h->x[k][1], x[2] - h->x[k][2]};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps * eps,
                     tide = G * (m + h->m[k]) / (r2 * sqrt(r2));
        second = fmax(second, fmin(first, tide));
        if (tide > first)
            first = tide, *about = h->body[k];
    }
    if (!(first > 0))
        return INFINITY;
    double rate = sqrt(first), radians = rate * span;
    if (first > NESTED * second) {
        const struct nb_relative o = nb_relative_motion(&r->bodies, G, i, *about);
        const double energy = o.v2 / 2 - o.mu / sqrt(o.r2 + eps * eps), most = pericentre_rate(&o, energy, eps);
        rate = isfinite(most) ? fmax(rate, most) : rate;
        radians = energy < 0 ? span * pow(-2 * energy, 1.5) / o.mu : fmin(radians, 1);
    }
    return pow(ORBIT_OFF / OFF_PER_RADIAN / radians, 1.0 / r->stepper.scheme->order) / rate;
}

struct look {       /* result of the test of a range of bodies */
    uint64_t count, /* number of bodies that need shorter steps than the step of the run */
        worst,      /* body that needs the shortest step */
        about;      /* heavy body about which `worst` moves */
    double least;   /* longest allowed step of `worst` */
};

static struct look look_at(const struct run *r, const struct heavy *heavy, double h, uint64_t begin, uint64_t end)
{
    struct look l = {.least = INFINITY};
    uint64_t about = 0;
    for (uint64_t i = begin; i < end; i++) {
        const double longest = heavy ? longest_about(r, heavy, i, &about) : longest_in_field(r, i);
        l.count += longest < h;
        if (longest < l.least)
            l.least = longest, l.worst = i, l.about = about;
    }
    return l;
}

void sim_criterion_look(struct run *r)
{
    struct sim_watch *w = &r->watch;
    const uint64_t n = r->bodies.n;
    const bool orbits = !w->acc.data;
    const double h = sim_step_size(r);
    struct heavy heavy = {0};
    struct look all = {.least = INFINITY}, part[NB_LOOK_PARTS];
    char what[96] = "the pull of the others allows";
    if (!w->judges_steps || w->warned_of_steps || w->beyond || sim_schedule_intervals(&r->schedule) == 0)
        return;
    if (orbits)
        heavy = find_heavy(&r->bodies);
#pragma omp parallel for schedule(static) if (n > NB_LOOK_PARALLEL)
    for (int p = 0; p < NB_LOOK_PARTS; p++)
        part[p] = look_at(r, orbits ? &heavy : NULL, h, nb_look_part(n, p), nb_look_part(n, p + 1));
    for (int p = 0; p < NB_LOOK_PARTS; p++) {
        const uint64_t count = all.count + part[p].count;
        if (part[p].least < all.least)
            all = part[p];
        all.count = count;
    }
    if (all.count == 0)
        return;
    if (orbits)
        snprintf(what, sizeof what, "its orbit about body %" PRIu64 " allows up to the end of the run", all.about);
    warn("t = %.9g, step %" PRIu64 ": steps of %.3g are too long for %" PRIu64 " of %" PRIu64
         " bodies (%.2g %%), most for body %" PRIu64 ": %.2g times as long as %s (--dt %.2g%s)",
         r->bodies.meta.time, r->bodies.meta.step, h, all.count, n, 100 * (double)all.count / (double)n, all.worst,
         h / all.least, what, 0.95 * all.least,
         orbits                     ? sim_own_steps_advice(r)
         : r->stepper.softening > 0 ? ", or --integrator leapfrog-block"
                                    : "");
    w->warned_of_steps = true;
}
