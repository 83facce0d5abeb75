/* device.h - where the numbers live: memory, copies and vector operations of one processor that was opened.
 *
 * A device is an instance: two of them, of one kind or of two, on one card or on several, share nothing. Its calls are
 * made by one thread at a time and are ordered as made; from_device, fetch, sync and a combine with norms wait for what
 * came before. Pointers belong to the device that allocated them. Every int function: 0, or -1 after nb_fail.
 *
 * A *vector* is one value triple a body, stored as three rows: x[0..n), x + stride = y[0..n), x + 2 stride = z[0..n),
 * with stride >= n a multiple of NB_STRIDE_UNIT(_FEW, _QUAD) and the gap filled with zeros. Element type: float in
 * `single`, double in `mixed` and `double`, nb_quad (quad.h) in `quad`. Factors are double, in `quad` nb_quad: the
 * *scalar* type of a precision. */
#pragma once

#include "base/bodies.h"
#include "device/precision.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NB_STRIDE_UNIT      64
#define NB_STRIDE_UNIT_FEW  8 /* of fewer bodies than that, whose gap would cost more than they; a vector of doubles */
#define NB_STRIDE_UNIT_QUAD 4 /* in quad, where an element of a gap costs as much as a body's and no SIMD wants it */

#define NB_COMBINATIONS_MAX 4
#define NB_INPUTS_MAX       48

/* A linear combination of vectors: y = base + d, d = compensation + sum_k c[k] in[k]. Several with the same inputs are
 * computed together, each from its row c of the matrix of coefficients. */
struct nb_combination {
    const void *c;    /* a coefficient of the scalar type for each input; inputs with coefficient 0 are left out */
    const void *base; /* NULL: 0 */
    const void *compensation; /* (Kahan) the rounding error of the base so far; NULL: none */
    void *out;                /* y; NULL: only its norm is wanted */
    void *compensation_out;   /* of y: the rounding error d - (y - base); NULL: lost */
};

struct nb_pack;        /* pack.h */
struct nb_device_kind; /* device_kind.h: the table that an implementation fills */
struct nb_timing;      /* timing.h */
union nb_range;        /* range.h */

struct nb_device {           /* opened; a kind's own instance begins with one */
    const char *name;        /* of its kind: "cpu", "cuda", "opencl" */
    enum nb_precision usual; /* the precision to take when none is asked for */
    int index;               /* which of its kind, from 0 */
    char description[256];   /* for people: "CPU, 2 threads" */
    char model[128];         /* of the processor; and of what is beside it in the way of results bit for bit: */
    char driver[128];        /* "glibc 2.36" */
    const struct nb_device_kind *kind;
    struct nb_timing *timing; /* NULL: off */
};

extern const struct nb_device_kind *const nb_device_kinds[]; /* compiled in, best first, NULL at the end: backends.c */

/* ---- opening ---- */

/* Device `index` of a kind; NULL after nb_fail with why it cannot be used. Close with nb_device_close. */
struct nb_device *nb_device_open(const struct nb_device_kind *kind, int index);
void nb_device_close(struct nb_device *d); /* NULL is allowed */

/* ---- memory ---- */

void *nb_device_alloc(struct nb_device *d, size_t size_bytes); /* zeroed; NULL after nb_fail */
/* The same for `rows` rows of n bodies, of `stride` elements each: a vector has 3. */
void *nb_device_alloc_rows(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int rows);
void nb_device_free(struct nb_device *d, void *p); /* NULL is allowed */
/* Copies bytes from host memory to the device's; and back. */
int nb_device_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes);
int nb_device_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes);
/* size_bytes at d_p, saved to or loaded from a pack (pack.h). */
int nb_device_pack(struct nb_device *d, struct nb_pack *k, void *d_p, size_t size_bytes);
/* What nb_device_alloc could have, bytes: what is free and what there is. */
int nb_device_memory(struct nb_device *d, double *free_bytes, double *total_bytes);
/* Is its memory this machine's own? */
bool nb_device_is_host(const struct nb_device *d);
/* Is it another process's (ranks.h)? */
bool nb_device_is_remote(const struct nb_device *d);
/* n values (width 1) or triples (width 3) from a column's data (interleaved, NB_F32 or NB_F64, host memory) to rows of
 * the precision's type, transposed; and back. */
