/* tool_parse.c - parses command lines and records the options given. Options and operands may stand in any order; --
 * ends the options. Short options may be joined (-qf). Their value may be joined to the letter or be the next word
 * (-n10k, -n 10k). */
#include "common/tool.h"

#include "base/portable.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tool_flat flat;
static bool forgotten[TOOL_OPTIONS_MAX];
/* options given, in the order of the command line */
static struct given {
    int option;
    const char *value;
} * given;
static int given_count;
static const char **operands;
static int operand_count;
static const char *name;
static char *command;
static bool help_all;
/* for an option that accepts a list of words such as "fast|slow": index in the list of the word that the user gave;
 * otherwise 0 */
static int word_place;

/* ---- options of every tool ---- */

noreturn void tool_end_list(void)
{
    if (fflush(stdout) || fclose(stdout))
        die("stdout: cannot be written: %s", strerror(errno));
    exit(TOOL_OK);
}

static void print_list(const struct tool_option *o, const char *arg)
{
    if (strcmp(o->name, "help") == 0)
        tool_print_help(&flat, name, help_all);
    else if (strcmp(o->name, "usage") == 0)
        tool_print_usage(&flat, name);
    else if (strcmp(o->name, "version") == 0)
        tool_print_version(name);
    else if (strcmp(o->name, "notices") == 0)
        tool_print_notices();
    else
        (strcmp(arg, "man") == 0 ? tool_print_man : tool_print_words)(&flat);
    tool_end_list();
}

static const struct tool_option basic[] = {
    {"help", NULL, print_list, NULL, "print this help; --help=all lists every option", .letter = 'h',
     .flags = TOOL_NOT_RECORDED},
    {"usage", NULL, print_list, NULL, "print the options briefly", .flags = TOOL_NOT_RECORDED},
    {"version", NULL, print_list, NULL, "print version, commit, compiler, CUDA, licence and libraries", .letter = 'V',
     .flags = TOOL_NOT_RECORDED},
    {"notices", NULL, print_list, NULL, "print the licences of the software that is compiled in",
     .flags = TOOL_NOT_RECORDED},
    {"print-options", "man|words", print_list, NULL, "for manual page and tests", .flags = TOOL_UNLISTED},
    {0},
};

/* ---- all tables in one array ---- */

static void flatten(const struct tool_option *table)
{
    for (const struct tool_option *o = table; o->name || o->about; o++) {
        assert(flat.count < TOOL_OPTIONS_MAX - 1);
        flat.option[flat.count++] = o;
    }
    flat.count++;
}

int tool_flat_find(const struct tool_flat *all, const char *word, size_t length, char letter)
{
    for (int k = 0; k < all->count; k++) {
        const struct tool_option *o = all->option[k];
        if (o && o->name &&
            (letter ? o->letter == letter : strlen(o->name) == length && strncmp(o->name, word, length) == 0))
            return k;
    }
    return -1;
}

static const struct tool_option *find(const char *word, size_t length, char letter, int *place)
{
    *place = tool_flat_find(&flat, word, length, letter);
    return *place >= 0 ? flat.option[*place] : NULL;
}

static const struct tool_option *find_name(const char *word, size_t length, int *place)
{
    return find(word, length, '\0', place);
}

static const struct tool_option *find_letter(char letter, int *place)
{
    return find(NULL, 0, letter == '?' ? 'h' : letter, place);
}

/* Returns a hint for the error message if the user typed --force, because other programs use --force to overwrite
 * files. Returns "" for any other option. */
static const char *about_force(const char *option)
{
    return strcmp(option, "--force") == 0 ? "; -f overwrites an output" : "";
}

/* Dies in two cases: the user typed two hyphens before a letter (--n instead of -n), or used an option name of other
 * programs (--eps instead of --softening). The message names the right option. */
static void die_foreign(const char *word, size_t length)
{
    static const struct {
        const char *theirs, *ours;
    } names[] = {{"cmap", "colormap"}, {"palette", "colormap"}, {"eps", "softening"}, {"particles", "bodies"}};
    int place;
    const struct tool_option *o = length == 1 ? find_letter(*word, &place) : NULL;
    if (o)
        die_usage("--%c: no such option (did you mean -%c, --%s?)", *word, *word, o->name);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k].theirs) == length && strncmp(names[k].theirs, word, length) == 0 &&
            find_name(names[k].ours, strlen(names[k].ours), &place))
            die_usage("--%s: no such option (did you mean --%s?)", names[k].theirs, names[k].ours);
}

/* Dies. The message gives a hint if the word is the beginning of an option's name or similar to a name. Abbreviated
 * options are never accepted. */
static noreturn void die_unknown(const char *word, size_t length)
{
    struct tool_guess guess;
    char asked[TOOL_GUESS_BYTES + 2];
    snprintf(asked, sizeof asked, "--%.*s", (int)length, word);
    tool_guess_begin(&guess, asked + 2);
    die_foreign(word, length);
    for (int k = 0; length > 0 && k < flat.count; k++) {
        const struct tool_option *o = flat.option[k];
        if (!o || !o->name || o->flags & TOOL_UNLISTED)
            continue;
        if (strncmp(o->name, word, length) == 0)
            die_usage("--%.*s: no such option; write --%s in full", (int)length, word, o->name);
        tool_guess_try(&guess, o->name, strlen(o->name));
    }
    die_usage("--%.*s: no such option%s%s", (int)length, word, about_force(asked), tool_guess_hint(&guess, "--"));
}

