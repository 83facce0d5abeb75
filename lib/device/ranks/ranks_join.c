/* ranks_join.c - connects the ranks of a run at its beginning, and disconnects them at its end. Declared in ranks.h. */
#include "base/error.h"
#include "device/ranks/ranks_state.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- joining ---- */

static struct nb_rank_hello own_hello(const struct nb_ranks *r)
{
    struct nb_rank_hello h = {.pid = getpid()};
    snprintf(h.version, sizeof h.version, "%s", r->program->version);
    if (gethostname(h.host, sizeof h.host - 1))
        strcpy(h.host, "unknown");
    return h;
}

/* Fills r->hello, an array with one entry per rank: rank 0 receives one entry from each rank, then sends the array to
 * all ranks. */
static int exchange_hellos(struct nb_ranks *r)
{
    const int own = r->place.number, count = r->place.count;
    const size_t each = sizeof *r->hello;
    r->hello[own] = own_hello(r);
    if (own > 0)
        return nb_ranks_send(r, 0, NB_TAG_HELLO, &r->hello[own], each) ||
                       nb_ranks_receive(r, 0, NB_TAG_HELLO, r->hello, (size_t)count * each, NULL)
                   ? -1
                   : 0;
    for (int k = 1; k < count; k++)
        if (nb_ranks_receive(r, k, NB_TAG_HELLO, &r->hello[k], each, NULL))
            return -1;
    for (int k = 1; k < count; k++)
        if (nb_ranks_send(r, k, NB_TAG_HELLO, r->hello, (size_t)count * each))
            return -1;
    return 0;
}

static int check_hellos(struct nb_ranks *r)
{
    const struct nb_rank_hello *own = &r->hello[r->place.number];
    for (int k = 0; k < r->place.count; k++) {
        const struct nb_rank_hello *h = &r->hello[k];
        if (strcmp(h->version, r->hello[0].version) != 0)
            return nb_fail("rank %d on %s has version %s, rank 0 has %s: all ranks must run the same program", k,
                           h->host, h->version, r->hello[0].version);
        r->seen[k] = h != own && strcmp(h->host, own->host) == 0 && kill((pid_t)h->pid, 0) == 0;
    }
    return 0;
}

struct nb_ranks *nb_ranks_begin(const struct nb_transport *transport, const struct nb_ranks_program *program)
{
    struct nb_ranks *r = calloc(1, sizeof *r);
    if (!r) {
        nb_fail("no memory");
        return NULL;
    }
    *r = (struct nb_ranks){.transport = transport, .program = program};
    atomic_store(&r->lost, -1);
    pthread_mutex_init(&r->alarms, NULL);
    int status = transport->begin(&r->self, &r->place);
    if (status == 0 && r->place.count > NB_GROUP_MAX)
        status = nb_fail("a run can use at most %d ranks", NB_GROUP_MAX);
    if (status == 0)
        status = exchange_hellos(r) || check_hellos(r) || nb_ranks_expect_alarms(r) ? -1 : 0;
    if (status == 0)
        return r;
    transport->end(r->self, false);
    nb_ranks_free(r);
    return NULL;
}

const struct nb_ranks_place *nb_ranks_place(const struct nb_ranks *r)
{
    return &r->place;
}

/* ---- leaving ---- */

/* Maximum time in seconds that rank 0 waits for the other ranks at the end of a run. It is limited, because a rank may
 * be in a long call and not answer soon. */
#define LEAVE_S 1.0

/* Tells rank k that the run ends. Waits for the last message from rank k (request r->alarmed[k]), but not after the
 * time until_s. Returns true if the message arrives and is empty. A message that is not empty is an alarm. */
static bool say_end(struct nb_ranks *r, int k, double until_s)
{
    struct nb_rank_call call = nb_rank_call(NB_RANK_END, NULL, 0);
    struct nb_request sent = {0};
    struct nb_rank_patience patience = {0};
    if (r->transport->send(r->self, k, NB_TAG_CALL, &call, offsetof(struct nb_rank_call, bytes), &sent))
        return false;
    while (r->alarmed[k].active || sent.active) {
        if ((sent.active && r->transport->test(r->self, &sent) < 0) ||
            (r->alarmed[k].active && r->transport->test(r->self, &r->alarmed[k]) < 0) || nb_ranks_clock() > until_s ||
            nb_ranks_pause(r, &patience))
            return false;
    }
    return r->alarmed[k].size_bytes == 0;
}

void nb_ranks_end(struct nb_ranks *r)
{
    const double until_s = nb_ranks_clock() + LEAVE_S;
    bool all = atomic_load(&r->lost) < 0;
    pthread_mutex_lock(&r->alarms);
    atomic_store(&r->ending, true); /* from now on, other threads do not check for alarms (look_for_alarms) */
    pthread_mutex_unlock(&r->alarms);
    for (int k = 1; k < r->place.count && all && r->place.number == 0; k++)
        all = say_end(r, k, until_s);
    r->transport->end(r->self, all);
}

void nb_ranks_free(struct nb_ranks *r)
{
    if (r)
        pthread_mutex_destroy(&r->alarms);
    free(r);
}