int nb_device_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *column, enum nb_type type, void *d_rows);
int nb_device_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *d_rows, enum nb_type type, void *column);
/* Makes fetches into host memory faster until unpin, where there is something to gain. */
void nb_device_pin(struct nb_device *d, void *p, size_t size_bytes);
void nb_device_unpin(struct nb_device *d, void *p);

/* ---- vectors ---- */

/* y += a x over count elements of the precision's type; not in quad, where combine serves. */
int nb_device_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                   void *d_y);
/* Kicks v += k1 a, v += k2 a and drift x += drift v over count elements in one pass, each rounded as if alone; a kick
 * of 0 is left out. Not in quad. */
int nb_device_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                         double drift, const void *d_a, void *d_v, void *d_x);
/* `rows` combinations, 1 to NB_COMBINATIONS_MAX, of `inputs` inputs, 0 to NB_INPUTS_MAX, in one pass over count
 * elements (Kahan 1965, Commun. ACM 8, 40; the rounding error as Knuth 1969, The Art of Computer Programming 2, 4.2.2).
 * Each operation is rounded; the last input is added first and the base last. All of an element is read before any of
 * it is written, so that out may be an input or a base. `norm`, where it is not NULL, gets max |y| of each combination
 * (infinite where one is not a number) in host memory, and the call waits for it. */
int nb_device_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                      const void *const *d_in, int rows, const struct nb_combination *row, double *norm);

#define NB_DERIVATIVES_MAX 4
#define NB_EXTENTS_MAX     2 /* vectors of a call of range.h */

/* *time: the least time scale tau of n bodies, from NB_DERIVATIVES_MAX vectors of successive derivatives of their
 * motion, and the call waits for it. With magnitudes a, j, s, c of acceleration, jerk, snap and crackle, for each body
 * the longer of tau^2 = 2 a^2 / (j^2 + a s)             (Pham, Rein & Spiegel 2024, Open J. Astrophys. 7, 1) tau^2 = (a
 * s + j^2) / (j c + s^2)       (Aarseth 1985, in Multiple Time Scales, 377) which on a circle are both 1/(its angular
 * frequency), with an acceleration of at least `least` >= 0: neither the moment in which an acceleration passes through
 * 0 nor rounding errors where it always is 0 make it short. A body whose numerator is 0 says nothing; infinite where
 * none says anything, 0 where a value is not finite. Magnitudes of 1e-150 to 1e150. */
int nb_device_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                         const void *const *d_derivative, double least, double *time);

/* ---- steps of each body's own (step/step_block.c) ---- */

#define NB_RUNGS_MAX 40

/* What was done at times at which steps of the base step over 2 to the power of the rung end, and those of all higher
 * rungs with them. */
struct nb_rung {
    uint64_t times, steps; /* steps: of single bodies */
    double seconds;        /* of the clock */
};

/* A kick of bodies that each have a step h = longest / 2^k of their own. Where it closes a step, v += h/2 a, and the
 * next step is chosen; where it opens one, v += h/2 a with the h that was chosen. Rows have the bodies from number
 * `first` on; others are left out. */
struct nb_own_kick {
    uint64_t first, n, stride;
    uint64_t count;          /* bodies d_index[0 .. count), rising, */
    const uint32_t *d_index; /* NULL: all */
    /* Vector of the accelerations that go into d_a, which has those of the step's beginning; NULL: it has them. Of a
     * list, in its order, in rows of field_stride (nb_device_alloc); of all as d_a. */
    const void *d_field;
    uint64_t field_stride;
    const void *d_m; /* row of masses */
    void *d_a, *d_v; /* vectors */
    void *d_step;    /* row: the steps that are under way, or are to be opened; 0: none yet */
    bool close, open;
    bool backwards;           /* kicks are of -h/2 */
    double longest, shortest; /* of next steps: longest / 2^k, the largest that is not more than any of */
    double of_acceleration;   /* this over |a|^(1/2), */
    double of_jerk;           /* this over |j|^(1/3), j the change of a in the step that is closed over its length, */
    double of_mass;           /* this over m^(1/2); and not less than `shortest` */
};