/* ---- the command line ---- */

struct words { /* words still to be parsed */
    char **next, **end;
};

int tool_word(void)
{
    return word_place;
}

/* Returns the index of the value in the list of words that the option accepts. Dies with a usage error if the value is
 * not in the list. */
static int place_of(const struct tool_option *o, const char *value)
{
    struct tool_guess guess;
    struct tool_word w;
    char all[512];
    const int place = tool_words_find(o->value, value);
    if (place >= 0)
        return place;
    tool_guess_begin(&guess, value);
    for (const char *at = o->value; tool_words_next(&at, &w);)
        tool_guess_try(&guess, w.text, w.length);
    tool_words_print(o->value, all, sizeof all);
    die_usage("--%s %s: expected %s%s", o->name, value, all, tool_guess_hint(&guess, ""));
}

static void take(int place, const char *value)
{
    const struct tool_option *o = flat.option[place];
    if (value && !*value)
        die_usage("--%s needs a value: %s", o->name, o->value);
    word_place = o->value && tool_words_closed(o->value) ? place_of(o, value) : 0;
    given[given_count++] = (struct given){place, value};
    o->take(o, value);
}

static bool is_option(const char *word)
{
    int place;
    if (word[0] != '-' || !word[1])
        return false;
    return word[1] == '-' ? find_name(word + 2, strcspn(word + 2, "="), &place) != NULL
                          : !word[2] && find_letter(word[1], &place) != NULL;
}

/* Returns the next word of the command line as the value of an option. Dies if this word is an option of the tool. A
 * value that looks like an option can only be given as --NAME=VALUE. */
static const char *next_word(struct words *w, const char *option, const char *wanted)
{
    if (w->next == w->end)
        die_usage("%s needs a value: %s%s", option, wanted, about_force(option));
    if (is_option(*w->next))
        die_usage("%s needs a value: %s (%.*s is the next option)%s", option, wanted, (int)strcspn(*w->next, "="),
                  *w->next, about_force(option));
    return *w->next++;
}

static void take_name(struct words *w, const char *word)
{
    const char *value = strchr(word, '=');
    const size_t length = (value ? (size_t)(value - word) : strlen(word)) - 2;
    int place;
    const struct tool_option *o = find_name(word + 2, length, &place);
    if (!o)
        die_unknown(word + 2, length);
    if (value && !o->value)
        die_usage("--%s takes no value", o->name);
    if (value)
        value++;
    else if (o->value)
        value = next_word(w, word, o->value);
    take(place, value);
}

static void take_letters(struct words *w, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const char option[] = {'-', *letter, '\0'};
        int place;
        const struct tool_option *o = find_letter(*letter, &place);
        if (!o)
            die_usage("%s: no such option", option);
        if (!o->value)
            take(place, NULL);
        else {
            take(place, letter[1] ? letter + 1 : next_word(w, option, o->value));
            return;
        }
    }
}

static void take_operand(const char *word)
{
    operands[operand_count++] = word;
    if (!flat.syntax->operands)
        die_usage("%s: %s", word, *word ? "unexpected argument (not an option)" : "an empty word");
}

static void take_all(struct words *w)
{
    for (bool options = true; w->next < w->end;) {
        const char *word = *w->next++;
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (options && word[0] == '-' && word[1] == '-')
            take_name(w, word);
        else if (options && word[0] == '-' && word[1])
            take_letters(w, word);
        else
            take_operand(word);
    }
}

/* ---- options that need or exclude other options ---- */

static bool is_given(const char *option, size_t length)
{
    int place;
    const struct tool_option *o = find_name(option, length, &place);
    for (int k = 0; o && k < given_count; k++)
        if (given[k].option == place)
            return true;
    return false;
}

static void check_needs(const struct tool_option *o)
{
    struct tool_word w;
    char all[256] = "";
    for (const char *at = o->needs; tool_words_next(&at, &w);) {
        const size_t used = strlen(all);
        if (is_given(w.text, w.length))
            return;
        snprintf(all + used, sizeof all - used, "%s--%.*s", used ? " or " : "", (int)w.length, w.text);
    }
    if (*all)
        die_usage("--%s needs %s", o->name, all);
}

static void check_excludes(const struct tool_option *o)
{
    struct tool_word w;
    for (const char *at = o->excludes; tool_words_next(&at, &w);)
        if (is_given(w.text, w.length))
            die_usage("--%s and --%.*s: give only one of them", o->name, (int)w.length, w.text);
}

static void check_given(void)
{
    for (int k = 0; k < given_count; k++) {
        check_needs(flat.option[given[k].option]);
        check_excludes(flat.option[given[k].option]);
    }
}

