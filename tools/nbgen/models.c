/* models.c - contains the list of models, finds the model on the command line, and prints lists and help if the command
 * line has no model. */
#include "nbgen.h"

#include "common/tool_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct gen_model gen_plummer, gen_hernquist, gen_jaffe, gen_dehnen, gen_nfw, gen_king, gen_isothermal,
    gen_uniform, gen_disk, gen_collision, gen_galaxy, gen_encounter, gen_satellite, gen_merge, gen_kepler, gen_figure8,
    gen_pythagorean, gen_lagrange, gen_solar, gen_outer_solar, gen_twin, gen_spheres, gen_windtunnel, gen_granular;

const struct gen_model *const gen_models[] = {
    &gen_plummer,     &gen_hernquist,  &gen_jaffe,     &gen_dehnen,  &gen_nfw,         &gen_king,      &gen_isothermal,
    &gen_uniform,     &gen_disk,       &gen_collision, &gen_galaxy,  &gen_encounter,   &gen_satellite, &gen_twin,
    &gen_spheres,     &gen_merge,      &gen_kepler,    &gen_figure8, &gen_pythagorean, &gen_lagrange,  &gen_solar,
    &gen_outer_solar, &gen_windtunnel, &gen_granular,  NULL,
};

/* Returns the list of the models as text, which is valid until the next call. If with_about is false, the text is
 * "plummer, hernquist, ..."; if it is true, the text has a line with name and description for each model. */
static const char *list_models(bool with_about)
{
    static char *list;
    size_t size;
    free(list);
    FILE *out = claimed(open_memstream(&list, &size), "no memory");
    for (const struct gen_model *const *m = gen_models; *m; m++)
        if (with_about)
            fprintf(out, "  %-13s%s\n", (*m)->name, (*m)->about);
        else
            fprintf(out, "%s%s", m == gen_models ? "" : ", ", (*m)->name);
    fclose(out);
    return list;
}

static bool is_help(const char *arg)
{
    static const char *const words[] = {"-h", "-?", "--help", "--help=all", "--usage", "-V", "--version", "--notices"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(arg, words[k]) == 0)
            return true;
    return strncmp(arg, "--print-", strlen("--print-")) == 0;
}

/* ---- without a model ---- */

static bool list, list_json;

static const struct tool_option list_options[] = {
    {"list-models", NULL, tool_take_flag, &list, "list the models and exit"},
    {"json", NULL, tool_take_flag, &list_json, "with --list-models: one JSON object a line, with numbers of bodies"},
    {0},
};

static const struct gen_model no_model = {.options = {list_options}};

static void put_json(const struct gen_model *m)
{
    printf("{\"name\": ");
    tool_json_string(stdout, m->name);
    printf(", \"about\": ");
    tool_json_string(stdout, m->about);
    if (m->usual_n)
        printf(", \"bodies\": %" PRIu64 ", \"least_bodies\": %" PRIu64, m->usual_n, m->least_n);
    else
        printf(", \"bodies\": null, \"least_bodies\": null"); /* the model reads its bodies from streams */
    printf(", \"random\": %s}\n", m->random ? "true" : "false");
}

static noreturn void print_models(void)
{
    for (const struct gen_model *const *m = gen_models; *m; m++)
        if (list_json)
            put_json(*m);
        else
            printf("%-12s %s\n", (*m)->name, (*m)->about);
    tool_end_list();
}

static bool is_of_list(const char *arg)
{
    return strcmp(arg, "--list-models") == 0 || strcmp(arg, "--json") == 0;
}

/* Prints the help or, with --list-models, the list of models. Dies (usage) if the user asked for neither. */
static noreturn void explain(int argc, char **argv)
{
    static struct tool_syntax syntax = {.operands = "MODEL", .about = "Write a snapshot of a model to stdout."};
    const char *models = list_models(true);
    char *notes = tool_text("The models:\n\n%s\n`nbgen MODEL --help' lists the options of one. Example:\n\n"
                            "  nbgen plummer -n 10k | nbsim --until 10 --every 0.1 -o run.nbs",
                            models);
    int count;
    if (argc < 2) {
        fprintf(stderr, "Usage: nbgen MODEL [OPTION...]\n%s\n%s\n", syntax.about, notes);
        exit(TOOL_USAGE);
    }
    if (!is_help(argv[1]) && !is_of_list(argv[1]))
        die_usage("no model given: nbgen MODEL [OPTION...] (nbgen --list-models lists all)");
    syntax.notes = notes;
    syntax.tables[0] = gen_options(&no_model);
    tool_parse("nbgen", &syntax, argc, argv);
    const char *const *operands = tool_operands(&count);
    if (count > 0)
        die_usage("%s: unexpected argument (not an option)", operands[0]);
    if (!list)
        die_usage("--json needs --list-models");
    print_models();
}

