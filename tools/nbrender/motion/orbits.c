/* Computes orbits of bodies around a heavy body, between two frames. An orbit is integrated from the first frame to the
 * time of the second frame, with the attraction of the heavy body only. Therefore its end differs from the position and
 * velocity of the body in the second frame. A cubic in time, which is 0 at the first frame, is added to the orbit. With
 * this correction the orbit ends exactly at that position and velocity. */
#include "nbrender/motion/motion.h"

#include "base/portable.h"
#include "scene/scene.h"

#define LIGHTER 0.1 /* maximum value of (mass of a body on an orbit) / (mass of the heavy body) */
/* minimum angle of revolution between two frames, radians; for smaller angles the cubic of between.c is used */
#define TURN  1.0
#define STEP  0.3 /* angle covered by an integration step, radians */
#define NODES 256 /* maximum number of stored points of an orbit, enough for about ten revolutions */

struct orbit_node { /* a point of an orbit: time, and position and velocity relative to the centre */
    double s;       /* time: 0 is the first frame, 1 the second */
    double x[3], v[3];
};

struct orbit {
    uint64_t body[2]; /* index of the body in the first and in the second frame */
    struct orbit_path path;
};

/* ---- centres ---- */

static bool is_heavier(const struct nb_column *mass, uint64_t i, const struct centres *c)
{
    const double m = value_of(mass, i, 0);
    return m > 0 && (c->count < CENTRES_MAX || m > c->one[c->count - 1].mass);
}

/* Inserts a centre into c, which is in descending order of mass. If c is full, its lightest centre is first removed. */
static void insert(struct centres *c, const struct centre *one)
{
    int at = c->count < CENTRES_MAX ? c->count++ : CENTRES_MAX - 1;
    for (; at > 0 && c->one[at - 1].mass < one->mass; at--)
        c->one[at] = c->one[at - 1];
    c->one[at] = *one;
}

/* Removes the centres that are too light for all bodies: a body orbits a centre only if the body's mass is at most
 * LIGHTER times the mass of the centre. lightest: smallest mass of a body in the frame. */
static void drop_light(struct centres *c, double lightest)
{
    while (c->count > 0 && lightest > LIGHTER * c->one[c->count - 1].mass)
        c->count--;
}

void orbits_note(struct orbits *o, int frame, const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *id = nb_bodies_find(b, "id");
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *vel = nb_bodies_find(b, "vel");
    struct centres *c = &o->frame[frame];
    static const char *const periodic[] = {"periodic", NULL};
    double lightest = INFINITY;
    *c = (struct centres){.G = b->meta.G};
    if (nb_scene_has(&b->meta, periodic) || nb_bodies_softening(b, &c->softening))
        return;
    for (uint64_t i = 0; i < b->n; i++) {
        const double m = value_of(mass, i, 0);
        lightest = m < lightest ? m : lightest;
        if (!is_heavier(mass, i, c))
            continue;
        struct centre one = {.id = is_id(id) ? id_of(id, i) : i, .mass = m};
        vector_of(pos, i, one.state.pos);
        vector_of(vel, i, one.state.vel);
        insert(c, &one);
    }
    drop_light(c, lightest);
}

void orbits_shift(struct orbits *o)
{
    const struct centres held = o->frame[0];
    o->frame[0] = o->frame[1];
    o->frame[1] = held;
}

static const struct centre *find_centre(const struct centres *c, uint64_t id)
{
    for (int k = 0; k < c->count; k++)
        if (c->one[k].id == id)
            return &c->one[k];
    return NULL;
}

/* Fills in o->pair with the heavy bodies that are in both frames. */
static void pair_centres(struct orbits *o)
{
    o->count = 0;
    for (int k = 0; k < o->frame[0].count; k++) {
        const struct centre *first = &o->frame[0].one[k], *second = find_centre(&o->frame[1], first->id);
        if (second)
            o->pair[o->count++] = (struct centre_pair){
                .mass = first->mass, .state = {first->state, second->state}, .path = {.centre = -1}};
    }
}

/* ---- orbit around a centre ---- */

struct force { /* attraction of the centre */
    double GM, softening2;
};

static double squared_rate(const struct force *f, const double x[3])
{
    const double r2 = vector_dot(x, x) + f->softening2;
    return f->GM / (r2 * sqrt(r2));
}

