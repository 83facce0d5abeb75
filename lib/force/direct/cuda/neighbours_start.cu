/* neighbours_start.cu - starts the neighbour scheme on the GPU: allocates memory, and computes each body's first
 * neighbour list and first regular acceleration (caused by bodies outside the list). Declared in neighbours_run.cuh. */
#include "force/direct/cuda/neighbours_lists.cuh"

#define BATCH 4 /* (number of bodies in a batch) / (number of warps in the grid) */

/* Called by a block: returns the sum of `value` over all threads of the block, in every thread. */
static __device__ double sum_block(double value)
{
    __shared__ double of_warp[WARPS];
    value = sum_lanes(value);
    __syncthreads();
    if (lane_of() == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (int k = 0; k < WARPS; k++)
        value += of_warp[k];
    return value;
}

/* Computes the mean and the number of the nonzero masses, and the mean squared distance from the first body. One block;
 * threads iterate over the bodies in strides of the block. Writes *r.state. */
static __global__ void __launch_bounds__(THREADS) weigh_kernel(const near_run r)
{
    const double *x = (const double *)r.s.x;
    double mass = 0, massive = 0, spread2 = 0;
    for (uint64_t i = threadIdx.x; i < r.s.n; i += THREADS) {
        mass += mass_of(r, i);
        massive += mass_of(r, i) > 0;
        for (int k = 0; k < 3; k++) {
            const double d = x[i + k * r.s.stride] - x[k * r.s.stride];
            spread2 += d * d;
        }
    }
    mass = sum_block(mass);
    massive = sum_block(massive);
    spread2 = sum_block(spread2);
    if (threadIdx.x == 0) {
        r.state->mean = massive > 0 ? mass / massive : 1;
        r.state->massive = (unsigned long long)massive;
        r.state->spread2 = spread2 / (double)r.s.n;
    }
}

/* Computes r.weight[j] = (mass of body j / mean mass)^(2/3), the factor of the squared distance up to which body j is a
 * neighbour of other bodies. Writes the masses into r.place. One thread per body. */
static __global__ void __launch_bounds__(NB_BLOCK) weights_kernel(const near_run r)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= r.s.n)
        return;
    const double m = mass_of(r, i), q = m > 0 ? cbrt(m / r.state->mean) : 0;
    r.weight[i] = q * q;
    r.place[i].m = m;
}

/* Builds the first neighbour list of each body. Computes the regular acceleration and jerk of the body, caused by the
 * bodies that are not in the list. A warp owns two bodies. Writes lists, reaches and d_regular. */
static __global__ void __launch_bounds__(THREADS, 1) start_kernel(const near_run r)
{
    __shared__ uint32_t skip[WARPS][2 * RUN];
    const uint32_t n = (uint32_t)r.s.n, warp = threadIdx.x / 32, first = 2 * (blockIdx.x * WARPS + warp);
    if (first >= n)
        return;
    near_targets<2> t = {};
    for (int k = 0; k < 2; k++)
        t.own[k] = min(first + k, n - 1);
    for (uint32_t k = 0; k < 2 && first + k < n; k++)
        first_list(r, first + k);
    pull_rest<2, false>(r, t, 0, n, skip[warp]);
    for (uint32_t k = 0; k < 2; k++) {
        const near_sum sum = total_of(t.sum[k], r.s.G);
        if (lane_of() > 0 || first + k >= n)
            continue;
        const double none[3] = {};
        write_triple(r.w.d_regular[0], r.w.own.stride, first + k, sum.a);
        write_triple(r.w.d_regular[1], r.w.own.stride, first + k, sum.j);
        write_triple(r.w.d_regular[2], r.w.own.stride, first + k, none);
        write_triple(r.w.d_regular[3], r.w.own.stride, first + k, none);
    }
}

/* Divides one allocation into arrays, each aligned to 256 bytes. If d is NULL, computes only the total size,
 * `bytes`. */
struct near_memory {
    char *d;
    size_t bytes;

    template <typename T> void take(T *&to, size_t count)
    {
        to = d ? (T *)(d + bytes) : nullptr;
        bytes += (count * sizeof(T) + 255) / 256 * 256;
    }
};

static size_t lay_out(near_run &r, char *d, unsigned blocks)
{
    const size_t n = r.s.n;
    near_memory m = {d, 0};
    m.take(r.state, 1);
    m.take(r.place, n);
    m.take(r.irregular, n);
    m.take(r.regular, n);
    m.take(r.weight, n);
    m.take(r.regular_begun, n);
    m.take(r.due, n);
    m.take(r.regular_due, n);
    m.take(r.due_counts, blocks);
    m.take(r.regular_counts, blocks);
    m.take(r.partial, r.batch);
    m.take(r.found_count, r.batch);
    m.take(r.found, (size_t)r.batch * r.w.most);
    m.take(r.fresh, (size_t)(r.batch < n ? r.batch : n) * r.w.most);
    return m.bytes;
}

int near_begin(direct_work *work, const nb_sources *s, const nb_neighbours *w, near_run &r, unsigned *blocks)
{
    struct nb_device *device = work->device;
    const near_state state = {};
    if (s->n >= INT32_MAX)
        return nb_fail("force direct on device cuda: %llu bodies are too many for neighbour lists: at most %d",
                       (unsigned long long)s->n, INT32_MAX - 1);
    if (!own_cooperates(device))
        return nb_fail("force direct on device cuda: this GPU has no kernels whose blocks can wait for each other");
    if (nb_cuda_enter(device) || own_blocks(device, blocks))
        return -1;
    r.w = *w, r.s = *s;
    r.batch = BATCH * *blocks * WARPS;
    r.chunk = (s->n + *blocks - 1) / *blocks;
    if (nb_cuda_reserve(&work->own, lay_out(r, nullptr, *blocks)))
        return -1;
    lay_out(r, (char *)work->own.d, *blocks);
    if (nb_device_to(device, r.state, &state, sizeof state))
        return -1;
    weigh_kernel<<<1, THREADS, 0, work->stream>>>(r);
    weights_kernel<<<nb_blocks_for(s->n), NB_BLOCK, 0, work->stream>>>(r);
    return NB_CUDA(cudaGetLastError());
}

int near_start(struct nb_device *, void *opened, const struct nb_sources *s, struct nb_neighbours *w)
{
    direct_work *work = (direct_work *)opened;
    near_run r = {};
    unsigned blocks = 0;
    if (near_begin(work, s, w, r, &blocks))
        return -1;
    const unsigned all = (unsigned)((s->n + 2 * WARPS - 1) / (2 * WARPS));
    start_kernel<<<all, THREADS, 0, work->stream>>>(r);
    return NB_CUDA(cudaGetLastError());
}
