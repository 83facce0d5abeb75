/* events.c - adapts the header lines about merged and escaped stars when all bodies are moved, rotated or scaled. */
#include "nbedit.h"

#include "scene/events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct edit_change edit_change_none(void)
{
    return (struct edit_change){.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1, 1, 1, 1};
}

static void turn(const struct edit_change *c, double factor, double v[3])
{
    const double old[3] = {v[0], v[1], v[2]};
    for (int k = 0; k < 3; k++)
        v[k] = factor * (c->turn[k][0] * old[0] + c->turn[k][1] * old[1] + c->turn[k][2] * old[2]);
}

static int check(const double *v, int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(v[k]))
            return nb_fail("the header's numbers of merged and escaped stars are out of range");
    return 0;
}

static int change_event(const struct edit_change *c, struct nb_event *e)
{
    e->time = e->time * c->time + c->later;
    e->mass *= c->mass;
    e->other_mass *= c->mass;
    e->energy *= c->mass * c->speed * c->speed;
    turn(c, c->length, e->x);
    turn(c, c->speed, e->v);
    for (int k = 0; k < 3; k++)
        e->x[k] += c->shift[k];
    const double scalars[] = {e->time, e->mass, e->other_mass, e->energy};
    return check(scalars, 4) || check(e->x, 3) || check(e->v, 3) ? -1 : 0;
}

static int change_booked(const struct edit_change *c, struct nb_booked *b)
{
    double *l = b->angular_momentum, *p = b->momentum;
    const double *d = c->shift;
    b->mass *= c->mass;
    b->energy *= c->mass * c->speed * c->speed;
    turn(c, c->mass * c->speed, p);
    turn(c, c->mass * c->speed * c->length, l);
    l[0] += d[1] * p[2] - d[2] * p[1];
    l[1] += d[2] * p[0] - d[0] * p[2];
    l[2] += d[0] * p[1] - d[1] * p[0];
    return check(&b->mass, 1) || check(&b->energy, 1) || check(p, 3) || check(l, 3) ? -1 : 0;
}

int edit_change_events(struct nb_bodies *b, const struct edit_change *c)
{
    struct nb_event *events = NULL;
    struct nb_booked booked;
    size_t count = 0;
    int status = nb_events_read(&b->meta, &events, &count) || nb_booked_read(&b->meta, &booked) ? -1 : 0;
    for (size_t k = 0; k < count && status == 0; k++)
        status = change_event(c, &events[k]);
    if (status == 0 && count > 0)
        status = nb_events_write(&b->meta, events, count);
    if (status == 0 && booked.merged + booked.escaped > 0)
        status = change_booked(c, &booked) || nb_booked_write(&b->meta, &booked) ? -1 : 0;
    free(events);
    return status;
}
