/* light_pyramid.cu - kernels that move light to coarser and to finer levels, and kernels for bloom. A thread computes
 * one cell of a level from the nearest cells of the next finer or coarser level. Declared in light_cuda.cuh. */
#include "device/timing.h"
#include "light/cuda/light_cuda.cuh"

struct cell {
    int x, y; /* (0, 0) is the first cell of the picture; the margin begins at -NB_LIGHT_BORDER */
};

/* Finds the cell of this thread. Returns false if the thread has no cell. */
static __device__ __forceinline__ bool find_cell(const light_level &l, cell *c)
{
    const unsigned i = blockIdx.x * NB_BLOCK + threadIdx.x;
    c->x = (int)(i % (unsigned)l.stride) - NB_LIGHT_BORDER;
    c->y = (int)(i / (unsigned)l.stride) - NB_LIGHT_BORDER;
    return c->y < l.rows - NB_LIGHT_BORDER;
}

static unsigned blocks_of(const light_level *l)
{
    return nb_blocks_for((uint64_t)l->stride * (uint64_t)l->rows);
}

/* Returns the index of cell (x, y) of level l in the array of the cells of all levels. */
static __device__ __forceinline__ uint64_t index_of(const light_level &l, int x, int y)
{
    return l.first + (uint64_t)(y + NB_LIGHT_BORDER) * l.stride + (uint64_t)(x + NB_LIGHT_BORDER);
}

/* Returns a + s b. */
static __device__ __forceinline__ float4 add(float4 a, float s, float4 b)
{
    return make_float4(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w);
}

/* Restricts level f to the next coarser level: returns the light in cell (x, y) of the coarser level. */
static __device__ float4 restricted(const light_level &f, const float4 *fine, int x, int y)
{
    float4 sum = {};
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            const int fx = 2 * x + i, fy = 2 * y + j;
            if (fx >= -NB_LIGHT_BORDER && fy >= -NB_LIGHT_BORDER && fx < f.stride - NB_LIGHT_BORDER &&
                fy < f.rows - NB_LIGHT_BORDER)
                sum = add(sum, (i == 0 || i == 1 ? 0.75f : 0.25f) * (j == 0 || j == 1 ? 0.75f : 0.25f),
                          fine[index_of(f, fx, fy)]);
        }
    return sum;
}

/* Refines level c to the next finer level: returns the light in cell (x, y) of the finer level. */
static __device__ float4 refined(const light_level &c, const float4 *coarse, int x, int y)
{
    const int cx = x >> 1, cy = y >> 1, ox = x & 1 ? 1 : -1, oy = y & 1 ? 1 : -1;
    float4 sum = {};
    sum = add(sum, 0.25f * 0.5625f, coarse[index_of(c, cx, cy)]);
    sum = add(sum, 0.25f * 0.1875f, coarse[index_of(c, cx + ox, cy)]);
    sum = add(sum, 0.25f * 0.1875f, coarse[index_of(c, cx, cy + oy)]);
    return add(sum, 0.25f * 0.0625f, coarse[index_of(c, cx + ox, cy + oy)]);
}

/* Returns the smoothed number of bodies per cell of level k (light_count) at the middle of cell (x, y). */
static __device__ __forceinline__ float count_about(const light_put &p, int k, int x, int y)
{
    const light_level &l = p.shape.level[k];
    return light_count(l, p.map.count, x + l.margin, y + l.margin, 1, 1, 0, 0);
}

/* Returns the smoothed number of bodies per cell of level k + 1 (light_count) at the middle of cell (x, y) of level k.
 */
static __device__ __forceinline__ float count_above(const light_put &p, int k, int x, int y)
{
    const light_level &l = p.shape.level[k + 1];
    return light_count(l, p.map.count, (x >> 1) + l.margin, (y >> 1) + l.margin, x & 1 ? 1 : -1, y & 1 ? 1 : -1, 0.25f,
                       0.25f);
}

/* Returns the value of the level map at cell c of level k, which must not be the highest level. This value determines
 * the share of the light that stays in level k. COUNTED true: computes the value from the numbers of bodies in nearby
 * cells (for k >= NB_LIGHT_MAPPED). COUNTED false: interpolates between the nodes of the map. */
