/* resume.c - resumes a run from a checkpoint (--resume). */
#include "checkpoint_file.h"
#include "run.h"

#include "base/memory.h"
#include "simd/simd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct resumed { /* data that were loaded from the checkpoint and that are needed only until the run continues */
    const char *name;
    struct run_record record;
    struct nb_snap_mark *marks;
    uint64_t stream_bytes;
    bool continues_output, continues_log[SIM_LOGS]; /* true: append to FILE.part of the interrupted run */
};

/* ---- the stream so far ---- */

#define TAIL 128 /* number of bytes at the end of a frame, enough to contain the last line of its footer */

/* Checks that a frame is at bytes [begin, end) of the file: the first line must be the first line of a frame, and the
 * last line must contain `checksum`. Does not read the columns. Returns 0, or -1 if a line differs. */
static int check_frame(int fd, uint64_t begin, uint64_t end, uint64_t checksum)
{
    static const char magic[] = "nbs 1 frame\n";
    char head[sizeof magic - 1], tail[TAIL + 1], line[32];
    if (end < begin + TAIL || pread(fd, head, sizeof head, (off_t)begin) != sizeof head ||
        memcmp(head, magic, sizeof head) != 0 || pread(fd, tail, TAIL, (off_t)(end - TAIL)) != TAIL)
        return -1;
    size_t used = TAIL;
    while (used > 0 && tail[used - 1] == '\0')
        used--;
    tail[used] = '\0';
    const int length = snprintf(line, sizeof line, "checksum %016" PRIx64 "\n", checksum);
    return used >= (size_t)length && strcmp(tail + used - length, line) == 0 ? 0 : -1;
}

/* Checks that the file begins with the frames that were written before the checkpoint. Returns 0, or -1 after
 * nb_fail. */
static int check_stream(const char *path, const struct resumed *w)
{
    struct stat st;
    const uint64_t frames = w->record.frames;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int status = fd < 0 || fstat(fd, &st) ? nb_fail("%s: cannot be opened: %s", path, strerror(errno)) : 0;
    if (status == 0 && (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < w->stream_bytes))
        status = nb_fail("%s: does not contain the %" PRIu64
                         " bytes that were written before the checkpoint, so it is not the output "
                         "of this run, or was shortened since",
                         path, w->stream_bytes);
    for (uint64_t k = 0; k < frames && status == 0; k++)
        if (check_frame(fd, w->marks[k].offset, k + 1 < frames ? w->marks[k + 1].offset : w->stream_bytes,
                        w->marks[k].checksum))
            status = nb_fail("%s: frame %" PRIu64 " is not the frame that was written before the checkpoint", path, k);
    if (fd >= 0)
        close(fd);
    return status;
}

/* Returns 1 if the stream is complete and its last frame is at the end of the schedule. If the last frame is at another
 * time, sets *time to this time and returns 0. Returns -1 after nb_fail if the stream is truncated. */
static int find_end(const char *path, const struct sim_schedule *s, double *time)
{
    const uint64_t intervals = sim_schedule_intervals(s);
    const double end = intervals > 0 ? sim_schedule_interval(s, intervals - 1).end : s->begin;
    struct nb_snap_reader *reader = nb_snap_open(path, false);
    struct nb_bodies last;
    nb_bodies_init(&last);
    int status = reader ? nb_snap_seek(reader, NB_FRAME_LAST) : -1;
    if (status == 1)
        status = nb_snap_skip(reader, &last);
    else if (status == 0)
        status = nb_fail("%s: truncated, it has no index at its end", path);
    if (status == 1) {
        *time = last.meta.time;
        status = *time == end && nb_snap_frame(reader) >= (int64_t)intervals;
    }
    nb_bodies_free(&last);
    nb_snap_close(reader);
    return status;
}

static bool is_part_there(const char *file)
{
    char *part = tool_part_name(file);
    const bool there = access(part, F_OK) == 0;
    free(part);
    return there;
}

/* Ends the program, because the output FILE exists and FILE.part does not. The message says whether FILE is truncated,
 * is complete but ends before the end of the schedule, or is the output of a run that has reached its end. */
static noreturn void end_with(struct run *r, const struct resumed *w)
{
    const char *file = w->record.output;
    double time;
    const int status = find_end(file, &r->schedule, &time);
    if (status < 0)
        die("%s; %s.part does not exist, so the run cannot continue it (-o OTHER starts a new stream from the "
            "checkpoint)",
            nb_error(), file);
    if (status == 0)
        die("%s: is complete, but ends at t = %g of %g: the run failed or was stopped there (-o OTHER continues from "
            "the checkpoint)",
            file, time, r->schedule.end);
    say("%s: is complete already, the run had reached its end", file);
    for (int k = 0; k < SIM_LOGS; k++)
        if (w->continues_log[k] && is_part_there(w->record.log[k]))
            sim_log_finish(sim_log_find((enum sim_log_of)k, w->record.log[k], w->record.log_mark[k]));
    sim_checkpoints_remove(r);
    exit(TOOL_OK);
}

