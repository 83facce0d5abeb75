/* The shared options, and what is made from a tool's option table: the canonical command line, manual page, completion.
 */
#include "tool.h"

#include "error.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_THREADS = 0x1000, KEY_SALVAGE, KEY_FRAME, KEY_PRINT_OPTIONS };

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    (void)state;
    switch (key) {
    case 'q': tool_options.quiet = true; return 0;
    case 'v': tool_options.verbose = true; return 0;
    case KEY_THREADS: {
        uint64_t threads = tool_unsigned("--threads", arg);
        if (threads < 1 || threads > 4096)
            die_usage("--threads %s: not from 1 to 4096", arg);
        tool_options.threads = (int)threads;
        omp_set_num_threads(tool_options.threads);
        return 0;
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option common_table[] = {
    {"threads", KEY_THREADS, "N", TOOL_NOT_RECORDED, "CPU threads (default: all cores)", 90},
    {"quiet", 'q', 0, TOOL_NOT_RECORDED, "say nothing but errors", 90},
    {"verbose", 'v', 0, TOOL_NOT_RECORDED, "say more", 90},
    {0},
};
const struct argp tool_argp_common = {.options = common_table, .parser = parse_common};

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
    (void)state;
    switch (key) {
    case 'o':
        if (!*arg)
            die_usage("-o '': a file name is wanted");
        tool_options.output = arg;
        return 0;
    case 'f': tool_options.overwrite = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option output_table[] = {
    {"output", 'o', "FILE", TOOL_NOT_RECORDED, "write to FILE instead of stdout (- is stdout)", 80},
    {"overwrite", 'f', 0, TOOL_NOT_RECORDED, "replace an existing output file", 80},
    {0},
};
const struct argp tool_argp_output = {.options = output_table, .parser = parse_output};

static error_t parse_input(int key, char *arg, struct argp_state *state)
{
    (void)state, (void)arg;
    if (key != KEY_SALVAGE)
        return ARGP_ERR_UNKNOWN;
    tool_options.salvage = true;
    return 0;
}

static const struct argp_option input_table[] = {
    {"salvage", KEY_SALVAGE, 0, 0, "take the whole frames of a damaged or cut stream", 70},
    {0},
};
const struct argp tool_argp_input = {.options = input_table, .parser = parse_input};

static error_t parse_frame(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key != KEY_FRAME)
        return ARGP_ERR_UNKNOWN;
    tool_options.frame_given = true;
    if (strcmp(arg, "last") == 0)
        tool_options.frame = NB_FRAME_LAST;
    else if (strcmp(arg, "all") == 0)
        tool_options.frame = TOOL_FRAME_ALL;
    else {
        uint64_t frame = tool_unsigned("--frame", arg);
        if (frame > INT64_MAX)
            die_usage("--frame %s: too large", arg);
        tool_options.frame = (int64_t)frame;
    }
    return 0;
}

static const struct argp_option frame_table[] = {
    {"frame", KEY_FRAME, "K", 0, "take frame K of the input (from 0), or 'last', or 'all' where that makes sense", 70},
    {0},
};
const struct argp tool_argp_frame = {.options = frame_table, .parser = parse_frame};

/* ---- one flat table of the tool's options and all shared ones, with one parser that notes what was given ---- */

#define OPTIONS_MAX 128
#define PARSERS_MAX 8

static struct argp_option table[OPTIONS_MAX + 2]; /* with the hidden option and the end */
static char *given[OPTIONS_MAX];                  /* the last value, or all with a newline between; "" for a flag;
                                                     NULL: not given */
static int option_count;
static argp_parser_t parsers[PARSERS_MAX];
static int parser_count;
static const char *tool_name;
static char *command;

static void flatten(const struct argp *argp)
{
    parsers[parser_count++] = argp->parser;
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
        table[option_count++] = *o;
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        flatten(c->argp);
}

static void note_option(int key, const char *arg)
{
    for (int k = 0; k < option_count; k++)
        if (table[k].name && table[k].key == key) {
            char *before = given[k];
            if (!before || !(table[k].flags & TOOL_REPEATED))
                given[k] = strdup(arg ? arg : "");
            else if (asprintf(&given[k], "%s\n%s", before, arg) < 0)
                given[k] = NULL;
            free(before);
            if (!given[k])
                die("no memory");
        }
}

/* A paragraph of roff for an option; hyphens and backslashes of the text made safe. */
static void print_man(const struct argp_option *o)
{
    printf(".TP\n");
    if (o->key > ' ' && o->key < 127)
        printf("\\fB\\-%c\\fR, ", o->key);
    printf("\\fB\\-\\-%s\\fR", o->name);
    if (o->arg)
        printf("=\\fI%s\\fR", o->arg);
    putchar('\n');
    for (const char *c = o->doc; c && *c; c++)
        if (*c == '-' || *c == '\\')
            printf("\\%c", *c);
        else
            putchar(*c);
    putchar('\n');
}

static noreturn void print_options(const char *form)
{
    for (int k = 0; k < option_count; k++)
        if (!table[k].name)
            continue;
        else if (strcmp(form, "man") == 0)
            print_man(&table[k]);
        else
            printf("--%s%s\n", table[k].name, table[k].arg ? "=" : "");
    exit(fclose(stdout) ? TOOL_FAILED : TOOL_OK);
}

static error_t parse_any(int key, char *arg, struct argp_state *state)
{
    if (key == KEY_PRINT_OPTIONS)
        print_options(arg);
    note_option(key, arg);
    for (int k = 0; k < parser_count; k++) {
        error_t status = parsers[k] ? parsers[k](key, arg, state) : ARGP_ERR_UNKNOWN;
        if (status != ARGP_ERR_UNKNOWN)
            return status;
    }
    return ARGP_ERR_UNKNOWN;
}

/* " --NAME=VALUE" for each of the option's values. */
static void add_option(FILE *to, const struct argp_option *o, const char *values)
{
    for (size_t length; o->arg; values += length + 1) {
        length = strcspn(values, "\n");
        fprintf(to, " --%s=%.*s", o->name, (int)length, values);
        if (values[length] == '\0')
            return;
    }
    fprintf(to, " --%s", o->name);
}

static void build_command(void)
{
    size_t size;
    free(command);
    FILE *to = open_memstream(&command, &size);
    if (!to)
        die("no memory");
    fputs(tool_name, to);
    for (int k = 0; k < option_count; k++)
        if (given[k] && !(table[k].flags & TOOL_NOT_RECORDED))
            add_option(to, &table[k], given[k]);
    if (fclose(to) || !command)
        die("no memory");
    for (char *c = command; *c; c++) /* a header line holds printable ASCII */
        if (*c < ' ' || *c > '~')
            *c = '?';
}

void tool_parse(const char *name, const struct argp *argp, int argc, char **argv, void *input)
{
    argp_err_exit_status = TOOL_USAGE;
    flatten(argp);
    table[option_count] = (struct argp_option){"print-options", KEY_PRINT_OPTIONS, "man|bash", OPTION_HIDDEN, "", 0};
    struct argp flat = {.options = table, .parser = parse_any, .args_doc = argp->args_doc, .doc = argp->doc};
    error_t status = argp_parse(&flat, argc, argv, 0, NULL, input);
    if (status)
        die_usage("%s", strerror(status));
    tool_name = name;
    build_command();
}

void tool_forget(const char *option)
{
    for (int k = 0; k < option_count; k++)
        if (table[k].name && strcmp(table[k].name, option) == 0)
            table[k].flags |= TOOL_NOT_RECORDED;
    build_command();
}

const char *tool_command(void)
{
    return command;
}

void tool_record(struct nb_meta *meta, const char *seed)
{
    if (nb_history_add(meta, program_invocation_short_name, TOOL_VERSION, seed, command))
        die("%s", nb_error());
}
