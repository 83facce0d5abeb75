/* force_kept.c - external fields that stay open from one frame to the next. Declared in force.h. */
#include "base/error.h"
#include "base/units.h"
#include "device/group.h"
#include "force/force.h"

#include <string.h>

static bool serves(const struct nb_kept_field *f, const struct nb_kept_field *asked)
{
    return f->device == asked->device && f->precision == asked->precision && f->want == asked->want &&
           f->G == asked->G && nb_units_same(&f->units, &asked->units) && strcmp(f->text, asked->text) == 0;
}

/* Returns the open field that can be used as `asked`, because it has the same parameters and units. If there is no such
 * field, returns an empty entry. If no entry is empty, returns the least recently used field. */
static struct nb_kept_field *find(struct nb_kept_fields *kept, const struct nb_kept_field *asked)
{
    struct nb_kept_field *oldest = kept->field;
    for (struct nb_kept_field *f = kept->field; f < kept->field + NB_KEPT_FIELDS; f++) {
        if (serves(f, asked))
            return f;
        if (f->used < oldest->used)
            oldest = f;
    }
    return oldest;
}

static void close_field(struct nb_kept_field *f)
{
    if (f->opened.work)
        f->opened.entry->close(f->device, f->opened.work);
    *f = (struct nb_kept_field){.device = NULL};
}

int nb_force_set_add_kept(struct nb_force_set *set, struct nb_kept_fields *kept, const struct nb_force_spec *spec,
                          enum nb_precision precision, unsigned want, uint64_t n, const struct nb_meta *meta)
{
    struct nb_kept_field asked = {
        .device = set->device, .precision = precision, .want = want, .G = meta->G, .units = meta->units};
    nb_force_print(spec, asked.text, sizeof asked.text);
    if (!nb_force_is_field(nb_force_spec_flags(spec)) || !*asked.text || nb_device_is_group(set->device))
        return nb_force_set_add(set, spec, precision, want, n, meta);
    struct nb_kept_field *f = find(kept, &asked);
    if (!serves(f, &asked)) {
        if (nb_force_set_add(set, spec, precision, want, n, meta))
            return -1;
        close_field(f);
        *f = asked;
        f->opened = set->force[--set->count];
        f->opened.kept = true;
    }
    if (set->count == NB_FORCES_MAX)
        return nb_fail("more than %d forces", NB_FORCES_MAX);
    set->force[set->count++] = f->opened;
    f->used = ++kept->uses;
    return 0;
}

void nb_kept_fields_close(struct nb_kept_fields *kept)
{
    for (int k = 0; k < NB_KEPT_FIELDS; k++)
        close_field(&kept->field[k]);
}