static bool is_there(const char *file)
{
    return is_part_there(file) || access(file, F_OK) == 0;
}

/* If no file is at the recorded path *file, looks for the file in the folder of the checkpoint, because the folder may
 * have been renamed. Replaces *file by the new path if the file is found there. */
static void look_beside(const struct resumed *w, char **file)
{
    char *beside = sim_path_beside(w->name, *file);
    if (!is_there(*file) && is_there(beside)) {
        free(*file);
        *file = sim_path_absolute(beside);
    }
    free(beside);
}

/* Dies if FILE.part does not begin with the frames that were written before the checkpoint. Ends the program if FILE
 * begins with these frames and there is no FILE.part. */
static void check_output(struct run *r, const struct resumed *w)
{
    char *part = tool_part_name(w->record.output);
    if (access(part, F_OK) == 0) {
        sim_check(check_stream(part, w));
        free(part);
        return;
    }
    if (check_stream(w->record.output, w))
        die("%s: does not exist, so the run cannot continue it (-o OTHER starts a new stream from the checkpoint)",
            part);
    free(part);
    end_with(r, w);
}

/* Ignores -o if it names FILE, the output of the interrupted run. Dies if -o names FILE.part, which contains the output
 * before the checkpoint. */
static void compare_output(const struct resumed *w)
{
    if (tool_is_stdout(tool_options.output) || !*w->record.output)
        return;
    char *part = tool_part_name(w->record.output);
    if (sim_path_same(tool_options.output, part))
        die("%s: contains output written before the checkpoint; -o would replace it (without -o the run continues it)",
            part);
    free(part);
    if (sim_path_same(tool_options.output, w->record.output))
        tool_options.output = NULL;
}

/* Continues the stream in FILE.part. Starts a new stream if -o names another file, or if the interrupted run wrote its
 * output without a FILE.part. */
static void choose_output(struct resumed *w)
{
    if (*w->record.output)
        look_beside(w, &w->record.output);
    compare_output(w);
    w->continues_output = *w->record.output && !tool_options.output;
    if (w->continues_output)
        tool_options.output = tool_copy(w->record.output);
    else if (!tool_options.output && *w->record.in_place)
        tool_options.output = tool_copy(w->record.in_place);
}

/* ---- the log so far ---- */

/* Continues a log in its FILE.part, unless --log names another file. A log that was written without a FILE.part starts
 * again with its first line. */
static void choose_log(struct resumed *w, struct sim_options *o, enum sim_log_of of)
{
    char **then = &w->record.log[of];
    const char **now = sim_log_option(o, of);
    if (!**then)
        return;
    const bool is_file = w->record.log_mark[of].bytes > 0;
    if (is_file)
        look_beside(w, then);
    if (is_file && *now && !tool_is_stdout(*now)) {
        char *part = tool_part_name(*then);
        if (sim_path_same(*now, part))
            die("%s: contains lines written before the checkpoint, which --%s would replace (without it they are continued)",
                part, sim_log_name(of));
        free(part);
    }
    w->continues_log[of] = is_file && (!*now || (!tool_is_stdout(*now) && sim_path_same(*now, *then)));
    if (!*now || w->continues_log[of])
        *now = tool_copy(*then);
}

/* Checks before the run that the outputs can be opened. The option -f (overwrite) of the interrupted run is still valid
 * for the outputs and logs that are continued. For new ones, -f must be given again. */
static void check_outputs(struct run *r, const struct resumed *w, struct sim_options *o)
{
    bool continues = w->continues_output;
    for (int k = 0; k < SIM_LOGS; k++)
        continues = continues || w->continues_log[k];
    if (!w->continues_output) {
        sim_checkpoints_refuse_output(r);
        tool_output_check(tool_options.output, true);
    }
    for (int k = 0; k < SIM_LOGS; k++)
        if (!w->continues_log[k])
            sim_log_check(o, (enum sim_log_of)k);
    if (continues)
        tool_options.overwrite = tool_options.overwrite || w->record.overwrite;
    if (w->continues_output) {
        check_output(r, w);
        tool_output_check(tool_options.output, true);
    }
    for (int k = 0; k < SIM_LOGS; k++) {
        const enum sim_log_of of = (enum sim_log_of)k;
        if (!w->continues_log[k])
            continue;
        r->logs[k] = sim_log_find(of, *sim_log_option(o, of), w->record.log_mark[k]);
        sim_log_check(o, of);
    }
}

