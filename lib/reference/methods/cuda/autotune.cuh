/* autotune.cuh - threads of a block, found by trying them on the problem itself.
 *
 * A row's working memory begins with a struct block_work, and it asks for the size before each evaluation:
 *
 *     if (block_choose(w, s->n, launch, &arguments))
 *         return -1;
 *     return launch(&arguments, w->choice.taken);
 *
 * Where a size was asked for, that is it. Else, at the first evaluation and where the number of bodies changes,
 * `launch` is called with each size several times and timed by the device's own clock; the fastest is taken. What
 * launch writes must not depend on what is there: with nb_field.add a trial writes elsewhere. The size must change no
 * bit. */
#pragma once

#include "device/cuda/cuda.cuh"
#include "reference/methods/methods.h"

struct block_choice {
    int asked;       /* threads of a block; 0: the fastest */
    int least;       /* of those that are tried */
    int taken;       /* 0: none yet */
    uint64_t n;      /* bodies for which it was tried */
    char tried[512]; /* the times, for people; "": nothing was tried */
};

struct block_work {
    block_choice choice;
    struct nb_device *device;
    cudaStream_t stream; /* the device's */
};

/* Working memory of so many bytes that begins with a block_work, zeros behind it; NULL after nb_fail. */
void *block_work_open(size_t size_bytes, struct nb_device *device, const struct nb_force_spec *spec);
/* Frees it and its buffers. */
void block_work_close(void *work, std::initializer_list<nb_cuda_buffer *> buffers);
/* As nb_force.recordable: all is decided by n alone, and memory is there after the first call; and nb_force.notes. */
bool block_recordable(const void *work, enum nb_precision precision, uint64_t n);
const char *block_notes(const void *work);

/* Puts the work on the device's stream with so many threads a block. 0, or -1 after nb_fail: that size does not run. */
typedef int block_launch(void *context, int threads);

/* Sets w->choice.taken. 0, or -1 after nb_fail where no size runs. */
int block_choose(block_work *w, uint64_t n, block_launch *launch, void *context);
/* The same of a launch that writes *out, which the context points to: until the size is known that is a field of the
 * same rows in memory of its own, since the caller's may be added to. */
int block_choose_beside(block_work *w, enum nb_precision precision, uint64_t n, nb_field *out, block_launch *launch,
                        void *context);
