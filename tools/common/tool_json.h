/* tool_json.h - prints values and lists as JSON (RFC 8259). */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdnoreturn.h>

/* Prints the text as a JSON string. Each byte that is not UTF-8 becomes U+FFFD, which every reader accepts. */
void tool_json_string(FILE *f, const char *text);
/* Prints a number with 17 significant digits, or null if the value is not finite. */
void tool_json_number(FILE *f, double value);

/* Returns a file for a list that a tool prints before it exits. Write lines with columns separated by tabs; a line that
 * begins with "# " contains the names of the columns. tool_rows_end prints the list to stdout and exits. It prints the
 * lines unchanged or, if `json` was true, as an array of JSON objects. */
FILE *tool_rows_begin(bool json);
noreturn void tool_rows_end(FILE *rows);
