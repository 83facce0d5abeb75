/* opencl_memory.c - allocates memory of an OpenCL device, and copies data and columns. Declared in opencl.h. */
#include "base/error.h"
#include "base/memory.h"
#include "device/device_kind.h"
#include "reference/opencl/opencl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- addresses ---- */

/* Returns the number of buffers whose address is p or lower. */
static size_t buffers_to(const struct nb_opencl *o, const char *p)
{
    size_t low = 0, high = o->buffer_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (o->buffers[middle].at <= p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

cl_mem nb_opencl_find(const struct nb_opencl *o, const void *d_p, size_t *place_bytes)
{
    const size_t before = buffers_to(o, d_p);
    const struct nb_opencl_buffer *b = o->buffers + before - 1;
    assert(before > 0 && (const char *)d_p <= b->at + b->size_bytes); /* the address must belong to this device */
    *place_bytes = (size_t)((const char *)d_p - b->at);
    return b->mem;
}

static int insert(struct nb_opencl *o, struct nb_opencl_buffer b)
{
    struct nb_opencl_buffer *buffers = nb_memory_grow(o->buffers, o->buffer_count, sizeof *buffers);
    if (!buffers)
        return nb_fail("the host has no memory for the list of OpenCL buffers");
    o->buffers = buffers;
    const size_t place = buffers_to(o, b.at);
    memmove(o->buffers + place + 1, o->buffers + place, (o->buffer_count - place) * sizeof *o->buffers);
    o->buffers[place] = b;
    o->buffer_count++;
    o->used_bytes += (double)b.size_bytes;
    return 0;
}

/* Creates a buffer of zeros. Returns NULL if there is no memory. Waits for the first write to the buffer, because some
 * drivers detect a lack of memory only then. */
static cl_mem zeroed(struct nb_opencl *o, size_t size_bytes)
{
    static const char zero = 0;
    cl_int status;
    cl_mem mem = o->cl->CreateBuffer(o->context, CL_MEM_READ_WRITE, size_bytes, NULL, &status);
    if (status != CL_SUCCESS)
        return NULL;
    if (o->cl->EnqueueFillBuffer(o->queue, mem, &zero, 1, 0, size_bytes, 0, NULL, NULL) == CL_SUCCESS &&
        o->cl->Finish(o->queue) == CL_SUCCESS)
        return mem;
    o->cl->ReleaseMemObject(mem);
    return NULL;
}

void *nb_opencl_alloc(struct nb_device *d, size_t size_bytes)
{
    struct nb_opencl *o = nb_opencl_of(d);
    struct nb_opencl_buffer b = {.size_bytes = size_bytes ? size_bytes : 1};
    b.at = mmap(NULL, b.size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    b.mem = b.at == MAP_FAILED ? NULL : zeroed(o, b.size_bytes);
    if (b.mem && insert(o, b) == 0)
        return b.at;
    if (b.mem)
        o->cl->ReleaseMemObject(b.mem);
    else
        nb_fail("device %s:%d has no memory for %.3g GB more (%.3g GB in use of %.3g)", d->name, d->index,
                1e-9 * (double)b.size_bytes, 1e-9 * o->used_bytes, 1e-9 * o->total_bytes);
    if (b.at != MAP_FAILED)
        munmap(b.at, b.size_bytes);
    return NULL;
}

void nb_opencl_free(struct nb_device *d, void *p)
{
    struct nb_opencl *o = nb_opencl_of(d);
    if (!p)
        return;
    const size_t place = buffers_to(o, p) - 1;
    const struct nb_opencl_buffer b = o->buffers[place];
    o->cl->ReleaseMemObject(b.mem);
    munmap(b.at, b.size_bytes);
    o->buffer_count--;
    memmove(o->buffers + place, o->buffers + place + 1, (o->buffer_count - place) * sizeof *o->buffers);
    o->used_bytes -= (double)b.size_bytes;
}

/* OpenCL does not report the memory of other programs, so *free_bytes is the total less the memory of this process. */
int nb_opencl_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    const struct nb_opencl *o = nb_opencl_of(d);
    *total_bytes = o->total_bytes;
    *free_bytes = o->total_bytes > o->used_bytes ? o->total_bytes - o->used_bytes : 0;
    return 0;
}

int nb_opencl_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes)
{
    struct nb_opencl *o = nb_opencl_of(d);
    size_t place = 0;
    if (size_bytes == 0)
        return 0;
    cl_mem mem = nb_opencl_find(o, d_to, &place);
    return nb_opencl_check(o->cl->EnqueueWriteBuffer(o->queue, mem, 1, place, size_bytes, from, 0, NULL, NULL),
                           "clEnqueueWriteBuffer");
}

int nb_opencl_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes)
{
    struct nb_opencl *o = nb_opencl_of(d);
    size_t place = 0;
    if (size_bytes == 0)
        return 0;
    cl_mem mem = nb_opencl_find(o, d_from, &place);
    return nb_opencl_check(o->cl->EnqueueReadBuffer(o->queue, mem, 1, place, size_bytes, to, 0, NULL, NULL),
                           "clEnqueueReadBuffer");
}

