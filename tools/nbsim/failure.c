/* failure.c - ends a run that failed: completes the output after the last whole frame, prints one message,
 * and says how to resume. */
#include "run.h"

#include "device/choose.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static struct run *under_way; /* current run, whose output is completed if sim_check fails; NULL: no run */

void sim_failures_end(struct run *r)
{
    under_way = r;
}

void sim_check(int status)
{
    if (status && under_way)
        sim_die_of_failure(under_way, false);
    if (status)
        die("%s", nb_error());
}

/* Completes the stream after the last written frame, and dies. Used if the forces cannot be computed for the current
 * state. */
static noreturn void die_of_state(struct run *r, const char *where, const char *why)
{
    sim_frames_wait(r->frames);
    sim_checkpoints_wait(r); /* the checkpoint thread reads r->frames, which is closed next */
    sim_frames_close(r->frames);
    sim_logs_close(r);
    die("%s: %s; the stream ends before this step", where, why);
}

/* Sets `text` to a prefix for the message `said`. If the message is about a device, the prefix is the device's name,
 * for example "cuda:1: ". If the message already has this name, or is not about a device, the prefix is "". */
static void name_device(const struct run *r, const char *said, char *text, size_t size)
{
    const struct nb_device *d = r->forces.device;
    const size_t length = d ? strlen(d->name) : 0;
    *text = '\0';
    if (!d || nb_device_is_host(d) || (errno != EIO && errno != ENOMEM) ||
        (strncmp(said, d->name, length) == 0 && said[length] == ':'))
        return;
    nb_device_print_name(d, text, size - 2);
    strcat(text, ": ");
}

/* Dies after a failure that the input did not cause, for example a failure of the device. First ends the stream after
 * the last frame, so that readers accept it. Keeps FILE.part, the unfinished output file, for --resume. */
static noreturn void die_after_frames(struct run *r, const char *where, const char *why)
{
    const struct sim_options *o = r->options;
    const char *checkpoint = o->resume ? o->resume : o->checkpoint;
    char keeps[PATH_MAX + 64] = "the stream ends before this step", goes_on[PATH_MAX + 64] = "";
    sim_frames_wait(r->frames);
    const uint64_t frames = sim_frames_count(r->frames);
    const bool kept = sim_checkpoints_kept(r);
    if (o->append)
        die("%s", why);
    if (sim_frames_is_part(r->frames))
        snprintf(keeps, sizeof keeps, "%s keeps the %s before this step",
                 tool_output_part(sim_frames_output(r->frames)), tool_many(frames, "frame", "frames"));
    if (kept)
        snprintf(goes_on, sizeof goes_on, ", --resume %s goes on", checkpoint);
    sim_frames_break_off(r->frames);
    (kept ? sim_logs_leave : sim_logs_close)(r);
    die("%s: %s; %s%s", where, why, keeps, goes_on);
}

noreturn void sim_die_of_failure(struct run *r, bool of_state)
{
    char why[1100], where[64], device[80];
    under_way = NULL; /* a failure of the calls below must not end the run a second time */
    name_device(r, nb_error(), device, sizeof device);
    snprintf(why, sizeof why, "%s%s", device, nb_error());
    if (!r->frames || sim_frames_count(r->frames) == 0)
        die("%s", why);
    snprintf(where, sizeof where, "after t = %.9g, step %" PRIu64, sim_time_now(r), r->first_step + r->steps_done);
    if (of_state)
        die_of_state(r, where, why);
    die_after_frames(r, where, why);
}
