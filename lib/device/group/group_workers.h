/* group_workers.h - threads that execute work on the parts of a group, together with the caller's thread. */
#pragma once

struct nb_workers;

#include <stdbool.h>

/* Starts the threads that execute `count` parts together with the caller's thread. The OpenMP threads of the caller are
 * divided among all these threads, and each gets at least 1. Returns NULL after nb_fail.
 * - limited is false: each part has its own thread.
 * - limited is true: there are at most as many threads as the caller has OpenMP threads. A thread may then execute
 *   several parts. Until nb_workers_stop, the caller has only its share of the OpenMP threads. */
struct nb_workers *nb_workers_start(int count, bool limited);
void nb_workers_stop(struct nb_workers *w); /* call it on the thread that started the workers; NULL is allowed */
/* Calls work(context, k) for k from 0 to count - 1, and waits until all calls have returned. In every run, the same
 * thread executes part k. Returns the first k whose call failed, and sets nb_error and errno; or -1 if none failed. */
int nb_workers_run(struct nb_workers *w, int (*work)(void *context, int k), void *context);
