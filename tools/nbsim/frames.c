/* Writing frames beside the computation: a thread hashes and writes one while the next steps are taken. There is one
 * copy of a frame on the host, the thread's while it writes. */
#include "nbsim.h"

#include "error.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { IDLE, WRITING, LEAVING };

struct sim_frames {
    struct nb_bodies *bodies;
    struct tool_output *output;
    struct nb_snap_writer *writer;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum state state;
    int status, failure; /* of the last write; errno of it */
    char message[1024];
};

/* What has overflowed or met is not written; what was written before stays a whole stream. */
static int check_finite(const struct nb_bodies *b)
{
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        uint64_t i = sim_column_computed(c) ? nb_column_first_bad(c, b->n) : b->n;
        if (i < b->n)
            return nb_fail("body %" PRIu64 ": %s is no longer a finite number at t = %g (step %" PRIu64
                           "); the stream ends before",
                           i, c->name, b->meta.time, b->meta.step);
    }
    return 0;
}

enum { FINE, NOT_FINITE, NOT_WRITTEN };

static int write_one(struct sim_frames *f)
{
    if (check_finite(f->bodies))
        return NOT_FINITE;
    return nb_snap_write(f->writer, f->bodies) ? NOT_WRITTEN : FINE;
}

static void *write_frames(void *argument)
{
    struct sim_frames *f = argument;
    pthread_mutex_lock(&f->mutex);
    while (f->state != LEAVING) {
        if (f->state == WRITING) {
            pthread_mutex_unlock(&f->mutex);
            int status = write_one(f), failure = errno;
            pthread_mutex_lock(&f->mutex);
            f->status = status;
            f->failure = failure;
            snprintf(f->message, sizeof f->message, "%s", nb_error()); /* the message is the thread's own */
            f->state = IDLE;
            pthread_cond_broadcast(&f->changed);
        } else
            pthread_cond_wait(&f->changed, &f->mutex);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

struct sim_frames *sim_frames_open(const char *path, struct nb_bodies *b)
{
    struct sim_frames *f = calloc(1, sizeof *f);
    if (!f)
        die("no memory");
    f->bodies = b;
    f->output = tool_output_open(path, true);
    f->writer = nb_snap_create(tool_output_fd(f->output), tool_output_name(f->output));
    if (!f->writer)
        die("%s", nb_error());
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, NULL);
    int why = pthread_create(&f->thread, NULL, write_frames, f);
    if (why)
        die("no thread for the output: %s", strerror(why));
    return f;
}

static void change(struct sim_frames *f, enum state state)
{
    pthread_mutex_lock(&f->mutex);
    f->state = state;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}

/* The thread leaves, the trailer is written, the file gets its name. */
static void finish(struct sim_frames *f)
{
    change(f, LEAVING);
    pthread_join(f->thread, NULL);
    if (nb_snap_finish(f->writer))
        tool_output_failed();
    nb_snap_destroy(f->writer);
    tool_output_close(f->output);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->mutex);
}

void sim_frames_wait(struct sim_frames *f)
{
    pthread_mutex_lock(&f->mutex);
    while (f->state == WRITING)
        pthread_cond_wait(&f->changed, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
    tool_output_keep(f->output, nb_snap_written(f->writer) > 0);
    if (f->status == NOT_WRITTEN) {
        nb_fail("%s", f->message);
        errno = f->failure;
        tool_output_failed();
    }
    if (f->status == NOT_FINITE) {
        if (nb_snap_written(f->writer) > 0)
            finish(f);
        die("%s", f->message);
    }
}

void sim_frames_put(struct sim_frames *f)
{
    change(f, WRITING);
}

void sim_frames_close(struct sim_frames *f)
{
    sim_frames_wait(f);
    finish(f);
    free(f);
}
