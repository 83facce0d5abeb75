/* checkpoint.c - makes checkpoints. Between two steps the run copies its state from the device to host memory and
 * continues. Meanwhile a thread waits until the earlier frames are written to the output, syncs the output, and writes
 * the copied state into the older of the two checkpoint files. */
#include "checkpoint_file.h"
#include "run.h"

#include "base/memory.h"
#include "base/portable.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_S 600 /* default time between checkpoints, seconds */

enum state { IDLE, WRITING, LEAVING };

struct sim_checkpoints {
    struct sim_slots slots;
    struct run *run;
    struct run_record record;
    double next_s;   /* value of tool_clock at which the next checkpoint is due */
    double waited_s; /* seconds for which the run waited for its checkpoints */
    uint64_t number; /* number of the last checkpoint written */
    /* number of checkpoints written by this process; `number` also counts the checkpoints of earlier processes of the
     * run */
    uint64_t written;
    bool kept;           /* at least one checkpoint file contains a complete checkpoint of this run */
    unsigned char *data; /* copy of the state, in pinned memory */
    size_t capacity;
    /* The checkpoint file contains, in this order: the first `split` bytes of `data`, the columns that the run does not
     * compute (they are not copied to `data`), and the other bytes of `data`. */
    size_t split, size_bytes; /* size_bytes: number of bytes of the state in `data` */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum state state;
    bool lost; /* the frames before the checkpoint could not be written, so the checkpoint was not written either */
    char message[1024];
};

/* ---- the copy of the state ---- */

static int pack_all(struct run *r, struct nb_pack *k, size_t *split)
{
    struct sim_checkpoints *c = r->checkpoints;
    struct sim_options options = *r->options;
    if (sim_pack_run(r, &options, &c->record, k) || sim_pack_bodies(&r->bodies, k))
        return -1;
    *split = k->at;
    return nb_step_pack(&r->stepper, k);
}

static void let_go(struct sim_checkpoints *c)
{
    if (c->data)
        nb_device_unpin(c->run->forces.device, c->data);
    free(c->data);
    c->data = NULL;
    c->capacity = 0;
}

/* Allocates memory for the copy of the state. Adds 1/64 to size_bytes, because the state may be a little larger at the
 * next checkpoint. */
static void reserve(struct sim_checkpoints *c, size_t size_bytes)
{
    if (size_bytes <= c->capacity)
        return;
    let_go(c);
    c->capacity = (size_bytes + size_bytes / 64 + 63) / 64 * 64;
    sim_check(nb_memory_check(c->run->bodies.n, (double)c->capacity));
    c->data =
        claimed(aligned_alloc(64, c->capacity), "no memory for a checkpoint of %.3g GB", 1e-9 * (double)c->capacity);
    memset(c->data, 0, c->capacity); /* makes the system provide the pages now and not during the first copy */
    nb_device_pin(c->run->forces.device, c->data, c->capacity);
}

static size_t count_bytes(struct run *r)
{
    struct nb_pack k = nb_pack_make(NB_PACK_COUNT, NULL, 0);
    size_t split;
    sim_check(pack_all(r, &k, &split));
    return k.at;
}

static void copy(struct run *r)
{
    struct sim_checkpoints *c = r->checkpoints;
    c->record.frames = sim_frames_count(r->frames);
    for (int k = 0; k < SIM_LOGS; k++)
        c->record.log_mark[k] = sim_log_mark(r->logs[k]);
    reserve(c, count_bytes(r));
    struct nb_pack k = nb_pack_make(NB_PACK_SAVE, c->data, c->capacity);
    sim_check(pack_all(r, &k, &c->split));
    c->size_bytes = k.at;
}

/* ---- the thread ---- */

static size_t padded(size_t size_bytes)
{
    /* Rounds up to a multiple of 16 bytes: up to 15 bytes after the column's data are also written. These bytes exist,
     * because the memory of a column is padded with zeros to a multiple of 64 bytes. */
    return (size_bytes + 15) / 16 * 16;
}

/* Serialises the index of the frames written so far. A resumed run continues FILE.part, and writes this index into the
 * trailer at the end. The index is empty if the stream is not written to a FILE.part. */
