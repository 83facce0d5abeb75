/* frames.c - writes frames during the computation: a thread hashes and writes a frame while the main thread takes the
 * next steps. Host memory has room for one frame, which the main thread must not change while the other thread writes
 * it. */
#include "checkpoint_file.h"
#include "nbsim.h"

#include "base/portable.h"
#include "scene/events.h"
#include "select/sample.h"
#include "select/select.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum state { IDLE, WRITING, LEAVING };

struct sim_frames {
    struct nb_bodies *bodies;
    struct {           /* used only if frames contain a sample of the bodies (--sample) */
        double share;  /* fraction of the bodies that is written; 0: all bodies are written */
        uint64_t draw, /* number of the sample; samples with different numbers are independent (sample.h) */
            of,        /* number of elements of `mask` */
            count;     /* number of bodies written */
        unsigned char *mask;
        struct nb_bodies bodies;
    } thin;
    struct tool_output *output;
    bool appends, /* the frames are appended to an existing output file */
        kept;     /* FILE.part is kept, even if a signal or an error ends the run */
    struct nb_snap_writer *writer;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum state state;
    int status, failure; /* status and errno of the last write */
    char message[NB_ERROR_MAX];
    struct frame { /* one of the frames written so far */
        struct nb_snap_mark mark;
        uint64_t end; /* offset of the frame's end in the stream, bytes */
    } * written;
    uint64_t written_count, written_capacity, put; /* put: number of frames passed to the thread so far */
    bool indexing,                                 /* sim_frames_index is using the output: do not close it */
        ended;                                     /* the stream is being closed */
};

/* Checks the computed values of a frame before it is written. Returns -1 after nb_fail if a value is not finite, which
 * happens after an overflow or a collision. */
static int check_finite(const struct nb_bodies *b)
{
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        uint64_t i = sim_column_computed(c) ? nb_column_first_bad(c, b->n) : b->n;
        if (i < b->n)
            return nb_fail("body %" PRIu64 ": %s is no longer finite at t = %g (step %" PRIu64
                           "); the stream ends before this step",
                           i, c->name, b->meta.time, b->meta.step);
    }
    return 0;
}

enum { FINE, NOT_FINITE, NOT_WRITTEN };

/* Chooses the bodies of the sample for the first frame. Chooses them again if bodies have left the run since the
 * previous frame. Bodies never join a run, so it is enough to compare the numbers of bodies. */
static int choose(struct sim_frames *f)
{
    const struct nb_bodies *b = f->bodies;
    if (f->thin.mask && f->thin.of == b->n)
        return 0;
    free(f->thin.mask);
    f->thin.mask = malloc((size_t)b->n + 1);
    if (!f->thin.mask)
        return nb_fail("no memory for a sample of %" PRIu64 " bodies", b->n);
    f->thin.of = b->n;
    f->thin.count = nb_sample_mask(b, f->thin.share, 0, f->thin.draw, f->thin.mask);
    return 0;
}

/* Sets f->thin.bodies to the sampled bodies. Removes the totals of escaped and merged stars from the header of
 * f->thin.bodies, because these totals are for all bodies. */
static int thin(struct sim_frames *f)
{
    if (choose(f) || nb_select_take(f->bodies, f->thin.mask, f->thin.count, &f->thin.bodies))
        return -1;
    nb_booked_drop(&f->thin.bodies.meta);
    return 0;
}

static int write_one(struct sim_frames *f)
{
    if (check_finite(f->bodies))
        return NOT_FINITE;
    if (f->thin.share > 0 && thin(f)) {
        errno = ENOMEM;
        return NOT_WRITTEN;
    }
    return nb_snap_write(f->writer, f->thin.share > 0 ? &f->thin.bodies : f->bodies) ? NOT_WRITTEN : FINE;
}

/* Adds a frame to the list f->written. Call with the mutex locked. */
static int note_frame(struct sim_frames *f, struct nb_snap_mark mark, uint64_t end)
{
    if (f->written_count == f->written_capacity) {
        const uint64_t capacity = 2 * f->written_capacity + 64;
        struct frame *more = realloc(f->written, capacity * sizeof *more);
        if (!more)
            return nb_fail("no memory for the list of written frames");
        f->written = more;
        f->written_capacity = capacity;
    }
    f->written[f->written_count++] = (struct frame){mark, end};
    return 0;
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
            if (status == FINE && note_frame(f, nb_snap_marks(f->writer)[f->written_count], nb_snap_size(f->writer))) {
                status = NOT_WRITTEN;
                failure = ENOMEM;
            }
            f->status = status;
            f->failure = failure;
            /* copied, because each thread has its own nb_error() */
            snprintf(f->message, sizeof f->message, "%s", nb_error());
            f->state = IDLE;
            pthread_cond_broadcast(&f->changed);
        } else
            pthread_cond_wait(&f->changed, &f->mutex);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

static struct sim_frames *create(struct nb_bodies *b, struct tool_output *output)
{
    struct sim_frames *f = claimed(calloc(1, sizeof *f), "no memory for writing the output");
    f->bodies = b;
    nb_bodies_init(&f->thin.bodies);
    f->output = output;
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, NULL);
    return f;
}

static struct sim_frames *start(struct sim_frames *f)
{
    if (!f->writer)
        die("%s", nb_error());
    int why = nb_thread_start(&f->thread, write_frames, f);
    if (why)
        die("cannot start the thread that writes the output: %s", strerror(why));
    return f;
}

