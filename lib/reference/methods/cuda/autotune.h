/* autotune.h - threads of a block, found by trying them on the problem itself.
 *
 * A row keeps a struct block_choice with its working memory, and asks for the size before each evaluation:
 *
 *     if (nb_block_choose(device, &w->choice, s->n, launch, &arguments))
 *         return -1;
 *     return launch(&arguments, w->choice.taken);
 *
 * Where a size was asked for, that is it. Else, at the first evaluation and where the number of bodies changes,
 * `launch` is called with each size several times and timed by the device's own clock; the fastest is taken. What
 * launch writes must not depend on what is there: with nb_field.add a trial writes elsewhere. The size must change no
 * bit. */
#ifndef NB_AUTOTUNE_H
#define NB_AUTOTUNE_H

#include "reference/methods/block.h"

#ifdef __cplusplus
extern "C" {
#endif

struct block_choice { /* begins with block_choice_of */
    int asked;        /* threads of a block; 0: the fastest */
    int least;        /* of those that are tried */
    int taken;        /* 0: none yet */
    uint64_t n;       /* bodies for which it was tried */
    char tried[512];  /* the times, for people; "": nothing was tried */
};

static inline struct block_choice block_choice_of(const struct nb_force_spec *spec)
{
    struct block_choice c = {nb_block_threads(spec), 32, 0, 0, ""};
    c.taken = c.asked;
    return c;
}

/* Puts the work on the device's stream with so many threads a block. 0, or -1 after nb_fail: that size does not run. */
typedef int block_launch(void *context, int threads);

/* Sets choice->taken. 0, or -1 after nb_fail where no size runs. */
int nb_block_choose(struct nb_device *device, struct block_choice *choice, uint64_t n, block_launch *launch,
                    void *context);

#ifdef __cplusplus
}
#endif
#endif
