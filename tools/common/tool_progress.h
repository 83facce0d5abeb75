/* tool_progress.h - reports progress to stderr in the form given by --progress: a line that is redrawn on the terminal,
 * lines for logs, or JSON for programs.
 *
 * On a terminal each tool of a pipe has its own line. The tools share a small file, which contains the lines of all
 * tools. A tool that updates its line locks this file and redraws all lines. Messages are printed above the lines. */
#pragma once

#include <stdint.h>

enum tool_progress_mode {                     /* in the order of the words of --progress */
                          TOOL_PROGRESS_AUTO, /* bar on a terminal, otherwise off */
                          TOOL_PROGRESS_BAR,
                          TOOL_PROGRESS_LINES,
                          TOOL_PROGRESS_JSON,
                          TOOL_PROGRESS_OFF
};

struct tool_progress { /* unknown numbers are NAN, unknown texts NULL, and an unknown frame is -1 */
    /* Unit that `done` counts, in the singular ("step"). If `done` counts nothing: the current work ("positions"). */
    const char *what;
    /* number of units done (for example steps), and total number of units; NAN if `what` is not a unit */
    double done, total;
    double fraction; /* fraction of the entire work that is done, 0 to 1; if NAN, done / total is used */
    double rate;     /* units per second */
    double left_s;
    double time;      /* time of the current frame, or of the simulation */
    int64_t frame;    /* number of the frame that is read or written, from 0 */
    const char *file; /* file that is read */
    const char *note; /* additional text for people */
};

/* Starts the clock and the handler of SIGUSR1. The signal requests a progress line, which the next call of
 * tool_progress prints. */
void tool_progress_begin(void);
/* Returns a struct with this `what`. All other members are unknown. */
struct tool_progress tool_progress_of(const char *what);
/* Reports progress if enough time has passed since the last report. The first call always reports. */
void tool_progress(const struct tool_progress *p);
/* Call it at the end of the work. In the modes LINES and JSON, reports the last progress given to tool_progress if it
 * is not reported yet. Removes the progress line from a terminal. */
void tool_progress_end(void);
/* Returns the estimated time left in seconds if `fraction` of the work took elapsed_s seconds; NAN if `fraction` is not
 * above 0. */
double tool_progress_left(double elapsed_s, double fraction);

/* ---- the terminal: tool_status.c ---- */

#define TOOL_STATUS_BYTES 512

/* Returns the number of columns that a line may have: one less than the terminal has, so that lines are not wrapped. */
int tool_status_width(void);
/* Returns whether lines can be redrawn: stderr is a terminal that supports control sequences, and the process is not in
 * the background. */
int tool_status_can(void);
/* Draws the tool's progress line. Does nothing if another tool is drawing at the same time. */
void tool_status_show(const char *line);
/* Removes the tool's line, if there is one. Not safe in a signal handler. */
void tool_status_hide(void);
/* Prints a line (which ends with a newline) above the progress lines. */
void tool_status_message(const char *line);
/* tool_status_part clears the progress lines; call it before writing other text to the descriptor fd. tool_status_join
 * redraws the lines; call it after the text. Both do nothing if fd is not a terminal. */
void tool_status_part(int fd);
void tool_status_join(void);
/* Clears the progress lines before a signal ends the process. Safe in a signal handler. */
void tool_status_abandon(void);

/* Returns the number of columns that UTF-8 text takes on a terminal. */
int tool_status_columns(const char *text);
/* Truncates UTF-8 text to at most `columns` columns of the terminal. */
void tool_status_cut(char *text, int columns);