static struct sim_frames *begin(struct nb_bodies *b, struct tool_output *output)
{
    struct sim_frames *f = create(b, output);
    f->writer = nb_snap_create(tool_output_fd(f->output), tool_output_name(f->output));
    return start(f);
}

struct sim_frames *sim_frames_open(const char *path, struct nb_bodies *b)
{
    return begin(b, tool_output_open(path, true));
}

struct sim_frames *sim_frames_append(struct tool_output *output, struct nb_bodies *b)
{
    struct sim_frames *f = begin(b, output);
    f->appends = true;
    return f;
}

struct sim_frames *sim_frames_resume(const char *path, struct nb_bodies *b, uint64_t size,
                                     const struct nb_snap_mark *marks, uint64_t count)
{
    struct sim_frames *f = create(b, tool_output_resume(path, size, true));
    for (uint64_t k = 0; k < count; k++)
        must(note_frame(f, marks[k], k + 1 < count ? marks[k + 1].offset : size));
    f->put = count;
    f->writer = nb_snap_resume(tool_output_fd(f->output), tool_output_name(f->output), size, marks, count);
    return start(f);
}

uint64_t sim_frames_thin(struct sim_frames *f, double share, uint64_t draw)
{
    f->thin.share = share;
    f->thin.draw = draw;
    must(choose(f));
    return f->thin.count;
}

static void change(struct sim_frames *f, enum state state)
{
    pthread_mutex_lock(&f->mutex);
    f->state = state;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}

static void join(struct sim_frames *f)
{
    change(f, LEAVING);
    pthread_join(f->thread, NULL);
}

static void destroy(struct sim_frames *f)
{
    nb_snap_destroy(f->writer);
    nb_bodies_free(&f->thin.bodies);
    free(f->thin.mask);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->mutex);
    free(f->written);
    free(f);
}

/* Stops the thread and writes the trailer of the stream, which contains the index of the frames. */
static void end_stream(struct sim_frames *f)
{
    join(f);
    pthread_mutex_lock(&f->mutex);
    f->ended = true;
    while (f->indexing)
        pthread_cond_wait(&f->changed, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
    if ((f->put > 0 || !f->appends) && nb_snap_finish(f->writer))
        tool_output_failed();
}

/* Ends the stream and closes the output. Closing renames FILE.part to FILE. */
static void finish(struct sim_frames *f)
{
    end_stream(f);
    tool_output_close(f->output);
}

void sim_frames_wait(struct sim_frames *f)
{
    pthread_mutex_lock(&f->mutex);
    while (f->state == WRITING)
        pthread_cond_wait(&f->changed, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
    f->kept = nb_snap_written(f->writer) > 0;
    tool_output_keep(f->output, f->kept);
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

void sim_frames_keep(struct sim_frames *f)
{
    if (f->put > 0 && !f->kept)
        sim_frames_wait(f);
}

const struct tool_output *sim_frames_output(const struct sim_frames *f)
{
    return f->output;
}

void sim_frames_put(struct sim_frames *f)
{
    f->put++;
    change(f, WRITING);
}

void sim_frames_close(struct sim_frames *f)
{
    sim_frames_wait(f);
    finish(f);
    destroy(f);
}

void sim_frames_break_off(struct sim_frames *f)
{
    sim_frames_wait(f);
    if (f->appends)
        return;
    end_stream(f);
    tool_output_leave(f->output);
}

/* ---- resuming ---- */

void sim_frames_leave(struct sim_frames *f)
{
    sim_frames_wait(f);
    join(f);
    tool_output_leave(f->output);
    destroy(f);
}

uint64_t sim_frames_count(const struct sim_frames *f)
{
    return f->put;
}

bool sim_frames_is_part(const struct sim_frames *f)
{
    return sim_is_part(f->output);
}

char *sim_frames_file(const struct sim_frames *f)
{
    return sim_part_file(f->output);
}

static int sync_output(struct sim_frames *f)
{
    if (sim_frames_is_part(f) && tool_output_sync(f->output))
        return nb_fail("%s: cannot be written: %s", tool_output_part(f->output), strerror(errno));
    return 0;
}

int sim_frames_index(struct sim_frames *f, uint64_t count, struct nb_snap_mark **marks, uint64_t *size_bytes)
{
    int status = 0;
    *marks = malloc((count + 1) * sizeof **marks);
    if (!*marks)
        return nb_fail("no memory for the index of %" PRIu64 " frames", count);
    pthread_mutex_lock(&f->mutex);
    while (f->written_count < count && f->status == FINE)
        pthread_cond_wait(&f->changed, &f->mutex);
    if (f->written_count < count || f->ended)
        status = nb_fail("the checkpoint was not written, because a frame before it could not be written to the "
                         "output, or the output is already closed");
    for (uint64_t k = 0; k < count && status == 0; k++)
        (*marks)[k] = f->written[k].mark;
    *size_bytes = count > 0 && status == 0 ? f->written[count - 1].end : 0;
    f->indexing = status == 0;
    pthread_mutex_unlock(&f->mutex);
    if (status == 0)
        status = sync_output(f);
    pthread_mutex_lock(&f->mutex);
    f->indexing = false;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
    if (status)
        free(*marks);
    return status;
}
