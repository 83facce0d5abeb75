/* Which scheme advances a run, and in what steps, where the command line leaves it open.
 *
 * Fixed steps are good for many softened bodies alone, in a field that changes little from step to step. A few bodies
 * meet as close as they like, and only a scheme that follows its error can answer for the result; so that is the rule
 * for as many bodies as it is affordable for, wherever the forces are exact: the error of an approximated field would
 * be taken for that of the step. A galaxy of few bodies is no few-body system, and goes in the steps that it was made
 * for.
 *
 * With more bodies one step for all is too dear if a few of them are close pairs, and the energy of all says nothing of
 * light bodies about heavy ones. If a few bodies hold most of the mass, each body follows its own error. Without
 * softening each does too, and binaries and close encounters are regularised; of more than SPLIT_BODIES only close ones
 * do, and the tree takes the rest. */
#include "run.h"
#include "watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FEW_SCHEME    "ias15"
#define SINGLE_SCHEME "hermite4-block"  /* for more bodies, if heavy bodies matter, */
#define GROUP_SCHEME  "hermite4-groups" /* or close pairs */
#define SPLIT_SCHEME  "p3t"             /* or both, of more than: */
#define MANY_SCHEME   "leapfrog"

#define SPLIT_THETA  "0.5"
#define SPLIT_BODIES 4096 /* with fewer, hermite4-groups takes about the same time, and its error is smaller */

static bool is_auto(const struct sim_options *o)
{
    return strcmp(o->integrator, "auto") == 0;
}

/* Do its bodies' steps follow --eta? */
static bool has_rungs(const struct nb_scheme *scheme)
{
    return (scheme->traits & (NB_OWN_STEPS | NB_ADAPTIVE)) == NB_OWN_STEPS;
}

/* Are the forces of n bodies exact, each of those that act? */
static bool forces_are_exact(const struct nb_force_spec *spec, int count, uint64_t n)
{
    for (int k = 0; k < count; k++)
        if (strcmp(spec[k].method, "auto") == 0 ? n > NB_AUTO_DIRECT_BODIES
                                                : !(nb_force_spec_flags(&spec[k]) & NB_EXACT))
            return false;
    return true;
}

/* Does the header name the force, or is it the bodies' own? */
static bool knows_field(const struct nb_meta *meta, const struct nb_force_spec *spec)
{
    char text[512];
    bool known = !(nb_force_spec_flags(spec) & NB_EXTERNAL);
    nb_force_print(spec, text, sizeof text);
    for (int j = 0; j < meta->force_count && !known; j++)
        known = strcmp(meta->forces[j], text) == 0;
    return known;
}

bool sim_is_galaxy(const struct nb_bodies *b)
{
    const struct nb_column *component = nb_bodies_find(b, "component");
    bool any = false;
#pragma omp parallel for schedule(static) reduction(|| : any) if (b->n > SIM_PARALLEL)
    for (uint64_t i = 0; i < (component ? b->n : 0); i++) {
        const double c = any ? 0 : nb_column_get(component, i, 0);
        any = any || c == NB_HALO || c == NB_DISK || c == NB_BULGE || c == NB_GAS;
    }
    return any;
}

/* Bodies of a disk, a bulge or a halo are a sample of something smooth: where they are softened and the header has a
 * step for that, the paths of single ones are not what a run is about. */
static bool is_sample(const struct run *r, const struct sim_options *o, const struct nb_force_spec *spec, int count)
{
    const struct nb_meta *meta = &r->bodies.meta;
    bool serves = meta->dt > 0 && meta->softening > 0 && o->precision != NB_QUAD &&
                  (isnan(o->softening) || o->softening == meta->softening);
    for (int k = 0; k < count && serves; k++)
        serves = knows_field(meta, &spec[k]);
    return serves && sim_is_galaxy(&r->bodies);
}

struct heaviest {
    double m[SIM_HEAVY], all; /* falling; of all bodies */
    uint64_t body[SIM_HEAVY]; /* of equal ones the first */
};

