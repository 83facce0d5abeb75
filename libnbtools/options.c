/* options.c - sets and prints the options of a system (struct nbt_system). Options have the names and values of nbsim's
 * command line. Declared in nbtools.h and system.h. */
#include "system.h"

#include "device/choose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option {
    const char *name;
    /* sets one option; value NULL: its default */
    int (*take)(struct nb_prepare_options *o, const char *name, const char *value);
};

/* ---- numbers ---- */

/* Parses a finite number, which must be above 0 if `positive` is true. Returns -1 on error. */
static int number(const char *name, const char *text, bool positive, double *value)
{
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x))
        return nb_fail("--%s %.80s: expected a number", name, text);
    if (positive && !(x > 0))
        return nb_fail("--%s %.80s: must be positive", name, text);
    *value = x;
    return 0;
}

/* Parses an integer from `least` to `most`. Returns -1 on error. */
static int whole(const char *name, const char *text, int least, int most, int *value)
{
    double x = 0;
    if (number(name, text, false, &x))
        return -1;
    if (!(x >= least && x <= most && x == floor(x)))
        return nb_fail("--%s %.80s: expected a whole number from %d to %d", name, text, least, most);
    *value = (int)x;
    return 0;
}

/* Sets *to to the number in `value`, which must be positive. NULL: sets *to to `none`. Returns -1 on error. */
static int take_positive(double *to, double none, const char *name, const char *value)
{
    double x = none;
    if (value && number(name, value, true, &x))
        return -1;
    *to = x;
    return 0;
}

static int take_dt(struct nb_prepare_options *o, const char *name, const char *value)
{
    return take_positive(&o->dt, 0, name, value);
}

static int take_tolerance(struct nb_prepare_options *o, const char *name, const char *value)
{
    return take_positive(&o->tolerance, 0, name, value);
}

static int take_min_dt(struct nb_prepare_options *o, const char *name, const char *value)
{
    return take_positive(&o->min_dt, NAN, name, value);
}

static int take_max_dt(struct nb_prepare_options *o, const char *name, const char *value)
{
    return take_positive(&o->max_dt, NAN, name, value);
}

static int take_eta(struct nb_prepare_options *o, const char *name, const char *value)
{
    return take_positive(&o->own.eta, NAN, name, value);
}

static int take_rungs(struct nb_prepare_options *o, const char *name, const char *value)
{
    int rungs = -1;
    if (value && whole(name, value, 0, NB_RUNGS_MAX, &rungs))
        return -1;
    o->own.most_rungs = rungs;
    return 0;
}

static int take_neighbours(struct nb_prepare_options *o, const char *name, const char *value)
{
    int neighbours = 0;
    if (value && whole(name, value, 1, NB_NEIGHBOURS_MAX, &neighbours))
        return -1;
    o->own.neighbours = neighbours;
    return 0;
}

static int take_softening(struct nb_prepare_options *o, const char *name, const char *value)
{
    double softening = NAN;
    if (value && number(name, value, false, &softening))
        return -1;
    if (softening < 0)
        return nb_fail("--%s %.80s: must not be negative", name, value);
    o->softening = softening;
    return 0;
}

/* ---- strings ---- */

/* Frees *to and replaces it with a copy of `value`, which may be NULL. Returns -1 on error. */
static int keep(const char **to, const char *value)
{
    char *copy = value ? strdup(value) : NULL;
    if (value && !copy)
        return nb_fail("no memory for an option");
    free((char *)*to);
    *to = copy;
    return 0;
}

static int take_device(struct nb_prepare_options *o, const char *name, const char *value)
{
    if (value && !nb_device_is_name(value))
        return nb_fail("--%s %.80s: expected " NB_DEVICE_NAMES, name, value);
    return keep(&o->device, value);
}

static int take_integrator(struct nb_prepare_options *o, const char *name, const char *value)
{
    (void)name;
    if (value && strcmp(value, "auto") != 0 && !nb_scheme_find(value))
        return -1;
    return keep(&o->integrator, value ? value : "auto");
}

static int take_precision(struct nb_prepare_options *o, const char *name, const char *value)
{
    (void)name;
    const int precision = value ? nb_precision_parse(value) : -1;
    if (value && precision < 0)
        return -1;
    o->precision = precision;
    return 0;
}

static int take_force(struct nb_prepare_options *o, const char *name, const char *value)
{
    (void)name;
    if (!value)
        o->forces.count = 0;
    return value ? nb_force_request_add(&o->forces, value) : 0;
}

static int take_short(const char **to, const char *name, const char *value)
{
    struct nb_force_spec spec;
    if (value && (nb_force_parse("auto", &spec) || nb_force_spec_set(&spec, name, value)))
        return nb_fail("--%s %.80s: %s", name, value, nb_error());
    return keep(to, value);
}

static int take_theta(struct nb_prepare_options *o, const char *name, const char *value)
{
    return take_short(&o->forces.theta, name, value);
}

