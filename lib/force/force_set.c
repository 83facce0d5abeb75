/* force_set.c - opens, evaluates and closes the forces of a run. Declared in force.h. */
#include "base/error.h"
#include "base/pack.h"
#include "device/group.h"
#include "device/quad.h"
#include "device/timing.h"
#include "force/force.h"
#include "force/force_group.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct nb_force_part nb_forces_all = {0, 0}, nb_forces_own = {NB_EXTERNAL, 0},
                           nb_forces_external = {NB_EXTERNAL, NB_EXTERNAL};

void nb_force_set_init(struct nb_force_set *set, struct nb_device *device)
{
    *set = (struct nb_force_set){.device = device};
}

/* Checks that the force suits the bodies: colliding disks have no gravity, and other bodies have no contact forces. */
static int check_kind(const struct nb_force *entry, unsigned want, const struct nb_meta *meta)
{
    const bool touching = nb_scene_is_touching(meta);
    if (nb_force_is_field(entry->flags) || (entry->flags & NB_EXTERNAL && !touching))
        return 0;
    if (touching && !(entry->flags & NB_CONTACT))
        return nb_fail(
            "force %s cannot be used: these bodies are colliding disks (header line 'contact'), which have no gravity",
            entry->method);
    if (!touching && entry->flags & NB_CONTACT)
        return nb_fail("force %s: the header has no line 'contact' with the contact law (nbgen windtunnel writes one)",
                       entry->method);
    if (!touching && want & NB_WANT_PRESSURE)
        return nb_fail("force %s: only colliding disks have a pressure", entry->method);
    return 0;
}

int nb_force_set_add(struct nb_force_set *set, const struct nb_force_spec *spec, enum nb_precision precision,
                     unsigned want, uint64_t n, const struct nb_meta *meta)
{
    static const struct nb_meta plain = {.G = 1};
    struct nb_opened_force *f = &set->force[set->count];
    if (set->count == NB_FORCES_MAX)
        return nb_fail("a run can have at most %d forces", NB_FORCES_MAX);
    *f = (struct nb_opened_force){.entry = nb_force_choose(spec->method, set->device, precision, want, n),
                                  .spec = *spec};
    if (!f->entry || check_kind(f->entry, want, meta ? meta : &plain))
        return -1;
    f->flags = f->entry->flags | nb_force_spec_further(spec);
    if (f->entry->note_files && f->entry->note_files(&f->spec, meta ? meta : &plain))
        return -1;
    if (nb_device_is_group(set->device)) {
        if (nb_force_group_open(set->device, f->entry, &f->spec, meta ? meta : &plain, &f->entry, &f->work))
            return -1;
    } else if (f->entry->open && !(f->work = f->entry->open(set->device, &f->spec, meta ? meta : &plain)))
        return -1;
    if (f->entry->steps && f->entry->steps->flags)
        f->flags |= f->entry->steps->flags(f->work);
    set->count++;
    return 0;
}

void nb_force_set_close(struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (set->force[k].work && !set->force[k].kept)
            set->force[k].entry->close(set->device, set->force[k].work);
    set->count = 0;
}

bool nb_force_set_has_field(const struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (nb_force_is_field(set->force[k].flags))
            return true;
    return false;
}

bool nb_force_set_has_own(const struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (!(set->force[k].flags & NB_EXTERNAL))
            return true;
    return false;
}

unsigned nb_force_set_flags(const struct nb_force_set *set)
{
    unsigned flags = 0;
    for (int k = 0; k < set->count; k++)
        flags |= set->force[k].flags;
    return flags;
}

double nb_force_set_frequency(const struct nb_force_set *set, uint64_t n, const double *x, double time)
{
    double most = 0;
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        const double here = f->entry->frequency ? f->entry->frequency(f->work, n, x, time) : 0;
        most = here > most ? here : most;
    }
    return most;
}

int nb_force_set_covers(const struct nb_force_set *set, double begin, double end)
{
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        if (f->entry->covers && f->entry->covers(f->work, begin, end))
            return -1;
    }
    return 0;
}

