/* Setting up a run: what its options and its input ask for, chosen, checked and said. */
#include "run.h"

#include "base/memory.h"
#include "device/range.h"
#include "scene/scene.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What cannot be is a mistake of the command line, or of a checkpoint. */
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

static const struct nb_scheme *choose_scheme(const struct sim_options *o, enum nb_precision precision)
{
    const struct nb_scheme *scheme = nb_scheme_find(o->integrator);
    const double digits = precision == NB_SINGLE ? 1e-7 : precision == NB_QUAD ? 1e-34 : 1e-16;
    if (!scheme)
        refuse(o, "%s", nb_error());
    if (o->tolerance > 0 && !(scheme->traits & NB_ADAPTIVE))
        refuse(o, "--tolerance: %s does not estimate its error (--list-integrators shows which do: adaptive)",
               scheme->name);
    if (o->tolerance > 0 && o->tolerance < digits)
        refuse(o, "--tolerance %g is below the digits of %s precision, %g", o->tolerance, nb_precision_name(precision),
               digits);
    return scheme;
}

/* What is advanced, and by what; a tree's short options are of the record where there is a tree. */
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
        say_verbose("the force takes the velocity, of which %s has that of half a step before: of first order",
                    r->stepper.scheme->name);
    sim_forces_describe(&r->forces, forces, sizeof forces);
    say("%" PRIu64 " %s, %s in %s precision on %s", r->bodies.n, r->bodies.n == 1 ? "body" : "bodies", forces,
        nb_precision_name(r->stepper.state->precision), r->forces.device->description);
}

/* So few bodies are advanced in less time by a CPU than it takes a GPU to be told to: measured with ias15, 30 times
 * less for two, as much for 150. */
#define CPU_BODIES 128

static struct nb_device *open_device(const struct sim_options *o, uint64_t n)
{
    /* A precision or a scheme that only one device has chooses it. */
    const struct nb_scheme *scheme = nb_scheme_find(o->integrator);
    const bool cpu = o->precision == NB_QUAD || (scheme && scheme->traits & NB_PLANETARY) || n <= CPU_BODIES;
    const char *name = o->device ? o->device : "auto";
    struct nb_device *device = must_have(sim_device_open(o, cpu && strcmp(name, "auto") == 0 ? "cpu" : name));
    return device;
}

/* A force that does not serve is the command line's mistake or the input's. */
static noreturn void refuse_force(const struct sim_options *o, bool of_header, const char *why)
{
    if (of_header)
        die("the header's forces: %s (--force chooses others)", why);
    refuse(o, "%s", why);
}

/* What runs without contacts says nothing of walls, and what leaves the system does not come back. */
static void check_contacts(struct run *r)
{
    const unsigned flags = nb_force_set_flags(&r->forces);
    if (!(flags & NB_CONTACT))
        nb_scene_drop_measured(&r->bodies.meta);
    else if (!(flags & NB_READS_RADIUS) && !r->options->resume && nb_force_radii_differ(&r->bodies))
        warn(
            "the column 'radius' has other radii than the header's, which all disks have here (--force contact:radius=column takes the column's)");
    if (r->options->dt < 0 && flags & NB_OPEN && flags & NB_CONTACT)
        refuse(r->options, "--dt below 0: damping or a flow has no way back");
}

/* Scripts that change N give --theta whatever auto chooses: a note, not an error. */
static void tell_unused(const struct run *r, const char *name, const char *value)
{
    bool used = !value;
    for (int k = 0; k < r->forces.count && !used; k++) {
        struct nb_force_spec spec;
        used = nb_force_parse(r->forces.force[k].entry->method, &spec) == 0 && !isnan(nb_force_value(&spec, name));
    }
    if (!used)
        say("note: --%s has no effect, since the force is not the tree", name);
}

/* Post-Newtonian terms that nothing feels are a mistake. */
static void check_holes(const struct run *r)
{
    const struct nb_column *component = nb_bodies_find(&r->bodies, "component");
    if (!(nb_force_set_flags(&r->forces) & NB_READS_HOLES))
        return;
    for (uint64_t i = 0; component && i < r->bodies.n; i++)
        if (nb_column_get(component, i, 0) == NB_BLACK_HOLE)
            return;
    die("--pn: none of the bodies is a black hole (nbedit --set 'component = hole if id == 0' makes one)");
}

