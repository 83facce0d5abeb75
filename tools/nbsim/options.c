/* options.c - the table of nbsim's options. Parser, help, manual page and completion are made from this table. */

#include "nbsim.h"

#include "common/tool_json.h"

#include "simd/simd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void offer_integrators(void)
{
    tool_offer("auto", "by what the input is");
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        tool_offer((*s)->name, (*s)->about);
}

static void offer_pn(void)
{
    tool_offer("1", "turns the pericentre");
    tool_offer("2", "first and second order");
    tool_offer("2.5", "and gravitational waves");
}

static void offer_columns(void)
{
    tool_offer_list();
    tool_offer_listed("acc", "acceleration");
    tool_offer_listed("phi", "potential");
    tool_offer_listed("pressure", "of bodies that touch");
    tool_offer_listed("step", "each body's step");
}

static struct sim_options given;

/* Returns the number in `text`. Sets given.dynamical[which] to true if "dyn" follows the number, else to false. "dyn"
 * means that the unit is the dynamical time. */
static double take_time(const struct tool_option *o, const char *text, enum sim_time which)
{
    const char *unit = strstr(text, "dyn");
    if (unit == text)
        die_usage("--%s %s: expected a number before dyn", o->name, text);
    given.dynamical[which] = unit && unit > text && strcmp(unit, "dyn") == 0;
    if (!given.dynamical[which])
        return tool_number(o->name, text);
    char *number = tool_text("%.*s", (int)(unit - text), text);
    const double value = tool_number(o->name, number);
    free(number);
    return value;
}

static void take_until(const struct tool_option *o, const char *text)
{
    given.run.until = take_time(o, text, SIM_UNTIL);
}

static void take_dt(const struct tool_option *o, const char *text)
{
    given.run.dt = take_time(o, text, SIM_DT);
    if (given.run.dt == 0)
        die_usage("--dt 0: must not be zero");
}

static void take_steps(const struct tool_option *o, const char *text)
{
    given.run.steps = (int64_t)tool_unsigned(o->name, text);
    if (given.run.steps < 0)
        die_usage("--%s %s: too many", o->name, text);
}

static void take_sample(const struct tool_option *o, const char *text)
{
    given.sample = tool_share(o->name, text);
}

static void take_kernel(const struct tool_option *o, const char *text)
{
    tool_take_text(o, text);
    if (nb_simd_choose(text))
        die_usage("--%s %s: %s", o->name, text, nb_error());
}

static void take_wall(const struct tool_option *o, const char *text)
{
    char *unit;
    const double value = strtod(text, &unit);
    const bool number = strchr("0123456789.+", *text) && *text && unit > text;
    if (!number || !isfinite(value) || !(value >= 0) || (*unit && (unit[1] || !strchr("smh", *unit))))
        die_usage("--%s %s: expected a time such as 90, 90s, 10m or 1h", o->name, text);
    *(double *)o->to = value * (*unit == 'h' ? 3600 : *unit == 'm' ? 60 : 1);
}

static void take_limit(const struct tool_option *o, const char *text)
{
    given.max_de_given = true;
    if (strcmp(text, "inf") == 0)
        given.max_de = INFINITY;
    else
        tool_take_not_negative(o, text);
}

static void take_write(const struct tool_option *o, const char *list)
{
    static const struct {
        const char *name;
        bool *to;
    } columns[] = {{"acc", &given.write_acc},
                   {"phi", &given.write_phi},
                   {"pressure", &given.write_pressure},
                   {"step", &given.write_step}};
    const size_t count = sizeof columns / sizeof *columns;
    for (const char *name = list;; name++) {
        const size_t length = strcspn(name, ",");
        size_t k = 0;
        while (k < count && (strlen(columns[k].name) != length || strncmp(name, columns[k].name, length) != 0))
            k++;
        if (k == count)
            die_usage("--%s %s: '%.*s': expected acc, phi, pressure or step", o->name, list, (int)length, name);
        *columns[k].to = true;
        name += length;
        if (!*name)
            return;
    }
}

static void take_merge_radius(const struct tool_option *o, const char *text)
{
    given.merge_column = strcmp(text, "column") == 0;
    given.merge_radius = given.merge_column ? 0 : tool_positive(o->name, text);
}

