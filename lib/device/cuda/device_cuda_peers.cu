/* device_cuda_peers.cu - copies data between cards. If the cards belong to different processes, the data go through
 * host memory. Declared in device_cuda.cuh. */
#include "device/cuda/device_cuda.cuh"
#include "device/group.h"

#include <atomic>

/* ---- several cards of this process (device/group.h) ---- */

#define CARDS 64 /* maximum number of cards that use peer access: cards 0 to CARDS - 1 */

/* opened[a][b]: card a can access the memory of card b */
static std::atomic<bool> opened[CARDS][CARDS];

int nb_cuda_join_peers(cuda_device *c)
{
    /* whether peer access was requested for a pair of cards; a second request in a process is an error in CUDA */
    static std::atomic_flag asked[CARDS][CARDS];
    int count = 0;
    if (c->copies)
        return 0;
    if (NB_CUDA(cudaEventCreateWithFlags(&c->ready, cudaEventDisableTiming)) ||
        NB_CUDA(cudaEventCreateWithFlags(&c->copied, cudaEventDisableTiming)) ||
        NB_CUDA(cudaStreamCreateWithFlags(&c->copies, cudaStreamNonBlocking)) || NB_CUDA(cudaGetDeviceCount(&count)))
        return -1;
    const int own = c->base.index, known = count > CARDS ? CARDS : count;
    for (int other = 0; own < known && other < known; other++) {
        int reaches = 0;
        if (other != own && !asked[own][other].test_and_set() &&
            cudaDeviceCanAccessPeer(&reaches, own, other) == cudaSuccess && reaches) {
            const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
            opened[own][other] = status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled;
        }
    }
    cudaGetLastError(); /* clears the error, so that the next call does not report it */
    return 0;
}

void nb_cuda_peers_close(cuda_device *c)
{
    if (c->copies)
        cudaStreamDestroy(c->copies);
    if (c->ready)
        cudaEventDestroy(c->ready);
    if (c->copied)
        cudaEventDestroy(c->copied);
    nb_cuda_fabric.leave(&c->base);
}

static bool reaches(struct nb_device *d, const struct nb_device *other)
{
    return d->index == other->index || (d->index < CARDS && other->index < CARDS && nb_cuda_enter(d) == 0 &&
                                        nb_cuda_join_peers(cuda_of(d)) == 0 && opened[d->index][other->index]);
}

extern "C" bool nb_cuda_reach_each_other(const struct nb_device *group)
{
    for (int k = 0; k < nb_group_count(group); k++)
        for (int h = 0; h < nb_group_count(group); h++)
            if (!reaches(nb_group_part(group, k), nb_group_part(group, h)))
                return false;
    return true;
}

int nb_cuda_peer_ready(struct nb_device *d)
{
    cuda_device *c = cuda_of(d);
    return nb_cuda_enter(d) || nb_cuda_join_peers(c) || NB_CUDA(cudaEventRecord(c->ready, c->stream)) ||
                   NB_CUDA(cudaStreamWaitEvent(c->copies, c->ready, 0))
               ? -1
               : 0;
}

int nb_cuda_peer_copy(struct nb_device *d, void *d_to, struct nb_device *from, const void *d_from, size_t size_bytes)
{
    const cuda_device *c = cuda_of(d);
    return nb_cuda_enter(d) || NB_CUDA(cudaStreamWaitEvent(c->copies, cuda_of(from)->ready, 0)) ||
                   NB_CUDA(cudaMemcpyPeerAsync(d_to, d->index, d_from, from->index, size_bytes, c->copies)) ||
                   NB_CUDA(cudaEventRecord(c->copied, c->copies))
               ? -1
               : 0;
}

int nb_cuda_peer_taken(struct nb_device *d, struct nb_device *const *all, int count)
{
    if (nb_cuda_enter(d))
        return -1;
    for (int k = 0; k < count; k++)
        if (NB_CUDA(cudaStreamWaitEvent(nb_cuda_stream(d), cuda_of(all[k])->copied, 0)))
            return -1;
    return 0;
}

/* ---- cards of other processes (device/ranks.h) ---- */

static void *stage_alloc(struct nb_device *d, size_t size_bytes)
{
    void *p = nullptr;
    return nb_cuda_enter(d) || NB_CUDA(cudaMallocHost(&p, size_bytes)) ? nullptr : p;
}

static void stage_free(struct nb_device *d, void *p, void *mark)
{
    if (nb_cuda_enter(d))
        return;
    cudaFreeHost(p);
    if (mark)
        cudaEventDestroy((cudaEvent_t)mark);
}

static int stage(struct nb_device *d, void *to, const void *from, size_t size_bytes, cudaMemcpyKind way, void **mark)
{
    const cuda_device *c = cuda_of(d);
    if (nb_cuda_enter(d) || (!*mark && NB_CUDA(cudaEventCreateWithFlags((cudaEvent_t *)mark, cudaEventDisableTiming))))
        return -1;
    return NB_CUDA(cudaMemcpyAsync(to, from, size_bytes, way, c->copies)) ||
                   NB_CUDA(cudaEventRecord((cudaEvent_t)*mark, c->copies)) ||
                   NB_CUDA(cudaEventRecord(c->copied, c->copies))
               ? -1
               : 0;
}

static int stage_out(struct nb_device *d, void *to, const void *d_from, size_t size_bytes, void **mark)
{
    return stage(d, to, d_from, size_bytes, cudaMemcpyDeviceToHost, mark);
}

static int stage_in(struct nb_device *d, void *d_to, const void *from, size_t size_bytes, void **mark)
{
    return stage(d, d_to, from, size_bytes, cudaMemcpyHostToDevice, mark);
}

static int staged(struct nb_device *d, void *mark)
{
    if (nb_cuda_enter(d))
        return -1;
    const cudaError_t status = cudaEventQuery((cudaEvent_t)mark);
    if (status == cudaErrorNotReady)
        cudaGetLastError(); /* clears the error, so that the next call does not report it */
    return status == cudaErrorNotReady ? 0 : NB_CUDA(status) ? -1 : 1;
}

const struct nb_device_staging nb_cuda_staging = {stage_alloc, stage_free, stage_out, stage_in, staged};
