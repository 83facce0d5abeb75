/* force_memory.c - estimates whether a run fits into a device's memory. Declared in force.h. */
#include "base/error.h"
#include "device/group.h"
#include "force/force.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double estimate(const struct nb_opened_force *f, enum nb_precision precision, uint64_t n)
{
    if (f->sampled)
        return f->entry->shaping->bytes(precision, n, f->shape);
    return f->entry->work_bytes ? f->entry->work_bytes(precision, n) : 0;
}

/* Returns an estimate of the working memory in bytes. share: fraction of the n bodies that are targets at the same
 * time. estimate(n) is the memory for n bodies if at most `piece` (nb_force.piece) of them are targets at the same
 * time.
 * - If share * n is at most `piece`, the result is estimate(n).
 * - If share is 1, the result is n / piece * estimate(piece): the memory for `piece` bodies that are all targets,
 *   scaled to n bodies.
 * - Between these two cases, the result is interpolated linearly in `share`. */
static double work_bytes(const struct nb_opened_force *f, enum nb_precision precision, uint64_t n, double share)
{
    const double bytes = estimate(f, precision, n), pieces = (double)n / (double)f->entry->piece;
    if (f->entry->piece == 0 || share * pieces <= 1)
        return bytes;
    const double lacks = pieces * estimate(f, precision, f->entry->piece) - bytes;
    return bytes + fmax(lacks, 0) * (share - 1 / pieces) / (1 - 1 / pieces);
}

double nb_force_set_bytes(const struct nb_force_set *set, enum nb_precision precision, int rows, uint64_t n)
{
    const unsigned flags = nb_force_set_flags(set);
    double bytes = nb_state_bytes(precision, rows, n);
    bytes +=
        (!!(flags & NB_READS_RADIUS) + !!(flags & NB_READS_HOLES)) * (double)nb_precision_size(precision) * (double)n;
    const bool group = nb_device_is_group(set->device);
    const int devices = group ? nb_group_count(set->device) : 1;
    const double share = group || set->in_one ? 1.0 / devices : 0;
    double work = 0;
    for (int k = 0; k < set->count; k++) {
        work += work_bytes(&set->force[k], precision, n, share);
        /* each device has copies of all sources, and room for the fields at all bodies */
        if (group && !nb_force_is_field(set->force[k].flags))
            work += nb_state_bytes(precision, 3, n);
    }
    return bytes + devices * work;
}

uint64_t nb_force_set_capacity(const struct nb_force_set *set, enum nb_precision precision, int rows, double bytes)
{
    uint64_t fits = 0, too_many = 1;
    while (too_many < UINT64_MAX / 4 && nb_force_set_bytes(set, precision, rows, too_many) <= bytes)
        too_many *= 2;
    while (too_many - fits > 1) {
        uint64_t n = fits + (too_many - fits) / 2;
        if (nb_force_set_bytes(set, precision, rows, n) <= bytes)
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

static void take(const struct nb_column *from, uint64_t n, uint64_t step, struct nb_column *to)
{
    const size_t size = nb_type_size(from->type) * (size_t)from->width;
    for (uint64_t i = 0; i < n; i++)
        memcpy((char *)to->data + i * size, (const char *)from->data + i * step * size, size);
}

static int take_sample(const struct nb_bodies *b, uint64_t step, struct nb_bodies *sample)
{
    static const char *const names[] = {"mass", "pos", "vel"};
    nb_bodies_init(sample);
    sample->n = b->n / step;
    for (int k = 0; k < 3; k++)
        if (nb_bodies_add_known(sample, names[k], nb_bodies_find(b, names[k])->type))
            return -1;
    if (nb_bodies_alloc(sample))
        return -1;
    for (int k = 0; k < 3; k++)
        take(nb_bodies_find(b, names[k]), sample->n, step, nb_bodies_find(sample, names[k]));
    return 0;
}

/* Measures the size of the force's tree and lists (nb_force_shape) for these bodies. Uses temporary working memory. */
static int find_shape(struct nb_opened_force *f, struct nb_device *device, const struct nb_state *sample,
                      double softening)
{
    static const struct nb_meta plain = {.G = 1};
    const struct nb_sources sources = nb_sources_of(sample, 1, softening);
    const struct nb_targets targets = {.n = sample->n, .stride = sample->stride, .x = sample->x, .v = sample->v};
    const struct nb_field out = {.stride = sample->stride, .a = sample->a};
    void *work = f->entry->open(device, &f->spec, &plain);
    if (!work)
        return -1;
    const int status = f->entry->field(device, work, sample->precision, &sources, &targets, &out);
    f->sampled = status == 0;
    if (f->sampled)
        f->shape = f->entry->shaping->get(work);
    if (f->sampled && f->entry->shaping->expect)
        f->entry->shaping->expect(f->work, f->shape);
    f->entry->close(device, work);
    return status;
}

int nb_force_set_sample(struct nb_force_set *set, enum nb_precision precision, const struct nb_bodies *b,
                        double softening, uint64_t least)
{
    struct nb_bodies sample;
    uint64_t step = 1;
    bool any = false;
    for (int k = 0; k < set->count; k++)
        any = any || set->force[k].entry->shaping;
    if (!any || b->n / 2 < least || nb_device_is_group(set->device))
        return 0;
    while (b->n / (2 * step) >= least)
        step *= 2;
    struct nb_state *s = take_sample(b, step, &sample) == 0 ? nb_state_create(set->device, precision, &sample) : NULL;
    int status = s ? 0 : -1;
    for (int k = 0; k < set->count && status == 0; k++)
        if (set->force[k].entry->shaping)
            status = find_shape(&set->force[k], set->device, s, softening);
    if (s)
        nb_state_destroy(s);
    nb_bodies_free(&sample);
    return status;
}

/* Rounds n down to three digits, because an estimate is not more accurate. */
static uint64_t round_down(uint64_t n)
{
    uint64_t unit = 1;
    while (n / unit >= 1000)
        unit *= 10;
    return n / unit * unit;
}

int nb_force_set_fits(const struct nb_force_set *set, enum nb_precision precision, int rows, uint64_t n)
{
    double free_bytes, total_bytes;
    char single[64] = "";
    if (nb_device_memory(set->device, &free_bytes, &total_bytes))
        return -1;
    const double needed = nb_force_set_bytes(set, precision, rows, n);
    if (needed <= free_bytes)
        return 0;
    if (precision != NB_SINGLE && offers_single(set))
        snprintf(single, sizeof single, ", %" PRIu64 " with --precision single",
                 round_down(nb_force_set_capacity(set, NB_SINGLE, rows, free_bytes)));
    return nb_fail("%" PRIu64 " bodies need %.4g GB on %s; %.4g GB are free, enough for %" PRIu64 " bodies%s", n,
                   1e-9 * needed, set->device->description, 1e-9 * free_bytes,
                   round_down(nb_force_set_capacity(set, precision, rows, free_bytes)), single);
}
