/* integrator.c - sets, records and prints the integrator and the step size that lib/prepare chooses. */
#include "run.h"

#include <stdio.h>

static void record_number(const char *option, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    tool_note(option, text);
}

void sim_integrator_choose(struct run *r, struct sim_options *o)
{
    unsigned decided;
    const int status = nb_prepare_choose(&o->run, &r->bodies, &decided);
    if (status == NB_REFUSED)
        die_usage("%s", nb_error());
    sim_check(status);
    if (decided & NB_DECIDED_TOLERANCE)
        record_number("tolerance", o->run.tolerance);
    if (decided & NB_DECIDED_PRECISION)
        tool_note("precision", nb_precision_name((enum nb_precision)o->run.precision));
    if (decided & NB_DECIDED_THETA)
        tool_note("theta", o->run.forces.theta);
    if (decided & NB_DECIDED_INTEGRATOR)
        tool_note("integrator", o->run.integrator);
    r->fixed_by_auto = decided & NB_DECIDED_FIXED;
}

/* ---- the size of steps ---- */

/* After the first step, nbsim warns if the fixed step is longer than SLACK times the longest step that the forces
 * allow. SLACK is above 1, because the longest allowed step depends on the fastest body and changes with time, but the
 * fixed step was chosen at the start. */
#define SLACK 1.25

int sim_bound_look(struct run *r, double time)
{
    const double h = sim_step_size(r);
    double bound;
    if (!nb_prepare_steps_are_fixed(&r->options->run) || r->warned_of_bound ||
        sim_schedule_intervals(&r->schedule) == 0 || !(nb_force_set_flags(&r->forces) & NB_BOUNDS_STEP))
        return 0;
    if (nb_force_set_longest_step(&r->forces, r->stepper.state, &bound))
        return -1;
    if (h <= bound * (r->steps_done > 0 ? SLACK : 1 + 1e-9))
        return 0;
    warn("t = %.9g: steps of %.3g exceed the limit of %.3g for contacts (the default step size does not)", time, h,
         bound);
    r->warned_of_bound = true;
    return 0;
}

double sim_dt_choose(struct run *r)
{
    const struct nb_prepare_options *o = &r->options->run;
    const bool bounds = nb_force_set_flags(&r->forces) & NB_BOUNDS_STEP;
    struct nb_prepare_step step;
    sim_check(nb_prepare_dt(o, &r->bodies, &r->stepper, &step));
    r->dt_from = o->dt != 0       ? "--dt"
                 : bounds         ? "the longest in which contacts are followed"
                 : step.objection ? "the shortest time in which the forces change a motion"
                                  : "the input's header";
    if (step.by == NB_DT_ANY)
        say("dt %g: the forces are the same everywhere, and the input suggests no step", step.dt);
    else if (step.by == NB_DT_OWN)
        say("dt %g, the longest step of any body", step.dt);
    else if (step.by == NB_DT_SPLIT)
        say("dt %g, a fraction of the time in which a body crosses the changeover", step.dt);
    else if (step.by == NB_DT_BOUND)
        say("dt %g, the present limit for contacts", step.dt);
    else if (step.by == NB_DT_SUGGESTED)
        say("dt %g, from the shortest time scale of the forces, as %s", step.dt, step.objection);
    return step.dt;
}
