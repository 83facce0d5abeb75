/* The run: a system on a device, advanced from output to output. */
#include "nbsim.h"

#include "error.h"
#include "timing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct run {
    const struct sim_options *options;
    struct nb_bodies bodies; /* the input; its columns become the output's */
    struct nb_stepper stepper;
    void *d_phi; /* NULL unless it is written */
    struct sim_schedule schedule;
    struct sim_frames *frames;
    uint64_t first_step; /* the input's count of steps */
    uint64_t steps_done;
    uint64_t burst; /* steps that are taken at once */
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
    if (nb_column_first_bad(nb_bodies_find(b, "mass"), b->n) < b->n)
        die("a mass is too large for %s (--store f64)", nb_type_name(type));
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
    p->scheme = nb_scheme_find(o->integrator);
    if (!p->scheme)
        die_usage("%s", nb_error());
    unsigned want = NB_WANT_ACC | p->scheme->want | (o->write_phi ? NB_WANT_PHI : 0);
    p->force = nb_force_choose(o->force, device, precision, want, r->bodies.n);
    if (!p->force)
        die_usage("%s", nb_error());
    checked(nb_force_open(p->force, &o->tree, &p->work));
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

/* Squared distances have to fit the pairs' type, or far bodies would not attract one another at all. */
static void check_extent(const struct run *r)
{
    const struct nb_column *pos = nb_bodies_find(&r->bodies, "pos");
    double extent2 = r->stepper.softening * r->stepper.softening;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint64_t i = 0; i < r->bodies.n; i++) {
            low = fmin(low, nb_column_get(pos, i, k));
            high = fmax(high, nb_column_get(pos, i, k));
        }
        extent2 += (high - low) * (high - low);
    }
    if (r->stepper.state->precision != NB_DOUBLE && extent2 > 1e37)
        die("the bodies are spread over %g, whose square does not fit %s precision (--precision double, or other "
            "units)",
            sqrt(extent2), nb_precision_name(r->stepper.state->precision));
}

/* The acceleration at the beginning, looked through: a bad start is an error before any output. */
static void start(struct run *r)
{
    struct nb_column acc = {.name = "acc", .type = NB_F64, .width = 3};
    acc.data = malloc(nb_column_bytes(&acc, r->bodies.n));
    if (!acc.data)
        die("no memory for %" PRIu64 " bodies", r->bodies.n);
    check_extent(r);
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
    if (sim_schedule_steps(s) > 0) /* otherwise dt may be a stand-in that no one should step with */
        r->bodies.meta.dt = h;
    r->bodies.meta.softening = r->stepper.softening;
    tool_record(&r->bodies.meta, NULL);
}

static void open_output(struct run *r)
{
    r->frames = sim_frames_open(tool_options.output, &r->bodies);
    r->first_step = r->bodies.meta.step;
    if (r->options->write_phi && !(r->d_phi = nb_state_vector(r->stepper.state)))
        die("%s", nb_error());
}

/* ---- running ---- */

static void write_frame(struct run *r, double time)
{
    const struct nb_state *s = r->stepper.state;
    struct nb_bodies *b = &r->bodies;
    sim_frames_wait(r->frames);
    checked(nb_state_fetch(s, s->x, nb_bodies_find(b, "pos")));
    checked(nb_state_fetch(s, s->v, nb_bodies_find(b, "vel")));
    if (r->options->write_acc) {
        checked(nb_step_acceleration(&r->stepper));
        checked(nb_state_fetch(s, s->a, nb_bodies_find(b, "acc")));
    }
    if (r->d_phi) {
        checked(
            nb_force_state(r->stepper.force, r->stepper.work, s, r->stepper.G, r->stepper.softening, NULL, r->d_phi));
        checked(nb_state_fetch(s, r->d_phi, nb_bodies_find(b, "phi")));
    }
    b->meta.time = time;
    b->meta.step = r->first_step + r->steps_done;
    sim_frames_put(r->frames);
}

