/* The options that all models share, and the plan that they and the model make. */
#include "nbgen.h"

#include "base/error.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SEED = 0x800, KEY_UNITS, KEY_STORE, KEY_MASS, KEY_RADIUS, KEY_SOFTENING };

static struct gen_options options = {.seed = 1, .store = NB_F64, .softening = NAN};

#define MASS_MOST   1e120 /* energies go with the square, and over a length */
#define LENGTH_MOST 1e90  /* forces go with the inverse cube, of differences too */
#define RATIO_MOST  1e9

static double within(const char *option, const char *arg, double most)
{
    double value = tool_positive(option, arg);
    if (value < 1 / most || value > most)
        die_usage("%s %s: out of range, not from %g to %g", option, arg, 1 / most, most);
    return value;
}

double gen_parse_mass(const char *option, const char *arg)
{
    return within(option, arg, MASS_MOST);
}

double gen_parse_length(const char *option, const char *arg)
{
    return within(option, arg, LENGTH_MOST);
}

double gen_parse_ratio(const char *option, const char *arg)
{
    return within(option, arg, RATIO_MOST);
}

static double parse_softening(const char *arg)
{
    double length = tool_not_negative("--softening", arg);
    return length == 0 ? length : gen_parse_length("--softening", arg);
}

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case 'n': options.n = tool_count("--bodies", arg); return true;
    case KEY_SEED: options.seed = tool_unsigned("--seed", arg); return true;
    case KEY_UNITS: options.units = arg; return true;
    case KEY_STORE: options.store = tool_real_type("--store", arg); return true;
    case KEY_MASS: options.mass = gen_parse_mass("--mass", arg); return true;
    case KEY_RADIUS: options.radius = gen_parse_length("--radius", arg); return true;
    case KEY_SOFTENING: options.softening = parse_softening(arg); return true;
    default: return false;
    }
}

/* Option texts made for this command line; they live until the tool ends. */
static char *texts[16];

static const char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *text(const char *format, ...)
{
    static size_t count;
    va_list args;
    assert(count < sizeof texts / sizeof *texts);
    va_start(args, format);
    if (vasprintf(&texts[count], format, args) < 0)
        die("no memory");
    va_end(args);
    return texts[count++];
}

/* 10000 as "10k", as users write it. */
static const char *count_text(uint64_t n)
{
    return n >= 1000 && n % 1000 == 0 ? text("%" PRIu64 "k", n / 1000) : text("%" PRIu64, n);
}

static double usual(double of_model)
{
    return of_model > 0 ? of_model : 1;
}

/* The shared options as they apply to this model; lives until the tool ends. */
static const struct tool_option *shared_table(const struct gen_model *m)
{
    static struct tool_option table[10]; /* the last one stays empty */
    struct tool_option *o = table;
    bool fixed = m->usual_n == m->least_n;
    *o++ = (struct tool_option){.about = "All models:"};
    *o++ = (struct tool_option){
        "bodies", 'n', "N", 0,
        fixed ? text("number of bodies; this model has %s and takes no other", count_text(m->usual_n))
              : text("number of bodies; suffixes k M G, Ki Mi Gi (default %s)", count_text(m->usual_n))};
    *o++ = (struct tool_option){"seed", KEY_SEED, "N", 0,
                                m->random ? "seed of the random numbers (default 1)"
                                          : "of no effect: nothing here is random"};
    if (!m->disks)
        *o++ = (struct tool_option){
            "units", KEY_UNITS, m->physical ? "galactic|solar|gauss" : "code|galactic|solar|gauss", 0,
            text(
                "%sgalactic (kpc, km/s, 10^10 Msun), solar (AU, Msun, year) or gauss (as solar, year/2pi, so that G = 1)%s%s",
                m->physical ? "" : "code (G = 1), ", m->units ? "; default " : "", m->units ? m->units : "")};
    if (m->random && !m->disks) {
        const char *mass =
            m->factors ? "a factor on all masses, lengths being kept" : "the mass called 1 here, in the stream's unit";
        const char *radius = m->factors ? "a factor on all lengths, masses being kept"
                                        : "the length called 1 here, in the stream's unit";
        *o++ = (struct tool_option){"mass", KEY_MASS, "M", 0, text("%s (default %g)", mass, usual(m->usual_mass))};
        *o++ =
            (struct tool_option){"radius", KEY_RADIUS, "L", 0, text("%s (default %g)", radius, usual(m->usual_radius))};
    }
    if (!m->disks)
        *o++ = (struct tool_option){"softening", KEY_SOFTENING, "L", 0,
                                    "softening length for the header, in the stream's unit (default: see below)"};
    *o++ = (struct tool_option){"store", KEY_STORE, "f32|f64", 0, "for mass, pos and vel (default f64)"};
    assert(o < table + sizeof table / sizeof *table);
    return table;
}

