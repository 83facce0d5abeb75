/* ranks_state.h - state of a rank, and functions shared by the files that implement ranks.h: waiting, calls of a
 * device, exchanges. */
#pragma once

#include "device/device_calls.h"
#include "device/device_kind.h"
#include "device/group.h"
#include "device/ranks/transport.h"

#include <pthread.h>
#include <stdatomic.h>

enum nb_rank_tag { NB_TAG_CALL, NB_TAG_ANSWER, NB_TAG_DATA, NB_TAG_PEER, NB_TAG_HELLO, NB_TAG_ALARM };

enum nb_rank_number { /* functions that rank 0 calls on another rank */
                      NB_RANK_END,
                      NB_RANK_OPEN,
                      NB_RANK_CLOSE,
                      NB_RANK_ALLOC,
                      NB_RANK_FREE,
                      NB_RANK_TO,
                      NB_RANK_FROM,
                      NB_RANK_MEMORY,
                      NB_RANK_STORE,
                      NB_RANK_FETCH,
                      NB_RANK_AXPY,
                      NB_RANK_KICK_DRIFT,
                      NB_RANK_COMBINE,
                      NB_RANK_STEP_SCALE,
                      NB_RANK_RANGE,
                      NB_RANK_KICK_OWN,
                      NB_RANK_HERMITE_OWN,
                      NB_RANK_SELECT_DUE,
                      NB_RANK_SYNC,
                      NB_RANK_SPEED,
                      NB_RANK_READY,
                      NB_RANK_COPY_OWN,
                      NB_RANK_PUT, /* sends data to another rank */
                      NB_RANK_GET, /* receives data from another rank */
                      NB_RANK_TAKEN,
                      NB_RANK_JOIN,  /* connects the device with NCCL (nb_device_fabric) */
                      NB_RANK_LEAVE, /* disconnects the device */
                      NB_RANK_NUMBERS
};

struct nb_rank_hello { /* data sent by each rank about itself */
    char version[160], host[80];
    int64_t pid;
};

struct nb_rank_opened { /* data sent by each rank about its device */
    char description[256], model[128], driver[128];
    char place[64]; /* address of the device on its host (nb_device_fabric.find); "": NCCL cannot connect the device */
    int usual;
};

struct nb_rank_asked {
    char name[16]; /* name of the type of device */
    struct nb_ranks_setting setting;
};

struct nb_rank_alarm { /* message of a rank that cannot continue although other ranks wait for it */
    char why[1024];
};

struct nb_ranks {
    const struct nb_transport *transport;
    void *self;
    const struct nb_ranks_program *program;
    struct nb_ranks_place place;
    struct nb_rank_hello hello[NB_GROUP_MAX];
    bool seen[NB_GROUP_MAX]; /* true: the rank runs on this host, and this process can detect that it has ended */
    atomic_int lost;         /* -1: no rank has failed; number of a rank: this rank has ended; SILENT or ALARM + k:
                                other failures (ranks_wait.c) */
    atomic_bool ending;
    _Atomic double signal_s; /* time when a signal was first seen; 0: none */
    struct nb_device *local; /* this rank's own device. inner: the functions of the device's type; kind: the functions
                                that `local` uses, a copy of *inner with some functions replaced (ranks_own.c) */
    const struct nb_device_kind *inner;
    struct nb_device_kind kind;
    int together;                           /* number of ranks that share the memory of this rank's device */
    struct nb_device *remote[NB_GROUP_MAX]; /* on rank 0: devices of the other ranks */
    struct nb_exchange *exchange;
    bool fabric; /* true: ranks exchange data with NCCL (nb_device_kind.fabric) */
    struct nb_rank_alarm alarm[NB_GROUP_MAX];
    struct nb_request alarmed[NB_GROUP_MAX]; /* on rank 0: alarmed[k] receives alarm[k] from rank k */
    pthread_mutex_t alarms;
};

/* ---- ranks_wait.c ---- */

double nb_ranks_clock(void); /* returns seconds */
/* Waits until the message is complete, and returns 0: the caller may then reuse the buffer of the message. Returns -1
 * after nb_fail. errno is NB_RANK_LOST if the message can never be complete. */
int nb_ranks_wait(struct nb_ranks *r, struct nb_request *q);
struct nb_rank_patience { /* times of the first poll and of the last check for lost ranks; initialise with zeros */
    double since, checked;
};
/* Pauses between two polls. Later pauses are longer. Returns -1 after nb_fail if a rank is lost. */
int nb_ranks_pause(struct nb_ranks *r, struct nb_rank_patience *p);
/* Reports nb_error() to rank 0 and ends the run. Called when other ranks may be blocked. Preserves nb_error and errno.
 */
