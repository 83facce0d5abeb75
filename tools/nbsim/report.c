/* report.c - prints what a run has done: steps and speed, and tables of timings. Declared in run.h. */
#include "run.h"

#include "device/timing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Prints the table of timings (--timings) to stderr. The column `share` is relative to the sum of all listed times. */
static void report_stages(struct nb_device *device)
{
    size_t count;
    double total_s = 0;
    const struct nb_stage *table = must_have(nb_timing_table(device, &count));
    for (size_t k = 0; k < count; k++)
        total_s += table[k].seconds;
    fprintf(stderr, "# stage\tcalls\tms\tms/call\tshare\n");
    for (size_t k = 0; k < count; k++)
        fprintf(stderr, "%s\t%" PRIu64 "\t%.4g\t%.4g\t%.1f%%\n", table[k].name, table[k].count, 1e3 * table[k].seconds,
                1e3 * table[k].seconds / (double)table[k].count, 100 * table[k].seconds / fmax(total_s, 1e-12));
    nb_timing_end(device);
}

/* Prints a table of individual time steps, with a line for each rung (step size). An event is a simulated time at which
 * steps end. It is counted once, in the rung of the longest steps that end at this time. The columns are: number of the
 * rung; number of its events; mean number of bodies whose steps end at an event; computing time in ms, for all events
 * and for one event; share of the total computing time. */
static void report_rungs(const struct nb_stepper *p)
{
    double total_s = 0;
    for (int k = 0; k <= NB_RUNGS_MAX; k++)
        total_s += p->rung[k].seconds;
    if (p->scheme->traits & NB_OWN_STEPS)
        fprintf(stderr, "# rung\ttimes\tbodies/time\tms\tms/time\tshare\n");
    for (int k = 0; k <= NB_RUNGS_MAX; k++)
        if (p->rung[k].times > 0)
            fprintf(stderr, "%d\t%" PRIu64 "\t%.4g\t%.4g\t%.4g\t%.1f%%\n", k, p->rung[k].times,
                    (double)p->rung[k].steps / (double)p->rung[k].times, 1e3 * p->rung[k].seconds,
                    1e3 * p->rung[k].seconds / (double)p->rung[k].times, 100 * p->rung[k].seconds / total_s);
}

void sim_report_timings(const struct run *r)
{
    report_stages(r->forces.device);
    report_rungs(&r->stepper);
}

/* With --verbose, prints the choices that the forces made for this device, such as kernels. */
static void report_notes(const struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++) {
        const struct nb_opened_force *f = &set->force[k];
        const char *notes = f->entry->notes ? f->entry->notes(f->work) : NULL;
        if (notes)
            say_verbose("force %s: %s", f->entry->method, notes);
    }
}

void sim_report(const struct run *r, bool whole, bool goes_on)
{
    const double elapsed_s = fmax(r->stepping_s, 1e-9), n = (double)r->bodies.n;
    const uint64_t evaluations = r->evaluations, steps = r->steps_done - r->steps_before;
    const char *checkpoint = r->options->resume ? r->options->resume : r->options->checkpoint;
    char pairs[32] = "", energy[SIM_ERROR_TEXT];
    if (nb_force_set_flags(&r->forces) & NB_ALL_PAIRS)
        snprintf(pairs, sizeof pairs, ", %.3g Gpair/s", 1e-9 * n * n * (double)evaluations / elapsed_s);
    sim_watch_text(r, energy);
    tool_progress_end();
    report_notes(&r->forces);
    if (!whole && goes_on)
        say("ended by signal %d after step %" PRIu64 "; --resume %s continues", (int)tool_signal, r->steps_done,
            checkpoint);
    else if (!whole)
        say("ended by signal %d after step %" PRIu64 "; the stream is complete", (int)tool_signal, r->steps_done);
    else if (steps > 0)
        say("%s, %s in %.3g s, %.4g steps/s%s%s%s", tool_many(steps, "step", "steps"),
            tool_many(evaluations, "force evaluation", "force evaluations"), elapsed_s, (double)steps / elapsed_s,
            pairs, *energy ? ", " : "", energy);
}
