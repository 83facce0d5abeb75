/* select_text.h - private to lib/select: the words of a condition. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nb_word_kind { NB_WORD_END, NB_WORD_NUMBER, NB_WORD_NAME, NB_WORD_SIGN, NB_WORD_BAD };

struct nb_word {
    enum nb_word_kind kind;
    size_t place, length; /* in the text */
    const char *sign;     /* of NB_WORD_SIGN: one of a few constants, "&&" */
    size_t base_length;   /* of NB_WORD_NAME: without its .x */
    int axis;             /* 0 1 2 of .x .y .z, or -1 */
    double number;
    uint64_t whole; /* the same exactly, where it is_whole */
    bool is_whole;
};

/* The word at text[place], blanks before it passed over. Of NB_WORD_BAD the reason is left to nb_word_wanted. */
struct nb_word nb_word_read(const char *text, size_t place);
/* Fails: at this word that is wanted, and something else is there. -1. */
int nb_word_wanted(const char *text, const struct nb_word *word, const char *wanted);
