/* prepare_choose.c - chooses the scheme for a run, and fixed or adaptive steps, unless the options set them. Declared
 * in prepare.h.
 *
 * - Many softened bodies without external fields: fixed steps, because the total field of the bodies changes slowly.
 * - At most NB_FEW bodies: they can have arbitrarily close encounters, for which only a scheme with error control is
 *   reliable. `auto` chooses ias15 if it is fast enough. The forces must be exact, because ias15 would mistake errors
 *   of approximate forces for errors of the step.
 * - A galaxy, even with at most NB_FEW bodies: fixed steps of the size in its header.
 * - More than NB_FEW bodies, and a few heavy bodies have most of the mass: each body has its own steps with error
 *   control. The energy error of the entire system does not show errors of light bodies around heavy ones.
 * - More than NB_FEW bodies without softening: each body has its own steps, because one step for all would be as short
 *   as close pairs need. Binaries and close encounters are regularised. With more than SPLIT_BODIES bodies, only bodies
 *   close to others have their own steps, and the tree computes the remaining forces. */
#include "prepare/prepare.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FEW_SCHEME "ias15"
/* Schemes with own steps for each body. SINGLE_SCHEME is used if there are heavy bodies (nb_has_heavy) or several
 * devices, otherwise GROUP_SCHEME. */
#define SINGLE_SCHEME "hermite4-block"
#define GROUP_SCHEME  "hermite4-groups"
#define SPLIT_SCHEME  "p3t" /* scheme instead of GROUP_SCHEME for more than SPLIT_BODIES bodies */
#define MANY_SCHEME   "leapfrog"

/* Up to this number of bodies, SINGLE_SCHEME and GROUP_SCHEME are chosen also if the force is `auto`. It then computes
 * direct sums, because these schemes need the jerk. */
#define SINGLES_BODIES 32768

#define SPLIT_THETA "0.5"
/* up to this number of bodies, hermite4-groups takes about the same time as p3t and has a smaller error */
#define SPLIT_BODIES 4096

static bool is_auto(const struct nb_prepare_options *o)
{
    return strcmp(o->integrator, "auto") == 0;
}

/* Returns whether no force is an approximation, if `auto` is direct summation for up to `direct_bodies` bodies. */
static bool forces_are_exact(const struct nb_force_spec *spec, int count, uint64_t n, uint64_t direct_bodies)
{
    for (int k = 0; k < count; k++)
        if (strcmp(spec[k].method, "auto") == 0 ? n > direct_bodies : !(nb_force_spec_flags(&spec[k]) & NB_EXACT))
            return false;
    return true;
}

/* Returns whether the bodies are a galaxy with a suitable step. The bodies of a galaxy are random samples of a smooth
 * distribution, so the orbits of single bodies do not matter. The frame's header must have a softening length, and a
 * step that was chosen for this softening length and for the external fields in `spec`. */
static bool is_sample(const struct nb_bodies *b, const struct nb_prepare_options *o, const struct nb_force_spec *spec,
                      int count)
{
    const struct nb_meta *meta = &b->meta;
    bool serves = meta->dt > 0 && meta->softening > 0 && o->precision != NB_QUAD &&
                  (isnan(o->softening) || o->softening == meta->softening);
    for (int k = 0; k < count && serves; k++)
        serves = nb_prepare_knows_field(meta, &spec[k]);
    return serves && nb_is_galaxy(b);
}

/* Returns the implementation of the force method `method` on the device that the options name (the CPU for `auto`), or
 * NULL if there is none. */
static const struct nb_force *force_there(const struct nb_prepare_options *o, const char *method)
{
    char name[16] = "cpu";
    if (o->device && strcmp(o->device, "auto") != 0)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(o->device, ":"), o->device);
    return nb_force_find(method, name);
}

/* Tests if direct summation on the requested device can compute the jerk and the snap. */
static bool has_jerk(const struct nb_prepare_options *o)
{
    const struct nb_force *direct = force_there(o, "direct");
    return direct && !(direct->refuse && direct->refuse(NB_DOUBLE, NB_WANT_JERK | NB_WANT_SNAP));
}

/* Returns whether ias15 would take too long because of the closest pair of bodies. This is true if the pair makes more
 * than NB_HARD_PERIODS or more than NB_HARD_PAIRS / n^2 revolutions until the end of the run. */
static bool has_hard_binary(const struct nb_bodies *b, const struct nb_prepare_options *o)
{
    struct nb_nearest pair = {0};
    const double G = b->meta.G, span = isnan(o->until) ? 0 : fabs(o->until - b->meta.time);
    if (!(G > 0) || nb_has_heavy(b) || !nb_nearest_find(b, &pair))
        return false;
    const struct nb_relative m = nb_relative_motion(b, G, pair.i, pair.j);
    const double axis = 1 / (2 / sqrt(m.r2) - m.v2 / m.mu);
    const double most = fmin(NB_HARD_PERIODS, NB_HARD_PAIRS / ((double)b->n * (double)b->n));
    return axis > 0 && span > most * 2 * M_PI * axis * sqrt(axis / m.mu);
}