/* ---- options before the model ---- */

static bool is_flag_of(const struct tool_option *table, const char *name, char letter)
{
    for (const struct tool_option *o = table; o->name || o->about; o++)
        if (o->name && !o->value && (letter ? o->letter == letter : strcmp(o->name, name) == 0))
            return true;
    return false;
}

/* Returns whether the option `word` of a model takes the next word as its value. A flag takes no value. */
static bool wants_value(const struct gen_model *m, const char *word)
{
    const struct tool_option *tables[] = {gen_options(m), tool_table_output, tool_table_space, tool_table_common};
    const bool is_name = word[1] == '-';
    if (strchr(word, '=') || is_help(word))
        return false;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (is_flag_of(tables[k], word + 2, is_name ? '\0' : word[strlen(word) - 1]))
            return false;
    return is_name || !word[2] || is_flag_of(tool_table_common, "", word[1]) ||
           is_flag_of(tool_table_output, "", word[1]); /* a word such as -n10 contains its value */
}

/* Returns the index of the first word that is neither an option of the model nor the value of such an option. Returns
 * `count` if there is no such word. */
static int operand_place(const struct gen_model *m, char **words, int count)
{
    int k = 0;
    while (k < count && words[k][0] == '-' && words[k][1])
        k += wants_value(m, words[k]) ? 2 : 1;
    return k < count ? k : count;
}

/* Moves the name of the model to the front of the words. Words before the name are options of this model. Returns the
 * model, or NULL if there is no name of a model. */
static const struct gen_model *put_first(char **words, int count)
{
    for (const struct gen_model *const *m = gen_models; *m; m++) {
        const int place = operand_place(*m, words, count);
        if (place == count || strcmp(words[place], (*m)->name) != 0)
            continue;
        char *name = words[place];
        memmove(words + 1, words, (size_t)place * sizeof *words);
        words[0] = name;
        return *m;
    }
    return NULL;
}

/* Completes the command line for a shell. If the command line names a model, returns the model; the caller then
 * completes the model's options. Otherwise prints the completions of the model's name. */
static const struct gen_model *complete(int argc, char **argv)
{
    const struct gen_model *model = argc > 3 ? put_first(argv + 2, argc - 3) : NULL;
    if (model) { /* the caller skips argv[1] and parses argv[2] and the following words */
        argv[2] = argv[1];
        return model;
    }
    const bool before = argc > 3 && argv[2][0] == '-' && operand_place(&gen_plummer, argv + 2, argc - 2) == argc - 3;
    if ((argc == 3 && argv[2][0] != '-') || (argc == 4 && strcmp(argv[2], "help") == 0) || before) {
        tool_offer_word(argv[argc - 1]);
        for (const struct gen_model *const *m = gen_models; *m; m++)
            tool_offer((*m)->name, (*m)->about);
        tool_end_list();
    }
    if (argc > 3)
        exit(TOOL_OK);
    return NULL;
}

static noreturn void die_unknown(const char *name)
{
    struct tool_guess guess;
    tool_guess_begin(&guess, name);
    for (const struct gen_model *const *m = gen_models; *m; m++)
        tool_guess_try(&guess, (*m)->name, strlen((*m)->name));
    die_usage("unknown model '%s'%s; models: %s", name, tool_guess_hint(&guess, ""), list_models(false));
}

/* Turns `nbgen help plummer' into `nbgen plummer --help'. */
static void turn_help(int argc, char **argv)
{
    static char help[] = "--help";
    if (argc > 1 && strcmp(argv[1], "help") == 0)
        argv[1] = help;
    if (argc == 3 && strcmp(argv[1], help) == 0 && argv[2][0] != '-') {
        argv[1] = argv[2];
        argv[2] = help;
    }
}

const struct gen_model *gen_model_choose(int argc, char **argv)
{
    const struct gen_model *model;
    turn_help(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--print-completions") == 0 && (model = complete(argc, argv)))
        return model;
    if (argc > 1 && (is_help(argv[1]) || is_of_list(argv[1])))
        explain(argc, argv);
    model = put_first(argv + 1, argc - 1);
    if (model)
        return model;
    const int place = argc > 1 ? operand_place(&gen_plummer, argv + 1, argc - 1) : 0;
    if (place == argc - 1)
        explain(argc, argv);
    die_unknown(argv[1 + place]);
}
