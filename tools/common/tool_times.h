/* tool_times.h - frames by their times as users write them: numbers T, ranges A:B of all between, with both ends, and
 * A:B:STEP of A, A + STEP, A + 2 STEP ... as far as B. Of a range, A, B or both may be left out.
 *
 * A frame has a time if it is within 1e-9 of it, relative to the largest of the time, the step and the distance
 * between outputs that the frame's header has; ends of a range are as wide. */
#pragma once

#include "base/bodies.h"

struct tool_times;

/* Reads some; dies (usage) where they are none. The caller's to free. */
struct tool_times *tool_times_parse(const char *option, const char *text);
/* The same, of which no frame was noted yet. NULL: no memory. */
struct tool_times *tool_times_copy(const struct tool_times *t);
void tool_times_free(struct tool_times *t); /* NULL is allowed */
/* Whether it is one number. */
bool tool_times_is_one(const struct tool_times *t);
/* Whether a frame of that header is among them. */
bool tool_times_has(const struct tool_times *t, const struct nb_meta *meta);
/* Notes a frame of the input, wanted or not. */
void tool_times_note(struct tool_times *t, int64_t frame, const struct nb_meta *meta);
/* Whether of the frames that were noted each time has one, and each range that names none at least one. -1 after
 * nb_fail with the first that has not, and the nearest. */
int tool_times_check(const struct tool_times *t);
