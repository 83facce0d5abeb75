/* text.h - text with a line a body, and its dialects: what begins a comment, what a line holds, and in which units. */
#ifndef NBCONV_TEXT_H
#define NBCONV_TEXT_H

#include "nbconv.h"

#include <stdbool.h>

struct text_dialect {
    const char *comment;   /* begins a line that is no body */
    const char *separator; /* between the fields that are written */
    bool table;           /* names stand there once, without a comment; the number of a frame and its time are fields */
    bool header;          /* lines of comment carry the stream's header */
    const char *fields;   /* of every line, for lines without names; NULL: a line says */
    const char *optional; /* one more field that a line may have at its end, and its column */
    const struct nb_unit_system *units; /* that the numbers are in; NULL: the header's */
};

extern const struct text_dialect text_plain;

/* The first line of a text with a header, behind its comment. */
#define TEXT_MAGIC "nbs 1 text"

extern const struct tool_table columns_options; /* --columns */
extern const struct tool_table fields_options;  /* --fields */

void text_from(struct conv_import *import, const char *path, const struct text_dialect *d);
void text_to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
             struct tool_output *output, const struct text_dialect *d);

#endif
