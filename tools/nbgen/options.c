/* options.c - parses the options that all models share. Makes the plan (struct gen_plan), from which nbgen writes the
 * stream, for the chosen model. */
#include "nbgen.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gen_options options = {.seed = 1, .store = NB_F64, .softening = NAN};

/* ---- values ---- */

/* Maximum of a mass option; the minimum is 1 / MASS_MOST. Energies are about mass^2 / length and must not overflow. */
#define MASS_MOST 1e120
/* Maximum of a length option; the minimum is 1 / LENGTH_MOST. Forces contain length^-3, which must not overflow. */
#define LENGTH_MOST 1e90
#define RATIO_MOST  1e9

static void take_within(const struct tool_option *o, const char *arg, double most)
{
    const double value = tool_positive(o->name, arg);
    if (value < 1 / most || value > most)
        die_usage("--%s %s: out of range, expected %g to %g", o->name, arg, 1 / most, most);
    *(double *)o->to = value;
}

void gen_take_mass(const struct tool_option *o, const char *arg)
{
    take_within(o, arg, MASS_MOST);
}

void gen_take_length(const struct tool_option *o, const char *arg)
{
    take_within(o, arg, LENGTH_MOST);
}

void gen_take_ratio(const struct tool_option *o, const char *arg)
{
    take_within(o, arg, RATIO_MOST);
}

static void take_softening(const struct tool_option *o, const char *arg)
{
    tool_take_not_negative(o, arg);
    if (options.softening != 0)
        gen_take_length(o, arg);
}

void gen_take_positive_or_inf(const struct tool_option *o, const char *arg)
{
    if (strcmp(arg, "inf") == 0)
        *(double *)o->to = INFINITY;
    else
        tool_take_positive(o, arg);
}

void gen_take_some(const struct tool_option *o, const char *arg)
{
    *(int *)o->to = (int)tool_accepted(o, arg, (double)tool_count(o->name, arg));
}

bool gen_numbers(const char *text, double *numbers, int count)
{
    for (int k = 0; k < count; k++) {
        char *end;
        numbers[k] = strtod(text, &end);
        if (end == text || *end != (k + 1 < count ? ',' : '\0') || !isfinite(numbers[k]))
            return false;
        text = end + 1;
    }
    return true;
}

/* ---- tables: the model's own options and, after an empty entry, the shared ones ---- */

#define ROWS_MAX 48

static struct tool_option table[ROWS_MAX + 1];
static int row_count;

static void add_row(const struct tool_option *o)
{
    assert(row_count < ROWS_MAX);
    table[row_count++] = *o;
}

const struct tool_option *gen_options(const struct gen_model *m)
{
    row_count = 0;
    for (int k = 0; k < GEN_TABLES_MAX; k++)
        for (const struct tool_option *o = m->options[k]; o && o->about; o++)
            add_row(o);
    table[row_count] = (struct tool_option){0};
    return table;
}

/* Returns n as text. Multiples of 1000 are written with a k: 10000 as "10k". */
static const char *count_text(uint64_t n)
{
    static char text[32];
    const bool thousands = n >= 1000 && n % 1000 == 0;
    snprintf(text, sizeof text, "%" PRIu64 "%s", thousands ? n / 1000 : n, thousands ? "k" : "");
    return text;
}

struct orbit_tilt gen_tilt;

const struct tool_option gen_incline[] = {
    {"incline", "I,NODE", tool_take_pair, &gen_tilt,
     "degrees from the z axis to the spin, and from x to the line of nodes (default 0,0: anticlockwise seen from +z)"},
    {0},
};

enum { HEADING, BODIES, SEED, UNITS, MASS, RADIUS, SOFTENING, STORE, SHARED };

static struct tool_option shared[SHARED] = {
    [HEADING] = {.about = "All models:"},
    [BODIES] = {"bodies", "N", tool_take_count, &options.n, NULL, .letter = 'n'},
    [SEED] = {"seed", "N", tool_take_unsigned, &options.seed, NULL},
    [UNITS] = {"units", NULL, tool_take_text, &options.units, NULL},
    [MASS] = {"mass", "M", gen_take_mass, &options.mass, NULL},
    [RADIUS] = {"radius", "L", gen_take_length, &options.radius, NULL},
    [SOFTENING] = {"softening", "L", take_softening, &options.softening,
                   "softening length for the header, in the stream's unit (default: by the model)"},
    [STORE] = {"store", "f32|f64", tool_take_real_type, &options.store, "type of mass, pos and vel (default f64)"},
};

