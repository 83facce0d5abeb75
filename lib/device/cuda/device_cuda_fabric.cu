/* device_cuda_fabric.cu - exchanges data between processes with NCCL. Declared in device_cuda.cuh. Few systems have the
 * NCCL library. It is therefore loaded when it is first needed, and its functions are declared here, without nccl.h. */
#include "device/cuda/device_cuda.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>

struct nccl_name {
    char bytes[NB_FABRIC_BYTES];
};

struct nccl {
    int (*get_name)(nccl_name *name);
    int (*init_rank)(void **comm, int count, nccl_name name, int rank);
    int (*abort)(void *comm);
    int (*send)(const void *from, size_t count, int type, int peer, void *comm, cudaStream_t stream);
    int (*receive)(void *to, size_t count, int type, int peer, void *comm, cudaStream_t stream);
    int (*group_start)();
    int (*group_end)();
    int (*async_error)(void *comm, int *status);
    const char *(*error_string)(int status);
};

#define NCCL_BYTE 0 /* value of ncclInt8 */
#define NCCL_BUSY 7 /* value of ncclInProgress */

template <typename F> static bool take(void *library, const char *name, F *function)
{
    *function = (F)dlsym(library, name);
    return *function != nullptr;
}

static nccl api;
static bool found;

static void load()
{
    setenv("NCCL_NVLS_ENABLE", "0", 0); /* multicast over NVLink has no advantage here, and fails on some hosts */
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    found = library && take(library, "ncclGetUniqueId", &api.get_name) &&
            take(library, "ncclCommInitRank", &api.init_rank) && take(library, "ncclCommAbort", &api.abort) &&
            take(library, "ncclSend", &api.send) && take(library, "ncclRecv", &api.receive) &&
            take(library, "ncclGroupStart", &api.group_start) && take(library, "ncclGroupEnd", &api.group_end) &&
            take(library, "ncclCommGetAsyncError", &api.async_error) &&
            take(library, "ncclGetErrorString", &api.error_string);
}

static bool is_there()
{
    static std::once_flag once;
    std::call_once(once, load);
    return found;
}

static int check(int status, const char *call)
{
    if (status == 0)
        return 0;
    nb_fail("%s: %s", call, api.error_string(status));
    errno = EIO;
    return -1;
}

static int fabric_find(struct nb_device *d, char *place, size_t size)
{
    char bus[32];
    if (nb_cuda_enter(d))
        return -1;
    if (!is_there())
        return nb_fail("no libnccl.so.2");
    if (NB_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, d->index)))
        return -1;
    snprintf(place, size, "%s", bus);
    return 0;
}

static int fabric_name(struct nb_device *d, unsigned char name[NB_FABRIC_BYTES])
{
    nccl_name made;
    if (nb_cuda_enter(d) || !is_there() || check(api.get_name(&made), "ncclGetUniqueId"))
        return -1;
    memcpy(name, made.bytes, sizeof made.bytes);
    return 0;
}

static int fabric_join(struct nb_device *d, const unsigned char name[NB_FABRIC_BYTES], int rank, int count)
{
    nccl_name taken;
    void *comm = nullptr;
    memcpy(taken.bytes, name, sizeof taken.bytes);
    if (nb_cuda_enter(d) || nb_cuda_join_peers(cuda_of(d)) || !is_there() ||
        check(api.init_rank(&comm, count, taken, rank), "ncclCommInitRank"))
        return -1;
    cuda_of(d)->fabric = comm;
    return 0;
}

/* Queues the messages on the stream `copies`. */
static int put_messages(const cuda_device *c, const struct nb_peer_message *message, size_t count)
{
    int status = check(api.group_start(), "ncclGroupStart");
    for (size_t k = 0; k < count && status == 0; k++) {
        const nb_peer_message *m = &message[k];
        status = m->put
                     ? check(api.send(m->d, m->size_bytes, NCCL_BYTE, m->other, c->fabric, c->copies), "ncclSend")
                     : check(api.receive(m->d, m->size_bytes, NCCL_BYTE, m->other, c->fabric, c->copies), "ncclRecv");
    }
    return check(api.group_end(), "ncclGroupEnd") || status ? -1 : 0;
}

static int fabric_exchange(struct nb_device *d, const struct nb_peer_message *message, size_t count)
{
    const cuda_device *c = cuda_of(d);
    return nb_cuda_enter(d) || put_messages(c, message, count) || NB_CUDA(cudaEventRecord(c->copied, c->copies)) ? -1
                                                                                                                 : 0;
}

/* Returns 0, or -1 after nb_fail if NCCL reports an error. Pending messages will then not arrive. */
static int check_fabric(void *comm)
{
    int status = 0;
    return check(api.async_error(comm, &status), "ncclCommGetAsyncError") ||
                   (status != NCCL_BUSY && check(status, "NCCL"))
               ? -1
               : 0;
}

static int fabric_exchanged(struct nb_device *d)
{
    const int done = nb_cuda_staging.staged(d, cuda_of(d)->copied);
    return done == 0 && check_fabric(cuda_of(d)->fabric) ? -1 : done;
}

static void fabric_leave(struct nb_device *d)
{
    if (cuda_of(d)->fabric && nb_cuda_enter(d) == 0)
        api.abort(cuda_of(d)->fabric);
    cuda_of(d)->fabric = nullptr;
}

const struct nb_device_fabric nb_cuda_fabric = {fabric_find,     fabric_name,      fabric_join,
                                                fabric_exchange, fabric_exchanged, fabric_leave};
