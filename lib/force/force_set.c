/* The forces of a run, whose fields add. Declared in force.h. */
#include "device/quad.h"
#include "error.h"
#include "force/force.h"

const struct nb_force_part nb_forces_all = {0, 0}, nb_forces_own = {NB_EXTERNAL, 0},
                           nb_forces_external = {NB_EXTERNAL, NB_EXTERNAL};

void nb_force_set_init(struct nb_force_set *set, struct nb_device *device)
{
    *set = (struct nb_force_set){.device = device};
}

int nb_force_set_add(struct nb_force_set *set, const struct nb_force_spec *spec, enum nb_precision precision,
                     unsigned want, uint64_t n, const struct nb_meta *meta)
{
    static const struct nb_meta plain = {.G = 1};
    struct nb_opened_force *f = &set->force[set->count];
    if (set->count == NB_FORCES_MAX)
        return nb_fail("more than %d forces", NB_FORCES_MAX);
    *f = (struct nb_opened_force){.entry = nb_force_choose(spec->method, set->device, precision, want, n),
                                  .spec = *spec};
    if (!f->entry)
        return -1;
    f->flags = f->entry->flags | spec->kind->flags;
    if (f->entry->open && !(f->work = f->entry->open(set->device, spec, meta ? meta : &plain)))
        return -1;
    set->count++;
    return 0;
}

void nb_force_set_close(struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (set->force[k].work)
            set->force[k].entry->close(set->device, set->force[k].work);
    set->count = 0;
}

unsigned nb_force_set_flags(const struct nb_force_set *set)
{
    unsigned flags = 0;
    for (int k = 0; k < set->count; k++)
        flags |= set->force[k].flags;
    return flags;
}

bool nb_force_set_recordable(const struct nb_force_set *set, enum nb_precision precision, uint64_t n)
{
    for (int k = 0; k < set->count; k++) {
        const struct nb_force *entry = set->force[k].entry;
        if (!entry->recordable || !entry->recordable(set->force[k].work, precision, n))
            return false;
    }
    return true;
}

/* `rows` rows of zeros, by a sum of nothing. */
static int clear(struct nb_device *device, enum nb_precision precision, uint64_t stride, uint64_t rows, void *d_out)
{
    static const nb_quad none = 0;
    return d_out ? nb_device_combine(device, precision, rows * stride, 0, NULL, 1,
                                     &(struct nb_combination){.c = &none, .out = d_out}, NULL)
                 : 0;
}

int nb_force_set_field(const struct nb_force_set *set, struct nb_force_part part, enum nb_precision precision,
                       const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out)
{
    struct nb_field one = *out;
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        if ((f->flags & part.mask) != part.match)
            continue;
        if (f->entry->field(set->device, f->work, precision, s, t, &one))
            return -1;
        one.add = true;
    }
    if (one.add)
        return 0;
    return clear(set->device, precision, out->stride, 3, out->a) ||
                   clear(set->device, precision, out->stride, 1, out->phi) ||
                   clear(set->device, precision, out->stride, 3, out->jerk)
               ? -1
               : 0;
}

int nb_force_set_state(const struct nb_force_set *set, struct nb_force_part part, const struct nb_state *s, double G,
                       double softening, void *d_a, void *d_phi)
{
    const struct nb_sources sources = {s->n, s->stride, s->m, s->x, G, softening, s->v};
    const struct nb_targets targets = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    const struct nb_field out = {.stride = s->stride, .a = d_a, .phi = d_phi};
    return nb_force_set_field(set, part, s->precision, &sources, &targets, &out);
}