static void open_forces(struct run *r, enum nb_precision precision)
{
    const struct sim_options *o = r->options;
    const struct nb_scheme *scheme = r->stepper.scheme;
    struct nb_force_spec spec[NB_FORCES_MAX];
    const int count = tool_forces_choose(&o->forces, &r->bodies, spec);
    const bool of_header = o->forces.count == 0 && r->bodies.meta.force_count > 0;
    r->want = NB_WANT_ACC | scheme->want | (o->write_phi || r->watch.on ? NB_WANT_PHI : 0) |
              (o->write_pressure ? NB_WANT_PRESSURE : 0);
    for (int k = 0; k < count; k++) {
        errno = 0;
        if (nb_force_set_add(&r->forces, &spec[k], precision, r->want, r->bodies.n, &r->bodies.meta) == 0)
            ;
        else if (errno == ENOMEM || errno == EIO || errno == EDOM) /* the world failed, or the input */
            sim_check(-1);
        else
            refuse_force(o, of_header, nb_error());
    }
    const unsigned flags = nb_force_set_flags(&r->forces);
    if (nb_scheme_refuse(scheme, flags))
        refuse(o, "--integrator %s: %s", scheme->name, nb_scheme_refuse(scheme, flags));
    check_contacts(r);
    check_holes(r);
    sim_events_check(r);
    tell_unused(r, "theta", o->forces.theta);
    tell_unused(r, "rebuild", o->forces.rebuild);
}

/* --softening, or what the input says; a column with other lengths is dropped. */
static void choose_softening(struct run *r)
{
    const double given = r->options->softening;
    if (nb_force_set_flags(&r->forces) & NB_CONTACT) {
        if (!isnan(given))
            refuse(r->options, "--softening: bodies that touch have none");
        return;
    }
    if (isnan(given) && nb_bodies_softening(&r->bodies, &r->stepper.softening))
        die("%s (--softening L takes one)", nb_error());
    if (!isnan(given)) {
        r->stepper.softening = given;
        nb_bodies_drop(&r->bodies, "softening");
    }
    if (nb_force_set_flags(&r->forces) & NB_BETWEEN && r->stepper.softening > 0)
        refuse(r->options,
               "--pn: post-Newtonian terms are of gravity without softening, which is %g here (--softening 0)",
               r->stepper.softening);
}

static void check_state(const struct run *r, enum nb_precision precision, double softening)
{
    const struct nb_scheme *scheme = r->stepper.scheme;
    const char *why = nb_scheme_refuse_state(scheme, r->forces.device, precision, softening);
    if (why)
        refuse(r->options, "--integrator %s: %s", scheme->name, why);
}

/* The columns of the output beside the input's, the copy for checkpoints and, where the device is this machine, the
 * run's own memory. */
static int check_memory(const struct run *r, enum nb_precision precision)
{
    const struct sim_options *o = r->options;
    const unsigned flags = nb_force_set_flags(&r->forces);
    const uint64_t n = r->bodies.n;
    const int rows = sim_columns_field_rows(r) + sim_watch_rows(r) +
                     3 * nb_scheme_vectors(r->stepper.scheme, o->tolerance > 0, flags & NB_NEEDS_VELOCITY);
    const double run = nb_device_is_host(r->forces.device) ? nb_force_set_bytes(&r->forces, precision, rows, n) : 0;
    const double copy = r->checkpoints ? nb_scheme_pack_bytes(r->stepper.scheme, precision, n) : 0;
    const double columns =
        sim_columns_bytes(&r->bodies, o, precision, flags) + sim_watch_bytes(r, precision) + sim_sample_bytes(r);
    return nb_force_set_fits(&r->forces, precision, rows, n) || nb_memory_check(n, run + copy + columns) ? -1 : 0;
}

/* Where memory may be short, the estimate for a tree follows from a sample of the bodies. */
static void sample_forces(struct run *r, enum nb_precision precision)
{
    double available, total;
    if (nb_device_memory(r->forces.device, &available, &total) == 0 &&
        nb_force_set_bytes(&r->forces, precision, 0, r->bodies.n) > 0.5 * available)
        sim_check(nb_force_set_sample(&r->forces, precision, &r->bodies, r->stepper.softening, NB_FORCE_SAMPLE));
}

