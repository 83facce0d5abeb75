/* tree_cpu_input.h - one body of a tree's input, as a double; for the files that read it. */
#ifndef NB_TREE_CPU_INPUT_H
#define NB_TREE_CPU_INPUT_H

#include "tree_cpu.h"

static inline double input_at(const struct nb_tree_input *in, const void *row, uint64_t i)
{
    return in->single ? (double)((const float *)row)[i] : ((const double *)row)[i];
}

static inline double input_x(const struct nb_tree_input *in, int axis, uint64_t i)
{
    return i < in->sources ? input_at(in, in->x[axis], i) : input_at(in, in->point[axis], i - in->sources);
}

static inline double input_m(const struct nb_tree_input *in, uint64_t i)
{
    return i < in->sources ? input_at(in, in->m, i) : 0;
}

/* The longest edge. */
static inline double tree_size(const struct nb_tree_box *box)
{
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = box->hi[k] - box->lo[k] > size ? box->hi[k] - box->lo[k] : size;
    return size;
}

#endif