template <bool COUNTED> static __device__ __forceinline__ float level_of_cell(const light_put &p, int k, cell c)
{
    const light_level &l = p.shape.level[k];
    const float size = (float)(1 << k);
    if (!COUNTED)
        return light_level_of(p.map, (double)(((float)c.x + 0.5f) * size), (double)(((float)c.y + 0.5f) * size));
    const int x = min(max(c.x, 0), l.width - 1), y = min(max(c.y, 0), l.height - 1);
    return fminf(nb_level_in_cell(k, count_about(p, k, x, y), count_above(p, k, x, y), p.K), p.map.most);
}

/* One thread per cell of level k. The light that arrives in the cell is the light of bodies, fixed[cell], plus the
 * restricted light of level k - 1, from rest[]. The thread adds the part that stays in level k to light[cell], and
 * writes the part for higher levels to rest[cell]. Sets fixed[cell] to 0. */
template <bool COUNTED>
static __global__ void __launch_bounds__(NB_BLOCK)
    send_up_kernel(const light_put p, int k, ulonglong2 *fixed, float4 *rest, float4 *light)
{
    const light_level &l = p.shape.level[k];
    cell c;
    if (!find_cell(l, &c))
        return;
    const uint64_t i = index_of(l, c.x, c.y);
    const ulonglong2 a = fixed[2 * i], b = fixed[2 * i + 1];
    const double unit = p.scale->unit[0], first = p.value ? p.scale->unit[1] : unit;
    float4 up = make_float4((float)(first * (double)(long long)a.x), (float)(unit * (double)(long long)a.y),
                            (float)(unit * (double)(long long)b.x), (float)(unit * (double)(long long)b.y));
    fixed[2 * i] = fixed[2 * i + 1] = ulonglong2{};
    if (k > 0)
        up = add(up, 1, restricted(p.shape.level[k - 1], rest, c.x, c.y));
    float keeps = k == p.shape.levels - 1 ? 1 : nb_level_keeps(k, level_of_cell<COUNTED>(p, k, c));
    if (p.stars > 0 && (float)k < p.point + 1)
        keeps = nb_level_keeps_points(k, keeps, p.stars, p.point);
    light[i] = add(light[i], keeps, up);
    rest[i] = add(float4{}, 1 - keeps, up);
}

/* One thread adds the light of the bodies of this call of put to totals->put. */
static __global__ void count_put_kernel(const light_scale *scale, light_totals *totals)
{
    totals->put += scale->unit[0] * (double)scale->put;
}

int light_send_up(nb_device *d, const light_put *p, unsigned long long *fixed, float4 *rest, float4 *light,
                  light_totals *totals)
{
    cudaStream_t stream = nb_cuda_stream(d);
    nb_timing_stage(d, "upwards");
    for (int k = 0; k < p->shape.levels; k++) {
        const bool counted = k >= NB_LIGHT_MAPPED && p->map.node;
        auto kernel = counted ? send_up_kernel<true> : send_up_kernel<false>;
        kernel<<<blocks_of(&p->shape.level[k]), NB_BLOCK, 0, stream>>>(*p, k, (ulonglong2 *)fixed, rest, light);
    }
    count_put_kernel<<<1, 1, 0, stream>>>(p->scale, totals);
    return NB_CUDA(cudaGetLastError());
}

/* ---- downwards ---- */

/* Adds the coarser level c to level f: in each cell of level f, light = keep * light + take * (refined light of level
 * c). One thread per cell of level f. */
static __global__ void __launch_bounds__(NB_BLOCK)
    refine_kernel(const light_level f, const light_level c, float keep, float take, float4 *light)
{
    cell at;
    if (!find_cell(f, &at))
        return;
    const uint64_t i = index_of(f, at.x, at.y);
    light[i] = add(add(float4{}, keep, light[i]), take, refined(c, light, at.x, at.y));
}

/* Sums the light that refinement loses: a cell at the edge of level k extends beyond the last cells of level k - 1, and
 * this part of its light is lost. The cells of each level are divided among all threads of the grid. Block b writes its
 * sum to totals->sum[0][b]. */