void sim_choose(struct run *r, bool empty)
{
    const struct sim_options *o = r->options;
    struct nb_stepper *p = &r->stepper;
    struct nb_device *device = open_device(o, r->bodies.n);
    const enum nb_precision precision = o->precision >= 0 ? (enum nb_precision)o->precision : device->usual;
    nb_force_set_init(&r->forces, device);
    p->forces = &r->forces;
    p->scheme = choose_scheme(o, precision);
    p->own = o->own;
    sim_watch_choose(r);
    open_forces(r, precision);
    sim_watch_check(r);
    if (!empty) {
        p->G = r->bodies.meta.G;
        choose_softening(r);
        sample_forces(r, precision);
    }
    errno = 0;
    if (check_memory(r, precision) && !(sim_watch_give_up(r) && check_memory(r, precision) == 0))
        sim_check(-1);
    check_state(r, precision, empty ? (double)NAN : p->softening);
    p->state =
        empty ? nb_state_create_zero(device, precision, r->bodies.n) : nb_state_create(device, precision, &r->bodies);
    if (p->state && !empty)
        nb_state_part_massless(p->state, &r->bodies, p->softening);
    sim_check(p->state ? nb_force_set_read_columns(&r->forces, &r->bodies, p->state) : -1);
    introduce(r);
}

static noreturn void die_of_acceleration(const struct run *r, uint64_t i)
{
    const struct nb_column *pos = nb_bodies_find(&r->bodies, "pos");
    for (uint64_t j = 0; j < r->bodies.n; j++)
        if (j != i && nb_column_get(pos, j, 0) == nb_column_get(pos, i, 0) &&
            nb_column_get(pos, j, 1) == nb_column_get(pos, i, 1) &&
            nb_column_get(pos, j, 2) == nb_column_get(pos, i, 2))
            die("bodies %" PRIu64 " and %" PRIu64
                " are at one place, where the force without softening has no value (--softening L)",
                i < j ? i : j, i < j ? j : i);
    die("body %" PRIu64 ": the acceleration is not a finite number in %s precision", i,
        nb_precision_name(r->stepper.state->precision));
}

/* Squared distances have to fit the pairs' type, or far bodies would not attract one another at all. */
static void check_extent(const struct run *r)
{
    const struct nb_column *pos = nb_bodies_find(&r->bodies, "pos");
    double extent = r->stepper.softening, low[3], high[3];
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min                      \
                                                    : low[:3]) reduction(max \
                                                                         : high[:3]) if (r->bodies.n > SIM_PARALLEL)
    for (uint64_t i = 0; i < r->bodies.n; i++)
        for (int k = 0; k < 3; k++) {
            const double x = nb_column_get(pos, i, k);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    for (int k = 0; k < 3; k++)
        extent = hypot(extent, high[k] - low[k]);
    const enum nb_precision precision = r->stepper.state->precision;
    const double extent2 = extent * extent;
    if (precision != NB_QUAD && extent2 > (precision == NB_DOUBLE ? 1e307 : 1e37))
        die("the bodies are spread over %g, whose square does not fit %s precision (%sother units)", extent,
            nb_precision_name(precision), extent2 < 1e307 ? "--precision double, or " : "");
}

/* Looks through the accelerations, if any of them is not finite. */
static void check_acceleration(const struct run *r)
{
    const struct nb_state *s = r->stepper.state;
    const void *const a = s->a;
    double extent;
    sim_check(nb_device_extent(s->device, s->precision, s->n, s->stride, 1, &a, &extent));
    if (isfinite(extent))
        return;
    struct nb_column acc = {.name = "acc", .type = sim_type_of(s->precision), .width = 3};
    acc.data = claimed(malloc(nb_column_bytes(&acc, r->bodies.n)), "no memory for %" PRIu64 " bodies", r->bodies.n);
    sim_check(nb_state_fetch(s, s->a, &acc));
    const uint64_t bad = nb_column_first_bad(&acc, r->bodies.n);
    if (bad < r->bodies.n)
        die_of_acceleration(r, bad);
    free(acc.data);
}

/* A bad start is an error before any output. */
static void start(struct run *r)
{
    check_extent(r);
    if (r->stepper.scheme->traits & NB_PLANETARY && r->stepper.state->least > 0)
        die("bodies of mass 0 are at one place, which %s cannot follow (--integrator ias15)", r->stepper.scheme->name);
    sim_check(nb_step_begin(&r->stepper));
    check_acceleration(r);
}

/* How many frames there will be, where that is known. */
static const char *frames_text(const struct run *r, char text[64])
{
    const uint64_t every = r->options->every_steps;
    if (every > 0)
        snprintf(text, 64, "a frame each %s", tool_many(every, "step", "steps"));
    else
        snprintf(text, 64, "%s", tool_many(sim_schedule_frames(&r->schedule), "frame", "frames"));
    return text;
}