/* Advances x and v by the time h with a step of Nystrom's method of order 4 (Hairer, Norsett and Wanner 1993, II.14).
 * `rate` is the squared angular frequency at x. */
static void step(const struct force *f, double rate, double h, double x[3], double v[3])
{
    double at[3], k1[3], k2[3], k3[3];
    for (int d = 0; d < 3; d++) {
        k1[d] = -rate * x[d];
        at[d] = x[d] + 0.5 * h * v[d] + 0.125 * h * h * k1[d];
    }
    rate = squared_rate(f, at);
    for (int d = 0; d < 3; d++) {
        k2[d] = -rate * at[d];
        at[d] = x[d] + h * v[d] + 0.5 * h * h * k2[d];
    }
    rate = squared_rate(f, at);
    for (int d = 0; d < 3; d++) {
        k3[d] = -rate * at[d];
        x[d] += h * v[d] + h * h / 6 * (k1[d] + 2 * k2[d]);
        v[d] += h / 6 * (k1[d] + 4 * k2[d] + k3[d]);
    }
}

/* Integrates the orbit from the point node[0] for the time dt. Stores the point after each step in node[1], node[2] ...
 * Returns the number of points, or 0 if the orbit needs more than NODES points. */
static int follow(const struct force *f, double dt, struct orbit_node *node)
{
    for (int k = 0; k + 1 < NODES; k++) {
        const double rate = squared_rate(f, node[k].x), h = STEP / (sqrt(rate) * fabs(dt));
        const bool is_last = !(node[k].s + h < 1);
        node[k + 1] = node[k];
        step(f, rate, (is_last ? 1 - node[k].s : h) * dt, node[k + 1].x, node[k + 1].v);
        node[k + 1].s = is_last ? 1 : node[k].s + h;
        if (is_last)
            return k + 2;
    }
    return 0;
}

/* Returns |x - x0|^2 + |(v - v0) dt|^2, where x and v are the position and velocity in `to`. */
static double misfit(const double x0[3], const double v0[3], const struct state *to, double dt)
{
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        const double x = to->pos[d] - x0[d], v = (to->vel[d] - v0[d]) * dt;
        sum += x * x + v * v;
    }
    return sum;
}

/* Adds a cubic in time to the positions of the points node[], and the derivative of the cubic to the velocities, so
 * that the orbit ends in the state `to`. */
static void mend(struct orbit_node *node, int count, const struct state *to, double dt)
{
    const struct orbit_node end = node[count - 1];
    for (int k = 0; k < count; k++) {
        const double s = node[k].s;
        for (int d = 0; d < 3; d++) {
            const double x = to->pos[d] - end.x[d], v = to->vel[d] - end.v[d];
            node[k].x[d] += s * s * ((3 - 2 * s) * x - (1 - s) * v * dt);
            node[k].v[d] += s * (6 * (1 - s) * x / dt + (3 * s - 2) * v);
        }
    }
}

static struct state from_centre(const struct state *body, const struct state *centre)
{
    struct state from;
    for (int d = 0; d < 3; d++) {
        from.pos[d] = body->pos[d] - centre->pos[d];
        from.vel[d] = body->vel[d] - centre->vel[d];
    }
    return from;
}

static struct force force_of(const struct orbits *o, double mass)
{
    return (struct force){o->frame[0].G * mass, o->frame[0].softening * o->frame[0].softening};
}

/* Computes the points node[] of the orbit from state[0] to state[1]. Returns the number of points. Returns 0 if the
 * orbit needs more than NODES points. Also returns 0 if a straight line from state[0] ends closer to state[1] than the
 * orbit before its correction (mend), because the body then probably does not orbit the centre. */
static int path_nodes(const struct orbits *o, const struct orbit_path *path, const struct state state[2],
                      struct orbit_node *node)
{
    const struct centre_pair *c = &o->pair[path->centre];
    const struct state from = from_centre(&state[0], &c->state[0]), to = from_centre(&state[1], &c->state[1]);
    const struct force force = force_of(o, path->mass);
    double ahead[3];
    memcpy(node[0].x, from.pos, sizeof from.pos);
    memcpy(node[0].v, from.vel, sizeof from.vel);
    node[0].s = 0;
    for (int d = 0; d < 3; d++)
        ahead[d] = from.pos[d] + from.vel[d] * o->dt;
    const int count = follow(&force, o->dt, node);
    if (count == 0 || !(misfit(node[count - 1].x, node[count - 1].v, &to, o->dt) < misfit(ahead, from.vel, &to, o->dt)))
        return 0;
    mend(node, count, &to, o->dt);
    return count;
}

