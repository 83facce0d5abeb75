/* Joining the ranks of a run, and a device on each. */
#include "base/error.h"
#include "device/ranks/ranks_parts.h"

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

/* Rank 0 learns of all, and tells all. */
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
            return nb_fail("rank %d on %s is version %s, rank 0 is %s: all have to be the same program", k, h->host,
                           h->version, r->hello[0].version);
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
        status = nb_fail("at most %d ranks serve one run", NB_GROUP_MAX);
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

/* One who is at a long call does not answer soon, and is not waited for. */
#define LEAVE_S 1.0

/* What it says then comes in the place of an alarm. */
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
    atomic_store(&r->ending, true); /* nobody else looks at alarms from now on */
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

/* ---- this rank's device ---- */

static struct nb_ranks *ranks_of(const struct nb_device *d)
{
    return (struct nb_ranks *)((char *)d->kind - offsetof(struct nb_ranks, kind));
}

/* Its share of the memory, where other ranks have theirs of the same. */
int nb_ranks_memory(struct nb_ranks *r, double *free_bytes, double *total_bytes)
{
    if (r->inner->memory(r->local, free_bytes, total_bytes))
        return -1;
    *free_bytes /= r->together;
    *total_bytes /= r->together;
    return 0;
}

static int own_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    return nb_ranks_memory(ranks_of(d), free_bytes, total_bytes);
}

static int own_copy(struct nb_device *d, void *d_to, struct nb_device *from, const void *d_from, size_t size_bytes)
{
    return nb_ranks_copy(ranks_of(d), d, d_to, from, d_from, size_bytes);
}

static int own_taken(struct nb_device *d, struct nb_device *const *all, int count)
{
    (void)all, (void)count;
    return nb_exchange_run(ranks_of(d)->exchange);
}

static void own_close(struct nb_device *d)
{
    struct nb_ranks *r = ranks_of(d);
    nb_exchange_destroy(r->exchange);
    r->exchange = NULL;
    r->local = NULL;
    d->kind = r->inner;
    d->kind->close(d);
}

static const struct nb_device_kind *find_kind(const char *name)
{
    for (const struct nb_device_kind *const *k = nb_device_kinds; *k; k++)
        if (strcmp((*k)->name, name) == 0)
            return *k;
    nb_fail("device %s: this program was built without CUDA", name);
    return NULL;
}

/* Several ranks of a host take its devices in turn. */
static struct nb_device *open_own(struct nb_ranks *r, const struct nb_device_kind *kind)
{
    const int count = kind->count ? kind->count() : 1;
    r->together = (r->place.host_count + count - 1) / (count > 0 ? count : 1);
    return nb_device_open(kind, count > 0 ? r->place.host_number % count : 0);
}

int nb_ranks_open_local(struct nb_ranks *r, const char *name, const struct nb_ranks_setting *s,
                        struct nb_rank_opened *o)
{
    const struct nb_device_kind *kind = find_kind(name);
    if (!kind || (r->program->set && r->program->set(s, &r->place)))
        return -1;
    if (!kind->peer_copy)
        return nb_fail("device %s: several of them cannot serve one run", name);
    r->local = open_own(r, kind);
    if (!r->local)
        return -1;
    r->inner = kind;
    r->kind = *kind;
    r->kind.close = own_close;
    r->kind.memory = own_memory;
    r->kind.peer_copy = own_copy;
    r->kind.peer_taken = own_taken;
    r->local->kind = &r->kind;
    r->exchange = nb_exchange_create(r);
    if (!r->exchange) {
        nb_device_close(r->local);
        return -1;
    }
    *o = (struct nb_rank_opened){.usual = r->local->usual};
    memcpy(o->description, r->local->description, sizeof o->description);
    memcpy(o->model, r->local->model, sizeof o->model);
    memcpy(o->driver, r->local->driver, sizeof o->driver);
    if (kind->fabric_find && kind->fabric_find(r->local, o->place, sizeof o->place))
        o->place[0] = '\0';
    return 0;
}

