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

static struct gen_options options = {.seed = 1, .store = NB_F64, .softening = NAN};

/* ---- values ---- */

#define MASS_MOST   1e120 /* energies go with the square, and over a length */
#define LENGTH_MOST 1e90  /* forces go with the inverse cube, of differences too */
#define RATIO_MOST  1e9

static double checked(const struct gen_option *o, const char *option, const char *arg, double value)
{
    const bool inside = value >= o->low && (o->below ? value < o->high : value <= o->high);
    if (o->refusal && !inside && isfinite(value))
        die_usage("%s %s: %s", option, arg, o->refusal);
    return value;
}

static double within(const char *option, const char *arg, double most)
{
    const double value = tool_positive(option, arg);
    if (value < 1 / most || value > most)
        die_usage("%s %s: out of range, not from %g to %g", option, arg, 1 / most, most);
    return value;
}

static double parse_softening(const char *option, const char *arg)
{
    const double length = tool_not_negative(option, arg);
    return length == 0 ? length : within(option, arg, LENGTH_MOST);
}

static double parse_number(enum gen_kind kind, const char *option, const char *arg)
{
    switch (kind) {
    case GEN_NOT_NEGATIVE: return tool_not_negative(option, arg);
    case GEN_POSITIVE: return tool_positive(option, arg);
    case GEN_POSITIVE_OR_INF: return strcmp(arg, "inf") ? tool_positive(option, arg) : INFINITY;
    case GEN_MASS: return within(option, arg, MASS_MOST);
    case GEN_LENGTH: return within(option, arg, LENGTH_MOST);
    case GEN_RATIO: return within(option, arg, RATIO_MOST);
    case GEN_SOFTENING: return parse_softening(option, arg);
    default: return tool_number(option, arg);
    }
}

static void take(const struct gen_option *o, const char *option, const char *arg)
{
    struct orbit_tilt *tilt = o->to;
    switch (o->kind) {
    case GEN_INTEGER: *(int *)o->to = (int)checked(o, option, arg, (double)tool_count(option, arg)); break;
    case GEN_COUNT: *(uint64_t *)o->to = tool_count(option, arg); break;
    case GEN_UNSIGNED: *(uint64_t *)o->to = tool_unsigned(option, arg); break;
    case GEN_FLAG: *(bool *)o->to = true; break;
    case GEN_WORD: *(int *)o->to = tool_word(); break;
    case GEN_TEXT: *(const char **)o->to = arg; break;
    case GEN_REAL_TYPE: *(int *)o->to = (int)tool_real_type(option, arg); break;
    case GEN_TILT: tool_pair(option, arg, &tilt->inclination, &tilt->node); break;
    case GEN_OWN: o->own(option, arg); break;
    default: *(double *)o->to = checked(o, option, arg, parse_number(o->kind, option, arg));
    }
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

/* ---- tables: the model's own, and behind an empty row those that all models share ---- */

#define ROWS_MAX 48

static const struct gen_option *rows[ROWS_MAX];
static struct tool_option table[ROWS_MAX + 1]; /* of the same rows */
static int row_count;
static bool takes_operands;

static void add_row(const struct gen_option *o)
{
    assert(row_count < ROWS_MAX);
    rows[row_count] = o;
    table[row_count] = (struct tool_option){o->name, o->letter ? o->letter : 256 + row_count, o->value, 0, o->about};
    row_count++;
}

static void add_rows(const struct gen_option *o)
{
    for (; o && o->about; o++)
        add_row(o);
}

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    char name[64];
    for (int k = 0; k < row_count && key != TOOL_OPERAND; k++)
        if (rows[k] && rows[k]->name && table[k].key == key) {
            snprintf(name, sizeof name, "--%s", rows[k]->name);
            take(rows[k], name, arg);
            return true;
        }
    return key == TOOL_OPERAND && takes_operands;
}