static void show_progress(const struct run *r)
{
    uint64_t total = sim_schedule_steps(&r->schedule);
    double elapsed_s = tool_clock() - r->begin_s, rate = (double)r->steps_done / fmax(elapsed_s, 1e-9);
    double left_s = (double)(total - r->steps_done) / fmax(rate, 1e-9);
    tool_progress("step %" PRIu64 "/%" PRIu64 ", %.3g steps/s, %.0f:%02.0f left", r->steps_done, total, rate,
                  floor(left_s / 60), floor(fmod(left_s, 60)));
}

/* The device failed: the frame that is being written is finished first, so that FILE.part keeps it. */
static noreturn void die_after_frames(struct run *r)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", nb_error());
    sim_frames_wait(r->frames);
    die("%s", why);
}

/* Takes steps in bursts of about a twentieth of a second, between which the device is waited for: signals are heard and
 * progress is true, and a burst of small steps is not bound by the host. */
static void burst(struct run *r, uint64_t steps, double h)
{
    double begin_s = tool_clock();
    if (nb_steps(&r->stepper, h, steps) || r->stepper.state->device->sync())
        die_after_frames(r);
    double took_s = tool_clock() - begin_s;
    if (took_s < 0.05 && steps == r->burst)
        r->burst *= 2;
    else if (took_s > 0.2 && r->burst > 1)
        r->burst /= 2;
    r->steps_done += steps;
    show_progress(r);
}

/* Takes up to `steps` steps from `time`; false when a signal ended it, after a whole last frame. */
static bool advance(struct run *r, double time, uint64_t steps, double h)
{
    for (uint64_t done = 0; done < steps;) {
        if (tool_signal) {
            if (done > 0)
                write_frame(r, time + (double)done * h);
            return false;
        }
        uint64_t now = steps - done < r->burst ? steps - done : r->burst;
        burst(r, now, h);
        done += now;
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

/* For people, like all of stderr; the share is of what is listed. */
static void report_timings(void)
{
    size_t count;
    double total_s = 0;
    const struct nb_timing *table = nb_timing_table(&count);
    if (!table)
        die("%s", nb_error());
    for (size_t k = 0; k < count; k++)
        total_s += table[k].seconds;
    fprintf(stderr, "# stage\tcalls\tms\tms/call\tshare\n");
    for (size_t k = 0; k < count; k++)
        fprintf(stderr, "%s\t%" PRIu64 "\t%.4g\t%.4g\t%.1f%%\n", table[k].stage, table[k].count, 1e3 * table[k].seconds,
                1e3 * table[k].seconds / (double)table[k].count, 100 * table[k].seconds / fmax(total_s, 1e-12));
    nb_timing_end();
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

/* The columns that are fetched for every frame. */
static void pin_columns(struct run *r, bool pin)
{
    static const char *const fetched[] = {"pos", "vel", "acc", "phi"};
    const struct nb_device *device = r->stepper.state->device;
    for (size_t k = 0; device->pin && k < sizeof fetched / sizeof *fetched; k++) {
        struct nb_column *c = nb_bodies_find(&r->bodies, fetched[k]);
        if (c && pin)
            device->pin(c->data, nb_column_bytes_padded(c, r->bodies.n));
        else if (c)
            device->unpin(c->data);
    }
}

static void clean_up(struct run *r)
{
    struct nb_stepper *p = &r->stepper;
    pin_columns(r, false);
    nb_step_end(p);
    p->state->device->free(r->d_phi);
    nb_force_close(p->force, p->work);
    nb_state_destroy(p->state);
    nb_bodies_free(&r->bodies);
}

int sim_run(const struct sim_options *o)
{
    struct run r = {.options = o, .burst = 1};
    nb_bodies_init(&r.bodies);
    tool_output_check(tool_options.output, true);
    tool_input_frame(o->input, &r.bodies);
    choose(&r);
    plan(&r);
    tool_catch_signals();
    open_output(&r);
    start(&r);
    lay_out(&r);
    pin_columns(&r, true);
    r.begin_s = tool_clock();
    if (o->timings)
        checked(nb_timing_begin(r.stepper.state->device));
    bool whole = run_schedule(&r);
    sim_frames_close(r.frames);
    report(&r, whole);
    if (o->timings)
        report_timings();
    clean_up(&r);
    return whole ? TOOL_OK : 128 + tool_signal;
}
