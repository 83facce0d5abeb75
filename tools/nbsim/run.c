/* run.c - advances a system on a device from output to output. */
#include "run.h"

#include "device/group.h"
#include "device/timing.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the run starts with one thread if a step with one thread takes at most this time (estimated), seconds */
#define FEW_S 0.02

/* ---- running ---- */

double sim_step_size(const struct run *r)
{
    if (r->options->run.tolerance > 0)
        return (double)r->control.step;
    if (r->options->run.bounded)
        return fabs((double)r->bounded.h);
    return r->place.interval < sim_schedule_intervals(&r->schedule)
               ? fabs((double)sim_schedule_interval(&r->schedule, r->place.interval).h)
               : r->bodies.meta.dt;
}

double sim_time_in(const struct run *r, const struct sim_interval *i)
{
    return nb_prepare_steps_are_fixed(&r->options->run) ? i->begin + (double)r->place.done * (double)i->h
                                                        : i->end - (double)r->place.left;
}

double sim_time_now(const struct run *r)
{
    const struct sim_interval i = sim_schedule_interval(&r->schedule, r->place.interval);
    return r->steps_done == 0 ? r->schedule.begin : sim_time_in(r, &i);
}

/* Copies the state into the columns of the frame. Copies values that forces report, such as the force on a wall, into
 * the header of the frame. */
static void fetch_frame(struct run *r, double time)
{
    struct nb_bodies *b = &r->bodies;
    errno = 0;
    if (nb_force_set_report(&r->forces, &b->meta) || sim_bound_look(r, time))
        sim_die_of_failure(r, errno == EDOM);
    sim_columns_fetch(r);
    sim_leaks_look(r, time);
}

/* Writes a step size into the frame's header if steps are not fixed.
 * - If forces limit the steps, writes the current step size.
 * - With adaptive steps and --every steps:K, writes the mean step size since the previous frame. In the first frame,
 *   writes the size of the first step that will be tried.
 * - With individual time steps, writes nothing, because the base step may be too long for some bodies. */
static void note_step(struct run *r, double time)
{
    struct nb_meta *meta = &r->bodies.meta;
    const uint64_t steps = r->first_step + r->steps_done - meta->step;
    if (r->options->run.bounded && !(r->stepper.scheme->traits & NB_OWN_STEPS))
        meta->dt = sim_step_size(r);
    else if (r->options->run.tolerance > 0 && r->options->every_steps > 0)
        meta->dt = steps > 0 ? fabs(time - meta->time) / (double)steps : sim_step_size(r);
}

static void write_frame(struct run *r, double time)
{
    struct nb_bodies *b = &r->bodies;
    sim_frames_wait(r->frames);
    fetch_frame(r, time);
    note_step(r, time);
    b->meta.time = time;
    b->meta.step = r->first_step + r->steps_done;
    sim_pairs_look(r, time, r->steps_done == 0);
    sim_events_note(r);
    say_verbose("t = %.9g: %s, %s, %s rejected", time, tool_many(r->steps_done, "step", "steps"),
                tool_many(r->stepper.evaluations, "force evaluation", "force evaluations"),
                tool_many(r->control.rejected, "step", "steps"));
    sim_watch_frame(r, true);
    sim_frames_put(r->frames);
}

/* Measures the initial energy and finds the binaries of the first frame. Used instead of write_frame if the output
 * already contains this frame. */
static void look_at_first_frame(struct run *r)
{
    fetch_frame(r, r->schedule.begin);
    sim_pairs_look(r, r->schedule.begin, true);
    sim_watch_frame(r, false);
}

/* Returns text with the mean percentage of bodies whose steps end at the same time. The mean is over all times at which
 * steps end. Returns "" if all bodies have the same step. */
static const char *own_text(const struct run *r, char text[64])
{
    uint64_t times = 0, steps = 0;
    for (int k = 0; k <= NB_RUNGS_MAX; k++) {
        times += r->stepper.rung[k].times;
        steps += r->stepper.rung[k].steps;
    }
    *text = '\0';
    if (times > 0)
        snprintf(text, 64, ", %.2g %% of bodies at a time", 100 * (double)steps / (double)times / (double)r->bodies.n);
    return text;
}

