/* dry_run.c - --dry-run: prints the time and memory of an entire run, estimated from one frame and some steps. */
#include "run.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

static const char *time_text(double s, char text[32])
{
    if (s < 99.5)
        snprintf(text, 32, "%.2g s", s);
    else if (s < 5970)
        snprintf(text, 32, "%.0f minutes", s / 60);
    else
        snprintf(text, 32, "%.3g hours", s / 3600);
    return text;
}

static void say_memory(const struct run *r)
{
    char host[NB_MEMORY_TEXT], used[NB_MEMORY_TEXT], beside[64] = "";
    double free_bytes, all_bytes;
    if (!nb_device_is_host(r->forces.device) && nb_device_memory(r->forces.device, &free_bytes, &all_bytes) == 0)
        snprintf(beside, sizeof beside, ", and %s of the GPU's memory are in use",
                 nb_memory_text(all_bytes - free_bytes, used));
    say("memory: %s%s", nb_memory_text(nb_memory_peak(), host), beside);
}

void sim_dry_run_say(const struct run *r, double frame_s)
{
    const struct sim_schedule *s = &r->schedule;
    const uint64_t intervals = sim_schedule_intervals(s), every = r->options->every_steps;
    const double done = r->place.interval == intervals ? 1 : (sim_time_now(r) - s->begin) / (s->end - s->begin);
    const double steps = (double)r->steps_done / done, steps_s = r->stepping_s / done;
    const double frames = every > 0 ? 1 + floor(steps / (double)every) : (double)intervals + 1;
    char all[32], of_steps[32], of_frames[32];
    say_memory(r);
    if (r->steps_done > 0)
        say("takes about %s: %s for %.3g steps of %.3g ms, %s for %.3g frames (without the time of the disk)",
            time_text(steps_s + frames * frame_s, all), time_text(steps_s, of_steps), steps, 1e3 * steps_s / steps,
            time_text(frames * frame_s, of_frames), frames);
}
