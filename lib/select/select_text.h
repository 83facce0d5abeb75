/* select_text.h - private to lib/select: splits a condition into words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nb_word_kind { NB_WORD_END, NB_WORD_NUMBER, NB_WORD_NAME, NB_WORD_SIGN, NB_WORD_BAD };

struct nb_word {
    enum nb_word_kind kind;
    size_t place, length; /* place: position in the text, from 0; length: number of bytes */
    const char *sign;     /* if `kind` is NB_WORD_SIGN: an operator, comma or parenthesis, such as "&&" */
    size_t base_length;   /* length of an NB_WORD_NAME without a final .x, .y or .z */
    int axis;             /* 0 1 2 for .x .y .z, else -1 */
    double number;
    uint64_t whole; /* the value of `number` as an exact integer; valid if is_whole */
    bool is_whole;
};

/* Returns the next word at or after text[place], skipping blanks. An invalid word has the kind NB_WORD_BAD. */
struct nb_word nb_word_read(const char *text, size_t place);
/* Calls nb_fail with the message that the text should contain `wanted` instead of `word`. Returns -1. */
int nb_word_wanted(const char *text, const struct nb_word *word, const char *wanted);
