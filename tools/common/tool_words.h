/* tool_words.h - the words that an option's value may be, as its table has them for people: "auto|cpu|cuda[:N]|FILE".
 * What has only small letters, digits, dots, hyphens and underscores is a word and is meant as it stands; FILE is a
 * file's name; all else stands for something. Also the guess which of many words was meant. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tool_word {
    const char *text;     /* of the value; not ended */
    size_t length, whole; /* without and with the brackets of an open one */
    enum { TOOL_WORD, TOOL_WORD_OPEN, TOOL_WORD_FILE, TOOL_WORD_OTHER } kind; /* open: more may follow, "cuda[:N]" */
};

/* The next of the words at *at, which goes on behind it; false at the end. */
bool tool_words_next(const char **at, struct tool_word *w);
/* Are they two or more, and nothing else can be meant? An open word may have anything behind it. */
bool tool_words_closed(const char *value);
/* The place of the text among them, from 0; -1: it is none of them. */
int tool_words_find(const char *value, const char *text);
/* "a, b or c". */
void tool_words_print(const char *value, char *text, size_t size);

#define TOOL_GUESS_BYTES 64

struct tool_guess { /* the nearest of the words tried to the one asked for, if it is near at all */
    const char *asked;
    size_t distance; /* signs to put, take, change or exchange */
    char word[TOOL_GUESS_BYTES], hint[TOOL_GUESS_BYTES + 32];
};

void tool_guess_begin(struct tool_guess *g, const char *asked);
void tool_guess_try(struct tool_guess *g, const char *word, size_t length);
/* " (did you mean auto?)", or "" where no word is near; `before` stands before the word, as "--" does. */
const char *tool_guess_hint(struct tool_guess *g, const char *before);
