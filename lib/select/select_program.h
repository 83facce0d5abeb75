/* select_program.h - private to lib/select: a condition as a program for a stack machine, as it was read, and bound to
 * the columns of a frame. Numbers and conditions have a stack each. */
#pragma once

#include "select/select.h"

enum nb_select_code {
    OP_NAME,   /* puts a number: a name's (as it was read alone) */
    OP_NUMBER, /* a constant */
    OP_LOAD,   /* a column's */
    OP_REST,   /* the remainder of a u64 column by a whole number */

    OP_NEGATE, /* of a number */
    OP_ABS,
    OP_SQRT,
    OP_LOG10,
    OP_EXP,
    OP_LOG,
    OP_SIN,
    OP_COS,
    OP_FLOOR,

    OP_ADD, /* of two */
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_POWER,
    OP_MIN,
    OP_MAX,
    OP_ATAN2,

    OP_EQUAL, /* takes two numbers, puts a condition */
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_WHOLE,   /* compares a u64 column with a whole number: puts a condition */
    OP_COLUMNS, /* or with another */
    OP_ALWAYS,  /* puts one that holds, or not */
    OP_NEVER,

    OP_AND,
    OP_OR,
    OP_NOT,
};

struct nb_select_op {
    enum nb_select_code code;
    size_t place;     /* in the text, from 0 */
    const char *name; /* of OP_NAME, in the select's names */
    int axis;         /* 0 1 2 of NAME.x .y .z, or -1 */
    double number;
    uint64_t whole; /* the same exactly, where it is_whole */
    bool is_whole;
};

struct nb_select {
    struct nb_select_op *ops;
    int count;
    char *names;             /* NUL after each */
    int numbers, conditions; /* depths of the stacks */
};

struct nb_step {                       /* an op, bound */
    enum nb_select_code code, compare; /* of OP_WHOLE and OP_COLUMNS */
    const struct nb_column *column, *other;
    int axis; /* of the column, or -1: its only value, or its length */
    double number;
    uint64_t whole;
};

/* Binds s to a frame's columns: at most s->count steps. Their number, or -1 after nb_fail. */
int nb_select_bind(const struct nb_select *s, const struct nb_bodies *b, struct nb_step *steps);

#define NB_SELECT_BLOCK 1024 /* bodies looked at together */

struct nb_select_stacks { /* of a thread */
    double (*numbers)[NB_SELECT_BLOCK];
    unsigned char (*conditions)[NB_SELECT_BLOCK];
};

/* Runs steps for bodies [i0, i1), one block at most; the answer stands in w->conditions[0]. */
void nb_select_run(const struct nb_step *steps, int count, uint64_t i0, uint64_t i1, struct nb_select_stacks *w);
