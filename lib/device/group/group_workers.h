/* group_workers.h - threads for the parts of a group; the work of the first one is the caller's. */
#pragma once

struct nb_workers;

#include <stdbool.h>

/* Starts threads for `count` parts, the caller's thread among them, which divide the caller's number of OpenMP threads
 * among each other. `limited`: all of them together take no more than that number, so that a thread may serve several
 * parts, and the caller has its share of the number until they are stopped. Otherwise each part has a thread. NULL
 * after nb_fail. */
struct nb_workers *nb_workers_start(int count, bool limited);
void nb_workers_stop(struct nb_workers *w); /* by the thread that has started them; NULL is allowed */
/* Calls work(context, k) for k from 0 to count - 1, each always on the same thread, and waits for all. The number of
 * the first that failed, with its message and errno, or -1 where none did. */
int nb_workers_run(struct nb_workers *w, int (*work)(void *context, int k), void *context);
