/* table_to.h - frames on their way into lines of values: which columns, by which names, and the lines of all bodies. */
#ifndef NBCONV_TABLE_TO_H
#define NBCONV_TABLE_TO_H

#include "nbconv.h"
#include "physical.h"
#include "snap/snap_text.h"

struct table_column {
    const struct nb_column *column;
    const struct nb_column *low; /* further digits of it, or NULL */
    double factor;               /* of its values, 1 for none */
};

struct table_to {
    struct table_column columns[NB_COLUMNS_MAX];
    int count;
    bool numbered;         /* the body's number comes first, as an id */
    bool all;              /* --columns all */
    bool fixed;            /* the form says which columns */
    const char *separator; /* between fields */
    const char *prefix;    /* of every line; NULL: none */
};

/* The columns that --columns names; without it mass, pos and vel behind the id, which the body's number replaces where
 * there is none, then the others that do not follow from these. `fixed`: pos, vel, mass and radius alone.
 * Dies where a column is not there. */
void table_to_choose(struct table_to *t, const struct conv_options *o, const struct nb_bodies *b, bool fixed);
/* Sets the factor to units of which one of the stream's is so many. */
void table_to_convert(struct table_column *c, const struct physical *factor);
/* A line that names the frame's columns that are not written, unless the user chose. */
void table_to_say_left(const struct table_to *t, const struct nb_bodies *b);
/* Appends formatted text. Dies without memory. */
void table_to_add(struct nb_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The line of names behind `comment` (NULL: without one); m x y z vx vy vz where `brief`, else those of the stream. */
void table_to_add_names(const struct table_to *t, struct nb_text *text, const char *comment, bool brief);
/* Writes the head, which it frees, and the bodies. */
void table_to_write(const struct table_to *t, const struct nb_bodies *b, struct nb_text *head,
                    struct tool_output *output);

#endif
