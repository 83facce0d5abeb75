/* tree_exchange.cu - moves bodies and fields between devices. A body is stored by index on one device; the domain that
 * contains its position on the Morton curve may belong to another device. Declared in tree_domains.cuh. */
#include "force/tree/cuda/tree_domains.cuh"

#include <cub/device/device_scan.cuh>

/* ---- runs of own bodies ---- */

/* Own bodies are divided into runs of RUN consecutive bodies, and a warp processes a run. It sorts the run by domain,
 * so that it writes to the memory of another device, and reads from it, at consecutive addresses. */
#define RUN_BITS 9
#define RUN      (1u << RUN_BITS)
#define WARPS    (NB_BLOCK / 32)
/* A lane loads the data of BATCH bodies before it uses or stores them, so that it waits once for all of them. */
#define BATCH 4
static_assert(RUN % (32 * BATCH) == 0, "a run has whole batches");

static uint64_t runs_of(uint64_t n)
{
    return (n + RUN - 1) / RUN;
}

static unsigned blocks_of_runs(uint64_t runs)
{
    return (unsigned)((runs + WARPS - 1) / WARPS);
}

/* An element of TREE_ORDER: a body's domain, and its position in its run. */
static_assert(NB_GROUP_MAX << RUN_BITS <= 1 << 16, "an element has 16 bits");

static __device__ __forceinline__ uint16_t run_element(int domain, uint32_t position)
{
    return (uint16_t)((unsigned)domain << RUN_BITS | position);
}

static __device__ __forceinline__ int element_domain(uint16_t element)
{
    return element >> RUN_BITS;
}

static __device__ __forceinline__ uint32_t element_position(uint16_t element)
{
    return element % RUN;
}

/* Loads the keys of bodies i, i + 32, ... of the n bodies to key[BATCH]. Sets it to 0 for bodies behind the last. */
static __device__ __forceinline__ void load_keys(const uint64_t *keys, uint64_t i, uint64_t n, uint64_t *key)
{
#pragma unroll
    for (int q = 0; q < BATCH; q++)
        key[q] = i + 32 * q < n ? keys[i + 32 * q] : 0;
}

/* A body of a run, as one lane of a warp sees it; the other lanes have other bodies. */
struct run_lane {
    int domain;     /* domain of the lane's body */
    unsigned equal; /* lanes whose bodies belong to the same domain */
    int rank;       /* number of these lanes that are before this lane */
};

/* Called by a warp with the key of each lane's body. Lanes with is_body = false have no body. */
static __device__ __forceinline__ run_lane look(uint64_t key, bool is_body, const tree_splitters &splitters)
{
    run_lane b = {};
    for (int s = 0; s < splitters.count; s++)
        b.domain += key >= splitters.first[s];
    b.equal = __ballot_sync(~0u, is_body);
    for (int bit = 0; splitters.count >> bit; bit++) {
        const unsigned set = __ballot_sync(~0u, b.domain >> bit & 1);
        b.equal &= b.domain >> bit & 1 ? set : ~set;
    }
    b.rank = __popc(b.equal & ((1u << threadIdx.x % 32) - 1));
    return b;
}

/* Sets counts[d * runs + r] to the number of bodies of run r in domain d, and the element after the last to 0. One warp
 * per run, n bodies. */
static __global__ void count_runs(const uint64_t *keys, uint64_t n, tree_splitters splitters, uint64_t runs,
                                  uint32_t *counts)
{
    __shared__ uint32_t of_warp[WARPS][NB_GROUP_MAX];
    uint32_t *here = of_warp[threadIdx.x / 32];
    const uint64_t run = (uint64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    if (run >= runs)
        return;
    for (int d = threadIdx.x % 32; d <= splitters.count; d += 32)
        here[d] = 0;
    __syncwarp();
    const uint64_t i0 = run * RUN + threadIdx.x % 32;
    for (uint32_t k = 0; k < RUN; k += 32 * BATCH) {
        uint64_t key[BATCH];
        load_keys(keys, i0 + k, n, key);
#pragma unroll
        for (int q = 0; q < BATCH; q++) {
            const bool is_body = i0 + k + 32 * q < n;
            const run_lane b = look(key[q], is_body, splitters);
            if (is_body && b.rank == 0)
                here[b.domain] += __popc(b.equal);
            __syncwarp();
        }
    }
    for (int d = threadIdx.x % 32; d <= splitters.count; d += 32)
        counts[d * runs + run] = here[d];
    if (run == 0 && threadIdx.x == 0)
        counts[(splitters.count + 1) * runs] = 0;
}

int tree_divide(tree_work *w, const uint64_t *keys, uint64_t n, const tree_splitters &splitters)
{
    nb_cuda_buffer *buffer = w->domain->buffer;
    const uint64_t runs = runs_of(n), count = runs * (splitters.count + 1) + 1;
    uint32_t *counts = nullptr;
    size_t bytes = 0;
    if (NB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts, counts, count)) ||
        nb_cuda_reserve(&w->sort.scratch, bytes) || nb_cuda_reserve(&buffer[TREE_RUNS], count * sizeof *counts) ||
        nb_cuda_reserve(&buffer[TREE_ORDER], runs * RUN * sizeof(uint16_t)))
        return -1;
    if (n == 0)
        return 0;
    counts = (uint32_t *)buffer[TREE_RUNS].d;
    count_runs<<<blocks_of_runs(runs), NB_BLOCK, 0, w->stream>>>(keys, n, splitters, runs, counts);
    return NB_CUDA(cub::DeviceScan::ExclusiveSum(w->sort.scratch.d, bytes, counts, counts, count, w->stream));
}

