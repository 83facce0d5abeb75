/* table.h - lines of values on their way into frames: what a field of a line means is known, its values go into the
 * columns of a frame, which grow as lines come. */
#ifndef NBCONV_TABLE_H
#define NBCONV_TABLE_H

#include "field.h"
#include "lines.h"
#include "nbconv.h"

struct table { /* begins as zeros with import and in set */
    struct conv_import *import;
    struct lines *in;
    struct field fields[FIELDS_MAX];
    int field_count;         /* 0: not known yet */
    struct nb_bodies header; /* what the text says of its frames, with columns without data; begins as
 nb_bodies_init leaves it */
    bool has_header;         /* the header is a whole one, and says which columns there are */
    struct nb_bodies bodies; /* the columns that the fields make, with room for `capacity` bodies */
    uint64_t n, capacity;    /* bodies taken, of this frame */
    uint64_t frames;         /* given away */
    double time;
    bool time_known; /* of this frame, by a line or a field */
    double frame_number;
    bool frame_known;
    int direction; /* in which frames' numbers, or their times, go: 1, -1, 0 for not known */
};

/* Makes columns of t->fields: each vector whole, each field once, and what a stream needs. Dies with the line. */
void table_layout(struct table *t);
/* The word as the number of field k; dies with the line where it is none. */
double table_take_real(const struct table *t, int k, const char *word);
/* The word goes into the column of field k, for body t->n. */
void table_take_value(struct table *t, int k, const char *word);
/* Takes a body from the words of a line, one for each field; ends the frame before where a field says so. */
void table_take(struct table *t, char *const *words);
/* Gives the frame away, if there is one, and begins the next with the same fields. */
void table_end_frame(struct table *t);
void table_free(struct table *t);

#endif
