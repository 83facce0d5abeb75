/* group.c - functions for one group of stars: compute its size and its distances `reach` and `sight` (struct nb_group),
 * change it between an averaged orbit and a chain, and move its stars. Declared in cluster.h. */
#include "step/groups/touch.h"

#include "step/kepler.h"

#include <math.h>
#include <string.h>

#define SIGHT    3   /* nb_group.sight / nb_group.reach of a binary; in other groups, sight and reach are equal */
#define CLOSEST  10  /* minimum of (reach / size) for a binary; for other groups it is SIGHT * CLOSEST */
#define FARTHEST 500 /* maximum of (reach / size) for a binary; for other groups it is SIGHT * FARTHEST */
/* maximum relative decay of the semi-major axis by gravitational waves in one step of the particle that represents the
 * group */
#define DECAY 0.02
#define PACE  0.5 /* nb_group.pace is PACE * nb_cluster.care * (size^3 / (G M))^(1/2), with the group's mass M */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void nb_group_places(const struct nb_group *g, double x[][3], double v[][3])
{
    if (!g->averaged) {
        nb_chain_places(&g->chain, x, v);
        return;
    }
    double dx[3], dv[3];
    nb_orbit_place(&g->orbit, dx, dv);
    for (int d = 0; d < 3; d++) {
        x[0][d] = -g->gm[1] / g->total * dx[d], x[1][d] = g->gm[0] / g->total * dx[d];
        v[0][d] = -g->gm[1] / g->total * dv[d], v[1][d] = g->gm[0] / g->total * dv[d];
    }
    /* with post-Newtonian terms, the particle that represents the group is at the centre of energy of the stars, not at
     * their centre of mass */
    if (g->orbit.pn.order > 0) {
        nb_pn_centre(g->orbit.pn.c, g->gm, (const double(*)[3])x, (const double(*)[3])v, g->chain.frame, dx, dv);
        for (int d = 0; d < 3; d++) {
            x[0][d] -= dx[d], x[1][d] -= dx[d];
            v[0][d] -= dv[d], v[1][d] -= dv[d];
        }
    }
}

/* Computes the Kepler orbit of the two stars in the group's chain. Returns false if they are not bound. */
static bool orbit_of(const struct nb_group *g, struct nb_orbit *o)
{
    double x[3], v[3];
    const double sign = g->chain.order[0] == 0 ? 1 : -1;
    for (int d = 0; d < 3; d++) {
        x[d] = sign * g->chain.x[0][d];
        v[d] = sign * g->chain.v[0][d];
    }
    return g->n == 2 && nb_orbit_set(o, g->total, x, v);
}

/* Computes the Kepler orbit of the two stars in the group's chain, with the post-Newtonian terms of g->chain.pn.
 * Returns false if the stars are not bound. */
static bool whole_orbit_of(const struct nb_group *g, struct nb_orbit *o)
{
    double x[2][3], v[2][3];
    if (!orbit_of(g, o))
        return false;
    if (g->chain.pn.order == 0)
        return true;
    nb_chain_places(&g->chain, x, v);
    for (int d = 0; d < 3; d++) {
        x[1][d] -= x[0][d];
        v[1][d] -= v[0][d];
    }
    return nb_orbit_set_pn(o, &g->chain.pn, g->gm[0] / g->total * (g->gm[1] / g->total), x[1], v[1]);
}

void nb_group_measure(struct nb_group *g, const struct nb_cluster *c)
{
    struct nb_orbit o;
    double x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3], far2 = 0;
    g->moved = false;
    const bool binary = g->averaged || orbit_of(g, &o);
    memset(g->spread, 0, sizeof g->spread);
    if (binary) {
        const struct nb_orbit *orbit = g->averaged ? &g->orbit : &o;
        g->size = orbit->a * (1 + orbit->e);
        g->reduced = g->gm[0] / g->total * g->gm[1];
        nb_orbit_spread(orbit, g->spread);
    } else {
        nb_chain_places(&g->chain, x, v);
        for (uint32_t k = 0; k < g->n; k++)
            far2 = fmax(far2, dot(x[k], x[k]));
        g->size = g->n == 2 ? sqrt(dot(g->chain.x[0], g->chain.x[0])) : sqrt(far2);
    }
    g->pace = PACE * c->care * sqrt(g->size / g->total) * g->size;
    /* The tide of particles at a distance of `sizes` times the group's size changes the energy of a binary by about
     * energy / sizes^3. `sizes` is chosen so that this is the allowed error (nb_cluster.share), between CLOSEST and
     * FARTHEST. Other groups use the same formula, with an estimate of the energy for more than two stars, and with a
     * reach that is SIGHT times as long. */
    const double energy = (g->n == 2 ? g->gm[0] / g->total * g->gm[1] : g->total / 4) * g->total / g->size;
    const double sizes = fmin(FARTHEST, fmax(CLOSEST, cbrt(energy / (c->share * c->energy))));
    g->reach = (binary ? 1 : SIGHT) * sizes * g->size;
    g->sight = binary ? SIGHT * g->reach : g->reach;
}

