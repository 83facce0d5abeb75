/* ranks_open.c - opens a device on each rank. Rank 0 uses all these devices as one group. Declared in ranks.h. */
#include "base/error.h"
#include "device/ranks/ranks_state.h"

#include <stdio.h>
#include <string.h>

/* Sets `kind` to the type of device that `name` requests. For "auto", this is the first type that can be opened on rank
 * 0. All ranks must have a device of this type. */
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
    return nb_fail("cannot open any device");
}

/* Returns whether each rank has a different device, and each device can exchange data with NCCL (nb_device_fabric). */
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

/* Connects the devices of all ranks with NCCL (nb_device_fabric). If this fails on one rank, all ranks exchange data by
 * messages, without NCCL. Returns -1 if a rank is lost. */
static int join_fabric(struct nb_ranks *r, struct nb_device *const *part)
{
    unsigned char name[NB_FABRIC_BYTES];
    if (r->inner->fabric->name(r->local, name))
        return 0;
    struct nb_rank_call join = nb_rank_call(NB_RANK_JOIN, name, sizeof name),
                        leave = nb_rank_call(NB_RANK_LEAVE, NULL, 0), sync = nb_rank_call(NB_RANK_SYNC, NULL, 0);
    for (int k = 1; k < r->place.count; k++)
        if (nb_rank_post(part[k], &join))
            return -1;
    r->fabric = r->inner->fabric->join(r->local, name, 0, r->place.count) == 0;
    bool all = r->fabric;
    for (int k = 1; k < r->place.count; k++)
        all = nb_rank_ask(part[k], &sync, NULL, 0) == 0 && all;
    if (all || nb_ranks_check(r))
        return all ? 0 : -1;
    for (int k = 1; k < r->place.count; k++)
        nb_rank_post(part[k], &leave);
    if (r->fabric)
        r->inner->fabric->leave(r->local);
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
        nb_fail("these ranks have opened a device already");
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
