/* tool_times.c - parses lists of times, finds the frames that match them, and checks that each time has a frame. */

#include "common/tool_times.h"

#include "common/tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE  1e-9
#define SLOTS_MOST 1000000

/* A requested time. At least one frame must match it. A range A:B:STEP has a slot for each of its times. Other ranges,
 * such as A:B and A::STEP, have one slot, because one matching frame is enough. */
struct slot {
    int64_t frame; /* number of the frame that is nearest to the requested time */
    double time;   /* time of `frame`; NAN: no frame yet */
    double away;   /* absolute difference between `time` and the requested time */
    bool found;
};

/* An entry of the list of times. step > 0: the times `first`, `first` + `step`, ... up to `last`. step 0: all times
 * from `first` to `last`; for a single time, both are equal. */
struct range {
    double first, last, step;
    size_t slot, slots;
};

struct tool_times {
    struct range *ranges;
    int count;
    struct slot *slots;
    size_t slot_count;
};

/* ---- parsing ---- */

static noreturn void die_times(const char *option, const char *text)
{
    die_usage("%s %s: expected a list of times T and ranges A:B or A:B:STEP with STEP above 0 (A or B can be omitted)",
              option, text);
}

/* Reads a finite number at *at into *value and moves *at to the end of the number. If the number is omitted (the text
 * at *at is empty or begins with a colon or comma), sets *value to `other`. Returns false if the text is no number. */
static bool take_number(const char **at, double other, double *value)
{
    char *end;
    *value = other;
    if (!**at || **at == ':' || **at == ',')
        return true;
    if (strspn(*at, "+-.0123456789") == 0)
        return false;
    *value = strtod(*at, &end);
    const bool good = end != *at && isfinite(*value) && !memchr(*at, 'x', (size_t)(end - *at)) &&
                      !memchr(*at, 'X', (size_t)(end - *at));
    *at = end;
    return good;
}

static bool take_range(const char **at, struct range *r)
{
    const char *begin = *at;
    if (!take_number(at, -INFINITY, &r->first))
        return false;
    r->last = r->first;
    r->step = 0;
    if (**at != ':')
        return *at != begin;
    ++*at;
    if (!take_number(at, INFINITY, &r->last))
        return false;
    if (**at != ':')
        return true;
    ++*at;
    return take_number(at, 0, &r->step) && r->step > 0 && isfinite(r->first);
}

/* Returns how many slots (struct slot, a time that needs a frame) the range has: one for each time first + k * step up
 * to `last`, or only one if the range has no STEP or no end. */
static double slots_of(const struct range *r)
{
    return r->step > 0 && isfinite(r->last) ? floor((r->last - r->first) / r->step * (1 + TOLERANCE) + TOLERANCE) + 1
                                            : 1;
}

static void make_slots(const char *option, const char *text, struct tool_times *t)
{
    for (int k = 0; k < t->count; k++) {
        struct range *r = &t->ranges[k];
        if (r->first > r->last)
            die_usage("%s %s: %g:%g goes backwards", option, text, r->first, r->last);
        if (!(slots_of(r) + (double)t->slot_count <= SLOTS_MOST))
            die_usage("%s %s: selects more than %d times", option, text, SLOTS_MOST);
        r->slot = t->slot_count;
        r->slots = (size_t)slots_of(r);
        t->slot_count += r->slots;
    }
}

static bool clear(struct tool_times *t)
{
    t->slots = malloc((t->slot_count + 1) * sizeof *t->slots);
    for (size_t k = 0; t->slots && k < t->slot_count; k++)
        t->slots[k] = (struct slot){.time = NAN};
    return t->slots;
}

struct tool_times *tool_times_parse(const char *option, const char *text)
{
    struct tool_times *t = calloc(1, sizeof *t);
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    if (!t || most > SLOTS_MOST || !(t->ranges = calloc(most, sizeof *t->ranges)))
        die("no memory for %s", option);
    const char *at = text;
    do
        if (!take_range(&at, &t->ranges[t->count++]))
            die_times(option, text);
    while (*at == ',' && *++at);
    if (*at || at[-1] == ',')
        die_times(option, text);
    make_slots(option, text, t);
    if (!clear(t))
        die("no memory for %s", option);
    return t;
}

