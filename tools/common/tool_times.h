/* tool_times.h - lists of times, with which users select frames. An item of a list is
 *   T          a time;
 *   A:B        a range that includes both ends; A or B or both may be left out;
 *   A:B:STEP   the times A, A + STEP, A + 2 STEP ... up to B.
 *
 * A frame matches the time T if its time differs from T by at most the tolerance. The tolerance is 1e-9 times the
 * largest of three numbers: T, STEP, and the output interval in the frame's header. The ends of ranges have the same
 * tolerance. */
#pragma once

#include "base/bodies.h"

struct tool_times;

/* Parses a list of times. Dies with a usage error if the text is not a list. Free with tool_times_free. */
struct tool_times *tool_times_parse(const char *option, const char *text);
/* Returns a copy of the list, without the frames that tool_times_note has stored in it. Returns NULL if there is no
 * memory. */
struct tool_times *tool_times_copy(const struct tool_times *t);
void tool_times_free(struct tool_times *t); /* NULL is allowed */
/* Returns whether the list is one time. */
bool tool_times_is_one(const struct tool_times *t);
/* Returns whether a frame with the header `meta` matches a time or range of the list. */
bool tool_times_has(const struct tool_times *t, const struct nb_meta *meta);
/* Notes the number and time of a frame for tool_times_check. Call it for every frame of the input, also if the frame
 * does not match. */
void tool_times_note(struct tool_times *t, int64_t frame, const struct nb_meta *meta);
/* Checks that all items of the list match frames passed to tool_times_note. For A:B:STEP, each of the times must match
 * a frame. For a range A:B, and for A::STEP without B, one matching frame is enough. Returns -1 after nb_fail; the
 * message names the first time or range without a frame, and the frame nearest to it. */
int tool_times_check(const struct tool_times *t);
