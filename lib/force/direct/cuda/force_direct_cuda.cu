/* force_direct_cuda.cu - direct summation on the GPU: the entry of the table of forces, and the choice of the
 * algorithm. */
#include "device/timing.h"
#include "force/direct/cuda/direct_cuda.cuh"

/* Minimum and maximum numbers of bodies for the tensor cores. The tensor cores compute only pairs of far groups.
 * - TENSOR_FROM_SINGLE: with fewer bodies the FP32 pipe is faster (bench/README.md).
 * - TENSOR_FROM_MIXED: errors are two to three times larger with the tensor cores. `--force auto` therefore never uses
 *   them in mixed precision: it chooses direct summation only for fewer bodies than this minimum.
 * - TENSOR_TO: for this number, the two tables of groups (n^2/65536 bytes) take 6 GB. */
#define TENSOR_FROM_SINGLE 100000
#define TENSOR_FROM_MIXED  65537
#define TENSOR_TO          20000000
/* Minimum number of bodies for Newton's third law, if the tensor cores are not used. With fewer bodies, the plain
 * algorithm is faster. */
#define SYMMETRIC_FROM 16384
/* maximum number of bodies for Newton's third law; the sums of so many bodies need 2 GB of memory */
#define SYMMETRIC_TO 1000000

/* Returns whether the tensor cores are used for n bodies on a device that has tensor cores and enough memory. */
static bool is_for_tensor(enum nb_precision precision, uint64_t n)
{
    return (precision == NB_SINGLE && n >= TENSOR_FROM_SINGLE && n <= TENSOR_TO) ||
           (precision == NB_MIXED && n >= TENSOR_FROM_MIXED && n <= TENSOR_TO);
}

bool direct_tensor_serves(const direct_work *w, enum nb_precision precision, uint64_t n)
{
    return w->has_tensor_cores && w->has_room && is_for_tensor(precision, n);
}

bool direct_tensor_computes(const direct_work *w, enum nb_precision precision, uint64_t n, const nb_field *out)
{
    return direct_tensor_serves(w, precision, n) && out->a && !out->phi;
}

void direct_release_all(direct_work *w)
{
    morton_release(&w->sort);
    direct_symmetric_release(&w->symmetric, w->device);
    nb_cuda_release_all(w->device, {&w->partial, &w->own, &w->bodies, &w->boxes, &w->owned, &w->near, &w->reactions,
                                    &w->scales, &w->together});
}

/* Computes the accelerations of all bodies with the tensor cores, if there is enough memory. Returns 1 if the
 * accelerations are computed, else 0. */
static int try_tensor(direct_work *w, enum nb_precision precision, const struct nb_sources *s,
                      const struct nb_field *out)
{
    nb_timing_stage(w->device, "order");
    if (direct_order(w, precision, s) == 0 && direct_tensor(w, precision, s, out) == 0)
        return 1;
    direct_release_all(w); /* the plain algorithm needs almost no memory */
    w->has_room = false;
    return 0;
}

static bool symmetric_serves(const direct_work *w, uint64_t n)
{
    return n >= SYMMETRIC_FROM && n <= SYMMETRIC_TO && w->has_room;
}

bool direct_shares_pairs(const direct_work *w, enum nb_precision precision, uint64_t n)
{
    return symmetric_serves(w, n) && !is_for_tensor(precision, n);
}

/* Computes the forces between all bodies with Newton's third law, if there is enough memory. Returns 1 if the forces
 * are computed, else 0. */
static int try_symmetric(direct_work *w, enum nb_precision precision, const struct nb_sources *s,
                         const struct nb_field *out)
{
    static const double all[2] = {0, 1};
    if (!symmetric_serves(w, s->n))
        return 0;
    if (direct_symmetric_sum(&w->symmetric, w->device, precision, s, all, out, NB_PAIR_TILES,
                             DIRECT_SYMMETRIC_THREADS) == 0)
        return 1;
    direct_symmetric_release(&w->symmetric, w->device);
    if (!direct_tensor_serves(w, precision, s->n)) {
        direct_release_all(w);
        w->has_room = false;
    }
    return 0;
}

