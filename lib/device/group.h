/* group.h - several devices of one kind as one: its vectors are split by the bodies' index, each part of them in its
 * own device's memory, and a call is made on all parts at once.
 *
 * Memory of a group is of two sorts. Rows (nb_device_alloc_rows) are split: body i belongs to the part k with
 * begin(k) <= i < begin(k + 1). All else (nb_device_alloc) is there once for each part, with equal bytes. Pointers are
 * addresses that nothing lies at; nb_group_at says what they mean on a part. A group's calls are made by one thread;
 * each part has its own thread, so that what waits for one device holds up no other. Parts of this machine's CPU share
 * OpenMP's threads instead.
 *
 * For lib/device and lib/force; everyone else calls device.h. */
#pragma once

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NB_GROUP_MAX 64 /* parts */

/* Devices first to last of a kind, as one. NULL after nb_fail with why the first that cannot be opened is not. */
struct nb_device *nb_group_open(const struct nb_device_kind *kind, int first, int last);
/* Devices that were opened, which are the group's from then on where this is not NULL after nb_fail. */
struct nb_device *nb_group_of_parts(struct nb_device *const *part, int count);
bool nb_device_is_group(const struct nb_device *d);

int nb_group_count(const struct nb_device *d);
struct nb_device *nb_group_part(const struct nb_device *d, int k);
/* "cuda:0-3" */
void nb_group_print_name(const struct nb_device *d, char *text, size_t size);
/* The first of part k's bodies, of n; nb_group_begin(d, n, count) is n. Multiples of 64. */
uint64_t nb_group_begin(const struct nb_device *d, uint64_t n, int k);
/* Elements of a row of part k. */
uint64_t nb_group_stride(const struct nb_device *d, uint64_t n, int k);
/* The memory of part k that a pointer of the group means; NULL for NULL. A pointer into rows is at the begin of one. */
void *nb_group_at(const struct nb_device *d, const void *p, int k);
/* Whether it is the begin of a row of n bodies, of any number for 0, that is split. */
bool nb_group_is_split(const struct nb_device *d, const void *p, uint64_t n);
/* Of how many bodies the rows are that it points into; 0: not split. */
uint64_t nb_group_bodies(const struct nb_device *d, const void *p);

/* Calls work(context, k) for each part k, on its thread, and waits for all; parts of a CPU may follow one another. -1
 * after nb_fail, naming the part, where one failed, unless its errno, which is kept, is EDOM. */
typedef int nb_group_work(void *context, int k);
int nb_group_run(struct nb_device *d, nb_group_work *work, void *context);
/* What was called on part k outside of nb_group_run has failed: its name goes before nb_error, unless a part's does
 * already; with errno EIO that of the GPU that is lost, of all where it is not known which. errno stays. -1. */
int nb_group_failed(const struct nb_device *d, int k);

/* What parts hold of each other's rows: nb_group_run with nb_group_ready first, then with calls of nb_group_take, which
 * need not wait; then, on each part, nb_group_taken, behind which what was taken may be read, and what was there be
 * written. */
int nb_group_ready(struct nb_device *d, int k);
/* `rows` rows of n bodies from p, which may be within a row, as far as the other parts have them, to d_full of part k,
 * whose rows have `stride` elements; with `own` those of part k too. */
int nb_group_take(struct nb_device *d, int k, enum nb_precision precision, uint64_t n, const void *p, int rows,
                  uint64_t stride, void *d_full, bool own);
/* The same of size_bytes of part h's memory to that of part k. */
int nb_group_copy(struct nb_device *d, int k, void *d_to, int h, const void *d_from, size_t size_bytes);
int nb_group_taken(struct nb_device *d, int k);

#ifdef __cplusplus
}
#endif
