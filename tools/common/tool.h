/* tool.h - what all tools share: messages and exit codes, option parsing, inputs, output files, progress, signals.
 *
 * Exit codes: 0 success; 1 input, output or device failed; 2 usage error; 3 a limit set by the user was exceeded. An
 * error message is one line on stderr: "nbsim: run.nbs: frame 7 is truncated ...". */
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
noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));       /* prints, exits with 1 */
noreturn void die_usage(const char *format, ...) __attribute__((format(printf, 1, 2))); /* refers to --help, exits 2 */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));            /* prints, returns -1 */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));         /* not printed with -q */
void say_verbose(const char *format, ...) __attribute__((format(printf, 1, 2))); /* printed only with -v */

/* Dies with the message of nb_error() if `status`, returned by a library function, is not 0. */
static inline void must(int status)
{
    if (status)
        die("%s", nb_error());
}

/* Returns its argument `made`, the result of a library function. Dies with the message of nb_error() if it is NULL. */
static inline void *must_have(const void *made)
{
    must(!made);
    return (void *)made;
}

/* Returns its argument `memory`. Dies with the formatted message if it is NULL. */
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

/* Returns the formatted text, which the caller frees. Dies if there is no memory. */
char *tool_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns a copy of the text. The caller frees it. Dies if there is no memory. */
char *tool_copy(const char *text);
/* Returns the number n followed by `one` or `several`, for messages: "1 step" or "12 steps". The text is valid until
 * the fourth call after this one in the same thread. */
const char *tool_many(uint64_t n, const char *one, const char *several);

/* ---- options ---- */

/* Values of the shared options, filled in by tool_parse. */
struct tool_options {
    const char *output; /* value of -o; NULL or "-" for stdout */
    bool overwrite;     /* -f */
    bool no_sync, no_space_check;
    bool quiet, verbose;
    enum tool_progress_mode progress;
    int threads; /* number of threads; 0: OpenMP's default. tool_parse sets this number in OpenMP */
    bool salvage;
    /* number of the frame to read, or one of three special values. NB_FRAME_LAST (-1): the last frame. TOOL_FRAME_ALL:
     * all frames. TOOL_FRAME_LIST: the frames in the member `frames` */
    int64_t frame;
    struct tool_list frames;  /* list of frames to read, if `frame` is TOOL_FRAME_LIST */
    struct nb_select *select; /* from --select; NULL: all bodies */
    bool frame_given;         /* true: --frame or --times was given; false: the whole input is read and verified */
    /* times given by --times; NULL without --times. With --times, `frame` is TOOL_FRAME_LIST. If the input is a file,
     * `frames` lists the matching frames. If the input is a pipe, `frames` lists all frames, because a pipe cannot be
     * searched in advance */
    struct tool_times *times;
    bool times_listed; /* true: --times was given, and `frames` lists only the matching frames */
};
extern struct tool_options tool_options;
#define TOOL_FRAME_ALL  INT64_MIN
#define TOOL_FRAME_LIST (INT64_MIN + 1)

/* Tables of shared options. A tool lists the tables that it uses in its struct tool_syntax. */
extern const struct tool_option tool_table_common[]; /* -q -v --threads --progress */
extern const struct tool_option tool_table_output[]; /* -o -f --no-sync */
extern const struct tool_option tool_table_space[];  /* --no-space-check */
extern const struct tool_option tool_table_select[]; /* --select */
/* --frame --times --salvage. The tool sets tool_options.frame to its default before the call of tool_parse. */
extern const struct tool_option tool_table_input[];
extern const struct tool_option tool_table_one_input[]; /* --frame --times --salvage, for tools that read one frame */

/* Parses the command line. Exits with 2 on an error, and with 0 after --help, --usage and --version. `name` is the
 * tool's name as users type it; for nbgen it includes the model, such as "nbgen plummer". `name` and `syntax` must stay
 * valid until the tool ends. Also accepts --print-options man|words, which is not in the help: it prints the tables of
 * options. The manual pages are made from this output. */
void tool_parse(const char *name, const struct tool_syntax *syntax, int argc, char **argv);
/* Returns the tool's name as users type it, for messages. */
const char *tool_name(void);
/* Returns whether the option (named without --) was given. */
bool tool_given(const char *option);
/* Returns the name of the first option on the command line that is in `table`. Returns NULL if there is none. */
const char *tool_given_of(const struct tool_option *table);
/* Returns the operands in the order of the command line, and their number. */
const char *const *tool_operands(int *count);
/* Returns the operands and their number. Without operands returns one operand "-" (stdin). */
const char *const *tool_inputs(int *count);
/* Returns the only operand, or NULL if there is none. Dies with a usage error if there are several. */
const char *tool_one_input(void);
/* Flushes stdout and exits with 0, after the tool has printed a list such as --help. Exits with 1 if the write
 * failed. */
