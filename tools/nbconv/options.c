/* options.c - parses the command line: direction, format, and the options that the format allows. */
#include "base/units.h"
#include "nbconv/nbconv.h"
#include "snap/snap_foreign.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define NAMES_BYTES 256

const struct conv_format *conv_format_find(const char *name)
{
    const struct conv_format *f = conv_formats;
    while (f->name && strcmp(f->name, name) != 0)
        f++;
    return f->name ? f : NULL;
}

/* Returns the names of the formats, each after a space: " text csv ...". If `quad`, returns only those that support
 * --store quad. */
static const char *list_names(bool quad)
{
    static char known[NAMES_BYTES];
    *known = '\0';
    for (const struct conv_format *f = conv_formats; f->name; f++)
        if (f->quad || !quad)
            strcat(strcat(known, " "), f->name);
    return known;
}

static const struct conv_format *find_format(const char *option, const char *name)
{
    struct tool_guess guess;
    tool_guess_begin(&guess, name);
    for (const struct conv_format *f = conv_formats; f->name; f++)
        tool_guess_try(&guess, f->name, strlen(f->name));
    if (!conv_format_find(name))
        die_usage("%s %s: expected one of%s%s", option, name, list_names(false), tool_guess_hint(&guess, ""));
    return conv_format_find(name);
}

static void set_units(struct conv_options *o)
{
    const struct nb_unit_system *system = nb_units_find(o->units ? o->units : "code");
    if (!system)
        die_usage("%s", nb_error());
    o->meta.units = system->units;
    if (!tool_given("G"))
        o->meta.G = system->G;
}

/* ---- options of formats ---- */

static bool has_table(const struct tool_option *const *tables, const struct tool_option *t)
{
    while (*tables && *tables != t)
        tables++;
    return *tables;
}

/* Used for shell completions: returns the format that the user has typed after `option` ("--from" or "--to"). Returns
 * NULL if there is no such format, or if the shell does not ask for completions. */
static const struct conv_format *find_typed(int argc, char **argv, const char *option)
{
    const size_t length = strlen(option);
    const char *name = NULL;
    if (argc < 2 || strcmp(argv[1], "--print-completions") != 0)
        return NULL;
    for (int k = 2; k < argc - 1; k++)
        if (strncmp(argv[k], option, length) == 0 && (argv[k][length] == '=' || !argv[k][length]))
            name = argv[k][length] ? argv[k] + length + 1 : argv[k + 1];
    return name ? conv_format_find(name) : NULL;
}

static void take_out(const struct tool_option **tables, const struct tool_option *t)
{
    while (*tables != t)
        tables++;
    for (; *tables; tables++)
        *tables = tables[1];
}

/* Appends the tables of `more` to `tables`, except tables that `tables` already contains. */
static void add_tables(const struct tool_option **tables, const struct tool_option *const *more)
{
    int count = 0;
    while (tables[count])
        count++;
    for (; *more; more++)
        if (!has_table(tables, *more)) {
            assert(count < TOOL_TABLES_MAX - 1);
            tables[count++] = *more;
        }
}

/* Adds the option tables of all formats to s->tables, without duplicates. If the shell asks for completions after
 * --from or --to and a format, adds only the tables of this format. It then also removes the options that this
 * direction cannot use: with --from, the options for reading a stream; with --to, the options for writing a stream. */
static void add_formats(struct tool_syntax *s, int argc, char **argv)
{
    const struct conv_format *reads = find_typed(argc, argv, "--from"), *writes = find_typed(argc, argv, "--to");
    if (reads || writes)
        take_out(s->tables, reads ? tool_table_input : conv_store_options);
    for (const struct conv_format *f = conv_formats; f->name; f++) {
        if (f == reads || (!reads && !writes))
            add_tables(s->tables, f->from_options);
        if (f == writes || (!reads && !writes))
            add_tables(s->tables, f->to_options);
    }
}

/* Dies with a usage error if an option of table t was given, but the format of this run does not allow it. The message
 * names the formats that allow the option. */
static void check_table(const struct tool_option *t, const struct conv_options *o)
{
    char with[512] = "", *at = with;
    const char *option = tool_given_of(t);
    if (!option)
        return;
    for (const struct conv_format *f = conv_formats; f->name; f++) {
        const bool reads = has_table(f->from_options, t), writes = has_table(f->to_options, t);
        if ((f == o->from && reads) || (f == o->to && writes))
            return;
        if (reads || writes)
            at += snprintf(at, sizeof with - (size_t)(at - with), "%s%s %s", at > with ? ", " : "",
                           !writes  ? "--from"
                           : !reads ? "--to"
                                    : "--from or --to",
                           f->name);
    }
    if (at > with)
        die_usage("--%s works only with %s", option, with);
}

