/* Adding a stream behind those that a file has. */
#include "run.h"

#include "error.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* Another stream behind one that is cut would be lost with it. */
void sim_append_check(const char *path)
{
    struct nb_snap_reader *r = nb_snap_open(path, false);
    if (!r)
        die("%s", nb_error());
    if (nb_snap_seek(r, NB_FRAME_LAST) != 1)
        die("%s: does not end with a whole stream, and nothing can be added behind it (nbstat --check)", path);
    nb_snap_close(r);
}

/* The run begins where the file ends: that frame is there already. */
static bool continues(const struct sim_options *o)
{
    struct stat input, output;
    return o->input && (!tool_options.frame_given || tool_options.frame == NB_FRAME_LAST) &&
           stat(o->input, &input) == 0 && stat(tool_options.output, &output) == 0 && input.st_dev == output.st_dev &&
           input.st_ino == output.st_ino;
}

/* A tree for several evaluations; the tensor cores' part of a GPU's direct sum, whose calls cannot be recorded. */
static bool keeps_order(const struct nb_opened_force *f, enum nb_precision precision, uint64_t n)
{
    const struct nb_force *entry = f->entry;
    if (!(f->flags & NB_EXACT))
        return nb_force_value(&f->spec, "rebuild") > 1;
    return entry->carry && entry->recordable && !entry->recordable(f->work, precision, n);
}

/* What of a run in one piece a frame does not hold, or NULL. */
static const char *what_is_lost(const struct run *r)
{
    const enum nb_precision precision = r->stepper.state->precision;
    if (nb_scheme_carries(r->stepper.scheme))
        return "what its steps take from earlier ones begins anew";
    if (nb_force_set_flags(&r->forces) & NB_NEEDS_VELOCITY)
        return "a force that takes the velocity begins anew";
    for (int k = 0; k < r->forces.count; k++)
        if (keeps_order(&r->forces.force[k], precision, r->bodies.n))
            return "the order of the bodies that the force keeps begins anew";
    if (precision != NB_SINGLE && nb_bodies_find(&r->bodies, "pos")->type == NB_F32)
        return "f32 columns do not hold the state";
    if (precision == NB_QUAD && !(nb_bodies_find(&r->bodies, "pos_lo") && nb_bodies_find(&r->bodies, "vel_lo")))
        return "f64 columns do not hold the state";
    return NULL;
}

bool sim_append_begin(const struct run *r)
{
    const bool skips = continues(r->options) && sim_schedule_intervals(&r->schedule) > 0;
    const char *lost = what_is_lost(r);
    if (skips && !lost)
        say("%s: %s goes on as in one run", tool_options.output, r->stepper.scheme->name);
    else if (skips)
        say("%s: %s does not go on bit for bit as in one run: %s (--checkpoint would keep it)", tool_options.output,
            r->stepper.scheme->name, lost);
    return skips;
}
