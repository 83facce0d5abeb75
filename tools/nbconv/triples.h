/* triples.h - forms in which a line is one value of a body, a mass or a vector: rosetta's and zeno's. */
#ifndef NBCONV_TRIPLES_H
#define NBCONV_TRIPLES_H

#include "nbconv.h"
#include "snap/snap_text.h"

struct triples { /* lines on their way out */
    struct tool_output *output;
    struct nb_text text;
};

void triples_begin(struct triples *t, struct tool_output *output);
void triples_add(struct triples *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The line of body i in a column of one value or three. */
void triples_add_body(struct triples *t, const struct nb_column *c, uint64_t i);
void triples_end(struct triples *t);
/* Says which columns and what of the header have no place there. */
void triples_say_left(const struct nb_bodies *b, const char *format);

#endif
