/* select_program.h - private to lib/select: a condition as a program for a stack machine, with one stack for numbers
 * and one for conditions. The parser makes the program, a struct nb_select. For each frame, nb_select_bind makes an
 * array of struct nb_step from the program, with pointers to the columns of the frame. */
#pragma once

#include "select/select.h"

enum nb_select_code {
    OP_NAME,   /* a name; nb_select_bind replaces it by OP_LOAD (of a column) or OP_NUMBER (a constant) */
    OP_NUMBER, /* pushes a constant */
    OP_LOAD,   /* pushes a column's value */
    OP_REST,   /* pushes the remainder of a u64 column divided by an integer */

    OP_NEGATE, /* OP_NEGATE to OP_FLOOR replace the top number by a function of it */
    OP_ABS,
    OP_SQRT,
    OP_LOG10,
    OP_EXP,
    OP_LOG,
    OP_SIN,
    OP_COS,
    OP_FLOOR,

    OP_ADD, /* OP_ADD to OP_ATAN2 pop two numbers and push one */
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_POWER,
    OP_MIN,
    OP_MAX,
    OP_ATAN2,

    OP_EQUAL, /* OP_EQUAL to OP_GREATER_EQUAL pop two numbers and push a condition */
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_WHOLE,   /* compares a u64 column with an integer; pushes a condition */
    OP_COLUMNS, /* compares two u64 columns; pushes a condition */
    OP_ALWAYS,  /* OP_ALWAYS pushes true, OP_NEVER pushes false */
    OP_NEVER,

    OP_AND,
    OP_OR,
    OP_NOT,
};

struct nb_select_op {
    enum nb_select_code code;
    size_t place;     /* position in the text, from 0 */
    const char *name; /* name of an OP_NAME, stored in nb_select.names */
    int axis;         /* 0 1 2 for NAME.x .y .z, else -1 */
    double number;
    uint64_t whole; /* the value of `number` as an exact integer; valid if is_whole */
    bool is_whole;
};

struct nb_select {
    struct nb_select_op *ops;
    int count;
    char *names;             /* the names in `ops`, one after the other, each with its NUL */
    int numbers, conditions; /* required depths of the two stacks: of numbers, and of conditions */
};

struct nb_step {                       /* an operation that nb_select_bind has bound to columns of a frame */
    enum nb_select_code code, compare; /* compare: operator (OP_EQUAL ...) of the comparisons OP_WHOLE and OP_COLUMNS */
    const struct nb_column *column, *other;
    int axis; /* 0 1 2: component of a vector column; -1: length of a vector, or value of a column of width 1 */
    double number;
    uint64_t whole;
};

/* Binds s to the columns of b. Writes at most s->count steps to `steps`. Returns the number of steps, or -1 after
 * nb_fail. */
int nb_select_bind(const struct nb_select *s, const struct nb_bodies *b, struct nb_step *steps);

#define NB_SELECT_BLOCK 1024 /* maximum number of bodies in a block; each step is run for an entire block */

struct nb_select_stacks { /* stacks of one thread; an entry has a value for each body of a block */
    double (*numbers)[NB_SELECT_BLOCK];
    unsigned char (*conditions)[NB_SELECT_BLOCK];
};

/* Runs the steps for the bodies [i0, i1), at most NB_SELECT_BLOCK bodies. The results are in w->conditions[0] if the
 * steps compute a condition, and in w->numbers[0] if they compute a number for each body. */
void nb_select_run(const struct nb_step *steps, int count, uint64_t i0, uint64_t i1, struct nb_select_stacks *w);