noreturn void tool_end_list(void);
/* Returns the command line that is recorded in the history of the output. It has long options in the order of the
 * tables, no file names, and no options that cannot change the result. So it does not depend on how the user wrote the
 * options. */
const char *tool_command(void);
/* Removes the option (named without --) from the result of tool_command. Used if the option does not affect the output
 * of this run. */
void tool_forget(const char *option);
/* Records the option with this value, as if the user had given the option at the end of the command line. Used for
 * defaults that depend on the input. */
void tool_note(const char *option, const char *value);
/* Adds a line for this tool, with tool_command() and the seed of the random numbers, to the history in `meta`. `seed`
 * may be NULL. Dies on failure. */
void tool_record(struct nb_meta *meta, const char *seed);
/* Adds a history line as tool_record does, for an output made from `count` inputs. parents[k] is the ID of the last
 * history line of input k (nb_history_add_joined). */
void tool_record_joined(struct nb_meta *meta, const int *parents, int count, const char *seed);

/* These functions convert a text to a value. They call die_usage with the option's name if the text is invalid. */
uint64_t tool_count(const char *option, const char *text); /* 1 to 10^15; suffixes: k M G Ki Mi Gi; 1.5M is 1500000 */
uint64_t tool_unsigned(const char *option, const char *text);
double tool_number(const char *option, const char *text);   /* a finite number */
double tool_positive(const char *option, const char *text); /* a finite number above 0 */
double tool_share(const char *option, const char *text);    /* a number above 0 and at most 1: 0.01 or 1/100 */
double tool_not_negative(const char *option, const char *text);
void tool_pair(const char *option, const char *text, double *a, double *b); /* sets *a and *b from "A,B" */
enum nb_type tool_real_type(const char *option, const char *text);          /* from "f32" or "f64" */
/* Returns the text if nb_device_choose accepts it as a name of a device (--device), otherwise calls die_usage. The
 * device need not exist. */
const char *tool_device_name(const char *text);

/* ---- threads ---- */

#define TOOL_THREADS_MAX 4096
/* Dies if OpenMP is set to use more than TOOL_THREADS_MAX threads. */
void tool_threads_check(void);

/* ---- ranks: processes that mpirun or srun started together (tool_ranks.c) ---- */

/* tool_rank_count returns the number of processes of the run, 1 without mpirun. tool_rank_number returns the rank of
 * this process, counted from 0. */
int tool_rank_count(void);
int tool_rank_number(void);
/* Returns whether output to the descriptor appears in the user's terminal. Use it instead of isatty, because mpirun
 * gives stdout a pseudo-terminal even if the output of mpirun goes to a file. */
bool tool_is_terminal(int fd);
/* A tool calls this function if all processes that mpirun started compute one run together. tool_ranks_refuse then
 * does not die. */
void tool_ranks_joined(void);
/* Dies if mpirun started several processes and tool_ranks_joined was not called. */
void tool_ranks_refuse(void);

/* ---- inputs ---- */

/* Parse the values of --frame and --times into tool_options. */
tool_take tool_take_frame, tool_take_times;
/* Returns the option with which the user chose frames, "--times" or "--frame", for messages. */
const char *tool_frame_option(void);
/* Returns whether the user asked for only one frame: --frame has one number, or --times has one time. If
 * tool_input_count has already listed the frames that match --times, returns whether exactly one frame matches. */
bool tool_frame_is_one(void);
/* Opens an input with nb_snap_open. NULL and "-" mean stdin. With --salvage, damaged frames are skipped. Dies on
 * failure. If the input is stdin and stdin is a terminal, dies with a usage error that tells the user what to do. */
struct nb_snap_reader *tool_input_open(const char *path);
/* Warns about damage that --salvage has skipped since the last call. */
void tool_input_warn(struct nb_snap_reader *r);
/* Reads the next frame with nb_snap_read. Returns false at the end. Warns about skipped damage, dies on failure. */
bool tool_input_read(struct nb_snap_reader *r, struct nb_bodies *b);
/* Reads the frame that the user chose with --frame or --times. If neither option was given, reads the frame that is
 * the tool's default (tool_options.frame) and verifies the whole input. Checks the frame with nb_bodies_check. Dies on
 * failure. */
void tool_input_frame(const char *path, struct nb_bodies *b);

struct tool_frames { /* state of reading the frames chosen by --frame or --times (tool_options) */
    struct nb_snap_reader *reader;
    /* frames to read. With --times, each input has its own list, which is freed after the last frame */
    struct tool_list list;
    struct tool_times *times;
    int64_t count; /* number of frames in the input; -1: unknown */
    int64_t last;  /* number of the last returned frame; -1 before the first */
    bool ended;
};

