#include "tree.h"

#include <math.h>

double nb_tree_theta(double theta)
{
    return theta / pow(1 + pow(theta, 6), 1.0 / 6);
}