struct tool_times *tool_times_copy(const struct tool_times *from)
{
    struct tool_times *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    *t = *from;
    t->ranges = malloc((size_t)from->count * sizeof *t->ranges);
    if (t->ranges)
        memcpy(t->ranges, from->ranges, (size_t)from->count * sizeof *t->ranges);
    if (clear(t) && t->ranges)
        return t;
    tool_times_free(t);
    return NULL;
}

void tool_times_free(struct tool_times *t)
{
    if (!t)
        return;
    free(t->ranges);
    free(t->slots);
    free(t);
}

bool tool_times_is_one(const struct tool_times *t)
{
    return t->count == 1 && t->ranges[0].first == t->ranges[0].last && t->ranges[0].step == 0;
}

/* ---- frames ---- */

static double tolerance(double at, const struct range *r, const struct nb_meta *meta)
{
    return TOLERANCE * fmax(isfinite(at) ? fabs(at) : 0, fmax(r->step, meta->every));
}

static bool is_between(const struct range *r, const struct nb_meta *meta)
{
    return meta->time >= r->first - tolerance(r->first, r, meta) && meta->time <= r->last + tolerance(r->last, r, meta);
}

/* Returns the k for which first + k * step is nearest to `time`. Returns 0 for a range without steps. */
static double nearest_step(const struct range *r, double time)
{
    return r->step > 0 ? rint((time - r->first) / r->step) : 0;
}

static bool range_has(const struct range *r, const struct nb_meta *meta)
{
    const double at = r->first + nearest_step(r, meta->time) * r->step;
    return is_between(r, meta) && (r->step == 0 || fabs(meta->time - at) <= tolerance(at, r, meta));
}

bool tool_times_has(const struct tool_times *t, const struct nb_meta *meta)
{
    for (int k = 0; k < t->count; k++)
        if (range_has(&t->ranges[k], meta))
            return true;
    return false;
}

/* Returns time number k of the range: first + k * step. For a range without steps, returns the time in the range that
 * is nearest to `time`. */
static double time_of(const struct range *r, size_t k, double time)
{
    if (r->step > 0)
        return r->first + (double)k * r->step;
    return fmin(fmax(time, r->first), r->last);
}

static void note(struct slot *s, double wanted, bool has, int64_t frame, double time)
{
    const double away = fabs(time - wanted);
    if (isnan(s->time) || away < s->away || (has && !s->found))
        *s = (struct slot){frame, time, away, s->found || has};
}

void tool_times_note(struct tool_times *t, int64_t frame, const struct nb_meta *meta)
{
    for (int k = 0; k < t->count; k++) {
        const struct range *r = &t->ranges[k];
        const double step = fmin(fmax(nearest_step(r, meta->time), 0), (double)(r->slots - 1));
        const size_t own = r->slots > 1 ? (size_t)step : 0;
        const bool has = range_has(r, meta);
        for (size_t j = own > 0 ? own - 1 : 0; j <= own + 1 && j < r->slots; j++)
            note(&t->slots[r->slot + j], time_of(r, j, meta->time), has && j == own, frame, meta->time);
    }
}

static int fail_range(const struct range *r, const struct slot *s, double wanted)
{
    char nearest[80] = "";
    if (!isnan(s->time))
        snprintf(nearest, sizeof nearest, ": the nearest is frame %" PRId64 ", at %.12g", s->frame, s->time);
    if (r->step > 0 || r->first == r->last)
        return nb_fail("no frame has the time %.12g%s", wanted, nearest);
    return nb_fail("no frame has a time from %.12g to %.12g%s", r->first, r->last, nearest);
}

int tool_times_check(const struct tool_times *t)
{
    for (int k = 0; k < t->count; k++)
        for (size_t j = 0; j < t->ranges[k].slots; j++) {
            const struct slot *s = &t->slots[t->ranges[k].slot + j];
            if (!s->found)
                return fail_range(&t->ranges[k], s, time_of(&t->ranges[k], j, t->ranges[k].first));
        }
    return 0;
}
