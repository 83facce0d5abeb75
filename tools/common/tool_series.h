/* tool_series.h - names of files of which a run writes one for each frame: NAME has a place for its number, %d, %5d or
 * %05d; %% is a percent sign. */
#pragma once

#include <stdbool.h>

struct tool_series {
    char *prefix, *suffix; /* of the number; owned */
    bool numbered, zeros;
    int digits;
};

/* Dies (usage, of -o) where the name has two such places, or another percent sign. */
void tool_series_parse(const char *path, struct tool_series *s);
void tool_series_free(struct tool_series *s);
/* Whether the name has no place for a number; dies as above. */
bool tool_series_is_single(const char *path);
/* Whether the number stands in the name of a folder. */
bool tool_series_has_folders(const struct tool_series *s);
/* The name of frame k; to be freed. */
char *tool_series_name(const struct tool_series *s, long long k);