static void put_heavy(struct heaviest *h, double m, uint64_t body)
{
    int k = SIM_HEAVY;
    for (; k > 0 && m > h->m[k - 1]; k--)
        if (k < SIM_HEAVY)
            h->m[k] = h->m[k - 1], h->body[k] = h->body[k - 1];
    if (k < SIM_HEAVY)
        h->m[k] = m, h->body[k] = body;
}

int sim_find_heavy(const struct nb_bodies *b, uint64_t heavy[SIM_HEAVY], double *share)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    struct heaviest part[SIM_PARTS] = {0}, all = {0};
    double sum = 0;
    int count = 0;
#pragma omp parallel for schedule(static) if (b->n > SIM_PARALLEL)
    for (int p = 0; p < SIM_PARTS; p++)
        for (uint64_t i = sim_part(b->n, p); i < sim_part(b->n, p + 1); i++) {
            const double m = nb_column_get(mass, i, 0);
            part[p].all += m;
            put_heavy(&part[p], m, i);
        }
    for (int p = 0; p < SIM_PARTS; p++) {
        all.all += part[p].all;
        for (int k = 0; k < SIM_HEAVY; k++)
            put_heavy(&all, part[p].m[k], part[p].body[k]);
    }
    memcpy(heavy, all.body, sizeof all.body);
    for (; count < SIM_HEAVY && all.m[count] > 0; count++)
        sum += all.m[count];
    *share = sum / all.all;
    return count;
}

bool sim_has_heavy(const struct nb_bodies *b)
{
    uint64_t heavy[SIM_HEAVY] = {0};
    double share;
    sim_find_heavy(b, heavy, &share);
    return share > 0.5;
}

/* The method on the device asked for; NULL: it has none. */
static const struct nb_force *force_there(const struct sim_options *o, const char *method)
{
    char name[16] = "cpu";
    if (o->device && strcmp(o->device, "auto") != 0)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(o->device, ":"), o->device);
    return nb_force_find(method, name);
}

/* Does the direct sum there give the jerk? */
static bool has_jerk(const struct sim_options *o)
{
    const struct nb_force *direct = force_there(o, "direct");
    return direct && !(direct->refuse && direct->refuse(NB_DOUBLE, NB_WANT_JERK | NB_WANT_SNAP));
}

/* Do the closest two bodies turn about each other so often to the end of the run that ias15 would take too long? */
static bool has_hard_binary(const struct run *r, const struct sim_options *o)
{
    struct sim_pair pair = {0};
    const double G = r->bodies.meta.G, span = isnan(o->until) ? 0 : fabs(o->until - r->bodies.meta.time);
    if (!(G > 0) || sim_has_heavy(&r->bodies) || !sim_pair_find(&r->bodies, &pair))
        return false;
    const struct sim_relative m = sim_relative_motion(&r->bodies, G, pair.i, pair.j);
    const double axis = 1 / (2 / sqrt(m.r2) - m.v2 / m.mu);
    return axis > 0 && span > SIM_HARD_PERIODS * 2 * M_PI * axis * sqrt(axis / m.mu);
}

/* Should each body follow its own error? Of up to SIM_FEW bodies only without softening and with a hard binary. Only
 * with exact self-gravity, with what pairs feel beside it, and nothing else. */
static bool is_of_singles(const struct run *r, const struct sim_options *o, const struct nb_force_spec *spec, int count)
{
    double softening = o->softening;
    if (r->bodies.n > NB_AUTO_DIRECT_BODIES || o->precision == NB_QUAD || !has_jerk(o))
        return false;
    for (int k = 0; k < count; k++) {
        const unsigned flags = nb_force_spec_flags(&spec[k]);
        if (flags & (NB_EXTERNAL | NB_CONTACT) && !(flags & NB_BETWEEN))
            return false;
    }
    if (isnan(softening) && nb_bodies_softening(&r->bodies, &softening))
        return false; /* which is an error later */
    if (r->bodies.n <= SIM_FEW)
        return softening == 0 && has_hard_binary(r, o);
    return softening == 0 || sim_has_heavy(&r->bodies);
}

