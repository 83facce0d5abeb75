/* tool_list.c - parses lists of frame numbers, and finds the next frame of a list. */

#include "common/tool_list.h"

#include "common/tool.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* ---- parsing ---- */

static noreturn void die_list(const char *option, const char *text)
{
    die_usage(
        "%s %s: expected a list of frame numbers K and ranges A:B or A:B:STEP (-1 is the last frame, -2 the second "
        "last)",
        option, text);
}

/* Reads a whole number at *at and moves *at after it. Returns false if no whole number begins at *at, or if the number
 * is too large. */
static bool take_number(const char **at, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(*at, &end, 10);
    const bool begins = isdigit((unsigned char)**at) || (**at == '-' && isdigit((unsigned char)(*at)[1]));
    *at = end;
    return begins && errno == 0;
}

/* Parses an entry of the list at *at and moves *at after it. Returns false if no valid entry begins at *at. */
static bool take_range(const char **at, struct tool_range *r)
{
    if (!take_number(at, &r->first))
        return false;
    r->last = r->first;
    r->step = 1;
    if (**at == ':' && (++*at, !take_number(at, &r->last)))
        return false;
    if (**at == ':' && (++*at, !take_number(at, &r->step)))
        return false;
    return r->step > 0;
}

void tool_list_parse(const char *option, const char *text, struct tool_list *l)
{
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    *l = (struct tool_list){.ranges = calloc(most, sizeof *l->ranges)};
    if (!l->ranges || most > INT_MAX)
        die("no memory for %s", option);
    const char *at = text;
    do {
        struct tool_range *r = &l->ranges[l->range_count++];
        if (!take_range(&at, r))
            die_list(option, text);
        if (r->first > r->last && (r->first < 0) == (r->last < 0))
            die_usage("%s %s: %" PRId64 ":%" PRId64 " goes backwards", option, text, r->first, r->last);
    } while (*at == ',' && *++at);
    if (*at || at[-1] == ',')
        die_list(option, text);
}

/* ---- contents ---- */

bool tool_list_is_one(const struct tool_list *l)
{
    return l->range_count == 1 && l->ranges[0].first == l->ranges[0].last;
}

/* Converts the user's frame number k to a number counted from 0. A negative k counts from the end of the `count`
 * frames. Returns INT64_MAX if k is negative and `count` is unknown (negative). */
static int64_t from_begin(int64_t k, int64_t count)
{
    if (k >= 0)
        return k;
    return count < 0 ? INT64_MAX : k + count;
}

static int check_end(int64_t k, int64_t count)
{
    const int64_t at = from_begin(k, count);
    if (count < 0 || (at >= 0 && at < count))
        return 0;
    return nb_fail("no frame %" PRId64 ": there %s %" PRId64 " (0 to %" PRId64 ")", k, count == 1 ? "is" : "are", count,
                   count - 1);
}

static int check_range(const struct tool_range *r, int64_t count)
{
    if (count < 0 && (r->first < 0 || r->last < -1))
        return nb_fail(
            "frame %" PRId64
            " counts from the end, which needs a file and no --salvage; pipes and --salvage accept -1, K, A:B and A:-1",
            r->first < 0 ? r->first : r->last);
    if (check_end(r->first, count) || check_end(r->last, count))
        return -1;
    if (from_begin(r->first, count) > from_begin(r->last, count))
        return nb_fail("no frames %" PRId64 ":%" PRId64 ": the stream has %" PRId64 " (0 to %" PRId64 ")", r->first,
                       r->last, count, count - 1);
    return 0;
}

int tool_list_check(const struct tool_list *l, int64_t count)
{
    for (int k = 0; k < l->range_count; k++)
        if (check_range(&l->ranges[k], count))
            return -1;
    return 0;
}

/* Returns the smallest frame number above k in the range, or INT64_MAX if there is none. */
static int64_t range_after(const struct tool_range *r, int64_t k, int64_t count)
{
    const int64_t first = from_begin(r->first, count), last = from_begin(r->last, count);
    if (k < first)
        return first <= last ? first : INT64_MAX;
    const int64_t steps = (k - first) / r->step + 1;
    int64_t next;
    if (__builtin_mul_overflow(steps, r->step, &next) || __builtin_add_overflow(first, next, &next) || next > last)
        return INT64_MAX;
    return next;
}

int64_t tool_list_after(const struct tool_list *l, int64_t k, int64_t count)
{
    int64_t least = INT64_MAX;
    for (int j = 0; j < l->range_count; j++) {
        const int64_t next = range_after(&l->ranges[j], k, count);
        least = next < least ? next : least;
    }
    return least < INT64_MAX ? least : -1;
}

int64_t tool_list_required(const struct tool_list *l, int64_t count)
{
    int64_t most = 0;
    for (int j = 0; j < l->range_count; j++) {
        const struct tool_range *r = &l->ranges[j];
        const int64_t first = from_begin(r->first, count), last = from_begin(r->last, count);
        const int64_t end = last == INT64_MAX ? first : first + (last - first) / r->step * r->step;
        most = end > most ? end : most;
    }
    return most;
}
