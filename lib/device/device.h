/* device.h - an opened processor: memory, copies and vector operations.
 * - Two opened devices share nothing, even on the same card. A pointer is valid only on the device that allocated it.
 * - One thread at a time may call a device. Calls are executed in order. nb_device_from, nb_device_fetch,
 *   nb_device_sync and nb_device_combine with norms wait for all earlier calls.
 * - Every int function returns 0, or -1 after nb_fail.
 *
 * A *vector* is three values per body, x, y and z. It is stored as three *rows*: body i has x in element i, y in
 * element stride + i, and z in element 2 stride + i. stride >= n is a multiple of NB_STRIDE_UNIT, NB_STRIDE_UNIT_FEW or
 * NB_STRIDE_UNIT_QUAD. Elements n to stride - 1 of each row are 0. Elements are float in `single` precision, double in
 * `mixed` and `double`, and nb_quad (quad.h) in `quad`. The *scalar* type, used for factors, is nb_quad in `quad`,
 * otherwise double. */
#pragma once

#include "base/bodies.h"
#include "device/precision.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NB_STRIDE_UNIT 64
/* for fewer than NB_STRIDE_UNIT bodies, the stride is a multiple of this number, so that rows have less padding */
#define NB_STRIDE_UNIT_FEW 8
/* strides in `quad` are multiples of this number; small, because without SIMD padding costs as much time as bodies */
#define NB_STRIDE_UNIT_QUAD 4

#define NB_COMBINATIONS_MAX 4
#define NB_INPUTS_MAX       48

/* A linear combination of vectors: y = base + d, d = compensation + sum over k of c[k] * in[k]. Several combinations of
 * the same inputs are computed together, each with its own coefficients c. */
struct nb_combination {
    const void *c;    /* coefficients of the scalar type, one per input; inputs with coefficient 0 are skipped */
    const void *base; /* first term of y = base + d; NULL: zeros */
    const void *compensation; /* accumulated rounding error of the base (Kahan); NULL: none */
    void *out;                /* y; NULL: only the norm is wanted */
    void *compensation_out;   /* rounding error d - (y - base) of the sum y = base + d; NULL: discarded */
};

struct nb_pack;        /* see pack.h */
struct nb_device_kind; /* see device_kind.h: table of functions of a type of device */
struct nb_timing;      /* see timing.h */
union nb_range;        /* see range.h */

struct nb_device {           /* an opened device. The structs of all types of device begin with this struct */
    const char *name;        /* name of the type of the device: "cpu", "cuda", "opencl" */
    enum nb_precision usual; /* default precision */
    int index;               /* index among the devices of its type, from 0 */
    char description[256];   /* text for messages to users: "CPU, 2 threads" */
    /* model of the processor. Results are bitwise identical on devices with the same model and driver */
    char model[128];
    char driver[128]; /* name and version of the GPU driver or C library, which may also change results: "glibc 2.36" */
    const struct nb_device_kind *kind;
    struct nb_timing *timing; /* NULL: times are not measured */
};

/* types of device that are compiled in, in order of preference; the last entry is NULL. Defined in backends.c */
extern const struct nb_device_kind *const nb_device_kinds[];

/* ---- opening ---- */

/* Opens device `index` of a type. Close with nb_device_close. Returns NULL after nb_fail with the reason. */
struct nb_device *nb_device_open(const struct nb_device_kind *kind, int index);
void nb_device_close(struct nb_device *d); /* NULL is allowed */

/* ---- memory ---- */

void *nb_device_alloc(struct nb_device *d, size_t size_bytes); /* zeroed; NULL after nb_fail */
/* Allocates `rows` zeroed rows (3 for a vector) for n bodies. A row has `stride` >= n elements. NULL after nb_fail. */
void *nb_device_alloc_rows(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int rows);
void nb_device_free(struct nb_device *d, void *p); /* NULL is allowed */
/* Copy bytes from host memory to the device, and back. */
int nb_device_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes);
int nb_device_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes);
/* Saves size_bytes bytes of device memory from d_p to a pack (checkpoint data, pack.h), or loads them from the pack to
 * d_p. */
int nb_device_pack(struct nb_device *d, struct nb_pack *k, void *d_p, size_t size_bytes);
/* Sets *free_bytes and *total_bytes to the free and the total memory that nb_device_alloc can use. */
int nb_device_memory(struct nb_device *d, double *free_bytes, double *total_bytes);
/* Returns whether the device's memory is host memory. */
bool nb_device_is_host(const struct nb_device *d);
/* Returns whether the device belongs to another process (ranks.h). */
bool nb_device_is_remote(const struct nb_device *d);
/* nb_device_store converts a column in host memory to `width` rows of the precision's type. The column has n values
 * (width 1) or n interleaved triples (width 3), of type NB_F32 or NB_F64. nb_device_fetch converts rows to such a
 * column. */
