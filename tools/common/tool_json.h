/* tool_json.h - values as JSON has them (RFC 8259). */
#ifndef NB_TOOL_JSON_H
#define NB_TOOL_JSON_H

#include <stdio.h>

/* Bytes that are not UTF-8 become U+FFFD each: every reader takes that. */
void tool_json_string(FILE *f, const char *text);
/* All its digits; null where it is not finite. */
void tool_json_number(FILE *f, double value);

#endif
