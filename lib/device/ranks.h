/* ranks.h - a run of several processes, on one host or on many, each with a device of one kind.
 *
 * Rank 0 has the program; its device is a group (device/group.h) whose first part is its own and whose others are those
 * of the other ranks. These serve what is asked of them until they are told to end, and touch neither files nor
 * streams. A pointer into another rank's memory is that rank's own, and opaque here.
 *
 * A call of another rank's device that has no result is sent and not waited for: where it fails, the next that waits
 * says so. What parts take from each other goes from rank to rank. Where a rank has ended, every call fails, with errno
 * NB_RANK_LOST.
 *
 * For lib/device, lib/force and who begins a run; everyone else calls device.h. */
#pragma once

#include "device/device.h"

#include <errno.h>

#define NB_RANK_LOST ENOLINK

struct nb_ranks;
struct nb_transport; /* device/ranks/transport.h: how messages go */

/* Compiled in, or NULL: backends.c. */
extern const struct nb_transport *const nb_transport_compiled;

struct nb_ranks_place { /* of a process among them */
    int number, count;
    int host_number, host_count; /* among those of its host */
    int processors, sharers;     /* that it may run on, and ranks that may run on just these, itself too */
};

struct nb_ranks_setting { /* what rank 0 was asked for, of each device */
    int threads;          /* 0: each its share */
    char kernel[16];      /* "": the best that it has */
};

struct nb_rank_call;
struct nb_rank_answer;

struct nb_ranks_program {    /* what the library asks of the program; the same on all ranks */
    const char *version;     /* in which all are to be alike */
    bool (*signalled)(void); /* has a signal come that ends the run? Asked on rank 0 alone, */
    double patience_s;       /* which then waits for the others no longer than this */
    /* Before a device is opened. 0, or -1 after nb_fail. */
    int (*set)(const struct nb_ranks_setting *s, const struct nb_ranks_place *place);
    /* A call that lib/device does not know, of NB_RANK_FORCE or more, on another rank than 0 (nb_ranks_serve). */
    int (*serve)(struct nb_ranks *r, struct nb_device *device, const struct nb_rank_call *call,
                 struct nb_rank_answer *answer);
};

/* Joins the other processes; waits for them. NULL after nb_fail, which rank 0 alone need tell. */
struct nb_ranks *nb_ranks_begin(const struct nb_transport *transport, const struct nb_ranks_program *program);
const struct nb_ranks_place *nb_ranks_place(const struct nb_ranks *r);
/* On the other ranks: serves until rank 0 says that the run has ended, or is no more. 0, or -1 after nb_fail. */
int nb_ranks_serve(struct nb_ranks *r);
/* On rank 0: a device of that kind ("auto", "cuda", "cpu") on each rank, as one, one at a time. NULL after nb_fail.
 * Close with nb_device_close, before nb_ranks_end. */
struct nb_device *nb_ranks_open(struct nb_ranks *r, const char *kind, const struct nb_ranks_setting *s);
/* Tells the others to end, where this is rank 0, and leaves them. From any thread, while others may be at calls. */
void nb_ranks_end(struct nb_ranks *r);
/* What is left of it, when no thread is at a call any more. NULL is allowed. */
void nb_ranks_free(struct nb_ranks *r);

/* ---- for lib/force: calls of its own ---- */

#define NB_RANK_FORCE 100 /* numbers of calls from here on are lib/force's */
#define NB_RANK_BYTES 4096

struct nb_rank_call {
    int number, answered; /* which; does the caller wait for an answer? */
    size_t size_bytes;    /* of bytes, as many as are sent */
    size_t data_bytes;    /* that follow */
    _Alignas(16) unsigned char bytes[NB_RANK_BYTES];
};

struct nb_rank_answer {
    int status, error_number;
    size_t size_bytes;
    _Alignas(16) unsigned char bytes[2560];
    char why[1024];
};

/* A call with what `arguments` points to, plain values alone. */
struct nb_rank_call nb_rank_call(int number, const void *arguments, size_t size_bytes);
/* Sends it; and waits for the answer, whose result of size_bytes is copied to `result`; and with data of any size that
 * go with it. -1 after nb_fail. */
int nb_rank_post(struct nb_device *remote, struct nb_rank_call *call);
int nb_rank_ask(struct nb_device *remote, struct nb_rank_call *call, void *result, size_t size_bytes);
int nb_rank_ask_with(struct nb_device *remote, struct nb_rank_call *call, const void *data, size_t data_bytes,
                     void *result, size_t size_bytes);
/* Where a call is served: the data that go with it, call->data_bytes; `data` NULL: which are dropped. */
int nb_rank_receive(struct nb_ranks *r, void *data, size_t data_bytes);
/* Puts a result into an answer. */
void nb_rank_put(struct nb_rank_answer *answer, const void *result, size_t size_bytes);
