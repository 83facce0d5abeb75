/* light_survey.cu - prepares the drawing of bodies: counts the bodies in each cell of each level, chooses the units of
 * the fixed-point sums of light, and computes the level map. Declared in light_cuda.cuh. */
#include "light/cuda/light_cuda.cuh"

#define UNIT_BITS 22 /* the unit of light is about 2^-UNIT_BITS of the mean light of a body */
#define NOWHERE   (~0u)

/* Returns the exponent bits of x. */
static __device__ __forceinline__ unsigned octave_of(float x)
{
    return __float_as_uint(x) >> 23 & (LIGHT_OCTAVES - 1);
}

/* Returns the cell of level 0 in which a body is counted, or NOWHERE if it is outside the picture and its margin. */
static __device__ __forceinline__ unsigned find_cell(const light_level &fine, double x, double y)
{
    double u = x + fine.margin, v = y + fine.margin;
    bool in = u >= 0 && v >= 0 && u < fine.count_stride && v < fine.count_rows;
    return in ? (unsigned)v * (unsigned)fine.count_stride + (unsigned)u : NOWHERE;
}

/* Counts the bodies in each cell of level 0 (count[]). Also counts, for each exponent of a float, the bodies whose
 * light has this exponent (p.scale->octave). The bodies are divided among all threads of the grid. A warp uses one
 * atomic addition for all its bodies in the same cell, because many additions to the same cell would be slow. Each
 * block counts exponents in shared memory, and adds its counts to p.scale->octave at the end. */
static __global__ void __launch_bounds__(NB_BLOCK)
    survey_kernel(const light_put p, const light_columns c, unsigned *count)
{
    __shared__ unsigned octave[2 * LIGHT_OCTAVES];
    for (int k = threadIdx.x; k < 2 * LIGHT_OCTAVES; k += NB_BLOCK)
        octave[k] = 0;
    __syncthreads();
    const uint64_t step = (uint64_t)gridDim.x * NB_BLOCK;
    for (uint64_t begin = (uint64_t)blockIdx.x * NB_BLOCK; begin < c.count; begin += step) {
        const uint64_t i = begin + threadIdx.x;
        unsigned cell = NOWHERE;
        if (i < c.count) {
            light_body b = light_load(p, c, i);
            if (b.light > 0) {
                atomicAdd(&octave[octave_of(b.light)], 1u);
                if (c.value)
                    atomicAdd(&octave[LIGHT_OCTAVES + octave_of(b.light * fabsf(b.value))], 1u);
            }
            if (count && (!c.light || c.light[i] > 0))
                cell = find_cell(p.shape.level[0], b.x, b.y);
        }
        if (count) {
            unsigned same = __match_any_sync(LIGHT_LANES, cell);
            if (cell != NOWHERE && (threadIdx.x & 31) + 1 == (unsigned)__ffs((int)same))
                atomicAdd(&count[cell], (unsigned)__popc(same));
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 2 * LIGHT_OCTAVES; k += NB_BLOCK)
        if (octave[k])
            atomicAdd(&p.scale->octave[0][k], (unsigned long long)octave[k]);
}

/* Chooses the units of two sums: block 0 for light, block 1 for light times value (light_scale.unit). A unit is a power
 * of two near 2^-UNIT_BITS times a mean over the bodies: the mean of the light, or of light times |value|. This mean is
 * an estimate from the counts in s->octave: each number is replaced by the upper limit of its octave (all numbers with
 * the same exponent). Thread k processes octave k. */
static __global__ void __launch_bounds__(LIGHT_OCTAVES) choose_units(light_scale *s)
{
    __shared__ double light[LIGHT_OCTAVES], bodies[LIGHT_OCTAVES];
    const int k = threadIdx.x;
    bodies[k] = (double)s->octave[blockIdx.x][k];
    light[k] = bodies[k] * scalbn(1.0, k - 126);
    for (int half = LIGHT_OCTAVES / 2; half > 0; half /= 2) {
        __syncthreads();
        if (k < half) {
            light[k] += light[k + half];
            bodies[k] += bodies[k + half];
        }
    }
    if (k == 0)
        s->unit[blockIdx.x] = bodies[0] > 0 ? scalbn(1.0, ilogb(light[0] / bodies[0]) + 1 - UNIT_BITS) : 1;
}

/* One thread per cell of the coarser level c: writes the number of bodies in the cell, which is the sum over its four
 * cells in level f. */
static __global__ void coarsen_kernel(const light_level f, const light_level c, unsigned *count)
{
    const unsigned i = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= (unsigned)c.count_stride * (unsigned)c.count_rows)
        return;
    const int x = 2 * (int)(i % (unsigned)c.count_stride), y = 2 * (int)(i / (unsigned)c.count_stride);
    unsigned sum = 0;
    for (int row = y; row < y + 2 && row < f.count_rows; row++)
        for (int column = x; column < x + 2 && column < f.count_stride; column++)
            sum += count[f.first_count + (uint64_t)row * f.count_stride + column];
    count[c.first_count + i] = sum;
}