/* Are they a star cluster that the tree serves, in the splitting of near and far? External fields may act. */
static bool is_large_cluster(const struct run *r, const struct sim_options *o, const struct nb_force_spec *spec,
                             int count)
{
    const struct nb_force *tree = force_there(o, "tree");
    uint64_t heavy[SIM_HEAVY] = {0};
    double softening = o->softening, share;
    bool own = false;
    if (r->bodies.n <= SPLIT_BODIES || o->precision == NB_QUAD || o->precision == NB_SINGLE || !tree ||
        !(tree->flags & NB_FAR_PART) || (o->device && strpbrk(o->device, "-")))
        return false;
    for (int k = 0; k < count; k++) {
        const bool ours = strcmp(spec[k].method, "auto") == 0 || strcmp(spec[k].method, "tree") == 0;
        if (!ours && !nb_force_is_field(nb_force_spec_flags(&spec[k])))
            return false;
        own = own || ours;
    }
    if (isnan(softening) && nb_bodies_softening(&r->bodies, &softening))
        return false; /* which is an error later */
    sim_find_heavy(&r->bodies, heavy, &share);
    return own && softening == 0 && share <= 0.5; /* which is no number without any mass */
}

/* Does a pair of bodies feel more than its gravity, close enough for the speed of light to matter? Only a scheme that
 * follows its error is good for that. */
static bool has_pairs(const struct nb_force_spec *spec, int count)
{
    for (int k = 0; k < count; k++)
        if (nb_force_spec_flags(&spec[k]) & NB_BETWEEN)
            return true;
    return false;
}

/* The scheme for those; regularised groups are not shared between devices, and Hermite's other schemes have no forces
 * between pairs. */
static const char *scheme_of_singles(const struct run *r, const struct sim_options *o, bool pairs)
{
    const bool shared = o->device && strpbrk(o->device, "-") != NULL;
    return !sim_has_heavy(&r->bodies) && !shared ? GROUP_SCHEME : pairs ? FEW_SCHEME : SINGLE_SCHEME;
}

/* Do forces bound the step? */
static bool forces_bound(const struct nb_force_spec *spec, int count)
{
    for (int k = 0; k < count; k++)
        if (nb_force_spec_flags(&spec[k]) & NB_BOUNDS_STEP)
            return true;
    return false;
}

static void record_number(const char *option, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    tool_note(option, text);
}

static void take_double(struct sim_options *o)
{
    if (o->precision < 0) {
        o->precision = NB_DOUBLE;
        tool_note("precision", nb_precision_name(NB_DOUBLE));
    }
}

/* The error is followed where steps of fixed size were not asked for. */
static void follow_error(struct sim_options *o, const struct nb_scheme *scheme)
{
    o->tolerance = scheme->usual_tolerance;
    record_number("tolerance", o->tolerance);
    take_double(o);
}

/* In runs of many crossing times the far part's errors add up, and the tree takes little of the time. */
static void take_theta(struct sim_options *o, const struct nb_force_spec *spec, int count)
{
    bool named = o->forces.theta != NULL;
    for (int k = 0; k < count; k++)
        named = named || nb_force_names(&spec[k], "theta");
    if (named)
        return;
    o->forces.theta = SPLIT_THETA;
    tool_note("theta", SPLIT_THETA);
}

/* Does each body follow its own error? */
static bool has_own_errors(const char *integrator)
{
    const struct nb_scheme *scheme = strcmp(integrator, "auto") == 0 ? NULL : nb_scheme_find(integrator);
    return scheme && scheme->traits & NB_OWN_STEPS && scheme->traits & NB_ADAPTIVE;
}

