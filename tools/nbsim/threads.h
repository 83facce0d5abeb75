/* threads.h - chooses the number of threads for the steps of a run: all, or one if that is faster. Starting and joining
 * threads costs time in each step, and all threads wait for the slowest thread if other programs use the cores. From
 * time to time, a trial measures which number is faster. Results do not depend on the number of threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SIM_ALL_THREADS, SIM_ONE_THREAD };

struct sim_threads {
    bool trying;
    int all;    /* number of threads that the run may use; 1: no trials */
    int way,    /* number of threads in use now: SIM_ALL_THREADS or SIM_ONE_THREAD */
        chosen; /* faster number of threads in the last trial: SIM_ALL_THREADS or SIM_ONE_THREAD */
    /* current trial, [0] with all threads, [1] with one thread. took_s: seconds; work: number of force evaluations */
    double took_s[2], work[2];
    double held_s, /* seconds since the last trial */
        hold_s;    /* minimum time from the last trial to the next, seconds */
};

/* Starts the first trial. all: number of threads that the run may use. few: true if the trial begins with one
 * thread (good for short steps), false if it begins with all threads. */
void sim_threads_begin(struct sim_threads *t, int all, bool few);
/* Adds the steps just taken to the current trial: number of steps, number of force evaluations, duration in seconds.
 * Starts or ends trials. Returns true if omp_get_max_threads() may have changed. */
bool sim_threads_note(struct sim_threads *t, uint64_t steps, uint64_t evaluations, double took_s);
