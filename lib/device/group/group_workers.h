/* group_workers.h - threads for the parts of a group; the caller's thread executes the first part. */
#pragma once

struct nb_workers;

#include <stdbool.h>

/* Starts threads for `count` parts, including the caller's thread. They divide the caller's number of OpenMP threads.
 * limited: the total number of their OpenMP threads never exceeds the caller's. A thread may then serve several parts,
 * and the caller has fewer OpenMP threads until nb_workers_stop. Otherwise each part has its own thread. NULL after
 * nb_fail. */
struct nb_workers *nb_workers_start(int count, bool limited);
void nb_workers_stop(struct nb_workers *w); /* only called by the thread that started them; NULL is allowed */
/* Calls work(context, k) for k from 0 to count - 1, each k always on the same thread, and waits for all. Returns the
 * first k that failed, with its message and errno, or -1 if none failed. */
int nb_workers_run(struct nb_workers *w, int (*work)(void *context, int k), void *context);
