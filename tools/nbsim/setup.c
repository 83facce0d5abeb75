/* setup.c - prepares a run: opens device, forces and output, and plans the steps, from the options and the input. */
#include "run.h"

#include "base/memory.h"
#include "scene/scene.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Dies with a message about the command line, or about the checkpoint if the run is resumed. */
static noreturn void refuse(const struct sim_options *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
static noreturn void refuse(const struct sim_options *o, const char *format, ...)
{
    char why[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    if (o->resume)
        die("%s: %s", o->resume, why);
    die_usage("%s", why);
}

/* Prints the first line of a run: number of bodies, forces, precision and device. If no tree is used, removes --theta
 * and --rebuild from the command line that is recorded in the output. */
static void introduce(const struct run *r)
{
    char forces[2048];
    for (const char *const *name = (const char *const[]){"theta", "rebuild", NULL}; *name; name++) {
        bool known = false;
        for (int k = 0; k < r->forces.count; k++)
            known = known || !isnan(nb_force_value(&r->forces.force[k].spec, *name));
        if (!known || nb_force_set_flags(&r->forces) & NB_ALL_PAIRS)
            tool_forget(*name);
    }
    bool first_order = false;
    for (int k = 0; k < r->forces.count; k++)
        first_order = first_order ||
                      (r->forces.force[k].flags & NB_NEEDS_VELOCITY && !(r->forces.force[k].flags & NB_TAKES_KICK));
    if (first_order && r->stepper.scheme->family == nb_scheme_find("leapfrog")->family)
        say_verbose("the force depends on the velocity, which %s has half a step late: the method is of first order",
                    r->stepper.scheme->name);
    sim_forces_describe(&r->forces, forces, sizeof forces);
    say("%" PRIu64 " %s, %s in %s precision on %s", r->bodies.n, r->bodies.n == 1 ? "body" : "bodies", forces,
        nb_precision_name(r->stepper.state->precision), r->forces.device->description);
}

/* Checks `status`, the result of a function of lib/prepare: does nothing if it is 0, otherwise dies. The status
 * NB_REFUSED means that the user's options are wrong. */
static void prepared(const struct run *r, int status)
{
    if (status == NB_REFUSED)
        refuse(r->options, "%s", nb_error());
    sim_check(status);
}

static void warn_of_radii(const struct run *r)
{
    const unsigned flags = nb_force_set_flags(&r->forces);
    if (flags & NB_CONTACT && !(flags & NB_READS_RADIUS) && !r->options->resume && nb_force_radii_differ(&r->bodies))
        warn("the column 'radius' differs from the radius in the header, which is used for all disks (--force "
             "contact:radius=column uses the column)");
}

/* Prints a note if an option of the tree (--theta, --rebuild) has no effect. It is not an error, because a script may
 * give --theta for all numbers of bodies, and `auto` chooses direct summation for few bodies. */
static void tell_unused(const struct run *r, const char *name, const char *value)
{
    bool used = !value;
    for (int k = 0; k < r->forces.count && !used; k++) {
        struct nb_force_spec spec;
        used = nb_force_parse(r->forces.force[k].entry->method, &spec) == 0 && !isnan(nb_force_value(&spec, name));
    }
    if (!used)
        say("note: --%s has no effect, because this run does not use the tree force", name);
}

/* Returns 0 if there is enough memory, or -1 after nb_fail. The device must hold the state and the forces. The host
 * must hold the columns of the output and the copy for checkpoints. On a CPU, the host must hold all of these. */
static int check_memory(const struct run *r, enum nb_precision precision)
{
    const struct sim_options *o = r->options;
    const unsigned flags = nb_force_set_flags(&r->forces);
    const uint64_t n = r->bodies.n;
    const int rows = sim_columns_field_rows(r) + sim_watch_rows(r) +
                     3 * nb_scheme_vectors(r->stepper.scheme, o->run.tolerance > 0, flags & NB_NEEDS_VELOCITY);
    const double run = nb_device_is_host(r->forces.device) ? nb_force_set_bytes(&r->forces, precision, rows, n) : 0;
    const double copy = r->checkpoints ? nb_scheme_pack_bytes(r->stepper.scheme, precision, n) : 0;
    const double columns =
        sim_columns_bytes(&r->bodies, o, precision, flags) + sim_watch_bytes(r, precision) + sim_sample_bytes(r);
    return nb_force_set_fits(&r->forces, precision, rows, n) || nb_memory_check(n, run + copy + columns) ? -1 : 0;
}

/* If the first estimate of the needed memory exceeds half the available memory, improves the estimate for tree forces:
 * evaluates them on a sample of the bodies. */
static void sample_forces(struct run *r, enum nb_precision precision)
{
    double available, total;
    if (nb_device_memory(r->forces.device, &available, &total) == 0 &&
        nb_force_set_bytes(&r->forces, precision, 0, r->bodies.n) > 0.5 * available)
        sim_check(nb_force_set_sample(&r->forces, precision, &r->bodies, r->stepper.softening, NB_FORCE_SAMPLE));
}

void sim_choose(struct run *r, struct sim_options *o, bool empty)
{
    struct nb_stepper *p = &r->stepper;
    enum nb_precision precision;
    nb_force_set_init(&r->forces, must_have(sim_device_open(o, nb_prepare_device(&o->run, r->bodies.n))));
    p->forces = &r->forces;
    sim_watch_choose(r);
    r->want = (o->write_phi || r->watch.on ? NB_WANT_PHI : 0) | (o->write_pressure ? NB_WANT_PRESSURE : 0);
    prepared(r, nb_prepare_forces(&o->run, &r->bodies, p, &r->want, &precision));
    if (!empty && !isnan(o->run.until))
        sim_check(nb_force_set_covers(&r->forces, r->bodies.meta.time, o->run.until));
    warn_of_radii(r);
    sim_events_check(r);
    tell_unused(r, "theta", o->run.forces.theta);
    tell_unused(r, "rebuild", o->run.forces.rebuild);
    sim_watch_check(r);
    if (!empty) {
        prepared(r, nb_prepare_softening(&o->run, &r->bodies, p));
        sample_forces(r, precision);
    }
    errno = 0;
    if (check_memory(r, precision) && !(sim_watch_give_up(r) && check_memory(r, precision) == 0))
        sim_check(-1);
    prepared(r, nb_prepare_state(&r->bodies, p, precision, empty));
    sim_log_check_files(r);
    introduce(r);
}

/* Returns text with the number of frames. For --every steps:K, returns text with the number of steps per frame. */
static const char *frames_text(const struct run *r, char text[64])
{
    const uint64_t every = r->options->every_steps;
    if (every > 0)
        snprintf(text, 64, "a frame each %s", tool_many(every, "step", "steps"));
    else
        snprintf(text, 64, "%s", tool_many(sim_schedule_frames(&r->schedule), "frame", "frames"));
    return text;
}

static void plan_control(struct run *r, double dt)
{
    const struct nb_prepare_options *o = &r->options->run;
    char frames[64];
    r->control = nb_prepare_control(o, &r->forces, r->schedule.begin, r->schedule.end, dt);
    if (isnan(o->max_dt) && isfinite(r->control.max_step))
        say("steps of at most %.3g, so that no step misses a change in the file of an external field (--max-dt)",
            r->control.max_step);
    say("%s, tolerance %g, from t = %g to %g, %s", r->stepper.scheme->name, o->tolerance, r->schedule.begin,
        r->schedule.end, frames_text(r, frames));
}

static void check_external(const struct run *r, double h)
{
    const double frequency = nb_prepare_frequency(&r->bodies, &r->forces);
    if (h * frequency > 1)
        warn("dt %g is longer than %g, the time scale of an external force (--dt)", h, 1 / frequency);
}

/* Sets the step sizes in the frame's header. meta->dt becomes h, the step size of this run. meta->dt_asked becomes the
 * requested step size, or 0 if this is equal to h. The requested step size is dt, with one exception: if dt is from the
 * input's header and this header also has a dt_asked, the requested step size is the header's dt_asked. */
static void note_step(struct run *r, double dt, double h)
{
    struct nb_meta *meta = &r->bodies.meta;
    const bool of_header = r->options->run.dt == 0 && dt == meta->dt && meta->dt_asked > 0;
    const double asked = of_header ? meta->dt_asked : dt;
    meta->dt = h;
    meta->dt_asked = fabs(h - asked) > 1e-12 * asked ? asked : 0;
}

static void plan_steps(struct run *r, double dt)
{
    const struct sim_schedule *s = &r->schedule;
    const double h = fabs((double)(s->count ? s->h : s->last_h));
    if (h > 0 && fabs(h - dt) > 1e-12 * dt)
        say("dt %g shortened to %.9g, so that steps end at the output times", dt, h);
    check_external(r, h);
    say("%s, dt %g, from t = %g to %g in %s, %s", r->stepper.scheme->name, h > 0 ? h : dt, s->begin, s->end,
        tool_many(sim_schedule_steps(s), "step", "steps"), tool_many(sim_schedule_frames(s), "frame", "frames"));
    /* In a run without steps, the step size has no meaning. With individual time steps, dt is only the base step. */
    if (sim_schedule_steps(s) > 0 && !(r->stepper.scheme->traits & NB_OWN_STEPS))
        note_step(r, dt, h);
}

/* Plans steps whose size the forces limit. The first step has the size h from the input's header if three things are
 * true: h divides the time to the next output, is not above the present limit, and is not much below this limit. */
static void plan_bounded(struct run *r)
{
    const struct sim_schedule *s = &r->schedule;
    char frames[64];
    double bound;
    sim_check(nb_prepare_bounded(&r->bodies, &r->stepper, &r->bounded, &bound));
    if (r->stepper.scheme->traits & NB_OWN_STEPS) {
        say("%s, eta %g, from t = %g to %g, %s", r->stepper.scheme->name, r->options->run.own.eta, s->begin, s->end,
            frames_text(r, frames));
        return;
    }
    r->bodies.meta.dt_asked = 0;
    say("%s, steps limited by contacts, %.3g now, from t = %g to %g, %s", r->stepper.scheme->name, bound, s->begin,
        s->end, frames_text(r, frames));
}

/* Returns the seed for the velocities in the inlet of a flow as text, or NULL if nothing is random. */
static const char *seed_of(const struct run *r, char text[32])
{
    struct nb_scene scene;
    if (!(nb_force_set_flags(&r->forces) & NB_CONTACT))
        return NULL;
    must(nb_scene_read(&r->bodies.meta, &scene));
    const bool flowing = scene.flowing;
    nb_scene_free(&scene);
    for (int k = 0; k < r->forces.count && flowing; k++) {
        const double seed = nb_force_value(&r->forces.force[k].spec, "seed");
        if (r->forces.force[k].flags & NB_CONTACT && !isnan(seed)) {
            snprintf(text, 32, "%.0f", seed);
            return text;
        }
    }
    return NULL;
}

static void plan(struct run *r, struct sim_options *o)
{
    char seed[32];
    const double dt = o->run.bounded ? 0 : sim_dt_choose(r);
    if (o->every_steps > 0 && nb_prepare_steps_are_fixed(&o->run)) {
        o->every = (double)o->every_steps * dt;
        o->every_steps = 0;
    }
    r->schedule = sim_schedule_make(r->options, &r->bodies.meta, dt);
    sim_check(nb_force_set_covers(&r->forces, r->schedule.begin, r->schedule.end));
    if (r->options->every > 0) {
        r->bodies.meta.origin = r->schedule.origin;
        r->bodies.meta.every = r->options->every;
    }
    if (r->options->run.tolerance > 0)
        plan_control(r, dt);
    else if (r->options->run.bounded)
        plan_bounded(r);
    else
        plan_steps(r, dt);
    r->bodies.meta.softening = r->stepper.softening;
    must(nb_prepare_note_forces(&r->forces, &r->bodies.meta));
    tool_record(&r->bodies.meta, seed_of(r, seed));
}

static void open_output(struct run *r, struct tool_output *appended)
{
    const char *path = r->options->dry_run ? "/dev/null" : tool_options.output;
    r->frames = appended ? sim_frames_append(appended, &r->bodies) : sim_frames_open(path, &r->bodies);
    sim_sample_begin(r);
    r->first_step = r->bodies.meta.step;
    sim_need_field(r);
}

void sim_need_field(struct run *r)
{
    const int rows = sim_columns_field_rows(r);
    if (rows == 0)
        return;
    r->d_field = rows == 1 ? nb_state_row(r->stepper.state) : nb_state_vector(r->stepper.state);
    sim_check(r->d_field ? 0 : -1);
}

void sim_setup(struct run *r, struct sim_options *o)
{
    struct sim_last_frame last;
    struct tool_output *appended = o->append ? sim_append_open(tool_options.output, &last) : NULL;
    if (!appended && !(o->dry_run && tool_is_stdout(tool_options.output)))
        tool_output_check(tool_options.output, true);
    for (int k = 0; k < SIM_LOGS; k++)
        sim_log_check(o, (enum sim_log_of)k);
    sim_checkpoints_open(r);
    tool_input_frame(o->input, &r->bodies);
    sim_options_convert(o, &r->bodies.meta);
    sim_sample_look(r);
    sim_events_begin(r);
    sim_integrator_choose(r, o);
    sim_choose(r, o, false);
    if (appended)
        sim_append_check_files(r);
    plan(r, o);
    tool_catch_signals();
    sim_checkpoints_claim(r);
    open_output(r, appended);
    sim_check(nb_prepare_begin(&r->bodies, &r->stepper));
    sim_integrator_warn(r);
    if (o->append)
        r->first_is_there = sim_append_begin(r, &last);
    sim_columns_lay_out(&r->bodies, o, r->stepper.state->precision, nb_force_set_flags(&r->forces));
    sim_watch_ready(r);
    sim_events_ready(r);
    sim_logs_open(r);
    sim_checkpoints_ready(r);
    sim_check_space(r);
    r->begin_time = r->schedule.begin;
}