/* Returns the smoothed number of bodies per cell of level k (light_count) at the point (x, y), in pixels. */
static __device__ float count_at(const light_level &l, int k, const unsigned *count, float x, float y)
{
    const float u = x / (float)(1 << k) - 0.5f + (float)l.margin, v = y / (float)(1 << k) - 0.5f + (float)l.margin;
    const int column = (int)u, row = (int)v;
    return light_count(l, count, column, row, 1, 1, u - (float)column, v - (float)row);
}

/* Computes the level map. Thread i owns node i, a grid point of the map. It writes to node[i] the level at which a cell
 * around the node would contain K bodies; this level is at most `most`. count: numbers of bodies in the cells of all
 * levels. */
static __global__ void map_kernel(const light_shape s, const unsigned *count, float K, float most, float *node)
{
    const unsigned i = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= (unsigned)s.node_width * (unsigned)s.node_height)
        return;
    const float x = ((float)(i % (unsigned)s.node_width) - 0.5f) * NB_LIGHT_NODE;
    const float y = ((float)(i / (unsigned)s.node_width) - 0.5f) * NB_LIGHT_NODE;
    float before = 0, level = most;
    for (int k = 0; k < s.levels; k++) {
        float here = count_at(s.level[k], k, count, x, y);
        if (here >= K) {
            level = fminf(nb_level_between(k, before, here, K), most);
            break;
        }
        before = here;
    }
    node[i] = level;
}

/* ---- the stage ---- */

int light_survey_begin(nb_device *d, light_survey_work *w, const light_put *p)
{
    cudaStream_t stream = nb_cuda_stream(d);
    const light_level *fine = &p->shape.level[0];
    if (NB_CUDA(cudaMemsetAsync(p->scale, 0, sizeof *p->scale, stream)))
        return -1;
    if (p->K == 0)
        return 0;
    const size_t nodes = (size_t)p->shape.node_width * (size_t)p->shape.node_height;
    if (nb_cuda_reserve(&w->count, p->shape.counts * sizeof(unsigned)) ||
        nb_cuda_reserve(&w->node, nodes * sizeof(float)))
        return -1;
    return NB_CUDA(cudaMemsetAsync(w->count.d, 0,
                                   sizeof(unsigned) * (size_t)fine->count_stride * (size_t)fine->count_rows, stream));
}

int light_survey(nb_device *d, light_survey_work *w, const light_put *p, const light_columns *c)
{
    unsigned *count = p->K > 0 ? (unsigned *)w->count.d : nullptr;
    if (c->count == 0)
        return 0;
    survey_kernel<<<nb_blocks_in_strides(c->count), NB_BLOCK, 0, nb_cuda_stream(d)>>>(*p, *c, count);
    return NB_CUDA(cudaGetLastError());
}

int light_survey_end(nb_device *d, light_survey_work *w, light_put *p)
{
    cudaStream_t stream = nb_cuda_stream(d);
    const light_shape *s = &p->shape;
    choose_units<<<2, LIGHT_OCTAVES, 0, stream>>>(p->scale);
    if (p->K > 0) {
        unsigned *count = (unsigned *)w->count.d;
        for (int k = 1; k < s->levels; k++)
            coarsen_kernel<<<nb_blocks_for((uint64_t)s->level[k].count_stride * (uint64_t)s->level[k].count_rows),
                             NB_BLOCK, 0, stream>>>(s->level[k - 1], s->level[k], count);
        map_kernel<<<nb_blocks_for((uint64_t)s->node_width * (uint64_t)s->node_height), NB_BLOCK, 0, stream>>>(
            *s, count, p->K, p->map.most, (float *)w->node.d);
        p->map.node = (const float *)w->node.d;
        p->map.count = count;
    }
    return NB_CUDA(cudaGetLastError());
}
