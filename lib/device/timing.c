/* timing.c - measures how long each stage of a device's work takes. Declared in timing.h. */
#include "device/timing.h"

#include "base/error.h"
#include "device/group.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES = 64, MARKS = 1024 };

struct nb_timing {
    struct nb_stage table[STAGES];
    size_t stages;
    void *mark[MARKS];
    int stage[MARKS]; /* stage that began at the mark; -1: none */
    int other[MARKS]; /* stage that gets the fraction `share` of the time after the mark; -1: none */
    double share[MARKS];
    size_t marks;
    bool failed; /* a mark could not be set or read; nb_timing_table then returns NULL, with the reason in nb_error */
};

/* Returns the device that is measured: for a group the first part, because the work of all parts is similar. */
static struct nb_device *measured(const struct nb_device *d)
{
    return nb_device_is_group(d) ? nb_group_part(d, 0) : (struct nb_device *)d;
}

int nb_timing_begin(struct nb_device *d)
{
    d = measured(d);
    nb_timing_end(d);
    d->timing = calloc(1, sizeof *d->timing);
    return d->timing ? 0 : nb_fail("no memory");
}

bool nb_timing_on(const struct nb_device *d)
{
    return measured(d)->timing != NULL;
}

static void add(struct nb_timing *t, int stage, double seconds)
{
    if (stage >= 0) {
        t->table[stage].seconds += seconds;
        t->table[stage].count++;
    }
}

/* For each two successive marks, the stage that began at the first mark gets the time between them. Then discards all
 * marks except the last mark, at which the next measurement begins. */
static void settle(struct nb_device *d)
{
    struct nb_timing *t = d->timing;
    for (size_t k = 0; k + 1 < t->marks; k++) {
        double seconds = nb_device_marked_s(d, t->mark[k], t->mark[k + 1]);
        t->failed |= seconds < 0;
        const double other_s = t->other[k] >= 0 ? t->share[k] * seconds : 0;
        add(t, t->stage[k], seconds - other_s);
        add(t, t->other[k], other_s);
    }
    if (t->marks > 1) {
        void *first = t->mark[0];
        t->mark[0] = t->mark[t->marks - 1];
        t->stage[0] = t->stage[t->marks - 1];
        t->other[0] = t->other[t->marks - 1];
        t->share[0] = t->share[t->marks - 1];
        t->mark[t->marks - 1] = first;
        t->marks = 1;
    }
}

/* Returns the index of a stage in the table, or -1 if `stage` is NULL. If the stage is not in the table, adds it. If
 * the table is full, returns the index of the last stage. */
static int find_stage(struct nb_timing *t, const char *stage)
{
    if (!stage)
        return -1;
    for (size_t k = 0; k < t->stages; k++)
        if (strcmp(t->table[k].name, stage) == 0)
            return (int)k;
    if (t->stages < STAGES)
        t->table[t->stages++] = (struct nb_stage){stage, 0, 0};
    return (int)t->stages - 1;
}

void nb_timing_stage(struct nb_device *d, const char *stage)
{
    struct nb_timing *t = (d = measured(d))->timing;
    if (!t)
        return;
    if (t->marks == MARKS)
        settle(d);
    t->failed |= nb_device_mark(d, &t->mark[t->marks]) != 0;
    t->other[t->marks] = -1;
    t->stage[t->marks++] = find_stage(t, stage);
}

void nb_timing_share(struct nb_device *d, const char *stage, double share)
{
    struct nb_timing *t = measured(d)->timing;
    if (!t || t->marks == 0)
        return;
    t->other[t->marks - 1] = find_stage(t, stage);
    t->share[t->marks - 1] = share;
}

const struct nb_stage *nb_timing_table(struct nb_device *d, size_t *count)
{
    d = measured(d);
    nb_timing_stage(d, NULL);
    settle(d);
    *count = d->timing->stages;
    return d->timing->failed ? NULL : d->timing->table;
}

void nb_timing_end(struct nb_device *d)
{
    d = measured(d);
    if (!d->timing)
        return;
    for (size_t k = 0; k < MARKS; k++)
        if (d->timing->mark[k])
            nb_device_mark_free(d, d->timing->mark[k]);
    free(d->timing);
    d->timing = NULL;
}
