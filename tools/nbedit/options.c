#include "nbedit.h"

#include <stdlib.h>
#include <string.h>

struct edit_options edit_options = {.stack = -1};

enum { KEY_OPS = 256, KEY_STACK = 300, KEY_SEED, KEY_SAMPLE_MASS };
enum { EACH = TOOL_REPEATED | TOOL_IN_ORDER };

/* ---- completion ---- */

static void offer_rotate(const char *typed)
{
    tool_offer_list(typed);
    tool_offer_part("x", ":", "about the x axis");
    tool_offer_part("y", ":", "about the y axis");
    tool_offer_part("z", ":", "about the z axis");
}

static void offer_resize(const char *typed)
{
    tool_offer_list(typed);
    tool_offer_part("length", "=", "of positions, softening and radii");
    tool_offer_part("mass", "=", "of masses");
    tool_offer_part("velocity", "=", "of velocities, in place of a balance under gravity");
}

static void offer_center(const char *typed)
{
    (void)typed;
    tool_offer_behind(0);
    tool_offer("com", "the centre of mass, velocities too");
    tool_offer("densest", "the density centre, velocities too");
}

static void offer_sort(const char *typed)
{
    (void)typed;
    tool_offer_behind(0);
    tool_offer("r", "the distance from the origin");
    tool_offer("speed", NULL);
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->width == 1)
            tool_offer(k->name, NULL);
}

static void offer_set(const char *typed)
{
    (void)typed;
    tool_offer_behind(0);
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->width == 1)
            tool_offer_part(k->name, "=", NULL);
}

static void offer_columns(const char *typed)
{
    tool_offer_list(typed);
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (!k->required)
            tool_offer_listed(k->name, NULL);
}

/* ---- the options ---- */

static const struct tool_option table[] = {
    {.about = "Operations, applied in the order in which they are given:"},
    {"select", KEY_OPS, "EXPR", EACH,
     "keep the bodies for which a condition on their columns holds, such as 'component == disk && r < 5', or of some components: disk,star; or all",
     tool_select_offer},
    {"sample", KEY_OPS + 1, "F", EACH,
     "keep each body with the probability F, such as 1/100 or 0.01, by its id: the same in every frame"},
    {"shift", KEY_OPS + 2, "X,Y,Z", EACH, "add to positions"},
    {"boost", KEY_OPS + 3, "VX,VY,VZ", EACH, "add to velocities"},
    {"rotate", KEY_OPS + 4, "AXIS:DEG", EACH,
     "turn all vectors about the origin, anticlockwise seen from the axis's tip: z:30, x:90,z:10 (first about x), or 1,1,0:45",
     offer_rotate},
    {"resize", KEY_OPS + 5, "KEY=F,...", EACH,
     "multiply with length=F and mass=F, and velocities with velocity=F or, by default, sqrt(mass/length), which keeps a balance under gravity; times go with length/velocity",
     offer_resize},
    {"center", KEY_OPS + 6, "WHERE", EACH,
     "move that point to the origin: X,Y,Z; or, velocities too, com, the centre of mass, or densest, the density centre",
     offer_center},
    {"sort", KEY_OPS + 7, "EXPR", EACH, "put bodies in ascending order of it: id, r, -mass (descending)", offer_sort},
    {"set", KEY_OPS + 8, "COL=EXPR", EACH,
     "give a column, perhaps a new one, values: 'mass = 0.5 * mass', 'component = star if r < 2'", offer_set},
    {"columns", KEY_OPS + 9, "LIST", EACH, "keep these columns and mass, pos, vel; or leave out those of -NAME,-NAME",
     offer_columns},
    {"isolate", KEY_OPS + 10, NULL, EACH, "take external fields, walls and box out of the header"},
    {"time", KEY_OPS + 11, "T", EACH, "let the first frame have this time, and the others follow it as they do"},
    {"stack", KEY_STACK, NULL, EACH,
     "put the bodies of several inputs into one frame; operations before it apply to each input, later ones to all"},
    {.about = "Their parameters:"},
    {"sample-mass", KEY_SAMPLE_MASS, "keep|scale", 0, "of --sample: keep masses, or scale them by 1/F (default keep)"},
    {"seed", KEY_SEED, "N", 0, "of --sample: other bodies (default 0)"},
    {0},
};

