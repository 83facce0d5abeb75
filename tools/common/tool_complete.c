/* tool_complete.c - prints the possible completions of the last word for a shell: --print-completions WORD.... The last
 * word may be empty. The scripts in tools/completion contain no names of options: they take all completions from these
 * lines:
 *
 *     =TEXT            first line: the part of the typed word that the shell must put before each candidate, or empty
 *     wWORD<TAB>ABOUT  a complete word, after which a space follows; <TAB>ABOUT, a description, is optional
 *     pPART<TAB>ABOUT  a word that the user continues, such as --until=
 *     f.nbs            a file, preferably with this suffix
 *     f                a file */
#include "common/tool.h"

#include <stdio.h>
#include <string.h>

static const char *before = ""; /* part of the typed word before the value, such as "--force=" */
static const char *value;       /* the value as far as it is typed */
/* Last part of `value`. The shell replaces this part by a candidate, so only candidates that begin with it are printed.
 * NULL until the first line of the output, =TEXT (see the top of this file), is printed */
static const char *wanted;

/* ---- candidates ---- */

void tool_offer_behind(size_t length)
{
    wanted = value + length;
    printf("=%s%.*s\n", before, (int)length, value);
}

const char *tool_offer_typed(void)
{
    return value;
}

void tool_offer_word(const char *typed)
{
    value = typed;
    tool_offer_behind(0);
}

/* Prints a candidate if it begins with `wanted`. The candidate is `lead`, then the first `length` characters of `word`,
 * then `after`. kind: first letter of the line, 'w' or 'p' (see the top of this file). `about` is printed up to its
 * first full stop, bracket, colon, semicolon or line end. */
static void put(char kind, const char *lead, const char *word, size_t length, const char *after, const char *about)
{
    char text[512];
    if (!wanted)
        tool_offer_behind(0);
    snprintf(text, sizeof text, "%s%.*s%s", lead, (int)length, word, after);
    if (strncmp(text, wanted, strlen(wanted)) != 0)
        return;
    printf("%c%s", kind, text);
    size_t end = about ? strcspn(about, "\n(;:") : 0;
    const char *sentence = about ? strstr(about, ". ") : NULL;
    if (sentence && (size_t)(sentence - about) < end)
        end = (size_t)(sentence - about);
    while (end > 0 && about[end - 1] == ' ')
        end--;
    printf(end > 0 ? "\t%.*s\n" : "\n", (int)end, about);
}

void tool_offer(const char *word, const char *about)
{
    put('w', "", word, strlen(word), "", about);
}

void tool_offer_part(const char *word, const char *after, const char *about)
{
    put('p', "", word, strlen(word), after, about);
}

void tool_offer_file(void)
{
    puts("f");
}

void tool_offer_list(void)
{
    const char *comma = strrchr(value, ',');
    tool_offer_behind(comma ? (size_t)(comma + 1 - value) : 0);
}

void tool_offer_listed(const char *word, const char *about)
{
    const size_t length = strlen(word);
    for (const char *each = value; each < wanted; each += strcspn(each, ",") + 1)
        if (strcspn(each, ",") == length && strncmp(each, word, length) == 0)
            return;
    tool_offer_part(word, "", about);
}

/* ---- values ---- */

/* Prints the words of the list `words` ("auto|cpu|FILE") that begin with the typed text. For the word FILE, tells the
 * shell that a file name can follow. */
static void offer_words(const char *words)
{
    struct tool_word w;
    while (tool_words_next(&words, &w)) {
        if (w.kind == TOOL_WORD || w.kind == TOOL_WORD_OPEN)
            put('w', "", w.text, w.length, "", NULL);
        else if (w.kind == TOOL_WORD_FILE)
            puts("f");
    }
}

/* Prints the possible values of option o. `typed` is the value as far as the user has typed it. `begin` is the part of
 * the same word before the value, such as "--force=". */
static void offer_value(const struct tool_option *o, const char *begin, const char *typed)
{
    before = begin;
    value = typed;
    if (o->offer) {
        o->offer();
        return;
    }
    tool_offer_behind(0);
    offer_words(o->value);
}

/* ---- the words before the incomplete last word ---- */

struct line { /* state of reading the words of the command line */
    const struct tool_flat *flat;
    const struct tool_option *pending; /* option whose value comes next */
    bool given[TOOL_OPTIONS_MAX];
    bool ended; /* the options were ended by -- */
};

static const struct tool_option *find(struct line *l, const char *name, size_t length, char letter)
{
    const int place = tool_flat_find(l->flat, name, length, letter);
    if (place < 0)
        return NULL;
    l->given[place] = true;
    return l->flat->option[place];
}

static void pass_letters(struct line *l, const char *letters)
{
    for (; *letters; letters++) {
        const struct tool_option *o = find(l, NULL, 0, *letters);
        if (o && o->value && !letters[1])
            l->pending = o;
        if (!o || o->value)
            return;
    }
}

static void pass(struct line *l, const char *word)
{
    if (l->pending)
        l->pending = NULL;
    else if (l->ended)
        return;
    else if (strcmp(word, "--") == 0)
        l->ended = true;
    else if (word[0] == '-' && word[1] == '-') {
        const size_t length = strcspn(word, "=");
        const struct tool_option *o = find(l, word + 2, length - 2, '\0');
        l->pending = o && o->value && !word[length] ? o : NULL;
    } else if (word[0] == '-')
        pass_letters(l, word + 1);
}

/* Prints all options as candidates, except options that were already given and cannot be repeated. */
static void offer_options(const struct line *l)
{
    for (int k = 0; k < l->flat->count; k++) {
        const struct tool_option *o = l->flat->option[k];
        if (o && o->name && !(o->flags & TOOL_UNLISTED) && (!l->given[k] || o->flags & TOOL_REPEATED))
            put(o->value ? 'p' : 'w', "--", o->name, strlen(o->name), o->value ? "=" : "", o->about);
    }
}

static void offer_operand(const struct line *l)
{
    const char *operands = l->flat->syntax->operands;
    tool_offer_behind(0);
    if (operands)
        puts(strstr(operands, "FILE") ? "f.nbs" : "f");
    else if (!l->ended)
        offer_options(l);
}

noreturn void tool_complete(const struct tool_flat *flat, int count, char **words)
{
    struct line l = {.flat = flat};
    const char *word = count > 0 ? words[count - 1] : "", *equals = strchr(word, '=');
    value = word;
    for (int k = 0; k < count - 1; k++)
        pass(&l, words[k]);
    if (l.pending)
        offer_value(l.pending, "", word);
    else if (!l.ended && word[0] == '-' && word[1] == '-' && equals) {
        char name[TOOL_GUESS_BYTES];
        const struct tool_option *o = find(&l, word + 2, (size_t)(equals - word) - 2, '\0');
        snprintf(name, sizeof name, "%.*s", (int)(equals + 1 - word), word);
        if (o && o->value)
            offer_value(o, name, equals + 1);
    } else if (!l.ended && word[0] == '-')
        offer_options(&l);
    else
        offer_operand(&l);
    tool_end_list();
}
