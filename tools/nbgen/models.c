/* The list of models, and what `nbgen` says without one. */
#include "nbgen.h"

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

/* "plummer, uniform, ..." or, with what they are, a line each; kept until the next call. */
static const char *list_models(bool with_about)
{
    static char *list;
    size_t size;
    free(list);
    FILE *out = open_memstream(&list, &size);
    if (!out)
        die("no memory");
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
    static const char *const words[] = {"-h", "-?", "--help", "--usage", "-V", "--version", "--notices"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(arg, words[k]) == 0)
            return true;
    return strncmp(arg, "--print-", strlen("--print-")) == 0;
}

/* Without a model: help where that is what is asked for. */
static noreturn void explain(int argc, char **argv)
{
    static struct tool_syntax syntax = {.operands = "MODEL", .about = "Write a snapshot of a model to stdout."};
    const char *list = list_models(true);
    char *notes;
    if (asprintf(&notes,
                 "The models:\n\n%s\n`nbgen MODEL --help' lists the options of one. Example:\n\n"
                 "  nbgen plummer -n 10k | nbsim --until 10 --every 0.1 -o run.nbs",
                 list) < 0)
        die("no memory");
    if (argc < 2) {
        fprintf(stderr, "Usage: nbgen MODEL [OPTION...]\n%s\n%s\n", syntax.about, notes);
        exit(TOOL_USAGE);
    }
    if (!is_help(argv[1]))
        die_usage("%s: the model comes first: nbgen MODEL [OPTION...]", argv[1]);
    syntax.notes = notes;
    tool_parse("nbgen", &syntax, argc, argv, NULL);
    exit(TOOL_OK);
}

static const struct gen_model *find(const char *name)
{
    for (const struct gen_model *const *m = gen_models; *m; m++)
        if (strcmp(name, (*m)->name) == 0)
            return *m;
    return NULL;
}

/* The word that is being typed is the model, or comes behind one whose options there are. */
static const struct gen_model *complete(int argc, char **argv)
{
    const struct gen_model *model = argc > 3 ? find(argv[2]) : NULL;
    if (model) { /* its own command line follows */
        argv[2] = argv[1];
        return model;
    }
    if ((argc == 3 && argv[2][0] != '-') || (argc == 4 && strcmp(argv[2], "help") == 0)) {
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
    die_usage("'%s' is not a model%s; there are %s", name, tool_guess_hint(&guess, ""), list_models(false));
}

/* `nbgen help plummer' is `nbgen plummer --help'. */
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
    if (argc < 2 || argv[1][0] == '-')
        explain(argc, argv);
    model = find(argv[1]);
    if (!model)
        die_unknown(argv[1]);
    return model;
}
