/* autotune.cuh - chooses the number of threads of a block by measuring on the actual problem.
 *
 * The working memory of a force begins with a struct block_work. Before each evaluation, the force calls block_choose:
 *
 *     if (block_choose(w, s->n, launch, &arguments))
 *         return -1;
 *     return launch(&arguments, w->choice.taken);
 *
 * If the user gave a number of threads, it is used. Otherwise block_choose measures the time of `launch` with several
 * numbers of threads, and chooses the fastest number. It measures at the first evaluation, and when the number of
 * bodies changes. The number of threads must not change any bit of the results. A launch that adds to its output
 * (nb_field.add) needs block_choose_beside, because repeated launches would change the output. */
#pragma once

#include "device/cuda/cuda.cuh"
#include "reference/methods/methods.h"

struct block_choice {
    int asked;       /* number of threads per block that the user requests; 0: choose the fastest number */
    int least;       /* smallest number of threads that is tried */
    int taken;       /* chosen number of threads; 0: none yet */
    uint64_t n;      /* number of bodies for which the times were measured */
    char tried[512]; /* text with the measured times, shown to users; "": nothing was measured */
};

struct block_work {
    block_choice choice;
    struct nb_device *device;
    cudaStream_t stream; /* the device's stream */
};

/* Returns working memory of size_bytes that begins with a block_work; the rest is zero. Returns NULL after nb_fail. */
void *block_work_open(size_t size_bytes, struct nb_device *device, const struct nb_force_spec *spec);
/* Frees the working memory and `buffers`. */
void block_work_close(void *work, std::initializer_list<nb_cuda_buffer *> buffers);
/* Implements nb_force.recordable: returns whether evaluations can be recorded and replayed after one normal evaluation.
 * Always true, because later evaluations of n bodies launch the same kernels and allocate no memory. */
bool block_recordable(const void *work, enum nb_precision precision, uint64_t n);
/* Implements nb_force.notes: returns the text choice.tried with the measured times, or NULL if it is empty. */
const char *block_notes(const void *work);

/* Enqueues the work on the device's stream with `threads` threads per block. Returns 0, or -1 after nb_fail if a block
 * of this size cannot run. */
typedef int block_launch(void *context, int threads);

/* Sets w->choice.taken to the number of threads per block for n bodies. Returns 0, or -1 after nb_fail if no block can
 * run. */
int block_choose(block_work *w, uint64_t n, block_launch *launch, void *context);
/* Does the same as block_choose, for a launch that may add to its output. `context` must contain the pointer `out`, and
 * `launch` must write to the arrays in *out. During the test launches, *out has temporary arrays of the same shape, so
 * that the caller's arrays do not change. */
int block_choose_beside(block_work *w, enum nb_precision precision, uint64_t n, nb_field *out, block_launch *launch,
                        void *context);
