/* tool.h - what all tools share: messages and exit codes, option parsing, inputs, output files, progress, signals.
 *
 * Exit codes: 0 ok, 1 input, output or device failed, 2 usage, 3 a limit given by the user was exceeded.
 * An error is one line on stderr: "nbsim: run.nbs: cut in frame 7 ...". */
#pragma once

#include "base/bodies.h"
#include "base/error.h"
#include "common/tool_list.h"
#include "common/tool_progress.h"
#include "common/tool_syntax.h"
#include "common/tool_times.h"
#include "snap/snap.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdnoreturn.h>
#include <sys/types.h>

enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_CHECK_FAILED = 3 };

/* ---- messages ---- */
noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));       /* exit 1 */
noreturn void die_usage(const char *format, ...) __attribute__((format(printf, 1, 2))); /* exit 2, with a hint line */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));            /* and goes on; returns -1 */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));         /* unless -q */
void say_verbose(const char *format, ...) __attribute__((format(printf, 1, 2))); /* with -v */

/* A function of the library has not failed, or the tool dies with nb_error(). */
static inline void must(int status)
{
    if (status)
        die("%s", nb_error());
}

/* The same of one whose NULL is a failure. */
static inline void *must_have(const void *made)
{
    must(!made);
    return (void *)made;
}

/* Memory that was asked for; dies with that message if there is none. */
static inline __attribute__((format(printf, 2, 3))) void *claimed(void *memory, const char *format, ...)
{
    char message[NB_ERROR_MAX];
    va_list args;
    if (memory)
        return memory;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    die("%s", message);
}

/* What printf would print, to be freed. Dies if there is no memory. */
char *tool_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *tool_copy(const char *text); /* as strdup */
/* "1 step", "12 steps": for messages, a few at a time. */
const char *tool_many(uint64_t n, const char *one, const char *several);

/* ---- options ---- */

/* Values of the shared options, filled in by tool_parse. */
struct tool_options {
    const char *output; /* -o; NULL or "-" for stdout */
    bool overwrite;     /* -f */
    bool no_sync, no_space_check;
    bool quiet, verbose;
    enum tool_progress_mode progress;
    int threads; /* 0: all cores; already given to OpenMP */
    bool salvage;
    int64_t frame;            /* --frame K, NB_FRAME_LAST, TOOL_FRAME_ALL, or TOOL_FRAME_LIST for any other */
    struct tool_list frames;  /* of TOOL_FRAME_LIST */
    struct nb_select *select; /* --select, NULL: all bodies */
    bool frame_given;         /* --frame or --times was given: only what it names need be read */
    struct tool_times *times; /* --times, NULL: not given; else frame is TOOL_FRAME_LIST, and `frames` those of a file
                                 that was counted, or all where that cannot be */
    bool times_listed;        /* the former */
};
extern struct tool_options tool_options;
#define TOOL_FRAME_ALL  INT64_MIN
#define TOOL_FRAME_LIST (INT64_MIN + 1)

/* Shared options; a tool lists those it has. */
extern const struct tool_option tool_table_common[]; /* -q -v --threads --progress */
extern const struct tool_option tool_table_output[]; /* -o -f --no-sync */
extern const struct tool_option tool_table_space[];  /* --no-space-check */
extern const struct tool_option tool_table_select[]; /* --select */
/* --frame --times --salvage; set tool_options.frame to its default before */
extern const struct tool_option tool_table_input[];
extern const struct tool_option tool_table_one_input[]; /* the same of tools that take one frame */

/* Parses the command line; exits 2 on an error, 0 after --help, --usage and --version. `name` is the tool as users type
 * it, for nbgen with the model ("nbgen plummer"); name and syntax live on. Also serves the hidden
 * --print-options=man|bash, from which manual pages and shell completion are made. */
void tool_parse(const char *name, const struct tool_syntax *syntax, int argc, char **argv);
/* The tool as users type it, for messages. */
const char *tool_name(void);
/* Returns whether the option (without its --) was given. */
bool tool_given(const char *option);
/* The name of the first option of this table that was given, or NULL. */
const char *tool_given_of(const struct tool_option *table);
/* The operands of the command line, in its order. */
const char *const *tool_operands(int *count);
/* The same, and "-" where there is none. */
const char *const *tool_inputs(int *count);
/* The one operand, NULL: there is none; dies if there are several. */
const char *tool_one_input(void);
/* Ends a tool that has printed what was asked for to stdout, as --help does: 1 where that failed. */
noreturn void tool_end_list(void);
/* The canonical command line of what was parsed: long options in the table's order, without those that cannot change
 * the result and without file names. */
const char *tool_command(void);
/* The option (without its --) does not affect the result after all: it is left out of the recorded command line. */
void tool_forget(const char *option);
/* The option is recorded with this value, as if it had been given last: a default that was chosen by what the input is.
 */