/* Sets *count to the number of frames of the input, or to -1 if the number is unknown (a pipe). With --times, lists the
 * matching frames of a file in tool_options.frames. Returns -1 after nb_fail, for example if no frame has a number or
 * time that the user asked for. */
int tool_input_count(struct nb_snap_reader *r, int64_t *count);
/* Prepares `f` for tool_frames_next. The caller may already have read the first frame from the reader. Returns 0, or -1
 * after nb_fail, for example if the input has no frame with a number or time that the user asked for. */
int tool_frames_begin(struct tool_frames *f, struct nb_snap_reader *r);
/* Reads the next frame that the user asked for into b, and returns 1. Returns 0 after the last frame. Returns -1 after
 * nb_fail, for example if a frame that the user asked for does not exist. Pass the same b in each call, because a frame
 * that is already in b is not read again. With --salvage, skips damaged frames. If the input is a pipe, the last call
 * also verifies the rest of the pipe. */
int tool_frames_next(struct tool_frames *f, struct nb_bodies *b);

/* `text` is a condition, the value of the option named `option`; `select` is the result of parsing it.
 * tool_select_checked returns `select`, or dies with the message of nb_error() if `select` is NULL. tool_select_refuse
 * dies with a usage error that contains the text and the reason `why`. */
struct nb_select *tool_select_checked(const char *option, const char *text, struct nb_select *select);
noreturn void tool_select_refuse(const char *option, const char *text, const char *why);
/* Prints the names of components (disk, halo, ...), which the shell uses to complete a condition. */
void tool_select_offer(void);
/* Returns true if --select was given (also as `--select all`) or tool_select_usually has set a condition. */
bool tool_select_given(void);
/* Sets tool_options.select to a default condition, and returns true. If --select was given (also as `--select all`),
 * does nothing and returns false. If a frame lacks a column that the default condition needs, all bodies of the frame
 * are selected. Call this function before starting threads that read frames. */
bool tool_select_usually(const char *condition);
/* Returns whether --select was given, also as `--select all`. */
bool tool_select_asked(void);
/* Copies the bodies that satisfy tool_options.select (not NULL) into `selected`, which must be initialised. The result
 * may be empty. Returns -1 after nb_fail if the frame lacks a column or there is no memory. */
int tool_select(const struct nb_bodies *all, struct nb_bodies *selected);
/* Copies the bodies with mask[i] != 0 into `selected`, which must be initialised. `mask` has all->n elements, of which
 * `count` are not 0. If the frame has no column id, adds one with the index of each body in the frame. Returns -1 after
 * nb_fail. */
int tool_select_take(const struct nb_bodies *all, const unsigned char *mask, uint64_t count,
                     struct nb_bodies *selected);
/* Allocates and sets the mask for tool_select_take (all->n bytes, the caller frees it), and counts the selected bodies.
 * If the frame lacks a column or there is no memory, returns -1 after nb_fail and sets *mask to NULL. */
int tool_select_mask(const struct nb_bodies *all, unsigned char **mask, uint64_t *count);

/* ---- outputs ---- */

/* An output that is being written. A file has the name FILE.part until it is complete; stdout and devices are written
 * in place. */
struct tool_output;

/* Opens an output; NULL or "-" is stdout. Dies on failure. Also dies if
 *   - the output is a directory;
 *   - the output is an existing file, and -f was not given;
 *   - the output is a terminal, and `binary` is set;
 *   - FILE.part (the name of the output FILE until it is complete) is an input of this run, or another run is writing
 *     it. */
struct tool_output *tool_output_open(const char *path, bool binary);
/* Dies in the cases in which tool_output_open would die, but creates no file. Call it before long work. */
void tool_output_check(const char *path, bool binary);
/* Dies if the output is one of the inputs, so that -f cannot replace an input. Called by tools whose operands are all
 * inputs, because users may give the output as an operand by mistake. */
void tool_output_spare_inputs(const char *path);
/* Opens an existing file for appending, and locks it. Truncates the file to its old size if the tool ends before the
 * output is closed. Dies on failure. */
struct tool_output *tool_output_append(const char *path);
/* Opens path.part of an interrupted run, truncates it to its first size_bytes bytes, and continues to write there.
 * `path` must not be a symbolic link. Dies on failure. */
struct tool_output *tool_output_resume(const char *path, uint64_t size_bytes, bool binary);
int tool_output_fd(const struct tool_output *o);
/* Return names for messages. tool_output_name: the path that the user gave, or "stdout". tool_output_part: FILE.part,
 * or the result of tool_output_name if the output is written in place. */
