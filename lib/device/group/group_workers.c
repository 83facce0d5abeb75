/* group_workers.c - the threads of a group. Declared in group_workers.h. */
#include "device/group/group_workers.h"

#include "base/error.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Number of times that a thread checks for a new call before it sleeps. Calls often come within microseconds. */
#define SPINS 20000

struct worker { /* results of part k, and state of thread k; there may be fewer threads than parts */
    pthread_t thread;
    bool started;
    int k;
    struct nb_workers *all;
    int status, error_number;
    char error[NB_ERROR_MAX];
};

struct nb_workers {
    int count, threads; /* thread k executes the parts k, k + threads, ... */
    int omp_threads;    /* total number of OpenMP threads, divided among the `threads` threads */
    bool limited;
    struct worker *worker;
    pthread_mutex_t lock;
    pthread_cond_t called, done;
    atomic_uint call; /* number of the current call; changed under the lock */
    atomic_int left;  /* number of workers that are still executing the call */
    bool stop;
    int (*work)(void *context, int k);
    void *context;
};

static void work(struct nb_workers *all, int thread)
{
    for (int k = thread; k < all->count; k += all->threads) {
        struct worker *w = &all->worker[k];
        errno = 0;
        w->status = all->work(all->context, k);
        w->error_number = errno;
        if (w->status)
            strcpy(w->error, nb_error());
    }
}

/* Returns the number of OpenMP threads for a worker thread. */
static int share_of(const struct nb_workers *all, int thread)
{
    const int share = all->omp_threads / all->threads + (thread < all->omp_threads % all->threads);
    return share > 0 ? share : 1;
}

static void wait_for_call(struct nb_workers *all, unsigned seen)
{
    for (int k = 0; k < SPINS; k++)
        if (atomic_load_explicit(&all->call, memory_order_acquire) != seen)
            return;
    pthread_mutex_lock(&all->lock);
    while (atomic_load(&all->call) == seen)
        pthread_cond_wait(&all->called, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

static void *serve(void *arg)
{
    struct worker *w = arg;
    struct nb_workers *all = w->all;
    omp_set_num_threads(share_of(all, w->k));
    for (unsigned seen = 0;;) {
        wait_for_call(all, seen);
        seen = atomic_load_explicit(&all->call, memory_order_acquire);
        if (all->stop)
            return NULL;
        work(all, w->k);
        if (atomic_fetch_sub_explicit(&all->left, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&all->lock);
            pthread_cond_signal(&all->done);
            pthread_mutex_unlock(&all->lock);
        }
    }
}

/* Starts a thread that receives no signals. Signals are handled in the program's other threads. */
static int start(struct worker *w)
{
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    const int status = pthread_create(&w->thread, NULL, serve, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    w->started = status == 0;
    return status ? nb_fail("a thread cannot be started: %s", strerror(status)) : 0;
}

struct nb_workers *nb_workers_start(int count, bool limited)
{
    struct nb_workers *all = calloc(1, sizeof *all);
    struct worker *worker = calloc((size_t)count, sizeof *worker);
    if (!all || !worker) {
        nb_fail("no memory");
        free(all);
        free(worker);
        return NULL;
    }
    const int most = omp_get_max_threads();
    *all = (struct nb_workers){.count = count,
                               .threads = limited && most < count ? most : count,
                               .omp_threads = most,
                               .limited = limited,
                               .worker = worker};
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->called, NULL);
    pthread_cond_init(&all->done, NULL);
    for (int k = 0; k < count; k++) {
        worker[k].k = k;
        worker[k].all = all;
        if (k > 0 && k < all->threads && start(&worker[k])) {
            nb_workers_stop(all);
            return NULL;
        }
    }
    if (limited)
        omp_set_num_threads(share_of(all, 0));
    return all;
}

static void call(struct nb_workers *all)
{
    pthread_mutex_lock(&all->lock);
    atomic_store(&all->left, all->threads - 1);
    atomic_fetch_add_explicit(&all->call, 1, memory_order_release);
    pthread_cond_broadcast(&all->called);
    pthread_mutex_unlock(&all->lock);
}

static void wait_for_all(struct nb_workers *all)
{
    for (int k = 0; k < SPINS; k++)
        if (atomic_load_explicit(&all->left, memory_order_acquire) == 0)
            return;
    pthread_mutex_lock(&all->lock);
    while (atomic_load(&all->left) > 0)
        pthread_cond_wait(&all->done, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

int nb_workers_run(struct nb_workers *all, int (*function)(void *context, int k), void *context)
{
    all->work = function;
    all->context = context;
    call(all);
    work(all, 0);
    wait_for_all(all);
    for (int k = 0; k < all->count; k++)
        if (all->worker[k].status) {
            nb_fail("%s", all->worker[k].error);
            errno = all->worker[k].error_number;
            return k;
        }
    return -1;
}

void nb_workers_stop(struct nb_workers *all)
{
    if (!all)
        return;
    if (all->limited)
        omp_set_num_threads(all->omp_threads);
    all->stop = true;
    call(all);
    for (int k = 1; k < all->count; k++)
        if (all->worker[k].started)
            pthread_join(all->worker[k].thread, NULL);
    pthread_mutex_destroy(&all->lock);
    pthread_cond_destroy(&all->called);
    pthread_cond_destroy(&all->done);
    free(all->worker);
    free(all);
}