/* ---- the recorded command line ---- */

/* Appends text to `command`, the command line that the header records. If `command` is NULL, only counts the bytes. */
static void append(size_t *size, const char *text)
{
    for (; *text; text++) {
        if (command)
            command[*size] = *text < ' ' || *text > '~' ? '?' : *text; /* a header line contains only printable ASCII */
        ++*size;
    }
}

static bool is_recorded(int at)
{
    const int place = given[at].option;
    const struct tool_option *o = flat.option[place];
    if (o->flags & TOOL_NOT_RECORDED || forgotten[place])
        return false;
    for (int later = at + 1; later < given_count && !(o->flags & TOOL_REPEATED); later++)
        if (given[later].option == place)
            return false;
    return true;
}

static bool is_in_order(int place)
{
    return flat.option[place] && flat.option[place]->flags & TOOL_IN_ORDER;
}

/* Appends option number `place` to the recorded command, as " --NAME=VALUE". Normally appends only the last value that
 * the user gave. If the option has the flag TOOL_REPEATED, appends each value. If the option has the flag
 * TOOL_IN_ORDER, appends all options with this flag, in the order of the command line. */
static void append_given(size_t *size, int place)
{
    for (int k = 0; k < given_count; k++) {
        const int own = given[k].option;
        if (!(own == place || (is_in_order(own) && is_in_order(place))) || !is_recorded(k))
            continue;
        append(size, " --");
        append(size, flat.option[own]->name);
        append(size, given[k].value ? "=" : "");
        append(size, given[k].value ? given[k].value : "");
    }
}

static size_t write_command(void)
{
    size_t size = 0;
    bool ordered = false;
    append(&size, name);
    for (int place = 0; place < flat.count; place++) {
        if (!(ordered && is_in_order(place)))
            append_given(&size, place);
        ordered |= is_in_order(place);
    }
    return size;
}

static void build_command(void)
{
    free(command);
    command = NULL;
    command = claimed(calloc(write_command() + 1, 1), "no memory");
    write_command();
}

/* Allocates `given` and `operands`. One argument, such as -abc, can contain several options. Therefore `given` has an
 * element for each character of the command line. */
static void make_room(int argc, char **argv)
{
    size_t most = 1;
    for (int k = 1; k < argc; k++)
        most += strlen(argv[k]) + 1;
    given = claimed(calloc(most, sizeof *given), "no memory");
    operands = claimed(calloc((size_t)argc + 1, sizeof *operands), "no memory");
}

void tool_parse(const char *tool, const struct tool_syntax *syntax, int argc, char **argv)
{
    /* The stdio buffer of stdout is used only for lists such as --help. It is large enough for an entire list, so that
     * a list is printed completely or not at all */
    static char lists[1 << 16];
    setvbuf(stdout, lists, _IOFBF, sizeof lists);
    tool_progress_begin();
    name = tool;
    tool_ranks_refuse();
    flat.syntax = syntax;
    for (int k = 0; syntax->tables[k]; k++)
        flatten(syntax->tables[k]);
    flatten(basic);
    if (argc > 1 && strcmp(argv[1], "--print-completions") == 0)
        tool_complete(&flat, argc - 2, argv + 2);
    make_room(argc, argv);
    if (argc == 2 && strcmp(argv[1], "help") == 0 && access(argv[1], F_OK) != 0)
        argv[1] = "--help";
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
        if (strcmp(argv[k], "--help=all") == 0)
            help_all = true, argv[k] = "--help";
    take_all(&(struct words){argv + (argc > 0), argv + argc});
    check_given();
    tool_threads_check();
    build_command();
}

void tool_forget(const char *option)
{
    int place;
    if (find_name(option, strlen(option), &place))
        forgotten[place] = true;
    build_command();
}

void tool_note(const char *option, const char *value)
{
    int place;
    char *copy = tool_copy(value);
    given = claimed(realloc(given, ((size_t)given_count + 1) * sizeof *given), "no memory");
    if (find_name(option, strlen(option), &place))
        given[given_count++] = (struct given){place, copy};
    build_command();
}

const char *tool_name(void)
{
    return name ? name : nb_program_name();
}

const char *tool_command(void)
{
    return command;
}

bool tool_given(const char *option)
{
    return is_given(option, strlen(option));
}

const char *tool_given_of(const struct tool_option *table)
{
    for (int k = 0; k < given_count; k++)
        for (const struct tool_option *o = table; o->name || o->about; o++)
            if (o == flat.option[given[k].option])
                return o->name;
    return NULL;
}

const char *tool_one_input(void)
{
    if (operand_count > 1)
        die_usage("%s: only one input is allowed, and %s was given already", operands[1], operands[0]);
    return operand_count > 0 ? operands[0] : NULL;
}

const char *const *tool_inputs(int *count)
{
    static const char *const from_stdin[] = {"-"};
    *count = operand_count > 0 ? operand_count : 1;
    return operand_count > 0 ? operands : from_stdin;
}

const char *const *tool_operands(int *count)
{
    *count = operand_count;
    return operands;
}