/* Returns the index of the centre around which a body of mass `mass` turns fastest. Returns -1 if the body turns by
 * less than TURN radians between the frames around each centre, or is too heavy for all centres (LIGHTER). state[0] and
 * state[1] are the states of the body in the two frames. */
static int choose_centre(const struct orbits *o, const struct state state[2], double mass)
{
    double best = TURN * TURN / (o->dt * o->dt);
    int chosen = -1;
    for (int k = 0; k < o->count && mass <= LIGHTER * o->pair[k].mass; k++) {
        const struct force force = force_of(o, o->pair[k].mass);
        for (int side = 0; side < 2; side++) {
            const struct state from = from_centre(&state[side], &o->pair[k].state[side]);
            const double r2 = vector_dot(from.pos, from.pos) + force.softening2;
            if (force.GM * force.GM > best * best * r2 * r2 * r2) { /* GM / r^3 > best, without a square root */
                best = squared_rate(&force, from.pos);
                chosen = k;
            }
        }
    }
    return chosen;
}

/* ---- all orbits between two frames ---- */

/* Makes room for `more` elements after the first `count` of the array, and returns the array, which may have moved.
 * Returns NULL if there is no memory; then the array is unchanged. */
static void *grown(void *array, size_t *room, size_t count, size_t more, size_t size)
{
    if (array && *room - count >= more)
        return array;
    void *larger = nb_realloc_array(array, 2 * (count + more), size);
    *room = larger ? 2 * (count + more) : *room;
    return larger;
}

/* Appends the path->count points of an orbit to o->node. Sets path->first to the index of the first of these points.
 * Returns 0, or -1 if there is no memory. */
static int append_path(struct orbits *o, struct orbit_path *path, const struct orbit_node *node)
{
    const size_t more = (size_t)path->count;
    struct orbit_node *nodes = grown(o->node, &o->node_room, o->node_count, more, sizeof *nodes);
    if (!nodes)
        return -1;
    memcpy(nodes + o->node_count, node, more * sizeof *nodes);
    o->node = nodes;
    path->first = o->node_count;
    o->node_count += more;
    return 0;
}

static int append(struct orbits *o, struct orbit_path *path, const struct orbit_node *node, const uint64_t body[2])
{
    struct orbit *orbits = grown(o->orbit, &o->orbit_room, o->orbit_count, 1, sizeof *orbits);
    if (!orbits)
        return -1;
    o->orbit = orbits;
    if (append_path(o, path, node))
        return -1;
    o->orbit[o->orbit_count++] = (struct orbit){{body[0], body[1]}, *path};
    return 0;
}

static int path_of(const struct orbits *o, const struct state state[2], double mass, struct orbit_node *node,
                   struct orbit_path *path)
{
    path->centre = choose_centre(o, state, mass);
    path->count = 0;
    if (path->centre < 0)
        return 0;
    path->mass = o->pair[path->centre].mass + mass;
    path->count = path_nodes(o, path, state, node);
    if (path->count == 0)
        path->centre = -1;
    return path->count;
}

static int follow_centres(struct orbits *o)
{
    struct orbit_node node[NODES];
    for (int k = 0; k < o->count; k++) {
        struct centre_pair *c = &o->pair[k];
        if (path_of(o, c->state, c->mass, node, &c->path) && append_path(o, &c->path, node))
            return -1;
    }
    return 0;
}

static int follow_bodies(struct orbits *o, const struct nb_bodies frames[2], const struct match *match)
{
    const struct nb_column *mass = nb_bodies_find(&frames[0], "mass");
    const struct nb_column *pos[2], *vel[2];
    bool failed = false;
    for (int k = 0; k < 2; k++) {
        pos[k] = nb_bodies_find(&frames[k], "pos");
        vel[k] = nb_bodies_find(&frames[k], "vel");
    }
#pragma omp parallel for schedule(dynamic, 1024)
    for (uint64_t i = 0; i < frames[0].n; i++) {
        const uint64_t body[2] = {i, match_of(match, 0, i)};
        struct state state[2];
        struct orbit_node node[NODES];
        struct orbit_path path;
        if (body[1] == MATCH_NONE)
            continue;
        for (int k = 0; k < 2; k++) {
            vector_of(pos[k], body[k], state[k].pos);
            vector_of(vel[k], body[k], state[k].vel);
        }
        if (!path_of(o, state, value_of(mass, i, 0), node, &path))
            continue;
#pragma omp critical(orbits_append)
        failed |= append(o, &path, node, body) != 0;
    }
    return failed ? -1 : 0;
}