/* What is said before a run with adaptive steps, and its bounds. */
static void plan_control(struct run *r, double dt)
{
    const struct sim_options *o = r->options;
    const double span = fabs(r->schedule.end - r->schedule.begin);
    r->control = (struct nb_control){
        .tolerance = o->tolerance,
        .min_step = isnan(o->min_dt) ? fmin(1e-12 * span, isnan(o->max_dt) ? INFINITY : o->max_dt) : o->min_dt,
        .max_step = isnan(o->max_dt) ? (double)INFINITY : o->max_dt,
    };
    char frames[64];
    r->control.step = fmin(fmax(dt, r->control.min_step), r->control.max_step);
    say("%s, tolerance %g, from t = %g to %g, %s", r->stepper.scheme->name, o->tolerance, r->schedule.begin,
        r->schedule.end, frames_text(r, frames));
}

static void check_external(const struct run *r, double h)
{
    const double frequency = sim_external_frequency(r);
    if (h * frequency > 1)
        warn("dt %g is longer than the %g in which an external force changes a motion (--dt)", h, 1 / frequency);
}

/* The step of the header, and the step that was asked for, by this run or by the one that wrote the header. */
static void note_step(struct run *r, double dt, double h)
{
    struct nb_meta *meta = &r->bodies.meta;
    const bool of_header = r->options->dt == 0 && dt == meta->dt && meta->dt_asked > 0;
    const double asked = of_header ? meta->dt_asked : dt;
    meta->dt = h;
    meta->dt_asked = fabs(h - asked) > 1e-12 * asked ? asked : 0;
}

static void plan_steps(struct run *r, double dt)
{
    const struct sim_schedule *s = &r->schedule;
    const double h = fabs((double)(s->count ? s->h : s->last_h));
    if (h > 0 && fabs(h - dt) > 1e-12 * dt)
        say("dt %g shortened to %.9g, to land on the outputs", dt, h);
    check_external(r, h);
    say("%s, dt %g, from t = %g to %g in %s, %s", r->stepper.scheme->name, h > 0 ? h : dt, s->begin, s->end,
        tool_many(sim_schedule_steps(s), "step", "steps"), tool_many(sim_schedule_frames(s), "frame", "frames"));
    /* With no steps dt may be a stand-in, and a base step is not for all bodies: no one should step with these. */
    if (sim_schedule_steps(s) > 0 && !(r->stepper.scheme->traits & NB_OWN_STEPS))
        note_step(r, dt, h);
}

/* Of those, the last ones in the frame that it starts from may go on. */
static void plan_bounded(struct run *r)
{
    const struct sim_schedule *s = &r->schedule;
    const double frequency = sim_external_frequency(r);
    char frames[64];
    double bound;
    r->bounded.longest = frequency > 0 ? SIM_FIELD_SHARE / frequency : INFINITY;
    if (r->stepper.scheme->traits & NB_OWN_STEPS) {
        say("%s, eta %g, from t = %g to %g, %s", r->stepper.scheme->name, r->options->own.eta, s->begin, s->end,
            frames_text(r, frames));
        return;
    }
    r->bounded.h = r->bodies.meta.dt;
    r->bodies.meta.dt_asked = 0;
    sim_check(sim_bound_now(r, &bound));
    say("%s, steps as long as contacts allow, %.3g now, from t = %g to %g, %s", r->stepper.scheme->name, bound,
        s->begin, s->end, frames_text(r, frames));
}

/* Of the velocities in a flow's inlet; NULL: nothing is random. */
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
    const double dt = o->bounded ? 0 : sim_dt_choose(r);
    if (o->every_steps > 0 && sim_steps_are_fixed(o)) {
        o->every = (double)o->every_steps * dt;
        o->every_steps = 0;
    }
    r->schedule = sim_schedule_make(r->options, &r->bodies.meta, dt);
    sim_check(nb_force_set_covers(&r->forces, r->schedule.begin, r->schedule.end));
    if (r->options->every > 0) {
        r->bodies.meta.origin = r->schedule.origin;
        r->bodies.meta.every = r->options->every;
    }
    if (r->options->tolerance > 0)
        plan_control(r, dt);
    else if (r->options->bounded)
        plan_bounded(r);
    else
        plan_steps(r, dt);
    r->bodies.meta.softening = r->stepper.softening;
    sim_forces_note(&r->forces, &r->bodies.meta);
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
    sim_choose(r, false);
    plan(r, o);
    tool_catch_signals();
    sim_checkpoints_claim(r);
    open_output(r, appended);
    start(r);
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
