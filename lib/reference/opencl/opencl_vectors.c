/* opencl_vectors.c - vector operations of a device of OpenCL: calls of the kernels in vectors.cl. Declared in
 * opencl.h. */
#include "reference/opencl/opencl.h"

#include "base/error.h"
#include "device/range.h"

#include <math.h>
#include <string.h>

extern const char nb_opencl_source_vectors[];

/* Begins a call of a kernel. In mixed precision vectors are doubles, so the kernels of double precision are used. */
static struct nb_opencl_call begin(struct nb_device *d, enum nb_precision precision, const char *kernel)
{
    return nb_opencl_begin(d, nb_opencl_source_vectors, precision == NB_MIXED ? NB_DOUBLE : precision, kernel);
}

int nb_opencl_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                   void *d_y)
{
    struct nb_opencl_call c = begin(d, precision, "axpy");
    nb_opencl_ulong(&c, count);
    nb_opencl_number(&c, a);
    nb_opencl_rows(&c, d_x);
    nb_opencl_rows(&c, d_y);
    return nb_opencl_run(&c, count);
}

int nb_opencl_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                         double drift, const void *d_a, void *d_v, void *d_x)
{
    struct nb_opencl_call c = begin(d, precision, "kick_drift");
    nb_opencl_ulong(&c, count);
    nb_opencl_number(&c, k1);
    nb_opencl_number(&c, k2);
    nb_opencl_number(&c, drift);
    nb_opencl_rows(&c, d_a);
    nb_opencl_rows(&c, d_v);
    nb_opencl_rows(&c, d_x);
    return nb_opencl_run(&c, count);
}

/* ---- four maxima: computed by each work-group, then by at most GROUPS work-groups, then on the host ---- */

#define FOUR   4
#define GROUPS 64

static uint64_t groups_of(uint64_t items)
{
    return (items + NB_OPENCL_GROUP - 1) / NB_OPENCL_GROUP;
}

static size_t wide_bytes(const struct nb_opencl *o)
{
    return o->has_double ? sizeof(double) : sizeof(float);
}

/* Makes o->d_largest large enough for a kernel with `items` work-items. The array has two parts. The first part is for
 * the output of the kernel `largest_of`: GROUPS * 4 elements. The second part begins at first_sizes(): 4 maxima for
 * each work-group of the kernel. Returns -1 on error. */
static int reserve_largest(struct nb_device *d, uint64_t items)
{
    struct nb_opencl *o = nb_opencl_of(d);
    const size_t needed = (GROUPS + groups_of(items)) * FOUR * wide_bytes(o);
    if (o->largest_bytes >= needed)
        return 0;
    nb_opencl_free(d, o->d_largest);
    o->d_largest = nb_opencl_alloc(d, needed);
    o->largest_bytes = o->d_largest ? needed : 0;
    return o->d_largest ? 0 : -1;
}

static void *first_sizes(const struct nb_opencl *o)
{
    return (char *)o->d_largest + GROUPS * FOUR * wide_bytes(o);
}

static void raise_to_host(const struct nb_opencl *o, uint64_t groups, const void *sizes, double *largest)
{
    for (uint64_t k = 0; k < FOUR * groups; k++) {
        const double size = o->has_double ? ((const double *)sizes)[k] : ((const float *)sizes)[k];
        largest[k % FOUR] = fmax(largest[k % FOUR], size);
    }
}

/* Waits for a kernel with `items` work-items. Each of its work-groups stores four values at first_sizes(). For k = 0 to
 * 3, sets largest[k] to the maximum of largest[k] and of value k of all work-groups. Returns -1 on error. */
static int fetch_largest(struct nb_device *d, enum nb_precision precision, uint64_t items, double *largest)
{
    struct nb_opencl *o = nb_opencl_of(d);
    double sizes[GROUPS * FOUR];
    const void *d_sizes = first_sizes(o);
    uint64_t groups = groups_of(items);
    if (groups > GROUPS) {
        struct nb_opencl_call c = begin(d, precision, "largest_of");
        nb_opencl_ulong(&c, groups);
        nb_opencl_place(&c, d_sizes, wide_bytes(o));
        nb_opencl_place(&c, o->d_largest, wide_bytes(o));
        if (nb_opencl_run(&c, GROUPS * NB_OPENCL_GROUP))
            return -1;
        d_sizes = o->d_largest;
        groups = GROUPS;
    }
    if (nb_opencl_from(d, sizes, d_sizes, groups * FOUR * wide_bytes(o)))
        return -1;
    raise_to_host(o, groups, sizes, largest);
    return 0;
}

/* ---- linear combinations of vectors ---- */

#define AT_ONCE 8 /* maximum number of input vectors per call of the kernel `combine` */

/* inputs of linear combinations; inputs whose factors are all 0 are left out. c[k][r]: factor of in[k] in combination
 * r */
struct sum_of {
    int inputs;
    const void *in[NB_INPUTS_MAX];
    double c[NB_INPUTS_MAX][NB_COMBINATIONS_MAX];
};

static void gather(int inputs, const void *const *d_in, int rows, const struct nb_combination *row, struct sum_of *s)
{
    s->inputs = 0;
    for (int k = 0; k < inputs; k++) {
        bool used = false;
        double *c = s->c[s->inputs];
        for (int r = 0; r < NB_COMBINATIONS_MAX; r++) {
            c[r] = r < rows ? ((const double *)row[r].c)[k] : 0;
            used = used || c[r] != 0;
        }
        s->in[s->inputs] = d_in[k];
        s->inputs += used;
    }
}

