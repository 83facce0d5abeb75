/* Stores copies of recent frames. A picture shows the average of these frames. */
#include "base/memory.h"
#include "nbrender/motion/motion.h"

#define SLACK 1e-9 /* relative tolerance for the time span of the average, because times have rounding errors */

static void forget(struct average *a, int frames)
{
    for (int k = 0; k < frames; k++)
        nb_bodies_free(&a->frame[k]);
    a->count -= frames;
    memmove(a->frame, a->frame + frames, (size_t)a->count * sizeof *a->frame);
}

/* Removes frames that are more than a->span before `time`, the time of the next frame. Removes all frames if another
 * stream begins: the time step to the next frame is 0, or its sign differs from the sign of the first time step
 * (a->forwards). */
static void forget_old(struct average *a, double time)
{
    const double step = a->count > 0 ? time - a->frame[a->count - 1].meta.time : 0;
    int old = 0;
    if (a->forwards == 0)
        a->forwards = (step > 0) - (step < 0);
    if (!(step * a->forwards > 0))
        old = a->count;
    while (old < a->count && !(fabs(time - a->frame[old].meta.time) <= a->span * (1 + SLACK)))
        old++;
    if (old > 0)
        forget(a, old);
}

void average_note(struct average *a, const struct nb_bodies *now)
{
    forget_old(a, now->meta.time);
    a->frame = claimed(nb_memory_grow(a->frame, (size_t)a->count, sizeof *a->frame), "no memory for --average");
    struct nb_bodies *to = &a->frame[a->count++];
    nb_bodies_init(to);
    if (nb_bodies_copy_layout(to, now) || nb_bodies_alloc(to))
        die("--average: %s", nb_error());
    for (int k = 0; k < now->column_count; k++)
        memcpy(to->columns[k].data, now->columns[k].data, nb_column_bytes(&now->columns[k], now->n));
}

void average_free(struct average *a)
{
    for (int k = 0; k < a->count; k++)
        nb_bodies_free(&a->frame[k]);
    free(a->frame);
}
