/* potential.c - reads the potentials and accelerations of a frame from columns, or computes them. */
#include "nbstat.h"

#include "base/memory.h"
#include "device/choose.h"
#include "scene/scene.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAT_OWN_GRAVITY "auto"    /* name of self-gravity in the list of forces of a frame's header */
#define STAT_CONTACT     "contact" /* name of the force that replaces gravity for colliding disks */
#define LONG_SUM         1000000   /* minimum number of bodies for a message that recommends --potential tree */
/* Maximum number of bodies for which --potential auto is direct summation. More than in nbsim, because a frame needs it
 * only once, and the energies of long runs need its digits. */
#define DIRECT_BODIES 32768
#define QUAD_MOST     1024 /* maximum number of bodies for which --potential auto uses quadruple precision */
/* if the potential energy from a tree is not accurate, it is computed again with theta multiplied by CLOSER */
#define CLOSER      0.7
#define LEAST_THETA 0.15

static void free_room(struct nb_fields *room)
{
    free(room->phi);
    free(room->phi_low);
    free(room->external);
    free(room->acc);
    *room = (struct nb_fields){0};
}

/* Returns *array, which has `width` values for each of p->capacity bodies. Allocates it if it is NULL. Returns NULL if
 * there is no memory. */
static double *array_of(const struct stat_fields *p, double **array, uint64_t width)
{
    const uint64_t count = width * p->capacity;
    if (!*array && count / width == p->capacity && count <= SIZE_MAX / sizeof **array)
        *array = malloc((size_t)count * sizeof **array);
    return *array;
}

/* Stores arrays for n bodies in p->found, and allocates them if necessary. `phi`, `low`, `external` and `acc` are true
 * for the arrays that are needed. Returns -1 after nb_fail. */
static int make_room(struct stat_fields *p, uint64_t n, bool phi, bool low, bool external, bool acc)
{
    struct nb_fields *room = &p->room;
    if (n > p->capacity) {
        free_room(room);
        p->capacity = 0;
        if (nb_memory_check(n, (phi + low + external + 3 * acc) * (double)n * sizeof(double)))
            return -1;
        p->capacity = n;
    }
    p->found = (struct nb_fields){.phi = phi ? array_of(p, &room->phi, 1) : NULL,
                                  .phi_low = low ? array_of(p, &room->phi_low, 1) : NULL,
                                  .external = external ? array_of(p, &room->external, 1) : NULL,
                                  .acc = acc ? array_of(p, &room->acc, 3) : NULL};
    const struct nb_fields *f = &p->found;
    if ((f->phi || !phi) && (f->phi_low || !low) && (f->external || !external) && (f->acc || !acc))
        return 0;
    return nb_fail("no memory for the potentials of %" PRIu64 " bodies", n);
}

static int take_column(const struct nb_bodies *b, const char *name, double *values)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    if (!c)
        return nb_fail("no column %s (--potential auto computes it)", name);
    uint64_t bad = nb_column_first_bad(c, b->n);
    if (bad < b->n)
        return nb_fail("body %" PRIu64 ": %s is not a finite number", bad, name);
    nb_column_get_f64(c, 0, b->n, values);
    return 0;
}

/* Prints the method, precision and theta of self-gravity. They may change with the number of bodies. */
static void announce(const struct stat_fields *p, const struct nb_device *device, uint64_t n)
{
    const unsigned flags = p->force->flags;
    const char *precision = p->precision == NB_QUAD ? "quadruple" : nb_precision_name(p->precision);
    if (flags & NB_EXACT)
        say_verbose("potential by %s summation in %s precision on %s", p->force->method, precision,
                    device->description);
    else
        say_verbose("potential by the %s (theta %.2g) in %s precision on %s", p->force->method, p->theta, precision,
                    device->description);
    if (flags & NB_ALL_PAIRS && n >= LONG_SUM)
        say("the potential of %" PRIu64 " bodies is a sum over %.0e pairs (--potential tree is faster)", n,
            (double)n * (double)n);
}

static void add_force(struct nb_force_set *set, const char *method, double theta, enum nb_precision precision,
                      const struct nb_bodies *b)
{
    char text[32];
    struct nb_force_spec spec;
    snprintf(text, sizeof text, "%.17g", theta);
    must(nb_force_parse(method, &spec) ||
         (!isnan(nb_force_value(&spec, "theta")) && nb_force_spec_set(&spec, "theta", text)) ||
         (strcmp(method, STAT_CONTACT) == 0 && nb_force_choose_radius(&spec, b)) ||
         nb_force_set_add(set, &spec, precision, NB_WANT_PHI | NB_WANT_ACC, b->n, &b->meta));
}

