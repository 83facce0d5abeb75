/* step_splitting.c - splitting schemes: alternating kicks and drifts. Some devices can record the work of many steps
 * once, and then repeat it. */
#include "step/scheme.h"

#include "device/timing.h"

struct splitting {
    nb_quad h; /* step size of kick[] and drift[] */
    nb_quad kick[NB_STAGES_MAX + 1], drift[NB_STAGES_MAX];
    void *recording; /* recording of RECORDED steps of size recorded_h; NULL if there is none */
    nb_quad recorded_h;
    uint64_t recorded_evaluations;
};

static int begin(struct nb_stepper *p)
{
    return nb_step_memory(p, sizeof(struct splitting)) ? 0 : -1;
}

static void set_step(struct nb_stepper *p, nb_quad h)
{
    const struct nb_splitting *table = p->scheme->table;
    struct splitting *w = p->memory;
    if (w->h == h)
        return;
    w->h = h;
    for (int k = 0; k < table->stages; k++) {
        w->kick[k] = table->kick[k] * h;
        w->drift[k] = table->drift[k] * h;
    }
    w->kick[table->stages] = table->kick[table->stages] * h;
}

/* Computes the acceleration for the kick that follows drift k. The kick after the last drift includes the first kick of
 * the next step. A force that needs velocities gets the velocities before the kick, which is a first-order
 * approximation. A force may return the mean of its acceleration over the duration of the kick (nb_sources.kick). */
static int evaluate(struct nb_stepper *p, int k)
{
    const struct splitting *w = p->memory;
    const int stages = ((const struct nb_splitting *)p->scheme->table)->stages;
    const double time = (double)(w->kick[k + 1] + (k + 1 == stages ? w->kick[0] : 0));
    p->kick = time > 0 ? time : 0;
    const int status = nb_step_evaluate_state(p);
    p->kick = 0;
    p->plain = false;
    return status;
}

/* Takes a step without its last kick. The next call does this kick together with its own first kick, in one pass.
 * closing: duration of the last kick of the previous step, if it is still to be done, otherwise 0. The force is
 * evaluated only before kicks.
 *
 * Boundary conditions (NB_MOVES) are applied after the last drift, because the positions are then complete. */
static int step(struct nb_stepper *p, nb_quad closing)
{
    const struct splitting *w = p->memory;
    const int stages = ((const struct nb_splitting *)p->scheme->table)->stages;
    const nb_quad end = p->time + w->h; /* not the sum of the drifts, which differs from h by rounding errors */
    for (int k = 0; k < stages; k++) {
        nb_timing_stage(p->state->device, "kick and drift");
        if (nb_step_kick_drift(p, k == 0 ? closing : 0, w->kick[k], w->drift[k]))
            return -1;
        if (p->timed)
            nb_step_at(p, k + 1 == stages ? end : p->time + w->drift[k]);
        p->stale = w->kick[k + 1] == 0 && (k + 1 < stages || w->kick[0] == 0);
        if (k + 1 == stages && nb_force_set_boundary(p->forces, p->state, !p->stale))
            return -1;
        if (!p->stale && evaluate(p, k))
            return -1;
    }
    return 0;
}

/* Number of steps in a recording. It is so large that starting a replay takes little time compared with the steps, and
 * so small that making the recording takes only as long as a few replays. */
#define RECORDED 32

static bool recordable(const struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    return !nb_timing_on(s->device) && nb_device_records(s->device) &&
           nb_force_set_recordable(p->forces, s->precision, s->n);
}

static void end(struct nb_stepper *p)
{
    struct splitting *w = p->memory;
    nb_device_record_free(p->state->device, w->recording);
    w->recording = NULL;
}

static int record(struct nb_stepper *p, nb_quad closing)
{
    struct nb_device *device = p->state->device;
    struct splitting *w = p->memory;
    const uint64_t evaluations = p->evaluations;
    const nb_quad time = p->time;
    int status = 0;
    if (w->recording && w->recorded_h == w->h)
        return 0;
    end(p);
    if (nb_device_record_begin(device))
        return -1;
    for (int k = 0; k < RECORDED && status == 0; k++)
        status = step(p, closing);
    w->recording = nb_device_record_end(device);
    w->recorded_h = w->h;
    w->recorded_evaluations = p->evaluations - evaluations;
    p->evaluations = evaluations; /* recording has evaluated no force, so the count is restored */
    if (p->timed)
        nb_step_at(p, time);
    if (status)
        end(p); /* frees the incomplete recording */
    return status || !w->recording ? -1 : 0;
}

/* Takes steps by replaying the recording as often as it fits into `count` steps. Returns the number of steps left, or
 * -1. */
static int64_t replay(struct nb_stepper *p, nb_quad closing, uint64_t count)
{
    struct splitting *w = p->memory;
    if (record(p, closing))
        return -1;
    for (; count >= RECORDED; count -= RECORDED) {
        if (nb_device_replay(p->state->device, w->recording))
            return -1;
        p->evaluations += w->recorded_evaluations;
        for (int k = 0; k < RECORDED && p->timed; k++)
            nb_step_at(p, p->time + w->h);
    }
    return (int64_t)count;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    const struct splitting *w = p->memory;
    set_step(p, h);
    const int stages = ((const struct nb_splitting *)p->scheme->table)->stages;
    const nb_quad closing = w->kick[stages];
    if (p->plain && w->kick[0] != 0 && evaluate(p, stages - 1))
        return -1;
    if (step(p, 0)) /* not recorded: the force must have been evaluated before a recording is made */
        return -1;
    int64_t left = (int64_t)count - 1;
    if (left >= RECORDED && recordable(p))
        left = replay(p, closing, (uint64_t)left);
    for (; left > 0; left--)
        if (step(p, closing))
            return -1;
    if (left < 0 || closing == 0)
        return left < 0 ? -1 : 0;
    nb_timing_stage(p->state->device, "kick and drift");
    return nb_step_kick(p, closing);
}

const struct nb_family nb_family_splitting = {.kicks = true, .begin = begin, .steps = steps, .end = end};