void sim_integrator_choose(struct run *r, struct sim_options *o)
{
    struct nb_force_spec spec[NB_FORCES_MAX];
    const int count = tool_forces_choose(&o->forces, &r->bodies, spec);
    const uint64_t n = r->bodies.n;
    const bool open = o->dt == 0 && o->steps < 0, chosen = is_auto(o), bound = forces_bound(spec, count);
    const bool sums = forces_are_exact(spec, count, n);
    const bool exact = sums && (o->precision < 0 || o->precision == NB_DOUBLE || o->precision == NB_QUAD);
    const bool sample = chosen && is_sample(r, o, spec, count);
    const bool fixed = open && o->tolerance == 0 && isnan(o->min_dt) && isnan(o->max_dt);
    const bool split = chosen && fixed && !sample && is_large_cluster(r, o, spec, count);
    const bool singles = chosen && exact && !sample && !split && is_of_singles(r, o, spec, count);
    const bool pairs = has_pairs(spec, count);
    const bool own = !chosen && has_own_errors(o->integrator);
    const bool follows =
        o->tolerance > 0 ||
        (open && !bound && ((exact && ((n <= SIM_FEW && !sample) || singles || pairs)) || (sums && own)));
    if (o->tolerance > 0 && bound)
        die_usage(
            "--tolerance: the error of a step says nothing of bodies that are about to touch; without it steps are as long as contacts allow");
    if (chosen)
        o->integrator = follows && singles ? scheme_of_singles(r, o, pairs)
                        : follows || pairs ? FEW_SCHEME
                        : split            ? SPLIT_SCHEME
                                           : MANY_SCHEME;
    if (chosen && o->tolerance > 0 && !exact)
        die_usage(
            "--tolerance: the error of the step cannot be told from that of these forces, and auto would take fixed steps (--integrator names another, --force direct and --precision double are exact)");
    const struct nb_scheme *scheme = nb_scheme_find(o->integrator);
    if (follows && o->tolerance == 0 && scheme && scheme->traits & NB_ADAPTIVE)
        follow_error(o, scheme);
    const bool splits = scheme && scheme->traits & NB_SPLIT;
    if (has_own_errors(o->integrator) || splits)
        take_double(o);
    if (splits)
        take_theta(o, spec, count);
    if (chosen && open)
        tool_note("integrator", o->integrator);
    if (o->tolerance == 0 && !(isnan(o->min_dt) && isnan(o->max_dt)))
        die_usage("--min-dt and --max-dt bound adaptive steps, and these are of a fixed size (--tolerance)");
    if (!(scheme && has_rungs(scheme)) && !(isnan(o->own.eta) && o->own.most_rungs < 0))
        die_usage("--eta and --max-rungs are of steps of each body's own (--integrator leapfrog-block)");
    if (!(scheme && scheme->traits & NB_NEIGHBOURS) && o->own.neighbours > 0)
        die_usage("--neighbours is of forces of neighbours and of all others (--integrator ahmad-cohen)");
    o->own.eta = isnan(o->own.eta) ? NB_OWN_STEPS_USUAL.eta : o->own.eta;
    o->own.most_rungs = o->own.most_rungs < 0 ? NB_OWN_STEPS_USUAL.most_rungs : o->own.most_rungs;
    o->bounded = open && (bound || (scheme && has_rungs(scheme)));
    r->fixed_by_auto = chosen && open && !split && sim_steps_are_fixed(o);
}

/* ---- the size of steps ---- */

#define BLOCK 1024 /* bodies that are looked at together */

double sim_external_frequency(const struct run *r)
{
    const struct nb_column *pos = nb_bodies_find(&r->bodies, "pos");
    double frequency = 0, x[3 * BLOCK];
    if (!(nb_force_set_flags(&r->forces) & NB_EXTERNAL))
        return 0;
    for (uint64_t i = 0; i < r->bodies.n; i += BLOCK) {
        const uint64_t end = i + BLOCK < r->bodies.n ? i + BLOCK : r->bodies.n;
        nb_column_get_f64(pos, i, end, x);
        frequency = fmax(frequency, nb_force_set_frequency(&r->forces, end - i, x, r->bodies.meta.time));
    }
    return frequency;
}

static bool knows_fields(const struct run *r)
{
    for (int k = 0; k < r->forces.count; k++)
        if (!knows_field(&r->bodies.meta, &r->forces.force[k].spec))
            return false;
    return true;
}