/* ---- the format from a file's name ---- */

/* Returns the suffix of a file name, including the dot. Returns NULL if there is no suffix or if it is .nbs. */
static const char *foreign_ending(const char *path)
{
    const char *ending = path ? strrchr(path, '.') : NULL;
    return ending && ending[1] && !strchr(ending, '/') && strcmp(ending, ".nbs") != 0 ? ending : NULL;
}

static const struct conv_format *format_of_name(const char *path)
{
    const char *ending = foreign_ending(path);
    for (const struct conv_format *f = conv_formats; f->name && ending; f++)
        if (strcmp(ending + 1, f->name) == 0 || (f->suffix && strcmp(ending + 1, f->suffix) == 0))
            return f;
    return NULL;
}

/* Detects the format from the first bytes of a file, for names without a suffix, such as those of GADGET files. Returns
 * NULL for text, because the first bytes do not show which text format it is. */
static const struct conv_format *format_of_bytes(const char *path)
{
    const struct nb_foreign *f = path ? nb_foreign_of_file(path) : NULL;
    return f && strcmp(f->from, "text") != 0 ? conv_format_find(f->from) : NULL;
}

/* Chooses --from or --to if neither was given. Uses the suffix of the input's or output's name, otherwise the first
 * bytes of the input. */
static void guess_direction(struct conv_options *o)
{
    const char *output = tool_options.output;
    const struct conv_format *in = format_of_name(o->input), *out = format_of_name(output);
    if (in && out)
        die_usage("%s, %s: one of them must be a stream (use nbconv %s | nbconv -o %s)", o->input, output, o->input,
                  output);
    if (!in && !out)
        in = format_of_bytes(o->input);
    if (!in && !out)
        return;
    const char *way = in ? "from" : "to", *name = in ? in->name : out->name;
    *(in ? &o->from_name : &o->to_name) = name;
    tool_note(way, name);
    say("%s: assuming %s (--%s FORMAT sets another)", in ? o->input : output, name, way);
}

static void check_direction(const struct conv_options *o)
{
    const bool writes = foreign_ending(tool_options.output) != NULL;
    const char *path = writes ? tool_options.output : o->input, *ending = foreign_ending(path);
    if (!o->from_name && !o->to_name && ending)
        die_usage("%s: unknown ending %s: give --%s FORMAT, one of%s", path, ending, writes ? "to" : "from",
                  list_names(false));
    if (!o->from_name && !o->to_name)
        die_usage("give exactly one of --from and --to");
    if (o->to_name && tool_given("store"))
        die_usage("--store works only with --from");
    if (o->from_name && (tool_options.frame_given || tool_options.salvage))
        die_usage("%s works only with --to", tool_options.frame_given ? tool_frame_option() : "--salvage");
}

void conv_options_parse(struct conv_options *o, int argc, char **argv)
{
    int count;
    struct tool_syntax syntax = {
        .tables = {conv_own_options, tool_table_input, tool_table_output, tool_table_common, conv_store_options},
        .operands = "[--from FORMAT | --to FORMAT] [FILE...]",
        .first = "from|to|columns|frame|output",
        .about = "Translate snapshots to and from other formats.",
        .notes =
            "Reads FILE or stdin. Without --from and --to the suffix of FILE or of the output selects the format, as "
            "in "
            "nbconv x.csv. With --to, the last frame is written, or the frames of --frame. An output name with %d, "
            "such "
            "as snap_%03d.txt, makes a file for each frame.",
    };
    conv_given = (struct conv_options){.store = NB_F64};
    add_formats(&syntax, argc, argv);
    conv_options_name_formats();
    tool_parse("nbconv", &syntax, argc, argv);
    *o = conv_given;
    const char *const *operands = tool_operands(&count);
    o->input = count > 0 ? operands[0] : NULL;
    if (o->list)
        conv_list_formats(o->json);
    if (!o->from_name && !o->to_name)
        guess_direction(o);
    check_direction(o);
    if (o->from_name)
        o->from = find_format("--from", o->from_name);
    else
        o->to = find_format("--to", o->to_name);
    if (o->from && !o->from->from && !o->from->missing)
        die_usage("--from %s: this format can only be written", o->from->name);
    if (!o->from || !o->from->several)
        tool_one_input();
    for (int k = 0; syntax.tables[k]; k++)
        check_table(syntax.tables[k], o);
    if (o->quad && !o->from->quad)
        die_usage("--store quad works only with texts: --from%s", list_names(true));
    set_units(o);
}
