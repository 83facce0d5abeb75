#include "nbsim.h"

#include "common/tool_json.h"

#include "base/error.h"
#include "simd/simd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_DT = 256,
    KEY_UNTIL,
    KEY_STEPS,
    KEY_EVERY,
    KEY_FORCE,
    KEY_THETA,
    KEY_REBUILD,
    KEY_DEVICE,
    KEY_PRECISION,
    KEY_SOFTENING,
    KEY_WRITE,
    KEY_STORE,
    KEY_INTEGRATOR,
    KEY_TOLERANCE,
    KEY_MIN_DT,
    KEY_MAX_DT,
    KEY_KERNEL,
    KEY_TIMINGS,
    KEY_LIST_FORCES,
    KEY_LIST_INTEGRATORS,
    KEY_CHECKPOINT,
    KEY_CHECKPOINT_EVERY,
    KEY_RESUME,
    KEY_APPEND,
    KEY_MAX_DE,
    KEY_LOG,
    KEY_JSON
};

static void offer_integrators(const char *typed)
{
    (void)typed;
    tool_offer_behind(0);
    tool_offer("auto", "by what the input is");
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        tool_offer((*s)->name, (*s)->about);
}

static void offer_columns(const char *typed)
{
    tool_offer_list(typed);
    tool_offer_listed("acc", "acceleration");
    tool_offer_listed("phi", "potential");
    tool_offer_listed("pressure", "of bodies that touch");
}

static const struct tool_option table[] = {
    {.about = "Time and steps:"},
    {"until", KEY_UNTIL, "T", 0, "run to time T, an absolute time in the stream's unit"},
    {"steps", KEY_STEPS, "N", 0, "take N steps of a fixed size instead; 0 writes the input as one frame",
     .excludes = "until|tolerance"},
    {"every", KEY_EVERY, "T", 0, "write a frame each T (default: only the first and the last)"},
    {"dt", KEY_DT, "H", 0,
     "time step of a fixed size, shortened so that steps land on the outputs; negative runs backwards (default: the "
     "header's where it is for this softening, else from the shortest time scale of the forces; of disks that touch, as long as contacts allow)"},
    {"integrator", KEY_INTEGRATOR, "NAME", 0,
     "integration scheme; auto follows the error for up to 1000 bodies where their forces are exact, and is leapfrog "
     "for more, for disks that touch, and with --dt or --steps (default auto; --list-integrators shows all)",
     offer_integrators},
    {"tolerance", KEY_TOLERANCE, "X", 0,
     "adapt the step so that its error stays below X of how far bodies are apart in position and velocity (of ias15, hermite4 and hermite6: see nbsim(1)); --dt is then the first step tried"},
    {"min-dt", KEY_MIN_DT, "H", 0, "end the run where the error asks for less than H (default: 1e-12 of the run)"},
    {"max-dt", KEY_MAX_DT, "H", 0, "longest step that follows the error (default: as long as the error allows)"},
    {.about = "Gravity:"},
    {"force", KEY_FORCE, "NAME[:key=value,...]", TOOL_REPEATED,
     "direct, the sum over all pairs; tree, an approximation whose time grows as the number of bodies; auto, which "
     "is direct for up to 65536 bodies and where the tree cannot be used (hermite4, hermite6, quad), and tree for "
     "more; "
     "external:KIND,key=value..., an analytic field; contact, disks that touch, by the header's lines and in the place "
     "of gravity. Forces given more than once add up. --list-forces shows all (default: those in the header, else auto)",
     tool_forces_offer},
    {"theta", KEY_THETA, "X", 0,
     "short for tree:theta=X, its opening parameter, from 0.05 to 2: the smaller, the more accurate and the slower (default 0.75)"},
    {"rebuild", KEY_REBUILD, "K", 0,
     "short for tree:rebuild=K: rebuild the tree every K evaluations of the force and only update it at the others (default 1)"},
    {"softening", KEY_SOFTENING, "L", 0, "Plummer softening length, 0 for none (default: the input's)"},
    {"precision", KEY_PRECISION, "single|mixed|double|quad", 0,
     "mixed has its state in double and pairs in single; quad is for a CPU (default: mixed on a GPU, double on a CPU)"},
    {"device", KEY_DEVICE, "auto|cpu[:A-B]|cuda[:N|:A-B|:all]|opencl[:N]", TOOL_NOT_RECORDED,
     "auto, which is a GPU that CUDA finds where there is one and more than 128 bodies; cpu, cuda or cuda:N, GPU "
     "number N from 0; cuda:A-B or cuda:all, several as one; opencl or opencl:N, which auto never is (default auto)"},
    {"kernel", KEY_KERNEL, "baseline|avx2|avx512", 0, "instruction set of the CPU's forces (default the best)"},
    {"timings", KEY_TIMINGS, 0, TOOL_NOT_RECORDED, "print to stderr the time of each stage of the steps"},
    {"list-forces", KEY_LIST_FORCES, 0, TOOL_NOT_RECORDED,
     "list forces, with devices, precisions and parameters, and exit"},
    {"list-integrators", KEY_LIST_INTEGRATORS, 0, TOOL_NOT_RECORDED, "list the integrators, and exit"},
    {"json", KEY_JSON, 0, TOOL_NOT_RECORDED, "print the list as a JSON array", .needs = "list-forces|list-integrators"},
    {.about = "Output:"},
    {"write", KEY_WRITE, "COLUMNS", 0,
     "add the columns acc (acceleration), phi (potential of the bodies; of external fields beside it as phi_external) and pressure (of bodies that touch), comma separated",
     offer_columns},
    {"store", KEY_STORE, "f32|f64", 0, "for mass, pos, vel, acc, phi, pressure (default f64; f32 in single precision)"},
    {"append", KEY_APPEND, NULL, TOOL_NOT_RECORDED,
     "write the stream behind the last one in -o FILE, and cut FILE back if that fails", .needs = "output",
     .excludes = "overwrite|checkpoint"},
    {.about = "Energy:"},
    {"max-de", KEY_MAX_DE, "X", 0,
     "end the run with exit 3 in the first output in which the energy is off by more than X of that at the beginning; inf for never (default 1e-2)"},
    {"log", KEY_LOG, "FILE", TOOL_NOT_RECORDED,
     "write time, step, energy, its error, dt and steps per second of every output to FILE, or - for stdout"},
    {.about = "Checkpoints:"},
    {"checkpoint", KEY_CHECKPOINT, "NAME", TOOL_NOT_RECORDED,
     "keep the state of the run in NAME.0 and NAME.1, in turn, to go on from if it is cut; removed at its end"},
    {"checkpoint-every", KEY_CHECKPOINT_EVERY, "WALL", TOOL_NOT_RECORDED,
     "time of the clock from one to the next: seconds, or with s, m or h (default 10m)", .needs = "checkpoint|resume"},
    {"resume", KEY_RESUME, "NAME", TOOL_NOT_RECORDED,
     "go on from the newest checkpoint, in place of an input and options, bit for bit as if nothing had been",
     .excludes =
         "until|steps|every|dt|integrator|tolerance|min-dt|max-dt|force|theta|rebuild|softening|precision|kernel|write|store|append|max-de|checkpoint|frame|times|salvage"},
    {0},
};