/* ---- all of them ---- */

/* The first kind that can be opened here: what the others have has to be the same. */
static int choose_kind(const char *name, char kind[16])
{
    snprintf(kind, 16, "%.*s", (int)strcspn(name, ":"), name);
    if (strcmp(kind, "auto") != 0)
        return 0;
    for (const struct nb_device_kind *const *k = nb_device_kinds; *k; k++)
        if (!(*k)->count || (*k)->count() > 0) {
            snprintf(kind, 16, "%s", (*k)->name);
            return 0;
        }
    return nb_fail("no device can be opened");
}

/* Of all ranks, each a device of its own. */
static bool can_join(const struct nb_ranks *r, const struct nb_rank_opened *opened)
{
    for (int k = 0; k < r->place.count; k++) {
        if (!opened[k].place[0])
            return false;
        for (int h = 0; h < k; h++)
            if (strcmp(opened[k].place, opened[h].place) == 0 && strcmp(r->hello[k].host, r->hello[h].host) == 0)
                return false;
    }
    return true;
}

/* Where one cannot after all, messages go as they always can. -1 where a rank is lost. */
static int join_fabric(struct nb_ranks *r, struct nb_device *const *part)
{
    unsigned char name[NB_FABRIC_BYTES];
    if (r->inner->fabric_name(r->local, name))
        return 0;
    struct nb_rank_call join = nb_rank_call(NB_RANK_JOIN, name, sizeof name),
                        leave = nb_rank_call(NB_RANK_LEAVE, NULL, 0), sync = nb_rank_call(NB_RANK_SYNC, NULL, 0);
    for (int k = 1; k < r->place.count; k++)
        if (nb_rank_post(part[k], &join))
            return -1;
    r->fabric = r->inner->fabric_join(r->local, name, 0, r->place.count) == 0;
    bool all = r->fabric;
    for (int k = 1; k < r->place.count; k++)
        all = nb_rank_ask(part[k], &sync, NULL, 0) == 0 && all;
    if (all || nb_ranks_check(r))
        return all ? 0 : -1;
    for (int k = 1; k < r->place.count; k++)
        nb_rank_post(part[k], &leave);
    if (r->fabric)
        r->inner->fabric_leave(r->local);
    r->fabric = false;
    return 0;
}

static struct nb_device *open_remote(struct nb_ranks *r, int k, const struct nb_rank_asked *asked,
                                     struct nb_rank_opened *opened)
{
    struct nb_device *d = nb_rank_remote(r, k);
    struct nb_rank_call call = nb_rank_call(NB_RANK_OPEN, asked, sizeof *asked);
    if (!d)
        return NULL;
    if (nb_rank_ask(d, &call, opened, sizeof *opened)) {
        if (errno != NB_RANK_LOST) {
            char why[512];
            snprintf(why, sizeof why, "%s", nb_error());
            nb_fail("rank %d on %s: %s", k, r->hello[k].host, why);
        }
        nb_device_close(d);
        return NULL;
    }
    nb_rank_describe(d, opened);
    return d;
}

struct nb_device *nb_ranks_open(struct nb_ranks *r, const char *name, const struct nb_ranks_setting *s)
{
    struct nb_rank_asked asked = {.setting = *s};
    struct nb_rank_opened opened[NB_GROUP_MAX];
    struct nb_device *part[NB_GROUP_MAX], *group = NULL;
    int count = 0;
    if (r->local) {
        nb_fail("these ranks have a device that is open already");
        return NULL;
    }
    if (choose_kind(name, asked.name) || nb_ranks_open_local(r, asked.name, s, &opened[0]))
        return NULL;
    for (part[count++] = r->local; count < r->place.count; count++)
        if (!(part[count] = open_remote(r, count, &asked, &opened[count])))
            break;
    if (count == r->place.count && (!can_join(r, opened) || join_fabric(r, part) == 0))
        group = nb_group_of_parts(part, count);
    for (int k = 0; k < count && !group; k++)
        nb_device_close(part[k]);
    return group;
}
