/* device.h - where the numbers live: memory, copies and vector operations of one kind of processor.
 *
 * A *vector* is one value triple a body, stored as three rows: x[0..n), x + stride = y[0..n), x + 2 stride = z[0..n),
 * with stride >= n a multiple of NB_STRIDE_UNIT(_QUAD) and the gap filled with zeros. Element type: float in `single`,
 * double in `mixed` and `double`, nb_quad in `quad`. Pointers belong to the device that allocated them. Every int
 * function: 0, or -1 after nb_fail. Calls on one device are ordered as made; from_device and sync wait for what came
 * before. */
#ifndef NB_DEVICE_H
#define NB_DEVICE_H

#include "bodies.h"
#include "device/quad.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NB_STRIDE_UNIT      64
#define NB_STRIDE_UNIT_QUAD 4 /* in quad, where an element of a gap costs as much as a body's and no SIMD wants it */

enum nb_precision {
    NB_SINGLE, /* state and pair forces in single */
    NB_MIXED,  /* state in double, differences in double, the rest of a pair in single, sums in blocks */
    NB_DOUBLE,
    NB_QUAD, /* nb_quad; the CPU alone */
    NB_PRECISIONS
};

#define NB_ROWS_MAX   4
#define NB_INPUTS_MAX 48

/* One row of a combination: y = base + d, d = carry + sum_k c[k] in[k]. */
struct nb_row {
    const nb_quad *c;  /* a factor for each input; inputs with factor 0 are left out */
    const void *base;  /* NULL: 0 */
    const void *carry; /* what rounding has kept from the base so far; NULL: none */
    void *out;         /* y; NULL: only its norm is wanted */
    void *carry_out;   /* d - (y - base), what rounding kept from y; NULL: lost */
};

struct nb_device {
    const char *name;        /* "cpu", "cuda" */
    enum nb_precision usual; /* the precision to take when none is asked for */
    /* Ready to be used? Writes what it is, for people ("CPU, 2 threads"). -1: why it is not there. */
    int (*open)(char *description, size_t size);
    void *(*alloc)(size_t size_bytes); /* zeroed; NULL after nb_fail */
    void (*free)(void *d);             /* NULL is allowed */
    int (*to_device)(void *d_to, const void *from, size_t size_bytes);
    int (*from_device)(void *to, const void *d_from, size_t size_bytes);
    /* y += a x over count elements of the precision's type */
    int (*axpy)(enum nb_precision precision, uint64_t count, nb_quad a, const void *d_x, void *d_y);
    /* v += k1 a, v += k2 a, x += d v in one pass, each rounded as if alone; a kick of 0 is left out. */
    int (*leap)(enum nb_precision precision, uint64_t count, nb_quad k1, nb_quad k2, nb_quad d, const void *d_a,
                void *d_v, void *d_x);
    /* All rows in one pass over count elements; each operation is rounded, the last input is added first and the base
     * last. All of an element is read before any of it is written, so that out may be an input or a base.
     * `norm`, where it is not NULL, gets max |y| of each row (infinite where one is not a number), and the call waits
     * for it. */
    int (*combine)(enum nb_precision precision, uint64_t count, int inputs, const void *const *d_in, int rows,
                   const struct nb_row *row, double *norm);
    int (*sync)(void);
    /* Between record_begin and record_end calls are noted and not made; replay makes them, in order with everything
     * else, as often as asked. record_end may fail (NULL), also after a failed call. NULL functions where a call costs
     * next to nothing. */
    int (*record_begin)(void);
    void *(*record_end)(void);
    int (*replay)(void *recording);
    void (*record_free)(void *recording); /* NULL is allowed */
    /* n values or triples between a column's data (interleaved, f32 or f64, host) and rows of the precision's type. */
    int (*store)(enum nb_precision precision, uint64_t n, uint64_t stride, int width, const void *column,
                 enum nb_type type, void *d_rows);
    int (*fetch)(enum nb_precision precision, uint64_t n, uint64_t stride, int width, const void *d_rows,
                 enum nb_type type, void *column);
    /* Makes fetches into host memory faster until unpin; NULL where there is nothing to gain. */
    void (*pin)(void *p, size_t size_bytes);
    void (*unpin)(void *p);
    /* A mark is a moment in the device's own order of work. mark: notes now in *mark, which is made where it is NULL;
     * marked_s: seconds from one to another, waiting for both, negative after nb_fail. */
    int (*mark)(void **mark);
    double (*marked_s)(void *from, void *to);
    void (*mark_free)(void *mark);
    /* Memory for alloc, bytes: what is free and what there is. */
    int (*memory)(double *free_bytes, double *total_bytes);
    /* For benchmarks: processors (threads, multiprocessors) and their clock, 0 where it is not known. */
    int (*speed)(int *processors, double *clock_hz);
};

extern const struct nb_device *const nb_devices[]; /* what is compiled in, best first, NULL at the end: backends.c */

/* "auto": the first device that is ready; else the named one. Writes its description. NULL: unknown or not ready. */
const struct nb_device *nb_device_choose(const char *name, char *description, size_t size);

/* Parses "single", "mixed", "double", "quad"; -1 after nb_fail. */
int nb_precision_parse(const char *name);
const char *nb_precision_name(enum nb_precision precision);
size_t nb_precision_size(enum nb_precision precision); /* of an element, bytes */

/* ---- the state of n bodies on a device ---- */

struct nb_state {
    const struct nb_device *device;
    enum nb_precision precision;
    uint64_t n, stride;
    void *m;         /* n masses */
    void *x, *v, *a; /* vectors: position, velocity, acceleration */
};

/* Device memory of a state of n bodies and `vectors` further vectors of its shape, bytes. */
double nb_state_bytes(enum nb_precision precision, int vectors, uint64_t n);

/* Copies mass, pos and vel of checked bodies to the device; in quad also pos_lo and vel_lo, added to pos and vel, where
 * there are such. NULL: no memory. */
struct nb_state *nb_state_create(const struct nb_device *device, enum nb_precision precision,
                                 const struct nb_bodies *b);
void nb_state_destroy(struct nb_state *s);
/* Allocates a further vector of the state's shape, zeroed. */
void *nb_state_vector(const struct nb_state *s);
/* Copies rows from the device into a column of width 1 or 3, type f32 or f64, that has data. `d_rows` has
 * `width` rows of the state's stride. */
int nb_state_fetch(const struct nb_state *s, const void *d_rows, struct nb_column *c);
/* The same for what the column `hi`, fetched before, has rounded away: the values less those in hi. */
int nb_state_fetch_rest(const struct nb_state *s, const void *d_rows, const struct nb_column *hi, struct nb_column *c);

#ifdef __cplusplus
}
#endif
#endif
