/* nbedit.h - operations on the bodies of frames, applied in the order of the command line.
 *
 * An operation is an entry in the table of options.c and a function that changes a frame in memory. Columns that are no
 * longer valid afterwards are dropped (spoil.c). An operation fails if it would move the bodies relative to external
 * fields or walls. */
#pragma once

#include "common/tool.h"
#include "device/quad.h"
#include "select/select.h"

/* A transformation of vectors: x becomes m x + d. Computed in double precision, or in quadruple precision if a second
 * column (pos_lo or vel_lo) has the rounding errors of x. */
struct edit_affine {
    nb_quad m[3][3], d[3];
};

struct edit_op {
    const char *name; /* name of the option without --: "shift" */
    const char *text; /* value of the option */
    /* Changes a frame, which may have no bodies. Returns -1 after nb_fail. */
    int (*apply)(struct edit_op *op, struct nb_bodies *b);
    struct nb_select *condition; /* condition of --select, or the condition after `if` in --set */
    struct nb_select *number;    /* expression in the value of --sort or --set */
    struct edit_affine affine;   /* transformation of --shift, --boost, --rotate, or --center with a point */
    const char *about;           /* centre for --center: "com" or "densest" */
    double fraction;             /* share of the bodies that --sample keeps */
    uint64_t draw;               /* for --sample: number of --sample options before this one */
    /* For --resize: factors of lengths, masses and velocities. If `speed` is NAN, the factor of velocities is sqrt(mass
     * / length). For --time: `length` is the new time of the first frame. */
    double length, mass, speed;
    char target[NB_NAME_MAX]; /* column of --set, --shift, --boost, and --center with a point */
    int axis;                 /* component of the column `target`; -1: all */
    unsigned said;            /* messages that edit_say printed, as bits */
    double *later;            /* for --time: later[k] is added to the times of all frames of input k */
};

struct edit_options {
    struct edit_op *ops; /* operations in the order of the command line */
    int count;
    /* number of operations before --stack, which are applied to each input separately; -1: no --stack, only one
     * input */
    int stack;
    const char *const *inputs; /* names of the input files; "-" is stdin */
    int input_count;
    uint64_t seed;
    bool samples;
    /* 1 with --sample-mass scale: the masses of a sample are divided by the fraction of bodies kept. Otherwise 0. */
    int scale_mass;
    int input;      /* index of the current input; 0 after --stack */
    uint64_t frame; /* number of frames edited before the current one */
};
extern struct edit_options edit_options;

/* edit_options_parse parses the command line, and dies with a usage error if it is invalid. edit_options_free frees the
 * operations. */
void edit_options_parse(int argc, char **argv);
void edit_options_free(void);

/* ---- operations: edit_take_* functions parse an option's value (die if it is invalid) and set op->apply ---- */

/* Appends an operation to the list, with its members `name` and `text` set, and returns it. The caller, a function
 * edit_take_*, sets the other members. Defined in options.c. */
struct edit_op *edit_op_add(const struct tool_option *o, const char *text);

tool_take edit_take_select; /* defined in pick.c */
tool_take edit_take_sample;
tool_take edit_take_shift; /* defined in move.c */
tool_take edit_take_boost;
tool_take edit_take_rotate; /* defined in rotate.c */
tool_take edit_take_center;
tool_take edit_take_resize;  /* defined in resize.c */
tool_take edit_take_sort;    /* defined in sort.c */
tool_take edit_take_columns; /* defined in columns.c */
tool_take edit_take_set;     /* defined in set.c */
tool_take edit_take_isolate; /* defined in spoil.c */
tool_take edit_take_time;    /* defined in resize.c */

/* ---- several inputs ---- */

/* Joins `count` frames in[] to one frame, `out`, which must be initialised. The bodies of in[0] come first, then the
 * bodies of in[1], and so on. `out` gets the history lines of all inputs. parents[k] becomes the index of the last
 * history line that `out` got from in[k]. `names`: names of the inputs for messages. Frees the frames in `in`. Returns
 * 0, or -1 after nb_fail. Defined in stack.c. */
