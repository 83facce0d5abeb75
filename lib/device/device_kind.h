/* device_kind.h - what one kind of device implements: a table of functions, each as device.h says of nb_device_NAME:
 * to_device and from_device of nb_device_to and _from, open and close of nb_device_open and _close. Pointers d_... are
 * the device's, all others host memory; ints are 0, or -1 after nb_fail.
 *
 * For lib/device and backends.c; everyone else calls device.h. A new kind is such a table and a line in backends.c. */
#pragma once

#include "base/bodies.h"
#include "device/precision.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nb_device; /* device.h */
struct nb_combination;
struct nb_own_kick;
struct nb_own_hermite;
union nb_range; /* range.h */

struct nb_peer_message { /* between a device and one of another process */
    bool put;            /* from here to there */
    int other;           /* its rank */
    char *d;
    size_t size_bytes;
};

#define NB_FABRIC_BYTES 128

/* Host memory for messages, and copies from the device to it and back, behind what was made ready and beside what
 * follows. Each sets *mark, made where it is NULL, which staged tells of: 1: the copy is done; 0: not yet; -1 after
 * nb_fail. nb_device_kind.peer_taken is called when all of them are done. */
struct nb_device_staging {
    void *(*alloc)(struct nb_device *d, size_t size_bytes);
    void (*free)(struct nb_device *d, void *p, void *mark);
    int (*out)(struct nb_device *d, void *to, const void *d_from, size_t size_bytes, void **mark);
    int (*in)(struct nb_device *d, void *d_to, const void *from, size_t size_bytes, void **mark);
    int (*staged)(struct nb_device *d, void *mark);
};

/* NCCL; -1 where it is not there. find: `place` says which device of the host it is, of which each may join once. One
 * of all devices names the fabric, and all join it at once, with that name. exchange puts all messages on the device,
 * at once, as nb_device_staging.out does; those between two ranks are in the same order on both. exchanged: as staged,
 * of all of them. leave gives up what is still on its way. */
struct nb_device_fabric {
    int (*find)(struct nb_device *d, char *place, size_t size);
    int (*name)(struct nb_device *d, unsigned char name[NB_FABRIC_BYTES]);
    int (*join)(struct nb_device *d, const unsigned char name[NB_FABRIC_BYTES], int rank, int count);
    int (*exchange)(struct nb_device *d, const struct nb_peer_message *message, size_t count);
    int (*exchanged)(struct nb_device *d);
    void (*leave)(struct nb_device *d);
};

struct nb_device_kind {
    const char *name;
    bool quad;   /* offers NB_QUAD */
    bool host;   /* its memory is this machine's own */
    bool remote; /* it is another process's (ranks.h) */
    /* Allocates an instance for device `index`, from 0, and fills `usual`, `description`, `model` and `driver`; the
     * other members of struct nb_device are filled by nb_device_open. NULL after nb_fail. close frees it. */
    struct nb_device *(*open)(int index);
    int (*count)(void); /* of devices that open would find; NULL: one */
    void (*close)(struct nb_device *d);
    void *(*alloc)(struct nb_device *d, size_t size_bytes);
    /* NULL: `alloc` serves. */
    void *(*alloc_rows)(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int rows);
    void (*free)(struct nb_device *d, void *p);
    int (*to_device)(struct nb_device *d, void *d_to, const void *from, size_t size_bytes);
    int (*from_device)(struct nb_device *d, void *to, const void *d_from, size_t size_bytes);
    int (*memory)(struct nb_device *d, double *free_bytes, double *total_bytes);
    int (*store)(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                 const void *column, enum nb_type type, void *d_rows);
    int (*fetch)(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                 const void *d_rows, enum nb_type type, void *column);
    int (*axpy)(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x, void *d_y);
    int (*kick_drift)(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                      double drift, const void *d_a, void *d_v, void *d_x);
    int (*combine)(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                   const void *const *d_in, int rows, const struct nb_combination *row, double *norm);
    int (*step_scale)(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                      const void *const *d_derivative, double least, double *time);
    int (*range)(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                 const void *const *d_vector, union nb_range *range); /* range.h; n > 0 */
    /* NULL, all three: in host memory, with copies (own_steps.c). */
    int (*hermite_own)(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                       double range[2]);
    int (*kick_own)(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least);
    int (*select_due)(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n, const void *d_step,
                      double most, uint32_t *d_index, uint64_t *count);
    int (*sync)(struct nb_device *d);
    int (*mark)(struct nb_device *d, void **mark);
    double (*marked_s)(struct nb_device *d, void *from, void *to);
    void (*mark_free)(struct nb_device *d, void *mark);
    int (*speed)(struct nb_device *d, int *processors, double *clock_hz);
    /* All of them NULL, or none: NULL where a call costs next to nothing. */
    int (*record_begin)(struct nb_device *d);
    void *(*record_end)(struct nb_device *d);
    int (*replay)(struct nb_device *d, void *recording);
    void (*record_free)(struct nb_device *d, void *recording);
    /* For groups (device/group.h), whose parts are of this kind. ready: what was put on the device so far is what
     * others are to take. copy: from another device of this kind, which was made ready, as was this one, behind all
     * that was put on both until then and beside what follows. taken: what follows waits for the copies of this device,
     * and for those of all the others, so that it may read what came and write what went. ready and taken NULL: nothing
     * needs to wait. */
    int (*peer_ready)(struct nb_device *d);
    int (*peer_copy)(struct nb_device *d, void *d_to, struct nb_device *from, const void *d_from, size_t size_bytes);
    int (*peer_taken)(struct nb_device *d, struct nb_device *const *all, int count);
    /* For parts that are of other processes (device/ranks.h). NULL: its memory is host memory, from and to which
     * messages go. */
    const struct nb_device_staging *staging;
    /* The same by a library of the maker's, in the place of messages; NULL: there is none. */
    const struct nb_device_fabric *fabric;
    /* NULL where pinned memory gains nothing. */
    void (*pin)(struct nb_device *d, void *p, size_t size_bytes);
    void (*unpin)(struct nb_device *d, void *p);
};

#ifdef __cplusplus
}
#endif