/* If the chain has a black hole, sets its post-Newtonian terms. Also sets the velocity of the chain's origin. */
static void set_terms(struct nb_group *g, const struct nb_cluster *c)
{
    bool any = false;
    for (uint32_t k = 0; k < g->n && c->hole; k++)
        any = (g->chain.hole[k] = c->hole[g->body[k]] != 0) || any;
    if (any)
        g->chain.pn = c->pn;
    nb_cluster_take(c, c->pv, g->slot, g->chain.frame);
}

void nb_group_follow(struct nb_group *g, double x[3], double v[3])
{
    const int last = g->chain.n - 1;
    for (int d = 0; d < 3 && g->chain.pn.order > 0; d++) {
        x[d] += g->chain.x[last][d];
        v[d] += g->chain.v[last][d];
        g->chain.x[last][d] = g->chain.v[last][d] = 0;
        g->chain.frame[d] = v[d];
    }
}

void nb_group_make(struct nb_group *g, const struct nb_cluster *c, uint32_t n, const uint32_t *body,
                   const double x[][3], const double v[][3])
{
    g->n = n;
    g->slot = body[0];
    g->total = 0;
    for (uint32_t k = 0; k < n; k++) {
        g->body[k] = body[k];
        g->gm[k] = c->star_gm[body[k]];
        g->total += g->gm[k];
    }
    g->averaged = false;
    g->at = c->now;
    g->nears = 0;
    memset(&g->view, 0, sizeof g->view);
    g->looked = c->now;
    g->inner = 0;
    nb_chain_make(&g->chain, (int)n, g->gm, x, v);
    set_terms(g, c);
    nb_group_measure(g, c);
}

void nb_group_resolve(struct nb_group *g, const struct nb_cluster *c)
{
    double x[2][3], v[2][3];
    if (!g->averaged)
        return;
    nb_group_places(g, x, v);
    g->averaged = false;
    nb_chain_make(&g->chain, 2, g->gm, (const double(*)[3])x, (const double(*)[3])v);
    set_terms(g, c);
    for (int d = 0; d < 3 && g->chain.pn.order > 0; d++) {
        g->chain.x[1][d] = g->gm[0] / g->total * x[0][d] + g->gm[1] / g->total * x[1][d];
        g->chain.v[1][d] = g->gm[0] / g->total * v[0][d] + g->gm[1] / g->total * v[1][d];
    }
    nb_group_measure(g, c);
}

/* Moves the particle that represents the group from the centre of mass of the two stars to their centre of energy. */
static void centre_on_energy(struct nb_group *g, struct nb_cluster *c)
{
    double x[2][3], v[2][3], dx[3], dv[3];
    nb_chain_places(&g->chain, x, v);
    nb_pn_centre(g->chain.pn.c, g->gm, (const double(*)[3])x, (const double(*)[3])v, g->chain.frame, dx, dv);
    for (int d = 0; d < 3; d++) {
        const uint64_t k = d * c->stride + g->slot;
        c->x[k] += dx[d], c->px[k] += dx[d];
        c->v[k] += dv[d], c->pv[k] += dv[d];
    }
    nb_cluster_note_change(c, g->slot);
}

void nb_group_average(struct nb_group *g, struct nb_cluster *c)
{
    struct nb_orbit o;
    if (g->averaged || !whole_orbit_of(g, &o) || o.e > NB_GROUP_CALM)
        return;
    if (o.pn.order > 0)
        centre_on_energy(g, c);
    g->averaged = true;
    g->orbit = o;
    nb_group_measure(g, c);
}

double nb_group_longest(const struct nb_group *g)
{
    return g->averaged ? DECAY * nb_orbit_decay(&g->orbit) : g->pace;
}

/* ---- pull of near particles ---- */

struct pull {
    struct nb_group *g;
    const struct nb_cluster *c;
    double after; /* time from nb_group.at to the start of the interval over which nb_chain_advance integrates */
};