/* Takes the value of --every: a time ("0.5"), a number of dynamical times ("0.5dyn"), or steps ("steps:9"). */
static void take_every(const struct tool_option *o, const char *text)
{
    static const char steps[] = "steps:";
    const char *count = text + strlen(steps);
    given.every = 0;
    given.every_steps = 0;
    given.dynamical[SIM_EVERY] = false;
    if (strncmp(text, steps, strlen(steps)) != 0) {
        given.every = take_time(o, text, SIM_EVERY);
        if (!(given.every > 0))
            die_usage("--%s %s: must be positive", o->name, text);
    } else if (!*count || count[strspn(count, "0123456789")] ||
               (given.every_steps = tool_unsigned(o->name, count)) == 0)
        die_usage("--%s %s: expected steps:K with a whole number K above 0", o->name, text);
}

static void take_integrator(const struct tool_option *o, const char *name)
{
    struct tool_guess guess;
    tool_take_text(o, name);
    if (strcmp(name, "auto") == 0 || nb_scheme_find(name))
        return;
    tool_guess_begin(&guess, name);
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        tool_guess_try(&guess, (*s)->name, strlen((*s)->name));
    die_usage("%s%s", nb_error(), tool_guess_hint(&guess, ""));
}

static const struct tool_option table[] = {
    {.about = "Time and steps:"},
    {"until", "T", take_until, NULL,
     "run to time T, an absolute time in the stream's unit. 3dyn means 3 dynamical times of the model, also for "
     "--every and --dt"},
    {"steps", "N", take_steps, NULL, "take N steps of a fixed size instead. 0 writes the input as one frame",
     .excludes = "until|tolerance"},
    {"every", "T|steps:K", take_every, NULL,
     "write a frame each T in time, or each K steps (default: only the first and the last state)"},
    {"dt", "H", take_dt, NULL,
     "fixed step size. It is shortened so that steps end at outputs. A negative one runs backwards (default: the "
     "header's step if it was made for this softening, otherwise a step from the forces)"},
    {"integrator", "NAME", take_integrator, &given.run.integrator,
     "integration scheme; --list-integrators shows all (default auto). auto is leapfrog with --dt or --steps, for "
     "disks that touch, and for galaxies with the header's step. For up to 1000 other bodies it is ias15, or "
     "hermite4-groups with a hard binary without softening, if the forces are exact. For more bodies it is hermite4-block if a few hold "
     "most of the mass. Without softening it is hermite4-groups for up to 4096 bodies and p3t for more. It is leapfrog "
     "for all others",
     .offer = offer_integrators},
    {"tolerance", "X", tool_take_positive, &given.run.tolerance,
     "adaptive steps: keep the error of a step below X, relative to the extent of the system. ias15 and Hermite's "
     "schemes have other measures, see nbtools-integrators(7). --dt is then the first step to try"},
    {"min-dt", "H", tool_take_positive, &given.run.min_dt,
     "end the run if the tolerance needs a step below H (default 1e-12 of the run)"},
    {"max-dt", "H", tool_take_positive, &given.run.max_dt, "longest adaptive step (default: no limit)"},
    {"eta", "X", tool_take_positive, &given.run.own.eta,
     "leapfrog-block: a body's step is at most X times the square root of softening length over acceleration "
     "(default 0.2)"},
    {"max-rungs", "K", tool_take_integer, &given.run.own.most_rungs,
     "leapfrog-block: no step is shorter than --dt / 2^K (default 16)", .high = NB_RUNGS_MAX,
     .refusal = "must be from 0 to 40"},
    {"neighbours", "K", tool_take_integer, &given.run.own.neighbours,
     "ahmad-cohen: number of neighbours of a body, whose force is computed more often than that of all others "
     "(default: from the number of bodies)",
     .low = 1, .high = NB_NEIGHBOURS_MAX, .refusal = "must be from 1 to 10000"},
    {.about = "Forces:"},
    {"force", "NAME[:key=value,...]", tool_forces_take, &given.run.forces,
     "force; forces given more than once add up (default: the forces in the header, otherwise auto). direct is the "
     "sum over all pairs, tree an approximation in a time that grows as the number of bodies. auto is direct for up "
     "to 16384 bodies and where the tree cannot be used, and tree for more. external:KIND,key=value... is an "
     "analytic field, at rest or moving. contact is for disks that touch, in place of gravity. --list-forces shows "
     "all, nbtools-forces(7) explains them",
     .flags = TOOL_REPEATED, .offer = tool_forces_offer},
    {"theta", "X", tool_forces_take_short, &given.run.forces.theta,
     "opening criterion of the tree, from 0.05 to 2, short for tree:theta=X. Smaller is more accurate and slower "
     "(default 0.75, for p3t 0.5)"},
    {"rebuild", "K", tool_forces_take_short, &given.run.forces.rebuild,
     "rebuild the tree every K force evaluations, and update it at the others, short for tree:rebuild=K (default 1)"},
    {"pn", "1|2|2.5", tool_forces_take_pn, &given.run.forces.pn,
     "add post-Newtonian terms of pairs with a black hole, up to this order in 1/c^2. 2.5 has gravitational waves. "
     "The units need a physical size (default: the header's, otherwise none)",
     .offer = offer_pn},
    {"softening", "L", tool_take_not_negative, &given.run.softening,
     "Plummer softening length in the stream's unit, 0 for none (default: the input's)"},
    {.about = "Stars that merge or leave:"},
    {"merge-radius", "R|column", take_merge_radius, NULL,
     "stars are spheres of radius R, or of the column 'radius'. Two that touch become one, with their mass and "
     "momentum and the id of the heavier (default: none merge)"},
    {"escape-radius", "R", tool_take_positive, &given.escape_radius,
     "remove stars that are farther than R from the centre of mass and not bound to the others (default: none)"},
    {"binary-events", NULL, tool_take_flag, &given.binary_events,
     "record the hard binaries that formed, dissolved or exchanged a star since the frame before"},
    {"events", "FILE", tool_take_text, &given.events,
     "write a line for each star that merged or left, and each event of a binary, to FILE, or - for stdout",
     .flags = TOOL_NOT_RECORDED, .needs = "merge-radius|escape-radius|binary-events|resume"},
    {.about = "Precision and device:"},
    {"precision", "single|mixed|double|quad", tool_take_word, &given.run.precision,
     "precision of the run. mixed has the state in double and pairs in single, quad needs a CPU (default: double on "
     "a CPU and with adaptive steps, otherwise mixed)"},
    {"device", "auto|cpu[:A-B]|cuda[:N|:A-B|:all]|opencl[:N]", tool_take_device, &given.run.device,
     "where to run (default auto). auto is a GPU if CUDA finds one and there are more than 128 bodies, otherwise the "
     "CPU. cuda:N is GPU number N, from 0. cuda:A-B or cuda:all are several GPUs as one. auto never takes OpenCL",
     .flags = TOOL_NOT_RECORDED},
    {"kernel", "baseline|avx2|avx512", take_kernel, &given.kernel,
     "instruction set of the forces on a CPU (default: the best)"},
    {"timings", NULL, tool_take_flag, &given.timings,
     "print to stderr the time of each stage of the steps, and of each step size if bodies have their own steps",
     .flags = TOOL_NOT_RECORDED},
    {.about = "Trial runs and lists:"},
    {"dry-run", NULL, tool_take_flag, &given.dry_run,
     "write nothing. Take steps for a second, and print the force, step, memory and time of the run",
     .flags = TOOL_NOT_RECORDED, .excludes = "append|resume"},
    {"list-forces", NULL, tool_take_flag, &given.list_forces,
     "list forces, with devices, precisions and parameters, and exit", .flags = TOOL_NOT_RECORDED},
    {"list-integrators", NULL, tool_take_flag, &given.list_integrators, "list the integrators, and exit",
     .flags = TOOL_NOT_RECORDED},
    {"json", NULL, tool_take_flag, &given.json, "print the list as a JSON array", .flags = TOOL_NOT_RECORDED,
     .needs = "list-forces|list-integrators"},
    {.about = "Output:"},
    {"write", "COLUMNS", take_write, NULL,
     "add columns, separated by commas: acc (acceleration), phi (potential by self-gravity; of external fields as "
     "phi_external), pressure (of disks that touch), step (each body's step)",
     .offer = offer_columns},
    {"store", "f32|f64", tool_take_real_type, &given.store,
     "type of the columns mass, pos, vel, acc, phi, pressure and step (default f64, in single precision f32)"},
    {"sample", "F", take_sample, NULL,
     "write each body with probability F, such as 1/100 or 0.01. Every frame has the same bodies, those of nbedit "
     "--sample. acc and phi come from all bodies"},
    {"append", NULL, tool_take_flag, &given.append,
     "write the stream after the last one in -o FILE. FILE gets its former length back if that fails",
     .flags = TOOL_NOT_RECORDED, .needs = "output", .excludes = "overwrite|checkpoint"},
    {.about = "Energy:"},
    {"max-de", "X", take_limit, &given.max_de,
     "end the run with exit status 3 in the first output whose energy error is above X, or inf for never (default "
     "1e-2)"},
    {"log", "FILE", tool_take_text, &given.log,
     "write time, step, energy and its error, dt, steps per second, and the shortest and longest step of a body for "
     "every output to FILE, or - for stdout",
     .flags = TOOL_NOT_RECORDED},
    {.about = "Checkpoints:"},
    {"checkpoint", "NAME", tool_take_text, &given.checkpoint,
     "keep the state of the run in NAME.0 and NAME.1, in turn, so that --resume can continue it. They are removed at "
     "its end",
     .flags = TOOL_NOT_RECORDED},
    {"checkpoint-every", "WALL", take_wall, &given.checkpoint_s,
     "wall-clock time between checkpoints, in seconds, or with s, m or h (default 10m)", .flags = TOOL_NOT_RECORDED,
     .needs = "checkpoint|resume"},
    {"resume", "NAME", tool_take_text, &given.resume,
     "continue a run from its newest checkpoint, in place of an input and options. The result is bitwise identical "
     "to that of an uninterrupted run",
     .flags = TOOL_NOT_RECORDED,
     .excludes =
         "until|steps|every|dt|integrator|tolerance|min-dt|max-dt|eta|max-rungs|neighbours|force|pn|theta|rebuild|softening|merge-radius|escape-radius|binary-events|precision|kernel|write|store|sample|append|max-de|checkpoint|frame|times|salvage"},
    {0},
};

