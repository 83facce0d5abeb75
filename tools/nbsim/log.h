/* log.h - tables that a run writes next to its stream. --log has a line for each frame. --events has a line for each
 * event in the headers of the frames: a star merged or left, or a binary changed. */
#pragma once

#include "scene/events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;
struct sim_options;
struct sim_log;

enum sim_log_of { SIM_LOG_ENERGY, SIM_LOG_EVENTS, SIM_LOGS };

/* sim_log_name returns the name of a table's option. sim_log_option returns the address of the option's value. */
const char *sim_log_name(enum sim_log_of of);
const char **sim_log_option(struct sim_options *o, enum sim_log_of of);
/* Dies if the table would be written to the same file as the output stream or the other table. Also dies if this file
 * cannot be an output (tool_output_check), for example because it exists and -f was not given. Call it at the start of
 * a run. */
void sim_log_check(const struct sim_options *o, enum sim_log_of of);
/* Dies with a usage error if the output stream or a table would replace a file from which an external field is read. */
void sim_log_check_files(const struct run *r);
/* Opens the tables that the options ask for and that are not open yet. */
void sim_logs_open(struct run *r);
/* sim_log_write writes the line of --log for the present time. sim_log_write_events writes the lines of --events. Both
 * end the tool if writing fails. */
void sim_log_write(struct sim_log *log, struct run *r);
void sim_log_write_events(struct sim_log *log, const struct nb_event *events, size_t count);
/* sim_log_close closes the table and renames FILE.part to FILE. sim_log_leave leaves FILE.part for a run that is
 * resumed. `log` may be NULL. */
void sim_log_close(struct sim_log *log);
void sim_log_leave(struct sim_log *log);
/* sim_logs_close and sim_logs_leave call sim_log_close and sim_log_leave for all tables of a run. */
void sim_logs_close(struct run *r);
void sim_logs_leave(struct run *r);

/* state of a table at a checkpoint: its number of bytes, and their checksum. `bytes` is 0 if the table is not written
 * to a FILE.part; a resumed run cannot continue such a table. */
struct sim_log_mark {
    uint64_t bytes, hash;
};
/* Returns the path of the table, to be stored in a checkpoint: "" if `log` is NULL, "-" for stdout, otherwise an
 * absolute path. The caller frees it. */
char *sim_log_path(const struct sim_log *log);
struct sim_log_mark sim_log_mark(const struct sim_log *log);
/* From now on, keeps FILE.part of the table even if a signal or an error ends the run. Call it before the first
 * checkpoint is written: a resumed run continues this file. */
void sim_log_hold(struct sim_log *log);
/* Syncs FILE.part to the disk. Any thread may call it. Returns -1 after nb_fail. */
int sim_log_sync(const struct sim_log *log);
/* Calls sim_log_sync for all tables of a run. */
int sim_logs_sync(const struct run *r);
/* Returns the table `file` of an interrupted run, which left FILE.part. `mark` is from the checkpoint. Dies if the
 * first mark.bytes bytes of FILE.part do not have the checksum mark.hash. Changes no file. */
struct sim_log *sim_log_find(enum sim_log_of of, const char *file, struct sim_log_mark mark);
/* Opens a table that sim_log_find returned, to append lines. Removes the lines after the checkpoint from FILE.part. */
void sim_log_continue(struct sim_log *log);
/* Renames FILE.part to FILE for a table that sim_log_find returned. Used if a run was interrupted at its end, before it
 * renamed the table. */
void sim_log_finish(struct sim_log *log);
