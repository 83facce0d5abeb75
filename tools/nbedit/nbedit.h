/* nbedit.h - operations on the bodies of frames, one after the other as the command line has them.
 *
 * An operation is one line in the table of options.c and one function that changes a frame in memory. What no longer
 * follows from the columns afterwards is left out (spoil.c); what stands in space and would stay behind is refused. */
#pragma once

#include "common/tool.h"
#include "device/quad.h"
#include "select/select.h"

/* x becomes m x + d, in double, or in quadruple precision where a column has a low part. */
struct edit_affine {
    nb_quad m[3][3], d[3];
};

struct edit_op {
    const char *name; /* "shift" */
    const char *text; /* its value */
    /* Changes a frame, which may have no bodies. -1 after nb_fail. */
    int (*apply)(struct edit_op *op, struct nb_bodies *b);
    struct nb_select *condition; /* of --select; the `if` of --set */
    struct nb_select *number;    /* of --sort and --set */
    struct edit_affine affine;   /* of --shift, --boost, --rotate, and --center with a place */
    const char *about;           /* of --center: "com" or "densest" */
    double fraction;             /* of --sample */
    uint64_t draw;               /* of --sample: how many came before it */
    double length, mass, speed;  /* of --resize; speed NAN: that of balance under gravity */
    char target[NB_NAME_MAX];    /* a column: of --set, --shift, --boost, and --center with a place */
    int axis;                    /* of it, or -1 */
    unsigned said;               /* bits of what was said already: edit_say */
    double *later;               /* of --time: what is added to each input's */
};

struct edit_options {
    struct edit_op *ops; /* in the order of the command line */
    int count;
    int stack;                 /* ops before it are applied to each input; -1: no --stack, and one input */
    const char *const *inputs; /* "-" is stdin */
    int input_count;
    uint64_t seed;
    bool samples;
    int scale_mass; /* --sample-mass scale */
    int input;      /* of the frame that operations are applied to; 0 behind --stack */
    uint64_t frame; /* its number among those that are edited */
};
extern struct edit_options edit_options;

void edit_options_parse(int argc, char **argv);
void edit_options_free(void);

/* ---- operations: each takes its value (dies where it is none) and says how it is applied ---- */

/* Puts one behind the others, for its option to fill in. options.c */
struct edit_op *edit_op_add(const struct tool_option *o, const char *text);

tool_take edit_take_select; /* pick.c */
tool_take edit_take_sample;
tool_take edit_take_shift; /* move.c */
tool_take edit_take_boost;
tool_take edit_take_rotate; /* rotate.c */
tool_take edit_take_center;
tool_take edit_take_resize;  /* resize.c */
tool_take edit_take_sort;    /* sort.c */
tool_take edit_take_columns; /* columns.c */
tool_take edit_take_set;     /* set.c */
tool_take edit_take_isolate; /* spoil.c */
tool_take edit_take_time;    /* resize.c */

/* ---- several inputs ---- */

/* Makes `out` (initialised) the bodies of a frame of each input, one after the other, and in `parents` the last lines
 * of their histories there; the frames are freed. -1 after nb_fail. stack.c */
int edit_stack(struct nb_bodies *in, const char *const *names, int count, struct nb_bodies *out, int *parents);

/* ---- what they share ---- */

/* Reads exactly `count` finite numbers at *at, separated by commas; false where there are not. */
bool edit_take_numbers(const char **at, double *value, int count);
/* The transformation that changes nothing. */
struct edit_affine edit_affine_none(void);
/* The column of what such a column's values round away, or NULL. */
struct nb_column *edit_low_of(const struct nb_bodies *b, const char *name);
/* Transforms the column of that name, of width 3, with its low part. -1: a value is no longer finite, or does not fit.
 */
int edit_transform(struct nb_bodies *b, const char *name, const struct edit_affine *t);
/* Multiplies all values of a column of real numbers. As above. */
int edit_multiply(struct nb_bodies *b, struct nb_column *c, double factor);
struct edit_key {
    uint64_t key, place;
};
/* Sorts n keys in ascending order, equal ones as they stand; their allocation may be exchanged. -1: no memory. sort.c
 */
int edit_sort_keys(uint64_t n, struct edit_key **keys);

struct edit_change {                              /* of all bodies: turned, then scaled, then moved */
    double turn[3][3], length, mass, speed, time; /* factors */
    double shift[3], later;
};
/* The change that changes nothing. */
struct edit_change edit_change_none(void);
/* Changes the header's lines of stars that merged or left in the same way. -1 after nb_fail. events.c */
int edit_change_events(struct nb_bodies *b, const struct edit_change *c);

enum { /* what an operation changes */
       EDIT_MASS = 1,
       EDIT_POS = 2,
       EDIT_VEL = 4,
       EDIT_SOFTENING = 8,
       EDIT_RADIUS = 16,
       EDIT_BODIES = 32 /* which bodies there are */
};
/* Leaves out the columns and header lines that no longer follow, and says which, once. spoil.c */
void edit_spoil(struct edit_op *op, struct nb_bodies *b, unsigned changed);
/* The same of post-Newtonian terms, after all velocities have changed by the same amount or factor. spoil.c */
void edit_spoil_pairs(struct edit_op *op, struct nb_bodies *b);
/* Refuses frames with external fields, walls or a box, which would stay where they are. -1 after nb_fail. */
int edit_check_free(const struct nb_bodies *b);
/* The same of external fields that depend on time. */
int edit_check_timeless(const struct nb_bodies *b);
/* Says it the first time that bit is given: once for all frames. */
void edit_say(struct edit_op *op, unsigned bit, const char *format, ...) __attribute__((format(printf, 3, 4)));
enum { EDIT_SAID_SPOILT = 1, EDIT_SAID_OTHER = 2, EDIT_SAID_THIRD = 4, EDIT_SAID_EVENTS = 8, EDIT_SAID_TIME = 16 };
