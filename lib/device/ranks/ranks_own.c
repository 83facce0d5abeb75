/* ranks_own.c - opens this rank's own device, and makes it exchange data with the devices of the other ranks. Declared
 * in ranks_state.h. */
#include "base/error.h"
#include "device/ranks/ranks_state.h"

#include <string.h>

static struct nb_ranks *ranks_of(const struct nb_device *d)
{
    return (struct nb_ranks *)((char *)d->kind - offsetof(struct nb_ranks, kind));
}

/* Finds the free and the total memory of this rank's device in bytes, divided by the number of ranks that share this
 * memory. */
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

/* Opens this rank's device. The ranks of a host are assigned to its devices in turn: rank k of the host gets device k
 * modulo the number of devices. */
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
        return nb_fail("device %s: these devices cannot be combined in one run", name);
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
    if (kind->fabric && kind->fabric->find(r->local, o->place, sizeof o->place))
        o->place[0] = '\0';
    return 0;
}