/* How self-gravity is computed. */
struct way {
    const char *method;
    double theta; /* opening criterion of a tree */
    enum nb_precision precision;
    struct nb_device *device;
};

static void add_own(struct stat_fields *p, const struct way *way, const struct nb_bodies *b, struct nb_force_set *set)
{
    const struct nb_force *before = p->force;
    const double theta = p->theta;
    const enum nb_precision precision = p->precision;
    add_force(set, way->method, way->theta, way->precision, b);
    p->force = set->force[set->count - 1].entry;
    p->theta = way->theta;
    p->precision = way->precision;
    if (p->force != before || p->precision != precision || (!(p->force->flags & NB_EXACT) && p->theta != theta))
        announce(p, way->device, b->n);
}

static int add_external(struct stat_fields *p, const struct nb_bodies *b, enum nb_precision precision,
                        struct nb_force_set *set)
{
    for (int k = 0; k < b->meta.force_count; k++) {
        struct nb_force_spec spec;
        if (strcmp(b->meta.forces[k], STAT_OWN_GRAVITY) == 0)
            continue;
        if (nb_force_parse(b->meta.forces[k], &spec) ||
            nb_force_set_add_kept(set, &p->kept, &spec, precision, NB_WANT_PHI | NB_WANT_ACC, b->n, &b->meta))
            return -1;
    }
    return 0;
}

bool stat_has_gravity(const struct nb_bodies *b)
{
    bool own = b->meta.force_count == 0;
    for (int k = 0; k < b->meta.force_count; k++)
        own = own || strcmp(b->meta.forces[k], STAT_OWN_GRAVITY) == 0;
    return own;
}

static int compute_with(struct stat_fields *p, const struct way *way, const struct nb_bodies *b,
                        const struct nb_fields *wanted)
{
    struct nb_force_set set;
    int status = 0;
    nb_force_set_init(&set, way->device);
    if ((wanted->phi || wanted->acc) && stat_has_gravity(b))
        add_own(p, way, b, &set);
    if (wanted->external || wanted->acc)
        status = add_external(p, b, way->precision, &set);
    if (status == 0)
        status = nb_measure_fields(b, &set, way->precision, wanted);
    nb_force_set_close(&set);
    return status;
}

static int check(const struct nb_bodies *b, struct nb_device *device, const double *phi, double *error)
{
    struct nb_force_set direct;
    nb_force_set_init(&direct, device);
    add_force(&direct, "direct", NAN, NB_DOUBLE, b);
    int status = nb_measure_check(b, &direct, phi, error);
    nb_force_set_close(&direct);
    return status;
}

/* Opens the device when it is first needed, so that a stream with columns phi and acc needs no GPU. */
static struct nb_device *opened(struct nb_device **device, const char *name)
{
    if (!*device)
        *device = must_have(nb_device_choose(name));
    return *device;
}

/* Returns whether squared distances and accelerations are far from the limits of single precision. */
static bool fits_single(const struct nb_bodies *b)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *mass = nb_bodies_find(b, "mass");
    double farthest = 0, all = 0;
#pragma omp parallel for schedule(static) reduction(max : farthest) reduction(+ : all)
    for (uint64_t i = 0; i < b->n; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = fabs(nb_column_get(pos, i, k));
            farthest = x > farthest ? x : farthest;
        }
        all += fabs(nb_column_get(mass, i, 0));
    }
    const double a = b->meta.G * all / (farthest * farthest);
    return farthest > 1e-12 && farthest < 1e12 && a > 1e-20 && a < 1e20;
}

/* Returns whether self-gravity is computed by the tree, if the bodies are not disks that touch. */
static bool takes_tree(const struct stat_options *o, const struct nb_bodies *b)
{
    return o->potential == POTENTIAL_TREE || (o->potential == POTENTIAL_AUTO && b->n > DIRECT_BODIES);
}

/* Returns the precision for a tree:
 * - double if values do not fit into single precision;
 * - double without softening, because single and mixed precision on a GPU round the distances of close binaries. The
 *   errors can be larger than the tree's;
 * - otherwise single if the bodies are f32, else mixed. */
static enum nb_precision precision_for_tree(const struct nb_bodies *b)
{
    const bool floats = nb_bodies_find(b, "mass")->type == NB_F32 && nb_bodies_find(b, "pos")->type == NB_F32;
    double softening;
    if (nb_bodies_softening(b, &softening) || (softening == 0 && stat_has_gravity(b)) || !fits_single(b))
        return NB_DOUBLE;
    return floats ? NB_SINGLE : NB_MIXED;
}

/* Computes the fields. Checks the accuracy of a potential from a tree. If it is not sufficient, computes the fields
 * again with a smaller theta. */
