/* device_kind.h - the table of functions that a type of device implements. A member `alloc` is described in device.h as
 * nb_device_alloc, and so on. (Exceptions: `to_device` is nb_device_to, `from_device` is nb_device_from.) Pointers
 * d_... point to device memory, all others to host memory. Functions that return an int return 0, or -1 after nb_fail.
 *
 * Only for lib/device and backends.c; all other code calls device.h. A new type of device needs such a table and a line
 * in backends.c. */
#pragma once

#include "base/bodies.h"
#include "device/precision.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nb_device; /* see device.h */
struct nb_combination;
struct nb_own_kick;
struct nb_own_hermite;
union nb_range; /* see range.h */

struct nb_peer_message { /* a message between this device and a device of another process */
    bool put;            /* true: this device sends the message; false: it receives the message */
    int other;           /* rank (number) of the other process */
    char *d;
    size_t size_bytes;
};

#define NB_FABRIC_BYTES 128

/* Functions that copy messages between the device and host memory, without waiting. The caller calls
 * nb_device_kind.peer_ready before the copies and peer_taken after them. A copy waits for the device calls made before
 * peer_ready, and runs concurrently with later calls.
 * alloc: allocates host memory. free: frees this memory and the handle `mark`.
 * out: copies from the device to host memory. in: copies from host memory to the device. Both store a handle of the
 * copy in *mark; if *mark is NULL, they allocate the handle.
 * staged: returns 1 if the copy with the handle `mark` is complete, 0 if not yet, -1 after nb_fail. */
struct nb_device_staging {
    void *(*alloc)(struct nb_device *d, size_t size_bytes);
    void (*free)(struct nb_device *d, void *p, void *mark);
    int (*out)(struct nb_device *d, void *to, const void *d_from, size_t size_bytes, void **mark);
    int (*in)(struct nb_device *d, void *d_to, const void *from, size_t size_bytes, void **mark);
    int (*staged)(struct nb_device *d, void *mark);
};

/* Messages between the GPUs of several processes (ranks) with the library NCCL. A fabric is a set of connected GPUs (an
 * NCCL communicator). Functions return -1 if NCCL is not available.
 * find: writes the device's address, unique on this host, to `place`. From the addresses, rank 0 can detect that two
 * ranks use the same device.
 * name: makes a name for a new fabric. Called on rank 0 only.
 * join: connects the device to the fabric of this name. Returns when all devices have joined.
 * exchange: queues all messages on the device. Two ranks must queue the messages between them in the same order.
 * exchanged: returns 1 if all messages are complete, 0 if not yet, -1 after nb_fail.
 * leave: cancels pending messages. */
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
    bool quad;   /* the device computes in quadruple precision, NB_QUAD */
    bool host;   /* the device's memory is host memory */
    bool remote; /* the device belongs to another process (ranks.h) */
    /* Allocates an instance for device `index`, from 0, and sets `usual`, `description`, `model` and `driver`.
     * nb_device_open sets the other members of struct nb_device. Returns NULL after nb_fail. `close` frees the
     * instance. */
    struct nb_device *(*open)(int index);
    int (*count)(void); /* number of devices that open would find; NULL: one */
    void (*close)(struct nb_device *d);
    void *(*alloc)(struct nb_device *d, size_t size_bytes);
    /* May be NULL: rows are then allocated with `alloc`. */
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
                 const void *const *d_vector, union nb_range *range); /* called only if n > 0 */
    /* hermite_own, kick_own and select_due may be NULL. In this case own_steps.c copies the rows to host memory,
     * executes the operation there and copies the results back. */
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
    /* These four functions record and replay calls of the device. They are NULL if calls cost almost no time. */
    int (*record_begin)(struct nb_device *d);
    void *(*record_end)(struct nb_device *d);
    int (*replay)(struct nb_device *d, void *recording);
    void (*record_free)(struct nb_device *d, void *recording);
    /* Copies between devices of this type that form a group (device/group.h).
     * peer_ready: lets other devices copy the results of all calls that d has received before.
     * peer_copy: copies from `from` to d. The copy waits for the calls that both devices made before peer_ready. It
     *     runs concurrently with later calls.
     * peer_taken: makes later calls of d wait for the copies of all devices. Then these calls may read received data
     *     and overwrite sent data.
     * peer_ready and peer_taken are NULL if nothing needs to wait. */
    int (*peer_ready)(struct nb_device *d);
    int (*peer_copy)(struct nb_device *d, void *d_to, struct nb_device *from, const void *d_from, size_t size_bytes);
    int (*peer_taken)(struct nb_device *d, struct nb_device *const *all, int count);
    /* Functions that copy messages between the device and host memory (device/ranks.h). NULL: the device's memory is
     * host memory, from which messages are sent directly. */
    const struct nb_device_staging *staging;
    /* Sends data between processes with a library of the vendor (NCCL). NULL: not available. */
    const struct nb_device_fabric *fabric;
    /* pin and unpin are NULL if pinned memory has no advantage. */
    void (*pin)(struct nb_device *d, void *p, size_t size_bytes);
    void (*unpin)(struct nb_device *d, void *p);
};

#ifdef __cplusplus
}
#endif
