/* log.c - writes the text tables of --log FILE and --events FILE. */
#include "checkpoint_file.h"
#include "run.h"

#include "base/io.h"
#include "snap/snap_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sim_log {
    struct tool_output *file;
    char *path;     /* path of the log of an interrupted run (sim_log_find); NULL for a new log */
    uint64_t bytes; /* number of bytes written so far */
    struct nb_hash *hash;
    /* The steps per second in the next line are computed from the changes of these two members: */
    uint64_t steps;    /* number of steps that this process had taken when the last line was written */
    double stepping_s; /* seconds that this process had used for steps when the last line was written */
};

static const char *const names[] = {[SIM_LOG_ENERGY] = "log", [SIM_LOG_EVENTS] = "events"};

const char *sim_log_name(enum sim_log_of of)
{
    return names[of];
}

const char **sim_log_option(struct sim_options *o, enum sim_log_of of)
{
    return of == SIM_LOG_ENERGY ? &o->log : &o->events;
}

static bool is_same(const char *a, const char *b)
{
    return tool_is_stdout(a) ? tool_is_stdout(b) : !tool_is_stdout(b) && sim_path_same(a, b);
}

void sim_log_check(const struct sim_options *o, enum sim_log_of of)
{
    const char *file = of == SIM_LOG_ENERGY ? o->log : o->events;
    if (!file)
        return;
    if (is_same(file, tool_options.output))
        die_usage("--%s %s: must not be the output stream (-o FILE names another)", names[of], file);
    if (of == SIM_LOG_EVENTS && o->log && is_same(file, o->log))
        die_usage("--events %s: must not be the file of --log", file);
    tool_output_check(file, false);
}

void sim_log_check_files(const struct run *r)
{
    const char *const to[] = {tool_options.output, r->options->log, r->options->events};
    for (int k = 0; k < NB_FORCES_MAX * NB_FORCE_FILES; k++) {
        const int force = k / NB_FORCE_FILES;
        const char *file = force < r->forces.count ? r->forces.force[force].spec.file[k % NB_FORCE_FILES] : "";
        const char *checksum = strrchr(file, '@');
        char name[NB_FORCE_FILE_BYTES];
        snprintf(name, sizeof name, "%.*s", checksum ? (int)(checksum - file) : 0, file);
        for (int j = 0; *name && j < 3; j++)
            if (to[j] && is_same(to[j], name))
                die_usage("%s: is not replaced, because it is the file of an external field", name);
    }
}

/* Writes complete lines, so that a program that follows the file never reads part of a line. */
static void put(struct sim_log *log, const char *line)
{
    const size_t size_bytes = strlen(line);
    if (nb_io_write(tool_output_fd(log->file), tool_output_name(log->file), line, size_bytes))
        tool_output_failed();
    nb_hash_update(log->hash, line, size_bytes);
    log->bytes += size_bytes;
}

static struct sim_log *create(void)
{
    struct sim_log *log = claimed(calloc(1, sizeof *log), "no memory");
    log->hash = claimed(nb_hash_create(), "no memory");
    nb_hash_reset(log->hash);
    return log;
}

static struct sim_log *begin(const char *path, const char *line)
{
    struct sim_log *log = create();
    log->file = tool_output_open(path, false);
    put(log, line);
    return log;
}

void sim_logs_open(struct run *r)
{
    const struct sim_options *o = r->options;
    if (o->log && !r->logs[SIM_LOG_ENERGY])
        r->logs[SIM_LOG_ENERGY] = begin(o->log, "# time\tstep\tenergy\tenergy_error\tdt\trate\tshortest\tlongest\n");
    if (o->events && !r->logs[SIM_LOG_EVENTS])
        r->logs[SIM_LOG_EVENTS] =
            begin(o->events, "# event\ttime\tid\tother\tmass\tother_mass\tenergy\tx\ty\tz\tvx\tvy\tvz\tformer\n");
}

static double no_sign(double x)
{
    return isnan(x) ? (double)NAN : x; /* without a sign, so that printf does not print -nan */
}

void sim_log_write(struct sim_log *log, struct run *r)
{
    const struct nb_meta *meta = &r->bodies.meta;
    const uint64_t steps = r->steps_done - r->steps_before;
    const double rate = (double)(steps - log->steps) / (r->stepping_s - log->stepping_s);
    char line[256];
    double range[2];
    sim_steps_range(r, range);
    snprintf(line, sizeof line, "%.17g\t%" PRIu64 "\t%.17g\t%.17g\t%.17g\t%.6g\t%.6g\t%.6g\n", meta->time, meta->step,
             no_sign(r->watch.energy), no_sign(r->watch.error), sim_step_size(r), no_sign(rate), range[0], range[1]);
    put(log, line);
    tool_output_keep(log->file, true);
    log->steps = steps;
    log->stepping_s = r->stepping_s;
}