/* ---- columns, transposed on the host piece by piece ---- */

extern const struct nb_device_kind nb_device_cpu;

#define PIECE ((uint64_t)1 << 18) /* number of bodies that are copied and transposed at a time */

typedef int pass_piece(struct nb_device *d, enum nb_precision precision, uint64_t count, uint64_t stride, int width,
                       char *rows, char *d_rows, void *column, enum nb_type type);

static int store_piece(struct nb_device *d, enum nb_precision precision, uint64_t count, uint64_t stride, int width,
                       char *rows, char *d_rows, void *column, enum nb_type type)
{
    const size_t size = nb_precision_size(precision);
    int status = nb_device_cpu.store(NULL, precision, count, count, width, column, type, rows);
    for (uint64_t k = 0; k < (uint64_t)width && status == 0; k++)
        status = nb_opencl_to(d, d_rows + k * stride * size, rows + k * count * size, count * size);
    return status;
}

static int fetch_piece(struct nb_device *d, enum nb_precision precision, uint64_t count, uint64_t stride, int width,
                       char *rows, char *d_rows, void *column, enum nb_type type)
{
    const size_t size = nb_precision_size(precision);
    int status = 0;
    for (uint64_t k = 0; k < (uint64_t)width && status == 0; k++)
        status = nb_opencl_from(d, rows + k * count * size, d_rows + k * stride * size, count * size);
    return status ? -1 : nb_device_cpu.fetch(NULL, precision, count, count, width, rows, type, column);
}

static int in_pieces(pass_piece *pass, struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                     int width, char *column, enum nb_type type, char *d_rows)
{
    const size_t size = nb_precision_size(precision);
    const size_t body = (size_t)width * (type == NB_F32 ? sizeof(float) : sizeof(double));
    int status = nb_opencl_offers(nb_opencl_of(d), precision);
    char *rows = status ? NULL : malloc((n < PIECE ? n : PIECE) * (uint64_t)width * size + 1);
    if (status)
        return -1;
    if (!rows)
        return nb_fail("the host has no memory to copy a column of %llu bodies", (unsigned long long)n);
    for (uint64_t i = 0; i < n && status == 0; i += PIECE)
        status = pass(d, precision, n - i < PIECE ? n - i : PIECE, stride, width, rows, d_rows + i * size,
                      column + i * body, type);
    free(rows);
    return status;
}

int nb_opencl_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *column, enum nb_type type, void *d_rows)
{
    /* The cast is allowed, because store_piece only reads the column. */
    return in_pieces(store_piece, d, precision, n, stride, width, (char *)column, type, d_rows);
}

int nb_opencl_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *d_rows, enum nb_type type, void *column)
{
    return in_pieces(fetch_piece, d, precision, n, stride, width, column, type, (char *)d_rows);
}
