/* text.h - the names of a text file's fields, read and written alike.
 *
 * A scalar column of the stream is one field of its name, a vector column three: NAME_x NAME_y NAME_z. Some have a
 * shorter name: m is mass, x y z are pos, vx vy vz are vel. */
#ifndef NBCONV_TEXT_H
#define NBCONV_TEXT_H

#include "nbconv.h"

#include <stdbool.h>

#define TEXT_FIELDS_MAX 192 /* 64 vectors */

struct text_field {
    char column[NB_NAME_MAX];
    int component; /* 0 1 2 of a vector, -1 for a scalar */
};

/* What a field's name stands for. False where it is no name. */
bool text_field_parse(const char *name, struct text_field *field);
/* Type (f64 for real numbers) and unit of a column that is read. */
enum nb_type text_column_type(const char *column);
const char *text_column_unit(const char *column);

void text_from(struct conv_import *import, const char *path);
void text_to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
             struct tool_output *output);

#endif
