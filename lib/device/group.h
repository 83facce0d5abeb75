/* group.h - several devices of one type used as one. Each device is a part of the group.
 *
 * Rows (nb_device_alloc_rows) are divided: part k has the bodies from nb_group_begin(k) to nb_group_begin(k + 1) - 1.
 * All other memory (nb_device_alloc) exists once on each part, with identical bytes. Pointers of a group are handles
 * and never dereferenced; nb_group_at converts them to pointers of a part. The caller uses a group from one thread
 * only. A call is executed on all parts at the same time, with one thread per part. Waiting for one device therefore
 * does not delay others. Each of these threads uses its share of the OpenMP threads. If the parts are CPUs and there
 * are fewer OpenMP threads than parts, a thread executes several parts.
 *
 * Only lib/device and lib/force use this header; all other code uses device.h. */
#pragma once

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NB_GROUP_MAX 64 /* maximum number of parts */

/* Opens devices `first` to `last` of a type as a group. Returns NULL after nb_fail if one of them cannot be opened. */
struct nb_device *nb_group_open(const struct nb_device_kind *kind, int first, int last);
/* Makes a group that owns the given devices. Returns NULL after nb_fail; the caller then still owns the devices. */
struct nb_device *nb_group_of_parts(struct nb_device *const *part, int count);
bool nb_device_is_group(const struct nb_device *d);

int nb_group_count(const struct nb_device *d);
struct nb_device *nb_group_part(const struct nb_device *d, int k);
/* Writes the group's name: "cuda:0-3". */
void nb_group_print_name(const struct nb_device *d, char *text, size_t size);
/* n bodies are divided among the parts in order. Returns the index of the first body of part k. This is a multiple of
 * 64, or n if the part has no bodies. nb_group_begin(d, n, nb_group_count(d)) is n. */
uint64_t nb_group_begin(const struct nb_device *d, uint64_t n, int k);
/* Returns the stride of part k's rows. */
uint64_t nb_group_stride(const struct nb_device *d, uint64_t n, int k);
/* Converts a pointer of the group to a pointer to the memory of part k; NULL stays NULL. If the memory consists of
 * divided rows, p must point to the beginning of a row. */
void *nb_group_at(const struct nb_device *d, const void *p, int k);
/* Returns whether p is the beginning of a divided row with n bodies. If n is 0, the number of bodies is not checked. */
bool nb_group_is_split(const struct nb_device *d, const void *p, uint64_t n);
/* Returns the number of bodies in each row of the memory that contains p; 0 if this memory is not divided. */
uint64_t nb_group_bodies(const struct nb_device *d, const void *p);

/* Calls work(context, k) for each part k, on the thread of this part, and waits until all calls have returned. If a
 * thread executes several parts, it makes their calls one after the other. If a call failed, returns -1 after nb_fail,
 * with the errno of this call. The message names the part that failed. It names no part if errno is EDOM, because then
 * the state of the bodies is invalid and no part has failed. */
typedef int nb_group_work(void *context, int k);
int nb_group_run(struct nb_device *d, nb_group_work *work, void *context);
/* For a call on part k that failed outside of nb_group_run: adds the name of the part to the message nb_error, unless
 * the message already names a part. If errno is EIO, a GPU no longer works. The added name is then the name of this
 * GPU, or of all GPUs if it is unknown which of them failed. Preserves errno. Returns -1. */
int nb_group_failed(const struct nb_device *d, int k);

/* A copy between parts has three stages. In each stage, nb_group_run calls one of these functions:
 *   1. nb_group_ready on all parts.
 *   2. nb_group_take or nb_group_copy on each part that receives data. The copies may still be in progress afterwards.
 *   3. nb_group_taken on each part. Later work of the part may read the copied data and overwrite the originals. */
int nb_group_ready(struct nb_device *d, int k);
/* Collects rows of n bodies in the memory of part k.
 * - If the memory at p is divided, each part has some of the bodies. They are copied from all other parts and, if `own`
 *   is true, from part k itself.
 * - If the memory is not divided, part k has all bodies. Its own rows, of `stride` elements, are copied, and `own` has
 *   no effect.
 * - p: the group's pointer to the first of the n bodies in the first row. It may point inside a row.
 * - rows: number of rows.
 * - d_full: result, in the memory of part k: rows of `stride` elements. The first n elements of each row are for the n
 *   bodies. */
int nb_group_take(struct nb_device *d, int k, enum nb_precision precision, uint64_t n, const void *p, int rows,
                  uint64_t stride, void *d_full, bool own);
/* Copies size_bytes bytes from d_from, in part h's memory, to d_to, in part k's memory. Call it between nb_group_ready
 * and nb_group_taken. */
int nb_group_copy(struct nb_device *d, int k, void *d_to, int h, const void *d_from, size_t size_bytes);
int nb_group_taken(struct nb_device *d, int k);

#ifdef __cplusplus
}
#endif
