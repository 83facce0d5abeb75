/* tool_json.h - prints values and lists as JSON (RFC 8259). */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdnoreturn.h>

/* Prints the text as a JSON string. Each byte that is not valid UTF-8 is printed as the character U+FFFD, because
 * readers of JSON may refuse invalid UTF-8. */
void tool_json_string(FILE *f, const char *text);
/* Prints a number with 17 significant digits, or null if the value is not finite. */
void tool_json_number(FILE *f, double value);

/* For tools that print a list and exit. tool_rows_begin returns a FILE, to which the tool writes lines with
 * columns separated by tabs; a line that begins with "# " contains the names of the columns. tool_rows_end prints these
 * lines to stdout and exits. If `json` was true, the lines are printed as an array of JSON objects. */
FILE *tool_rows_begin(bool json);
noreturn void tool_rows_end(FILE *rows);