static __global__ void __launch_bounds__(NB_BLOCK)
    margin_kernel(const light_shape s, const float4 *light, light_totals *totals)
{
    double sum = 0;
    for (int k = 1; k < s.levels; k++) {
        const light_level &l = s.level[k], &f = s.level[k - 1];
        const unsigned cells = (unsigned)l.stride * (unsigned)l.rows;
        for (unsigned i = blockIdx.x * NB_BLOCK + threadIdx.x; i < cells; i += LIGHT_SUMS * NB_BLOCK) {
            const int x = (int)(i % (unsigned)l.stride) - NB_LIGHT_BORDER;
            const int y = (int)(i / (unsigned)l.stride) - NB_LIGHT_BORDER;
            const float lost = 1 - nb_level_refined(x, f.width) * nb_level_refined(y, f.height);
            if (lost > 0)
                sum += (double)(lost * light[l.first + i].w);
        }
    }
    sum = light_sum_block(sum);
    if (threadIdx.x == 0)
        totals->sum[0][blockIdx.x] = sum;
}

/* One thread adds the sums of all blocks to totals->margins. */
static __global__ void margin_sum_kernel(light_totals *totals)
{
    for (int k = 0; k < LIGHT_SUMS; k++)
        totals->margins += totals->sum[0][k];
}

/* Adds to totals->margins the light that refinement loses at the edges of the levels. */
static int count_margins(cudaStream_t stream, const light_shape *s, const float4 *light, light_totals *totals)
{
    margin_kernel<<<LIGHT_SUMS, NB_BLOCK, 0, stream>>>(*s, light, totals);
    margin_sum_kernel<<<1, 1, 0, stream>>>(totals);
    return NB_CUDA(cudaGetLastError());
}

/* Sets level k to keep * level k + take * (level k + 1, refined). */
static void refine(cudaStream_t stream, const light_shape *s, int k, float keep, float take, float4 *light)
{
    refine_kernel<<<blocks_of(&s->level[k]), NB_BLOCK, 0, stream>>>(s->level[k], s->level[k + 1], keep, take, light);
}

int light_refine(nb_device *d, const light_shape *s, float4 *light, light_totals *totals)
{
    nb_timing_stage(d, "refine");
    for (int k = s->levels - 2; k >= 0; k--)
        refine(nb_cuda_stream(d), s, k, 1, 1, light);
    return count_margins(nb_cuda_stream(d), s, light, totals);
}

/* ---- bloom ---- */

/* One thread per cell of the coarser level c: computes the cell's light from the finer level f. */
static __global__ void __launch_bounds__(NB_BLOCK)
    restrict_kernel(const light_level f, const light_level c, float4 *light)
{
    cell at;
    if (find_cell(c, &at))
        light[index_of(c, at.x, at.y)] = restricted(f, light, at.x, at.y);
}

/* One thread per cell of level l: multiplies its light by weight. */
static __global__ void scale_kernel(const light_level l, float weight, float4 *light)
{
    cell at;
    if (!find_cell(l, &at))
        return;
    const uint64_t i = index_of(l, at.x, at.y);
    light[i] = add(float4{}, weight, light[i]);
}

int light_bloom(nb_device *d, const light_shape *s, double share, float4 *light, light_totals *totals)
{
    cudaStream_t stream = nb_cuda_stream(d);
    float weight[NB_LIGHT_LEVELS_MAX];
    const int top = s->levels - 1;
    nb_timing_stage(d, "bloom");
    nb_bloom_weights(s->height, s->levels, share, weight);
    for (int k = 1; k < s->levels; k++)
        restrict_kernel<<<blocks_of(&s->level[k]), NB_BLOCK, 0, stream>>>(s->level[k - 1], s->level[k], light);
    scale_kernel<<<blocks_of(&s->level[top]), NB_BLOCK, 0, stream>>>(s->level[top], weight[top], light);
    for (int k = top - 1; k >= 0; k--)
        refine(stream, s, k, weight[k], 1, light);
    return count_margins(stream, s, light, totals);
}
