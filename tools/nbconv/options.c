#include "nbconv.h"

#include "base/error.h"
#include "base/units.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { KEY_FROM = 256, KEY_TO, KEY_STORE, KEY_LIST };

static char from_about[640] = "read FORMAT and write a stream:", to_about[640] = "read a stream and write FORMAT:";

static void offer(bool reads)
{
    tool_offer_behind(0);
    for (const struct conv_format *const *f = conv_formats; *f; f++)
        if (reads ? (*f)->from != NULL : (*f)->to != NULL)
            tool_offer((*f)->name, (*f)->about);
}

static void offer_from(const char *typed)
{
    (void)typed;
    offer(true);
}

static void offer_to(const char *typed)
{
    (void)typed;
    offer(false);
}

static const struct tool_option table[] = {
    {"from", KEY_FROM, "FORMAT", 0, from_about, offer_from},
    {"to", KEY_TO, "FORMAT", 0, to_about, offer_to},
    {"list-formats", KEY_LIST, NULL, TOOL_NOT_RECORDED, "the formats with what they are"},
    {0},
};

/* The names of the formats, from their table. */
static void name_formats(void)
{
    for (const struct conv_format *const *f = conv_formats; *f; f++)
        for (int k = 0; k < 2; k++) {
            char *about = k ? to_about : from_about;
            if (k ? (*f)->to != NULL : (*f)->from != NULL)
                snprintf(about + strlen(about), sizeof from_about - strlen(about), "%s %s",
                         about[strlen(about) - 1] == ':' ? "" : ",", (*f)->name);
        }
}

static noreturn void list_formats(void)
{
    for (const struct conv_format *const *f = conv_formats; *f; f++)
        printf("%-8s %-6s %-4s %s\n", (*f)->name, (*f)->from ? "--from" : "", (*f)->to ? "--to" : "", (*f)->about);
    tool_end_list();
}

static const struct tool_option store_table[] = {
    {.about = "Reading:"},
    {"store", KEY_STORE, "f32|f64|quad", 0,
     "f32 or f64 for real numbers (default f64), or quad, of text: f64 and, of positions and velocities, the further digits as pos_lo and vel_lo"},
    {0},
};

static const char *from, *to, *another; /* as given; the second input */

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    switch (key) {
    case KEY_FROM: from = arg; return true;
    case KEY_TO: to = arg; return true;
    case KEY_LIST: list_formats();
    case TOOL_OPERAND: *(o->input ? &another : &o->input) = arg; return true;
    default: return false;
    }
}

static bool parse_store(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    if (key != KEY_STORE)
        return false;
    o->store_given = true;
    o->quad = strcmp(arg, "quad") == 0;
    o->store = o->quad ? NB_F64 : tool_real_type("--store", arg);
    return true;
}

/* Of the directions. */
static const struct tool_table own = {table, parse}, store = {store_table, parse_store};

#define FORMATS_BYTES 256

/* " text csv ..." of the formats that are read, or of those that are written. */
static void list_names(bool reads, char known[FORMATS_BYTES])
{
    *known = '\0';
    for (const struct conv_format *const *f = conv_formats; *f; f++)
        if ((reads ? (*f)->from != NULL : (*f)->to != NULL) && strlen(known) + strlen((*f)->name) + 2 < FORMATS_BYTES)
            strcat(strcat(known, " "), (*f)->name);
}

static const struct conv_format *find_format(const char *option, const char *name, bool reads)
{
    char known[FORMATS_BYTES];
    struct tool_guess guess;
    tool_guess_begin(&guess, name);
    for (const struct conv_format *const *f = conv_formats; *f; f++) {
        if (reads ? !(*f)->from : !(*f)->to)
            continue;
        if (strcmp((*f)->name, name) == 0)
            return *f;
        tool_guess_try(&guess, (*f)->name, strlen((*f)->name));
    }
    list_names(reads, known);
    die_usage("%s %s: not one of%s%s", option, name, known, tool_guess_hint(&guess, ""));
}

static void set_units(struct conv_options *o)
{
    const struct nb_unit_system *system = nb_units_find(o->units ? o->units : "code");
    if (!system)
        die_usage("%s", nb_error());
    o->meta.units = system->units;
    if (!o->G_given)
        o->meta.G = system->G;
}

/* ---- the formats' own options ---- */

static bool has_table(const struct tool_table *const *tables, const struct tool_table *t)
{
    for (; *tables; tables++)
        if (*tables == t)
            return true;
    return false;
}

/* What a shell is to offer options for: argv has a word of this option in it; NULL: it has not, or no such format. */
static const struct conv_format *find_typed(int argc, char **argv, const char *option)
{
    const size_t length = strlen(option);
    const char *name = NULL;
    if (argc < 2 || strcmp(argv[1], "--print-completions") != 0)
        return NULL;
    for (int k = 2; k < argc - 1; k++)
        if (strncmp(argv[k], option, length) == 0 && (argv[k][length] == '=' || !argv[k][length]))
            name = argv[k][length] ? argv[k] + length + 1 : argv[k + 1];
    for (const struct conv_format *const *f = conv_formats; *f && name; f++)
        if (strcmp((*f)->name, name) == 0)
            return *f;
    return NULL;
}

static void take_out(const struct tool_table **tables, const struct tool_table *t)
{
    while (*tables != t)
        tables++;
    for (; *tables; tables++)
        *tables = tables[1];
}

/* The tables of all formats, each once, behind those that are there; of the formats of a line that is being typed alone
 * where it names one. */
