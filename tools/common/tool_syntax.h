/* tool_syntax.h - what a tool's command line looks like: tables of options, from which it is parsed and help, manual
 * page and completion are made. Names are exact: an option is never abbreviated, so that a new one changes no script.
 */
#pragma once

#include "common/tool_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdnoreturn.h>

#define TOOL_VERSION "0.1.0" /* of all tools; packages take it from here */

struct tool_option {
    const char *name;  /* without its --; NULL: a heading for those that follow */
    const char *value; /* NULL: it takes none; for people: "FILE", "fast|slow|X" (tool_words.h) */
    /* Takes the value, which lives as long as argv; NULL for an option without one. Dies on a value that cannot be. One
     * of tool_take_..., or the table's own. */
    void (*take)(const struct tool_option *o, const char *arg);
    void *to;            /* where the value goes */
    const char *about;   /* NULL, without a name: the end of the table */
    double low, high;    /* of a number, where there is a refusal */
    const char *refusal; /* what is said of a finite number that is not from low to high; NULL: all may be */
    bool below;          /* high itself is refused as well */
    char letter;         /* '\0': none */
    unsigned flags;
    /* For the completion of a value; NULL: by the words in `value`. Calls tool_offer_... */
    void (*offer)(void);
    /* Names of options, "modes|radial"; NULL: none. tool_parse dies (usage) if none of those in `needs` is given
     * with this option, or if one of those in `excludes` is. */
    const char *needs, *excludes;
};

enum {
    TOOL_NOT_RECORDED = 1, /* cannot change the result and stays out of the provenance */
    TOOL_REPEATED = 2,     /* may be given several times, and each value is recorded */
    TOOL_UNLISTED = 4,     /* not for users */
    TOOL_IN_ORDER = 64     /* with TOOL_REPEATED: these are recorded in the order given, among one another */
};

/* ---- what an option may take, tool_take.c; the comment says what is at `to` ---- */

typedef void tool_take(const struct tool_option *o, const char *arg);
tool_take tool_take_flag;         /* bool: true once it is given */
tool_take tool_take_text;         /* const char * */
tool_take tool_take_word;         /* int or an enum: `low` and, where there are words alone, the place among them */
tool_take tool_take_number;       /* double, finite */
tool_take tool_take_not_negative; /* double, finite */
tool_take tool_take_positive;     /* double, finite */
tool_take tool_take_integer;      /* int, from 0 on */
tool_take tool_take_unsigned;     /* uint64_t */
tool_take tool_take_count;        /* uint64_t: 1.5M is 1500000 */
tool_take tool_take_pair;         /* double[2]: "A,B" */
tool_take tool_take_real_type;    /* int or enum nb_type: f32 or f64 */
tool_take tool_take_device;       /* const char *: a name that nb_device_choose takes */

/* Dies where the option refuses the number; else returns it. */
double tool_accepted(const struct tool_option *o, const char *arg, double value);
/* The place of the value among the words of the option that is taken, where the table has words alone: "fast|slow". No
 * other value comes to `take`. */
int tool_word(void);

#define TOOL_TABLES_MAX 16

struct tool_syntax {
    const char *operands; /* for people: "[FILE]"; NULL: none are taken */
    const char *about;    /* of the tool, a sentence */
    const char *notes;    /* behind the options; NULL: none */
    const char *first;    /* names, as in `needs`, of the options that most people use: --help begins with them */
    const struct tool_option *tables[TOOL_TABLES_MAX]; /* in the order of the help; NULL at the end */
};

/* ---- for the parser itself: the options of all tables in a row ---- */

#define TOOL_OPTIONS_MAX 128

struct tool_flat {
    const struct tool_syntax *syntax;
    const struct tool_option *option[TOOL_OPTIONS_MAX]; /* headings too; a NULL between two tables */
    int count;
};

/* The place of the option of that name or, if it is not '\0', letter; -1: there is none. tool_parse.c */
int tool_flat_find(const struct tool_flat *all, const char *word, size_t length, char letter);

/* tool_version.c; name as of tool_parse */
void tool_print_version(const char *name);
void tool_print_notices(void);
/* "unknown" or "none" where there is none. */
const char *tool_commit(void);
const char *tool_compiler(void);
const char *tool_cuda(void);
/* ---- for offers of values: first one of these, where they are not for all of what is typed ---- */

/* What follows goes behind so many bytes of what is typed. */
void tool_offer_behind(size_t length);
/* Behind its last comma: the value is a list. */
void tool_offer_list(void);
/* So much of the value is there. */
const char *tool_offer_typed(void);

/* Of a word that is no option's value. */
void tool_offer_word(const char *typed);

/* ---- and then, of what begins as is typed, any of these; about: what it is, may be NULL ---- */

void tool_offer(const char *word, const char *about);
/* What goes on behind `after`: "scale" and "=". */
void tool_offer_part(const char *word, const char *after, const char *about);
/* Any file. */
void tool_offer_file(void);
/* A word of the list, unless it is there already. */
void tool_offer_listed(const char *word, const char *about);

/* tool_complete.c */
noreturn void tool_complete(const struct tool_flat *flat, int count, char **words);

/* tool_help.c */
/* `all`: also of a tool with so many options that it shows but those that most people use. */
void tool_print_help(const struct tool_flat *flat, const char *name, bool all);
void tool_print_usage(const struct tool_flat *flat, const char *name);
void tool_print_man(const struct tool_flat *flat);
void tool_print_words(const struct tool_flat *flat); /* for shell completion: a line each */