void sim_log_write_events(struct sim_log *log, const struct nb_event *events, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const struct nb_event *e = &events[k];
        char line[NB_EVENT_LINE], other[64] = "nan", former[64] = "nan";
        double other_mass = NAN;
        if (nb_event_stars(e->kind) > 1) {
            snprintf(other, sizeof other, "%" PRIu64, e->other);
            other_mass = e->other_mass;
        }
        if (nb_event_stars(e->kind) > 2)
            snprintf(former, sizeof former, "%" PRIu64, e->former);
        snprintf(line, sizeof line,
                 "%s\t%.17g\t%" PRIu64 "\t%s\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%s\n",
                 nb_event_name(e->kind), e->time, e->id, other, e->mass, no_sign(other_mass), e->energy, e->x[0],
                 e->x[1], e->x[2], e->v[0], e->v[1], e->v[2], former);
        put(log, line);
    }
    tool_output_keep(log->file, true);
}

static void destroy(struct sim_log *log)
{
    nb_hash_destroy(log->hash);
    free(log->path);
    free(log);
}

void sim_log_close(struct sim_log *log)
{
    if (!log)
        return;
    tool_output_close(log->file);
    destroy(log);
}

void sim_logs_close(struct run *r)
{
    for (int k = 0; k < SIM_LOGS; k++) {
        sim_log_close(r->logs[k]);
        r->logs[k] = NULL;
    }
}

/* ---- resuming ---- */

void sim_logs_leave(struct run *r)
{
    for (int k = 0; k < SIM_LOGS; k++) {
        sim_log_leave(r->logs[k]);
        r->logs[k] = NULL;
    }
}

int sim_logs_sync(const struct run *r)
{
    for (int k = 0; k < SIM_LOGS; k++)
        if (sim_log_sync(r->logs[k]))
            return -1;
    return 0;
}

void sim_log_leave(struct sim_log *log)
{
    if (!log)
        return;
    if (sim_is_part(log->file))
        tool_output_leave(log->file);
    else
        tool_output_close(log->file);
    destroy(log);
}

char *sim_log_path(const struct sim_log *log)
{
    if (log && sim_is_part(log->file))
        return sim_part_file(log->file);
    if (log && tool_output_fd(log->file) != STDOUT_FILENO)
        return sim_path_absolute(tool_output_name(log->file));
    return tool_copy(log ? "-" : "");
}

struct sim_log_mark sim_log_mark(const struct sim_log *log)
{
    if (!log || !sim_is_part(log->file))
        return (struct sim_log_mark){0};
    return (struct sim_log_mark){log->bytes, nb_hash_digest(log->hash)};
}

void sim_log_hold(struct sim_log *log)
{
    if (log)
        tool_output_hold(log->file);
}

int sim_log_sync(const struct sim_log *log)
{
    if (log && sim_is_part(log->file) && tool_output_sync(log->file))
        return nb_fail("%s: cannot be written: %s", tool_output_part(log->file), strerror(errno));
    return 0;
}

/* Reads the first `wanted` bytes of a log and adds them to the checksum. Stops at the end of a shorter file. Returns 0,
 * or -1 with errno if reading fails. */
static int read_lines(struct sim_log *log, int fd, uint64_t wanted)
{
    char piece[1 << 14];
    while (log->bytes < wanted) {
        const uint64_t left = wanted - log->bytes;
        const ssize_t got = pread(fd, piece, left < sizeof piece ? left : sizeof piece, (off_t)log->bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return (int)got;
        nb_hash_update(log->hash, piece, (size_t)got);
        log->bytes += (uint64_t)got;
    }
    return 0;
}

struct sim_log *sim_log_find(enum sim_log_of of, const char *file, struct sim_log_mark mark)
{
    char other[64];
    snprintf(other, sizeof other, "(--%s OTHER begins %s with the lines that follow)", names[of],
             of == SIM_LOG_ENERGY ? "a log" : "a file");
    struct sim_log *log = create();
    char *part = tool_part_name(file);
    const int fd = open(part, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        die("%s: does not exist, so the run cannot continue its log %s", part, other);
    if (fd < 0 || read_lines(log, fd, mark.bytes))
        die("%s: cannot be read: %s %s", part, strerror(errno), other);
    close(fd);
    if (log->bytes < mark.bytes)
        die("%s: has only %" PRIu64 " of the %" PRIu64 " bytes that the log had at the checkpoint %s", part, log->bytes,
            mark.bytes, other);
    if (nb_hash_digest(log->hash) != mark.hash)
        die("%s: its first lines differ from the log at the checkpoint, so the run cannot continue it %s", part, other);
    free(part);
    log->path = tool_copy(file);
    return log;
}

void sim_log_continue(struct sim_log *log)
{
    log->file = tool_output_resume(log->path, log->bytes, false);
}

void sim_log_finish(struct sim_log *log)
{
    char *part = tool_part_name(log->path);
    struct stat st;
    if (stat(part, &st))
        die("%s: cannot be opened: %s", part, strerror(errno));
    log->file = tool_output_resume(log->path, (uint64_t)st.st_size, false);
    free(part);
    sim_log_close(log);
}
