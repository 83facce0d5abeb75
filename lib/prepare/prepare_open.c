/* prepare_open.c - opens the device, the scheme, the forces and the state of a run according to its options, or reports
 * why the options cannot be used. Declared in prepare.h. */
#include "prepare/prepare.h"

#include "base/error.h"
#include "scene/scene.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define REFUSE(...) (nb_fail(__VA_ARGS__), NB_REFUSED)

/* Maximum number of bodies for which `auto` chooses the CPU. For so few bodies, launching the kernels of a GPU takes
 * longer than a step on a CPU. Measured with ias15: 2 bodies are 30 times faster on the CPU than on the GPU, and 150
 * bodies take the same time on both. */
#define CPU_BODIES 128

const char *nb_prepare_device(const struct nb_prepare_options *o, uint64_t n)
{
    /* With `auto`, the CPU is chosen for few bodies, and for a precision or a scheme that exists only on the CPU. */
    const struct nb_scheme *scheme = nb_scheme_find(o->integrator);
    const bool cpu = o->precision == NB_QUAD || (scheme && scheme->traits & NB_PLANETARY) || n <= CPU_BODIES;
    const char *name = o->device ? o->device : "auto";
    return cpu && strcmp(name, "auto") == 0 ? "cpu" : name;
}

static int choose_scheme(const struct nb_prepare_options *o, enum nb_precision precision,
                         const struct nb_scheme **scheme)
{
    const double digits = precision == NB_SINGLE ? 1e-7 : precision == NB_QUAD ? 1e-34 : 1e-16;
    *scheme = nb_scheme_find(o->integrator);
    if (!*scheme)
        return NB_REFUSED;
    if (o->tolerance > 0 && !((*scheme)->traits & NB_ADAPTIVE))
        return REFUSE("--tolerance: %s does not estimate its error (--list-integrators shows which do: adaptive)",
                      (*scheme)->name);
    if (o->tolerance > 0 && o->tolerance < digits)
        return REFUSE("--tolerance %g is below the digits of %s precision, %g", o->tolerance,
                      nb_precision_name(precision), digits);
    return 0;
}

/* Adds a force to the set. of_header: the force is named in the header, not in the options. Returns 0, or NB_REFUSED if
 * a force from the options cannot be used, or -1 on all other errors. */
static int open_force(struct nb_force_set *set, const struct nb_force_spec *spec, enum nb_precision precision,
                      unsigned want, const struct nb_bodies *b, bool of_header)
{
    errno = 0;
    if (nb_force_set_add(set, spec, precision, want, b->n, &b->meta) == 0)
        return 0;
    if (errno == ENOMEM || errno == EIO || errno == EDOM) /* no memory, a failed read, or bad input: keep the message */
        return -1;
    return of_header ? nb_fail("the header's forces: %s (--force chooses other forces)", nb_error()) : NB_REFUSED;
}

/* Fails if the forces have post-Newtonian terms but no body is a black hole. */
static int check_holes(const struct nb_bodies *b, unsigned flags)
{
    const struct nb_column *component = nb_bodies_find(b, "component");
    if (!(flags & NB_READS_HOLES))
        return 0;
    for (uint64_t i = 0; component && i < b->n; i++)
        if (nb_column_get(component, i, 0) == NB_BLACK_HOLE)
            return 0;
    return nb_fail("--pn: no body is a black hole (nbedit --set 'component = hole if id == 0' marks one)");
}

static int check_forces(const struct nb_prepare_options *o, struct nb_bodies *b, const struct nb_stepper *p)
{
    const unsigned flags = nb_force_set_flags(p->forces);
    if (nb_scheme_refuse(p->scheme, flags))
        return REFUSE("--integrator %s: %s", p->scheme->name, nb_scheme_refuse(p->scheme, flags));
    /* removes the header lines wall_force and inflow, which a run without contacts does not use */
    if (!(flags & NB_CONTACT))
        nb_scene_drop_measured(&b->meta);
    /* a run backwards in time cannot restore lost energy, or bodies that have left */
    if (o->dt < 0 && flags & NB_OPEN && flags & NB_CONTACT)
        return REFUSE("--dt below 0: a run with damping or a flow cannot go backwards in time");
    return check_holes(b, flags);
}

int nb_prepare_forces(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p, unsigned *want,
                      enum nb_precision *precision)
{
    struct nb_force_spec spec[NB_FORCES_MAX];
    const int count = nb_force_request_choose(&o->forces, b, spec);
    const bool of_header = o->forces.count == 0 && b->meta.force_count > 0;
    int status = count < 0 ? count : 0;
    *precision = o->precision >= 0 ? (enum nb_precision)o->precision : p->forces->device->usual;
    if (!status)
        status = choose_scheme(o, *precision, &p->scheme);
    if (status)
        return status;
    p->own = o->own;
    *want |= NB_WANT_ACC | p->scheme->want;
    p->forces->in_one = p->scheme->traits & NB_OWN_STEPS || p->scheme->want & NB_WANT_FAR;
    for (int k = 0; k < count && !status; k++)
        status = open_force(p->forces, &spec[k], *precision, *want, b, of_header);
    return status ? status : check_forces(o, b, p);
}

int nb_prepare_softening(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p)
{
    const unsigned flags = nb_force_set_flags(p->forces);
    p->G = b->meta.G;
    if (flags & NB_CONTACT)
        return isnan(o->softening) ? 0 : REFUSE("--softening: bodies that touch have none");
    if (isnan(o->softening) && nb_bodies_softening(b, &p->softening))
        return nb_fail("%s (--softening L sets one length)", nb_error());
    if (!isnan(o->softening)) {
        p->softening = o->softening;
        nb_bodies_drop(b, "softening");
    }
    if (flags & NB_BETWEEN && p->softening > 0)
        return REFUSE("--pn: post-Newtonian terms are of gravity without softening, which is %g here (--softening 0)",
                      p->softening);
    return 0;
}

int nb_prepare_state(const struct nb_bodies *b, struct nb_stepper *p, enum nb_precision precision, bool empty)
{
    struct nb_device *device = p->forces->device;
    const char *why = nb_scheme_refuse_state(p->scheme, device, precision, empty ? (double)NAN : p->softening);
    if (why)
        return REFUSE("--integrator %s: %s", p->scheme->name, why);
    p->state = empty ? nb_state_create_zero(device, precision, b->n) : nb_state_create(device, precision, b);
    if (!p->state)
        return -1;
    if (!empty)
        nb_state_part_massless(p->state, b, p->softening);
    return nb_force_set_read_columns(p->forces, b, p->state);
}

/* Writes the forces of the run to the header `meta`. Writes no forces if there is only self-gravity. The force for
 * self-gravity is written as `auto`, because its method is not a property of the system, and the next run may use
 * another method. */
int nb_prepare_note_forces(const struct nb_force_set *set, struct nb_meta *meta)
{
    bool own = false;
    nb_meta_clear_forces(meta);
    if (!(nb_force_set_flags(set) & NB_EXTERNAL))
        return 0;
    for (int k = 0; k < set->count; k++) {
        char text[NB_FORCE_TEXT_BYTES] = "auto";
        const bool external = set->force[k].flags & NB_EXTERNAL;
        if (external)
            nb_force_print(&set->force[k].spec, text, sizeof text);
        if ((external || !own) && nb_meta_add_force(meta, text))
            return -1;
        own = own || !external;
    }
    return 0;
}