const char *tool_output_name(const struct tool_output *o);
const char *tool_output_part(const struct tool_output *o);
/* Sets whether FILE.part is kept if the tool dies before the output is complete. The tool then prints the name of the
 * kept file. Call it with true while FILE.part contains complete frames or lines. If a signal ends the tool, FILE.part
 * is kept only if the output is binary or tool_output_hold was called. */
void tool_output_keep(struct tool_output *o, bool keep);
/* Keeps FILE.part, even of a text output, if the tool dies or if a signal ends it. Needed with checkpoints, because a
 * run that is resumed continues FILE.part. */
void tool_output_hold(struct tool_output *o);
/* Couples `beside`, another output in the same folder, to the output `o`: tool_output_close(o) syncs both files,
 * renames `beside`, and then renames `o`. A reader that finds the final file of `o` therefore also finds the final file
 * of `beside`. */
void tool_output_beside(struct tool_output *o, struct tool_output *beside);
/* After this call, tool_output_close(o) does not sync the folder of the output. For callers that close many files in a
 * folder, and sync the folder once at the end. */
void tool_output_folder_later(struct tool_output *o);
/* Syncs the bytes written so far. If the output has a FILE.part, also syncs its folder, so that the name FILE.part
 * survives a crash. Does nothing with --no-sync. Any thread may call it. Returns 0, or -1 with errno. */
int tool_output_sync(const struct tool_output *o);
/* Returns whether the path means stdout: NULL, "-" or a name of the descriptor such as /dev/stdout. */
bool tool_is_stdout(const char *path);
/* Returns the path with symbolic links followed, even if the target does not exist. Frees the given path; the caller
 * frees the result. */
char *tool_follow_links(char *path);
/* Syncs a file. Does nothing with --no-sync. Returns 0, or -1 with errno. */
int tool_sync(int fd);
/* Syncs the folder of a path, so that a new name in it survives a crash. Returns 0, or -1 with errno. With --no-sync,
 * or if the folder cannot be opened, does nothing and returns 0. */
int tool_sync_folder(const char *path);
/* Returns whether the path is a regular file or does not exist. Such outputs are written as FILE.part and renamed;
 * devices and FIFOs are written in place. */
bool tool_is_regular(const char *path);
struct stat;
bool tool_same_file(const struct stat *a, const struct stat *b);
bool tool_same_disk(int fd, int other);
/* Returns whether another run is writing the file. */
bool tool_is_locked(const char *path);
#define TOOL_PART ".part"
/* Returns FILE.part; the caller frees it. */
char *tool_part_name(const char *file);
/* Dies if fd is a regular file whose disk has less free space than size_bytes. `what` names the contents in the
 * message: "1000 bodies". */
void tool_check_space(int fd, const char *name, double size_bytes, const char *what);
/* Syncs the file (unless --no-sync was given), renames FILE.part to FILE and closes the output. Dies on failure. Also
 * dies if another program has created FILE meanwhile and -f was not given. */
void tool_output_close(struct tool_output *o);
/* Syncs and closes the output, but does not rename FILE.part to FILE. Dies on failure. */
void tool_output_leave(struct tool_output *o);
/* Ends the tool after a failed write. If errno is EPIPE (the reader of the pipe has ended), raises SIGPIPE and
 * prints no message. Otherwise dies with nb_error(). */
noreturn void tool_output_failed(void);

/* ---- time and signals ---- */

/* Returns seconds of a monotonic clock. */
double tool_clock(void);

/* Catches SIGINT, SIGTERM and SIGHUP, unless they were ignored. The first signal only sets tool_signal, so that the
 * tool can finish its current work. The second signal ends the tool at once. Each FILE.part is then removed, unless
 * tool_output_keep or tool_output_hold keeps it. */
void tool_catch_signals(void);
extern atomic_int tool_signal; /* number of the first signal; 0: no signal yet. Atomic, because any thread may set it */
/* Sets signal handlers that end the tool at the first signal. For tools that have no work to finish. Called by the
 * functions that open an output. */
void tool_watch_signals(void);
/* Delays signals that arrive between a call with true and the next call with false. Used while FILE.part exists but is
 * not yet registered for removal. */
void tool_hold_signals(bool hold);
/* Sets a handler that ends the tool with a message if a page of the mapped file `name` (nb_snap_map) cannot be read.
 * Only the first call has an effect. */
void tool_watch_mapping(const char *name);
/* Sets the child process that is killed if a signal ends the tool. 0: no child. */
void tool_kill_on_signal(pid_t process);
/* Removes each FILE.part, unless tool_output_keep or tool_output_hold keeps it. Safe in a signal handler. */
void tool_output_abandon(void);
