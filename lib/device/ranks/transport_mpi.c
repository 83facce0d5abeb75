/* transport_mpi.c - messages by MPI; the only file that includes mpi.h. Declared in transport.h. Messages are sent and
 * received with nonblocking MPI calls. Each of these calls holds a lock. Between the calls, a thread that waits for a
 * message releases the lock, so that other threads can use MPI, and checks whether a rank has ended. */
#include "base/error.h"
#include "device/ranks/transport.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(uint64_t), "a request fits its place");

/* held during each MPI call after mpi_begin, because only one thread may call MPI at a time */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ended;

static int check(int status, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (status == MPI_SUCCESS)
        return 0;
    MPI_Error_string(status, text, &length);
    return nb_fail("%s: %s", call, text);
}

/* Counts the processors that this rank may use, and the ranks of this host that may use exactly these processors. */
static void count_sharers(MPI_Comm host, struct nb_ranks_place *place)
{
    cpu_set_t own, *all = calloc((size_t)place->host_count, sizeof *all);
    place->sharers = 0;
    memset(&own, 0, sizeof own);
    sched_getaffinity(0, sizeof own, &own);
    place->processors = CPU_COUNT(&own) > 0 ? CPU_COUNT(&own) : 1;
    if (all && MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, host) == MPI_SUCCESS)
        for (int k = 0; k < place->host_count; k++)
            place->sharers += memcmp(&all[k], &own, sizeof own) == 0;
    free(all);
    place->sharers = place->sharers > 0 ? place->sharers : 1;
}

static int mpi_begin(void **self, struct nb_ranks_place *place)
{
    int provided;
    MPI_Comm host;
    *self = NULL;
    if (check(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread"))
        return -1;
    if (provided < MPI_THREAD_SERIALIZED)
        return nb_fail("this MPI does not support threads (MPI_THREAD_SERIALIZED)");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (check(MPI_Comm_rank(MPI_COMM_WORLD, &place->number), "MPI_Comm_rank") ||
        check(MPI_Comm_size(MPI_COMM_WORLD, &place->count), "MPI_Comm_size") ||
        check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->number, MPI_INFO_NULL, &host),
              "MPI_Comm_split_type"))
        return -1;
    MPI_Comm_rank(host, &place->host_number);
    MPI_Comm_size(host, &place->host_count);
    count_sharers(host, place);
    return check(MPI_Comm_free(&host), "MPI_Comm_free");
}

static int begin(struct nb_request *q, bool sends, void *p, size_t size_bytes, int other, int tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const int size = (int)size_bytes;
    pthread_mutex_lock(&lock);
    const int status = ended   ? MPI_ERR_OTHER
                       : sends ? MPI_Isend(p, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request)
                               : MPI_Irecv(p, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
    q->handle = 0;
    memcpy(&q->handle, &request, sizeof request);
    q->active = status == MPI_SUCCESS;
    const int result = check(status, sends ? "MPI_Isend" : "MPI_Irecv");
    pthread_mutex_unlock(&lock);
    return result;
}

static int mpi_send(void *self, int to, int tag, const void *p, size_t size_bytes, struct nb_request *q)
{
    (void)self;
    return begin(q, true, (void *)p, size_bytes, to, tag);
}

static int mpi_receive(void *self, int from, int tag, void *p, size_t size_bytes, struct nb_request *q)
{
    (void)self;
    return begin(q, false, p, size_bytes, from, tag);
}

static int mpi_test(void *self, struct nb_request *q)
{
    MPI_Request request;
    MPI_Status told;
    int done = 0, got = 0;
    (void)self;
    memcpy(&request, &q->handle, sizeof request);
    pthread_mutex_lock(&lock);
    const int result = check(ended ? MPI_ERR_OTHER : MPI_Test(&request, &done, &told), "MPI_Test");
    if (result == 0 && done)
        MPI_Get_count(&told, MPI_BYTE, &got);
    pthread_mutex_unlock(&lock);
    if (result || done)
        q->active = false;
    else
        memcpy(&q->handle, &request, sizeof request);
    q->size_bytes = (size_t)got;
    return result ? -1 : done;
}

/* Finalises MPI only if all ranks leave, because MPI would wait for ranks that do not leave. If a rank does not leave,
 * the launcher (such as mpirun) ends the processes. */
static void mpi_end(void *self, bool all)
{
    (void)self;
    pthread_mutex_lock(&lock);
    if (all && !ended)
        MPI_Finalize();
    ended = true;
    pthread_mutex_unlock(&lock);
}

extern const struct nb_transport nb_transport_mpi;
const struct nb_transport nb_transport_mpi = {
    .name = "MPI",
    .begin = mpi_begin,
    .send = mpi_send,
    .receive = mpi_receive,
    .test = mpi_test,
    .end = mpi_end,
};
