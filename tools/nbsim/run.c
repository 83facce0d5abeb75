/* The run: a system on a device, advanced from output to output. */
#include "nbsim.h"

#include "error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct run {
    const struct sim_options *options;
    struct nb_bodies bodies; /* the input; its columns become the output's */
    struct nb_stepper stepper;
    void *d_phi; /* NULL unless it is written */
    struct sim_schedule schedule;
    struct tool_output *output;
    struct nb_snap_writer *writer;
    uint64_t steps_done;
    double begin_s;
};

static void checked(int status)
{
    if (status)
        die("%s", nb_error());
}

/* ---- the columns of the output ---- */

static void change_type(struct nb_column *c, enum nb_type type, uint64_t n)
{
    struct nb_column old = *c;
    c->type = type;
    c->data = aligned_alloc(NB_ALIGN, nb_column_bytes_padded(c, n));
    if (!c->data)
        die("no memory for column '%s'", c->name);
    for (uint64_t k = 0; k < n * (uint64_t)c->width; k++) {
        double value = type == NB_F32 ? ((double *)old.data)[k] : (double)((float *)old.data)[k];
        if (type == NB_F32)
            ((float *)c->data)[k] = (float)value;
        else
            ((double *)c->data)[k] = value;
    }
    free(old.data);
}

/* What the run makes untrue goes; everything unknown stays. */
static void lay_out(struct run *r)
{
    static const char *const stale[] = {"acc", "phi", "jerk", "pos_lo", "vel_lo"};
    struct nb_bodies *b = &r->bodies;
    int store = r->options->store;
    enum nb_type type = store >= 0 ? (enum nb_type)store : r->stepper.state->precision == NB_SINGLE ? NB_F32 : NB_F64;
    for (size_t k = 0; k < sizeof stale / sizeof *stale; k++)
        nb_bodies_drop(b, stale[k]);
    for (int k = 0; k < 3; k++) {
        struct nb_column *c = nb_bodies_find(b, (const char *const[]){"mass", "pos", "vel"}[k]);
        if (c->type != type)
            change_type(c, type, b->n);
    }
    if (r->options->write_acc)
        checked(nb_bodies_add(b, "acc", type, 3, "L/T^2"));
    if (r->options->write_phi)
        checked(nb_bodies_add(b, "phi", type, 1, "L^2/T^2"));
    checked(nb_bodies_alloc(b));
}

/* ---- setting up ---- */

static void choose(struct run *r)
{
    const struct sim_options *o = r->options;
    struct nb_stepper *p = &r->stepper;
    char description[128];
    const struct nb_device *device = nb_device_choose(o->device, description, sizeof description);
    if (!device)
        die("%s", nb_error());
    enum nb_precision precision = o->precision >= 0 ? (enum nb_precision)o->precision : device->usual;
    unsigned want = NB_WANT_ACC | (o->write_phi ? NB_WANT_PHI : 0);
    p->force = nb_force_choose(o->force, device, precision, want, r->bodies.n);
    p->scheme = nb_scheme_find(o->integrator);
    if (!p->force || !p->scheme)
        die_usage("%s", nb_error());
    p->work = p->force->open ? p->force->open() : NULL;
    p->G = r->bodies.meta.G;
    p->softening = isnan(o->softening) ? r->bodies.meta.softening : o->softening;
    p->state = nb_state_create(device, precision, &r->bodies);
    if (!p->state)
        die("%s", nb_error());
    say("%" PRIu64 " %s, %s force in %s precision on %s", r->bodies.n, r->bodies.n == 1 ? "body" : "bodies",
        p->force->method, nb_precision_name(precision), description);
}

