/* tool_syntax.h - what a tool's command line looks like: tables of options, from which it is parsed and help, manual
 * page and completion are made. Names are exact: an option is never abbreviated, so that a new one changes no script.
 */
#ifndef NB_TOOL_SYNTAX_H
#define NB_TOOL_SYNTAX_H

#include <stdbool.h>

#define TOOL_VERSION "0.1.0" /* of all tools; packages take it from here */

struct tool_option {
    const char *name;  /* without its --; NULL: a heading for those that follow */
    int key;           /* its letter, or a number from 256 on */
    const char *value; /* for people: "FILE"; NULL: it takes none */
    unsigned flags;
    const char *about; /* NULL, without a name: the end of the table */
};

enum {
    TOOL_NOT_RECORDED = 1, /* cannot change the result and stays out of the provenance */
    TOOL_REPEATED = 2,     /* may be given several times, and each value is recorded */
    TOOL_UNLISTED = 4,     /* not for users */
    TOOL_IN_ORDER = 64     /* with TOOL_REPEATED: these are recorded in the order given, among one another */
};

#define TOOL_OPERAND 0 /* key of what is no option */

struct tool_table {
    const struct tool_option *options;
    /* Takes an option of this table, or an operand; false: it is none of its own. `arg` is NULL for an option without a
     * value, and lives as long as argv. Dies on a value that cannot be. */
    bool (*parse)(int key, const char *arg, void *context);
};

#define TOOL_TABLES_MAX 16

struct tool_syntax {
    const char *operands;                             /* for people: "[FILE]"; NULL: none */
    const char *about;                                /* of the tool, a sentence */
    const char *notes;                                /* behind the options; NULL: none */
    const struct tool_table *tables[TOOL_TABLES_MAX]; /* in the order of the help; NULL at the end */
};

/* ---- for the parser itself: the options of all tables in a row ---- */

#define TOOL_OPTIONS_MAX 128

struct tool_flat {
    const struct tool_syntax *syntax;
    const struct tool_option *option[TOOL_OPTIONS_MAX]; /* headings too; a NULL between two tables */
    int count;
};

/* tool_version.c; name as of tool_parse */
void tool_print_version(const char *name);
void tool_print_notices(void);
/* "unknown" or "none" where there is none. */
const char *tool_commit(void);
const char *tool_compiler(void);
const char *tool_cuda(void);
/* tool_help.c */
void tool_print_help(const struct tool_flat *flat, const char *name);
void tool_print_usage(const struct tool_flat *flat, const char *name);
void tool_print_man(const struct tool_flat *flat);
void tool_print_words(const struct tool_flat *flat); /* for shell completion: a line each */

#endif
