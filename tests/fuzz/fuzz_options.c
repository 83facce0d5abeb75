/* Fuzz target: command lines of the tools, one word a line, the tool's name first. The recorded form of an accepted
 * command line is accepted too, and its recorded form is the same. */
#include "common/tool_parse.c" /* which keeps what the last command line gave; it is cleared here */

#include "nbconv/nbconv.h"
#include "nbedit/nbedit.h"
#include "nbgen/nbgen.h"
#include "nbrender/nbrender.h"
#include "nbsim/nbsim.h"
#include "nbstat/nbstat.h"
#include "sandbox.h"

#include <stdint.h>

enum { WORDS_MAX = 64, COMMAND_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* nbconv's formats want its main.c. */
int conv_import_frame(struct conv_import *import, struct nb_bodies *b, const char *where)
{
    (void)import, (void)b, (void)where;
    abort();
}

/* A model's own options and those that all tools share: nbgen's own parser keeps what it was given. */
static void parse_model(int argc, char **argv)
{
    static struct tool_syntax syntax;
    const struct gen_model *const *m = gen_models;
    while (m[1] && argc > 1 && strcmp((*m)->name, argv[1]) != 0)
        m++;
    syntax = (struct tool_syntax){.operands = (*m)->operands,
                                  .about = (*m)->about,
                                  .notes = (*m)->doc,
                                  .tables = {gen_options(*m), tool_table_output, tool_table_space, tool_table_common}};
    tool_parse("nbgen", &syntax, argc > 1 ? argc - 1 : 0, argv + (argc > 1));
}

struct line {
    char *words[WORDS_MAX + 1];
    int count;
    char recorded[COMMAND_MAX]; /* what tool_command said */
};

static void parse_line(void *arg)
{
    struct line *line = arg;
    const char *tool_ = line->words[0];
    static struct conv_options conv;
    static struct render_options render;
    static struct sim_options sim;
    static struct stat_options stat;
    if (strcmp(tool_, "nbgen") == 0)
        parse_model(line->count, line->words);
    else if (strcmp(tool_, "nbsim") == 0)
        sim_options_parse(&sim, line->count, line->words);
    else if (strcmp(tool_, "nbrender") == 0)
        render_options_parse(&render, line->count, line->words);
    else if (strcmp(tool_, "nbstat") == 0)
        stat_options_parse(&stat, line->count, line->words);
    else if (strcmp(tool_, "nbedit") == 0)
        edit_options_parse(line->count, line->words);
    else
        conv_options_parse(&conv, line->count, line->words);
    snprintf(line->recorded, sizeof line->recorded, "%s", tool_command());
}

static int run(struct line *line)
{
    flat = (struct tool_flat){0};
    memset(forgotten, 0, sizeof forgotten);
    given = NULL;
    operands = NULL;
    command = NULL;
    given_count = operand_count = 0;
    tool_options = (struct tool_options){0};
    line->recorded[0] = '\0';
    return sandbox_run(parse_line, line);
}

/* Cuts text into words at each `separator`. */
static void split(struct line *line, char *text, char separator)
{
    line->count = 0;
    for (char *at = text; at && line->count < WORDS_MAX;) {
        char *end = strchr(at, separator);
        if (end)
            *end++ = '\0';
        line->words[line->count++] = at;
        at = end;
    }
    line->words[line->count] = NULL;
}

static void require(bool holds, const char *what, const struct line *line)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_options: does not hold: %s: %s\n", what, line->recorded);
    abort();
}

/* Whether the record has all that the line says: no byte of it needs a ?, it is not --resume, whose record is the
 * checkpoint's, nor --stack, which needs inputs. nbgen's is begun by its model. */
static bool is_plain(const struct line *line)
{
    if (strcmp(line->words[0], "nbgen") == 0)
        return false;
    for (int k = 0; k < line->count; k++) {
        for (const char *c = line->words[k]; *c; c++)
            if (*c <= ' ' || *c > '~')
                return false;
        if (strncmp(line->words[k], "--resume", 8) == 0 || strcmp(line->words[k], "--stack") == 0)
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct line first, again;
    static char text[COMMAND_MAX], words[COMMAND_MAX];
    if (size >= sizeof text / 2 || memchr(data, '\0', size))
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    split(&first, text, '\n');
    bool plain = is_plain(&first);
    int status = run(&first);
    require(status >= -1 && status <= 2, "the end is a known one", &first);
    for (const char *c = first.recorded; *c; c++)
        require(*c >= ' ' && *c <= '~', "a recorded command is printable", &first);
    if (status != -1 || !plain)
        return 0;
    strcpy(words, first.recorded);
    split(&again, words, ' ');
    require(run(&again) == -1, "a recorded command is taken", &first);
    require(strcmp(again.recorded, first.recorded) == 0, "it is recorded alike", &first);
    return 0;
}