double nb_force_set_grain(const struct nb_force_set *set, double begin, double end)
{
    double least = INFINITY;
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        if (f->entry->grain)
            least = fmin(least, f->entry->grain(f->work, begin, end));
    }
    return least;
}

int nb_force_set_longest_step(const struct nb_force_set *set, const struct nb_state *s, double *h)
{
    *h = INFINITY;
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        double most, least[NB_LEAST_MAX];
        for (int q = 0; q < NB_LEAST_MAX; q++)
            least[q] = INFINITY;
        if (!(f->flags & NB_BOUNDS_STEP))
            continue;
        if (f->entry->steps->longest(set->device, f->work, s, least, &most))
            return -1;
        *h = fmin(*h, most);
    }
    return 0;
}

int nb_force_set_boundary(const struct nb_force_set *set, struct nb_state *s, bool asked)
{
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        if (f->flags & NB_MOVES && f->entry->steps->boundary(set->device, f->work, s, 0, asked))
            return -1;
    }
    return 0;
}

int nb_force_set_report(const struct nb_force_set *set, struct nb_meta *meta)
{
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        const struct nb_force_steps *steps = f->entry->steps;
        if (steps && steps->report && steps->report(set->device, f->work, meta))
            return -1;
    }
    return 0;
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

const struct nb_opened_force *nb_force_set_own(const struct nb_force_set *set, enum nb_precision precision, uint64_t n)
{
    const struct nb_opened_force *f = set->force;
    return set->count == 1 && f->entry->own && f->entry->own->serves(set->device, precision, n) ? f : NULL;
}

const struct nb_opened_force *nb_force_set_neighbours(const struct nb_force_set *set)
{
    const struct nb_opened_force *f = set->force;
    return set->count == 1 && f->entry->neighbours ? f : NULL;
}

/* Saves or loads the name of the type of device on which the force runs. When loading, sets *here to true if the force
 * now runs on a device of the saved type. */
static int pack_device(const struct nb_opened_force *f, struct nb_pack *k, bool *here)
{
    char *device = (char *)f->entry->device;
    if (nb_pack_text(k, &device))
        return -1;
    *here = strcmp(device, f->entry->device) == 0;
    if (k->way == NB_PACK_LOAD)
        free(device);
    return 0;
}

int nb_force_set_pack(const struct nb_force_set *set, uint64_t n, struct nb_pack *k)
{
    for (int i = 0; i < set->count; i++) {
        const struct nb_opened_force *f = &set->force[i];
        bool here;
        if (nb_pack_begin(k, "force") || nb_pack_same(k, "force", f->entry->method) || pack_device(f, k, &here))
            return -1;
        if (!here && !(f->entry->flags & NB_CARRIES_RUN))
            nb_pack_skip(k);
        else if (f->entry->carry && f->entry->carry(set->device, f->work, n, k))
            return -1;
        if (nb_pack_end(k))
            return -1;
    }
    return 0;
}

/* Sets the first n elements of each row of d_out to zero. d_out may be NULL. */
static int clear(struct nb_device *device, enum nb_precision precision, uint64_t n, uint64_t stride, int rows,
                 void *d_out)
{
    static const nb_quad none = 0;
    for (int k = 0; d_out && k < rows; k++) {
        void *row = (char *)d_out + (uint64_t)k * stride * nb_precision_size(precision);
        if (nb_device_combine(device, precision, n, 0, NULL, 1, &(struct nb_combination){.c = &none, .out = row}, NULL))
            return -1;
    }
    return 0;
}

static bool wants_far(const struct nb_sources *s, const struct nb_field *out)
{
    return s && (s->far.inner != 0 || s->far.outer != 0 || out->close);
}

/* Fails if the force acts between pairs of bodies, but cannot compute only the long-range part of these forces
 * (nb_sources.far). External fields that do not act between pairs are always added in full. */
