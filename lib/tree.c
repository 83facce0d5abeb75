#include "tree.h"

#include <math.h>

/* Chosen on Plummer spheres of 1000 to 10^6 bodies, uniform spheres and cubes (bench/README.md): the second bound alone
 * keeps the worst bodies right, those in wide leaves at the edge, where all errors of the target's expansion have one
 * sign. */
struct nb_tree_opening nb_tree_opening(double theta)
{
    return (struct nb_tree_opening){
        .apart = 0.95, .target = fmin(theta / 1.5, 0.95), .each = 0.8, .share = 0.015 * pow(theta, 6)};
}

double nb_tree_theta(double theta)
{
    return theta / pow(1 + pow(theta, 6), 1.0 / 6);
}