const struct tool_table *gen_options(const struct gen_model *m)
{
    static const struct tool_table own = {table, parse};
    row_count = 0;
    takes_operands = m->operands;
    for (int k = 0; k < GEN_TABLES_MAX; k++)
        add_rows(m->options[k]);
    table[row_count] = (struct tool_option){0};
    return &own;
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

struct orbit_tilt gen_tilt;

const struct gen_option gen_incline[] = {
    {"incline", "I,NODE",
     "degrees from the z axis to the spin, and from x to the line of nodes (default 0,0: anticlockwise seen from +z)",
     GEN_TILT, &gen_tilt},
    {0},
};

enum { HEADING, BODIES, SEED, UNITS, MASS, RADIUS, SOFTENING, STORE, SHARED };

static struct gen_option shared[SHARED] = {
    [HEADING] = {.about = "All models:"},
    [BODIES] = {"bodies", "N", NULL, GEN_COUNT, &options.n, .letter = 'n'},
    [SEED] = {"seed", "N", NULL, GEN_UNSIGNED, &options.seed},
    [UNITS] = {"units", NULL, NULL, GEN_TEXT, &options.units},
    [MASS] = {"mass", "M", NULL, GEN_MASS, &options.mass},
    [RADIUS] = {"radius", "L", NULL, GEN_LENGTH, &options.radius},
    [SOFTENING] = {"softening", "L", "softening length for the header, in the stream's unit (default: see below)",
                   GEN_SOFTENING, &options.softening},
    [STORE] = {"store", "f32|f64", "for mass, pos and vel (default f64)", GEN_REAL_TYPE, &options.store},
};

/* What of them depends on the model. */
static void describe_shared(const struct gen_model *m)
{
    static const char *const called = "called 1 here, in the stream's unit";
    shared[BODIES].about =
        m->usual_n == m->least_n
            ? text("number of bodies; this model has %s and takes no other", count_text(m->usual_n))
            : text("number of bodies; suffixes k M G, Ki Mi Gi (default %s)", count_text(m->usual_n));
    shared[SEED].about = m->random ? "seed of the random numbers (default 1)" : "of no effect: nothing here is random";
    shared[UNITS].value = m->physical ? "galactic|solar|gauss" : "code|galactic|solar|gauss";
    shared[UNITS].about = text(
        "%sgalactic (kpc, km/s, 10^10 Msun), solar (AU, Msun, year) or gauss (as solar, year/2pi, so that G = 1)%s%s",
        m->physical ? "" : "code (G = 1), ", m->units ? "; default " : "", m->units ? m->units : "");
    shared[MASS].about = m->factors ? text("a factor on all masses, lengths being kept (default %g)", options.mass)
                                    : text("the mass %s (default %g)", called, options.mass);
    shared[RADIUS].about = m->factors ? text("a factor on all lengths, masses being kept (default %g)", options.radius)
                                      : text("the length %s (default %g)", called, options.radius);
}

static bool has_shared(const struct gen_model *m, int k)
{
    const bool scaled = k == MASS || k == RADIUS;
    return m->prepare && !(m->disks && (scaled || k == UNITS || k == SOFTENING)) && (m->random || !scaled);
}

void gen_parse(const struct gen_model *m, const char *about, int argc, char **argv)
{
    static struct tool_table behind;
    static struct tool_syntax syntax;
    syntax = (struct tool_syntax){
        .operands = m->operands,
        .about = about,
        .notes = m->doc,
        .first = "bodies|seed|units|softening|output",
        .tables = {gen_options(m), &behind, &tool_table_output, &tool_table_space, &tool_table_common},
    };
    row_count++; /* an empty row between the tables */
    behind = (struct tool_table){table + row_count, parse};
    options.mass = m->usual_mass > 0 ? m->usual_mass : 1;
    options.radius = m->usual_radius > 0 ? m->usual_radius : 1;
    describe_shared(m);
    for (int k = 0; k < SHARED; k++)
        if (has_shared(m, k))
            add_row(&shared[k]);
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
    gen_parse(m, text("Write %s.", m->about), argc, argv);
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