int orbits_fill(struct orbits *o, const struct nb_bodies frames[2], const struct match *match, double dt)
{
    o->node_count = o->orbit_count = 0;
    o->dt = dt;
    pair_centres(o);
    if (o->count > 0 && (follow_centres(o) || follow_bodies(o, frames, match)))
        return nb_fail("no memory for the orbits of %llu bodies between two frames (--select or nbedit --sample takes "
                       "fewer bodies)",
                       (unsigned long long)frames[0].n);
    return 0;
}

void orbits_free(struct orbits *o)
{
    free(o->node);
    free(o->orbit);
}

/* ---- a moment ---- */

/* Continues the orbit beyond the second frame to the time s > 1 (s is 0 at the first frame and 1 at the second). On
 * entry, *to is the state of the centre. Adds the position and velocity of the body relative to the centre to *to. */
static void add_ahead(const struct orbits *o, const struct orbit_path *path, double s, struct state *to)
{
    const struct force force = force_of(o, path->mass);
    struct orbit_node node[NODES];
    node[0] = o->node[path->first + (size_t)path->count - 1];
    node[0].s = 0;
    const int count = follow(&force, (s - 1) * o->dt, node);
    for (int d = 0; d < 3 && count > 0; d++) {
        to->pos[d] += node[count - 1].x[d];
        to->vel[d] += node[count - 1].v[d];
    }
}

/* Computes the position and velocity of the body relative to the centre at the time s <= 1 (s is 0 at the first frame
 * and 1 at the second). Adds them to *to, which is the state of the centre on entry. */
static void add_path(const struct orbits *o, const struct orbit_path *path, double s, struct state *to)
{
    const struct orbit_node *a = &o->node[path->first];
    for (int k = 2; k < path->count && a[1].s < s; k++)
        a++;
    const double share = a[1].s - a->s, t = (s - a->s) / share, r = 1 - t, dt = share * o->dt;
    for (int d = 0; d < 3; d++) {
        const double way = a[1].x[d] - a->x[d];
        const double bend0 = a->v[d] * dt - way, bend1 = way - a[1].v[d] * dt;
        to->pos[d] += a->x[d] + t * way + t * r * (r * bend0 + t * bend1);
        to->vel[d] += (way + r * (1 - 3 * t) * bend0 + t * (2 - 3 * t) * bend1) / dt;
    }
}

static struct state state_at(const struct orbits *o, const struct orbit_path *path, double s)
{
    struct state now = o->pair[path->centre].now;
    if (s > 1)
        add_ahead(o, path, s, &now);
    else
        add_path(o, path, s, &now);
    return now;
}

/* Returns the state at time s of a centre that does not orbit another centre. s is 0 at the first frame and 1 at the
 * second. For s up to 1, interpolates position and velocity as for bodies without an orbit. For s > 1, continues in a
 * straight line with the velocity of the second frame. */
static struct state free_centre(const struct centre_pair *c, double dt, double s)
{
    const struct state *a = &c->state[0], *b = &c->state[1];
    struct state now = *b;
    for (int d = 0; d < 3; d++)
        now.pos[d] += (s - 1) * dt * b->vel[d];
    if (s > 1)
        return now;
    between_place(a->pos, b->pos, a->vel, b->vel, dt, s, now.pos);
    between_velocity(a->vel, b->vel, s, now.vel);
    return now;
}

static void place_centres(struct orbits *o, double s)
{
    for (int k = 0; k < o->count; k++) {
        struct centre_pair *c = &o->pair[k];
        c->now = c->path.centre < 0 ? free_centre(c, o->dt, s) : state_at(o, &c->path, s);
    }
}

void orbits_put(struct orbits *o, int side, double s, struct nb_column *pos, struct nb_column *vel)
{
    place_centres(o, s);
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < o->orbit_count; k++) {
        const struct orbit *orbit = &o->orbit[k];
        const struct state now = state_at(o, &orbit->path, s);
        for (int d = 0; d < 3; d++) {
            value_set(pos, orbit->body[side], d, now.pos[d]);
            value_set(vel, orbit->body[side], d, now.vel[d]);
        }
    }
}
