/* tool_series.h - names of numbered files, one for each frame of a run. The user gives one name with a place for the
 * number: %d, %5d or %05d. %% is a percent sign. */
#pragma once

#include <stdbool.h>

struct tool_series {
    char *prefix, *suffix; /* text before and after the number; owned */
    bool numbered, zeros;
    int digits;
};

/* Parses `path`, the argument of -o. Dies with a usage error if `path` contains more than one
 * conversion (%d, %5d or %05d), or a percent sign that belongs neither to a conversion nor to %%. Free with
 * tool_series_free. */
void tool_series_parse(const char *path, struct tool_series *s);
void tool_series_free(struct tool_series *s);
/* Returns whether the name has no place (%d, %5d or %05d) for a number. Dies if the name is invalid, as
 * tool_series_parse does. */
bool tool_series_is_single(const char *path);
/* Returns whether the number is in the name of a folder, so that each frame has its own folder. */
bool tool_series_has_folders(const struct tool_series *s);
/* Returns the name of frame k; the caller frees it. */
char *tool_series_name(const struct tool_series *s, long long k);