/* The kick; *least: the shortest of the next steps, infinite without any. The call waits. */
int nb_device_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least);

enum nb_own_task {
    NB_OWN_START,   /* writes each body's time scale into d_step, from d_a, d_j and the snap in d_field_a */
    NB_OWN_OPEN,    /* replaces the time scales in d_step by steps */
    NB_OWN_PREDICT, /* writes where the bodies are at time `now`, predicted, into d_px and d_pv */
    NB_OWN_CORRECT, /* ends the steps of the bodies in the list at `now`, and begins the next ones */
    NB_OWN_PUT /* replaces d_x, d_v, d_a, d_j and d_begun of the bodies in the list by the 13 rows of field_stride in
                  d_field_a, in its order */
};

/* Work on bodies that take Hermite's steps of their own (step/step_hermite_block.c). Times and steps are parts of a
 * base step: powers of 2 of it. Rows are double, and have the bodies from number `first` on; others are left out. */
struct nb_own_hermite {
    enum nb_own_task task;
    uint64_t first, n, stride;
    uint64_t count;          /* bodies d_index[0 .. count), rising, */
    const uint32_t *d_index; /* NULL: all */
    /* Vectors of acceleration and jerk at `now`. Of a list, in its order, in rows of field_stride (nb_device_alloc); of
     * all as d_a. */
    const void *d_field_a, *d_field_j;
    uint64_t field_stride;
    void *d_x, *d_v, *d_a, *d_j; /* vectors, of the beginning of each body's step */
    void *d_begun, *d_step;      /* rows: that time, and the step */
    void *d_px, *d_pv;           /* vectors */
    double base;                 /* the base step; negative: backwards */
    double now, longest;         /* the longest step that may begin now */
    double eta;                  /* a step is at most this times the body's time scale, and twice the one before */
    double least;                /* an acceleration counts as no less in a time scale */
    bool ends;                   /* no step begins: time scales are written in place of steps */
};

#define NB_OWN_PARTS    40 /* a base step of struct nb_own_hermite is 2 to this power of */
#define NB_OWN_SHORTEST 0x1p-40

/* Does the task. range: the least and the largest of what was written into d_step; infinite and 0 without any, and of
 * NB_OWN_PREDICT and NB_OWN_PUT, which do not wait; else the call waits. */
int nb_device_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                          double range[2]);
/* Numbers of those of n bodies, which begin with number `first`, whose step is no longer than `most`, rising, into
 * d_index (nb_device_alloc); *count of them. The call waits. */
int nb_device_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                         const void *d_step, double most, uint32_t *d_index, uint64_t *count);

/* ---- order of work ---- */

/* Waits for all work of the device. */
int nb_device_sync(struct nb_device *d);
/* Between record_begin and record_end calls are recorded and not made (as a CUDA graph); replay makes them, in order
 * with everything else, as often as asked. record_end returns a recording that is the caller's, freed by record_free,
 * or NULL after nb_fail, also where a call failed. Only where `records` says so: elsewhere a call costs next to
 * nothing. */
bool nb_device_records(const struct nb_device *d);
int nb_device_record_begin(struct nb_device *d);
void *nb_device_record_end(struct nb_device *d);
int nb_device_replay(struct nb_device *d, void *recording);
void nb_device_record_free(struct nb_device *d, void *recording); /* NULL is allowed */
/* A mark is an event in the device's own order of work. mark: sets *mark to now, and allocates it where it is NULL
 * (free it with mark_free); marked_s: seconds from one to another, waiting for both, negative after nb_fail. */
int nb_device_mark(struct nb_device *d, void **mark);
double nb_device_marked_s(struct nb_device *d, void *from, void *to);
void nb_device_mark_free(struct nb_device *d, void *mark);

/* For benchmarks: processors (threads, multiprocessors) and their clock, 0 where it is not known. */
int nb_device_speed(struct nb_device *d, int *processors, double *clock_hz);

#ifdef __cplusplus
}
#endif