/* Predicts the position x of particle i at the time `from` + t. `from` is an integer time (cluster.h). */
static void place_at(const struct nb_cluster *c, uint64_t i, uint64_t from, double t, double x[3])
{
    const double h = t + nb_cluster_span(c, c->begun[i], (double)from);
    for (int d = 0; d < 3; d++) {
        const uint64_t k = d * c->stride + i;
        x[d] = c->x[k] + h * (c->v[k] + h / 2 * (c->a[k] + h / 3 * c->j[k]));
    }
}

/* Computes the acceleration of each star of a group by the particles in nb_group.near. The first `inner` particles
 * attract each star; the others act through their tidal field. The function has the type nb_chain_pull. */
static void pull_of_near(void *data, double since, const double x[][3], double a[][3])
{
    const struct pull *p = data;
    const struct nb_group *g = p->g;
    const double t = p->after + since;
    double centre[3], at[3];
    double rest[NB_TENSOR];
    for (int k = 0; k < NB_TENSOR; k++)
        rest[k] =
            g->view.rest[k] + (t + nb_cluster_span(p->c, (double)g->looked, (double)g->at)) * g->view.rest_rate[k];
    for (uint32_t k = 0; k < g->n; k++)
        nb_tensor_times(rest, x[k], a[k]);
    if (g->inner == 0)
        return;
    place_at(p->c, g->slot, g->at, t, centre);
    for (uint32_t s = 0; s < g->inner; s++) {
        const uint32_t i = g->near[s];
        if (!nb_cluster_has(p->c, i) || i == g->slot)
            continue;
        place_at(p->c, i, g->at, t, at);
        for (uint32_t k = 0; k < g->n; k++) {
            const double d[3] = {at[0] - centre[0] - x[k][0], at[1] - centre[1] - x[k][1], at[2] - centre[2] - x[k][2]};
            const double r2 = dot(d, d), cube = nb_cluster_share(p->c, r2) * p->c->gm[i] / (r2 * sqrt(r2));
            for (int l = 0; l < 3; l++)
                a[k][l] += cube * d[l];
        }
    }
}

/* ---- weakly perturbed binaries ---- */

#define NODES 3
#define WEAK  2e-2 /* a binary is advanced along its Kepler orbit (advance_binary) if disturbance() is below WEAK */
#define TURNS 16   /* number of steps of advance_binary per period */

/* Returns the ratio (tide of the first `inner` particles of g->near) / (attraction between the two stars). Both are
 * computed for the apocentre, the largest distance of the stars from each other. */
static double disturbance(const struct nb_group *g, const struct nb_cluster *c)
{
    double sum = 0;
    for (uint32_t s = 0; s < g->inner; s++) {
        double d[3];
        for (int l = 0; l < 3; l++)
            d[l] = c->px[l * c->stride + g->near[s]] - c->px[l * c->stride + g->slot];
        const double r2 = dot(d, d);
        sum += c->gm[g->near[s]] / (r2 * sqrt(r2));
    }
    return 2 * sum * g->size * g->size * g->size / g->total;
}

/* Motion along a Kepler orbit from a given point. `angle` is the change of the eccentric anomaly from this point on,
 * and `time` is the time since this point. Both are positive, even if the run goes backwards. */
struct arc {
    /* e cos E and e sin E at the beginning of the arc (eccentricity e, eccentric anomaly E), and the mean motion */
    double e_cos, e_sin, motion;
};

static struct arc arc_from(double gm, const double x[3], const double v[3], double sign)
{
    const double r = sqrt(dot(x, x)), a = 1 / (2 / r - dot(v, v) / gm), speed = sqrt(gm / a);
    return (struct arc){1 - r / a, sign * dot(x, v) / (speed * a), speed / a};
}

static double time_on(const struct arc *o, double angle)
{
    const double half = sin(angle / 2);
    return (angle - o->e_cos * sin(angle) + 2 * o->e_sin * half * half) / o->motion;
}

/* Returns the derivative of the time with respect to the angle (change of the eccentric anomaly) at a point of the
 * arc. */
static double slowness_on(const struct arc *o, double angle)
{
    return (1 - o->e_cos * cos(angle) + o->e_sin * sin(angle)) / o->motion;
}

/* Returns the angle of the arc (change of the eccentric anomaly) at the given time, but at most `most`. */
static double angle_on(const struct arc *o, double time, double most)
{
    double low = 0, high = most, angle = time_on(o, most) > time ? most / 2 : most;
    for (int k = 0; k < 60 && angle < most; k++) {
        const double off = time_on(o, angle) - time, next = angle - off / slowness_on(o, angle);
        *(off > 0 ? &high : &low) = angle;
        if (fabs(next - angle) < 1e-14 * angle)
            break;
        angle = next > low && next < high ? next : (low + high) / 2;
    }
    return angle;
}