void tool_note(const char *option, const char *value);
/* Adds this tool with tool_command() to the history; seed may be NULL. */
void tool_record(struct nb_meta *meta, const char *seed);
/* The same, of what came from these lines of it: nb_history_add_joined. */
void tool_record_joined(struct nb_meta *meta, const int *parents, int count, const char *seed);

/* Values; all die_usage with the option's name (without its --) when the text is not such a number. */
uint64_t tool_count(const char *option, const char *text); /* suffixes k M G, Ki Mi Gi; 1.5M is 1500000 */
uint64_t tool_unsigned(const char *option, const char *text);
double tool_number(const char *option, const char *text);   /* finite */
double tool_positive(const char *option, const char *text); /* finite, > 0 */
double tool_share(const char *option, const char *text);    /* above 0 and at most 1, as 0.01 or 1/100 */
double tool_not_negative(const char *option, const char *text);
void tool_pair(const char *option, const char *text, double *a, double *b); /* "A,B" */
enum nb_type tool_real_type(const char *option, const char *text);          /* f32 or f64 */
/* A name that nb_device_choose takes (of --device), whether or not there is such a device. */
const char *tool_device_name(const char *text);

/* ---- threads ---- */

#define TOOL_THREADS_MAX 4096
/* Dies where the environment asks OpenMP for more than that. */
void tool_threads_check(void);

/* ---- ranks: processes that mpirun or srun started together: tool_ranks.c ---- */

int tool_rank_count(void); /* 1: alone */
int tool_rank_number(void);
/* Is it what a user looks at? mpirun passes on a terminal of its own, wherever its output goes. */
bool tool_is_terminal(int fd);
/* This process is one of several of a run, and not one that does the same as the others. */
void tool_ranks_joined(void);
/* Dies where it is not, and there are several. */
void tool_ranks_refuse(void);

/* ---- inputs ---- */

/* What --frame=TEXT and --times=TEXT set in tool_options, whatever the option. */
tool_take tool_take_frame, tool_take_times;
/* The one of them that was given, for messages. */
const char *tool_frame_option(void);
/* Whether TOOL_FRAME_LIST names one frame alone, as far as that is known. */
bool tool_frame_is_one(void);
/* nb_snap_open with -, --salvage and a hint (exit 2) when stdin is a terminal. path may be NULL. */
struct nb_snap_reader *tool_input_open(const char *path);
/* Warns of what salvage has passed over since the last time. */
void tool_input_warn(struct nb_snap_reader *r);
/* nb_snap_read that dies on failure and warns of what salvage passed over; true: a frame. */
bool tool_input_read(struct nb_snap_reader *r, struct nb_bodies *b);
/* Reads the one frame that tool_options.frame asks for (verifying the whole input unless it was given), checks it
 * with nb_bodies_check, closes the input; dies on failure. */
void tool_input_frame(const char *path, struct nb_bodies *b);

struct tool_frames { /* those that tool_options names, on their way from an input */
    struct nb_snap_reader *reader;
    struct tool_list list; /* of --times its own, until the end */
    struct tool_times *times;
    int64_t count; /* that the input has, -1 where it is not known */
    int64_t last;  /* given, -1 before the first */
    bool ended;
};

/* How many frames the input has, or -1; of --times, makes tool_options.frames those of a file. -1 after nb_fail also
 * where what is named is not there. */
int tool_input_count(struct nb_snap_reader *r, int64_t *count);
/* Begins with a reader, from which a first frame may have been read. -1 after nb_fail, as tool_input_count. */
int tool_frames_begin(struct tool_frames *f, struct nb_snap_reader *r);
/* Makes the next frame that is named the one in b, where the one read last is; with salvage the next that is whole.
 * 1; 0 at the end, what a pipe brings behind it having been verified; -1 after nb_fail, also where one is not there. */
int tool_frames_next(struct tool_frames *f, struct nb_bodies *b);

/* What was made of an option's text; dies if that is NULL, after nb_fail. And dies (usage) by the reason given. */
struct nb_select *tool_select_checked(const char *option, const char *text, struct nb_select *select);
noreturn void tool_select_refuse(const char *option, const char *text, const char *why);
/* For the completion of a condition: components, which are a list of their own. */
void tool_select_offer(void);
/* Whether it was given; that of all bodies is no condition. */
bool tool_select_given(void);
/* Where --select was not given: from now on this condition selects, and where a frame lacks what it names, all bodies.
 * False where it was given (`all` is a way to). For one thread, before others read frames. */
bool tool_select_usually(const char *condition);
/* Was it the user who chose bodies, or all? */
bool tool_select_asked(void);
/* Makes `selected` (initialised) the bodies of a frame that tool_options.select, not NULL, takes; perhaps none. -1
 * after nb_fail: it names a column that there is not, or no memory. */
int tool_select(const struct nb_bodies *all, struct nb_bodies *selected);
/* The same by a mask of `count` bodies. Bodies without an id get their place in the frame as one. */
int tool_select_take(const struct nb_bodies *all, const unsigned char *mask, uint64_t count,
                     struct nb_bodies *selected);
