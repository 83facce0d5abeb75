/* options.c - the options of nbedit, most of which are operations. */

#include "nbedit.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct edit_options edit_options = {.stack = -1};

enum { EACH = TOOL_REPEATED | TOOL_IN_ORDER };

/* ---- completion ---- */

static void offer_rotate(void)
{
    tool_offer_list();
    tool_offer_part("x", ":", "about the x axis");
    tool_offer_part("y", ":", "about the y axis");
    tool_offer_part("z", ":", "about the z axis");
}

static void offer_resize(void)
{
    tool_offer_list();
    tool_offer_part("length", "=", "of positions, softening and radii");
    tool_offer_part("mass", "=", "of masses");
    tool_offer_part("velocity", "=", "of velocities, in place of a balance under gravity");
}

static void offer_center(void)
{
    tool_offer("com", "the centre of mass, velocities too");
    tool_offer("densest", "the density centre, velocities too");
}

static void offer_sort(void)
{
    tool_offer("r", "the distance from the origin");
    tool_offer("speed", NULL);
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->width == 1)
            tool_offer(k->name, NULL);
}

static void offer_set(void)
{
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->width == 1)
            tool_offer_part(k->name, "=", NULL);
}

static void offer_columns(void)
{
    tool_offer_list();
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (!k->required)
            tool_offer_listed(k->name, NULL);
}

/* ---- the options ---- */

struct edit_op *edit_op_add(const struct tool_option *o, const char *text)
{
    struct edit_options *all = &edit_options;
    all->ops = claimed(nb_memory_grow(all->ops, (size_t)all->count, sizeof *all->ops), "no memory");
    all->ops[all->count] = (struct edit_op){.name = o->name, .text = text};
    return &all->ops[all->count++];
}

static void take_stack(const struct tool_option *o, const char *text)
{
    (void)text;
    if (edit_options.stack >= 0)
        die_usage("--%s: give it only once: it combines all inputs", o->name);
    edit_options.stack = edit_options.count;
}

static const struct tool_option table[] = {
    {.about = "Operations, applied in the order in which they are given:"},
    {"select", "EXPR", edit_take_select, NULL,
     "keep the bodies that satisfy a condition, such as 'component == disk && r < 5', or that belong to "
     "components: disk,star; or all",
     .flags = EACH, .offer = tool_select_offer},
    {"sample", "F", edit_take_sample, NULL,
     "keep each body with probability F, such as 1/100 or 0.01; the same bodies in every frame", .flags = EACH},
    {"shift", "X,Y,Z", edit_take_shift, NULL, "add to positions", .flags = EACH},
    {"boost", "VX,VY,VZ", edit_take_boost, NULL, "add to velocities", .flags = EACH},
    {"rotate", "AXIS:DEG", edit_take_rotate, NULL,
     "rotate all vectors about an axis through the origin, in degrees, by the right-hand rule: z:30, x:90,z:10 "
     "(first about x), or 1,1,0:45",
     .flags = EACH, .offer = offer_rotate},
    {"resize", "KEY=F,...", edit_take_resize, NULL,
     "multiply lengths by length=F, masses by mass=F and velocities by velocity=F (default sqrt(mass/length), "
     "which keeps the equilibrium)",
     .flags = EACH, .offer = offer_resize},
    {"center", "WHERE", edit_take_center, NULL,
     "move a point to the origin: X,Y,Z, or the centre of mass (com) or density centre (densest), which also "
     "sets its velocity to 0",
     .flags = EACH, .offer = offer_center},
    {"sort", "EXPR", edit_take_sort, NULL,
     "sort bodies in ascending order of a number, such as id, r, or -mass (heaviest first)", .flags = EACH,
     .offer = offer_sort},
    {"set", "COL=EXPR", edit_take_set, NULL,
     "set a column, or create one: 'mass = 0.5 * mass', 'component = star if r < 2'", .flags = EACH,
     .offer = offer_set},
    {"columns", "LIST", edit_take_columns, NULL,
     "keep these columns and mass, pos, vel; or remove the columns of a list -NAME,-NAME", .flags = EACH,
     .offer = offer_columns},
    {"isolate", NULL, edit_take_isolate, NULL, "remove external fields, walls and box from the header", .flags = EACH},
    {"time", "T", edit_take_time, NULL, "set the time of the first frame, and shift the others equally", .flags = EACH},
    {"stack", NULL, take_stack, NULL,
     "put the bodies of several inputs into one frame. Operations before it apply to each input, later ones to all",
     .flags = EACH},
    {.about = "Parameters of operations:"},
    {"sample-mass", "keep|scale", tool_take_word, &edit_options.scale_mass,
     "for --sample: keep the masses, or multiply them by 1/F (default keep)"},
    {"seed", "N", tool_take_unsigned, &edit_options.seed, "for --sample: seed that selects other bodies (default 0)"},
    {0},
};

static void check(struct edit_options *o)
{
    int from_stdin = 0;
    for (int k = 0; k < o->input_count; k++)
        from_stdin += strcmp(o->inputs[k], "-") == 0;
    if (from_stdin > 1)
        die_usage("-: stdin can be only one of the inputs");
    if (o->stack < 0 && o->input_count > 1)
        die_usage("%s: only one input is allowed, and %s was given already (--stack combines several)", o->inputs[1],
                  o->inputs[0]);
    if (o->stack >= 0 && o->input_count < 2)
        die_usage("--stack needs at least two inputs; one of them can be - for stdin");
}

void edit_options_parse(int argc, char **argv)
{
    static const struct tool_syntax syntax = {
        .tables = {table, tool_table_input, tool_table_output, tool_table_common},
        .operands = "[FILE]...",
        .first = "select|sample|center|stack|output",
        .about = "Edit the bodies of snapshots: select, sample, move, rotate, resize, stack, sort, set columns.",
        .notes = "Reads FILE or stdin; --stack takes several inputs. All frames are edited and written, or those of "
                 "--frame. "
                 "Columns that are no longer valid (acc, phi ...) are removed, with a message.",
    };
    edit_options = (struct edit_options){.stack = -1};
    tool_options.frame = TOOL_FRAME_ALL;
    tool_parse("nbedit", &syntax, argc, argv);
    edit_options.inputs = tool_inputs(&edit_options.input_count);
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
}
