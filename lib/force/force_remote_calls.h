/* force_remote_calls.h - the calls that force_remote.c sends to other ranks: their numbers, and structures with their
 * arguments. The structures are sent as bytes. Pointers in them are addresses on the other rank. */
#pragma once

#include "base/pack.h"
#include "device/ranks.h"
#include "force/force.h"

enum {
    CALL_OPEN = NB_RANK_FORCE,
    CALL_CLOSE,
    CALL_FIELD,
    CALL_SHARE,
    CALL_SUM,
    CALL_FINISH,
    CALL_LOAD,
    CALL_LEAST,
    CALL_BOUNDARY,
    CALL_REPORT,
    CALL_FETCH,
    CALL_PUT
};

struct open_call {
    int row;
    char spec[NB_FORCE_TEXT_BYTES];
    struct nb_meta meta; /* the header, with all its pointers set to NULL */
    size_t extra_bytes;  /* number of bytes of the header lines sent after this struct; each line ends with NUL */
};

struct field_call {
    int row;
    void *work;
    enum nb_precision precision;
    struct nb_sources s;
    struct nb_targets t;
    struct nb_field out;
    double share[2];
};

struct sum_call { /* arguments of nb_force_shares.sum and of nb_force_shares.finish */
    int row;
    void *work;
    enum nb_precision precision;
    uint64_t n, own_stride;
    const void *d_m, *d_own;
    double sum[4];
    struct nb_field out;
};

struct state_call {
    int row;
    void *work;
    struct nb_state s;
    uint64_t first;
    double least[NB_LEAST_MAX];
};

struct counts_call {
    int row;
    void *work;
    _Alignas(16) unsigned char counts[NB_RANK_BYTES - 64];
};

struct work_call {
    int row;
    void *work;
    uint64_t n;
    struct nb_pack pack; /* describes the checkpoint data that are sent after this struct */
};