static void show_progress(const struct run *r, double time)
{
    const struct sim_schedule *s = &r->schedule;
    const double elapsed_s = tool_clock() - r->begin_s,
                 done = s->end == r->begin_time ? 1 : (time - r->begin_time) / (s->end - r->begin_time);
    char energy[SIM_ERROR_TEXT], own[64], note[SIM_ERROR_TEXT + 64];
    struct tool_progress p = tool_progress_of("step");
    p.done = (double)r->steps_done;
    if (nb_prepare_steps_are_fixed(&r->options->run))
        p.total = (double)sim_schedule_steps(s);
    p.fraction = done;
    p.rate = (double)(r->steps_done - r->steps_before) / fmax(elapsed_s, 1e-9);
    p.left_s = tool_progress_left(elapsed_s, done);
    p.time = time;
    p.frame = r->options->every_steps > 0 ? (int64_t)sim_frames_count(r->frames) - 1 : (int64_t)r->place.interval;
    snprintf(note, sizeof note, "%s%s", sim_watch_text(r, energy), own_text(r, own));
    p.note = note + (*energy ? 0 : strspn(note, ", "));
    tool_progress(&p);
}

/* Ends the run because no step is short enough: writes the state after the last good step and completes the stream. */
static noreturn void die_of_step(struct run *r, double time)
{
    char why[1024], pair[SIM_PAIR_TEXT];
    snprintf(why, sizeof why, "%s", nb_error());
    write_frame(r, time);
    sim_checkpoints_wait(r); /* the checkpoint thread reads r->frames, which is closed next */
    sim_frames_close(r->frames);
    sim_logs_close(r);
    die("t = %.9g, step %" PRIu64 ": %s (--min-dt, --tolerance, --softening)%s; the stream ends here", time,
        r->steps_done, why, sim_watch_pair(r, INFINITY, pair));
}

/* Adapts r->burst, the number of steps in a burst, so that a burst takes 0.05 to 0.2 seconds. Waiting for the device,
 * looking for signals and reporting progress take time, and are done only between bursts. took_s: duration of the last
 * burst. whole: false if the last burst had fewer than r->burst steps. */