int edit_stack(struct nb_bodies *in, const char *const *names, int count, struct nb_bodies *out, int *parents);

/* ---- shared functions ---- */

/* Reads `count` finite numbers at *at, separated by commas, and moves *at after the last one. Returns false if there
 * are fewer numbers. The caller checks the text after the numbers. */
bool edit_take_numbers(const char **at, double *value, int count);
/* Returns the identity transformation. */
struct edit_affine edit_affine_none(void);
/* Returns the column with the rounding errors of column `name` (pos_lo for pos, vel_lo for vel), or NULL. */
struct nb_column *edit_low_of(const struct nb_bodies *b, const char *name);
/* Transforms the column `name`, which has width 3, together with its rounding errors (edit_low_of). Returns -1 after
 * nb_fail if a new value is not finite or is out of range of the column's type. */
int edit_transform(struct nb_bodies *b, const char *name, const struct edit_affine *t);
/* Multiplies all values of a real column by `factor`. Fails in the same cases as edit_transform. */
int edit_multiply(struct nb_bodies *b, struct nb_column *c, double factor);
struct edit_key {
    uint64_t key, place; /* place: index of the body to which the key belongs */
};
/* Sorts n keys by `key` in ascending order; equal keys keep their order. May replace *keys by another allocation.
 * Returns -1 after nb_fail if there is no memory. Defined in sort.c. */
int edit_sort_keys(uint64_t n, struct edit_key **keys);

/* A change of all bodies. First vectors are rotated and scaled, and masses and times are scaled. Then `shift` is added
 * to positions, and `later` to times. */
struct edit_change {
    double turn[3][3], length, mass, speed, time; /* turn: rotation matrix. length, mass, speed, time: factors */
    double shift[3], later;
};
/* Returns the identity change. */
struct edit_change edit_change_none(void);
/* Applies c to the header lines about stars that merged or escaped. Returns -1 after nb_fail. Defined in events.c. */
int edit_change_events(struct nb_bodies *b, const struct edit_change *c);

enum { /* what an operation changes */
       EDIT_MASS = 1,
       EDIT_POS = 2,
       EDIT_VEL = 4,
       EDIT_SOFTENING = 8,
       EDIT_RADIUS = 16,
       EDIT_BODIES = 32 /* bodies were added or removed */
};
/* Drops the columns and header lines that are no longer valid after an operation, and prints their names once for each
 * operation. `changed`: what the operation changed (EDIT_MASS and so on, joined by |). Defined in spoil.c. */
void edit_spoil(struct edit_op *op, struct nb_bodies *b, unsigned changed);
/* If the header names a force between bodies that depends on velocities (post-Newtonian terms), calls edit_spoil with
 * EDIT_VEL. Called by operations that change all velocities by the same amount or by the same factor. Defined in
 * spoil.c. */
void edit_spoil_pairs(struct edit_op *op, struct nb_bodies *b);
/* Fails if the frame has external fields, walls or a box, which would not move with the bodies. Returns -1 after
 * nb_fail. */
int edit_check_free(const struct nb_bodies *b);
/* Fails if the frame has external fields that depend on time. Returns -1 after nb_fail. */
int edit_check_timeless(const struct nb_bodies *b);
/* Prints a message, but only in the first call with this `op` and this `bit`. So a message that applies to many frames
 * is printed only once. */
void edit_say(struct edit_op *op, unsigned bit, const char *format, ...) __attribute__((format(printf, 3, 4)));
enum { EDIT_SAID_SPOILT = 1, EDIT_SAID_OTHER = 2, EDIT_SAID_THIRD = 4, EDIT_SAID_EVENTS = 8, EDIT_SAID_TIME = 16 };
