/* tool_progress.c - formats progress reports for people and programs, and decides when to print one. */

#include "common/tool.h"

#include "base/portable.h"
#include "common/tool_json.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAR_S   0.1 /* minimum time between updates of the line on a terminal, seconds */
#define JSON_S  0.5 /* minimum time between JSON objects, seconds */
#define LINES_S 10. /* minimum time between lines in a file or pipe, seconds */

static double told_s = -INFINITY, begin_s;
static struct tool_progress last; /* copy of the last argument of tool_progress, including the texts */
static bool untold;               /* `last` has not been reported yet */
static volatile sig_atomic_t asked;

static void on_question(int number)
{
    (void)number;
    asked = 1;
}

void tool_progress_begin(void)
{
    const struct sigaction action = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    begin_s = tool_clock();
    sigaction(SIGUSR1, &action, NULL);
}

struct tool_progress tool_progress_of(const char *what)
{
    return (struct tool_progress){
        .what = what, .done = NAN, .total = NAN, .fraction = NAN, .rate = NAN, .left_s = NAN, .time = NAN, .frame = -1};
}

double tool_progress_left(double elapsed_s, double fraction)
{
    return fraction > 0 ? elapsed_s * fmax(1 / fraction - 1, 0) : NAN;
}

/* ---- for people ---- */

enum part { NAME, SOURCE, COUNT, PERCENT, TIME, NOTE, RATE, LEFT, PARTS };

static void put_left(char *text, size_t size, double left_s)
{
    const double s = fmin(round(left_s), 1e9), hours = floor(s / 3600), minutes = floor(fmod(s, 3600) / 60);
    if (hours > 0)
        snprintf(text, size, ", %.0f:%02.0f:%02.0f left", hours, minutes, fmod(s, 60));
    else
        snprintf(text, size, ", %.0f:%02.0f left", minutes, fmod(s, 60));
}

static void put_parts(char part[PARTS][TOOL_STATUS_BYTES], const struct tool_progress *p)
{
    const size_t size = TOOL_STATUS_BYTES;
    char total[32] = "";
    snprintf(part[NAME], size, "%s: ", nb_program_name());
    if (p->file)
        snprintf(part[SOURCE], size, "%s: ", p->file);
    if (p->total > 0)
        snprintf(total, sizeof total, "/%.0f", p->total);
    if (isfinite(p->done))
        snprintf(part[COUNT], size, "%s %.0f%s", p->what, p->done, total);
    else
        snprintf(part[COUNT], size, "%s", p->what);
    if (!*total && isfinite(p->fraction))
        snprintf(part[PERCENT], size, ", %.0f %%", floor(100 * p->fraction));
    if (isfinite(p->time))
        snprintf(part[TIME], size, ", t = %.6g", p->time);
    if (p->note && *p->note)
        snprintf(part[NOTE], size, ", %s", p->note);
    if (isfinite(p->rate))
        snprintf(part[RATE], size, ", %.3g %ss/s", p->rate, p->what);
    if (isfinite(p->left_s))
        put_left(part[LEFT], size, p->left_s);
}

static void put_line(char line[TOOL_STATUS_BYTES], const struct tool_progress *p, int columns)
{
    /* if the line is wider than the terminal, these parts are left out one after the other until the line fits */
    static const enum part goes[] = {RATE, TIME, NOTE, SOURCE, PERCENT};
    char part[PARTS][TOOL_STATUS_BYTES] = {""}, text[TOOL_STATUS_BYTES];
    put_parts(part, p);
    for (size_t gone = 0;; gone++) {
        *text = '\0';
        for (int k = 0; k < PARTS; k++)
            strncat(text, part[k], TOOL_STATUS_BYTES - 1 - strlen(text));
        nb_error_escape(line, TOOL_STATUS_BYTES, text);
        if (tool_status_columns(line) <= columns || gone == sizeof goes / sizeof *goes)
            break;
        *part[goes[gone]] = '\0';
    }
    tool_status_cut(line, columns);
}

/* ---- for programs ---- */

static void put_number(FILE *f, const char *key, double value, int digits)
{
    if (isfinite(value))
        fprintf(f, ", \"%s\": %.*g", key, digits, value);
}

