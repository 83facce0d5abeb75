/* Which scheme advances a run, and in what steps, where the command line leaves it open.
 *
 * Fixed steps are good for many softened bodies alone, in a field that changes little from step to step. A few bodies
 * meet as close as they like, and only a scheme that follows its error can answer for the result; so that is the rule
 * for as many bodies as it is affordable for, wherever the forces are exact: the error of an approximated field would
 * be taken for that of the step. */
#include "run.h"

#include "error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FEW         1000 /* bodies at most that `auto` follows the error of */
#define FEW_SCHEME  "ias15"
#define MANY_SCHEME "leapfrog"

static bool is_auto(const struct sim_options *o)
{
    return strcmp(o->integrator, "auto") == 0;
}

/* Are the forces of n bodies exact, each of those that act? */
static bool forces_are_exact(const struct nb_force_spec *spec, int count, uint64_t n)
{
    for (int k = 0; k < count; k++)
        if (strcmp(spec[k].method, "auto") == 0 ? n > NB_AUTO_DIRECT_BODIES
                                                : !(nb_force_spec_flags(&spec[k]) & NB_EXACT))
            return false;
    return true;
}

static void record_number(const char *option, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    tool_note(option, text);
}

/* The error is followed where steps of fixed size were not asked for. */
static void follow_error(struct sim_options *o, const struct nb_scheme *scheme)
{
    o->tolerance = scheme->usual_tolerance;
    record_number("tolerance", o->tolerance);
    if (o->precision < 0) {
        o->precision = NB_DOUBLE;
        tool_note("precision", nb_precision_name(NB_DOUBLE));
    }
}

void sim_integrator_choose(struct run *r, struct sim_options *o)
{
    struct nb_force_spec spec[NB_FORCES_MAX];
    const int count = tool_forces_choose(&o->forces, &r->bodies.meta, spec);
    const uint64_t n = r->bodies.n;
    const bool open = o->dt == 0 && o->steps < 0, chosen = is_auto(o);
    const bool exact =
        forces_are_exact(spec, count, n) && (o->precision < 0 || o->precision == NB_DOUBLE || o->precision == NB_QUAD);
    const bool follows = o->tolerance > 0 || (open && exact && n <= FEW);
    if (chosen)
        o->integrator = follows ? FEW_SCHEME : MANY_SCHEME;
    if (chosen && o->tolerance > 0 && !exact)
        die_usage("--tolerance: the error of the step cannot be told from that of these forces, and auto would take "
                  "fixed steps (--integrator names another, --force direct and --precision double are exact)");
    const struct nb_scheme *scheme = nb_scheme_find(o->integrator);
    if (follows && o->tolerance == 0 && scheme && scheme->traits & NB_ADAPTIVE)
        follow_error(o, scheme);
    if (chosen && open)
        tool_note("integrator", o->integrator);
    if (o->tolerance == 0 && !(isnan(o->min_dt) && isnan(o->max_dt)))
        die_usage("--min-dt and --max-dt bound adaptive steps, and these are of a fixed size (--tolerance)");
    r->fixed_by_auto = chosen && open && o->tolerance == 0;
}

/* ---- the size of steps ---- */

/* The header's step was made for the header's softening. */
static double header_dt(const struct run *r)
{
    const struct nb_meta *meta = &r->bodies.meta;
    return meta->softening == r->stepper.softening ? meta->dt : 0;
}

static double suggested(struct run *r)
{
    const double dt = nb_step_suggest(&r->stepper);
    if (dt < 0)
        die("%s", nb_error());
    return dt;
}

/* With no acceleration that changes, any step is as good. */
static double whole_span(const struct run *r)
{
    const struct sim_options *o = r->options;
    return isnan(o->until) ? 1 : fmax(fabs(o->until - r->bodies.meta.time), 1e-300);
}

double sim_dt_choose(struct run *r)
{
    const struct sim_options *o = r->options;
    const bool adapts = o->tolerance > 0;
    double dt = o->dt != 0 ? fabs(o->dt) : adapts ? 0 : header_dt(r);
    if (dt > 0 || o->steps == 0)
        return dt > 0 ? dt : 1;
    dt = suggested(r);
    if (adapts)
        return dt > 0 ? dt : whole_span(r);
    if (dt == 0) {
        dt = whole_span(r);
        say("dt %g: no force changes from place to place, and the input suggests none", dt);
    } else
        say("dt %g, from the shortest time in which the forces change a motion, as %s", dt,
            r->bodies.meta.dt > 0 ? "the input's is for another softening" : "the input suggests none");
    return dt;
}

void sim_integrator_warn(const struct run *r)
{
    bool gravity = false; /* of the bodies on each other */
    for (int k = 0; k < r->forces.count; k++)
        gravity = gravity || !(r->forces.force[k].flags & NB_EXTERNAL);
    if (r->fixed_by_auto && gravity && r->stepper.softening == 0 && r->bodies.n > 1)
        warn("softening 0: steps of a fixed size cannot follow close pairs of %" PRIu64
             " bodies; mind the energy error (--softening L, or --integrator with --tolerance)",
             r->bodies.n);
}
