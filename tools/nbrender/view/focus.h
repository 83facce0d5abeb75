/* focus.h - what stands in the picture's middle. */
#ifndef NBRENDER_FOCUS_H
#define NBRENDER_FOCUS_H

#include "base/bodies.h"
#include "select/select.h"

#include <stdbool.h>

enum focus_kind { FOCUS_AUTO, FOCUS_COM, FOCUS_DENSEST, FOCUS_BODY, FOCUS_GROUP };

struct focus {
    enum focus_kind kind;    /* FOCUS_AUTO: the middle of the box that the header has, or else as FOCUS_COM */
    uint64_t id;             /* of FOCUS_BODY */
    struct nb_select *group; /* of FOCUS_GROUP, whose centre of mass it is */
};

/* Reads "com", "densest", the id of a body, or a condition (select/select.h). -1 after nb_fail: none of these. */
int focus_parse(struct focus *f, const char *text);
void focus_free(struct focus *f);

/* Where it is in a frame; `centre` holds where it was before, or NAN. What is not there is where it was, if it was
 * anywhere. -1 after nb_fail. */
int focus_find(const struct focus *f, const struct nb_bodies *b, double centre[3]);

#endif