static void put_json(FILE *f, const struct tool_progress *p, bool end)
{
    fputs("{\"tool\": ", f);
    tool_json_string(f, nb_program_name());
    fputs(", \"what\": ", f);
    tool_json_string(f, p->what);
    put_number(f, "done", p->done, 15);
    put_number(f, "total", p->total, 15);
    put_number(f, "fraction", p->fraction, 6);
    put_number(f, "rate", p->rate, 6);
    put_number(f, "eta_s", p->left_s, 6);
    put_number(f, "elapsed_s", tool_clock() - begin_s, 6);
    put_number(f, "time", p->time, 15);
    put_number(f, "frame", p->frame >= 0 ? (double)p->frame : NAN, 15);
    if (p->file) {
        fputs(", \"file\": ", f);
        tool_json_string(f, p->file);
    }
    fprintf(f, ", \"end\": %s}\n", end ? "true" : "false");
}

/* Prints a JSON line in one write, so that the lines of several tools do not mix. */
static void tell_json(const struct tool_progress *p, bool end)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return;
    put_json(f, p, end);
    if (fclose(f) == 0)
        fputs(text, stderr);
    free(text);
}

/* ---- when to report ---- */

static enum tool_progress_mode mode_now(void)
{
    if (tool_options.quiet)
        return TOOL_PROGRESS_OFF;
    if (tool_options.progress != TOOL_PROGRESS_AUTO)
        return tool_options.progress;
    return tool_status_can() ? TOOL_PROGRESS_BAR : TOOL_PROGRESS_OFF;
}

static void tell(const struct tool_progress *p, enum tool_progress_mode how, bool end)
{
    char line[TOOL_STATUS_BYTES];
    told_s = tool_clock();
    untold = false;
    if (how == TOOL_PROGRESS_JSON)
        tell_json(p, end);
    else if (how == TOOL_PROGRESS_LINES) {
        put_line(line, p, TOOL_STATUS_BYTES);
        fprintf(stderr, "%s\n", line);
    } else {
        put_line(line, p, tool_status_width());
        tool_status_show(line);
    }
}

static void keep(const struct tool_progress *p)
{
    static char what[96], file[TOOL_STATUS_BYTES], note[TOOL_STATUS_BYTES];
    last = *p;
    snprintf(what, sizeof what, "%s", p->what);
    snprintf(file, sizeof file, "%s", p->file ? p->file : "");
    snprintf(note, sizeof note, "%s", p->note ? p->note : "");
    last.what = what;
    last.file = p->file ? file : NULL;
    last.note = p->note ? note : NULL;
    untold = true;
}

/* Prints one progress line in answer to the signal SIGUSR1. Called in every mode of --progress, even off. */
static void answer(const struct tool_progress *p)
{
    char line[TOOL_STATUS_BYTES];
    asked = 0;
    put_line(line, p, TOOL_STATUS_BYTES);
    tool_status_hide();
    fprintf(stderr, "%s\n", line);
}

void tool_progress(const struct tool_progress *p)
{
    static const double intervals_s[] = {
        [TOOL_PROGRESS_BAR] = BAR_S, [TOOL_PROGRESS_LINES] = LINES_S, [TOOL_PROGRESS_JSON] = JSON_S};
    const enum tool_progress_mode how = mode_now();
    if (how == TOOL_PROGRESS_OFF && !asked)
        return;
    keep(p);
    if (isnan(last.fraction) && last.total > 0)
        last.fraction = last.done / last.total;
    if (asked)
        answer(&last);
    if (how == TOOL_PROGRESS_OFF)
        last.what = NULL;
    else if (tool_clock() - told_s >= intervals_s[how])
        tell(&last, how, false);
}

void tool_progress_end(void)
{
    const enum tool_progress_mode how = mode_now();
    tool_status_hide();
    if (!last.what || how == TOOL_PROGRESS_OFF)
        return;
    if (how == TOOL_PROGRESS_JSON || (how == TOOL_PROGRESS_LINES && untold))
        tell(&last, how, true);
    last.what = NULL;
}
