/* group_workers.h - a thread for each part of a group but the first, whose work is the caller's. */
#ifndef NB_GROUP_WORKERS_H
#define NB_GROUP_WORKERS_H

struct nb_workers;

/* `count` of them, the caller's thread among them. NULL after nb_fail. */
struct nb_workers *nb_workers_start(int count);
void nb_workers_stop(struct nb_workers *w); /* NULL is allowed */
/* Calls work(context, k) for k from 0 to count - 1, each on its own thread, and waits for all. The number of the first
 * that failed, with its message and errno, or -1 where none did. */
int nb_workers_run(struct nb_workers *w, int (*work)(void *context, int k), void *context);

#endif