static noreturn void die_of_acceleration(const struct run *r, uint64_t i)
{
    const struct nb_column *pos = nb_bodies_find(&r->bodies, "pos");
    for (uint64_t j = 0; j < r->bodies.n; j++)
        if (j != i && nb_column_get(pos, j, 0) == nb_column_get(pos, i, 0) &&
            nb_column_get(pos, j, 1) == nb_column_get(pos, i, 1) &&
            nb_column_get(pos, j, 2) == nb_column_get(pos, i, 2))
            die("bodies %" PRIu64 " and %" PRIu64 " are at one place, where the force without softening has no value "
                "(--softening L)",
                i < j ? i : j, i < j ? j : i);
    die("body %" PRIu64 ": the acceleration is not a finite number in %s precision", i,
        nb_precision_name(r->stepper.state->precision));
}

/* The acceleration at the beginning, looked through: a bad start is an error before any output. */
static void start(struct run *r)
{
    struct nb_column acc = {.name = "acc", .type = NB_F64, .width = 3};
    acc.data = malloc(nb_column_bytes(&acc, r->bodies.n));
    if (!acc.data)
        die("no memory for %" PRIu64 " bodies", r->bodies.n);
    checked(nb_step_begin(&r->stepper));
    checked(nb_state_fetch(r->stepper.state, r->stepper.state->a, &acc));
    uint64_t bad = nb_column_first_bad(&acc, r->bodies.n);
    if (bad < r->bodies.n)
        die_of_acceleration(r, bad);
    free(acc.data);
}

/* The step asked for, the header's, or one from the bodies themselves; positive. */
static double choose_dt(struct run *r)
{
    double dt = r->options->dt != 0 ? fabs(r->options->dt) : r->bodies.meta.dt;
    if (dt > 0 || r->options->steps == 0)
        return dt > 0 ? dt : 1;
    dt = nb_step_suggest(&r->stepper);
    if (dt < 0)
        die("%s", nb_error());
    if (dt == 0) /* nothing accelerates: any step is exact */
        dt = isnan(r->options->until) ? 1 : fmax(fabs(r->options->until - r->bodies.meta.time), 1e-300);
    say("dt %g from 0.02 min sqrt|phi|/|a|, as the input suggests none", dt);
    return dt;
}

static void plan(struct run *r)
{
    double dt = choose_dt(r);
    r->schedule = sim_schedule_make(r->options, r->bodies.meta.time, dt);
    const struct sim_schedule *s = &r->schedule;
    double h = fabs(s->count ? s->h : s->last_h);
    if (h > 0 && fabs(h - dt) > 1e-12 * dt)
        say("dt %.17g instead of %g, to land on the outputs", h, dt);
    say("%s, dt %g, from t = %g to %g in %" PRIu64 " steps, %" PRIu64 " frames", r->stepper.scheme->name,
        h > 0 ? h : dt, s->begin, s->end, sim_schedule_steps(s), sim_schedule_frames(s));
    r->bodies.meta.dt = h > 0 ? h : dt;
    r->bodies.meta.softening = r->stepper.softening;
    tool_record(&r->bodies.meta, NULL);
}

static void open_output(struct run *r)
{
    r->output = tool_output_open(tool_options.output, true);
    r->writer = nb_snap_create(tool_output_fd(r->output), tool_output_name(r->output));
    if (!r->writer)
        die("%s", nb_error());
    if (r->options->write_phi && !(r->d_phi = nb_state_vector(r->stepper.state)))
        die("%s", nb_error());
}

/* ---- running ---- */

static void close_stream(struct run *r)
{
    if (nb_snap_finish(r->writer))
        tool_output_failed();
    nb_snap_destroy(r->writer);
    tool_output_close(r->output);
}

/* What has overflowed or met is not written; what was written stays a whole stream. */
static void check_frame(struct run *r, double time)
{
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "vel" : "pos";
        uint64_t i = nb_column_first_bad(nb_bodies_find(&r->bodies, name), r->bodies.n);
        if (i == r->bodies.n)
            continue;
        close_stream(r);
        die("body %" PRIu64 ": %s is no longer a finite number at t = %g (step %" PRIu64 "); the stream ends before", i,
            name, time, r->bodies.meta.step + r->steps_done);
    }
}