/* Called by a warp: sets start[d] to the number of bodies of the run that belong to domains before d, and shift[d] such
 * that element k of the run, sorted by domain, is element shift[d] + k (modulo 2^32) of the inbox of its domain d. */
static __device__ __forceinline__ void place_run(const uint32_t *first, uint64_t runs, uint64_t run,
                                                 const tree_routes &routes, uint32_t *start, uint32_t *shift)
{
    if (threadIdx.x % 32 == 0)
        for (uint32_t d = 0, k = 0; d < (uint32_t)routes.parts; d++) {
            const uint32_t j = first[d * runs + run];
            start[d] = k;
            shift[d] = routes.at[d] + (j - routes.begin[d]) - k;
            k += first[d * runs + run + 1] - j;
        }
    __syncwarp();
}

/* ---- sending bodies to the domains ---- */

/* For each body i = index[k] of a list: if the body is stored on this device (begin <= i < begin + n), sets
 * place[i - begin] = k. One thread per element of the list. */
static __global__ void place_own(const uint32_t *index, uint64_t count, uint64_t begin, uint64_t n, uint32_t *place)
{
    const uint64_t k = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (k < count && index[k] - begin < n)
        place[index[k] - begin] = (uint32_t)k;
}

int tree_place_own(tree_work *w, const uint32_t *index, uint64_t count, uint64_t begin, uint64_t n)
{
    nb_cuda_buffer *place = &w->domain->buffer[TREE_OWN_PLACE];
    if (nb_cuda_reserve(place, n * sizeof *index) ||
        NB_CUDA(cudaMemsetAsync(place->d, 0xff, n * sizeof *index, w->stream)))
        return -1;
    if (count > 0)
        place_own<<<nb_blocks_for(count), NB_BLOCK, 0, w->stream>>>(index, count, begin, n, (uint32_t *)place->d);
    return NB_CUDA(cudaGetLastError());
}

/* Sends the own bodies. One warp per run: sorts the run by domain (order[]), and writes records, and keys if
 * they are sent, into the inboxes of the domains. first: TREE_RUNS. If the targets are a list of bodies, also sends the
 * position of the body in this list, place[i]. */
template <typename B>
static __global__ void send(nb_sources own, const uint64_t *keys, const uint32_t *place, const uint32_t *first,
                            uint64_t runs, tree_splitters splitters, tree_routes routes, tree_inboxes to,
                            uint16_t *order)
{
    __shared__ uint32_t of_warp[WARPS][2][NB_GROUP_MAX];
    __shared__ uint16_t sorted[WARPS][RUN];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const typename B::state *x = (const typename B::state *)own.x, *m = (const typename B::state *)own.m;
    const uint64_t run = (uint64_t)blockIdx.x * WARPS + warp, i0 = run * RUN;
    uint32_t *next = of_warp[warp][0], *shift = of_warp[warp][1];
    if (run >= runs)
        return;
    place_run(first, runs, run, routes, next, shift);
    for (uint32_t k = lane; k < RUN; k += 32 * BATCH) {
        uint64_t key[BATCH];
        load_keys(keys, i0 + k, own.n, key);
#pragma unroll
        for (int q = 0; q < BATCH; q++) {
            const bool is_body = i0 + k + 32 * q < own.n;
            const run_lane b = look(key[q], is_body, splitters);
            const uint32_t to_place = next[b.domain] + b.rank;
            __syncwarp();
            if (is_body)
                sorted[warp][to_place] = run_element(b.domain, k + 32 * q);
            if (is_body && b.rank == 0)
                next[b.domain] += __popc(b.equal);
            __syncwarp();
        }
    }
    for (uint32_t k = lane; k < RUN; k += 32 * BATCH) {
        uint16_t element[BATCH];
        uint64_t key[BATCH];
        B body[BATCH];
#pragma unroll
        for (int q = 0; q < BATCH; q++)
            if (i0 + k + 32 * q < own.n) {
                element[q] = sorted[warp][k + 32 * q];
                key[q] = to.of[0].keys ? keys[i0 + element_position(element[q])] : 0;
                body_read(body[q], x, m, own.stride, i0 + element_position(element[q]));
            }
#pragma unroll
        for (int q = 0; q < BATCH; q++)
            if (i0 + k + 32 * q < own.n) {
                const int domain = element_domain(element[q]);
                const uint32_t at = shift[domain] + k + 32 * q;
                const tree_inbox &box = to.of[domain];
                ((B *)box.records)[at] = body[q];
                if (box.keys)
                    box.keys[at] = key[q];
                if (box.place)
                    box.place[at] = place[i0 + element_position(element[q])];
                order[i0 + k + 32 * q] = element[q];
            }
    }
}