/* Returns whether each body should have its own steps with error control. Conditions:
 * - Direct summation is possible.
 * - The only other forces are forces between pairs (NB_BETWEEN).
 * - More than NB_FEW bodies: the softening is 0, or there are heavy bodies (nb_has_heavy).
 * - At most NB_FEW bodies: the softening is 0, and has_hard_binary() is true. */
static bool is_of_singles(const struct nb_bodies *b, const struct nb_prepare_options *o,
                          const struct nb_force_spec *spec, int count)
{
    double softening = o->softening;
    if (b->n > NB_SINGLES || o->precision == NB_QUAD || !has_jerk(o))
        return false;
    for (int k = 0; k < count; k++) {
        const unsigned flags = nb_force_spec_flags(&spec[k]);
        if (flags & (NB_EXTERNAL | NB_CONTACT) && !(flags & NB_BETWEEN))
            return false;
    }
    if (isnan(softening) && nb_bodies_softening(b, &softening))
        return false; /* bodies have different softening lengths: reported as an error later */
    if (b->n <= NB_FEW)
        return softening == 0 && has_hard_binary(b, o);
    return softening == 0 || nb_has_heavy(b);
}

/* Tests if the bodies are a star cluster for p3t: more than SPLIT_BODIES bodies without softening, of which the
 * heaviest NB_HEAVY hold at most half of the mass. External fields are allowed. p3t computes the force of distant
 * bodies with the tree. */
static bool is_large_cluster(const struct nb_bodies *b, const struct nb_prepare_options *o,
                             const struct nb_force_spec *spec, int count)
{
    const struct nb_force *tree = force_there(o, "tree");
    uint64_t heavy[NB_HEAVY] = {0};
    double softening = o->softening, share;
    bool own = false;
    if (b->n <= SPLIT_BODIES || o->precision == NB_QUAD || o->precision == NB_SINGLE || !tree ||
        !(tree->flags & NB_FAR_PART) || (o->device && strpbrk(o->device, "-")))
        return false;
    for (int k = 0; k < count; k++) {
        const bool ours = strcmp(spec[k].method, "auto") == 0 || strcmp(spec[k].method, "tree") == 0;
        if (!ours && !nb_force_is_field(nb_force_spec_flags(&spec[k])))
            return false;
        own = own || ours;
    }
    if (isnan(softening) && nb_bodies_softening(b, &softening))
        return false; /* bodies have different softening lengths: reported as an error later */
    nb_find_heavy(b, heavy, &share);
    return own && softening == 0 && share <= 0.5; /* `share` is NaN if the total mass is 0; the result is then false */
}

/* Tests if another force than gravity acts between pairs (NB_BETWEEN), such as post-Newtonian terms. Such forces matter
 * at high speeds, and need a scheme that controls its error. */
static bool has_pairs(const struct nb_force_spec *spec, int count)
{
    for (int k = 0; k < count; k++)
        if (nb_force_spec_flags(&spec[k]) & NB_BETWEEN)
            return true;
    return false;
}

/* Returns the scheme for bodies with their own steps and error control: hermite4-block with heavy bodies or on several
 * devices, otherwise hermite4-groups. hermite4-block does not support additional forces between pairs, and is replaced
 * by ias15 if there are such forces (`pairs`). */
static const char *scheme_of_singles(const struct nb_bodies *b, const struct nb_prepare_options *o, bool pairs)
{
    const bool shared = o->device && strpbrk(o->device, "-") != NULL;
    return !nb_has_heavy(b) && !shared ? GROUP_SCHEME : pairs ? FEW_SCHEME : SINGLE_SCHEME;
}

/* Returns whether a force sets an upper limit for the step. */
static bool forces_bound(const struct nb_force_spec *spec, int count)
{
    for (int k = 0; k < count; k++)
        if (nb_force_spec_flags(&spec[k]) & NB_BOUNDS_STEP)
            return true;
    return false;
}

static void take_double(struct nb_prepare_options *o, unsigned *decided)
{
    if (o->precision < 0) {
        o->precision = NB_DOUBLE;
        *decided |= NB_DECIDED_PRECISION;
    }
}

/* Turns on error control with the scheme's default tolerance. Also chooses double precision, unless the options set the
 * precision. */
static void follow_error(struct nb_prepare_options *o, const struct nb_scheme *scheme, unsigned *decided)
{
    o->tolerance = scheme->usual_tolerance;
    *decided |= NB_DECIDED_TOLERANCE;
    take_double(o, decided);
}

/* If the options do not set the opening parameter theta of the tree, sets it to SPLIT_THETA. This is smaller (more
 * accurate) than the default, because the errors of the tree add up in runs of many crossing times. The run becomes
 * only slightly slower, because the tree takes a small share of the time of p3t. */
