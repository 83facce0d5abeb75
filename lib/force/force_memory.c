/* Whether a run fits into a device's memory, said before it is tried. Declared in force.h. */
#include "device/group.h"
#include "error.h"
#include "force/force.h"

#include <inttypes.h>
#include <stdio.h>

double nb_force_set_bytes(const struct nb_force_set *set, enum nb_precision precision, int vectors, uint64_t n)
{
    const unsigned flags = nb_force_set_flags(set);
    double bytes = nb_state_bytes(precision, vectors, n);
    if (flags & NB_READS_RADIUS)
        bytes += (double)nb_precision_size(precision) * (double)n;
    const bool group = nb_device_is_group(set->device);
    double work = 0;
    for (int k = 0; k < set->count; k++) {
        if (set->force[k].entry->work_bytes)
            work += set->force[k].entry->work_bytes(precision, n);
        if (group && !(set->force[k].flags & NB_EXTERNAL)) /* each has the sources of all, and fields for all */
            work += nb_state_bytes(precision, 1, n);
    }
    return bytes + (group ? nb_group_count(set->device) : 1) * work;
}

uint64_t nb_force_set_capacity(const struct nb_force_set *set, enum nb_precision precision, int vectors, double bytes)
{
    uint64_t fits = 0, too_many = 1;
    while (too_many < UINT64_MAX / 4 && nb_force_set_bytes(set, precision, vectors, too_many) <= bytes)
        too_many *= 2;
    while (too_many - fits > 1) {
        uint64_t n = fits + (too_many - fits) / 2;
        if (nb_force_set_bytes(set, precision, vectors, n) <= bytes)
            fits = n;
        else
            too_many = n;
    }
    return fits;
}

static bool offers_single(const struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (set->force[k].entry->tolerance[NB_SINGLE] == 0)
            return false;
    return true;
}

/* To three digits, downwards: an estimate has no more. */
static uint64_t round_down(uint64_t n)
{
    uint64_t unit = 1;
    while (n / unit >= 1000)
        unit *= 10;
    return n / unit * unit;
}

int nb_force_set_fits(const struct nb_force_set *set, enum nb_precision precision, int vectors, uint64_t n)
{
    double free_bytes, total_bytes;
    char single[64] = "";
    if (nb_device_memory(set->device, &free_bytes, &total_bytes))
        return -1;
    const double needed = nb_force_set_bytes(set, precision, vectors, n);
    if (needed <= free_bytes)
        return 0;
    if (precision != NB_SINGLE && offers_single(set))
        snprintf(single, sizeof single, ", %" PRIu64 " with --precision single",
                 round_down(nb_force_set_capacity(set, NB_SINGLE, vectors, free_bytes)));
    return nb_fail("%" PRIu64 " bodies need %.4g GB on %s, of which %.4g GB are free: %" PRIu64 " would fit%s", n,
                   1e-9 * needed, set->device->description, 1e-9 * free_bytes,
                   round_down(nb_force_set_capacity(set, precision, vectors, free_bytes)), single);
}
