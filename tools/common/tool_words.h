/* tool_words.h - reads lists of words that an option accepts, and finds the word nearest to a misspelt word. A list is
 * a text such as "auto|cpu|cuda[:N]|FILE", with `|` between the entries. There are four types of entries:
 * - An entry of lower-case letters, digits, dots, hyphens and underscores is a literal word, which the user types as
 *   it is.
 * - If brackets follow such a word, as in cuda[:N], it is an open word: the user may type more text after it. A `|`
 *   in brackets does not end the entry.
 * - FILE stands for the name of a file.
 * - Any other entry, such as X, stands for any text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tool_word {
    const char *text; /* points into the text of the option; does not end with NUL */
    /* numbers of bytes. length: of the entry without brackets ("cuda"); whole: of the entire entry ("cuda[:N]") */
    size_t length, whole;
    /* TOOL_WORD_OPEN: a word after which the user may write more text, such as "cuda[:N]". */
    enum { TOOL_WORD, TOOL_WORD_OPEN, TOOL_WORD_FILE, TOOL_WORD_OTHER } kind;
};

/* Reads the word at *at and moves *at to the next one. Returns false at the end. */
bool tool_words_next(const char **at, struct tool_word *w);
/* Returns whether the user can only choose among given words: `value` lists at least two words, and each is a literal
 * or an open word (TOOL_WORD_OPEN). */
bool tool_words_closed(const char *value);
/* Returns the index (from 0) of `text` in the list `value`, or -1 if it is not in the list. An open word is also found
 * if other text follows it in `text`. */
int tool_words_find(const char *value, const char *text);
/* Writes the list `value`, such as "a|b|c", to `text` as "a, b or c". `text` has space for `size` bytes. */
void tool_words_print(const char *value, char *text, size_t size);

#define TOOL_GUESS_BYTES 64

struct tool_guess { /* `word` is the word nearest to `asked` among all words passed to tool_guess_try */
    const char *asked;
    /* edit distance from `asked` to `word`: number of insertions, deletions, substitutions and transpositions */
    size_t distance;
    char word[TOOL_GUESS_BYTES], hint[TOOL_GUESS_BYTES + 32];
};

/* Starts a search for the word nearest to `asked`, which must stay valid. */
void tool_guess_begin(struct tool_guess *g, const char *asked);
void tool_guess_try(struct tool_guess *g, const char *word, size_t length);
/* Returns a hint such as " (did you mean --auto?)", or "" if no word is near. `before` is the text before the word, in
 * this example two hyphens. The hint is stored in *g. */
const char *tool_guess_hint(struct tool_guess *g, const char *before);
