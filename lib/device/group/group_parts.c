/* group_parts.c - runs work on the parts of a group, and names a part that fails. Declared in group.h and
 * group_parts.h. */
#include "device/group/group_parts.h"

#include "base/error.h"
#include "device/group/group_workers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int nb_group_count(const struct nb_device *d)
{
    return nb_group_of(d)->count;
}

struct nb_device *nb_group_part(const struct nb_device *d, int k)
{
    return nb_group_of(d)->part[k];
}

void nb_group_print_name(const struct nb_device *d, char *text, size_t size)
{
    snprintf(text, size, "%s:%d-%d", d->name, d->index, d->index + nb_group_count(d) - 1);
}

bool nb_group_is_of_ranks(const struct nb_group *g)
{
    return g->count > 1 && nb_device_is_remote(g->part[1]);
}

/* Part k reported a failure, but perhaps only because another part failed. Returns the index of the part that no longer
 * works, or k if all parts work. Returns -1 if several parts no longer work: the failure of one GPU can disable other
 * GPUs of the process, so that the cause is unknown. */
static int find_lost(const struct nb_device *d, int k)
{
    int lost = 0, which = k;
    for (int h = 0; h < nb_group_count(d); h++)
        if (nb_device_sync(nb_group_part(d, h)) && lost++ == 0)
            which = h;
    return lost > 1 ? -1 : which;
}

int nb_group_failed(const struct nb_device *d, int k)
{
    const int error_number = errno;
    if (error_number == EDOM) /* no part failed: the state of the bodies is invalid (nb_force.field) */
        return -1;
    const bool ranks = nb_group_is_of_ranks(nb_group_of(d));
    char why[NB_ERROR_MAX], begin[32], all[64];
    snprintf(why, sizeof why, "%s", nb_error());
    snprintf(begin, sizeof begin, ranks ? "rank " : "%s:", d->name);
    if (strncmp(why, begin, strlen(begin)) != 0) { /* the message does not yet begin with the name of a part or rank */
        const int which = error_number == EIO && !ranks ? find_lost(d, k) : k;
        nb_group_print_name(d, all, sizeof all);
        if (which < 0)
            nb_fail("%s: %s", all, why);
        else
            nb_fail("%s%d: %s", begin, ranks ? which : d->index + which, why);
    }
    errno = error_number;
    return -1;
}

int nb_group_run(struct nb_device *d, nb_group_work *work, void *context)
{
    const int failed = nb_workers_run(nb_group_of(d)->workers, work, context);
    return failed < 0 ? 0 : nb_group_failed(d, failed);
}