static void parse_command_line(const struct gen_model *m, int argc, char **argv)
{
    static struct tool_table shared;
    static struct tool_syntax syntax;
    shared = (struct tool_table){shared_table(m), parse};
    syntax = (struct tool_syntax){
        .about = text("Write %s.", m->about),
        .notes = m->doc,
        .tables = {&m->table, &shared, &tool_table_output, &tool_table_space, &tool_table_common},
    };
    options.mass = usual(m->usual_mass);
    options.radius = usual(m->usual_radius);
    tool_parse(text("nbgen %s", m->name), &syntax, argc, argv, NULL);
}

static void check_count(const struct gen_model *m)
{
    if (options.n && m->usual_n == m->least_n && options.n != m->usual_n)
        die_usage("--bodies %" PRIu64 ": %s has %s and no other number", options.n, m->name,
                  tool_many(m->usual_n, "body", "bodies"));
    if (options.n && options.n < m->least_n)
        die_usage("--bodies %" PRIu64 ": %s needs %" PRIu64 " at least", options.n, m->name, m->least_n);
}

/* From the model's own units: G = 1 with the mass and length that the options give, or AU, Msun, year. */
static struct gen_scale find_scale(const struct gen_model *m, const struct nb_unit_system *system)
{
    const struct nb_units *u = &system->units;
    if (m->disks)
        return (struct gen_scale){1, 1, 1};
    if (!m->physical)
        return (struct gen_scale){options.mass, options.radius, sqrt(system->G * options.mass / options.radius)};
    return (struct gen_scale){NB_SUN_CGS / u->mass_cgs, NB_AU_CGS / u->length_cgs,
                              NB_AU_CGS / u->length_cgs * (u->time_cgs / NB_YEAR_CGS)};
}

double gen_plan_softening(const struct gen_plan *plan, double usual)
{
    return isnan(options.softening) ? usual : options.softening / plan->scale.length;
}

void gen_plan_add(struct gen_plan *plan, struct gen_part part)
{
    assert(plan->part_count < GEN_PARTS_MAX);
    plan->parts[plan->part_count++] = part;
}

#define ENERGY_MOST 1e270 /* of the whole; that of a pair of bodies is much less */

static void scale_header(struct gen_plan *plan)
{
    const struct gen_scale *s = &plan->scale;
    plan->softening = isnan(options.softening) ? plan->softening * s->length : options.softening;
    plan->dt *= s->length / s->velocity;
    const double energy = s->mass * s->velocity * s->velocity;
    if (!(energy > 1 / ENERGY_MOST && energy < ENERGY_MOST && isfinite(plan->dt) && plan->dt > 0 &&
          isfinite(plan->softening)))
        die_usage("with these options times or energies are out of range");
}

struct gen_plan *gen_plan_make(const struct gen_model *m, int argc, char **argv)
{
    static struct gen_plan plan;
    parse_command_line(m, argc, argv);
    check_count(m);
    tool_output_check(tool_options.output, true);
    const struct nb_unit_system *system = nb_units_find(options.units ? options.units : m->units ? m->units : "code");
    if (!system)
        die_usage("--%s", nb_error());
    plan = (struct gen_plan){
        .options = &options,
        .random = m->random,
        .n = options.n ? options.n : m->usual_n,
        .units = system->units,
        .G = m->disks ? 0 : system->G,
        .scale = find_scale(m, system),
    };
    m->prepare(&plan);
    scale_header(&plan);
    return &plan;
}