int nb_device_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *column, enum nb_type type, void *d_rows);
int nb_device_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *d_rows, enum nb_type type, void *column);
/* Pins host memory until nb_device_unpin, so that nb_device_fetch into this memory is faster. Does nothing on devices
 * on which pinned memory has no advantage. */
void nb_device_pin(struct nb_device *d, void *p, size_t size_bytes);
void nb_device_unpin(struct nb_device *d, void *p);

/* ---- vectors ---- */

/* Computes y += a * x for count elements of the precision's type. Not for quad precision: use nb_device_combine. */
int nb_device_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                   void *d_y);
/* For count elements, computes v += k1 * a (last kick of one step), v += k2 * a (first kick of the next step), then
 * x += drift * v. Does not use fused multiply-add. A kick is skipped if its factor is 0. Not for quad precision. */
int nb_device_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                         double drift, const void *d_a, void *d_v, void *d_x);
/* Computes `rows` linear combinations (1 to NB_COMBINATIONS_MAX) of the same `inputs` vectors (0 to NB_INPUTS_MAX), of
 * count elements each. The output of a combination may be an input or a base.
 * - Uses the summation of Kahan (1965, Commun. ACM 8, 40). Rounding errors are computed as in Knuth (1969, The Art of
 *   Computer Programming 2, 4.2.2). Adds the inputs from last to first, then the base, without fused multiply-add.
 * - If norm is not NULL, waits for the result, and sets norm[r] (host memory) to the largest absolute value of an
 *   element of combination r. norm[r] is infinite if an element is not finite. */
int nb_device_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                      const void *const *d_in, int rows, const struct nb_combination *row, double *norm);

#define NB_DERIVATIVES_MAX 4
#define NB_EXTENTS_MAX     2 /* maximum number of vectors in a call of nb_device_range (range.h) */

/* Sets *time to the least time scale tau of n bodies. Waits for the result. d_derivative: four vectors, with
 * acceleration, jerk, snap and crackle. Their magnitudes for a body are a, j, s and c. The body's tau is the longer of
 *     tau^2 = 2 a^2 / (j^2 + a s)             (Pham, Rein & Spiegel 2024, Open J. Astrophys. 7, 1)
 *     tau^2 = (a s + j^2) / (j c + s^2)       (Aarseth 1985, in Multiple Time Scales, 377)
 * On a circular orbit both formulas give tau = 1 / (angular frequency).
 * - If a < least, `least` is used instead of a. Otherwise tau would be too short where the acceleration passes through
 *   0, or where it is 0 apart from rounding errors. least >= 0.
 * - A body is ignored if one of the two numerators is 0. If all bodies are ignored, *time is infinite.
 * - If a derivative is not finite, *time is 0. The magnitudes must be within 1e-150 to 1e150. */
int nb_device_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                         const void *const *d_derivative, double least, double *time);

/* ---- individual time steps (step/step_block.c) ---- */

#define NB_RUNGS_MAX 40

/* Counters for one step size, (base step) / 2^k, which is called rung k. An event is a simulated time at which
 * individual steps end. Each event is counted once, in the rung of the longest steps that end at this time. */
struct nb_rung {
    /* times: number of events of this rung; steps: number of steps, of any size, that ended at these events */
    uint64_t times, steps;
    double seconds; /* wall time of the computations for these events */
};

/* Arguments of a kick of all bodies, or of the bodies listed in d_index. v, a and h are a body's velocity, acceleration
 * and individual step size.
 * - `close` ends the body's step with v += h / 2 * a, and then chooses the next h.
 * - `open` begins the body's next step with v += h / 2 * a.
 * The rows contain bodies `first` to `first` + n - 1. Listed bodies outside this range are skipped. */
struct nb_own_kick {
    uint64_t first, n, stride;
    uint64_t count;          /* number of indices in d_index, which are increasing */
    const uint32_t *d_index; /* NULL: all bodies */
    /* Vector of new accelerations, which the kick copies to d_a. NULL: d_a already contains them. If d_index is NULL,
     * d_field has the layout of d_a. Otherwise its rows have field_stride elements, and element k belongs to body
     * d_index[k]; d_field must then be allocated with nb_device_alloc. */
    const void *d_field;
    uint64_t field_stride;
    const void *d_m; /* row of masses */
    void *d_a, *d_v; /* vectors */
    void *d_step;    /* row of step sizes h; 0: the body has no step yet */
    bool close, open;
    bool backwards;           /* kicks use -h/2 */
    double longest, shortest; /* range of the next step size. The size is the largest of longest, longest / 2,
                                 longest / 4, ... that the three limits below allow, but at least `shortest` */
    double of_acceleration;   /* first limit of the next step: of_acceleration / |a|^(1/2) */
    /* second limit of the next step: of_jerk / |j|^(1/3), with j = (change of a in the step that was closed) / h */
    double of_jerk;
    double of_mass; /* third limit of the next step: of_mass / m^(1/2) */
};

