/* force_pairs_matrix_cpu.c - the force pairs-matrix on the CPU. The force of each pair is computed once and stored in a
 * matrix. The force on a body is the sum of the elements in its row minus the sum of the elements in its column. The
 * memory grows as n^2. If the potential is wanted, it is computed in a second pass in the same memory. TERMS elements
 * at a time are summed in the precision of the matrix, and these sums are added in double. */
#include "base/error.h"
#include "base/memory.h"
#include "device/timing.h"
#include "force/pairs.h"
#include "force/put.h"
#include "reference/methods/methods.h"

#include <stdlib.h>

#define TERMS   256 /* TERMS elements are summed in the matrix's precision, then their sum is added in double */
#define COLUMNS 64  /* number of bodies whose columns are read together, so that whole cache lines are used */

#define STATE        float
#define REAL         float
#define ROOT         sqrtf
#define KERNEL(name) name##_single
#include "reference/methods/cpu/pairs_matrix_kernel.h"

#define STATE        double
#define REAL         float
#define ROOT         sqrtf
#define KERNEL(name) name##_mixed
#include "reference/methods/cpu/pairs_matrix_kernel.h"

#define STATE        double
#define REAL         double
#define ROOT         sqrt
#define KERNEL(name) name##_double
#include "reference/methods/cpu/pairs_matrix_kernel.h"

struct matrix {
    void *value;
    double size_bytes;
};

static double matrix_bytes(enum nb_precision precision, uint64_t n)
{
    return 0.5 * (double)n * ((double)n - 1) * 3 * (precision == NB_DOUBLE ? sizeof(double) : sizeof(float));
}

/* Provides memory for the matrix. Checks the free memory first, because malloc succeeds even if memory is missing. The
 * operating system would then kill the process at a later write. Returns -1 on error. */
static int reserve(struct nb_device *device, struct matrix *w, double size_bytes, uint64_t n)
{
    double free_bytes, total_bytes;
    if (size_bytes <= w->size_bytes)
        return 0;
    free(w->value);
    *w = (struct matrix){0};
    if (nb_device_memory(device, &free_bytes, &total_bytes))
        return -1;
    if (size_bytes > free_bytes || !(w->value = malloc((size_t)size_bytes)))
        return nb_fail("force pairs-matrix: the pairs of %llu bodies need %.4g GB; %.4g GB are free",
                       (unsigned long long)n, 1e-9 * size_bytes, 1e-9 * free_bytes);
    w->size_bytes = size_bytes;
    return 0;
}

static int matrix_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    struct matrix *w = work;
    (void)t;
    if (reserve(device, w, matrix_bytes(precision, s->n), s->n))
        return -1;
    nb_timing_stage(device, "pairs");
    for (int phi = 0; phi < 2; phi++) {
        if (!(phi ? out->phi : out->a))
            continue;
        if (precision == NB_SINGLE)
            run_single(s, w->value, phi, out);
        else if (precision == NB_MIXED)
            run_mixed(s, w->value, phi, out);
        else
            run_double(s, w->value, phi, out);
    }
    return 0;
}

static void *matrix_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    (void)device, (void)spec, (void)meta;
    return nb_memory_new(sizeof(struct matrix));
}

static void matrix_close(struct nb_device *device, void *work)
{
    struct matrix *w = work;
    (void)device;
    free(w->value);
    free(w);
}

extern const struct nb_force nb_force_pairs_matrix_cpu;
const struct nb_force nb_force_pairs_matrix_cpu = {
    .method = "pairs-matrix",
    .device = "cpu",
    .about = "textbook: the forces of all pairs are stored, then summed; memory grows as n^2",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .kinds = nb_pairs_matrix_kinds,
    .tolerance = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-6, [NB_DOUBLE] = 1e-13},
    .refuse = nb_methods_refuse,
    .field = matrix_field,
    .open = matrix_open,
    .close = matrix_close,
    .work_bytes = matrix_bytes,
};
