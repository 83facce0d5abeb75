/* tool_syntax.h - tables that describe a tool's command line. The parser, the help, the manual page and the shell
 * completion use these tables. Users cannot abbreviate names of options, because an abbreviation in an old script would
 * become ambiguous when an option with a similar name is added. */
#pragma once

#include "common/tool_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdnoreturn.h>

#define TOOL_VERSION "0.1.0" /* version of all tools; packages read the version from here */

struct tool_option {
    const char *name;  /* without --; NULL: a heading of a group of options */
    const char *value; /* the value as the help shows it: "FILE", "fast|slow|X" (tool_words.h); NULL: the option has no
                          value */
    /* Converts the text `arg` to the value of the option, and stores the value. Dies if the value is invalid. `arg`
     * points into argv, and is NULL for an option without a value. Use one of the functions tool_take_... below, or a
     * function of the tool. */
    void (*take)(const struct tool_option *o, const char *arg);
    void *to;            /* where `take` puts the value */
    const char *about;   /* help text; if both `name` and `about` are NULL, the table ends */
    double low, high;    /* allowed range of a number; not checked if `refusal` is NULL */
    const char *refusal; /* error message for a number below `low` or above `high`; NULL: no limits */
    bool below;          /* the value must be below `high`, not equal to it */
    char letter;         /* letter of the short option; '\0': none */
    unsigned flags;
    /* For shell completion: prints the possible values by calling functions named tool_offer_... If `offer` is NULL,
     * the words in `value` are printed. */
    void (*offer)(void);
    /* Two lists of options, for example "modes|radial"; NULL: none. This option needs at least one of the options in
     * `needs`. It cannot be combined with any option in `excludes`. */
    const char *needs, *excludes;
};

enum {
    TOOL_NOT_RECORDED = 1, /* the option cannot change the result, so it is not recorded in the history */
    TOOL_REPEATED = 2,     /* may be given several times; each value is recorded */
    TOOL_UNLISTED = 4,     /* not shown in the help, the manual page and the completion */
    /* options with this flag are recorded in the order of the command line; they also have the flag TOOL_REPEATED */
    TOOL_IN_ORDER = 64
};

/* ---- functions for tool_option.take (tool_take.c); each comment gives the type of *to ---- */

typedef void tool_take(const struct tool_option *o, const char *arg);
tool_take tool_take_flag;         /* sets *to, a bool, to true */
tool_take tool_take_text;         /* stores a const char * in *to */
tool_take tool_take_word;         /* stores `low` + (index of the given word in its list) in *to, an int or enum */
tool_take tool_take_number;       /* stores a finite double in *to */
tool_take tool_take_not_negative; /* stores a finite double >= 0 in *to */
tool_take tool_take_positive;     /* stores a finite double > 0 in *to */
tool_take tool_take_integer;      /* stores an int >= 0 in *to */
tool_take tool_take_unsigned;     /* stores a uint64_t in *to */
tool_take tool_take_count;        /* stores a uint64_t in *to, such as 1500000 for 1.5M */
tool_take tool_take_pair;         /* stores the two doubles of "A,B" in *to, a double[2] */
tool_take tool_take_real_type;    /* stores an enum nb_type (or int) in *to, for the word f32 or f64 */
tool_take tool_take_device;       /* stores a const char * in *to: a name that nb_device_choose accepts */

/* Returns `value`. Dies with a usage error if `value` is outside the limits of the option. If `refusal` is NULL, the
 * option has no limits. Infinity and NaN are always accepted. */
double tool_accepted(const struct tool_option *o, const char *arg, double value);
/* Called by functions to which tool_option.take points. If the option accepts only the words of a list ("fast|slow"),
 * returns the index of the word that the user gave: 0 or 1 in this example. For any other option, returns 0. */
int tool_word(void);

#define TOOL_TABLES_MAX 16

struct tool_syntax {
    const char *operands; /* operands as the help shows them, such as "[FILE]"; NULL: no operands */
    const char *about;    /* what the tool does, one sentence */
    const char *notes;    /* text after the options in the help; NULL: none */
    const char *first;    /* names of the most used options, "view|color"; --help lists them first; NULL: none */
    const struct tool_option *tables[TOOL_TABLES_MAX]; /* in the order of the help, ended by NULL */
};

/* ---- for the parser: the options of all tables in one array ---- */

#define TOOL_OPTIONS_MAX 128

struct tool_flat {
    const struct tool_syntax *syntax;
    const struct tool_option *option[TOOL_OPTIONS_MAX]; /* options and headings; NULL between two tables */
    int count;
};

/* Returns the index, in all->option, of the option with the letter `letter`. If `letter` is '\0', returns the index of
 * the option whose name is the first `length` bytes of `word`. Returns -1 if there is no such option. */
int tool_flat_find(const struct tool_flat *all, const char *word, size_t length, char letter);

/* Print the texts of --version and --notices (tool_version.c). `name`: the tool, such as "nbgen plummer". */
void tool_print_version(const char *name);
void tool_print_notices(void);
/* Return the git commit, the compiler and the CUDA version with which the tool was built, or "unknown". tool_cuda
 * returns "none" if the tool was built without CUDA. */
const char *tool_commit(void);
const char *tool_compiler(void);
const char *tool_cuda(void);
/* ---- completion of a value, step 1: needed only if a part of the typed value is kept ---- */

/* For shell completion: keeps the first `length` bytes of the value that the user has typed. The candidates printed
 * later replace the rest. */
void tool_offer_behind(size_t length);
/* For shell completion of a list: keeps the value that the user has typed up to its last comma. The candidates printed
 * later replace the text after the comma. */
void tool_offer_list(void);
/* For shell completion: returns the text that the user has typed for the value. */
const char *tool_offer_typed(void);

/* Starts the completion of a word that is not a value of an option. */
void tool_offer_word(const char *typed);

/* ---- completion, step 2: print the candidates that begin with the typed text; `about` may be NULL ---- */

/* Prints `word` as a candidate, with the description `about`. */
void tool_offer(const char *word, const char *about);
/* Prints a candidate that the user must continue: `word` followed by `after`, such as "scale" and "=". */
void tool_offer_part(const char *word, const char *after, const char *about);
/* Tells the shell that any file name can follow. */
void tool_offer_file(void);
/* Prints `word` as the next element of a list, unless the typed list contains it already. */
void tool_offer_listed(const char *word, const char *about);

/* Prints candidates for the last of `count` words, then exits (tool_complete.c). */
noreturn void tool_complete(const struct tool_flat *flat, int count, char **words);

/* Print help in several forms to stdout (tool_help.c). For a tool with many options, tool_print_help prints only the
 * most used options, unless `all` is set. */
void tool_print_help(const struct tool_flat *flat, const char *name, bool all);
void tool_print_usage(const struct tool_flat *flat, const char *name);
void tool_print_man(const struct tool_flat *flat);
void tool_print_words(const struct tool_flat *flat); /* prints one option per line */