static void add_tables(struct tool_syntax *s, int argc, char **argv)
{
    const struct conv_format *reads = find_typed(argc, argv, "--from"), *writes = find_typed(argc, argv, "--to");
    int count = 0;
    if (reads || writes)
        take_out(s->tables, reads ? &tool_table_input : &store);
    while (s->tables[count])
        count++;
    for (const struct conv_format *const *f = conv_formats; *f; f++)
        for (int k = 0; k < 2 * CONV_TABLES_MAX; k++) {
            const bool of_from = k < CONV_TABLES_MAX;
            const struct tool_table *t = of_from ? (*f)->from_options[k] : (*f)->to_options[k - CONV_TABLES_MAX];
            if ((reads || writes) && *f != (of_from ? reads : writes))
                continue;
            if (t && !has_table(s->tables, t)) {
                assert(count < TOOL_TABLES_MAX - 1);
                s->tables[count++] = t;
            }
        }
}

/* Dies where an option of this table was given that goes with other formats alone, which it names. */
static void check_table(const struct tool_table *t, const struct conv_format *chosen)
{
    char with[512] = "", *at = with;
    const char *option = tool_given_of(t);
    if (!option)
        return;
    for (const struct conv_format *const *f = conv_formats; *f; f++) {
        const bool reads = has_table((*f)->from_options, t), writes = has_table((*f)->to_options, t);
        if (*f == chosen && (from ? reads : writes))
            return;
        if (reads || writes)
            at += snprintf(at, sizeof with - (size_t)(at - with), "%s--%s %s", at > with ? ", " : "",
                           reads ? "from" : "to", (*f)->name);
    }
    if (at > with)
        die_usage("--%s goes with %s", option, with);
}

/* ---- the format by a file's name ---- */

static const struct conv_format *format_of_name(const char *path, bool reading)
{
    const char *suffix = path ? strrchr(path, '.') : NULL;
    if (!suffix || strchr(suffix, '/'))
        return NULL;
    for (const struct conv_format *const *f = conv_formats; *f; f++)
        if ((reading ? (*f)->from != NULL : (*f)->to != NULL) &&
            (strcmp(suffix + 1, (*f)->name) == 0 || ((*f)->suffix && strcmp(suffix + 1, (*f)->suffix) == 0)))
            return *f;
    return NULL;
}

/* Neither --from nor --to was given: the name of the one file that is not a stream says it. */
static void guess_direction(const char *input)
{
    const struct conv_format *in = format_of_name(input, true), *out = format_of_name(tool_options.output, false);
    if (in && out)
        die_usage("%s, %s: one of them is a stream: nbconv %s | nbconv -o %s makes one of the other", input,
                  tool_options.output, input, tool_options.output);
    if (!in && !out)
        return;
    from = in ? in->name : NULL;
    to = out ? out->name : NULL;
    tool_note(in ? "from" : "to", in ? from : to);
    say("%s: taken as %s (--%s FORMAT says otherwise)", in ? input : tool_options.output, in ? from : to,
        in ? "from" : "to");
}

/* The ending of a name that is no stream's, with its dot, or NULL. */
static const char *foreign_ending(const char *path)
{
    const char *ending = path ? strrchr(path, '.') : NULL;
    return ending && ending[1] && !strchr(ending, '/') && strcmp(ending, ".nbs") != 0 ? ending : NULL;
}

/* Neither is given, and no name says which. */
static noreturn void die_unnamed(const char *input)
{
    char known[FORMATS_BYTES];
    const bool writes = foreign_ending(tool_options.output) != NULL;
    const char *path = writes ? tool_options.output : input, *ending = foreign_ending(path);
    if (!ending)
        die_usage("--from FORMAT or --to FORMAT is needed, and one of them alone");
    list_names(!writes, known);
    die_usage("%s: no format has the ending %s: --%s FORMAT is needed, one of%s", path, ending, writes ? "to" : "from",
              known);
}

static void check_direction(const char *input)
{
    if (!from && !to)
        die_unnamed(input);
    if (from && to)
        die_usage("--from FORMAT or --to FORMAT is needed, and one of them alone");
    if (to && tool_given_of(&store))
        die_usage("--store goes with --from");
    if (from && (tool_options.frame_given || tool_options.salvage))
        die_usage("%s goes with --to", tool_options.frame_given ? tool_frame_option() : "--salvage");
}

void conv_options_parse(struct conv_options *o, int argc, char **argv)
{
    struct tool_syntax syntax = {
        .tables = {&own, &tool_table_input, &tool_table_output, &tool_table_common, &store},
        .operands = "[--from FORMAT | --to FORMAT] [FILE...]",
        .about = "Translate snapshots to and from other formats.",
        .notes =
            "FILE is the input, stdin by default. Without --from and --to the name of FILE or of the output says the "
            "format, as in nbconv x.csv. Where --frame names several, a `# frame K time T' line is written in "
            "front of each and two blank lines between them. A name with %d, as -o snap_%03d.txt, makes a file for each.",
    };
    *o = (struct conv_options){.store = NB_F64};
    from = to = another = NULL;
    add_tables(&syntax, argc, argv);
    name_formats();
    tool_parse("nbconv", &syntax, argc, argv, o);
    if (!from && !to)
        guess_direction(o->input);
    check_direction(o->input);
    if (from)
        o->from = find_format("--from", from, true);
    else
        o->to = find_format("--to", to, false);
    if (another && !(from && o->from->several))
        tool_one_input(&o->input, another);
    for (int k = 0; syntax.tables[k]; k++)
        check_table(syntax.tables[k], from ? o->from : o->to);
    set_units(o);
}