static void (*const parsers[])(struct edit_op *op) = {
    edit_parse_select, edit_parse_sample, edit_parse_shift, edit_parse_boost,   edit_parse_rotate,  edit_parse_resize,
    edit_parse_center, edit_parse_sort,   edit_parse_set,   edit_parse_columns, edit_parse_isolate, edit_parse_time,
};
#define PARSERS (int)(sizeof parsers / sizeof *parsers)

static const char *name_of(int key)
{
    const struct tool_option *o = table;
    static char names[PARSERS][16];
    while (o->key != key)
        o++;
    return strcat(strcpy(names[key - KEY_OPS], "--"), o->name);
}

static void add_op(struct edit_options *o, int key, const char *arg)
{
    struct edit_op *ops = realloc(o->ops, ((size_t)o->count + 1) * sizeof *ops);
    if (!ops)
        die("no memory");
    o->ops = ops;
    ops[o->count] = (struct edit_op){.name = name_of(key), .text = arg};
    parsers[key - KEY_OPS](&ops[o->count++]);
}

static void add_input(struct edit_options *o, const char *arg)
{
    const char **inputs = realloc(o->inputs, ((size_t)o->input_count + 1) * sizeof *inputs);
    if (!inputs)
        die("no memory");
    o->inputs = inputs;
    inputs[o->input_count++] = arg;
}

static void set_stack(struct edit_options *o)
{
    if (o->stack >= 0)
        die_usage("--stack: once is enough: it takes all inputs");
    o->stack = o->count;
}

static bool parse(int key, const char *arg, void *context)
{
    struct edit_options *o = context;
    switch (key) {
    case KEY_STACK: set_stack(o); return true;
    case KEY_SEED: o->seed = tool_unsigned("--seed", arg); return true;
    case KEY_SAMPLE_MASS:
        o->scale_mass = strcmp(arg, "scale") == 0;
        if (!o->scale_mass && strcmp(arg, "keep") != 0)
            die_usage("--sample-mass %s: not keep or scale", arg);
        return true;
    case TOOL_OPERAND: add_input(o, arg); return true;
    default:
        if (key < KEY_OPS || key >= KEY_OPS + PARSERS)
            return false;
        add_op(o, key, arg);
        return true;
    }
}

static void check(struct edit_options *o)
{
    int from_stdin = 0;
    for (int k = 0; k < o->input_count; k++)
        from_stdin += strcmp(o->inputs[k], "-") == 0;
    if (from_stdin > 1)
        die_usage("-: stdin is one stream, and can be one input only");
    if (o->stack < 0 && o->input_count > 1)
        die_usage("%s: one input is enough, %s was given already (--stack puts several together)", o->inputs[1],
                  o->inputs[0]);
    if (o->stack >= 0 && o->input_count < 2)
        die_usage("--stack: two inputs or more are needed, of which one may be - for stdin");
    if (o->input_count == 0)
        add_input(o, "-");
}

void edit_options_parse(int argc, char **argv)
{
    static const struct tool_table own = {table, parse};
    static const struct tool_syntax syntax = {
        .tables = {&own, &tool_table_input, &tool_table_output, &tool_table_common},
        .operands = "[FILE]...",
        .first = "select|sample|center|stack|output",
        .about = "Change the bodies of snapshots: select, sample, move, turn, resize, stack, sort, set columns.",
        .notes =
            "FILE is the input, stdin by default; --stack takes several. All frames are edited and written, "
            "unless --frame names some. What no longer follows from the columns (acc, phi ...) is left out, which a line says.",
    };
    edit_options = (struct edit_options){.stack = -1};
    tool_options.frame = TOOL_FRAME_ALL;
    tool_parse("nbedit", &syntax, argc, argv, &edit_options);
    check(&edit_options);
}

void edit_options_free(void)
{
    for (int k = 0; k < edit_options.count; k++) {
        nb_select_free(edit_options.ops[k].condition);
        nb_select_free(edit_options.ops[k].number);
        free(edit_options.ops[k].later);
    }
    free(edit_options.ops);
    free(edit_options.inputs);
}