static unsigned char *make_index(struct sim_checkpoints *c, size_t *size_bytes)
{
    struct nb_snap_mark *marks;
    uint64_t stream_bytes;
    const uint64_t frames = *c->record.output ? c->record.frames : 0;
    if (sim_frames_index(c->run->frames, c->record.frames, &marks, &stream_bytes)) {
        c->lost = true;
        return NULL;
    }
    *size_bytes = 0;
    unsigned char *data = NULL;
    for (int pass = 0; pass < 2 && (pass == 0 || data); pass++) {
        struct nb_pack k = nb_pack_make(data ? NB_PACK_SAVE : NB_PACK_COUNT, data, *size_bytes);
        sim_pack_marks(&marks, frames, &stream_bytes, &k); /* sim_pack_marks fails only when loading */
        *size_bytes = k.at;
        if (pass == 0 && !(data = malloc(k.at)))
            nb_fail("no memory for the checkpoint's index of %" PRIu64 " frames", frames);
    }
    free(marks);
    return data;
}

static int write_one(struct sim_checkpoints *c)
{
    const struct nb_bodies *b = &c->run->bodies;
    struct sim_piece pieces[NB_COLUMNS_MAX + 3];
    size_t index_bytes;
    int count = 0;
    unsigned char *index = make_index(c, &index_bytes);
    if (!index || sim_logs_sync(c->run)) {
        free(index);
        return -1;
    }
    pieces[count++] = (struct sim_piece){c->data, c->split};
    for (int k = 0; k < b->column_count; k++)
        if (sim_pack_has(&b->columns[k]))
            pieces[count++] = (struct sim_piece){b->columns[k].data, padded(nb_column_bytes(&b->columns[k], b->n))};
    pieces[count++] = (struct sim_piece){c->data + c->split, c->size_bytes - c->split};
    pieces[count++] = (struct sim_piece){index, index_bytes};
    const int status = sim_slots_write(&c->slots, c->number + 1, pieces, count);
    free(index);
    return status;
}