static void pass_factors(struct nb_opencl_call *c, const struct sum_of *s, int k0, int k1)
{
    double factors[AT_ONCE][NB_COMBINATIONS_MAX] = {{0}};
    float single[AT_ONCE][NB_COMBINATIONS_MAX];
    memcpy(factors, s->c[k0], (size_t)(k1 - k0) * sizeof *factors);
    for (int k = 0; k < AT_ONCE; k++)
        for (int r = 0; r < NB_COMBINATIONS_MAX; r++)
            single[k][r] = (float)factors[k][r];
    if (c->precision == NB_SINGLE)
        nb_opencl_value(c, single, sizeof single);
    else
        nb_opencl_value(c, factors, sizeof factors);
}

/* Runs the kernel `combine` once: multiplies the inputs k0 to k1 - 1 by their factors, and adds them to d_sums, which
 * has one sum for each element and combination. Earlier calls have added the inputs from k1 on. The last call, with k0
 * = 0, writes the results to the outputs of the combinations `row` instead of d_sums. */
static int add_inputs(struct nb_device *d, enum nb_precision precision, uint64_t count, const struct sum_of *s, int k0,
                      int k1, void *d_sums, int rows, const struct nb_combination *row)
{
    const struct nb_combination none = {0};
    struct nb_opencl_call c = begin(d, precision, "combine");
    nb_opencl_ulong(&c, count);
    pass_factors(&c, s, k0, k1);
    for (int k = k0; k < k0 + AT_ONCE; k++)
        nb_opencl_rows(&c, k < k1 ? s->in[k] : NULL);
    nb_opencl_rows(&c, d_sums);
    nb_opencl_int(&c, k1 == s->inputs);
    nb_opencl_int(&c, k0 == 0);
    for (int r = 0; r < NB_COMBINATIONS_MAX; r++) {
        const struct nb_combination *of = r < rows ? &row[r] : &none;
        nb_opencl_rows(&c, of->base);
        nb_opencl_rows(&c, of->compensation);
        nb_opencl_rows(&c, of->out);
        nb_opencl_rows(&c, of->compensation_out);
    }
    nb_opencl_place(&c, first_sizes(c.o), wide_bytes(c.o));
    return nb_opencl_run(&c, count);
}

/* Computes the linear combinations `row`. The first call of the kernel adds the last AT_ONCE inputs, the next call the
 * AT_ONCE inputs before these, and so on. d_sums has the type in which the kernel adds, so storing the sums between two
 * calls causes no rounding. Returns -1 on error. */
static int add_all(struct nb_device *d, enum nb_precision precision, uint64_t count, const struct sum_of *s, int rows,
                   const struct nb_combination *row)
{
    const size_t size = nb_precision_size(precision);
    void *d_sums = NULL;
    int status = 0, k1 = s->inputs;
    if (s->inputs > AT_ONCE && !(d_sums = nb_opencl_alloc(d, count * NB_COMBINATIONS_MAX * size)))
        return -1;
    do {
        const int k0 = k1 > AT_ONCE ? k1 - AT_ONCE : 0;
        status = add_inputs(d, precision, count, s, k0, k1, d_sums, rows, row);
        k1 = k0;
    } while (status == 0 && k1 > 0);
    nb_opencl_free(d, d_sums);
    return status;
}

int nb_opencl_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                      const void *const *d_in, int rows, const struct nb_combination *row, double *norm)
{
    double largest[FOUR] = {0};
    struct sum_of s;
    gather(inputs, d_in, rows, row, &s);
    if (count > 0 && (reserve_largest(d, count) || add_all(d, precision, count, &s, rows, row) ||
                      (norm && fetch_largest(d, precision, count, largest))))
        return -1;
    for (int r = 0; norm && r < rows; r++)
        norm[r] = largest[r];
    return 0;
}

/* ---- time scale and range ---- */

int nb_opencl_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                         const void *const *d_derivative, double least, double *time)
{
    double rate2[FOUR] = {0};
    if (reserve_largest(d, n))
        return -1;
    struct nb_opencl_call c = begin(d, precision, "step_scale");
    const float single = (float)least;
    nb_opencl_ulong(&c, n);
    nb_opencl_ulong(&c, stride);
    nb_opencl_value(&c, c.o->has_double ? (const void *)&least : &single, wide_bytes(c.o));
    for (int k = 0; k < NB_DERIVATIVES_MAX; k++)
        nb_opencl_rows(&c, d_derivative[k]);
    nb_opencl_place(&c, first_sizes(c.o), wide_bytes(c.o));
    if (nb_opencl_run(&c, n) || (n > 0 && fetch_largest(d, precision, n, rate2)))
        return -1;
    *time = 1 / sqrt(rate2[0]);
    return 0;
}

static int row_range(struct nb_device *d, enum nb_precision precision, uint64_t n, const void *d_row, double *range)
{
    double largest[FOUR] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    struct nb_opencl_call c = begin(d, precision, "row_range");
    nb_opencl_ulong(&c, n);
    nb_opencl_rows(&c, d_row);
    nb_opencl_place(&c, first_sizes(c.o), wide_bytes(c.o));
    if (nb_opencl_run(&c, n) || fetch_largest(d, precision, n, largest))
        return -1;
    memcpy(range, largest, 2 * sizeof *range);
    return 0;
}

int nb_opencl_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                    const void *const *d_vector, union nb_range *range)
{
    const size_t row_bytes = stride * nb_precision_size(precision);
    if (reserve_largest(d, n))
        return -1;
    for (int row = 0; row < 3 * count; row++)
        if (row_range(d, precision, n, (const char *)d_vector[row / 3] + (size_t)(row % 3) * row_bytes,
                      &range->wide[2 * row]))
            return -1;
    return 0;
}
