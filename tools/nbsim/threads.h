/* threads.h - how many threads the steps of a run take: all, or one where that is faster. Threads cost a start and an
 * end in each step, and where other programs use the cores, a wait for the last of them. Both are tried now and then.
 * Results are the same for any number of threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SIM_ALL_THREADS, SIM_ONE_THREAD };

struct sim_threads {
    bool trying;
    int all;                   /* as many as --threads says; 1: nothing to choose */
    int way, chosen;           /* SIM_ALL_THREADS or SIM_ONE_THREAD: in use now; what the last trial chose */
    double took_s[2], work[2]; /* of this trial, each way */
    double held_s, hold_s;     /* since the last trial; when the next one is due */
};

/* few: begin with one thread, whose steps are short. */
void sim_threads_begin(struct sim_threads *t, int all, bool few);
/* Notes what some steps have taken. True: another number of threads is in use from now on (omp_get_max_threads). */
bool sim_threads_note(struct sim_threads *t, uint64_t steps, uint64_t evaluations, double took_s);