/* Which bodies these are: a mask for nb_select_take, the caller's to free, and how many. -1, mask NULL: as above. */
int tool_select_mask(const struct nb_bodies *all, unsigned char **mask, uint64_t *count);

/* ---- outputs ---- */

struct tool_output; /* an output file being written: FILE.part until it is whole; stdout and devices in place */

/* path NULL or "-": stdout. Refuses a terminal if `binary`, an existing file without -f, a directory, a FILE.part that
 * another run is writing or that is an input of this one. Dies on failure. */
struct tool_output *tool_output_open(const char *path, bool binary);
/* What tool_output_open would refuse is refused now, before long work; nothing is created. */
void tool_output_check(const char *path, bool binary);
/* Dies where the output is one of the inputs, which -f would replace: of a tool that others are as likely to have meant
 * for the output as for an input. */
void tool_output_spare_inputs(const char *path);
/* Writes behind what is in a file, under a lock, and cuts it back to that if the tool ends before the output is closed.
 */
struct tool_output *tool_output_append(const char *path);
/* Goes on with the path.part of a program that was cut, behind its first size_bytes; what follows is cut off. The path
 * is that of the file itself, not of a link. */
struct tool_output *tool_output_resume(const char *path, uint64_t size_bytes, bool binary);
int tool_output_fd(const struct tool_output *o);
/* For messages: the path asked for or "stdout". And where the bytes go now: FILE.part, or the path itself. */
const char *tool_output_name(const struct tool_output *o);
const char *tool_output_part(const struct tool_output *o);
/* Keeps FILE.part when the tool dies from here on (there are whole frames in it, or lines); the tool then names it. A
 * signal leaves binary ones alone. */
void tool_output_keep(struct tool_output *o, bool keep);
/* Keeps FILE.part until the output is closed, also when a signal ends the tool: a checkpoint needs it. */
void tool_output_hold(struct tool_output *o);
/* Another output, in the same folder, that belongs to it: closing `o`, which is a file, closes both, when they are
 * whole on the disk gives them their names, and `o` its own last. */
void tool_output_beside(struct tool_output *o, struct tool_output *beside);
/* Of many files in one folder: its caller syncs the folder when all are closed. */
void tool_output_folder_later(struct tool_output *o);
/* Syncs what was written so far, and the name of FILE.part, unless --no-sync; any thread may. -1 with errno. */
int tool_output_sync(const struct tool_output *o);
/* Does the path mean stdout: NULL, "-" or a name of the descriptor? */
bool tool_is_stdout(const char *path);
/* The path behind links, also where nothing is there yet; the one that was given is freed. */
char *tool_follow_links(char *path);
/* Syncs a file, unless --no-sync. -1 with errno. */
int tool_sync(int fd);
/* Syncs the folder of a path, unless --no-sync: a new name is to last. A folder that may not be read cannot be synced.
 * -1 with errno. */
int tool_sync_folder(const char *path);
/* Files, there or not, are written beside and renamed; devices and FIFOs in place. */
bool tool_is_regular(const char *path);
struct stat;
bool tool_same_file(const struct stat *a, const struct stat *b);
bool tool_same_disk(int fd, int other);
/* Returns whether another run is writing the file. */
bool tool_is_locked(const char *path);
#define TOOL_PART ".part"
/* FILE.part; to be freed. */
char *tool_part_name(const char *file);
/* Dies where a regular file of that size does not fit on its disk; `what` needs the space: "1000 bodies". */
void tool_check_space(int fd, const char *name, double size_bytes, const char *what);
/* Syncs the file (unless --no-sync), gives it its name, which without -f nothing else may have taken meanwhile, and
 * closes it. Dies on failure. */
void tool_output_close(struct tool_output *o);
/* Closes, and leaves what there is as FILE.part. Dies on failure. */
void tool_output_leave(struct tool_output *o);
/* A write to stdout or a pipe failed: ends quietly as SIGPIPE would when errno is EPIPE, else die("%s", nb_error()). */
noreturn void tool_output_failed(void);

/* ---- time and signals ---- */

/* Seconds of a monotonic clock. */
double tool_clock(void);

/* SIGINT, SIGTERM and SIGHUP, where they were not ignored before. From here on the first one only sets tool_signal, for
 * the tool to end what it is at; the second ends it at once, wherever it waits, and FILE.part that is not to be kept
 * is removed. */
void tool_catch_signals(void);
extern atomic_int tool_signal; /* 0, or the number of the first signal; any thread may get it */
/* The same for a tool with nothing to finish: the first signal ends it. Opening an output does so. */
void tool_watch_signals(void);
/* Between true and false a signal waits: FILE.part is being made, and not known yet to what removes it. */
void tool_hold_signals(bool hold);
/* A signal that ends the tool at once kills this process too; 0: none any more. */
void tool_kill_on_signal(pid_t process);
/* Removes what tool_output_keep does not keep. Safe in a signal handler. */
void tool_output_abandon(void);
