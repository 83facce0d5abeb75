/* labels.h - the text beside a disc: its id, a value of a column, or a name. */
#ifndef NBRENDER_LABELS_H
#define NBRENDER_LABELS_H

#include "base/bodies.h"

#include <stddef.h>

#define LABEL_MAX 128 /* bytes of one, with its NUL */

struct labels;

/* By what --labels says: "id" (the body's place in the frame where there is no id), the name of a column of `b`, or
 * names with commas between: the first is that of the body of the least id in `b`, and so on. Dies where there is no
 * such column, or there are more names than bodies. */
struct labels *labels_create(const char *what, const struct nb_bodies *b);
void labels_destroy(struct labels *l); /* NULL is allowed */
/* Body i's of a frame; empty where it has none. */
void labels_text(const struct labels *l, const struct nb_bodies *b, uint64_t i, char text[LABEL_MAX]);

#endif