/* Kicks the bodies. Sets *least to the shortest of the chosen next steps, or to infinity if there are no bodies. Waits
 * for the result. */
int nb_device_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least);

enum nb_own_task {
    NB_OWN_START,   /* computes time scales from d_a, d_j and the snap (in d_field_a), and writes them to d_step */
    NB_OWN_OPEN,    /* replaces the time scales in d_step by step sizes */
    NB_OWN_PREDICT, /* writes the predicted positions and velocities at time `now` to d_px and d_pv */
    NB_OWN_CORRECT, /* ends the steps of the listed bodies at `now`, and begins their next steps */
    /* sets d_x, d_v, d_a, d_j and d_begun of the listed bodies to the values in d_field_a. d_field_a then has 13 rows:
     * 3 for each of the four vectors, and 1 for d_begun. A row has field_stride elements; element k belongs to body
     * d_index[k] */
    NB_OWN_PUT
};
#define NB_OWN_PUT_ROWS 13

/* A task for bodies with individual Hermite steps (step/step_hermite_block.c). The unit of times and step sizes is the
 * base step; step sizes are powers of 2. Rows are double and contain bodies `first` to `first` + n - 1. Listed bodies
 * (d_index) outside this range are skipped. */
struct nb_own_hermite {
    enum nb_own_task task;
    uint64_t first, n, stride;
    uint64_t count;          /* number of indices in d_index, which are increasing */
    const uint32_t *d_index; /* NULL: all bodies */
    /* Vectors of acceleration and jerk at `now`. If d_index is NULL, they have the layout of d_a. Otherwise their rows
     * have field_stride elements, and element k belongs to body d_index[k]; they must then be allocated with
     * nb_device_alloc. */
    const void *d_field_a, *d_field_j;
    uint64_t field_stride;
    void *d_x, *d_v, *d_a, *d_j; /* vectors: state of each body at the beginning of its step */
    void *d_begun, *d_step;      /* rows. d_begun: time at which each step began; d_step: step size */
    void *d_px, *d_pv;           /* vectors: predicted positions and velocities */
    double base;                 /* the base step; negative: backwards in time */
    double now, longest;         /* now: present time; longest: maximum size of a step that may begin now */
    double eta;   /* a step is at most eta times the body's time scale, and at most twice the previous step */
    double least; /* in the formula of the time scale, accelerations below this value are replaced by it */
    bool ends;    /* true: NB_OWN_CORRECT begins no next steps, and writes time scales to d_step */
};

#define NB_OWN_PARTS    40 /* log2 of (base step / shortest possible step) */
#define NB_OWN_SHORTEST 0x1p-40

/* Executes the task. Sets `range` to the least and the largest value that was written to d_step, or to infinity and 0
 * if no value was written. Waits for the result, except with NB_OWN_PREDICT and NB_OWN_PUT, which do not write to
 * d_step. */
int nb_device_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                          double range[2]);
/* Finds the bodies whose value in d_step is at most `most`. Writes their indices to d_index (allocated with
 * nb_device_alloc), in increasing order, and their number to *count. d_step is a row with the values of bodies `first`
 * to `first` + n - 1. Waits for the result. */
int nb_device_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                         const void *d_step, double most, uint32_t *d_index, uint64_t *count);

/* ---- waiting, recordings, timing ---- */

/* Waits for all work of the device. */
int nb_device_sync(struct nb_device *d);
/* Calls between record_begin and record_end are recorded (as a CUDA graph) and not executed. record_end returns the
 * recording, or NULL after nb_fail. The caller frees it with record_free. replay executes the recorded calls, after all
 * earlier calls; it may be called many times. Call these functions only if nb_device_records returns true. Other
 * devices need no recordings, because their calls cost almost no time. */
bool nb_device_records(const struct nb_device *d);
int nb_device_record_begin(struct nb_device *d);
void *nb_device_record_end(struct nb_device *d);
int nb_device_replay(struct nb_device *d, void *recording);
void nb_device_record_free(struct nb_device *d, void *recording); /* NULL is allowed */
/* These functions measure the time between two marks. A mark is a position in the sequence of the device's calls.
 * nb_device_mark sets *mark to the position after the last call. If *mark is NULL, it first allocates the mark, which
 * the caller frees with nb_device_mark_free. nb_device_marked_s waits until the device has passed both marks, and
 * returns the seconds between them, or a negative number after nb_fail. */
int nb_device_mark(struct nb_device *d, void **mark);
double nb_device_marked_s(struct nb_device *d, void *from, void *to);
void nb_device_mark_free(struct nb_device *d, void *mark);

/* Sets *processors to the number of threads (CPU) or multiprocessors (GPU), and *clock_hz to their frequency, 0 if
 * unknown. */
int nb_device_speed(struct nb_device *d, int *processors, double *clock_hz);

#ifdef __cplusplus
}
#endif