/* Advances a binary along its Kepler orbit. The particles in g->near kick the stars, as in the symplectic method
 * SABA3 (Laskar & Robutel 2001, Celest. Mech. Dyn. Astron. 80, 39). The kicks are at the nodes of a Gauss quadrature in
 * the eccentric anomaly, because the motion is a smooth function of this angle even for eccentricities near 1. */
static void advance_binary(struct nb_group *g, const struct nb_cluster *c, double dt)
{
    static const double node[NODES + 1] = {0.1127016653792583, 0.5, 0.8872983346207417, 1},
                                     weight[NODES] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    struct pull p = {.g = g, .c = c};
    const double longest = 2 * M_PI / TURNS * c->care, sign = dt < 0 ? -1 : 1;
    const int first = g->chain.order[0], second = g->chain.order[1];
    const bool watched = nb_touch_wanted(g, c);
    double *x = g->chain.x[0], *v = g->chain.v[0], dx[3], dv[3], at[2][3], a[2][3];
    for (double begin = 0, now = 0; fabs(dt - now) > 0; begin = now) {
        const struct arc o = arc_from(g->total, x, v, sign);
        const double angle = angle_on(&o, fabs(dt - now), longest);
        for (int s = 0; s <= NODES; s++) {
            const bool ends = s == NODES && angle < longest;
            const double next = ends ? dt : begin + sign * time_on(&o, node[s] * angle);
            if (watched)
                nb_touch_on_orbit(g, c, now, next - now, x, v);
            nb_kepler_advance(g->total, next - now, x, v, dx, dv);
            now = next;
            for (int d = 0; d < 3; d++) {
                x[d] += dx[d];
                v[d] += dv[d];
                at[first][d] = -g->gm[second] / g->total * x[d];
                at[second][d] = g->gm[first] / g->total * x[d];
            }
            if (s == NODES)
                break;
            pull_of_near(&p, now, (const double(*)[3])at, a);
            const double kick = sign * weight[s] * angle * slowness_on(&o, node[s] * angle);
            for (int d = 0; d < 3; d++)
                v[d] += kick * (a[second][d] - a[first][d]);
        }
    }
}

static void see_step(void *data, const struct nb_chain *begin, const struct nb_chain *end, double t, double dt)
{
    const struct pull *p = data;
    if (nb_touch_wanted(p->g, p->c))
        nb_touch_in_chain(p->g, p->c, &(struct nb_touch_step){begin, end, t, dt});
}

bool nb_group_advance_chain(struct nb_group *g, const struct nb_cluster *c, struct nb_chain *chain, double after,
                            double dt)
{
    struct pull p = {g, c, after};
    return nb_chain_advance(chain, dt, c->chain_tolerance, pull_of_near, NULL, &p);
}

static bool advance_stars(struct nb_group *g, const struct nb_cluster *c, double dt)
{
    struct pull p = {.g = g, .c = c};
    struct nb_orbit o;
    if (g->chain.pn.order == 0 && orbit_of(g, &o) && o.e <= NB_GROUP_CALM && disturbance(g, c) < WEAK * c->care) {
        advance_binary(g, c, dt);
        return true;
    }
    return nb_chain_advance(&g->chain, dt, c->chain_tolerance, pull_of_near, c->watch ? see_step : NULL, &p);
}

bool nb_group_advance(struct nb_group *g, const struct nb_cluster *c)
{
    const double dt = nb_cluster_span(c, (double)g->at, (double)c->now);
    if (dt == 0)
        return true;
    if (g->averaged) {
        const double middle = nb_cluster_span(c, (double)g->looked, (double)g->at) + dt / 2;
        double tide[NB_TENSOR];
        bool calm = true;
        for (int k = 0; k < NB_TENSOR; k++) {
            tide[k] = g->view.all[k] + middle * g->view.all_rate[k];
            calm = calm && tide[k] == 0;
        }
        if (nb_touch_wanted(g, c))
            nb_touch_averaged(g, c, dt, calm ? NULL : tide);
        nb_orbit_advance(&g->orbit, dt, calm ? NULL : tide);
    } else if (!advance_stars(g, c, dt))
        return false;
    g->at = c->now;
    g->moved = true;
    return true;
}