void sim_options_convert(struct sim_options *o, const struct nb_meta *meta)
{
    static const char *const names[SIM_TIMES] = {[SIM_UNTIL] = "until", [SIM_EVERY] = "every", [SIM_DT] = "dt"};
    double *const times[SIM_TIMES] = {[SIM_UNTIL] = &o->run.until, [SIM_EVERY] = &o->every, [SIM_DT] = &o->run.dt};
    for (int k = 0; k < SIM_TIMES; k++) {
        if (!o->dynamical[k])
            continue;
        if (!(meta->dynamical_time > 0))
            die_usage(
                "--%s %gdyn: the header of the input has no dynamical_time (nbgen(1) lists the models that have one; "
                "give a time in units of the stream)",
                names[k], *times[k]);
        *times[k] *= meta->dynamical_time;
        o->dynamical[k] = false;
    }
}

static noreturn void list_integrators(bool json)
{
    FILE *rows = tool_rows_begin(json);
    fprintf(rows, "# name\torder\tevaluations\tsymplectic\treversible\tadaptive\tabout\treference\n");
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        fprintf(rows, "%s\t%d\t", (*s)->name, (*s)->order);
        fprintf(rows, (*s)->evaluations > 0 ? "%d" : "iterated", (*s)->evaluations);
        for (unsigned trait = NB_SYMPLECTIC; trait <= NB_ADAPTIVE; trait <<= 1)
            fputs((*s)->traits & trait ? "\tyes" : "\tno", rows);
        fprintf(rows, "\t%s\t%s\n", (*s)->about, (*s)->reference);
    }
    tool_rows_end(rows);
}

