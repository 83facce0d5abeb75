/* tool_words.c - reads the list of words that an option accepts, and finds the word nearest to a misspelt word. */

#include "common/tool_words.h"

#include <stdio.h>
#include <string.h>

/* ---- words of a value ---- */

/* Returns the number of bytes of the first word in a list such as "a|b[:N]|c". The word ends at the first bar that is
 * not in brackets. */
static size_t length_of(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] && (depth > 0 || text[length] != '|'); length++)
        depth += text[length] == '[' ? 1 : text[length] == ']' ? -1 : 0;
    return length;
}

bool tool_words_next(const char **at, struct tool_word *w)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
    if (!*at || !**at)
        return false;
    const size_t length = length_of(*at), signs = strspn(*at, plain);
    *w = (struct tool_word){*at, signs < length ? signs : length, length, TOOL_WORD};
    if (w->length < length && (*at)[w->length] == '[' && w->length > 0)
        w->kind = TOOL_WORD_OPEN;
    else if (w->length < length || length == 0) {
        w->kind = length == 4 && strncmp(*at, "FILE", 4) == 0 ? TOOL_WORD_FILE : TOOL_WORD_OTHER;
        w->length = length;
    }
    *at += length;
    *at += **at == '|';
    return true;
}

bool tool_words_closed(const char *value)
{
    struct tool_word w;
    int count = 0;
    for (; tool_words_next(&value, &w); count++)
        if (w.kind != TOOL_WORD && w.kind != TOOL_WORD_OPEN)
            return false;
    return count > 1;
}

int tool_words_find(const char *value, const char *text)
{
    struct tool_word w;
    for (int k = 0; tool_words_next(&value, &w); k++)
        if (w.kind <= TOOL_WORD_OPEN && strncmp(w.text, text, w.length) == 0 &&
            (w.kind == TOOL_WORD_OPEN || !text[w.length]))
            return k;
    return -1;
}

void tool_words_print(const char *value, char *text, size_t size)
{
    struct tool_word w;
    size_t used = 0;
    *text = '\0';
    for (bool first = true; tool_words_next(&value, &w) && used < size; first = false) {
        const char *joint = first ? "" : *value ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", joint, (int)w.whole, w.text);
    }
}

/* ---- nearest word ---- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char fold(char sign)
{
    return sign >= 'A' && sign <= 'Z' ? (char)(sign - 'A' + 'a') : sign;
}

/* Returns the edit distance of Damerau (1964, CACM 7, 171) with transpositions of adjacent letters. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[3][TOOL_GUESS_BYTES + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *second = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const bool same = fold(a[i - 1]) == fold(b[j - 1]);
            now[j] = least(least(now[j - 1], before[j]) + 1, before[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
                now[j] = least(now[j], second[j - 2] + 1);
        }
    }
    return row[a_length % 3][b_length];
}

void tool_guess_begin(struct tool_guess *g, const char *asked)
{
    const size_t length = strlen(asked);
    *g = (struct tool_guess){.asked = asked, .distance = length < 3 ? 1 : length < 6 ? 2 : 3};
}

void tool_guess_try(struct tool_guess *g, const char *word, size_t length)
{
    const size_t asked = strlen(g->asked);
    if (length >= sizeof g->word || asked >= sizeof g->word)
        return;
    if (asked <= 3 && fold(*g->asked) != fold(*word))
        return; /* no suggestion: users rarely mistype the first letter of such a short word */
    const size_t found = distance(g->asked, asked, word, length);
    if (found >= g->distance)
        return;
    g->distance = found;
    snprintf(g->word, sizeof g->word, "%.*s", (int)length, word);
}

const char *tool_guess_hint(struct tool_guess *g, const char *before)
{
    snprintf(g->hint, sizeof g->hint, " (did you mean %s%s?)", before, g->word);
    return *g->word ? g->hint : "";
}