/* Sets the help texts that depend on the model. */
static void describe_shared(const struct gen_model *m)
{
    shared[BODIES].about =
        m->usual_n == m->least_n
            ? tool_text("number of bodies; this model always has %s", count_text(m->usual_n))
            : tool_text("number of bodies, with suffixes k M G, Ki Mi Gi (default %s)", count_text(m->usual_n));
    shared[SEED].about = m->random ? "seed of the random numbers (default 1)" : "no effect: this model is not random";
    shared[UNITS].value = m->physical ? "galactic|solar|gauss" : "code|galactic|solar|gauss";
    shared[UNITS].about =
        tool_text("%sgalactic (kpc, km/s, 10^10 Msun), solar (AU, Msun, year) or gauss (AU, Msun, year/2pi; G = 1)%s%s",
                  m->physical ? "" : "code (G = 1), ", m->units ? "; default " : "", m->units ? m->units : "");
    shared[MASS].about = m->factors
                             ? tool_text("factor for all masses (default %g)", options.mass)
                             : tool_text("mass scale of the model, in the stream's unit (default %g)", options.mass);
    shared[RADIUS].about =
        m->factors ? tool_text("factor for all lengths (default %g)", options.radius)
                   : tool_text("length scale of the model, in the stream's unit (default %g)", options.radius);
}

static bool has_shared(const struct gen_model *m, int k)
{
    const bool scaled = k == MASS || k == RADIUS;
    return m->prepare && !(m->disks && (scaled || k == UNITS || k == SOFTENING)) && (m->random || !scaled) &&
           !(m->own_units && k == UNITS);
}

void gen_parse(const struct gen_model *m, const char *about, int argc, char **argv)
{
    static struct tool_syntax syntax;
    /* The array `table` contains two lists of options. First come the model's own options (`own`), which end with an
     * empty entry, then the shared options (`behind`). */
    const struct tool_option *own = gen_options(m), *behind = &table[++row_count];
    syntax = (struct tool_syntax){
        .operands = m->operands,
        .about = about,
        .notes = m->doc,
        .first = "bodies|seed|units|softening|output",
        .tables = {own, behind, tool_table_output, tool_table_space, tool_table_common},
    };
    options.mass = m->usual_mass > 0 ? m->usual_mass : 1;
    options.radius = m->usual_radius > 0 ? m->usual_radius : 1;
    describe_shared(m);
    for (int k = 0; k < SHARED; k++)
        if (has_shared(m, k))
            add_row(&shared[k]);
    tool_parse(tool_text("nbgen %s", m->name), &syntax, argc, argv);
}

static void check_count(const struct gen_model *m)
{
    if (options.n && m->usual_n == m->least_n && options.n != m->usual_n)
        die_usage("--bodies %" PRIu64 ": %s has exactly %s", options.n, m->name,
                  tool_many(m->usual_n, "body", "bodies"));
    if (options.n && options.n < m->least_n)
        die_usage("--bodies %" PRIu64 ": %s needs at least %" PRIu64, options.n, m->name, m->least_n);
}

/* Returns the factors from the model's units to the stream's units:
 * - m->physical (models of real bodies, such as the planets): the model's units are AU, Msun and year.
 * - m->disks (colliding disks): all factors are 1.
 * - other models: G = 1, and --mass and --radius are the units of mass and length. */
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

/* The total energy must be from 1 / ENERGY_MOST to ENERGY_MOST. The energies of pairs of bodies are much smaller than
 * the total energy, but must be above the smallest normal double, about 1e-308. */
#define ENERGY_MOST 1e270

static void scale_header(struct gen_plan *plan)
{
    const struct gen_scale *s = &plan->scale;
    plan->softening = isnan(options.softening) ? plan->softening * s->length : options.softening;
    plan->dt *= s->length / s->velocity;
    plan->dynamical_time *= s->length / s->velocity;
    const double energy = s->mass * s->velocity * s->velocity;
    if (!(energy > 1 / ENERGY_MOST && energy < ENERGY_MOST && isfinite(plan->dt) && plan->dt > 0 &&
          isfinite(plan->dynamical_time) && isfinite(plan->softening)))
        die_usage("the total energy or a time is too large or too small (choose a less extreme --mass or --radius)");
}

struct gen_plan *gen_plan_make(const struct gen_model *m, int argc, char **argv)
{
    static struct gen_plan plan;
    gen_parse(m, tool_text("Write %s.", m->about), argc, argv);
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
