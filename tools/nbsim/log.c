/* --log FILE: the run in figures, a line for each output. */
#include "checkpoint_file.h"
#include "run.h"

#include "error.h"
#include "io.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_log {
    struct tool_output *file;
    uint64_t steps; /* of the run, at the last line; */
    double stepping_s;
};

void sim_log_check(const struct sim_options *o)
{
    const char *output = tool_options.output;
    if (!o->log)
        return;
    if (tool_is_stdout(o->log) ? tool_is_stdout(output) : !tool_is_stdout(output) && sim_path_same(o->log, output))
        die_usage("--log %s: is where the stream goes (-o FILE sends it elsewhere)", o->log);
    tool_output_check(o->log, false);
}

/* Whole lines, so that whoever follows the file never sees half a one. */
static void put(struct sim_log *log, const char *line)
{
    if (nb_io_write(tool_output_fd(log->file), tool_output_name(log->file), line, strlen(line)))
        tool_output_failed();
}

struct sim_log *sim_log_open(const char *path)
{
    struct sim_log *log = calloc(1, sizeof *log);
    if (!log)
        die("no memory");
    log->file = tool_output_open(path, false);
    put(log, "# time\tstep\tenergy\tenergy_error\tdt\trate\n");
    return log;
}

static double no_sign(double x)
{
    return isnan(x) ? (double)NAN : x; /* never -nan */
}

void sim_log_write(struct sim_log *log, const struct run *r)
{
    const struct nb_meta *meta = &r->bodies.meta;
    const uint64_t steps = r->steps_done - r->steps_before;
    const double rate = (double)(steps - log->steps) / (r->stepping_s - log->stepping_s);
    char line[256];
    snprintf(line, sizeof line, "%.17g\t%" PRIu64 "\t%.17g\t%.17g\t%.17g\t%.6g\n", meta->time, meta->step,
             no_sign(r->watch.energy), no_sign(r->watch.error), sim_step_size(r), no_sign(rate));
    put(log, line);
    tool_output_keep(log->file, true);
    log->steps = steps;
    log->stepping_s = r->stepping_s;
}

void sim_log_close(struct sim_log *log)
{
    if (!log)
        return;
    tool_output_close(log->file);
    free(log);
}