static void adapt_burst(struct run *r, double took_s, bool whole)
{
    if (took_s < 0.05 && whole)
        r->burst *= 2;
    else if (took_s > 0.2 && r->burst > 1)
        r->burst /= 2;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t sim_take_steps(struct run *r, const struct sim_interval *i, uint64_t most, int *status)
{
    const uint64_t adaptive = r->control.taken, bounded = r->bounded.taken;
    if (r->options->run.tolerance > 0) {
        *status = nb_steps_adaptive(&r->stepper, &r->control, &r->place.left, most);
        return r->control.taken - adaptive;
    }
    if (r->options->run.bounded) {
        *status = nb_steps_bounded(&r->stepper, &r->bounded, &r->place.left, most);
        return r->bounded.taken - bounded;
    }
    most = least(most, i->steps - r->place.done);
    *status = nb_steps(&r->stepper, i->h, most);
    return *status ? 0 : most;
}

static bool is_through(const struct run *r, const struct sim_interval *i)
{
    return nb_prepare_steps_are_fixed(&r->options->run) ? r->place.done >= i->steps : r->place.left == 0;
}

/* Returns the number of steps to the next frame of --every steps:K, or UINT64_MAX without this option. */
static uint64_t steps_to_frame(const struct run *r)
{
    const uint64_t every = r->options->every_steps;
    return every > 0 ? every - r->steps_done % every : UINT64_MAX;
}

/* Takes at most one burst of steps (r->burst) towards the end of the interval. */
static void burst(struct run *r, const struct sim_interval *i)
{
    const double begin_s = tool_clock();
    const uint64_t evaluations = r->stepper.evaluations;
    int status;
    errno = 0;
    const uint64_t most = least(least(r->burst, sim_watch_steps(r)), steps_to_frame(r));
    const bool merges = sim_events_merge(r->options);
    const uint64_t taken = merges         ? sim_merge_step(r, i, &status)
                           : r->events.on ? sim_take_steps(r, i, 1, &status)
                                          : sim_take_steps(r, i, most, &status);
    r->place.done += taken;
    r->steps_done += taken;
    if (!status && r->events.on)
        sim_escape_look(r, sim_time_in(r, i));
    if (status && r->options->run.tolerance > 0 && r->control.step < r->control.min_step)
        die_of_step(r, sim_time_in(r, i));
    if (status || nb_device_sync(r->forces.device))
        sim_die_of_failure(r, errno == EDOM);
    const double took_s = tool_clock() - begin_s;
    r->stepping_s += took_s;
    r->evaluations += r->stepper.evaluations - evaluations;
    adapt_burst(r, took_s, taken == r->burst);
    if (sim_threads_note(&r->threads, taken, r->stepper.evaluations - evaluations, took_s))
        r->burst = 1;
}

/* How a run ends: at the end of the schedule, after a signal, or because the energy error is above --max-de. */
enum ending { WHOLE, SIGNALLED, BEYOND };

/* Advances to the end of the interval and returns WHOLE. If the run ends before, returns the reason. */
static enum ending advance(struct run *r, const struct sim_interval *i)
{
    while (!is_through(r, i)) {
        if (tool_signal)
            return SIGNALLED;
        sim_checkpoint_if_due(r);
        burst(r, i);
        if (!is_through(r, i))
            sim_watch_look(r);
        if (r->watch.beyond)
            return BEYOND;
        if (!is_through(r, i) && steps_to_frame(r) == r->options->every_steps)
            write_frame(r, sim_time_in(r, i));
        if (r->watch.beyond)
            return BEYOND;
        show_progress(r, sim_time_in(r, i));
    }
    return WHOLE;
}

/* Ends the run between steps after a signal. Takes a checkpoint: a run that is resumed from it is bitwise identical to
 * an uninterrupted run. If the run has no checkpoints, writes the current state as a last frame. */
static void end_by_signal(struct run *r, const struct sim_interval *i)
{
    if (r->checkpoints)
        sim_checkpoint_take(r);
    if (!sim_checkpoints_kept(r) && r->place.done > 0 && r->bodies.meta.step != r->first_step + r->steps_done)
        write_frame(r, sim_time_in(r, i));
}

/* Starts interval k. The stepper's time becomes i.end - i.span, so that the last step ends exactly at i.end (the time
 * of the next frame). i.begin is not used, because i.begin + i.span can differ from i.end by a rounding error. */
static void begin_interval(struct run *r, uint64_t k)
{
    const struct sim_interval i = sim_schedule_interval(&r->schedule, k);
    r->place = (struct run_place){k, 0, (nb_quad)i.span};
    r->stepper.time = (nb_quad)i.end - (nb_quad)i.span;
}

static enum ending run_schedule(struct run *r)
{
    const uint64_t intervals = sim_schedule_intervals(&r->schedule);
    show_progress(r, r->begin_time);
    while (r->place.interval < intervals && !r->watch.beyond) {
        const struct sim_interval i = sim_schedule_interval(&r->schedule, r->place.interval);
        const enum ending ending = advance(r, &i);
        if (ending == SIGNALLED)
            end_by_signal(r, &i);
        if (ending == SIGNALLED)
            return SIGNALLED;
        write_frame(r, ending == BEYOND ? sim_time_in(r, &i) : i.end);
        if (r->watch.beyond)
            return BEYOND;
        begin_interval(r, r->place.interval + 1);
        show_progress(r, i.end);
    }
    return r->watch.beyond ? BEYOND : WHOLE;
}

#define TRIED_S 1.0 /* time for which --dry-run takes steps, seconds */

static enum ending try_steps(struct run *r)
{
    const uint64_t intervals = sim_schedule_intervals(&r->schedule);
    while (r->place.interval < intervals && r->stepping_s < TRIED_S) {
        const struct sim_interval i = sim_schedule_interval(&r->schedule, r->place.interval);
        if (tool_signal)
            return SIGNALLED;
        burst(r, &i);
        if (is_through(r, &i))
            begin_interval(r, r->place.interval + 1);
        else
            sim_watch_look(r); /* needed because `burst` takes no steps while a measurement of the energy is due */
        if (r->watch.beyond)
            return BEYOND;
    }
    return WHOLE;
}

static void clean_up(struct run *r)
{
    struct nb_stepper *p = &r->stepper;
    sim_columns_pin(&r->bodies, r->forces.device, false);
    nb_step_end(p);
    nb_device_free(r->forces.device, r->d_field);
    nb_force_set_close(&r->forces);
    nb_state_destroy(p->state);
    sim_events_free(&r->events);
    nb_device_close(r->forces.device);
    nb_bodies_free(&r->bodies);
}

/* Completes stream and logs, unless the run can be resumed. Returns whether it can be resumed. The checkpoints are
 * removed last: if the program is interrupted in this function, the run can still be resumed to complete the logs. */
static bool end_output(struct run *r, bool whole)
{
    const bool goes_on = sim_checkpoints_kept(r) && !whole;
    sim_check(sim_logs_sync(r));
    if (goes_on && sim_frames_is_part(r->frames))
        sim_frames_leave(r->frames);
    else
        sim_frames_close(r->frames);
    (goes_on ? sim_logs_leave : sim_logs_close)(r);
    sim_checkpoints_close(r, whole);
    return goes_on;
}

/* Returns the approximate time in seconds of a step with one thread, for direct summation. Steps with other forces are
 * shorter. */
static double step_of_one_s(const struct run *r)
{
    const double pair_s = r->stepper.state->precision == NB_QUAD ? 300e-9 : 1e-9, n = (double)r->bodies.n;
    const int evaluations = r->stepper.scheme->evaluations;
    return pair_s * n * n * (evaluations > 0 ? evaluations : 20);
}

/* Starts to measure whether steps are faster with one thread or with all threads of the CPU. This is not done on a GPU,
 * and not for a group of devices, in which each device has its own threads. */
static void choose_threads(struct run *r)
{
    const struct nb_device *device = r->forces.device;
    const bool may = nb_device_is_host(device) && !nb_device_is_group(device);
    sim_threads_begin(&r->threads, may ? omp_get_max_threads() : 1, step_of_one_s(r) <= FEW_S);
}

int sim_run(struct sim_options *o)
{
    struct run r = {.options = o, .burst = 1};
    nb_bodies_init(&r.bodies);
    sim_failures_end(&r);
    if (o->resume)
        sim_resume(&r, o);
    else
        sim_setup(&r, o);
    sim_columns_pin(&r.bodies, r.forces.device, true);
    sim_check(nb_device_sync(r.forces.device)); /* so that r.begin_s does not include work of the setup */
    r.begin_s = tool_clock();
    choose_threads(&r);
    if (o->timings)
        sim_check(nb_timing_begin(r.forces.device));
    if (!o->resume) {
        if (r.first_is_there)
            look_at_first_frame(&r);
        else
            write_frame(&r, r.schedule.begin);
        begin_interval(&r, 0);
    }
    if (o->dry_run)
        sim_frames_wait(r.frames);
    const double frame_s = tool_clock() - r.begin_s;
    const enum ending ending = o->dry_run ? try_steps(&r) : run_schedule(&r);
    const bool whole = ending != SIGNALLED, goes_on = end_output(&r, whole);
    if (!o->dry_run || !whole)
        sim_report(&r, whole, goes_on);
    if (o->timings)
        sim_report_timings(&r);
    if (o->dry_run && whole)
        sim_dry_run_say(&r, frame_s);
    sim_watch_close(&r);
    const bool holds = !whole || sim_leaks_judge(&r);
    clean_up(&r);
    return !whole ? 128 + tool_signal : ending == BEYOND || !holds ? TOOL_CHECK_FAILED : TOOL_OK;
}