/* Why the header's step does not serve; NULL where it does. */
static const char *objection(const struct run *r)
{
    const struct nb_meta *meta = &r->bodies.meta;
    if (!(meta->dt > 0))
        return "the input suggests none";
    if (meta->softening != r->stepper.softening)
        return "the input's is for another softening";
    if (!knows_fields(r) && meta->dt * sim_external_frequency(r) > SIM_FIELD_SHARE)
        return "the input's is too long for the external forces";
    return NULL;
}

static double suggested(struct run *r)
{
    const bool own = has_rungs(r->stepper.scheme);
    const double dt = (own ? nb_step_suggest_longest : nb_step_suggest)(&r->stepper);
    sim_check(dt < 0 ? -1 : 0);
    return dt;
}

int sim_bound_now(const struct run *r, double *bound)
{
    const double frequency = sim_external_frequency(r);
    if (nb_force_set_longest_step(&r->forces, r->stepper.state, bound))
        return -1;
    if (frequency > 0)
        *bound = fmin(*bound, SIM_FIELD_SHARE / frequency);
    return 0;
}

/* Bounds come and go with the fastest body: steps made for the first may be longer by that. */
#define SLACK 1.25

int sim_bound_look(struct run *r, double time)
{
    const double h = sim_step_size(r);
    double bound;
    if (!sim_steps_are_fixed(r->options) || r->warned_of_bound || sim_schedule_intervals(&r->schedule) == 0 ||
        !(nb_force_set_flags(&r->forces) & NB_BOUNDS_STEP))
        return 0;
    if (nb_force_set_longest_step(&r->forces, r->stepper.state, &bound))
        return -1;
    if (h <= bound * (r->steps_done > 0 ? SLACK : 1 + 1e-9))
        return 0;
    warn(
        "t = %.9g: steps of %.3g are longer than the %.3g in which contacts are followed (without --dt and --steps they are not)",
        time, h, bound);
    r->warned_of_bound = true;
    return 0;
}

/* With no acceleration that changes, any step is as good. */
static double whole_span(const struct run *r)
{
    const struct sim_options *o = r->options;
    return isnan(o->until) ? 1 : fmax(fabs(o->until - r->bodies.meta.time), 1e-300);
}

static double bound_or_any(const struct run *r)
{
    double bound;
    sim_check(sim_bound_now(r, &bound));
    return isfinite(bound) ? bound : 0;
}

double sim_dt_choose(struct run *r)
{
    const struct sim_options *o = r->options;
    const bool adapts = o->tolerance > 0;
    const bool bounds = nb_force_set_flags(&r->forces) & NB_BOUNDS_STEP;
    const bool own = has_rungs(r->stepper.scheme);
    const bool split = r->stepper.scheme->traits & NB_SPLIT;
    const char *why = own ? "each body has its own" : split ? "it follows the distances of bodies" : objection(r);
    double dt = o->dt != 0 ? fabs(o->dt) : adapts || (bounds && o->steps != 0) || why ? 0 : r->bodies.meta.dt;
    r->dt_from = o->dt != 0 ? "--dt"
                 : bounds   ? "the longest in which contacts are followed"
                 : why      ? "the shortest time in which the forces change a motion"
                            : "the input's header";
    if (why && !own)
        r->bodies.meta.dt = r->bodies.meta.dt_asked = 0;
    if (dt > 0 || o->steps == 0)
        return dt > 0 ? dt : 1;
    dt = bounds ? bound_or_any(r) : suggested(r);
    if (adapts)
        return dt > 0 ? dt : whole_span(r);
    if (dt == 0) {
        dt = whole_span(r);
        say("dt %g: no force changes from place to place, and the input suggests none", dt);
    } else if (own)
        say("dt %g, the longest step of a body", dt);
    else if (split)
        say("dt %g, a share of the time in which a body crosses the changeover", dt);
    else if (bounds)
        say("dt %g, the longest in which contacts are followed now", dt);
    else
        say("dt %g, from the shortest time in which the forces change a motion, as %s", dt, why);
    return dt;
}