static int direct_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    direct_work *w = (direct_work *)work;
    if (t->n >> 36)
        return nb_fail("force direct on device cuda computes forces on fewer than 2^36 points, not %llu",
                       (unsigned long long)t->n);
    if (nb_cuda_enter(device))
        return -1;
    if (t->n == 0)
        return 0;
    if (out->jerk || out->snap) {
        nb_timing_stage(device, "pairs");
        return direct_jerk(w, precision, s, t, out);
    }
    w->share[0] = 0, w->share[1] = 1; /* share_field may have changed the share */
    const bool all_on_all = nb_targets_are_all(t, s) && t->x == s->x;
    if (all_on_all && ((direct_tensor_computes(w, precision, s->n, out) && try_tensor(w, precision, s, out)) ||
                       try_symmetric(w, precision, s, out)))
        return 0;
    nb_timing_stage(device, "pairs");
    return direct_plain(w, precision, s, t, out);
}

/* Returns whether an evaluation can be recorded in a CUDA graph. With the tensor cores an evaluation takes so long that
 * a recording would save nothing. */
static bool direct_recordable(const void *work, enum nb_precision precision, uint64_t n)
{
    return !direct_tensor_serves((const direct_work *)work, precision, n);
}

/* Saves or loads the state that makes a resumed run bitwise identical. If an earlier evaluation did not get enough
 * memory (has_room is false), later evaluations use neither the tensor cores nor Newton's third law. */
static int direct_carry(struct nb_device *, void *work, uint64_t, struct nb_pack *k)
{
    return nb_pack_flag(k, &((direct_work *)work)->has_room);
}

static void *direct_open(struct nb_device *device, const struct nb_force_spec *, const struct nb_meta *)
{
    direct_work *w = (direct_work *)nb_memory_new(sizeof *w);
    int major = 0;
    if (!w)
        return nullptr;
    w->device = device;
    w->stream = nb_cuda_stream(device);
    w->share[1] = 1;
    w->has_room = true;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device->index) == cudaSuccess)
        w->has_tensor_cores = major >= 8;
    return w;
}

static void direct_close(struct nb_device *device, void *work)
{
    direct_work *w = (direct_work *)work;
    if (nb_cuda_enter(device) == 0) {
        direct_release_all(w);
        for (cudaEvent_t event : {w->ready, w->summed, w->added})
            if (event)
                cudaEventDestroy(event);
    }
    free(w);
}

/* ---- one device of several ---- */

/* Returns how several devices divide the computation: by pairs, with the tensor cores or with Newton's third law. With
 * NB_SHARES_NONE, each device computes a range of target indices without share_field. */
static enum nb_shares share_serves(const void *work, enum nb_precision precision, uint64_t n,
                                   const struct nb_field *out)
{
    const direct_work *w = (const direct_work *)work;
    if (out->jerk || out->snap)
        return NB_SHARES_NONE;
    if (is_for_tensor(precision, n))
        return direct_tensor_computes(w, precision, n, out) ? NB_SHARES_OF_PAIRS : NB_SHARES_NONE;
    return direct_shares_pairs(w, precision, n) ? NB_SHARES_OF_PAIRS : NB_SHARES_NONE;
}

/* Computes the field from a share of the pairs. Sets *seconds to 0, because these shares are always equal. */
static int share_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                       const double share[2], const struct nb_field *out, double *seconds)
{
    direct_work *w = (direct_work *)work;
    *seconds = 0;
    if (nb_cuda_enter(device))
        return -1;
    /* The first device has chosen the algorithm (share_serves). This device must make the same choice, even if it has
     * less memory or no tensor cores. It therefore uses the number of bodies only. */
    if (!is_for_tensor(precision, s->n))
        return direct_symmetric_sum(&w->symmetric, device, precision, s, share, out, NB_PAIR_TILES,
                                    DIRECT_SYMMETRIC_THREADS);
    if (!w->has_tensor_cores)
        return nb_fail("GPU %d has no tensor cores, but the first GPU uses them: choose GPUs of one type",
                       device->index);
    nb_timing_stage(device, "order");
    w->share[0] = share[0], w->share[1] = share[1];
    return nb_status(direct_order(w, precision, s) || direct_tensor(w, precision, s, out));
}

static const struct nb_force_shares shares = {share_serves, share_field, nullptr, nullptr, direct_together};

extern "C" const struct nb_force nb_force_direct_cuda;
const struct nb_force nb_force_direct_cuda = {
    .method = "direct",
    .device = "cuda",
    .about = "all pairs, each once from 16384 bodies on; tensor cores for far pairs of large systems",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_NEAR_AND_FAR,
    .tolerance = {1e-6, 1e-6, 1e-14, 0}, /* single, mixed, double, quad */
    .field = direct_field,
    .recordable = direct_recordable,
    .open = direct_open,
    .close = direct_close,
    .carry = direct_carry,
    .shares = &shares,
    .own = &direct_own,
    .neighbours = &direct_neighbours,
};