static void write_frame(struct run *r, double time)
{
    const struct nb_state *s = r->stepper.state;
    struct nb_bodies *b = &r->bodies;
    uint64_t first_step = b->meta.step;
    checked(nb_state_fetch(s, s->x, nb_bodies_find(b, "pos")));
    checked(nb_state_fetch(s, s->v, nb_bodies_find(b, "vel")));
    check_frame(r, time);
    if (r->options->write_acc)
        checked(nb_state_fetch(s, s->a, nb_bodies_find(b, "acc")));
    if (r->d_phi) {
        checked(
            nb_force_state(r->stepper.force, r->stepper.work, s, r->stepper.G, r->stepper.softening, NULL, r->d_phi));
        checked(nb_state_fetch(s, r->d_phi, nb_bodies_find(b, "phi")));
    }
    b->meta.time = time;
    b->meta.step = first_step + r->steps_done;
    if (nb_snap_write(r->writer, b))
        tool_output_failed();
    b->meta.step = first_step;
    tool_output_keep(r->output, true);
}

static void show_progress(const struct run *r)
{
    uint64_t total = sim_schedule_steps(&r->schedule);
    double elapsed_s = tool_clock() - r->begin_s, rate = (double)r->steps_done / fmax(elapsed_s, 1e-9);
    double left_s = (double)(total - r->steps_done) / fmax(rate, 1e-9);
    tool_progress("step %" PRIu64 "/%" PRIu64 ", %.3g steps/s, %.0f:%02.0f left", r->steps_done, total, rate,
                  floor(left_s / 60), floor(fmod(left_s, 60)));
}

/* Takes up to `steps` steps from `time`; false when a signal ended it, after a whole last frame. */
static bool advance(struct run *r, double time, uint64_t steps, double h)
{
    for (uint64_t k = 0; k < steps; k++) {
        if (tool_signal) {
            if (k > 0)
                write_frame(r, time + (double)k * h);
            return false;
        }
        checked(nb_step(&r->stepper, h));
        r->steps_done++;
        show_progress(r);
    }
    return true;
}

static bool run_schedule(struct run *r)
{
    const struct sim_schedule *s = &r->schedule;
    write_frame(r, s->begin);
    for (uint64_t k = 0; k < s->count; k++) {
        if (!advance(r, sim_schedule_time(s, k), s->steps, s->h))
            return false;
        write_frame(r, sim_schedule_time(s, k + 1));
    }
    if (s->last_steps > 0) {
        if (!advance(r, sim_schedule_time(s, s->count), s->last_steps, s->last_h))
            return false;
        write_frame(r, s->end);
    }
    return true;
}

static void report(const struct run *r, bool whole)
{
    double elapsed_s = tool_clock() - r->begin_s, pairs = (double)r->bodies.n * (double)r->bodies.n;
    tool_progress_end();
    if (!whole)
        say("ended by signal %d after step %" PRIu64 "; the stream is whole", (int)tool_signal, r->steps_done);
    else if (r->steps_done > 0)
        say("%" PRIu64 " steps in %.3g s, %.4g steps/s, %.3g Gpair/s", r->steps_done, elapsed_s,
            (double)r->steps_done / elapsed_s, 1e-9 * pairs * (double)r->steps_done / elapsed_s);
}

static void clean_up(struct run *r)
{
    struct nb_stepper *p = &r->stepper;
    p->state->device->free(r->d_phi);
    if (p->force->close)
        p->force->close(p->work);
    nb_state_destroy(p->state);
    nb_bodies_free(&r->bodies);
}

int sim_run(const struct sim_options *o)
{
    struct run r = {.options = o};
    nb_bodies_init(&r.bodies);
    tool_output_check(tool_options.output, true);
    tool_input_frame(o->input, &r.bodies);
    choose(&r);
    plan(&r);
    tool_catch_signals();
    open_output(&r);
    start(&r);
    lay_out(&r);
    r.begin_s = tool_clock();
    bool whole = run_schedule(&r);
    close_stream(&r);
    report(&r, whole);
    clean_up(&r);
    return whole ? TOOL_OK : 128 + tool_signal;
}