static int check_far(const struct nb_force_set *set, const struct nb_opened_force *f)
{
    const bool between = !(f->flags & NB_EXTERNAL) || f->flags & NB_BETWEEN;
    if (!between || (f->flags & NB_FAR_PART && !nb_device_is_group(set->device)))
        return 0;
    return nb_fail("force %s cannot compute the far part of gravity%s, which this integrator needs", f->entry->method,
                   f->flags & NB_FAR_PART ? " on several devices" : "");
}

static int check_far_field(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out)
{
    if (!(s->far.inner > 0 && s->far.outer > s->far.inner))
        return nb_fail("the far part of gravity needs 0 < inner < outer, not %g and %g", s->far.inner, s->far.outer);
    if (s->softening > 0 || out->phi || out->jerk || out->snap)
        return nb_fail(
            "the far part of gravity gives accelerations only (no potential, jerk or snap) and needs softening 0");
    const struct nb_close_pairs *p = out->close;
    if (p && (!(p->near >= s->far.outer && p->reach >= p->near) || (p->reach > p->near && !p->v) ||
              !nb_targets_are_all(t, s)))
        return nb_fail("close pairs need all bodies as targets and a reach of at least %g", s->far.outer);
    return 0;
}

/* Adds up the fields of the forces that `part` selects, and writes the sum to `out`. external: true for external forces
 * only, false for self-gravity and contact forces only. The first force overwrites `out`, unless out->add is true.
 * After this force, out->add is true, so that all other forces add to `out`. The caller evaluates self-gravity first,
 * because a tree that adds to an existing field needs more memory and another pass. */
static int add_fields(const struct nb_force_set *set, struct nb_force_part part, bool external,
                      enum nb_precision precision, const struct nb_sources *s, const struct nb_targets *t,
                      struct nb_field *out)
{
    const bool far = wants_far(s, out);
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        if ((f->flags & part.mask) != part.match || !(f->flags & NB_EXTERNAL) == external)
            continue;
        if (f->flags & NB_ALL_BODIES && !nb_targets_are_all(t, s))
            return nb_fail(
                "force %s computes forces on all bodies only, not on a part of them or at other points (--force "
                "direct can)",
                f->entry->method);
        if ((far && check_far(set, f)) || f->entry->field(set->device, f->work, precision, s, t, out))
            return -1;
        nb_timing_stage(set->device, NULL); /* ends the time measurement of the force's last stage */
        out->add = true;
    }
    return 0;
}

int nb_force_set_evaluate(const struct nb_force_set *set, struct nb_force_part part, enum nb_precision precision,
                          const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out)
{
    struct nb_field one = *out;
    if (out->close)
        out->close->count = 0;
    if (wants_far(s, out) && check_far_field(s, t, out))
        return -1;
    if (t->n == 0)
        return 0;
    if (add_fields(set, part, false, precision, s, t, &one) || add_fields(set, part, true, precision, s, t, &one))
        return -1;
    if (one.add)
        return 0;
    return nb_status(clear(set->device, precision, t->n, out->stride, 3, out->a) ||
                     clear(set->device, precision, t->n, out->stride, 1, out->phi) ||
                     clear(set->device, precision, t->n, out->stride, 3, out->jerk) ||
                     clear(set->device, precision, t->n, out->stride, 3, out->snap) ||
                     clear(set->device, precision, t->n, out->stride, 1, out->pressure));
}

struct nb_sources nb_sources_of(const struct nb_state *s, double G, double softening)
{
    return (struct nb_sources){.n = s->n,
                               .stride = s->stride,
                               .m = s->m,
                               .x = s->x,
                               .G = G,
                               .softening = fmax(softening, s->least),
                               .time = s->time,
                               .v = s->v,
                               .radius = s->radius,
                               .hole = s->hole};
}

int nb_force_set_evaluate_state(const struct nb_force_set *set, struct nb_force_part part, const struct nb_state *s,
                                double G, double softening, void *d_a, void *d_phi)
{
    const struct nb_sources sources = nb_sources_of(s, G, softening);
    const struct nb_targets targets = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    const struct nb_field out = {.stride = s->stride, .a = d_a, .phi = d_phi};
    return nb_force_set_evaluate(set, part, s->precision, &sources, &targets, &out);
}
