/* tree.c - parameters of the tree force and constants of its opening criterion. Declared in tree.h. */
#include "force/tree/tree.h"

#include "base/error.h"

#include <limits.h>
#include <math.h>

static const struct nb_parameter parameters[] = {
    [NB_TREE_THETA] = {"theta", "opening parameter: the smaller, the more accurate and the slower", 0.75, .least = 0.05,
                       .most = 2},
    [NB_TREE_REBUILD] = {"rebuild", "evaluations that keep one order of the bodies", 1, .least = 1, .most = UINT_MAX,
                         .whole = true},
    {0},
};

const struct nb_force_kind nb_tree_kinds[] = {
    {.name = "", .about = "opening criterion by the error that it allows", .parameters = parameters}, {0}};

/* The constants were chosen by tests with Plummer spheres of 1000 to 10^6 bodies, uniform spheres and uniform cubes
 * (bench/README.md). Bodies in large leaves at the edge of the system have the largest errors, because the errors of
 * all terms of the local expansion have the same sign at the edge. The member `target` limits these errors. */
struct nb_tree_opening nb_tree_opening(double theta)
{
    return (struct nb_tree_opening){
        .separation = 0.95, .target = fmin(theta / 1.5, 0.95), .source = 0.6, .tolerance = 0.015 * pow(theta, 6)};
}

double nb_tree_reach(const struct nb_sources *s, const struct nb_field *out)
{
    return fmax(s->far.outer, out->close ? out->close->reach : 0);
}

const char *nb_tree_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & (NB_WANT_JERK | NB_WANT_SNAP) ? "a tree gives no jerk; force direct does" : NULL;
}

int nb_tree_check(double theta, double rebuild)
{
    if (theta > 0 && rebuild >= 1)
        return 0;
    return nb_fail("force tree: theta must be positive and rebuild at least 1, not %g and %g", theta, rebuild);
}

int nb_tree_fail_loaded(void)
{
    return nb_fail("the tree of the force is invalid (the checkpoint is damaged or was written by another version)");
}
