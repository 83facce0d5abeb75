/* device_vectors.h - operations on a device's vectors on the CPU, compiled once for each instruction set (simd.h). All
 * versions give bitwise identical results. device.h describes each operation. */
#pragma once

#include "device/device.h"
#include "device/range.h"

/* number of elements of each vector that are processed at a time. It is small, so that these elements of all inputs and
 * outputs of a typical linear combination fit in the first-level cache */
#define NB_DEVICE_BLOCK  192
#define NB_DEVICE_SERIAL 10000 /* maximum number of bodies for which one thread is faster than several */

struct nb_device_combination {
    int inputs, rows;
    const void *const *in;
    const struct nb_combination *row;
};

struct nb_device_derivatives {
    uint64_t stride;
    const void *const *derivative;
    double least;
};

struct nb_device_vectors { /* table of the operations for one type of element */
    void (*axpy)(uint64_t count, double a, const void *x, void *y);
    void (*combine)(const struct nb_device_combination *w, uint64_t count, double *norm);
    double (*time_rate2)(const struct nb_device_derivatives *w, uint64_t n);
    double (*kick_own)(const struct nb_own_kick *kick);
    uint64_t (*select_due)(uint64_t first, uint64_t n, const void *step, double most, uint32_t *index);
    void (*range)(uint64_t n, uint64_t stride, int count, const void *const *vector, union nb_range *range);
    void (*store)(uint64_t n, uint64_t stride, uint64_t width, const void *column, enum nb_type type, void *rows);
    void (*fetch)(uint64_t n, uint64_t stride, uint64_t width, const void *rows, enum nb_type type, void *column);
};

struct nb_device_vectors_set {
    const struct nb_device_vectors *of[NB_PRECISIONS];
};