void sim_options_parse(struct sim_options *o, int argc, char **argv)
{
    static const struct tool_syntax syntax = {
        .tables = {table, tool_table_one_input, tool_table_output, tool_table_space, tool_table_common},
        .operands = "[FILE]",
        .first = "until|every|dt|force|output",
        .about = "Advance the bodies of a snapshot under their own gravity and other forces, and write snapshots.",
        .notes = "nbsim starts from the last frame of FILE or stdin. It writes the state at the start, a frame at each "
                 "--every, and the last state. Example:\n\n  nbgen collision -n 20k | nbsim --until 8 --every 0.05 -o "
                 "run.nbs",
    };
    given = (struct sim_options){.run = NB_PREPARE_OPEN, .store = -1, .sample = 1, .checkpoint_s = NAN, .max_de = 1e-2};
    tool_parse("nbsim", &syntax, argc, argv);
    *o = given;
    o->input = tool_one_input();
    if (o->list_forces)
        sim_forces_list(o->json);
    if (o->list_integrators)
        list_integrators(o->json);
    if (o->resume && o->input)
        die_usage("--resume continues from the checkpoint and reads no input; remove %s", o->input);
    if (o->resume)
        return;
    tool_forces_check(&o->run.forces);
    if (o->append && tool_is_stdout(tool_options.output))
        die_usage("--append needs a file (-o FILE)");
    if (o->run.min_dt > o->run.max_dt)
        die_usage("--min-dt %g is more than --max-dt %g", o->run.min_dt, o->run.max_dt);
    if (isnan(o->run.until) && o->run.steps < 0)
        die_usage("give the end of the run: --until T or --steps N");
    if (o->dry_run)
        o->checkpoint = o->events = o->log = NULL;
}
