/* tool_list.h - lists of frames as users write them: numbers K and ranges A:B[:STEP] that include both ends, separated
 * by commas. Frames are counted from 0. Negative numbers count from the end: -1 is the last frame.
 *
 * A list is a set: each frame that it names occurs once, in ascending order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tool_range { /* first, first + step, ... up to last; first and last may be negative */
    int64_t first, last, step;
};

struct tool_list {
    struct tool_range *ranges;
    int range_count;
};

/* Parses a list. Dies with a usage error if the text is not a list. The caller frees `ranges`. */
void tool_list_parse(const char *option, const char *text, struct tool_list *l);
/* Returns whether the list is only one number. If it is, the number is ranges[0].first. */
bool tool_list_is_one(const struct tool_list *l);
/* Checks that the frames of the list exist. `count` is the number of frames; negative: unknown. With unknown count the
 * only negative number allowed is -1 at the end of a range, as in A:-1. Returns -1 after nb_fail. */
int tool_list_check(const struct tool_list *l, int64_t count);
/* Returns the smallest frame number above k in the list, or -1 if there is none. `count` as in tool_list_check. */
int64_t tool_list_after(const struct tool_list *l, int64_t k, int64_t count);
/* Returns the number of the last frame that the input must have: the largest frame number in the list. If `count` is
 * unknown (negative), a range A:-1 requires frame A only. */
int64_t tool_list_required(const struct tool_list *l, int64_t count);