int tree_send(tree_work *w, enum nb_precision precision, const nb_sources *own, const uint64_t *keys,
              const tree_splitters &splitters, const tree_routes &routes, const tree_inboxes &to)
{
    const nb_cuda_buffer *buffer = w->domain->buffer;
    const uint32_t *first = (const uint32_t *)buffer[TREE_RUNS].d, *place = (const uint32_t *)buffer[TREE_OWN_PLACE].d;
    const uint64_t runs = runs_of(own->n);
    if (runs > 0)
        for_body(precision, [&]<typename B>() {
            send<B><<<blocks_of_runs(runs), NB_BLOCK, 0, w->stream>>>(*own, keys, place, first, runs, splitters, routes,
                                                                      to, (uint16_t *)buffer[TREE_ORDER].d);
        });
    return NB_CUDA(cudaGetLastError());
}

static __global__ void count_up(uint32_t *numbers, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < n)
        numbers[i] = (uint32_t)i;
}

int tree_number(tree_work *w, uint32_t *numbers, uint64_t n)
{
    count_up<<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(numbers, n);
    return NB_CUDA(cudaGetLastError());
}

/* ---- returning fields ---- */

/* Copies fields back. One warp per run of own bodies: reads the bodies' fields from the devices of their domains, and
 * writes them to back[3][stride] and phi[]. `back` or `phi` may be NULL. first, order: as in send(). The last warp
 * clears the padding of `back`. */
template <typename T>
static __global__ void take_back(uint64_t n, uint64_t stride, const uint32_t *first, uint64_t runs,
                                 const uint16_t *order, tree_routes routes, tree_outboxes from, T *back, T *phi,
                                 bool add)
{
    __shared__ uint32_t of_warp[WARPS][2][NB_GROUP_MAX];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint64_t run = (uint64_t)blockIdx.x * WARPS + warp, i0 = run * RUN;
    const uint32_t *shift = of_warp[warp][1];
    if (run >= runs)
        return;
    place_run(first, runs, run, routes, of_warp[warp][0], of_warp[warp][1]);
    for (uint32_t k = lane; k < RUN; k += 32 * BATCH) {
        uint16_t element[BATCH];
        T field[BATCH][4];
#pragma unroll
        for (int q = 0; q < BATCH; q++)
            element[q] = i0 + k + 32 * q < n ? order[i0 + k + 32 * q] : 0;
#pragma unroll
        for (int q = 0; q < BATCH; q++)
            if (i0 + k + 32 * q < n) {
                const tree_outbox &box = from.of[element_domain(element[q])];
                const uint32_t at = shift[element_domain(element[q])] + k + 32 * q;
#pragma unroll
                for (int c = 0; c < 4; c++)
                    if (c < 3 ? back != nullptr : phi != nullptr)
                        field[q][c] = ((const T *)box.rows)[c * box.stride + at];
            }
#pragma unroll
        for (int q = 0; q < BATCH; q++)
            if (i0 + k + 32 * q < n) {
                const uint64_t i = i0 + element_position(element[q]);
                for (int c = 0; back && c < 3; c++)
                    back[c * stride + i] = field[q][c];
                if (phi)
                    phi[i] = (add ? phi[i] : 0) + field[q][3];
            }
    }
    for (uint64_t i = n + lane; back && run == runs - 1 && i < stride; i += 32)
        for (int c = 0; c < 3; c++)
            back[c * stride + i] = 0;
}

int tree_take_back(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t stride, const tree_routes &routes,
                   const tree_outboxes &from, void *back, const nb_field *out)
{
    const nb_cuda_buffer *buffer = w->domain->buffer;
    const uint32_t *first = (const uint32_t *)buffer[TREE_RUNS].d;
    const uint64_t runs = runs_of(n);
    if (runs > 0)
        nb_for_state(precision, [&]<typename T>() {
            take_back<<<blocks_of_runs(runs), NB_BLOCK, 0, w->stream>>>(n, stride, first, runs,
                                                                        (const uint16_t *)buffer[TREE_ORDER].d, routes,
                                                                        from, (T *)back, (T *)out->phi, out->add);
        });
    return NB_CUDA(cudaGetLastError());
}

/* Copies the accelerations of targets from this device's rows, to.a[own], to the same elements of the rows of all other
 * devices. place[i]: element of body i in the rows; ~0: not a target. One thread per body of the domain, n bodies. */
template <typename T> static __global__ void give(uint64_t n, const uint32_t *place, tree_lists to, int own)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= n || place[i] == ~0u)
        return;
    for (int k = 0; k < 3; k++) {
        const uint64_t at = k * to.stride + place[i];
        const T a = ((const T *)to.a[own])[at];
        for (int part = 0; part < to.parts; part++)
            if (part != own)
                ((T *)to.a[part])[at] = a;
    }
}

int tree_give(tree_work *w, enum nb_precision precision, uint64_t n, const uint32_t *place, const tree_lists &to,
              int own)
{
    nb_for_state(precision,
                 [&]<typename T>() { give<T><<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(n, place, to, own); });
    return NB_CUDA(cudaGetLastError());
}