/* ---- program and device ---- */

static void warn_of_other(const char *what, const char *then, const char *now)
{
    if (strcmp(then, now) != 0)
        warn("the checkpoint was made with %s %s, this is %s: the last digits may differ from those of an "
             "uninterrupted run",
             what, then, now);
}

static void compare_records(const struct run *r, const struct run_record *then)
{
    struct run_record now = sim_record_make(r);
    warn_of_other("nbsim", then->program, now.program);
    warn_of_other("device", then->model, now.model);
    warn_of_other("driver or library", then->driver, now.driver);
    if (nb_device_is_host(r->forces.device))
        warn_of_other("instruction set", then->kernel, now.kernel);
    sim_record_free(&now);
}

/* ---- loading ---- */

static int load_columns(struct nb_bodies *b, struct nb_pack *k)
{
    double bytes = 0;
    for (int i = 0; i < b->column_count; i++)
        bytes += (double)nb_column_bytes_padded(&b->columns[i], b->n);
    if (nb_memory_check(b->n, bytes) || nb_bodies_alloc(b))
        return -1;
    for (int i = 0; i < b->column_count; i++)
        if (sim_pack_has(&b->columns[i]) && nb_pack_bytes(k, b->columns[i].data, nb_column_bytes(&b->columns[i], b->n)))
            return -1;
    return 0;
}

static void load(struct run *r, struct resumed *w, struct sim_options *o, struct nb_pack *k)
{
    if (sim_pack_run(r, o, &w->record, k) || sim_pack_bodies(&r->bodies, k) || load_columns(&r->bodies, k))
        die("%s: %s", w->name, nb_error());
    for (int of = 0; of < SIM_LOGS; of++)
        choose_log(w, o, (enum sim_log_of)of);
    if (!o->run.device)
        o->run.device = w->record.device;
    if (nb_simd_choose(w->record.kernel))
        warn("%s; resuming with %s", nb_error(), nb_simd_name(nb_simd_in_use()));
    sim_choose(r, o, true);
    uint64_t frames = *w->record.output ? w->record.frames : 0;
    if (nb_step_pack(&r->stepper, k) || sim_pack_marks(&w->marks, frames, &w->stream_bytes, k))
        die("%s: %s", w->name, nb_error());
    compare_records(r, &w->record);
}

static void open_outputs(struct run *r, const struct resumed *w)
{
    r->frames = w->continues_output
                    ? sim_frames_resume(w->record.output, &r->bodies, w->stream_bytes, w->marks, w->record.frames)
                    : sim_frames_open(tool_options.output, &r->bodies);
    sim_sample_begin(r);
    for (int k = 0; k < SIM_LOGS; k++)
        if (w->continues_log[k])
            sim_log_continue(r->logs[k]);
}

static void say_where(const struct run *r, const struct resumed *w)
{
    const struct sim_interval i = sim_schedule_interval(&r->schedule, r->place.interval);
    say("resuming from checkpoint %" PRIu64 " of %s: %s, step %" PRIu64 ", t between %g and %g, to t = %g",
        sim_checkpoints_number(r), w->name, r->stepper.scheme->name, r->steps_done, i.begin, i.end, r->schedule.end);
}

void sim_resume(struct run *r, struct sim_options *o)
{
    struct resumed w = {.name = o->resume};
    size_t size_bytes;
    unsigned char *data = sim_checkpoints_read(r, w.name, &size_bytes);
    struct nb_pack k = nb_pack_make(NB_PACK_LOAD, data + SIM_SLOT_HEAD, size_bytes - SIM_SLOT_HEAD);
    load(r, &w, o, &k);
    free(data);
    choose_output(&w);
    check_outputs(r, &w, o);
    if (isnan(o->checkpoint_s))
        o->checkpoint_s = w.record.checkpoint_s;
    tool_catch_signals();
    sim_checkpoints_claim(r);
    open_outputs(r, &w);
    sim_need_field(r);
    sim_watch_ready(r);
    sim_events_ready(r);
    sim_logs_open(r);
    r->steps_before = r->steps_done;
    r->begin_time = sim_schedule_time(&r->schedule, r->place.interval);
    sim_checkpoints_ready(r);
    say_where(r, &w);
    sim_check_space(r);
    sim_record_free(&w.record);
    free(w.marks);
}