void nb_ranks_alarm(struct nb_ranks *r);
/* On rank 0: begins to receive alarms from all ranks. Rank 0 then checks for alarms whenever it waits. */
int nb_ranks_expect_alarms(struct nb_ranks *r);
/* Returns -1 after nb_fail if a rank is lost, else 0. */
int nb_ranks_check(struct nb_ranks *r);
/* These functions send or receive a message and wait until it is complete. *got: size received; `got` may be NULL. */
int nb_ranks_send(struct nb_ranks *r, int to, int tag, const void *p, size_t size_bytes);
int nb_ranks_receive(struct nb_ranks *r, int from, int tag, void *p, size_t size_bytes, size_t *got);

/* ---- ranks_own.c ---- */

/* Opens this rank's device, of the type `name`, and describes it in *o. */
int nb_ranks_open_local(struct nb_ranks *r, const char *name, const struct nb_ranks_setting *s,
                        struct nb_rank_opened *o);
int nb_ranks_memory(struct nb_ranks *r, double *free_bytes, double *total_bytes);

/* ---- ranks_data.c: data of any size, in pieces ---- */

/* A function for the bytes [at, at + size_bytes) of the data. When sending, it writes these bytes to `piece`; when
 * receiving, it reads them from `piece`. */
typedef int nb_rank_piece(void *context, void *piece, size_t at, size_t size_bytes);
/* These functions send or receive size_bytes bytes of data.
 * - `whole` is not NULL: the data are in `whole`.
 * - `piece` is not NULL: this function is called for pieces of at most piece_bytes. If it fails, it is not called
 *   again, and the result is -1, but the transfer continues, because the other rank waits for the data.
 * - Both are NULL: sends bytes with undefined values, or discards the received bytes. */
int nb_ranks_send_data(struct nb_ranks *r, int to, const void *whole, size_t size_bytes, size_t piece_bytes,
                       nb_rank_piece *piece, void *context);
int nb_ranks_receive_data(struct nb_ranks *r, int from, void *whole, size_t size_bytes, size_t piece_bytes,
                          nb_rank_piece *piece, void *context);

/* ---- ranks_remote.c ---- */

/* On rank 0: allocates a device that represents the device of rank `number`. Returns NULL after nb_fail. */
struct nb_device *nb_rank_remote(struct nb_ranks *r, int number);
/* Copies the properties of the device that the other rank opened (name, model and so on) to `remote`. */
void nb_rank_describe(struct nb_device *remote, const struct nb_rank_opened *opened);
int nb_rank_of(const struct nb_device *d); /* number of the rank that owns the device; 0 for a device of this process */

/* Implements nb_device_kind.peer_copy: copies size_bytes bytes from d_from on the device `from` to d_to on the device
 * `to`. `from` and `to` are devices of different ranks, or the same device. */
int nb_ranks_copy(struct nb_ranks *r, struct nb_device *to, void *d_to, struct nb_device *from, const void *d_from,
                  size_t size_bytes);

/* ---- ranks_exchange.c ---- */

#define NB_EXCHANGE_PIECE ((size_t)64 << 20) /* maximum size of one message, bytes */

struct nb_exchange *nb_exchange_create(struct nb_ranks *r);
void nb_exchange_destroy(struct nb_exchange *e); /* NULL is allowed */
/* Adds a message to the next exchange. If `put` is true, size_bytes bytes at d are sent to rank `other`. Otherwise
 * size_bytes bytes are received from rank `other` and stored at d. d points to memory of the local device. Any thread
 * may call this function. */
int nb_exchange_add(struct nb_exchange *e, bool put, int other, void *d, size_t size_bytes);
/* Transfers the data of all added messages. Device calls made after this function may read received data and overwrite
 * sent data. */
int nb_exchange_run(struct nb_exchange *e);

/* ---- arguments of calls ---- */

struct nb_rank_copy {
    void *d;
    size_t size_bytes;
    int other;
};

#define NB_RANK_BODIES ((size_t)1 << 17) /* maximum number of bodies in one piece of a column */

/* Arguments of nb_device_combine, which computes `rows` linear combinations of `inputs` vectors. norm: 1 if the norms
 * are wanted, else 0. In nb_rank_call.bytes, three arrays follow this struct: the coefficients of all combinations,
 * `rows` structs nb_combination (the receiver sets their member c), and `inputs` pointers to vectors. */
struct nb_rank_combine {
    _Alignas(16) enum nb_precision precision;
    int inputs, rows, norm;
    uint64_t count;
};

struct nb_rank_vectors { /* arguments of nb_device_step_scale (`count` unused) or nb_device_range (`least` unused) */
    enum nb_precision precision;
    int count;
    uint64_t n, stride;
    double least;
    const void *d_vector[NB_DERIVATIVES_MAX];
};

struct nb_rank_copy_own { /* arguments of a copy within the memory of a rank's device */
    void *d_to;
    const void *d_from;
    size_t size_bytes;
};

struct nb_rank_kick_own {
    enum nb_precision precision;
    struct nb_own_kick kick;
};

struct nb_rank_hermite_own {
    enum nb_precision precision;
    struct nb_own_hermite own;
};

struct nb_rank_due { /* arguments of nb_device_select_due; the answer is the number of bodies found */
    enum nb_precision precision;
    uint64_t first, n;
    const void *d_step;
    double most;
    uint32_t *d_index;
};
