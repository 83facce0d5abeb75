/* tool_json.h - values as JSON has them (RFC 8259). */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdnoreturn.h>

/* Bytes that are not UTF-8 become U+FFFD each: every reader takes that. */
void tool_json_string(FILE *f, const char *text);
/* All its digits; null where it is not finite. */
void tool_json_number(FILE *f, double value);

/* A list that a tool prints and ends with: lines of columns between tabs, where a line that begins with "# " has the
 * columns' names. tool_rows_end prints it to stdout, or as an array of objects, and exits. */
FILE *tool_rows_begin(bool json);
noreturn void tool_rows_end(FILE *rows);
