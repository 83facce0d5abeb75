#include "device/timing.h"

#include "error.h"

#include <string.h>

enum { STAGES = 64, MARKS = 1024 };

static struct {
    const struct nb_device *device; /* NULL: off */
    struct nb_timing table[STAGES];
    size_t stages;
    void *mark[MARKS];
    int stage[MARKS]; /* that began at the mark; -1: none */
    size_t marks;
    bool failed; /* with nb_error set when the table is asked for */
} timing;

int nb_timing_begin(const struct nb_device *device)
{
    nb_timing_end();
    timing.device = device;
    return 0;
}

bool nb_timing_on(void)
{
    return timing.device != NULL;
}

/* Adds up what lies between the marks; the last of them becomes the first. */
static void settle(void)
{
    for (size_t k = 0; k + 1 < timing.marks; k++) {
        double seconds = timing.device->marked_s(timing.mark[k], timing.mark[k + 1]);
        timing.failed |= seconds < 0;
        if (timing.stage[k] >= 0) {
            timing.table[timing.stage[k]].seconds += seconds;
            timing.table[timing.stage[k]].count++;
        }
    }
    if (timing.marks > 1) {
        void *first = timing.mark[0];
        timing.mark[0] = timing.mark[timing.marks - 1];
        timing.stage[0] = timing.stage[timing.marks - 1];
        timing.mark[timing.marks - 1] = first;
        timing.marks = 1;
    }
}

/* A table that is full counts the rest as its last row. */
static int find_stage(const char *stage)
{
    if (!stage)
        return -1;
    for (size_t k = 0; k < timing.stages; k++)
        if (strcmp(timing.table[k].stage, stage) == 0)
            return (int)k;
    if (timing.stages < STAGES)
        timing.table[timing.stages++] = (struct nb_timing){stage, 0, 0};
    return (int)timing.stages - 1;
}

void nb_timing_stage(const char *stage)
{
    if (!timing.device)
        return;
    if (timing.marks == MARKS)
        settle();
    timing.failed |= timing.device->mark(&timing.mark[timing.marks]) != 0;
    timing.stage[timing.marks++] = find_stage(stage);
}

const struct nb_timing *nb_timing_table(size_t *count)
{
    nb_timing_stage(NULL);
    if (timing.device)
        settle();
    *count = timing.stages;
    return timing.failed ? NULL : timing.table;
}

void nb_timing_end(void)
{
    for (size_t k = 0; k < MARKS; k++)
        if (timing.mark[k])
            timing.device->mark_free(timing.mark[k]);
    memset(&timing, 0, sizeof timing);
}