static void take_theta(struct nb_prepare_options *o, const struct nb_force_spec *spec, int count, unsigned *decided)
{
    bool named = o->forces.theta != NULL;
    for (int k = 0; k < count; k++)
        named = named || nb_force_names(&spec[k], "theta");
    if (named)
        return;
    o->forces.theta = SPLIT_THETA;
    *decided |= NB_DECIDED_THETA;
}

/* Tests if each body has its own steps with error control in the scheme of this name. */
static bool has_own_errors(const char *integrator)
{
    const struct nb_scheme *scheme = strcmp(integrator, "auto") == 0 ? NULL : nb_scheme_find(integrator);
    return scheme && scheme->traits & NB_OWN_STEPS && scheme->traits & NB_ADAPTIVE;
}

/* Returns a message if the options do not fit the chosen scheme and steps, else NULL. */
static const char *find_misfit(const struct nb_prepare_options *o, const struct nb_scheme *scheme)
{
    if (o->tolerance == 0 && !(isnan(o->min_dt) && isnan(o->max_dt)))
        return "--min-dt and --max-dt limit adaptive steps, but these steps have a fixed size (--tolerance)";
    if (!(scheme && nb_prepare_has_rungs(scheme)) && !(isnan(o->own.eta) && o->own.most_rungs < 0))
        return "--eta and --max-rungs need individual steps (--integrator leapfrog-block)";
    if (!(scheme && scheme->traits & NB_NEIGHBOURS) && o->own.neighbours > 0)
        return "--neighbours needs --integrator ahmad-cohen";
    return NULL;
}

static int refuse(const char *why)
{
    nb_fail("%s", why);
    return NB_REFUSED;
}

int nb_prepare_choose(struct nb_prepare_options *o, const struct nb_bodies *b, unsigned *decided)
{
    struct nb_force_spec spec[NB_FORCES_MAX];
    const int count = nb_force_request_choose(&o->forces, b, spec);
    const uint64_t n = b->n;
    *decided = 0;
    if (count < 0)
        return count;
    const bool open = o->dt == 0 && o->steps < 0, chosen = is_auto(o), bound = forces_bound(spec, count);
    const bool digits = o->precision < 0 || o->precision == NB_DOUBLE || o->precision == NB_QUAD;
    const bool exact = digits && forces_are_exact(spec, count, n, NB_AUTO_DIRECT_BODIES);
    const bool jerks = forces_are_exact(spec, count, n, SINGLES_BODIES); /* for schemes that need the jerk */
    const bool sample = chosen && is_sample(b, o, spec, count);
    const bool fixed = open && o->tolerance == 0 && isnan(o->min_dt) && isnan(o->max_dt);
    const bool split = chosen && fixed && !sample && is_large_cluster(b, o, spec, count);
    const bool singles = chosen && digits && jerks && !sample && !split && is_of_singles(b, o, spec, count);
    const bool pairs = has_pairs(spec, count);
    const bool own = !chosen && has_own_errors(o->integrator);
    const bool follows =
        o->tolerance > 0 ||
        (open && !bound && ((exact && ((n <= NB_FEW && !sample) || pairs)) || singles || (jerks && own)));
    if (o->tolerance > 0 && bound)
        return refuse(
            "--tolerance does not work with contact forces: an error estimate does not see contacts to come (leave "
            "--tolerance out: the default step size follows the contacts)");
    if (chosen)
        o->integrator = follows && singles ? scheme_of_singles(b, o, pairs)
                        : follows || pairs ? FEW_SCHEME
                        : split            ? SPLIT_SCHEME
                                           : MANY_SCHEME;
    if (chosen && o->tolerance > 0 && !exact && !singles)
        return refuse(
            "--tolerance: the force errors hide the error of a step, so auto would take fixed steps (choose an "
            "--integrator, or --force direct --precision double)");
    const struct nb_scheme *scheme = nb_scheme_find(o->integrator);
    if (follows && o->tolerance == 0 && scheme && scheme->traits & NB_ADAPTIVE)
        follow_error(o, scheme, decided);
    const bool splits = scheme && scheme->traits & NB_SPLIT;
    if (has_own_errors(o->integrator) || splits)
        take_double(o, decided);
    if (splits)
        take_theta(o, spec, count, decided);
    if (chosen && open)
        *decided |= NB_DECIDED_INTEGRATOR;
    const char *misfit = find_misfit(o, scheme);
    if (misfit)
        return refuse(misfit);
    o->own.eta = isnan(o->own.eta) ? NB_OWN_STEPS_USUAL.eta : o->own.eta;
    o->own.most_rungs = o->own.most_rungs < 0 ? NB_OWN_STEPS_USUAL.most_rungs : o->own.most_rungs;
    o->bounded = open && (bound || (scheme && nb_prepare_has_rungs(scheme)));
    if (chosen && open && !split && nb_prepare_steps_are_fixed(o))
        *decided |= NB_DECIDED_FIXED;
    return 0;
}