static double parse_wall(const char *text)
{
    char *unit;
    const double value = strtod(text, &unit);
    const bool number = strchr("0123456789.+", *text) && *text && unit > text;
    if (!number || !isfinite(value) || !(value >= 0) || (*unit && (unit[1] || !strchr("smh", *unit))))
        die_usage("--checkpoint-every %s: not a time, as 90, 90s, 10m or 1h", text);
    return value * (*unit == 'h' ? 3600 : *unit == 'm' ? 60 : 1);
}

static const char *parse_name(const char *option, const char *text)
{
    if (!*text)
        die_usage("%s '': a name is wanted", option);
    return text;
}

static double parse_limit(const char *text)
{
    return strcmp(text, "inf") == 0 ? INFINITY : tool_not_negative("--max-de", text);
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

static void parse_write(struct sim_options *o, const char *list)
{
    for (const char *name = list;; name++) {
        const size_t length = strcspn(name, ",");
        if (length == 3 && strncmp(name, "acc", length) == 0)
            o->write_acc = true;
        else if (length == 3 && strncmp(name, "phi", length) == 0)
            o->write_phi = true;
        else if (length == 8 && strncmp(name, "pressure", length) == 0)
            o->write_pressure = true;
        else
            die_usage("--write %s: '%.*s' is not acc, phi or pressure", list, (int)length, name);
        name += length;
        if (!*name)
            return;
    }
}

static const char *parse_integrator(const char *name)
{
    struct tool_guess guess;
    if (strcmp(name, "auto") == 0 || nb_scheme_find(name))
        return name;
    tool_guess_begin(&guess, name);
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        tool_guess_try(&guess, (*s)->name, strlen((*s)->name));
    die_usage("%s%s", nb_error(), tool_guess_hint(&guess, ""));
}

static bool parse(int key, const char *arg, void *context)
{
    struct sim_options *o = context;
    switch (key) {
    case KEY_DT:
        o->dt = tool_number("--dt", arg);
        if (o->dt == 0)
            die_usage("--dt 0: time would stand still");
        return true;
    case KEY_UNTIL: o->until = tool_number("--until", arg); return true;
    case KEY_STEPS:
        o->steps = (int64_t)tool_unsigned("--steps", arg);
        if (o->steps < 0)
            die_usage("--steps %s: too many", arg);
        return true;
    case KEY_EVERY: o->every = tool_positive("--every", arg); return true;
    case KEY_FORCE: tool_forces_add(&o->forces, arg); return true;
    case KEY_THETA: o->forces.theta = tool_forces_short("theta", arg); return true;
    case KEY_REBUILD: o->forces.rebuild = tool_forces_short("rebuild", arg); return true;
    case KEY_DEVICE: o->device = tool_device_name(arg); return true;
    case KEY_INTEGRATOR: o->integrator = parse_integrator(arg); return true;
    case KEY_TOLERANCE: o->tolerance = tool_positive("--tolerance", arg); return true;
    case KEY_MIN_DT: o->min_dt = tool_positive("--min-dt", arg); return true;
    case KEY_MAX_DT: o->max_dt = tool_positive("--max-dt", arg); return true;
    case KEY_PRECISION: o->precision = tool_word(); return true;
    case KEY_SOFTENING: o->softening = tool_not_negative("--softening", arg); return true;
    case KEY_WRITE: parse_write(o, arg); return true;
    case KEY_STORE: o->store = tool_real_type("--store", arg); return true;
    case KEY_KERNEL:
        if (nb_simd_choose(arg))
            die_usage("--kernel %s: %s", arg, nb_error());
        o->kernel = arg;
        return true;
    case KEY_TIMINGS: o->timings = true; return true;
    case KEY_CHECKPOINT: o->checkpoint = parse_name("--checkpoint", arg); return true;
    case KEY_CHECKPOINT_EVERY: o->checkpoint_s = parse_wall(arg); return true;
    case KEY_MAX_DE:
        o->max_de = parse_limit(arg);
        o->max_de_given = true;
        return true;
    case KEY_LOG: o->log = parse_name("--log", arg); return true;
    case KEY_APPEND: o->append = true; return true;
    case KEY_RESUME: o->resume = parse_name("--resume", arg); return true;
    case KEY_LIST_FORCES: o->list = sim_forces_list; return true;
    case KEY_LIST_INTEGRATORS: o->list = list_integrators; return true;
    case KEY_JSON: o->json = true; return true;
    case TOOL_OPERAND: tool_one_input(&o->input, arg); return true;
    default: return false;
    }
}

void sim_options_parse(struct sim_options *o, int argc, char **argv)
{
    static const struct tool_table own = {table, parse};
    static const struct tool_syntax syntax = {
        .tables = {&own, &tool_table_one_input, &tool_table_output, &tool_table_space, &tool_table_common},
        .operands = "[FILE]",
        .first = "until|every|dt|force|output",
        .about = "Advance the bodies of a snapshot under their own gravity, or other forces, and write snapshots.",
        .notes =
            "Starts from the last frame of FILE or stdin. The output has the first frame, one at each --every, and the last. Example:\n\n  nbgen collision -n 20k | nbsim --until 8 --every 0.05 -o run.nbs",
    };
    *o = (struct sim_options){.until = NAN,
                              .min_dt = NAN,
                              .max_dt = NAN,
                              .steps = -1,
                              .softening = NAN,
                              .precision = -1,
                              .store = -1,
                              .checkpoint_s = NAN,
                              .max_de = 1e-2,
                              .integrator = "auto"};
    tool_parse("nbsim", &syntax, argc, argv, o);
    if (o->list)
        o->list(o->json);
    if (o->resume && o->input)
        die_usage("--resume goes on from the checkpoint; %s cannot be read as well", o->input);
    if (o->resume)
        return;
    tool_forces_check(&o->forces);
    if (o->append && tool_is_stdout(tool_options.output))
        die_usage("--append needs a file (-o FILE)");
    if (o->min_dt > o->max_dt)
        die_usage("--min-dt %g is more than --max-dt %g", o->min_dt, o->max_dt);
    if (isnan(o->until) && o->steps < 0)
        die_usage("say how far: --until T or --steps N");
}
