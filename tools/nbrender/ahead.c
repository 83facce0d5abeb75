/* Reads and verifies frames in a separate thread while earlier frames are drawn. */
#include "nbrender/nbrender.h"

#include "base/portable.h"

#include <omp.h>
#include <pthread.h>

#define SLOTS 4
#define BYTES ((size_t)1 << 30) /* maximum total size of the frames read ahead, in bytes */

struct slot { /* a frame that was read */
    struct nb_bodies bodies, whole;
    int64_t frame;
    bool listed;
    char *notes; /* warnings, one per line; NULL: none */
};

struct ahead {
    struct source inner; /* the source that the thread reads */
    pthread_t thread;
    int threads;
    pthread_mutex_t lock; /* protects `read`, `taken`, `ended` and `ending` */
    pthread_cond_t change;
    /* Ring buffer. Frames are counted in the order of reading. Frames `taken` to `read` - 1 are in the buffer, frame k
     * in slots[k % slot_count] */
    struct slot slots[SLOTS];
    int slot_count;
    uint64_t read, taken;
    bool ended; /* the thread reads no more frames; if an error is the reason, inner.message describes it */
    bool ending;
    bool joined; /* the thread was joined; used only by the thread that draws */
};

/* ---- the reading thread ---- */

/* Waits for a free slot. Returns NULL if the thread must stop. */
static struct slot *free_slot(struct ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->read - a->taken == (uint64_t)a->slot_count && !a->ending)
        pthread_cond_wait(&a->change, &a->lock);
    struct slot *slot = a->ending ? NULL : &a->slots[a->read % (uint64_t)a->slot_count];
    pthread_mutex_unlock(&a->lock);
    return slot;
}

static void hand_over(struct ahead *a, bool ended)
{
    pthread_mutex_lock(&a->lock);
    a->read += !ended;
    a->ended = ended;
    pthread_cond_broadcast(&a->change);
    pthread_mutex_unlock(&a->lock);
}

static void *read_on(void *argument)
{
    struct ahead *a = argument;
    struct slot *slot;
    /* OpenMP stores the number of threads for each calling thread, so this thread must set its own number. */
    omp_set_num_threads(a->threads);
    while ((slot = free_slot(a)) && source_read(&a->inner)) {
        nb_bodies_swap(&slot->bodies, &a->inner.bodies);
        nb_bodies_swap(&slot->whole, &a->inner.whole);
        slot->frame = a->inner.frame;
        slot->listed = a->inner.listed;
        slot->notes = a->inner.notes;
        a->inner.notes = NULL;
        hand_over(a, false);
    }
    hand_over(a, true);
    return NULL;
}

bool ahead_is_ending(struct ahead *a)
{
    pthread_mutex_lock(&a->lock);
    bool ending = a->ending;
    pthread_mutex_unlock(&a->lock);
    return ending;
}

/* ---- the consumer ---- */

struct ahead *ahead_begin(const struct source *s)
{
    const size_t most = BYTES / (s->bytes + 1);
    if (most < 2 || omp_get_max_threads() == 1)
        return NULL;
    struct ahead *a = claimed(calloc(1, sizeof *a), "no memory");
    a->inner = *s;
    a->inner.within = a;
    nb_bodies_init(&a->inner.bodies);
    nb_bodies_init(&a->inner.whole);
    a->threads = omp_get_max_threads();
    a->slot_count = most - 1 < SLOTS ? (int)most - 1 : SLOTS;
    for (int k = 0; k < a->slot_count; k++) {
        nb_bodies_init(&a->slots[k].bodies);
        nb_bodies_init(&a->slots[k].whole);
    }
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->change, NULL);
    if (nb_thread_start(&a->thread, read_on, a))
        die("cannot start a thread for reading");
    return a;
}

static void say_notes(char **notes)
{
    for (char *line = *notes, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        warn("%s", line);
    }
    free(*notes);
    *notes = NULL;
}

static void take(struct slot *slot, struct source *s)
{
    nb_bodies_swap(&slot->bodies, &s->bodies);
    nb_bodies_swap(&slot->whole, &s->whole);
    s->frame = slot->frame;
    s->listed = slot->listed;
    s->count++;
    say_notes(&slot->notes);
}

static void join(struct ahead *a)
{
    if (!a->joined)
        pthread_join(a->thread, NULL);
    a->joined = true;
}

/* Joins the thread and prints its warnings. Copies to s whether an error or an interruption ended the input. */
static void take_end(struct ahead *a, struct source *s)
{
    join(a);
    say_notes(&a->inner.notes);
    s->interrupted |= a->inner.interrupted;
    memcpy(s->message, a->inner.message, sizeof s->message);
    s->error = a->inner.error ? s->message : NULL;
}

bool ahead_next(struct ahead *a, struct source *s)
{
    pthread_mutex_lock(&a->lock);
    while (a->read == a->taken && !a->ended)
        pthread_cond_wait(&a->change, &a->lock);
    bool more = a->read > a->taken;
    pthread_mutex_unlock(&a->lock);
    if (!more) {
        take_end(a, s);
        return false;
    }
    take(&a->slots[a->taken % (uint64_t)a->slot_count], s);
    pthread_mutex_lock(&a->lock);
    a->taken++;
    pthread_cond_broadcast(&a->change);
    pthread_mutex_unlock(&a->lock);
    return true;
}

void ahead_end(struct ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->ending = true;
    pthread_cond_broadcast(&a->change);
    pthread_mutex_unlock(&a->lock);
    join(a);
    for (int k = 0; k < a->slot_count; k++) {
        nb_bodies_free(&a->slots[k].bodies);
        nb_bodies_free(&a->slots[k].whole);
        free(a->slots[k].notes);
    }
    nb_bodies_free(&a->inner.bodies);
    nb_bodies_free(&a->inner.whole);
    free(a->inner.notes);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->change);
    free(a);
}
