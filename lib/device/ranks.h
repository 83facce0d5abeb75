/* ranks.h - a run of several processes, on one or many hosts, each with a device of the same type.
 *
 * Rank 0 runs the program. Its device is a group (device/group.h). The parts of this group are the devices of all
 * ranks, in the order of the ranks. The other ranks execute calls from rank 0 until the run ends, and use neither files
 * nor streams. A pointer to another rank's memory is valid only on that rank.
 *
 * Rank 0 does not wait for calls that have no result. If such a call fails, the next call for which rank 0 waits
 * reports the failure. Parts exchange data directly between ranks. If a rank has ended, every call fails with errno
 * NB_RANK_LOST.
 *
 * Only for lib/device, lib/force and the code that starts a run; all other code calls device.h. */
#pragma once

#include "device/device.h"

#include <errno.h>

#define NB_RANK_LOST ENOLINK

struct nb_ranks;
struct nb_transport; /* device/ranks/transport.h: sends messages */

/* The transport that is compiled in, or NULL. Defined in backends.c. */
extern const struct nb_transport *const nb_transport_compiled;

struct nb_ranks_place {          /* which rank this is, and how ranks share their hosts */
    int number, count;           /* number of this rank (from 0), and number of ranks */
    int host_number, host_count; /* host_number: number of this rank among the host_count ranks of its host */
    /* processors: number of processors that this rank may use; sharers: number of ranks that may use exactly these
     * processors, including this rank */
    int processors, sharers;
};

struct nb_ranks_setting { /* settings for the device of each rank; rank 0 sends them to all ranks */
    int threads;          /* number of threads of each rank; 0: each rank takes its share of the processors */
    char kernel[16];      /* instruction set of the CPU kernels (simd/simd.h), such as "avx2"; "": the best one that the
                             processor supports */
};

struct nb_rank_call;
struct nb_rank_answer;

struct nb_ranks_program {    /* functions that the library needs from the program, the same on all ranks */
    const char *version;     /* version of the program, which must be the same on all ranks */
    bool (*signalled)(void); /* returns whether a signal that ends the run has arrived; called on rank 0 only */
    double patience_s;       /* seconds for which rank 0 waits for other ranks after `signalled` has returned true */
    /* Applies the settings on this rank, before this rank opens its device. Returns 0, or -1 after nb_fail. */
    int (*set)(const struct nb_ranks_setting *s, const struct nb_ranks_place *place);
    /* Executes a call of lib/force (nb_rank_call.number >= NB_RANK_FORCE). Called by nb_ranks_serve on all ranks except
     * 0. */
    int (*serve)(struct nb_ranks *r, struct nb_device *device, const struct nb_rank_call *call,
                 struct nb_rank_answer *answer);
};

/* Joins the other processes, and waits until all have joined. Returns NULL after nb_fail; only rank 0 has to report the
 * failure. */
struct nb_ranks *nb_ranks_begin(const struct nb_transport *transport, const struct nb_ranks_program *program);
const struct nb_ranks_place *nb_ranks_place(const struct nb_ranks *r);
/* On all ranks except 0: executes calls until rank 0 ends the run, or until rank 0's process has ended. Returns 0, or
 * -1 after nb_fail. */
int nb_ranks_serve(struct nb_ranks *r);
/* On rank 0: opens a device of this type ("auto", "cuda", "cpu") on each rank, and returns them as one device. Only one
 * such device can be open. Close it with nb_device_close before nb_ranks_end. Returns NULL after nb_fail. */
struct nb_device *nb_ranks_open(struct nb_ranks *r, const char *kind, const struct nb_ranks_setting *s);
/* Leaves the run. Rank 0 also tells the other ranks to end. Any thread may call this function, even while other
 * threads wait in calls. */
void nb_ranks_end(struct nb_ranks *r);
/* Frees r. Call it only when no thread is in a call. NULL is allowed. */
void nb_ranks_free(struct nb_ranks *r);

/* ---- calls that only lib/force uses ---- */

#define NB_RANK_FORCE 100 /* smallest nb_rank_call.number of the calls of lib/force */
#define NB_RANK_BYTES 4096

struct nb_rank_call {
    int number, answered; /* number: which function to call, an enum nb_rank_number, or a value from NB_RANK_FORCE
                             on for a function of lib/force; answered: 1 if the caller waits for an answer */
    size_t size_bytes;    /* number of valid bytes in `bytes`; only these are sent */
    size_t data_bytes;    /* number of bytes of data that are sent after the call */
    _Alignas(16) unsigned char bytes[NB_RANK_BYTES];
};

struct nb_rank_answer {
    int status, error_number;
    size_t size_bytes;
    _Alignas(16) unsigned char bytes[2560];
    char why[1024];
};

/* Returns a call with a copy of `arguments` (size_bytes bytes), which must not contain pointers to this process's
 * memory. */
struct nb_rank_call nb_rank_call(int number, const void *arguments, size_t size_bytes);
/* nb_rank_post sends a call. nb_rank_ask also waits for the answer, and copies the size_bytes bytes of the answer to
 * `result`. nb_rank_ask_with also sends data of any size with the call. All three return -1 after nb_fail. */
int nb_rank_post(struct nb_device *remote, struct nb_rank_call *call);
int nb_rank_ask(struct nb_device *remote, struct nb_rank_call *call, void *result, size_t size_bytes);
int nb_rank_ask_with(struct nb_device *remote, struct nb_rank_call *call, const void *data, size_t data_bytes,
                     void *result, size_t size_bytes);
/* Receives the data of a call that is being executed; data_bytes is call->data_bytes. If data is NULL, discards the
 * data. */
int nb_rank_receive(struct nb_ranks *r, void *data, size_t data_bytes);
/* Stores a result in an answer. */
void nb_rank_put(struct nb_rank_answer *answer, const void *result, size_t size_bytes);