static int take_rebuild(struct nb_prepare_options *o, const char *name, const char *value)
{
    return take_short(&o->forces.rebuild, name, value);
}

static int take_pn(struct nb_prepare_options *o, const char *name, const char *value)
{
    struct nb_force_spec spec;
    if (value && nb_force_request_parse_pn(value, &spec))
        return nb_fail("--%s %.80s: expected 1, 2 or 2.5", name, value);
    return keep(&o->forces.pn, value);
}

static const struct option table[] = {
    {"device", take_device},
    {"force", take_force},
    {"theta", take_theta},
    {"rebuild", take_rebuild},
    {"pn", take_pn},
    {"softening", take_softening},
    {"precision", take_precision},
    {"integrator", take_integrator},
    {"dt", take_dt},
    {"tolerance", take_tolerance},
    {"min-dt", take_min_dt},
    {"max-dt", take_max_dt},
    {"eta", take_eta},
    {"max-rungs", take_rungs},
    {"neighbours", take_neighbours},
};

int nbt_option_set(struct nbt_system *s, const char *option, const char *value)
{
    size_t k = 0;
    while (k < sizeof table / sizeof *table && strcmp(option, table[k].name) != 0)
        k++;
    if (k == sizeof table / sizeof *table)
        return nb_fail("unknown option '%.40s'", option);
    if (system_take(s))
        return -1;
    const locale_t before = plain_numbers();
    const int status = table[k].take(&s->asked, option, value);
    restore_numbers(before);
    if (!status)
        system_reset(s, OPEN);
    return status;
}

void system_free_options(struct nbt_system *s)
{
    const char *owned[] = {s->asked.device, s->asked.integrator, s->asked.forces.theta, s->asked.forces.rebuild,
                           s->asked.forces.pn};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        free((char *)owned[k]);
}

/* ---- options in use ---- */

static void describe_forces(const struct nb_force_set *set, char *text, size_t size)
{
    const locale_t before = plain_numbers();
    size_t used = 0;
    *text = '\0';
    for (int k = 0; k < set->count && used < size; k++) {
        char one[NB_FORCE_TEXT_BYTES];
        nb_force_print(&set->force[k].spec, one, sizeof one);
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? " " : "", one);
    }
    restore_numbers(before);
}

const char *nbt_option_get(struct nbt_system *s, const char *option)
{
    if (system_prepare(s, NAN))
        return NULL;
    if (strcmp(option, "device") == 0)
        nb_device_print_name(s->device, s->text, sizeof s->text);
    else if (strcmp(option, "force") == 0)
        describe_forces(&s->forces, s->text, sizeof s->text);
    else if (strcmp(option, "integrator") == 0)
        snprintf(s->text, sizeof s->text, "%s", s->stepper.scheme->name);
    else if (strcmp(option, "precision") == 0)
        snprintf(s->text, sizeof s->text, "%s", nb_precision_name(s->precision));
    else
        return nb_null(nb_fail("'%.40s' is not device, force, integrator or precision", option));
    return s->text;
}

/* ---- the line in the header's history ---- */

static void add_number(FILE *to, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    fprintf(to, " --%s %s", name, text);
}

static void add_word(FILE *to, const char *name, const char *value)
{
    if (value)
        fprintf(to, " --%s %s", name, value);
}

/* Prints all options that affect the result, except the device. For automatic options, prints the values that were
 * chosen. */
static void print_command(const struct nbt_system *s, FILE *to)
{
    const struct nb_prepare_options *o = &s->used;
    fputs("libnbtools", to);
    add_word(to, "integrator", o->integrator);
    if (o->dt != 0)
        add_number(to, "dt", o->dt);
    if (o->tolerance > 0)
        add_number(to, "tolerance", o->tolerance);
    if (!isnan(o->min_dt))
        add_number(to, "min-dt", o->min_dt);
    if (!isnan(o->max_dt))
        add_number(to, "max-dt", o->max_dt);
    if (nb_prepare_has_rungs(s->stepper.scheme)) {
        add_number(to, "eta", o->own.eta);
        add_number(to, "max-rungs", o->own.most_rungs);
    }
    if (o->own.neighbours > 0)
        add_number(to, "neighbours", o->own.neighbours);
    for (int k = 0; k < o->forces.count; k++) {
        char text[NB_FORCE_TEXT_BYTES];
        nb_force_print(&o->forces.spec[k], text, sizeof text);
        add_word(to, "force", text);
    }
    add_word(to, "theta", o->forces.theta);
    add_word(to, "rebuild", o->forces.rebuild);
    add_word(to, "pn", o->forces.pn);
    if (!isnan(o->softening))
        add_number(to, "softening", o->softening);
    add_word(to, "precision", nb_precision_name(s->precision));
}

char *system_command(const struct nbt_system *s)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return nb_null(nb_fail("no memory for a header line"));
    print_command(s, to);
    if (fclose(to) == 0 && text)
        return text;
    free(text);
    return nb_null(nb_fail("no memory for a header line"));
}
