/* worst.c - the largest errors of all frames, and the limits --max-de, --max-dp, --max-dl. */
#include "nbstat.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the absolute value. A value that is not finite counts as infinite. */
static double size_of(double value)
{
    return isfinite(value) ? fabs(value) : INFINITY;
}

static void note(struct stat_mark *mark, double value, const char *divisor, const struct stat_row *row)
{
    if (mark->file && !(size_of(value) > size_of(mark->value)))
        return;
    free(mark->file);
    *mark = (struct stat_mark){tool_copy(row->file), row->frame, value, divisor};
}

void stat_worst_note(struct stat_worst *w, const struct stat_row *row, bool is_first)
{
    const double value[STAT_ERRORS] = {row->energy_error, row->momentum_error, row->angular_momentum_error};
    for (int k = 0; k < STAT_ERRORS; k++)
        if (!row->changed_by[k])
            note(&w->of[k], value[k], k == STAT_ENERGY ? row->energy_divisor : "", row);
    w->rows += !is_first;
    w->begin = w->frames == 0 || row->time < w->begin ? row->time : w->begin;
    w->end = w->frames == 0 || row->time > w->end ? row->time : w->end;
    w->drift = row->energy_error;
    w->drift_divisor = row->energy_divisor;
    w->frames++;
}

/* Prints the number of frames, their times and the last energy error. Prints nothing if stderr is not a terminal,
 * unless --verbose was given. */
static void say_frames(const struct stat_worst *w, const struct stat_options *o)
{
    char drift[96] = "", files[32] = "";
    if (tool_options.quiet || w->frames == 0 || (!tool_options.verbose && !isatty(STDERR_FILENO)))
        return;
    if (o->input_count > 1)
        snprintf(files, sizeof files, " of %d files", o->input_count);
    else if (w->with_energy && w->rows > 0 && isfinite(w->drift))
        snprintf(drift, sizeof drift, ", energy off by %.3g%s at the end", w->drift, w->drift_divisor);
    say("%" PRIu64 " frame%s%s, time %g to %g%s", w->frames, w->frames == 1 ? "" : "s", files, w->begin, w->end, drift);
}

void stat_worst_say(const struct stat_worst *w, const struct stat_options *o)
{
    char line[4096];
    size_t length = 0;
    say_frames(w, o);
    for (int k = !w->with_energy; k < STAT_ERRORS && w->rows > 0; k++) {
        const struct stat_mark *m = &w->of[k];
        if (!m->file)
            continue;
        const char *comma = length > 0 ? ", " : "", *file = o->input_count > 1 ? m->file : "";
        const int added = snprintf(line + length, sizeof line - length, "%s%s %.3g%s (%s%sframe %" PRId64 ")", comma,
                                   stat_error_names[k], m->value, m->divisor, file, *file ? ", " : "", m->frame);
        if (added < 0 || (size_t)added >= sizeof line - length)
            return; /* the list is too long to print, because of long file names */
        length += (size_t)added;
    }
    if (length > 0)
        say("largest %s: %s", tool_options.select ? "changes" : "errors", line);
}

int stat_worst_judge(const struct stat_worst *w, const struct stat_options *o)
{
    double most = -INFINITY;
    int worst = -1;
    for (int k = 0; k < STAT_ERRORS; k++) {
        const double size = size_of(w->of[k].value), ratio = isinf(size) ? INFINITY : size / o->limit[k];
        if (!w->of[k].file || isnan(o->limit[k]) || size <= o->limit[k] || !(ratio > most))
            continue;
        most = ratio;
        worst = k;
    }
    if (worst < 0)
        return TOOL_OK;
    const struct stat_mark *m = &w->of[worst];
    if (isfinite(m->value))
        complain("%s: frame %" PRId64 ": %s error %.3g%s is above %s %g", m->file, m->frame, stat_error_names[worst],
                 fabs(m->value), m->divisor, stat_limit_names[worst], o->limit[worst]);
    else
        complain("%s: frame %" PRId64 ": %s error is not a finite number (%s %g)", m->file, m->frame,
                 stat_error_names[worst], stat_limit_names[worst], o->limit[worst]);
    return TOOL_CHECK_FAILED;
}

void stat_worst_free(struct stat_worst *w)
{
    for (int k = 0; k < STAT_ERRORS; k++)
        free(w->of[k].file);
}
