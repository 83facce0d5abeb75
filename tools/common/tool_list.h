/* tool_list.h - lists of frames as users write them: numbers K,K and ranges A:B[:STEP] with both ends, counted from 0,
 * or negative, from the end: -1 is the last of the `count` there are.
 *
 * A list is a set: each frame that it names comes once, in ascending order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tool_range { /* first, first + step, ... as far as last, which may be negative */
    int64_t first, last, step;
};

struct tool_list {
    struct tool_range *ranges;
    int range_count;
};

/* Reads one; dies (usage) where it is none. The ranges are the caller's to free. */
void tool_list_parse(const char *option, const char *text, struct tool_list *l);
/* Whether it is one number; then that of ranges[0].first. */
bool tool_list_is_one(const struct tool_list *l);
/* Whether all it names is there, as far as that can be said: `count` is negative where it is not known, and then no
 * number may count from the end but the end of a range, -1. -1 after nb_fail. */
int tool_list_check(const struct tool_list *l, int64_t count);
/* The least of it above k, or -1 where there is none. */
int64_t tool_list_after(const struct tool_list *l, int64_t k, int64_t count);
/* The largest that has to be there: a range to -1 may end anywhere behind its first. */
int64_t tool_list_required(const struct tool_list *l, int64_t count);