static void *write_checkpoints(void *argument)
{
    struct sim_checkpoints *c = argument;
    pthread_mutex_lock(&c->mutex);
    while (c->state != LEAVING) {
        if (c->state != WRITING) {
            pthread_cond_wait(&c->changed, &c->mutex);
            continue;
        }
        pthread_mutex_unlock(&c->mutex);
        const int status = write_one(c);
        pthread_mutex_lock(&c->mutex);
        *c->message = '\0';
        if (status)
            /* copied for the main thread, because each thread has its own nb_error() */
            snprintf(c->message, sizeof c->message, "%s", nb_error());
        else
            c->number++, c->written++, c->kept = true;
        c->state = IDLE;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

static void change(struct sim_checkpoints *c, enum state state)
{
    pthread_mutex_lock(&c->mutex);
    c->state = state;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

/* Warns if the last checkpoint could not be written. Dies if frames could not be written. */
static void look_at_outcome(struct sim_checkpoints *c)
{
    if (*c->message && c->lost) {
        sim_frames_wait(c->run->frames); /* dies with a message about the cause if a frame could not be written */
        die("%s", c->message);
    }
    if (*c->message)
        warn("%s; %s", c->message, c->kept ? "the checkpoint before is kept" : "there is no checkpoint yet");
    *c->message = '\0';
}

void sim_checkpoints_wait(struct run *r)
{
    struct sim_checkpoints *c = r->checkpoints;
    if (!c)
        return;
    pthread_mutex_lock(&c->mutex);
    while (c->state == WRITING)
        pthread_cond_wait(&c->changed, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
    look_at_outcome(c);
}

/* ---- called by the main thread ---- */

void sim_checkpoint_take(struct run *r)
{
    struct sim_checkpoints *c = r->checkpoints;
    const double begin_s = tool_clock();
    sim_checkpoints_wait(r);
    sim_frames_keep(r->frames);
    for (int k = 0; k < SIM_LOGS; k++)
        sim_log_hold(r->logs[k]);
    copy(r);
    change(c, WRITING);
    c->waited_s += tool_clock() - begin_s;
    c->next_s = begin_s + c->record.checkpoint_s;
}

void sim_checkpoint_if_due(struct run *r)
{
    struct sim_checkpoints *c = r->checkpoints;
    if (!c || tool_clock() < c->next_s)
        return;
    pthread_mutex_lock(&c->mutex);
    const bool busy = c->state == WRITING;
    pthread_mutex_unlock(&c->mutex);
    if (!busy)
        sim_checkpoint_take(r);
}

static struct sim_checkpoints *create(struct run *r)
{
    struct sim_checkpoints *c = claimed(calloc(1, sizeof *c), "no memory");
    c->run = r;
    r->checkpoints = c;
    return c;
}

void sim_checkpoints_open(struct run *r)
{
    if (!r->options->checkpoint)
        return;
    sim_slots_check(r->options->checkpoint, tool_options.overwrite);
    create(r);
}

void sim_checkpoints_claim(struct run *r)
{
    struct sim_checkpoints *c = r->checkpoints;
    if (c && r->options->resume)
        sim_slots_complete(&c->slots);
    else if (c)
        c->number = sim_slots_create(&c->slots, r->options->checkpoint, tool_options.overwrite);
}

unsigned char *sim_checkpoints_read(struct run *r, const char *name, size_t *size_bytes)
{
    struct sim_checkpoints *c = create(r);
    sim_slots_find(&c->slots, name);
    c->kept = true;
    return sim_slots_read(&c->slots, size_bytes, &c->number);
}

uint64_t sim_checkpoints_number(const struct run *r)
{
    return r->checkpoints->number;
}

void sim_checkpoints_remove(struct run *r)
{
    sim_slots_close(&r->checkpoints->slots, true, true);
}

bool sim_checkpoints_kept(struct run *r)
{
    sim_checkpoints_wait(r);
    return r->checkpoints && r->checkpoints->kept;
}

void sim_checkpoints_refuse_output(const struct run *r)
{
    for (int k = 0; k < 2; k++)
        sim_slot_refuse_output(r->checkpoints->slots.name[k]);
}

static size_t column_bytes(const struct nb_bodies *b)
{
    size_t sum = 0;
    for (int k = 0; k < b->column_count; k++)
        sum += sim_pack_has(&b->columns[k]) ? padded(nb_column_bytes(&b->columns[k], b->n)) : 0;
    return sum;
}

double sim_checkpoints_disk(const struct run *r)
{
    const struct sim_checkpoints *c = r->checkpoints;
    return c ? 2 * ((double)c->capacity + (double)column_bytes(&r->bodies)) : 0;
}

void sim_checkpoints_check_space(const struct run *r, double bytes, const char *what)
{
    const struct tool_output *output = sim_frames_output(r->frames);
    const struct sim_slots *slots = r->checkpoints ? &r->checkpoints->slots : NULL;
    const int fd = slots ? slots->fd[0] >= 0 ? slots->fd[0] : slots->fd[1] : -1;
    if (fd >= 0 && tool_same_disk(fd, tool_output_fd(output)))
        bytes += sim_checkpoints_disk(r);
    else if (fd >= 0)
        tool_check_space(fd, slots->name[0], sim_checkpoints_disk(r), "checkpoints");
    tool_check_space(tool_output_fd(output), tool_output_name(output), bytes, what);
}

void sim_checkpoints_ready(struct run *r)
{
    struct sim_checkpoints *c = r->checkpoints;
    const double given_s = r->options->checkpoint_s;
    if (!c)
        return;
    c->record = sim_record_make(r);
    c->record.checkpoint_s = isnan(given_s) ? USUAL_S : given_s;
    c->record.overwrite = tool_options.overwrite;
    c->record.output = sim_frames_file(r->frames);
    for (int k = 0; k < SIM_LOGS; k++)
        c->record.log[k] = sim_log_path(r->logs[k]);
    c->record.in_place = tool_is_stdout(tool_options.output) ? tool_copy("") : sim_path_absolute(tool_options.output);
    if (!c->record.output)
        c->record.output = tool_copy("");
    reserve(c, count_bytes(r));
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->changed, NULL);
    const int why = nb_thread_start(&c->thread, write_checkpoints, c);
    if (why)
        die("cannot start the thread that writes checkpoints: %s", strerror(why));
    c->next_s = tool_clock() + c->record.checkpoint_s;
}

void sim_checkpoints_close(struct run *r, bool ended)
{
    struct sim_checkpoints *c = r->checkpoints;
    if (!c)
        return;
    sim_checkpoints_wait(r);
    change(c, LEAVING);
    pthread_join(c->thread, NULL);
    if (c->written > 0)
        say("%" PRIu64 " checkpoint%s, the steps waited %.3g s for them", c->written, c->written == 1 ? "" : "s",
            c->waited_s);
    sim_slots_close(&c->slots, ended, !c->kept);
    let_go(c);
    sim_record_free(&c->record);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->mutex);
    free(c);
    r->checkpoints = NULL;
}
