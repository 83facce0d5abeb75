/* light_shown.cu - kernels for the output of the picture (level 0 of the pyramid). Declared in light_cuda.cuh. */
#include "device/timing.h"
#include "light/cuda/light_cuda.cuh"
#include "light/tone_curve.h"

/* Sums the light of level 0 separately in the picture and in its margin. The cells are divided among all threads of the
 * grid. Block b writes the sum for the picture to totals->sum[0][b], and for the margin to totals->sum[1][b]. */
static __global__ void __launch_bounds__(NB_BLOCK)
    sum_kernel(const light_shape s, const float4 *light, light_totals *totals)
{
    const light_level &l = s.level[0];
    const uint64_t cells = (uint64_t)l.stride * (uint64_t)l.rows;
    double picture = 0, border = 0;
    for (uint64_t i = blockIdx.x * NB_BLOCK + threadIdx.x; i < cells; i += LIGHT_SUMS * NB_BLOCK) {
        const int x = (int)(i % (unsigned)l.stride) - NB_LIGHT_BORDER,
                  y = (int)(i / (unsigned)l.stride) - NB_LIGHT_BORDER;
        const double here = (double)light[l.first + i].w;
        if (x >= 0 && y >= 0 && x < l.width && y < l.height)
            picture += here;
        else
            border += here;
    }
    picture = light_sum_block(picture);
    border = light_sum_block(border);
    if (threadIdx.x == 0) {
        totals->sum[0][blockIdx.x] = picture;
        totals->sum[1][blockIdx.x] = border;
    }
}

/* One thread adds the sums of all blocks to totals->picture and totals->border. */
static __global__ void sum_up_kernel(light_totals *totals)
{
    totals->picture = totals->border = 0;
    for (int k = 0; k < LIGHT_SUMS; k++) {
        totals->picture += totals->sum[0][k];
        totals->border += totals->sum[1][k];
    }
}

int light_sum(nb_device *d, const light_shape *s, const float4 *light, light_totals *totals)
{
    cudaStream_t stream = nb_cuda_stream(d);
    sum_kernel<<<LIGHT_SUMS, NB_BLOCK, 0, stream>>>(*s, light, totals);
    sum_up_kernel<<<1, 1, 0, stream>>>(totals);
    return NB_CUDA(cudaGetLastError());
}

/* One thread per square of size x size pixels (smaller at the right and lower edges). The surface brightness of the
 * square selects a bucket of the histogram, and the thread adds the light of the square to this bucket. Block b of the
 * grid uses copy b % LIGHT_COPIES of the histogram, so that few atomic additions collide. */
static __global__ void __launch_bounds__(NB_BLOCK)
    measure_kernel(const light_shape s, const float4 *light, int size, int across, int down, double per_unit,
                   unsigned long long *bucket)
{
    const light_level &l = s.level[0];
    const unsigned i = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= (unsigned)across * (unsigned)down)
        return;
    const int x0 = (int)(i % (unsigned)across) * size, y0 = (int)(i / (unsigned)across) * size;
    const int x1 = min(x0 + size, s.width), y1 = min(y0 + size, s.height);
    double sum = 0;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            sum += (double)light[l.first + (uint64_t)(y + NB_LIGHT_BORDER) * l.stride + x + NB_LIGHT_BORDER].w;
    if (!(sum > 0))
        return;
    const double brightness = sum * s.height * s.height / ((x1 - x0) * (y1 - y0));
    const int k = (int)floor(log2(brightness) * NB_LIGHT_OCTAVE) + NB_LIGHT_ZERO;
    bucket += blockIdx.x % LIGHT_COPIES * NB_LIGHT_BUCKETS;
    atomicAdd(&bucket[min(max(k, 0), NB_LIGHT_BUCKETS - 1)], (unsigned long long)(sum * per_unit + 0.5));
}

int light_measure(nb_device *d, const light_shape *s, const float4 *light, double all, unsigned long long *bucket)
{
    cudaStream_t stream = nb_cuda_stream(d);
    const int size = nb_light_place(s->height), across = (s->width - 1) / size + 1, down = (s->height - 1) / size + 1;
    nb_timing_stage(d, "measure");
    if (NB_CUDA(cudaMemsetAsync(bucket, 0, LIGHT_COPIES * NB_LIGHT_BUCKETS * sizeof *bucket, stream)))
        return -1;
    measure_kernel<<<nb_blocks_for((uint64_t)across * (uint64_t)down), NB_BLOCK, 0, stream>>>(
        *s, light, size, across, down, ldexp(1 / all, LIGHT_MEASURE_BITS), bucket);
    return NB_CUDA(cudaGetLastError());
}

/* Converts the displayed brightness of a channel from the range 0 ... 1 to an integer 0 ... NB_TONE_FULL. */
static __device__ __forceinline__ uint16_t level_of(float shown)
{
    return (uint16_t)(shown * NB_TONE_FULL + 0.5f);
}

/* One thread per pixel: reads the pixel's light and writes the displayed brightness of its red, green and blue to the
 * three planes. */
static __global__ void __launch_bounds__(NB_BLOCK)
    tone_kernel(const light_shape s, const float4 *light, const nb_tone tone, uint16_t *plane)
{
    const light_level &l = s.level[0];
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x, pixels = (uint64_t)s.width * (uint64_t)s.height;
    if (i >= pixels)
        return;
    const float4 p = light[l.first + (i / (unsigned)s.width + NB_LIGHT_BORDER) * (unsigned)l.stride +
                           i % (unsigned)s.width + NB_LIGHT_BORDER];
    const float scale = tone.inverse_soft * (float)s.height * (float)s.height;
    const nb_shown shown = nb_tone_pixel(&tone, scale, p.x, p.y, p.z, p.w);
    plane[i] = level_of(shown.red);
    plane[i + pixels] = level_of(shown.green);
    plane[i + 2 * pixels] = level_of(shown.blue);
}

int light_tone(nb_device *d, const light_shape *s, const float4 *light, const nb_tone *tone, uint16_t *plane)
{
    nb_timing_stage(d, "tone");
    tone_kernel<<<nb_blocks_for((uint64_t)s->width * (uint64_t)s->height), NB_BLOCK, 0, nb_cuda_stream(d)>>>(
        *s, light, *tone, plane);
    return NB_CUDA(cudaGetLastError());
}

int light_pixels(nb_device *d, const light_shape *s, const float4 *light, float4 *pixel)
{
    const light_level *l = &s->level[0];
    const size_t row_bytes = (size_t)s->width * sizeof *pixel;
    return NB_CUDA(cudaMemcpy2DAsync(
        pixel, row_bytes, light + l->first + (size_t)NB_LIGHT_BORDER * (size_t)l->stride + NB_LIGHT_BORDER,
        (size_t)l->stride * sizeof *light, row_bytes, (size_t)s->height, cudaMemcpyDeviceToDevice, nb_cuda_stream(d)));
}
