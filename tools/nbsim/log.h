/* log.h - tables that a run writes beside its stream: --log, a line for each output, and --events, a line for each star
 * that merged or left, of those in the headers of the frames so far. */
#pragma once

#include "scene/events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;
struct sim_options;
struct sim_log;

enum sim_log_of { SIM_LOG_ENERGY, SIM_LOG_EVENTS, SIM_LOGS };

/* The option's name, and where its value is. */
const char *sim_log_name(enum sim_log_of of);
const char **sim_log_option(struct sim_options *o, enum sim_log_of of);
/* What would be refused later is refused now. */
void sim_log_check(const struct sim_options *o, enum sim_log_of of);
/* Refuses outputs that are files of external fields. */
void sim_log_check_files(const struct run *r);
/* Opens those that the options ask for and that are not open. */
void sim_logs_open(struct run *r);
/* The line of an output; the lines of events. */
void sim_log_write(struct sim_log *log, struct run *r);
void sim_log_write_events(struct sim_log *log, const struct nb_event *events, size_t count);
/* Closes it under its own name; or leaves FILE.part for a run that is resumed. The log may be NULL. */
void sim_log_close(struct sim_log *log);
void sim_log_leave(struct sim_log *log);
/* The same of all of a run. */
void sim_logs_close(struct run *r);
void sim_logs_leave(struct run *r);

struct sim_log_mark { /* the log at a checkpoint; 0 bytes: it is written in place, and cannot be continued */
    uint64_t bytes, hash;
};
/* For checkpoints. The log may be NULL. What the option would name it: "" if there is none, "-" for stdout, else an
 * absolute path; to be freed. */
char *sim_log_path(const struct sim_log *log);
struct sim_log_mark sim_log_mark(const struct sim_log *log);
/* Keeps the lines so far, however the run ends. */
void sim_log_hold(struct sim_log *log);
/* Syncs a FILE.part; any thread may. -1 after nb_fail. */
int sim_log_sync(const struct sim_log *log);
/* The same of all of a run. */
int sim_logs_sync(const struct run *r);
/* Verifies that FILE.part begins with the lines that the log had at a checkpoint, and dies if not. Changes nothing. */
struct sim_log *sim_log_find(enum sim_log_of of, const char *file, struct sim_log_mark mark);
/* Cuts FILE.part of such a log back to these lines, and continues it. */
void sim_log_continue(struct sim_log *log);
/* Gives FILE.part of a run that had come to its end its name. */
void sim_log_finish(struct sim_log *log);
