/* tool_progress.h - how far a tool has come, as --progress wants it told: a line on the terminal that changes, lines
 * for logs, or JSON for programs. All goes to stderr.
 *
 * On a terminal the tools of a pipe have a line each. They know of one another by a small file that is named after
 * their group of processes and the terminal; who holds its lock draws the lines of all, and leaves the cursor before
 * the first. A message stands above them. */
#pragma once

#include <stdint.h>

enum tool_progress_mode {                     /* in the order of the words of --progress */
                          TOOL_PROGRESS_AUTO, /* bar on a terminal, off elsewhere */
                          TOOL_PROGRESS_BAR,
                          TOOL_PROGRESS_LINES,
                          TOOL_PROGRESS_JSON,
                          TOOL_PROGRESS_OFF
};

struct tool_progress {  /* what nobody knows is NAN, NULL or -1 */
    const char *what;   /* is counted, in the singular ("step"), or made ("positions") */
    double done, total; /* of these, or of its parts */
    double fraction;    /* of all the work; NAN: done / total */
    double rate;        /* of these a second */
    double left_s;
    double time;      /* of the frame that was reached */
    int64_t frame;    /* its number in the output, from 0 */
    const char *file; /* that is read */
    const char *note; /* for people */
};

/* The tool begins. From here on SIGUSR1 asks for a line, which the next tool_progress gives. */
void tool_progress_begin(void);
/* Nothing but `what` is known. */
struct tool_progress tool_progress_of(const char *what);
/* Tells it, if it is time to: the first is told, the last (tool_progress_end), and some between. */
void tool_progress(const struct tool_progress *p);
/* All is done. */
void tool_progress_end(void);
/* What is left of work of which this fraction took elapsed_s; NAN before anything is done. */
double tool_progress_left(double elapsed_s, double fraction);

/* ---- the terminal: tool_status.c ---- */

#define TOOL_STATUS_BYTES 512

/* Columns that a line may have: one less than the terminal's, so that none is wrapped. */
int tool_status_width(void);
/* May lines be drawn that change? Not without a terminal that obeys, nor by a job in the background. */
int tool_status_can(void);
/* Makes this the tool's line; of many updates at once some may be passed over. */
void tool_status_show(const char *line);
/* Takes it away. Safe to call where there is none, and at any time but in a signal handler. */
void tool_status_hide(void);
/* Prints a line (with its newline) above those that are shown. */
void tool_status_message(const char *line);
/* Lines that go to this descriptor between the two stand above what is shown, if it is a terminal. */
void tool_status_part(int fd);
void tool_status_join(void);
/* Before a signal ends the process: takes the lines away. Safe in a signal handler. */
void tool_status_abandon(void);

/* Columns that UTF-8 text takes on a terminal. */
int tool_status_columns(const char *text);
/* Cuts UTF-8 text where it is wider than so many columns. */
void tool_status_cut(char *text, int columns);