static int compute(struct stat_fields *p, const struct stat_options *o, const struct nb_bodies *b,
                   const struct nb_fields *wanted)
{
    const bool touching = o->potential == POTENTIAL_AUTO && nb_scene_is_touching(&b->meta);
    const bool tree = !touching && takes_tree(o, b);
    struct way way = {.method = touching ? STAT_CONTACT
                                : tree   ? "tree"
                                         : "direct",
                      .theta = NB_MEASURE_THETA,
                      .precision = tree ? precision_for_tree(b) : NB_DOUBLE,
                      .device = opened(&p->device, o->device)};
    double error;
    for (;; way.theta *= CLOSER) {
        errno = 0;
        if (compute_with(p, &way, b, wanted)) {
            if (way.precision == NB_DOUBLE || errno != EDOM)
                return -1;
            /* single precision may be unable to separate two close bodies */
            way.precision = NB_DOUBLE;
            if (compute_with(p, &way, b, wanted))
                return -1;
        }
        if (!wanted->phi || !stat_has_gravity(b) || p->force->flags & NB_EXACT)
            return 0;
        if (check(b, way.device, wanted->phi, &error))
            return -1;
        if (error <= NB_MEASURE_TOLERANCE)
            return 0;
        if (way.theta * CLOSER < LEAST_THETA)
            break;
    }
    warn("t = %g: the relative error of the potential energy by the tree may be %.1e (--potential direct is exact)",
         b->meta.time, error);
    return 0;
}

/* Returns whether to compute in quadruple precision, on the CPU. The bodies must have the column pos_lo or vel_lo (the
 * low parts of positions or velocities in quadruple precision). --potential must be direct, or it must be auto with at
 * most QUAD_MOST bodies. */
static bool takes_quad(const struct stat_options *o, const struct nb_bodies *b)
{
    const bool digits = !nb_scene_is_touching(&b->meta) && (nb_bodies_find(b, "pos_lo") || nb_bodies_find(b, "vel_lo"));
    return digits && (o->potential == POTENTIAL_DIRECT || (o->potential == POTENTIAL_AUTO && b->n <= QUAD_MOST));
}

/* Reads values[] from the column `name` if --potential is `column`, or if three things are true: --potential is `auto`,
 * the column exists, and `may` is true (the column is accurate enough). Otherwise only sets *wanted to `values`: the
 * caller then computes the values. */
static int take(const struct stat_options *o, const struct nb_bodies *b, const char *name, bool may, double *values,
                double **wanted)
{
    if (o->potential == POTENTIAL_COLUMN || (o->potential == POTENTIAL_AUTO && may && nb_bodies_find(b, name)))
        return take_column(b, name, values);
    *wanted = values;
    return 0;
}

int stat_fields_find(struct stat_fields *p, const struct stat_options *o, const struct nb_bodies *b, unsigned needs)
{
    const bool phi = needs & NEEDS_PHI, quad = takes_quad(o, b);
    const bool external = phi && nb_force_has_external(&b->meta);
    const bool acc = needs & NEEDS_ACC && (o->potential != POTENTIAL_COLUMN || nb_bodies_find(b, "acc"));
    struct nb_fields wanted = {0}, *found = &p->found;
    if (make_room(p, b->n, phi, phi && quad, external, acc))
        return -1;
    wanted.phi_low = found->phi_low;
    if ((phi && take(o, b, "phi", !quad, found->phi, &wanted.phi)) ||
        (acc && take(o, b, "acc", true, found->acc, &wanted.acc)) ||
        (external && take(o, b, "phi_external", true, found->external, &wanted.external)))
        return -1;
    if (!wanted.phi && !wanted.external && !wanted.acc)
        return 0;
    if (quad)
        return compute_with(p, &(struct way){"direct", NAN, NB_QUAD, opened(&p->cpu, "cpu")}, b, &wanted);
    return compute(p, o, b, &wanted);
}

static void keep(double *values, uint64_t width, const unsigned char *mask, uint64_t n)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n && values; i++)
        if (mask[i])
            memmove(values + width * kept++, values + width * i, width * sizeof *values);
}

void stat_fields_keep(struct stat_fields *p, const unsigned char *mask, uint64_t n)
{
    keep(p->found.phi, 1, mask, n);
    keep(p->found.phi_low, 1, mask, n);
    keep(p->found.external, 1, mask, n);
    keep(p->found.acc, 3, mask, n);
}

void stat_fields_free(struct stat_fields *p)
{
    free_room(&p->room);
    nb_kept_fields_close(&p->kept);
    nb_device_close(p->device);
    nb_device_close(p->cpu);
}
